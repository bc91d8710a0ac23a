"""CHLO ops natively: constants, bits, broadcasting, the largest elements, scans, ragged products.

How good functions are is the matter of ``test_chlo_accuracy`` and ``test_chlo_complex``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from batch import check, expect, run
from cases._case import Array, Case, program, snippet, type_of
from cases._tolerances import BITS, Ulps
from scipy import special  # type: ignore[import-untyped]

import shlo_tools
from shlo_tools import dtypes
from shlo_tools.errors import UnsupportedError

FLOATS = (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)


def case(name: str, inputs: Sequence[Array], expected: Array, attributes: str = "") -> Case:
    """A case of one CHLO op with one result, which must be equal bit for bit."""
    operands = ", ".join(f"%in{i}" for i in range(len(inputs)))
    types = ", ".join(type_of(array) for array in inputs)
    text = f'%out0 = "chlo.{name}"({operands}) {{{attributes}}} : ({types}) -> {type_of(expected)}'
    label = f"{name} {[str(dtypes.of_array(array)) for array in inputs]} {attributes}"
    return snippet(label, text, inputs, [expected], BITS)


# --- constants and infinities ---------------------------------------------------------------------
LIKE = {  # value of constant_like -> what every element is
    "3.2 : f32": np.float32(3.2),
    "-7 : i8": np.int8(-7),
    "250 : ui8": np.uint8(250),
    "true": np.bool_(True),
    "0x7F800000 : f32": np.float32(np.inf),
    "#complex.number<:f32 1.5, -2.0> : complex<f32>": np.complex64(1.5 - 2j),
}


def test_constants() -> None:
    x = np.zeros((2, 3), np.float32)
    like = [
        case("constant_like", [x], np.full((2, 3), value), f"value = {text}")
        for text, value in LIKE.items()
    ]
    plain = case(
        "constant",
        [],
        np.array([1.5, -2], np.float16),
        "value = dense<[1.5, -2.0]> : tensor<2xf16>",
    )
    check([plain, *like])


@pytest.mark.parametrize("dtype", FLOATS)
def test_infinities(dtype: Any) -> None:
    info: Any = ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1.0, info.max], dtype)
    check(
        [
            case("is_inf", [x], np.isinf(x)),
            case("is_pos_inf", [x], x == np.inf),
            case("is_neg_inf", [x], x == -np.inf),
        ]
    )


# --- bits -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", FLOATS)
def test_next_after(dtype: Any) -> None:
    """As numpy and C have it; 0 and -0 are equal, and then the second operand is the result."""
    info: Any = ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    ends = [0.0, 1.0, np.inf, info.max, info.smallest_normal, info.smallest_subnormal]
    edges = [np.nan, *ends, *(-end for end in ends)]
    noise = np.frombuffer(np.random.default_rng(0).bytes(2000 * np.dtype(dtype).itemsize), dtype)
    x = np.concatenate([np.repeat(np.array(edges, dtype), len(edges)), noise])
    y = np.concatenate([np.tile(np.array(edges, dtype), len(edges)), noise[::-1]])
    with np.errstate(all="ignore"):
        expected = np.where(x == y, y, np.nextafter(x, y)).astype(dtype)
    (actual,) = run(program([case("next_after", [x, y], expected)]), x, y)
    wrong = (actual.view(f"u{x.itemsize}") != expected.view(f"u{x.itemsize}")) & ~np.isnan(expected)
    assert not wrong.any(), (x[wrong][0], y[wrong][0], actual[wrong][0], expected[wrong][0])
    with np.errstate(all="ignore"):
        assert np.array_equal(np.isnan(actual), np.isnan(expected))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("dtype", FLOATS)
def test_next_after_toward_a_constant_infinity(dtype: Any, sign: int) -> None:
    """The program says where to, so that less is computed: the same bits as numpy has."""
    info: Any = ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    ends = [0.0, 1.0, np.inf, info.max, info.smallest_normal, info.smallest_subnormal]
    noise = np.frombuffer(np.random.default_rng(0).bytes(500 * np.dtype(dtype).itemsize), dtype)
    x = np.concatenate([np.array([np.nan, *ends, *(-end for end in ends)], dtype), noise])
    y = np.full_like(x, sign * np.inf)
    type = type_of(x)
    code = f"0x{y.view(f'u{y.itemsize}')[0]:0{2 * y.itemsize}X}"
    text = f"""func.func @main(%x: {type}) -> {type} {{
      %y = stablehlo.constant dense<{code}> : {type}
      %0 = chlo.next_after %x, %y : {type}, {type} -> {type}
      return %0 : {type}
    }}"""
    with np.errstate(all="ignore"):
        expected = np.nextafter(x, y)
        for actual in (shlo_tools.compile(text)(x), shlo_tools.interpret(text, x)):
            wrong = actual.view(f"u{x.itemsize}") != expected.view(f"u{x.itemsize}")
            wrong &= ~np.isnan(expected)
            assert not wrong.any(), (x[wrong][0], actual[wrong][0], expected[wrong][0])
            assert np.array_equal(np.isnan(actual), np.isnan(expected))


@pytest.mark.parametrize("bits", [2, 4, 8, 16, 32, 64])
@pytest.mark.parametrize("sign", ["i", "ui"])
def test_mulhi(sign: str, bits: int) -> None:
    """The upper half of the product of Python's integers."""
    dtype = dtypes.element_type(f"{sign}{bits}").dtype
    low, high = (0, (1 << bits) - 1) if sign == "ui" else (-1 << (bits - 1), (1 << (bits - 1)) - 1)
    pattern = int("6b79f2c4d35e81a7", 16)
    noise = [low + (pattern >> shift) % (1 << bits) for shift in range(0, 48, 3)]
    values = sorted({low, low + 1, low // 3, 0, 1, high // 3, high - 1, high, *noise})
    pairs = list(product(values, values))
    wide = f"{'u' if sign == 'ui' else ''}int64"
    x, y = (np.array(column, wide).astype(dtype) for column in zip(*pairs, strict=True))
    upper = np.array([a * b >> bits for a, b in pairs], wide).astype(dtype)
    check([case("mulhi", [x, y], upper)])


# --- broadcasting ---------------------------------------------------------------------------------
SHAPES = (
    # lhs, rhs, broadcast_dimensions, the shape of rhs (or lhs) with these dimensions placed
    ((2, 3), (3,), None, (3,)),
    ((3,), (2, 3), None, (3,)),
    ((2, 3), (), None, ()),
    ((2, 1), (1, 3), None, (1, 3)),
    ((2, 3, 4), (2, 4), (0, 2), (2, 1, 4)),
    ((3,), (2, 3, 4), (1,), (3, 1)),
    ((0, 3), (1, 3), None, (1, 3)),
)


@pytest.mark.parametrize(("lhs", "rhs", "dimensions", "placed"), SHAPES)
def test_shapes_stretch(
    lhs: tuple[int, ...],
    rhs: tuple[int, ...],
    dimensions: tuple[int, ...] | None,
    placed: tuple[int, ...],
) -> None:
    generator = np.random.default_rng(2)
    x, y = (np.asarray(generator.normal(size=shape), np.float32) for shape in (lhs, rhs))
    left, right = (x, y.reshape(placed)) if len(lhs) >= len(rhs) else (x.reshape(placed), y)
    attribute = f"broadcast_dimensions = array<i64: {list(dimensions)}>" if dimensions else ""
    attribute = attribute.replace("[", "").replace("]", "")
    check([case("broadcast_subtract", [x, y], np.asarray(left - right), attribute)])


FORMS = {
    "add": np.add,
    "atan2": np.arctan2,
    "divide": np.divide,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "multiply": np.multiply,
    "next_after": np.nextafter,
    "polygamma": special.polygamma,
    "power": np.power,
    "remainder": np.fmod,
    "subtract": np.subtract,
    "zeta": special.zeta,
}
LOGICAL_FORMS: dict[str, Any] = {
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "shift_left": np.left_shift,
    "shift_right_arithmetic": np.right_shift,
    "shift_right_logical": lambda x, y: (x.view(np.uint32) >> y.view(np.uint32)).view(np.int32),
    "xor": np.bitwise_xor,
}


def test_every_form_is_the_op_it_is_named_after() -> None:
    x = np.array([[2.5, 3.0, 4.0], [5.5, 7.0, 9.25]])
    y = np.array([1.5, 2.0, 0.75])
    cases = []
    for name, function in FORMS.items():
        lhs = np.round(x) if name == "polygamma" else x
        form = case(f"broadcast_{name}", [lhs, y], function(lhs, y))
        cases.append(replace(form, tolerance=Ulps(16)))
    bits, amount = np.array([[-9, 5, 6], [7, -8, 1 << 30]], np.int32), np.array([1, 2, 3], np.int32)
    for name, function in LOGICAL_FORMS.items():
        cases.append(case(f"broadcast_{name}", [bits, amount], function(bits, amount)))
    cases.append(case("broadcast_complex", [x, y], x + 1j * y))
    pred = np.array([[True], [False]])
    cases.append(case("broadcast_select", [pred, x, y], np.where(pred, x, y)))
    for direction, type in (("LT", "FLOAT"), ("GE", "TOTALORDER")):
        attribute = f"comparison_direction = #chlo<comparison_direction {direction}>"
        attribute += f", compare_type = #chlo<comparison_type {type}>"
        expected = x < y if direction == "LT" else x >= y
        cases.append(case("broadcast_compare", [x, y], expected, attribute))
    check(cases)


# --- the largest elements -------------------------------------------------------------------------
def _top_k(x: Array, k: int, values: Array, indices: Array) -> Case:
    types = f"({type_of(values)}, {type_of(indices)})"
    text = f'%o:2 = "chlo.top_k"(%in0) {{k = {k} : i64}} : ({type_of(x)}) -> {types}\n'
    for i, array in enumerate((values, indices)):
        text += f"%out{i} = stablehlo.reshape %o#{i} : ({type_of(array)}) -> {type_of(array)}\n"
    return snippet(f"top_k {dtypes.of_array(x)}", text, [x], [values, indices], BITS)


@pytest.mark.parametrize(
    "dtype", [*FLOATS, np.bool_, np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64]
)
def test_top_k(dtype: Any) -> None:
    """Descending, equal elements in their order: numpy's stable sort of the opposites."""
    x = np.random.default_rng(3).integers(0, 6, (3, 4, 10)).astype(dtype)
    indices = np.argsort(-x.astype(np.float64), axis=-1, kind="stable")[..., :4].astype(np.int32)
    check([_top_k(x, 4, np.take_along_axis(x, indices, -1), indices)])


@pytest.mark.parametrize("dtype", FLOATS)
def test_top_k_of_nans_and_zeros(dtype: Any) -> None:
    """Total order, as XLA:CPU has it: +NaN, inf, ..., +0, -0, ..., -inf, -NaN."""
    nan = np.array(np.nan, dtype)
    x = np.array([-0.0, nan, 1.0, -np.inf, np.copysign(nan, dtype(-1)), 0.0, np.inf, 1.0], dtype)
    indices = np.array([1, 6, 2, 7, 5, 0, 3, 4], np.int32)
    check([_top_k(x, 8, x[indices], indices)])


def test_top_k_of_nothing() -> None:
    x = np.ones((2, 3), np.float32)
    check([_top_k(x, 0, np.zeros((2, 0), np.float32), np.zeros((2, 0), np.int32))])


# --- scans ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("dimension", [0, 1])
def test_scan(dimension: int, backwards: bool) -> None:
    """The body's own order of operations on rows, in Python."""
    x = np.random.default_rng(4).normal(size=(5, 3)).astype(np.float32)
    carry = np.array([1.0, -2.0, 0.5], np.float32)
    outputs, last = np.zeros_like(x), carry.copy()
    for row in reversed(range(5)) if backwards else range(5):
        outputs[row] = last * np.float32(0.5)
        last = x[row] + outputs[row] * outputs[row]
    inputs, expected = (np.ascontiguousarray(a if dimension == 0 else a.T) for a in (x, outputs))
    text = f"""func.func @main(%x: {type_of(inputs)}, %init: tensor<3xf32>)
        -> ({type_of(inputs)}, tensor<3xf32>) {{
      %0:2 = chlo.scan(%x) inits (%init) dimension={dimension}
          attributes {{is_reverse = {str(backwards).lower()}}} {{
      ^bb0(%row: tensor<3xf32>, %carry: tensor<3xf32>):
        %half = stablehlo.constant dense<0.5> : tensor<3xf32>
        %out = stablehlo.multiply %carry, %half : tensor<3xf32>
        %square = chlo.square %out : tensor<3xf32> -> tensor<3xf32>
        %next = stablehlo.add %row, %square : tensor<3xf32>
        stablehlo.return %out, %next : tensor<3xf32>, tensor<3xf32>
      }} : ({type_of(inputs)}, tensor<3xf32>) -> ({type_of(inputs)}, tensor<3xf32>)
      return %0#0, %0#1 : {type_of(inputs)}, tensor<3xf32>
    }}"""
    expect(text, [inputs, carry], [expected, last])


def test_scan_without_inputs_and_without_outputs() -> None:
    doubling = """func.func @main(%init: tensor<i32>) -> (tensor<5xi32>, tensor<i32>) {
      %0:2 = chlo.scan() inits (%init) dimension=0 attributes {scan_dim_size = 5 : i64} {
      ^bb0(%carry: tensor<i32>):
        %next = stablehlo.add %carry, %carry : tensor<i32>
        stablehlo.return %carry, %next : tensor<i32>, tensor<i32>
      } : (tensor<i32>) -> (tensor<5xi32>, tensor<i32>)
      return %0#0, %0#1 : tensor<5xi32>, tensor<i32>
    }"""
    outputs = np.array([3, 6, 12, 24, 48], np.int32)
    expect(doubling, [np.array(3, np.int32)], [outputs, np.array(96, np.int32)])
    last_two = """func.func @main(%x: tensor<4xi32>, %i: tensor<i32>, %j: tensor<i32>)
        -> (tensor<i32>, tensor<i32>) {
      %0:2 = chlo.scan(%x) inits (%i, %j) dimension=0 {
      ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>):
        stablehlo.return %c, %a : tensor<i32>, tensor<i32>
      } : (tensor<4xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
      return %0#0, %0#1 : tensor<i32>, tensor<i32>
    }"""
    numbers = [np.array(n, np.int32) for n in ([1, 2, 3, 4], 7, 8, 3, 4)]
    expect(last_two, numbers[:3], numbers[3:])


# --- refusals -------------------------------------------------------------------------------------
REFUSED = {
    "chlo.bessel_i1e %x : tensor<4xcomplex<f64>> -> tensor<4xcomplex<f64>>": "complex",
}


@pytest.mark.parametrize("text", REFUSED)
def test_refusals_name_the_op(text: str) -> None:
    type = text.partition(" : ")[2].partition(" ->")[0]
    source = f"func.func @main(%x: {type}) -> {type} {{\n%0 = {text}\nreturn %0 : {type}\n}}"
    with pytest.raises(UnsupportedError, match=REFUSED[text]) as caught:
        shlo_tools.Pipeline("builtin.module(shlo-legalize-chlo)").run(shlo_tools.load(source))
    assert text.partition(" ")[0] in str(caught.value)
