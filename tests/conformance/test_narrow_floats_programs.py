"""Floats of 8 bits and less in programs: moved, reduced, sorted, scattered, contracted, carried."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from batch import check
from cases._case import operation, snippet, type_of
from cases._tolerances import BITS, difference
from cases._types import dtype_of
from narrow import every, largest, pairs, rounded, wide
from narrow_programs import Array, each, small_numbers

import shlo_tools
from shlo_tools.dtypes import ELEMENT_TYPES
from shlo_tools.errors import UnsupportedError


def _square(element: str) -> Array:
    """All codes, as a matrix of four columns."""
    return every(element).reshape(-1, 4)


# --- moving ---------------------------------------------------------------------------------------
@each
def test_elements_move_as_they_are(element: str) -> None:
    """Every code, each NaN with its payload."""
    x = _square(element)
    rows = np.array([3, 0, 2])
    one = x[1, 1].reshape(())
    gathered = "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0]"
    gather = (
        f"dimension_numbers = #stablehlo.gather<{gathered}, index_vector_dim = 1>,"
        " slice_sizes = array<i64: 1, 4>"
    )
    edges = "edge_padding_low = array<i64: 1, 0>, edge_padding_high = array<i64: 0, 1>"
    padded = np.full((len(x) + 1, 5), one)
    padded[1:, :4] = x
    cut = "start_indices = array<i64: 1, 0>, limit_indices = array<i64: 4, 4>"
    backward = "dimensions = array<i64: 0>"
    axes = "broadcast_dimensions = array<i64: 0, 1>"
    cases = [
        operation("transpose", [x], x.T.copy(), "permutation = array<i64: 1, 0>"),
        operation("reshape", [x], x.reshape(2, -1)),
        operation("reverse", [x], x[::-1].copy(), backward),
        operation("concatenate", [x, x], np.concatenate([x, x]), "dimension = 0 : i64"),
        operation("slice", [x], x[1:4, ::2].copy(), cut + ", strides = array<i64: 1, 2>"),
        operation("pad", [x, one], padded, edges + ", interior_padding = array<i64: 0, 0>"),
        operation("gather", [x, rows.reshape(3, 1)], x[rows], gather),
        operation("broadcast_in_dim", [x[:1]], np.repeat(x[:1], 3, axis=0), axes),
        operation("real", [x], x),
        operation("optimization_barrier", [x], x),
    ]
    check([replace(case, tolerance=BITS) for case in cases])


@each
def test_constants(element: str) -> None:
    """Lists, splats, hexadecimal digits, and what is too large to stay in the code."""
    codes = every(element)
    digits = "".join(f"{code:02X}" for code in codes.view(np.uint8).tolist())
    large = np.tile(codes, -(-9000 // len(codes)))
    large_digits = digits * (len(large) // len(codes))
    inputs = {
        f'dense<"0x{digits}">': codes,
        f'dense<"0x{large_digits}">': large,
        "dense<[1.0, 2.0, 0.5]>": np.array([1.0, 2.0, 0.5], dtype_of(element)),
        "dense<2.0>": np.full((5, 3), 2.0, dtype_of(element)),
        "dense<1.0>": np.array(1.0, dtype_of(element)),
    }
    cases = []
    for value, expected in inputs.items():
        text = f"%out0 = stablehlo.constant {value} : {type_of(expected)}"
        cases.append(snippet(f"{element} {value[:20]}", text, [], [expected], BITS))
    check(cases)


@each
def test_bits(element: str) -> None:
    """The same bits as an integer or another float of that width, or as parts of a wider one."""
    x = _square(element)
    bits = ELEMENT_TYPES[element].bits
    codes = x.view(np.uint8)
    cases = []
    for other in ELEMENT_TYPES.values():
        if other.bits == bits and other.name != element and not other.is_complex:
            signed = other.is_integer and not other.name.startswith("u") and bits < 8
            stored = codes.astype(np.int8).astype(other.dtype) if signed else codes
            as_other = stored if signed else codes.view(other.dtype)
            cases.append(operation("bitcast_convert", [x], as_other))
            cases.append(operation("bitcast_convert", [as_other], x))
    if bits in (4, 8):
        pair = codes[:, ::2].astype(np.uint16) | codes[:, 1::2].astype(np.uint16) << bits
        joined = pair.astype("u1") if bits == 4 else pair
        parts = x.reshape(*joined.shape, 2)
        cases.append(operation("bitcast_convert", [parts], joined))
        cases.append(operation("bitcast_convert", [joined], parts))
    check([replace(case, tolerance=BITS) for case in cases])


@each
def test_iota(element: str) -> None:
    """Counting far beyond the largest number, each rounded once."""
    expected = rounded(list(range(300)), element)
    check([operation("iota", [], expected, "iota_dimension = 0 : i64")])


# --- computations ---------------------------------------------------------------------------------
def _body(op: str, element: str) -> str:
    scalar = f"tensor<{element}>"
    return f"""({{
      ^bb0(%a: {scalar}, %b: {scalar}):
        %r = stablehlo.{op} %a, %b : {scalar}
        stablehlo.return %r : {scalar}
    }})"""


@each
def test_a_reduction_rounds_at_every_step(element: str) -> None:
    x = small_numbers(element, (5, 7))
    init = np.array(1.0, dtype_of(element))
    totals = np.full(5, init)
    for column in range(7):
        totals = rounded(wide(totals) + wide(x[:, column]), element)
    largest_of = wide(x).max(axis=1, initial=1.0).astype(dtype_of(element))
    cases = []
    for op, expected in (("add", totals), ("maximum", largest_of)):
        text = f"""%out0 = "stablehlo.reduce"(%in0, %in1) {_body(op, element)}
          {{dimensions = array<i64: 1>}}
          : ({type_of(x)}, tensor<{element}>) -> {type_of(expected)}"""
        cases.append(snippet(f"{op} {element}", text, [x, init], [expected]))
    check(cases)


@each
def test_a_reduction_may_promote(element: str) -> None:
    x = small_numbers(element, (5, 7))
    init = np.array(0.0, np.float32)
    text = f"""%out0 = "stablehlo.reduce"(%in0, %in1) {_body("add", "f32")}
      {{dimensions = array<i64: 1>}} : ({type_of(x)}, tensor<f32>) -> tensor<5xf32>"""
    check([snippet(element, text, [x, init], [x.astype(np.float32).sum(axis=1)])])


@each
def test_windows(element: str) -> None:
    x = small_numbers(element, (9,))
    init = np.array(0.25, dtype_of(element))
    high = np.array([max(wide(x)[i : i + 3].max(), 0.25) for i in range(7)]).astype(x.dtype)
    attributes = "window_dimensions = array<i64: 3>, window_strides = array<i64: 1>"
    text = f"""%out0 = "stablehlo.reduce_window"(%in0, %in1) {_body("maximum", element)}
      {{{attributes}}} : ({type_of(x)}, tensor<{element}>) -> {type_of(high)}"""
    check([snippet(element, text, [x, init], [high])])


@each
def test_select_and_scatter(element: str) -> None:
    """Each window of two gives its source to the larger element, the first of equal ones."""
    x = small_numbers(element, (8,))
    source = small_numbers(element, (4,), seed=1)
    init = np.array(1.0, dtype_of(element))
    expected = np.full(8, init)
    for i, value in enumerate(source):
        at = 2 * i + int(wide(x)[2 * i + 1] > wide(x)[2 * i])
        expected[at] = rounded(1.0 + wide(value), element)
    scalar = f"tensor<{element}>"
    text = f"""%out0 = "stablehlo.select_and_scatter"(%in0, %in1, %in2) ({{
      ^bb0(%a: {scalar}, %b: {scalar}):
        %r = stablehlo.compare GE, %a, %b : ({scalar}, {scalar}) -> tensor<i1>
        stablehlo.return %r : tensor<i1>
    }}, {{
      ^bb0(%a: {scalar}, %b: {scalar}):
        %r = stablehlo.add %a, %b : {scalar}
        stablehlo.return %r : {scalar}
    }}) {{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}}
      : ({type_of(x)}, {type_of(source)}, {scalar}) -> {type_of(x)}"""
    check([snippet(element, text, [x, source, init], [expected])])


@each
def test_scatter(element: str) -> None:
    """Updates of one place are added one after the other, rounded each time."""
    x, updates = small_numbers(element, (4,)), small_numbers(element, (6,), seed=1)
    places = np.array([[0], [3], [0], [9], [3], [0]])
    expected = x.copy()
    for place, update in zip(places[:, 0], updates, strict=True):
        if place < 4:
            expected[place] = rounded(wide(expected[place]) + wide(update), element)
    numbers = "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1"
    text = f"""%out0 = "stablehlo.scatter"(%in0, %in1, %in2) {_body("add", element)}
      {{scatter_dimension_numbers = #stablehlo.scatter<{numbers}>}}
      : ({type_of(x)}, {type_of(places)}, {type_of(updates)}) -> {type_of(x)}"""
    check([snippet(element, text, [x, places, updates], [expected])])


@each
def test_sort(element: str) -> None:
    """Stable, and by number: -0 and 0 are equal, which keeps them in order."""
    codes = every(element)
    codes = codes[~np.isnan(wide(codes))]
    x = np.random.default_rng(0).permutation(codes.view(np.uint8)).view(codes.dtype)
    order = np.argsort(wide(x), kind="stable")
    place = np.arange(len(x), dtype=np.int32)
    scalar = f"tensor<{element}>"
    text = f"""%out0, %out1 = "stablehlo.sort"(%in0, %in1) ({{
      ^bb0(%a: {scalar}, %b: {scalar}, %i: tensor<i32>, %j: tensor<i32>):
        %r = stablehlo.compare LT, %a, %b : ({scalar}, {scalar}) -> tensor<i1>
        stablehlo.return %r : tensor<i1>
    }}) {{dimension = 0 : i64, is_stable = true}}
      : ({type_of(x)}, {type_of(place)}) -> ({type_of(x)}, {type_of(place)})"""
    check([snippet(element, text, [x, place], [x[order], place[order]], BITS)])


@each
def test_map(element: str) -> None:
    x, y = (some[::7] for some in pairs(element))
    with np.errstate(all="ignore"):
        expected = rounded(wide(x) * wide(y), element)
    text = f"""%out0 = "stablehlo.map"(%in0, %in1) {_body("multiply", element)}
      {{dimensions = array<i64: 0>}} : ({type_of(x)}, {type_of(y)}) -> {type_of(x)}"""
    check([snippet(element, text, [x, y], [expected])])


@each
def test_while_and_if(element: str) -> None:
    """Doubled until it is above the limit, then one branch or the other."""
    top = largest(element)
    start, limit = np.array(1.0, dtype_of(element)), np.array(top / 4, dtype_of(element))
    value = 1.0
    while value < float(limit):
        value = float(rounded(value + value, element))
    scalar = f"tensor<{element}>"
    text = f"""
      %w = stablehlo.while(%v = %in0) : {scalar} cond {{
        %go = stablehlo.compare LT, %v, %in1 : ({scalar}, {scalar}) -> tensor<i1>
        stablehlo.return %go : tensor<i1>
      }} do {{
        %d = stablehlo.add %v, %v : {scalar}
        stablehlo.return %d : {scalar}
      }}
      %p = stablehlo.compare GT, %w, %in1 : ({scalar}, {scalar}) -> tensor<i1>
      %out0 = "stablehlo.if"(%p) ({{
        stablehlo.return %w : {scalar}
      }}, {{
        %t = stablehlo.multiply %w, %in1 : {scalar}
        stablehlo.return %t : {scalar}
      }}) : (tensor<i1>) -> {scalar}"""
    last = value if value > float(limit) else value * float(limit)
    check([snippet(element, text, [start, limit], [rounded(last, element)])])


# --- the rest -------------------------------------------------------------------------------------
@each
def test_batch_normalization(element: str) -> None:
    """Halves and whole numbers over powers of two: exact until the one rounding at the end."""
    x = small_numbers(element, (6, 2))
    scale, offset, mean = (
        np.array(v, dtype_of(element)) for v in ([2.0, 1.0], [0.5, 1.0], [1.0, 0.5])
    )
    variance = np.array([4.0, 1.0], dtype_of(element))
    exact = (wide(x) - wide(mean)) / np.sqrt(wide(variance)) * wide(scale) + wide(offset)
    attributes = "epsilon = 0.0 : f32, feature_index = 1 : i64"
    inputs = [x, scale, offset, mean, variance]
    check([operation("batch_norm_inference", inputs, rounded(exact, element), attributes)])


@each
def test_cholesky_and_triangular_solve(element: str) -> None:
    """A matrix whose factor is of small powers of two, and a system with such a solution."""
    factor = np.array([[2.0, 0.0], [1.0, 1.0]])
    a = (factor @ factor.T).astype(dtype_of(element))
    expected = rounded(np.where(factor, factor, 0.0), element)
    kept = np.array([[True, False], [True, True]])
    results = _compiled_cholesky(a)
    assert (wide(results)[kept] == wide(expected)[kept]).all()
    lower = np.where(kept, factor, 1.0).astype(dtype_of(element))
    b = np.array([[4.0], [4.0]], dtype_of(element))
    attributes = """left_side = true, lower = true, unit_diagonal = false,
      transpose_a = #stablehlo<transpose NO_TRANSPOSE>"""
    solution = np.array([[2.0], [2.0]], dtype_of(element))
    check([operation("triangular_solve", [lower, b], solution, attributes)])


def _compiled_cholesky(a: Array) -> Array:
    type = type_of(a)
    results = shlo_tools.compile(f"""func.func @main(%a: {type}) -> {type} {{
      %0 = "stablehlo.cholesky"(%a) {{lower = true}} : ({type}) -> {type}
      return %0 : {type}
    }}""")(a)
    return np.asarray(results)


@each
def test_random_numbers(element: str) -> None:
    """Uniform ones reach the lower bound but not the upper one, which rounding would."""
    low, high = np.array(0.5, dtype_of(element)), np.array(2.0, dtype_of(element))
    text = f"""func.func @main(%a: tensor<{element}>, %b: tensor<{element}>)
        -> (tensor<500x{element}>, tensor<500x{element}>) {{
      %shape = stablehlo.constant dense<500> : tensor<1xi64>
      %0 = stablehlo.rng %a, %b, %shape, distribution = UNIFORM
        : (tensor<{element}>, tensor<{element}>, tensor<1xi64>) -> tensor<500x{element}>
      %1 = stablehlo.rng %a, %b, %shape, distribution = NORMAL
        : (tensor<{element}>, tensor<{element}>, tensor<1xi64>) -> tensor<500x{element}>
      return %0, %1 : tensor<500x{element}>, tensor<500x{element}>
    }}"""
    uniform, normal = (wide(x) for x in shlo_tools.compile(text)(low, high))
    assert uniform.min() == 0.5 and uniform.max() < 2 and len(np.unique(uniform)) > 1
    assert len(np.unique(normal)) > 2


@each
def test_random_bits(element: str) -> None:
    """All codes come, and the bits that no code has stay clean."""
    type = f"tensor<4000x{element}>"
    results = shlo_tools.compile(f"""func.func @main(%s: tensor<2xui64>) -> {type} {{
      %0:2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY
        : (tensor<2xui64>) -> (tensor<2xui64>, {type})
      return %0#1 : {type}
    }}""")(np.array([1, 2], np.uint64))
    assert np.array_equal(np.unique(results.view(np.uint8)), every(element).view(np.uint8))


@each
def test_functions_and_tuples_carry_them(element: str) -> None:
    codes = every(element)
    type = type_of(codes)
    text = f"""
      func.func private @twice(%a: {type}) -> tuple<{type}, {type}> {{
        %0 = stablehlo.tuple %a, %a : tuple<{type}, {type}>
        return %0 : tuple<{type}, {type}>
      }}
      func.func @main(%a: {type}) -> {type} {{
        %0 = func.call @twice(%a) : ({type}) -> tuple<{type}, {type}>
        %1 = stablehlo.get_tuple_element %0[1] : (tuple<{type}, {type}>) -> {type}
        return %1 : {type}
      }}"""
    executable = shlo_tools.compile(text)
    assert element in str(executable.signature)
    assert difference(executable(codes), codes, BITS) == ""


def test_upstream_ops_refuse_them() -> None:
    """Lowered, they are bytes, of which arith knows nothing."""
    text = """func.func @main(%a: tensor<4xf8E5M2>) -> tensor<4xf8E5M2> {
      %0 = arith.addf %a, %a : tensor<4xf8E5M2>
      return %0 : tensor<4xf8E5M2>
    }"""
    with pytest.raises(UnsupportedError, match=r"arith\.addf .*f8E5M2"):
        shlo_tools.compile(text)
