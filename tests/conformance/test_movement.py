"""Constants, and the ops that only place elements, at ranks 0 to 4 and with sizes 0 and 1."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement, permutations
from math import prod
from typing import Any

import numpy as np
import pytest
from batch import check
from cases._case import Case, operation, snippet, type_of
from cases._inputs import edges, noise
from cases._tolerances import BITS
from cases._types import COMPLEX, dtype_of
from expected import FLOATS, INTEGERS, REAL

import shlo_tools
from shlo_tools.dtypes import ELEMENT_TYPES

pytestmark = pytest.mark.usefixtures("unmapped_neighbours")

Array = np.ndarray[Any, Any]


# --- constants ------------------------------------------------------------------------------------
def _constant(literal: str, expected: Array) -> Case:
    text = f"%out0 = stablehlo.constant dense<{literal}> : {type_of(expected)}"
    return snippet(f"{literal} : {type_of(expected)}", text, [], [expected], BITS)


def _hexadecimal(bits: Sequence[int], element: str) -> list[str]:
    digits = -(-ELEMENT_TYPES[element].bits // 4)
    return [f"0x{value:0{digits}X}" for value in bits]


def _of_every_shape(literals: Sequence[str], values: Array) -> list[Case]:
    """A scalar, a splat, one and several elements, and none."""
    one = values[:1]
    cases = [
        _constant(f"[{', '.join(literals)}]", values),
        _constant("", values[:0].reshape(2, 0)),
    ]
    for literal, value in zip(literals, values, strict=True):
        scalar = np.array(value, one.dtype)
        cases.append(_constant(literal, scalar))
        cases.append(_constant(f"[{literal}]", scalar.reshape(1)))
        cases.append(_constant(literal, np.array([scalar] * 6).reshape(3, 2)))
    return cases


@pytest.mark.parametrize("element", INTEGERS)
def test_integer_constants(element: str) -> None:
    info = np.iinfo(dtype_of(element))
    values = np.array([info.min, info.max, 0, 1, info.max // 3], dtype_of(element))
    check(_of_every_shape([str(value) for value in values], values))


def test_boolean_constants() -> None:
    check(_of_every_shape(["true", "false", "true"], np.array([True, False, True])))


@pytest.mark.parametrize("element", FLOATS)
def test_float_constants(element: str) -> None:
    """By their bits: zeros, denormals, infinities, NaNs with payload, signalling ones too."""
    width = 8 * dtype_of(element).itemsize
    infinity = int(np.array(np.inf, dtype_of(element)).view(f"u{width // 8}"))
    sign = 1 << (width - 1)
    bits = [0, sign, 1, sign | 1, infinity, sign | infinity, infinity - 1]
    bits += [infinity | 1, sign | infinity | 3, sign - 1, (1 << width) - 1]
    values = np.array(bits, f"u{width // 8}").view(dtype_of(element))
    check(_of_every_shape(_hexadecimal(bits, element), values))


def test_decimal_constants_are_rounded_once() -> None:
    literals = ["0.1", "-1.0e-3", "65504.0", "1.00048828125", "3.0e38"]
    cases = []
    for element in ("bf16", "f32", "f64"):
        values = np.array([float(x) for x in literals]).astype(dtype_of(element))
        cases.append(_constant(f"[{', '.join(literals)}]", values))
    check(cases)


@pytest.mark.parametrize("element", COMPLEX)
def test_complex_constants(element: str) -> None:
    nan = "0x7FA00001" if element == "complex<f32>" else "0x7FF4000000000001"
    literals = ["(1.5, -2.0)", "(-0.0, 0.0)", "(0.0, -0.0)", f"({nan}, 1.0)", f"(2.0, {nan})"]
    payload = np.array([int(nan, 16)], f"u{(len(nan) - 2) // 2}").view(f"f{(len(nan) - 2) // 2}")[0]
    values = np.zeros(len(literals), dtype_of(element))
    values.real[:] = [1.5, -0.0, 0.0, payload, 2.0]
    values.imag[:] = [-2.0, 0.0, -0.0, 1.0, payload]
    check(_of_every_shape(literals, values))


@pytest.mark.parametrize("shape", [(3,), (2000,), (40, 70)])
def test_constants_of_all_values(shape: tuple[int, ...]) -> None:
    """Small ones stay in the code, large ones (4 KiB) are passed as weights."""
    cases = []
    for element in (*REAL, *COMPLEX):
        array = np.resize(np.concatenate([edges(element), noise(element)]), shape)
        literal = f'"0x{array.tobytes().hex().upper()}"'
        cases.append(_constant(literal, array))
    check(cases)


def test_a_large_constant_used_twice_and_returned() -> None:
    array = noise("f32", count=5000)
    literal = f'dense<"0x{array.tobytes().hex().upper()}"> : tensor<5000xf32>'
    text = f"""
      %out0 = stablehlo.constant {literal}
      %out1 = stablehlo.constant {literal}
      %out2 = stablehlo.add %out0, %out1 : tensor<5000xf32>"""
    check([snippet("twice", text, [], [array, array, array + array])])


# --- reshape --------------------------------------------------------------------------------------
SHAPES = {
    "none": [(0,), (0, 3), (2, 0), (2, 0, 3), (0, 0), (1, 0), (0, 1, 1), (5, 0, 2, 1)],
    "one": [(), (1,), (1, 1), (1, 1, 1), (1, 1, 1, 1)],
    "six": [(6,), (2, 3), (3, 2), (1, 6), (6, 1), (1, 2, 3), (2, 1, 3), (3, 1, 2, 1)],
    "24": [
        (24,),
        (2, 3, 4),
        (4, 6),
        (6, 4),
        (3, 8),
        (2, 2, 2, 3),
        (1, 24, 1),
        (4, 3, 2),
        (3, 2, 4),
    ],
}


@pytest.mark.parametrize("size", SHAPES)
def test_reshape(size: str) -> None:
    """Row-major reinterpretation, between all shapes of as many elements."""
    cases = []
    for source in SHAPES[size]:
        array = np.arange(prod(source), dtype=np.int32).reshape(source)
        cases += [operation("reshape", [array], array.reshape(to)) for to in SHAPES[size]]
    check(cases)


def test_reshape_of_every_type() -> None:
    cases = []
    for element in (*REAL, *COMPLEX):
        array = noise(element, count=60).reshape(3, 4, 5)
        cases.append(operation("reshape", [array], array.reshape(15, 4), tolerance=BITS))
    check(cases)


# --- transpose ------------------------------------------------------------------------------------
def _transposed(array: Array, permutation: Sequence[int]) -> Case:
    attributes = f"permutation = array<i64: {', '.join(map(str, permutation))}>"
    expected = np.ascontiguousarray(array.transpose(permutation)).reshape(
        [array.shape[p] for p in permutation]
    )
    return operation("transpose", [array], expected, attributes.replace(": >", ">"), tolerance=BITS)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4), (2, 3, 4, 5), (1, 3, 1, 2)])
def test_transpose(shape: tuple[int, ...]) -> None:
    array = np.arange(prod(shape), dtype=np.int64).reshape(shape)
    check([_transposed(array, order) for order in permutations(range(len(shape)))])


def test_transpose_of_nothing_and_of_every_type() -> None:
    cases = [
        _transposed(np.zeros((2, 0, 3), np.float32), order) for order in permutations(range(3))
    ]
    for element in (*REAL, *COMPLEX):
        cases.append(_transposed(noise(element, count=77).reshape(7, 11), (1, 0)))
    check(cases)


# --- broadcast_in_dim -----------------------------------------------------------------------------
def _broadcast(array: Array, axes: Sequence[int], shape: tuple[int, ...]) -> Case:
    """Result dimension ``axes[d]`` is operand dimension ``d``; they need not be in order."""
    order = sorted(range(array.ndim), key=lambda d: axes[d])
    placed = [1] * len(shape)
    for d in range(array.ndim):
        placed[axes[d]] = array.shape[d]
    expected = np.broadcast_to(array.transpose(order).reshape(placed), shape).copy()
    attributes = f"broadcast_dimensions = array<i64: {', '.join(map(str, axes))}>"
    return operation("broadcast_in_dim", [array], expected, attributes.replace(": >", ">"))


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4), (2, 0, 3), (1, 1)])
def test_broadcast_in_dim(shape: tuple[int, ...]) -> None:
    """Into every subset of the dimensions in every order, stretched wherever a size is 1."""
    cases = []
    for rank in range(min(len(shape), 3) + 1):
        for axes in permutations(range(len(shape)), rank):
            for stretched in combinations_with_replacement((False, True), rank):
                pairs = zip(axes, stretched, strict=True)
                sizes = [1 if stretch else shape[axis] for axis, stretch in pairs]
                array = np.arange(prod(sizes), dtype=np.float32).reshape(sizes)
                cases.append(_broadcast(array, axes, shape))
    check(cases)


def test_broadcast_of_every_type() -> None:
    cases = []
    for element in (*REAL, *COMPLEX):
        cases.append(_broadcast(noise(element, count=5), (1,), (3, 5, 2)))
        cases.append(_broadcast(noise(element, count=5)[0].reshape(()), (), (37,)))
    check(cases)


# --- iota -----------------------------------------------------------------------------------------
def _iota(element: str, dimension: int, shape: tuple[int, ...]) -> Case:
    bits = 8 * dtype_of(element).itemsize
    counted = np.arange(shape[dimension])
    if element in INTEGERS:
        counted = counted & ((1 << min(bits, 62)) - 1)  # wraps around
        line = counted.astype(f"u{bits // 8}").view(dtype_of(element))
    else:
        line = counted.astype(np.float64).astype(dtype_of(element))
    placed = [1] * len(shape)
    placed[dimension] = shape[dimension]
    expected = np.broadcast_to(line.reshape(placed), shape).copy()
    return operation("iota", [], expected, f"iota_dimension = {dimension} : i64")


def test_iota() -> None:
    """Integers wrap around; f16 and bf16 round beyond 2048 and 256."""
    cases = []
    for element in (*INTEGERS, *FLOATS, *COMPLEX):
        cases.append(_iota(element, 0, (5000,)))
        cases.append(_iota(element, 1, (2, 300)))
    shape = (2, 3, 4, 5)
    cases += [_iota("i32", d, shape[:rank]) for rank in range(1, 5) for d in range(rank)]
    cases += [_iota("f32", d, (2, 0, 1)) for d in range(3)]
    check(cases)


def test_movement_chains_keep_elements_in_order() -> None:
    """Broadcast, transposed, reshaped and sliced back by numpy: one program, many views."""
    array = np.arange(24, dtype=np.int16).reshape(2, 3, 4)
    text = """
      %t = stablehlo.transpose %in0, dims = [2, 0, 1] : (tensor<2x3x4xi16>) -> tensor<4x2x3xi16>
      %r = stablehlo.reshape %t : (tensor<4x2x3xi16>) -> tensor<6x4xi16>
      %b = stablehlo.broadcast_in_dim %r, dims = [2, 0] : (tensor<6x4xi16>) -> tensor<4x5x6xi16>
      %out0 = stablehlo.reshape %b : (tensor<4x5x6xi16>) -> tensor<20x6xi16>
      %out1 = stablehlo.transpose %out0, dims = [1, 0] : (tensor<20x6xi16>) -> tensor<6x20xi16>"""
    rows = array.transpose(2, 0, 1).reshape(6, 4)
    wide = np.broadcast_to(rows.T[:, None, :], (4, 5, 6)).reshape(20, 6)
    check([snippet("chain", text, [array], [wide, np.ascontiguousarray(wide.T)])])


def test_a_reshaped_argument_is_not_the_argument() -> None:
    """Reshapes are free inside a program; at its border a result is a copy."""
    text = """
      func.func @main(%a: tensor<2x3xf32>) -> (tensor<6xf32>, tensor<3x2xf32>, tensor<2x3xf32>) {
        %0 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<6xf32>
        %1 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<3x2xf32>
        return %0, %1, %a : tensor<6xf32>, tensor<3x2xf32>, tensor<2x3xf32>
      }"""
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    results = shlo_tools.compile(text)(array)
    for result in results:
        result += 100
    for result in results:
        np.testing.assert_array_equal(result.reshape(-1), np.arange(6) + 100)
    np.testing.assert_array_equal(array.reshape(-1), np.arange(6))


def test_slices_of_nothing() -> None:
    """MLIR refuses offsets at the end of a dimension, even where no element is taken."""
    program = """
func.func @main(%a: tensor<0x3xf32>, %b: tensor<2x3xf32>, %i: tensor<i32>)
    -> (tensor<0x2xf32>, tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x3xf32>) {
  %0 = stablehlo.slice %a [0:0, 0:2] : (tensor<0x3xf32>) -> tensor<0x2xf32>
  %1 = stablehlo.concatenate %a, %b, %a, dim = 0
      : (tensor<0x3xf32>, tensor<2x3xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.dynamic_slice %b, %i, %i, sizes = [2, 0]
      : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x0xf32>
  %3 = stablehlo.dynamic_update_slice %b, %a, %i, %i
      : (tensor<2x3xf32>, tensor<0x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return %0, %1, %2, %3
      : tensor<0x2xf32>, tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x3xf32>
}"""
    b = np.arange(6, dtype=np.float32).reshape(2, 3)
    none, whole, empty, kept = shlo_tools.compile(program)(np.zeros((0, 3), np.float32), b, 1)
    assert (none.shape, empty.shape) == ((0, 2), (2, 0))
    np.testing.assert_array_equal(whole, b)
    np.testing.assert_array_equal(kept, b)
