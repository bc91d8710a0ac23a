"""Ops with run-time sizes and static result types: right where sizes fit, an error where not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from cases._case import type_of

import shlo_tools
from shlo_tools import reference
from shlo_tools.errors import ArgumentError, ConstraintError, ExecutionError, ShapeMismatchError

Array = np.ndarray[Any, Any]
A = np.arange(12, dtype=np.float32).reshape(3, 4)


def _program(name: str, operands: Sequence[Array], result: str, attributes: str = "") -> str:
    arguments = ", ".join(f"%a{i}: {type_of(x)}" for i, x in enumerate(operands))
    names = ", ".join(f"%a{i}" for i in range(len(operands)))
    types = ", ".join(type_of(x) for x in operands)
    return f"""func.func @main({arguments}) -> {result} {{
      %0 = "stablehlo.{name}"({names}) {{{attributes}}} : ({types}) -> {result}
      return %0 : {result}
    }}"""


def _constants(name: str, operands: Sequence[Array], result: str, attributes: str = "") -> str:
    """The same with all but the first operand constant."""
    lines = []
    for i, operand in enumerate(operands[1:], 1):
        lines.append(f"%a{i} = stablehlo.constant dense<{operand.tolist()}> : {type_of(operand)}")
    names = ", ".join(f"%a{i}" for i in range(len(operands)))
    types = ", ".join(type_of(x) for x in operands)
    return f"""func.func @main(%a0: {type_of(operands[0])}) -> {result} {{
      {" ".join(lines)}
      %0 = "stablehlo.{name}"({names}) {{{attributes}}} : ({types}) -> {result}
      return %0 : {result}
    }}"""


def _check(name: str, operands: Sequence[Array], wanted: Array, attributes: str = "") -> None:
    """Run-time operands of several index types, then constant ones; reference too."""
    result = type_of(wanted)
    text = _program(name, operands, result, attributes)
    executable = shlo_tools.compile(text)
    before = [x.copy() for x in operands]
    for x in operands:
        x.flags.writeable = False
    for _ in range(2):
        got = executable(*operands)
        assert got.dtype == wanted.dtype
        np.testing.assert_array_equal(got, wanted)
    for x, old in zip(operands, before, strict=True):
        np.testing.assert_array_equal(x, old)
    np.testing.assert_array_equal(reference.compile(text)(*operands), wanted)
    fixed = shlo_tools.compile(_constants(name, operands, result, attributes))
    np.testing.assert_array_equal(fixed(operands[0]), wanted)


def _refuse(
    name: str,
    good: Sequence[Array],
    bad: Sequence[Sequence[Array]],
    result: str,
    attributes: str = "",
) -> None:
    """Each bad call is an error that names the op and its place; then a good one works."""
    executable = shlo_tools.compile(_program(name, good, result, attributes))
    wanted = executable(*good)
    for operands in bad:
        before = [x.copy() for x in operands]
        with pytest.raises(ShapeMismatchError, match=f"-:2:.*stablehlo.{name}: ") as raised:
            executable(*operands)
        assert isinstance(raised.value, ExecutionError)
        for old, new in zip(before, operands, strict=True):
            np.testing.assert_array_equal(old, new)
        np.testing.assert_array_equal(executable(*good), wanted)


def ints(*values: int, dtype: Any = np.int64) -> Array:
    return np.array(values, dtype)


# --- shapes ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64])
def test_reshape(dtype: Any) -> None:
    _check("dynamic_reshape", [A, ints(2, 6, dtype=dtype)], A.reshape(2, 6))


def test_shapes_of_type_index() -> None:
    text = """func.func @main(%a: tensor<3x4xf32>, %r: tensor<i32>) -> tensor<2x6xf32> {
      %n = tensor.extract %r[] : tensor<i32>
      %i = arith.index_cast %n : i32 to index
      %six = arith.constant 6 : index
      %s = tensor.from_elements %i, %six : tensor<2xindex>
      %0 = stablehlo.dynamic_reshape %a, %s : (tensor<3x4xf32>, tensor<2xindex>) -> tensor<2x6xf32>
      return %0 : tensor<2x6xf32>
    }"""
    executable = shlo_tools.compile(text)
    np.testing.assert_array_equal(executable(A, np.int32(2)), A.reshape(2, 6))
    with pytest.raises(ShapeMismatchError, match=r"tensor<2x6xf32>.*: 2 is not .* = 3$"):
        executable(A, np.int32(3))


def test_reshape_to_a_scalar_has_an_empty_shape() -> None:
    one = np.array([[7.0]], np.float32)
    _check("dynamic_reshape", [one, ints()], one.reshape(()))


def test_reshape_of_nothing() -> None:
    empty = np.zeros((0, 3), np.float32)
    _check("dynamic_reshape", [empty, ints(5, 0)], empty.reshape(5, 0))


def test_reshape_refuses_other_sizes() -> None:
    """-1 stands for nothing; a product that is right does not make a shape right."""
    bad = [[A, ints(*s)] for s in ((6, 2), (-1, 6), (2, -6), (-2, -6), (0, 0), (2, 2**40))]
    _refuse("dynamic_reshape", [A, ints(2, 6)], bad, "tensor<2x6xf32>")


def test_unsigned_sizes_do_not_wrap() -> None:
    """2^64 - 2 as an index of 64 bits would be -2, 254 of ui8 is not -2 either."""
    bad = [[A, np.array([254, 250], np.uint8)]]
    _refuse("dynamic_reshape", [A, ints(2, 6, dtype=np.uint8)], bad, "tensor<2x6xf32>")
    bad = [[A, np.array([2**64 - 2, 6], np.uint64)]]
    _refuse("dynamic_reshape", [A, ints(2, 6, dtype=np.uint64)], bad, "tensor<2x6xf32>")


def test_the_message_names_op_place_and_sizes() -> None:
    executable = shlo_tools.compile(_program("dynamic_reshape", [A, ints(2, 6)], "tensor<2x6xf32>"))
    with pytest.raises(ShapeMismatchError) as raised:
        executable(A, ints(4, 3))
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.place is not None and diagnostic.place.line == 2
    assert "stablehlo.dynamic_reshape" in diagnostic.message
    assert "tensor<2x6xf32>" in diagnostic.message
    assert diagnostic.message.endswith(": 2 is not arg1[0] = 4")


def test_checks_of_equal_ops_report_their_own_places() -> None:
    t = "(tensor<3x4xf32>, tensor<2xi64>) -> tensor<2x6xf32>"
    executable = shlo_tools.compile(f"""
      func.func @main(%a: tensor<3x4xf32>, %s: tensor<2xi64>, %t: tensor<2xi64>)
          -> (tensor<2x6xf32>, tensor<2x6xf32>) {{
        %0 = stablehlo.dynamic_reshape %a, %s : {t}
        %1 = stablehlo.dynamic_reshape %a, %t : {t}
        return %0, %1 : tensor<2x6xf32>, tensor<2x6xf32>
      }}""")
    good, bad = ints(2, 6), ints(12, 1)
    for arguments, line in (((A, bad, good), 4), ((A, good, bad), 5), ((A, bad, bad), 4)):
        with pytest.raises(ShapeMismatchError, match=f"-:{line}:"):
            executable(*arguments)
    assert executable(A, good, good)[0].shape == (2, 6)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.complex64, np.uint8])
def test_iota(axis: int, dtype: Any) -> None:
    shape = ints(2, 3)
    wanted = np.indices((2, 3))[axis].astype(dtype)
    text = _program("dynamic_iota", [shape], type_of(wanted), f"iota_dimension = {axis} : i64")
    np.testing.assert_array_equal(shlo_tools.compile(text)(shape), wanted)


def test_iota_refuses_other_sizes() -> None:
    bad = [[ints(*s)] for s in ((3, 2), (2, -1), (-2, 3), (2, 2**62))]
    _refuse("dynamic_iota", [ints(2, 3)], bad, "tensor<2x3xi32>", "iota_dimension = 1 : i64")


def test_broadcast() -> None:
    row = np.array([[1, 2, 3]], np.int64)  # the specification's example
    wanted = np.broadcast_to(row[0][None, :, None], (2, 3, 2)).copy()
    axes = "broadcast_dimensions = array<i64: 2, 1>"
    _check("dynamic_broadcast_in_dim", [row, ints(2, 3, 2)], wanted, axes)
    known = ", known_expanding_dimensions = array<i64: 0>"
    known += ", known_nonexpanding_dimensions = array<i64: 1>"
    _check("dynamic_broadcast_in_dim", [row, ints(2, 3, 2)], wanted, axes + known)


def test_broadcast_refuses_other_sizes() -> None:
    row = np.ones((1, 3), np.float32)
    bad = [[row, ints(*s)] for s in ((3, 3), (2, 4), (1, 3), (-2, 3), (2, -3))]
    axes = "broadcast_dimensions = array<i64: 0, 1>"
    _refuse("dynamic_broadcast_in_dim", [row, ints(2, 3)], bad, "tensor<2x3xf32>", axes)


def test_broadcast_of_a_dimension_that_was_said_not_to_expand() -> None:
    row = np.ones((1, 3), np.float32)
    attributes = "broadcast_dimensions = array<i64: 0, 1>"
    attributes += ", known_nonexpanding_dimensions = array<i64: 0>"
    text = _program("dynamic_broadcast_in_dim", [row, ints(2, 3)], "tensor<2x3xf32>", attributes)
    for compile in (shlo_tools.compile, reference.compile):
        with pytest.raises(ConstraintError, match=r"-:2:.*dynamic_broadcast_in_dim.*dimension 0"):
            compile(text)  # its types tell
    text = text.replace("tensor<1x3xf32>", "tensor<?x3xf32>")
    executable = shlo_tools.compile(text)
    whole = np.ones((2, 3), np.float32)
    np.testing.assert_array_equal(executable(whole, ints(2, 3)), whole)
    with pytest.raises(ShapeMismatchError, match=r"-:2:.*dimension 0.*arg0\.0 = 1 is not 2$"):
        executable(row, ints(2, 3))


# --- sizes of dimensions --------------------------------------------------------------------------
@pytest.mark.parametrize("dimension", [0, 1])
def test_get_dimension_size(dimension: int) -> None:
    text = _program("get_dimension_size", [A], "tensor<i32>", f"dimension = {dimension} : i64")
    got = shlo_tools.compile(text)(A)
    assert got.dtype == np.int32 and got == A.shape[dimension]


def test_set_dimension_size() -> None:
    _check("set_dimension_size", [A, np.array(3, np.int32)], A[:, :3], "dimension = 1 : i64")
    _check("set_dimension_size", [A, np.array(0, np.int32)], A[:0], "dimension = 0 : i64")
    bad = [[A, np.array(size, np.int32)] for size in (-1, 0, 2, 4, 2**31 - 1)]
    good = [A, np.array(3, np.int32)]
    _refuse("set_dimension_size", good, bad, "tensor<3x3xf32>", "dimension = 1 : i64")


BOUNDED = "tensor<?x4xf32, #stablehlo.bounds<3, ?>>"


@pytest.mark.parametrize("rows", [3, 5])
def test_bounded_results(rows: int) -> None:
    """A bound is the largest size, whatever the operand would allow."""
    x = np.arange(rows * 4, dtype=np.float32).reshape(rows, 4)
    text = _program(
        "set_dimension_size", [x, np.array(3, np.int32)], BOUNDED, "dimension = 0 : i64"
    )
    executable = shlo_tools.compile(text)
    for size in (3, 0, 1, 2):
        np.testing.assert_array_equal(executable(x, np.int32(size)), x[:size])
    for size in (-1, 4, 2**31 - 1):
        with pytest.raises(ShapeMismatchError, match=f"set_dimension_size.* = {size}\\b"):
            executable(x, np.int32(size))


def test_bounded_arguments() -> None:
    text = f"""func.func @main(%a: {BOUNDED}) -> ({BOUNDED}, tensor<i32>) {{
      %0 = stablehlo.add %a, %a : {BOUNDED}
      %n = stablehlo.get_dimension_size %0, dim = 0 : ({BOUNDED}) -> tensor<i32>
      return %0, %n : {BOUNDED}, tensor<i32>
    }}"""
    executable = shlo_tools.compile(text)
    for size in range(4):
        twice, count = executable(A[:size])
        np.testing.assert_array_equal(twice, A[:size] * 2)
        assert count == size
    with pytest.raises(ArgumentError, match=r"\(4, 4\)"):
        executable(np.zeros((4, 4), np.float32))


# --- slices ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("starts", "limits", "strides"),
    [
        ((0, 0), (3, 4), (1, 1)),
        ((1, 1), (3, 4), (1, 2)),
        ((0, 0), (3, 4), (2, 3)),
        ((2, 3), (3, 4), (7, 2**62)),
        ((1, 0), (1, 4), (1, 1)),
        ((3, 4), (3, 4), (1, 1)),
    ],
)
def test_real_dynamic_slice(
    starts: tuple[int, int], limits: tuple[int, int], strides: tuple[int, int]
) -> None:
    rows, columns = (slice(*row) for row in zip(starts, limits, strides, strict=True))
    _check(
        "real_dynamic_slice", [A, ints(*starts), ints(*limits), ints(*strides)], A[rows, columns]
    )


def test_real_dynamic_slice_moves_at_run_time() -> None:
    vector = np.arange(10, dtype=np.int32)
    good = [vector, ints(2), ints(6), ints(2)]
    executable = shlo_tools.compile(_program("real_dynamic_slice", good, "tensor<2xi32>"))
    for start, limit, stride in ((0, 2, 1), (8, 10, 1), (0, 10, 5), (1, 4, 2), (9, 10, 1)):
        count = len(range(start, limit, stride))
        if count == 2:
            got = executable(vector, ints(start), ints(limit), ints(stride))
            np.testing.assert_array_equal(got, vector[start:limit:stride])
        else:
            with pytest.raises(ShapeMismatchError):
                executable(vector, ints(start), ints(limit), ints(stride))


def test_real_dynamic_slice_refuses_what_is_outside() -> None:
    vector = np.arange(10, dtype=np.int32)
    rows = [(-1, 1, 1), (9, 11, 1), (4, 2, -1), (2, 4, 0), (2, 4, -1), (0, 3, 1), (5, 4, 1)]
    rows += [(0, 2**63 - 1, 2**62), (-(2**63), 2, 2**62), (2**62, 2**62 + 2, 1)]
    bad = [[vector, ints(a), ints(b), ints(c)] for a, b, c in rows]
    _refuse("real_dynamic_slice", [vector, ints(2), ints(4), ints(1)], bad, "tensor<2xi32>")


GATHER = (
    "dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],"
    " start_index_map = [0, 1], index_vector_dim = 1>"
)


def test_gather() -> None:
    """Starts are clamped as in ``gather``."""
    places = np.array([[0, 0], [2, 2], [1, 1], [-5, 9]], np.int64)
    wanted = np.array([A[0, 0:2], A[2, 2:4], A[1, 1:3], A[0, 2:4]])
    for sizes in (ints(1, 2), ints(1, 2, dtype=np.uint8)):
        operands = [A, places, sizes]
        got = shlo_tools.compile(_program("dynamic_gather", operands, type_of(wanted), GATHER))
        np.testing.assert_array_equal(got(*operands), wanted)
    fixed = _program("dynamic_gather", [A, places, ints(1, 2)], type_of(wanted), GATHER)
    np.testing.assert_array_equal(reference.compile(fixed)(A, places, ints(1, 2)), wanted)


def test_gather_refuses_other_sizes() -> None:
    places = np.array([[0, 0], [2, 2]], np.int64)
    bad = [[A, places, ints(*s)] for s in ((2, 2), (1, 1), (1, 3), (-1, 2), (1, -2), (1, 2**40))]
    _refuse("dynamic_gather", [A, places, ints(1, 2)], bad, "tensor<2x2xf32>", GATHER)


def test_gather_of_nothing() -> None:
    """There is no element to take, whatever the sizes say."""
    empty, places = np.zeros((0,), np.float32), np.zeros((3, 1), np.int64)
    attributes = (
        "dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0],"
        " start_index_map = [0], index_vector_dim = 1>"
    )
    text = _program("dynamic_gather", [empty, places, ints(0)], "tensor<3xf32>", attributes)
    executable = shlo_tools.compile(text)
    for size in (0, 1):
        with pytest.raises(ShapeMismatchError):
            executable(empty, places, ints(size))


# --- padding --------------------------------------------------------------------------------------
def _padded(
    x: Array, value: Any, low: Sequence[int], high: Sequence[int], gap: Sequence[int]
) -> Array:
    """By single elements: result position p holds element (p - low) / (gap + 1)."""
    rows = zip(x.shape, low, high, gap, strict=True)
    shape = [a + n + max(n - 1, 0) * g + b for n, a, b, g in rows]
    result = np.full(shape, value, x.dtype)
    for place in np.ndindex(*x.shape):
        at = tuple(a + i * (g + 1) for i, a, g in zip(place, low, gap, strict=True))
        if all(0 <= p < n for p, n in zip(at, shape, strict=True)):
            result[at] = x[place]
    return result


PADDINGS = [
    ((0, 0), (0, 0), (0, 0)),
    ((0, 1), (2, 1), (1, 2)),  # the specification's example
    ((2, 3), (1, 0), (0, 0)),
    ((-1, 1), (0, -2), (0, 0)),
    ((-1, -4), (-1, 5), (2, 1)),
    ((-3, 0), (0, 0), (0, 3)),
    ((5, 0), (-8, 0), (0, 0)),
    ((-9, 0), (9, 0), (1, 0)),
]


@pytest.mark.parametrize(("low", "high", "gap"), PADDINGS)
@pytest.mark.parametrize("x", [A, np.zeros((0, 4), np.float32), A[:1]])
def test_pad(x: Array, low: tuple[int, int], high: tuple[int, int], gap: tuple[int, int]) -> None:
    rows = zip(x.shape, low, high, gap, strict=True)
    if any(a + n + max(n - 1, 0) * g + b < 0 for n, a, b, g in rows):
        pytest.skip("its size would be negative")
    value = np.array(-5, np.float32)
    operands = [x, value, ints(*low), ints(*high), ints(*gap)]
    wanted = _padded(x, value, low, high, gap)
    text = _program("dynamic_pad", operands, type_of(wanted))
    executable = shlo_tools.compile(text)
    np.testing.assert_array_equal(executable(*operands), wanted)
    np.testing.assert_array_equal(reference.compile(text)(*operands), wanted)
    if x.size:
        fixed = shlo_tools.compile(_constants("dynamic_pad", operands, type_of(wanted)))
        np.testing.assert_array_equal(fixed(x), wanted)


def test_pad_moves_at_run_time() -> None:
    """One program, many paddings of the same total."""
    vector, value = np.arange(1, 6, dtype=np.int32), np.array(0, np.int32)
    good = [vector, value, ints(0), ints(4), ints(0)]
    executable = shlo_tools.compile(_program("dynamic_pad", good, "tensor<9xi32>"))
    for low in (-20, -9, -5, -4, -1, 0, 1, 4, 5, 9, 20):
        for gap in (0, 1, 2, 5):
            high = 9 - low - 5 - 4 * gap
            got = executable(vector, value, ints(low), ints(high), ints(gap))
            np.testing.assert_array_equal(got, _padded(vector, 0, [low], [high], [gap]))


def test_pad_refuses_other_sizes() -> None:
    """Sums that are right only modulo 2^64 are not right."""
    vector, value = np.arange(5, dtype=np.int32), np.array(0, np.int32)
    rows = [(0, 5, 0), (1, 4, 0), (-1, 4, 0), (0, 8, -1), (12, 0, -2), (0, 0, 2**62)]
    rows += [(2, 2, 2**62), (2**63 - 1, 2**63 - 1, 0)]
    bad = [[vector, value, ints(a), ints(b), ints(c)] for a, b, c in rows]
    good = [vector, value, ints(2), ints(2), ints(0)]
    _refuse("dynamic_pad", good, bad, "tensor<9xi32>")


def test_unsigned_amounts_do_not_wrap() -> None:
    """2^64 - 2 elements before are not -2."""
    vector, value = np.arange(5, dtype=np.int32), np.array(0, np.int32)
    good = [vector, value, *(ints(n, dtype=np.uint64) for n in (2, 2, 0))]
    bad = [[vector, value, *(ints(n, dtype=np.uint64) for n in (2**64 - 2, 6, 0))]]
    _refuse("dynamic_pad", good, bad, "tensor<9xi32>")


# --- convolutions ---------------------------------------------------------------------------------
def _convolution(
    x: Array, kernel: Array, padding: Array, result: str, stride: int, dilation: int, form: str
) -> str:
    numbers = (
        "dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>,"
        " feature_group_count = 1 : i64, batch_group_count = 1 : i64,"
        f" window_strides = array<i64: {stride}, 1>, lhs_dilation = array<i64: {dilation}, 1>"
    )
    if form == "dynamic_conv":
        return _program("dynamic_conv", [x, kernel, padding], result, numbers)
    numbers += f", padding = dense<{padding.tolist()}> : tensor<2x2xi64>"
    return _program("convolution", [x, kernel], result, numbers)


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("dilation", [1, 3])
def test_conv(stride: int, dilation: int) -> None:
    """One program with several paddings equals static convolutions; whole numbers are exact."""
    random = np.random.default_rng(3)
    x = random.integers(-4, 5, (2, 5, 4, 3)).astype(np.float32)
    kernel = random.integers(-4, 5, (2, 3, 3, 2)).astype(np.float32)
    height = (5 - 1) * dilation + 1
    count = (height + 2 - 2) // stride + 1
    result = f"tensor<2x{count}x4x2xf32>"
    run = None
    for low in ([1, 1], [0, 2], [2, 0], [-1, 3], [-2, -1], [4, 4]):
        padding = np.array([[low[0], 2 - low[0]], [low[1], 2 - low[1]]], np.int64)
        text = _convolution(x, kernel, padding, result, stride, dilation, "dynamic_conv")
        run = run or shlo_tools.compile(text)
        static = _convolution(x, kernel, padding, result, stride, dilation, "convolution")
        wanted = reference.compile(static)(x, kernel)
        np.testing.assert_array_equal(run(x, kernel, padding), wanted)


def test_conv_with_constant_padding() -> None:
    x, kernel = np.ones((1, 4, 4, 1), np.float32), np.ones((3, 3, 1, 1), np.float32)
    padding = np.array([[1, 1], [0, 2]], np.int64)
    text = _convolution(x, kernel, padding, "tensor<1x4x4x1xf32>", 1, 1, "dynamic_conv")
    fixed = text.replace(", %a2: tensor<2x2xi64>)", ")").replace(
        "%0 =", f"%a2 = stablehlo.constant dense<{padding.tolist()}> : tensor<2x2xi64>\n%0 ="
    )
    wanted = np.array([[6, 6, 4, 2], [9, 9, 6, 3], [9, 9, 6, 3], [6, 6, 4, 2]], np.float32)
    np.testing.assert_array_equal(shlo_tools.compile(fixed)(x, kernel)[0, :, :, 0], wanted)
    np.testing.assert_array_equal(shlo_tools.compile(text)(x, kernel, padding)[0, :, :, 0], wanted)


def test_conv_refuses_other_sizes() -> None:
    x, kernel = np.ones((1, 4, 4, 1), np.float32), np.ones((3, 3, 1, 1), np.float32)
    good = np.array([[1, 1], [1, 1]], np.int64)
    text = _convolution(x, kernel, good, "tensor<1x4x4x1xf32>", 1, 1, "dynamic_conv")
    executable = shlo_tools.compile(text)
    wanted = executable(x, kernel, good)
    for pair in ((0, 0), (1, 2), (-9, 2), (2**63 - 1, 3), (3, 2**62)):
        with pytest.raises(
            ShapeMismatchError, match=r"stablehlo\.dynamic_conv: .* = -?\d+( is more than \d+)?$"
        ):
            executable(x, kernel, np.array([pair, (1, 1)], np.int64))
        np.testing.assert_array_equal(executable(x, kernel, good), wanted)


# --- where checks stand ---------------------------------------------------------------------------
def test_a_check_in_a_branch_not_taken_does_not_fail() -> None:
    executable = shlo_tools.compile("""
      func.func @main(%p: tensor<i1>, %a: tensor<6xf32>, %s: tensor<2xi64>) -> tensor<2x3xf32> {
        %0 = "stablehlo.if"(%p) ({
          %1 = stablehlo.dynamic_reshape %a, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<2x3xf32>
          stablehlo.return %1 : tensor<2x3xf32>
        }, {
          %2 = stablehlo.reshape %a : (tensor<6xf32>) -> tensor<2x3xf32>
          stablehlo.return %2 : tensor<2x3xf32>
        }) : (tensor<i1>) -> tensor<2x3xf32>
        return %0 : tensor<2x3xf32>
      }""")
    a, bad = np.arange(6, dtype=np.float32), ints(3, 2)
    np.testing.assert_array_equal(executable(False, a, bad), a.reshape(2, 3))
    with pytest.raises(ShapeMismatchError):
        executable(True, a, bad)
    np.testing.assert_array_equal(executable(True, a, ints(2, 3)), a.reshape(2, 3))


def test_a_check_in_a_loop_leaves_the_loop() -> None:
    """The sizes go wrong in the fourth iteration of an endless loop."""
    executable = shlo_tools.compile("""
      func.func @main(%a: tensor<6xi32>, %n: tensor<i32>) -> tensor<6xi32> {
        %0:2 = "stablehlo.while"(%a, %n) ({
        ^bb0(%x: tensor<6xi32>, %i: tensor<i32>):
          %true = stablehlo.constant dense<true> : tensor<i1>
          stablehlo.return %true : tensor<i1>
        }, {
        ^bb0(%x: tensor<6xi32>, %i: tensor<i32>):
          %one = stablehlo.constant dense<1> : tensor<i32>
          %six = stablehlo.constant dense<6> : tensor<i32>
          %j = stablehlo.add %i, %one : tensor<i32>
          %least = stablehlo.maximum %j, %six : tensor<i32>
          %s = stablehlo.reshape %least : (tensor<i32>) -> tensor<1xi32>
          %y = stablehlo.dynamic_reshape %x, %s : (tensor<6xi32>, tensor<1xi32>) -> tensor<6xi32>
          stablehlo.return %y, %j : tensor<6xi32>, tensor<i32>
        }) : (tensor<6xi32>, tensor<i32>) -> (tensor<6xi32>, tensor<i32>)
        return %0#0 : tensor<6xi32>
      }""")
    with pytest.raises(ShapeMismatchError, match=r"-:14:.*tensor<6xi32>.*: 6 is not .* = 7$"):
        executable(np.arange(6, dtype=np.int32), np.int32(3), timeout=20)
