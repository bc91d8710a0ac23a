"""The reference semantics: edges of the specification, and properties against numpy and mpmath."""

from __future__ import annotations

import functools
import math
import threading
from fractions import Fraction
from typing import Any

import ml_dtypes
import mpmath
import numpy as np
import pytest

from shlo_tools import errors, grid, mlir, reference
from shlo_tools.dtypes import ELEMENT_TYPES, TensorType
from shlo_tools.ops.elementwise import ComparisonDirection, ComparisonType
from shlo_tools.ops.linear_algebra import Transpose
from shlo_tools.ops.signal import FftType
from shlo_tools.reference import (
    contraction,
    convolution,
    data_movement,
    deprecated,
    elementwise,
    gather_scatter,
    linear_algebra,
    quantization,
    random,
    reduction,
    signal,
    sorting,
    windows,
)
from shlo_tools.reference.chlo import along_dimensions, functions

Array = np.ndarray[Any, Any]
INF, NAN = math.inf, math.nan


def array(element: str, *values: Any) -> Array:
    return np.array(values, ELEMENT_TYPES[element].dtype)


def type_of(element: str, *shape: int) -> list[TensorType]:
    return [TensorType(shape, ELEMENT_TYPES[element])]


def same(actual: Array, expected: Array) -> None:
    """Equal in type, shape and value; -0 differs from 0, any NaN is NaN."""
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    wide = np.float64 if actual.dtype.kind in "fV" else actual.dtype
    np.testing.assert_array_equal(actual.astype(wide), expected.astype(wide))
    if wide is np.float64:
        signs = [np.signbit(x.astype(wide)) | np.isnan(x.astype(wide)) for x in (actual, expected)]
        np.testing.assert_array_equal(*signs)


def run(body: str, *arguments: Any, signature: str, **options: Any) -> Any:
    """The results of ``func.func @main`` with a signature and a body."""
    return reference.interpret(f"func.func @main{signature} {{\n{body}\n}}", *arguments, **options)


# --- completeness ---------------------------------------------------------------------------------
def test_every_registered_op_has_a_meaning() -> None:
    """``stablehlo.return`` ends regions and computes nothing."""
    missing = set(mlir.registered_op_names()) - set(reference.EVALUATORS)
    assert missing == {"stablehlo.return"}


# --- elementwise edges ----------------------------------------------------------------------------
LOW, HIGH = -(2**31), 2**31 - 1
EDGES: list[tuple[str, str, list[list[Any]], list[Any]]] = [
    ("abs", "i32", [[LOW, -5]], [LOW, 5]),
    ("abs", "f32", [[-0.0, -INF]], [0.0, INF]),
    ("add", "i1", [[True, True, False], [True, False, False]], [True, True, False]),
    ("add", "i32", [[HIGH], [1]], [LOW]),
    ("add", "i4", [[7], [1]], [-8]),
    ("add", "ui2", [[3], [2]], [1]),
    ("atan2", "f64", [[0.0, -0.0, INF], [-0.0, -0.0, -INF]], [math.pi, -math.pi, 0.75 * math.pi]),
    ("cbrt", "f64", [[-8.0, -0.0]], [-2.0, -0.0]),
    ("ceil", "f32", [[-0.3]], [-0.0]),
    ("clamp", "f32", [[5.0, 1.0], [0.0, NAN], [1.0, 2.0]], [1.0, NAN]),
    ("count_leading_zeros", "i4", [[0, 1, -1]], [4, 3, 0]),
    ("count_leading_zeros", "ui64", [[0, 1]], [64, 63]),
    ("divide", "i32", [[7, -7, 5, LOW], [-2, 2, 0, -1]], [-3, -3, -1, LOW]),
    ("divide", "ui8", [[7], [0]], [255]),
    ("exponential_minus_one", "f32", [[-0.0]], [-0.0]),
    ("floor", "f32", [[-0.3, -0.0]], [-1.0, -0.0]),
    ("log", "f32", [[-1.0, -0.0]], [NAN, -INF]),
    ("log_plus_one", "f64", [[-1.0, -2.0, -0.0]], [-INF, NAN, -0.0]),
    ("logistic", "f32", [[-1000.0, 1000.0, NAN]], [0.0, 1.0, NAN]),
    ("maximum", "f32", [[NAN, -0.0, 0.0], [1.0, 0.0, -0.0]], [NAN, 0.0, 0.0]),
    ("minimum", "bf16", [[1.0, -0.0, 0.0], [NAN, 0.0, -0.0]], [NAN, -0.0, -0.0]),
    ("maximum", "ui8", [[255], [1]], [255]),
    ("multiply", "i4", [[-8], [-8]], [0]),
    ("negate", "i32", [[LOW]], [LOW]),
    ("negate", "ui8", [[1]], [255]),
    ("negate", "f16", [[0.0]], [-0.0]),
    ("not", "i1", [[True, False]], [False, True]),
    ("not", "ui4", [[5]], [10]),
    ("popcnt", "i8", [[-1, 0]], [8, 0]),
    ("popcnt", "i2", [[-1]], [2 - 4]),  # 2 does not fit and wraps
    (
        "power",
        "i32",
        [[2, -1, 0, 0, 3], [-1, -3, -1, 0, 40]],
        [0, -1, 0, 1, (3**40 + 2**31) % 2**32 - 2**31],
    ),
    ("power", "f64", [[1.0, NAN, -8.0, -0.0], [NAN, 0.0, 3.0, -3.0]], [1.0, 1.0, -512.0, -INF]),
    ("remainder", "i32", [[-7, 7, 5, LOW], [2, -2, 0, -1]], [-1, 1, 5, 0]),
    ("remainder", "f32", [[5.0, -0.0, 1.0], [INF, 1.0, 0.0]], [5.0, -0.0, NAN]),
    ("round_nearest_afz", "f32", [[0.49999997, 8388609.0, -0.4, 2.5]], [0, 8388609.0, -0.0, 3]),
    ("round_nearest_even", "f32", [[-0.5, 0.5, 1.5, 2.5]], [-0.0, 0.0, 2.0, 2.0]),
    ("rsqrt", "f32", [[0.0, -0.0, -1.0, INF]], [INF, -INF, NAN, 0.0]),
    ("shift_left", "i8", [[1, 1, 1], [7, 8, -1]], [-128, 0, 0]),
    ("shift_right_arithmetic", "i8", [[-128, 64], [100, -1]], [-1, 0]),
    ("shift_right_arithmetic", "ui8", [[0x80], [1]], [0xC0]),
    ("shift_right_logical", "i8", [[-1, -1], [4, 8]], [15, 0]),
    ("shift_right_logical", "i4", [[-1], [2]], [3]),
    ("sign", "f32", [[-0.0, NAN, -3.0]], [-0.0, NAN, -1.0]),
    ("sine", "f32", [[INF]], [NAN]),
    ("sqrt", "f32", [[-0.0, -1.0]], [-0.0, NAN]),
    ("tanh", "f32", [[-0.0, 1e4]], [-0.0, 1.0]),
]


@pytest.mark.parametrize(("name", "element", "operands", "expected"), EDGES)
def test_edge(name: str, element: str, operands: list[list[Any]], expected: list[Any]) -> None:
    function = reference.EVALUATORS[f"stablehlo.{name}"]
    given = [array(element, *values) for values in operands]
    same(function(*given), array(element, *expected))


COMPLEX_EDGES: list[tuple[str, complex, complex]] = [
    ("abs", complex(3e38, 0), 3e38),
    ("abs", complex(INF, NAN), INF),
    ("exponential", complex(-INF, 1), 0),
    ("log", complex(-1, -0.0), complex(0, -math.pi)),
    ("sqrt", complex(-1, -0.0), complex(0, -1)),
    ("sqrt", complex(-1, 0.0), complex(0, 1)),
    ("tanh", complex(100, 1), 1),
    ("tan", complex(1, 1000), 1j),
    ("sign", 0, 0),
    ("sign", complex(3e200, 4e200), complex(0.6, 0.8)),
    ("logistic", complex(-800, 1), 0),
    ("cbrt", -8, complex(1, math.sqrt(3))),
    ("log_plus_one", complex(1e-8, 1e-8), complex(1e-8, 1e-8 - 1e-16)),
]


@pytest.mark.parametrize(("name", "operand", "expected"), COMPLEX_EDGES)
def test_complex_edge(name: str, operand: complex, expected: complex) -> None:
    result = reference.EVALUATORS[f"stablehlo.{name}"](np.array([operand], np.complex128))
    np.testing.assert_allclose(result, [expected], rtol=1e-14, atol=1e-300)


def test_complex_formulas_keep_their_digits() -> None:
    """Against mpmath where the textbook formulas cancel."""
    z = np.array([1e-9 + 1e-5j, -1e-10 - 1.4e-5j, 0.3 - 2j, -5e-11 + 1e-5j])
    for name, exact in (("log_plus_one", mpmath.log1p), ("exponential_minus_one", mpmath.expm1)):
        result = reference.EVALUATORS[f"stablehlo.{name}"](z)
        with mpmath.workdps(60):
            wanted = [complex(_complex_of(name, exact, value)) for value in z]
        np.testing.assert_allclose(result.real, np.real(wanted), rtol=3e-16)
        np.testing.assert_allclose(result.imag, np.imag(wanted), rtol=3e-16)


def _complex_of(name: str, exact: Any, value: complex) -> Any:
    z = mpmath.mpc(value.real, value.imag)
    return mpmath.log(1 + z) if name == "log_plus_one" else mpmath.exp(z) - 1


def test_complex_power_of_zero() -> None:
    base, exponent = np.zeros(2, complex), np.array([0, 2.0], complex)
    np.testing.assert_array_equal(elementwise.power(base, exponent), [1, 0])


def test_remainder_of_complex_is_refused() -> None:
    with pytest.raises(errors.UnsupportedError, match="complex"):
        elementwise.remainder(np.ones(1, complex), np.ones(1, complex))


# --- comparing ------------------------------------------------------------------------------------
def test_total_order() -> None:
    ordered = array("f32", -NAN, -INF, -1, -0.0, 0.0, 1, INF, NAN)
    bits = ordered.view(np.uint32)
    bits[0] |= 1 << 31
    lhs, rhs = np.meshgrid(ordered, ordered, indexing="ij")
    less = elementwise.compare(lhs, rhs, ComparisonDirection.LT, ComparisonType.TOTALORDER)
    np.testing.assert_array_equal(less, np.arange(8)[:, None] < np.arange(8)[None])
    equal = elementwise.compare(lhs, rhs, ComparisonDirection.EQ, ComparisonType.TOTALORDER)
    np.testing.assert_array_equal(equal, np.eye(8, dtype=bool))


def test_float_comparison_with_nan() -> None:
    x, y = array("f8E4M3FN", NAN, 1), array("f8E4M3FN", NAN, NAN)
    for direction in ComparisonDirection:
        expected = direction is ComparisonDirection.NE
        assert elementwise.compare(x, y, direction).tolist() == [expected] * 2


def test_complex_comparison_is_lexicographic() -> None:
    lhs, rhs = np.array([1 + 5j, 1 + 2j, 2 + 0j]), np.array([2 + 0j, 1 + 3j, 1 + 9j])
    less = elementwise.compare(lhs, rhs, ComparisonDirection.LT)
    assert less.tolist() == [True, True, False]
    assert elementwise.compare(lhs, rhs, ComparisonDirection.GE).tolist() == [False, False, True]


# --- converting -----------------------------------------------------------------------------------
def convert(x: Array, element: str) -> Array:
    return elementwise.convert(x, result_types=type_of(element, *x.shape))


CONVERSIONS: list[tuple[str, list[Any], str, list[Any]]] = [
    ("f64", [NAN, INF, -INF, 1e20, -1.9, 300.0, -0.0], "i8", [0, 127, -128, 127, -1, 127, 0]),
    ("f64", [NAN, -5.0, 1.9e19, 2.0**63], "ui64", [0, 0, 2**64 - 1, 2**63]),
    ("f64", [2.0**63, -(2.0**63)], "i64", [2**63 - 1, -(2**63)]),
    ("f32", [7.9, 8.0, -8.9, -9.0], "i4", [7, 7, -8, -8]),
    ("i32", [300, -129], "i8", [44, 127]),
    ("i32", [9, -9], "i4", [-7, 7]),
    ("f32", [NAN, 0.5, -0.0], "i1", [True, True, False]),
    ("complex<f32>", [0 + 1j, 1 + 0j], "i1", [False, True]),
    ("complex<f64>", [1.5 + 2j], "f32", [1.5]),
    ("i1", [True, False], "f32", [1.0, 0.0]),
    ("f32", [500.0], "f8E4M3FN", [NAN]),
    ("f32", [-0.0], "f8E4M3FNUZ", [0.0]),
    ("i64", [2**24 + 1, 2**63 - 1], "f32", [2.0**24, 2.0**63]),
]


@pytest.mark.parametrize(("source", "values", "target", "expected"), CONVERSIONS)
def test_convert(source: str, values: list[Any], target: str, expected: list[Any]) -> None:
    same(convert(array(source, *values), target), array(target, *expected))


NARROW = [n for n, e in ELEMENT_TYPES.items() if e.is_float and e.bits <= 16 and n != "f8E8M0FNU"]


@pytest.mark.parametrize("element", NARROW)
def test_doubles_round_once(element: str) -> None:
    """Just beside the middle between two neighbours a second rounding would show."""
    dtype, bits = ELEMENT_TYPES[element].dtype, ELEMENT_TYPES[element].bits
    every = np.arange(1 << bits).astype(f"u{dtype.itemsize}").view(dtype)
    with np.errstate(invalid="ignore"):
        values = every.astype(np.float64)
    numbers = np.unique(values[np.isfinite(values)])
    middles = (numbers[1:] + numbers[:-1]) / 2
    above, below = np.nextafter(middles, INF), np.nextafter(middles, -INF)
    np.testing.assert_array_equal(convert(above, element).astype(np.float64), numbers[1:])
    np.testing.assert_array_equal(convert(below, element).astype(np.float64), numbers[:-1])
    even = convert(middles, element).view(f"u{dtype.itemsize}") & 1
    assert not even.any()


def test_powers_of_two_round_to_the_nearest() -> None:
    """f8E8M0FNU: the larger one where both are as near; the least two are no exception."""
    powers = 2.0 ** np.arange(-127, 128)
    middles = 1.5 * powers
    above, below = np.nextafter(middles, INF), np.nextafter(middles, -INF)
    with np.errstate(over="ignore"):
        larger = np.append(powers[1:], np.nan)  # there is no infinity
    for given, wanted in ((above, larger), (middles, larger), (below, powers)):
        result = convert(given, "f8E8M0FNU").astype(np.float64)
        np.testing.assert_array_equal(result, wanted)
    given = np.array([5e-324, 0.0, -0.0, -1.0, INF, np.nan])
    wanted = [2.0**-127, *[np.nan] * 5]
    np.testing.assert_array_equal(convert(given, "f8E8M0FNU").astype(np.float64), wanted)


def test_the_imaginary_part_of_a_type_without_zero() -> None:
    x = array("f8E8M0FNU", 0.5, 4.0)
    assert np.isnan(elementwise.imag(x).astype(np.float64)).all()


@pytest.mark.parametrize(
    "element", [n for n, e in ELEMENT_TYPES.items() if e.is_float and e.bits == 8]
)
def test_total_order_of_every_code(element: str) -> None:
    """A sign comes before what it is a sign of: -NaN, -inf, ..., -0, 0, ..., inf, NaN."""
    codes = np.arange(256, dtype=np.uint8)
    magnitudes, signs = (codes, codes * 0) if element == "f8E8M0FNU" else (codes & 0x7F, codes >> 7)
    if element.endswith("FNUZ"):  # NaN is what -0 would be
        magnitudes = np.where(codes == 0x80, 0x80, magnitudes)
    place = np.where(signs == 1, -1.0 - magnitudes, magnitudes)
    x = codes.view(ELEMENT_TYPES[element].dtype)
    left, right = x.repeat(256), np.tile(x, 256)
    before = elementwise.compare(left, right, ComparisonDirection.LT, ComparisonType.TOTALORDER)
    np.testing.assert_array_equal(before, place.repeat(256) < np.tile(place, 256))


def test_integers_round_once() -> None:
    half = (1 << 40) + (1 << 32)  # between two bf16 numbers; 1 more is above the middle
    numbers = np.array([half, half + 1, half - 1], np.int64)
    expected = [2.0**40, 2.0**40 + 2.0**33, 2.0**40]
    np.testing.assert_array_equal(convert(numbers, "bf16").astype(np.float64), expected)


def test_sums_of_narrow_floats_round_once() -> None:
    """All pairs of f8E5M2: the exact sum, rounded to the nearest number."""
    every = np.arange(256).astype(np.uint8).view(ml_dtypes.float8_e5m2)
    finite = every[np.isfinite(every.astype(np.float64))]
    lhs, rhs = (x.reshape(-1) for x in np.meshgrid(finite, finite))
    result = elementwise.add(lhs, rhs).astype(np.float64)
    numbers = np.unique(finite.astype(np.float64))
    exact = lhs.astype(np.float64) + rhs.astype(np.float64)
    inside = np.abs(exact) <= numbers[-1]
    distance = np.abs(numbers[None] - exact[inside, None]).min(axis=1)
    np.testing.assert_array_equal(np.abs(result[inside] - exact[inside]), distance)


# --- bits -----------------------------------------------------------------------------------------
def bitcast(x: Array, element: str, *shape: int) -> Array:
    return data_movement.bitcast_convert(x, result_types=type_of(element, *shape))


def test_bitcast_changes_the_last_dimension() -> None:
    words = array("ui32", 0x04030201, 0x08070605)
    same(bitcast(words, "ui8", 2, 4), np.arange(1, 9, dtype=np.uint8).reshape(2, 4))
    same(bitcast(np.arange(1, 9, dtype=np.uint8).reshape(2, 4), "ui32", 2), words)


def test_bitcast_of_less_than_a_byte() -> None:
    nibbles = np.array([[1, -1]], ml_dtypes.int4)
    same(bitcast(nibbles, "ui8", 1), array("ui8", 0xF1))  # the low one first
    same(bitcast(array("ui8", 0xF1), "i4", 1, 2), nibbles)
    bools = np.array([[True, False, False, True, False, False, False, True]])
    same(bitcast(bools, "ui8", 1), array("ui8", 0x89))


def test_bitcast_of_complex_and_empty() -> None:
    z = np.array([1 + 2j, 3 - 4j], np.complex128)
    parts = bitcast(z, "complex<f64>", 2)
    np.testing.assert_array_equal(parts, z)
    assert bitcast(np.zeros((0, 4), np.uint8), "ui32", 0).shape == (0,)


REDUCED: list[tuple[float, int, int, float]] = [
    (6.1e-5, 5, 10, 0.0),
    (-6.1e-5, 5, 10, -0.0),
    (3.0, 8, 0, 2.0),  # the tie between 2 and 4 goes to the even one of their bits
    (1.0, 1, 23, 0.0),
    (2.0, 1, 23, INF),
    (65520.0, 5, 10, INF),
    (1 + 2**-11, 5, 10, 1.0),
    (1e-40, 8, 23, 1e-40),
]


@pytest.mark.parametrize(("x", "exponent_bits", "mantissa_bits", "expected"), REDUCED)
def test_reduce_precision(
    x: float, exponent_bits: int, mantissa_bits: int, expected: float
) -> None:
    result = elementwise.reduce_precision(array("f32", x), exponent_bits, mantissa_bits)
    same(result, array("f32", expected))


# --- data movement --------------------------------------------------------------------------------
def test_broadcast_may_transpose() -> None:
    x = np.array([[1, 2, 3]], np.int64)
    result = data_movement.broadcast_in_dim(x, [2, 1], result_types=type_of("i64", 2, 3, 2))
    same(result, np.broadcast_to(np.array([[1], [2], [3]]), (2, 3, 2)).copy())


PADDINGS = [(0, 0, 0), (2, 1, 1), (-1, 3, 0), (-2, -1, 2), (-3, 0, 1), (1, -4, 3), (-9, 2, 1)]


@pytest.mark.parametrize("size", [0, 1, 4, 7])
@pytest.mark.parametrize(("low", "high", "interior"), PADDINGS)
def test_pad(size: int, low: int, high: int, interior: int) -> None:
    """Elements are spread, then edges are put on or cut off."""
    x = np.arange(1, size + 1)
    spread = [value for i in x for value in (i, *[0] * interior)][
        : max(0, size + (size - 1) * interior)
    ]
    line = [0] * max(low, 0) + spread + [0] * max(high, 0)
    if low + len(spread) + high < 0:
        with pytest.raises(errors.ExecutionError):
            data_movement.pad(x, np.asarray(0), [low], [high], [interior])
        return
    kept = line[max(-low, 0) : len(line) - max(-high, 0)]
    if len(line) < max(-low, 0) + max(-high, 0):
        kept = []
    same(data_movement.pad(x, np.asarray(0), [low], [high], [interior]), np.array(kept, x.dtype))


def test_iota_wraps() -> None:
    result = data_movement.iota(0, result_types=type_of("i4", 20))
    expected = [(i + 8) % 16 - 8 for i in range(20)]
    assert result.astype(int).tolist() == expected


# --- reductions -----------------------------------------------------------------------------------
REDUCE = """
  %r = "stablehlo.reduce"(%x, %init) ({{
  ^bb0(%a: tensor<{e}>, %b: tensor<{e}>):
    {body}
    stablehlo.return %s : tensor<{e}>
  }}) {{dimensions = array<i64: 2, 0>}} : (tensor<3x4x5x{e}>, tensor<{e}>) -> tensor<4x{e}>
  return %r : tensor<4x{e}>"""


def reduced(element: str, body: str, x: Array, init: Any) -> Array:
    signature = f"(%x: tensor<3x4x5x{element}>, %init: tensor<{element}>) -> tensor<4x{element}>"
    result: Array = run(REDUCE.format(e=element, body=body), x, init, signature=signature)
    return result


def test_reductions_by_the_usual_operations() -> None:
    x = np.random.default_rng(0).integers(-9, 9, (3, 4, 5)).astype(np.int32)
    for name, function in (("add", np.add), ("maximum", np.maximum), ("multiply", np.multiply)):
        result = reduced("i32", f"%s = stablehlo.{name} %a, %b : tensor<i32>", x, 2)
        expected = function(function.reduce(x.astype(np.int64), axis=(0, 2)), 2)
        same(result, expected.astype(np.int32))


def test_any_body_meets_elements_in_order() -> None:
    """The second argument wins: what is left is the last element."""
    body = "%z = stablehlo.subtract %a, %a : tensor<i32>\n%s = stablehlo.add %z, %b : tensor<i32>"
    x = np.arange(60, dtype=np.int32).reshape(3, 4, 5)
    same(reduced("i32", body, x, 7), x[2, :, 4])


def test_reduce_sums_exactly_enough() -> None:
    x = np.random.default_rng(1).standard_normal((3, 4, 5)).astype(np.float32) * 1e6
    x[0, :, 0] -= x.sum(axis=(0, 2), dtype=np.float64).astype(np.float32)  # it cancels
    result = reduced("f32", "%s = stablehlo.add %a, %b : tensor<f32>", x, np.float32(0))
    exact = [math.fsum(x[:, j].reshape(-1).tolist()) for j in range(4)]
    same(result, np.array(exact, np.float32))


def test_reduce_of_nothing_and_without_dimensions() -> None:
    add = elementwise.add
    (empty,) = reduction.reduce([np.zeros((0, 3), np.float32)], [np.float32(5)], [0], add)
    same(empty, np.full(3, 5, np.float32))
    (kept,) = reduction.reduce([np.array([1, 2])], [np.asarray(7)], [], add)
    same(kept, np.array([8, 9]))


def test_reduce_extrema_keep_nan_and_zero() -> None:
    body = "%s = stablehlo.maximum %a, %b : tensor<f32>"
    x = np.full((3, 4, 5), -0.0, np.float32)
    x[1, 1, 3], x[2, 2, 2] = 0.0, NAN
    same(reduced("f32", body, x, -INF), array("f32", -0.0, 0.0, NAN, -0.0))


def test_promotion() -> None:
    """The body may accumulate in a wider type than that of the inputs."""
    body = """
      %r = "stablehlo.reduce"(%x, %init) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
      }) {dimensions = array<i64: 0>} : (tensor<3xi8>, tensor<i8>) -> tensor<i32>
      return %r : tensor<i32>"""
    signature = "(%x: tensor<3xi8>, %init: tensor<i8>) -> tensor<i32>"
    same(run(body, [100, 100, 100], 0, signature=signature), np.asarray(300, np.int32))


@pytest.mark.parametrize("seed", range(6))
def test_reduce_window_against_its_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(-9, 9, (5, 6))
    window, strides = rng.integers(1, 4, 2).tolist(), rng.integers(1, 3, 2).tolist()
    base, apart = rng.integers(1, 3, 2).tolist(), rng.integers(1, 3, 2).tolist()
    padding = rng.integers(-1, 3, (2, 2)).tolist()
    (result,) = windows.reduce_window(
        [x], [np.asarray(1)], window, strides, base, apart, padding, body=elementwise.add
    )
    low, high = zip(*padding, strict=True)
    spread = data_movement.pad(x, np.asarray(1), low, high, [step - 1 for step in base])
    expected = np.zeros(result.shape, np.int64)
    for index in np.ndindex(*result.shape):
        cells = [
            spread[
                tuple(
                    i * s + o * a for i, s, o, a in zip(index, strides, offset, apart, strict=True)
                )
            ]
            for offset in np.ndindex(*window)
        ]
        expected[index] = 1 + sum(int(cell) for cell in cells)
    same(result, expected)
    sizes = [
        max(0, (n - (w - 1) * a - 1) // s + 1) if n > 0 else 0
        for n, w, a, s in zip(spread.shape, window, apart, strides, strict=True)
    ]
    assert list(result.shape) == sizes


def test_select_and_scatter_ignores_padding() -> None:
    operand, source = array("f32", -5, -1, -7, -2), array("f32", 10, 20, 30)
    result = windows.select_and_scatter(
        operand,
        source,
        np.float32(0),
        [2],
        [2],
        [(1, 1)],
        select=lambda a, b: elementwise.compare(a, b, ComparisonDirection.GE),
        scatter=elementwise.add,
    )
    # windows: (pad, -5), (-1, -7), (-2, pad)
    same(result, array("f32", 10, 20, 0, 30))


# --- contractions ---------------------------------------------------------------------------------
def test_dot_general_against_einsum() -> None:
    rng = np.random.default_rng(0)
    for dtype in (np.float32, np.float64, np.int8, np.int32, np.uint64, np.complex64):
        lhs = rng.integers(-50, 50, (2, 3, 4, 5)).astype(dtype)
        rhs = rng.integers(-50, 50, (5, 2, 6, 3)).astype(dtype)
        with np.errstate(over="ignore"):
            expected = np.einsum("bmkc,cbnm->bkn", lhs, rhs)
        same_value = contraction.dot_general(lhs, rhs, [0], [1], [1, 3], [3, 0])
        assert same_value.dtype == dtype
        np.testing.assert_array_equal(same_value, expected)


def test_dot_general_edges() -> None:
    empty = contraction.dot_general(np.zeros((2, 0)), np.zeros((0, 3)), (), (), [1], [0])
    same(empty, np.zeros((2, 3)))
    ones = np.full((1, 4), 100, np.int8)
    wide = contraction.dot_general(
        ones, ones.T, (), (), [1], [0], result_types=type_of("i32", 1, 1)
    )
    assert wide.tolist() == [[40000]]
    bools = np.array([[True, True]])
    assert contraction.dot_general(bools, bools.T, (), (), [1], [0]).tolist() == [[True]]
    big = np.array([[2**31 - 1, -(2**31)]], np.int32)
    wrapped = contraction.dot_general(big, big.T, (), (), [1], [0])
    exact = (2**31 - 1) ** 2 + 2**62
    assert int(wrapped[0, 0]) == (exact + 2**31) % 2**32 - 2**31


def _convolution_by_definition(lhs: Array, rhs: Array, **p: Any) -> Array:
    """lhs [n, f, h, w], rhs [o, i, h, w] -> [n, o, h, w], one sum at a time."""
    low, high = zip(*p["padding"], strict=True)
    dilated = [step - 1 for step in p["lhs_dilation"]]
    image = data_movement.pad(lhs, np.asarray(0), (0, 0, *low), (0, 0, *high), (0, 0, *dilated))
    kernel = rhs[
        :, :, :: -1 if p["window_reversal"][0] else 1, :: -1 if p["window_reversal"][1] else 1
    ]
    (sh, sw), (dh, dw) = p["window_strides"], p["rhs_dilation"]
    groups, batches = p["feature_group_count"], p["batch_group_count"]
    n, _, height, width = image.shape
    o, i, kh, kw = kernel.shape
    rows, columns = (height - (kh - 1) * dh - 1) // sh + 1, (width - (kw - 1) * dw - 1) // sw + 1
    result = np.zeros((n // batches, o, max(rows, 0), max(columns, 0)), np.int64)
    for b, c, y, x in np.ndindex(*result.shape):
        image_number = b + c // (o // batches) * (n // batches) if batches > 1 else b
        first = c // (o // groups) * i if groups > 1 else 0
        result[b, c, y, x] = sum(
            int(
                image[image_number, first + k, y * sh + u * dh, x * sw + v * dw]
                * kernel[c, k, u, v]
            )
            for k, u, v in np.ndindex(i, kh, kw)
        )
    return result


@pytest.mark.parametrize("seed", range(8))
def test_convolution_against_its_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    features, batches = [(1, 1), (2, 1), (1, 2)][seed % 3]
    parameters: dict[str, Any] = {
        "window_strides": rng.integers(1, 3, 2).tolist(),
        "padding": rng.integers(-1, 3, (2, 2)).tolist(),
        "lhs_dilation": rng.integers(1, 3, 2).tolist(),
        "rhs_dilation": rng.integers(1, 3, 2).tolist(),
        "window_reversal": rng.integers(0, 2, 2).astype(bool).tolist(),
        "feature_group_count": features,
        "batch_group_count": batches,
    }
    lhs = rng.integers(-9, 9, (4, 4, 5, 6))
    rhs = rng.integers(-9, 9, (6, 4 // features, 2, 3))
    expected = _convolution_by_definition(lhs, rhs, **parameters)
    # the kernel as [h, o, i, w], the result as [w, n, o, h]
    result = convolution.convolution(
        lhs,
        np.transpose(rhs, [2, 0, 1, 3]),
        input_batch_dimension=0,
        input_feature_dimension=1,
        input_spatial_dimensions=[2, 3],
        kernel_input_feature_dimension=2,
        kernel_output_feature_dimension=1,
        kernel_spatial_dimensions=[0, 3],
        output_batch_dimension=1,
        output_feature_dimension=2,
        output_spatial_dimensions=[3, 0],
        **parameters,
    )
    same(result, np.transpose(expected, [3, 0, 1, 2]).copy())


# --- gather, scatter, sort ------------------------------------------------------------------------
def test_starts_are_clamped() -> None:
    x = np.arange(5)
    for start, first in ((-3, 0), (4, 3), (2, 2)):
        result = gather_scatter.dynamic_slice(x, [np.asarray(start)], [2])
        assert result.tolist() == [first, first + 1]
    assert gather_scatter.dynamic_slice(x, [np.uint8(255)], [2]).tolist() == [3, 4]
    updated = gather_scatter.dynamic_update_slice(x, np.array([9]), [np.asarray(7)])
    assert updated.tolist() == [0, 1, 2, 3, 9]


def test_gather_with_batching_dimensions() -> None:
    operand = np.arange(24).reshape(2, 3, 4)
    indices = np.array([[[1], [99]], [[-5], [2]]])  # [batch, n, 1]
    result = gather_scatter.gather(
        operand, indices, [2], [1], [0], [0], [1], 2, slice_sizes=[1, 1, 4]
    )
    same(result, np.stack([operand[0][[1, 2]], operand[1][[0, 2]]]))


def test_gather_clamps_unsigned_indices() -> None:
    result = gather_scatter.gather(
        np.arange(4), np.array([2**64 - 1], np.uint64), [], [0], (), (), [0], 1, slice_sizes=[1]
    )
    assert result.tolist() == [3]


def scatter(operand: Array, indices: Any, updates: Any, body: Any = elementwise.add) -> list[Any]:
    (result,) = gather_scatter.scatter(
        [operand], np.array(indices)[:, None], [np.array(updates)], [1], [], (), (), [0], 1,
        update_computation=body,
    )  # fmt: skip
    found: list[Any] = result.tolist()
    return found


def test_scatter_skips_single_elements() -> None:
    """A window that sticks out writes what lies inside."""
    assert scatter(np.zeros(4, int), [3], [[5, 6]]) == [0, 0, 0, 5]
    assert scatter(np.zeros(4, int), [-1], [[5, 6]]) == [6, 0, 0, 0]


def test_scatter_applies_duplicates_in_turn() -> None:
    result = scatter(np.zeros(3, int), [1, 1, 0, 1], [[1], [2], [3], [4]], lambda old, new: new)
    assert result == [3, 4, 0]
    sums = scatter(np.zeros(3, int), [1] * 1000, [[1]] * 1000)
    assert sums == [0, 1000, 0]


def test_sort_is_stable_and_carries_along() -> None:
    keys = np.random.default_rng(0).integers(0, 5, (3, 50)).astype(np.float32)
    places = np.tile(np.arange(50, dtype=np.int32), (3, 1))
    compare = functools.partial(elementwise.compare, comparison_direction=ComparisonDirection.LT)
    by_key, order = sorting.sort([keys, places], 1, comparator=lambda a, b, *_: compare(a, b))
    same(order, np.argsort(keys, axis=1, kind="stable").astype(np.int32))
    same(by_key, np.sort(keys, axis=1))


def test_sort_along_the_first_dimension_descending() -> None:
    x = np.random.default_rng(1).integers(0, 100, (17, 4))
    (result,) = sorting.sort(
        [x], -2, comparator=lambda a, b: elementwise.compare(a, b, ComparisonDirection.GT)
    )
    same(result, -np.sort(-x, axis=0))


def test_sort_with_nan_ends_and_loses_nothing() -> None:
    rng = np.random.default_rng(2)
    x = rng.standard_normal((40, 33)).astype(np.float32)
    x[rng.random(x.shape) < 0.3] = NAN
    (result,) = sorting.sort(
        [x], 1, comparator=lambda a, b: elementwise.compare(a, b, ComparisonDirection.LT)
    )
    np.testing.assert_array_equal(np.sort(result, axis=1), np.sort(x, axis=1))


def test_sort_with_a_senseless_comparator() -> None:
    for answer in (True, False):
        (result,) = sorting.sort(
            [np.arange(20)], 0, comparator=lambda a, b, answer=answer: np.full(a.shape, answer)
        )
        assert sorted(result.tolist()) == list(range(20))


# --- random numbers -------------------------------------------------------------------------------
# Known answers of the generators' authors (Random123): key, counter -> block
def test_threefry_known_answers() -> None:
    cases = [
        ((0, 0), 0, (0x6B200159, 0x99BA4EFE)),
        ((0xFFFFFFFF, 0xFFFFFFFF), 2**64 - 1, (0x1CB996FC, 0xBB002BE7)),
        ((0x13198A2E, 0x03707344), 0x85A308D3_243F6A88, (0xC4923A9C, 0x483DF7A0)),
    ]
    for key, counter, expected in cases:
        with np.errstate(over="ignore"):
            words = random.threefry_blocks(
                (np.uint32(key[0]), np.uint32(key[1])), np.array([counter], np.uint64)
            )
        assert tuple(int(word[0]) for word in words) == expected


def test_philox_known_answers() -> None:
    cases = [
        ((0, 0), 0, 0, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        (
            (0xFFFFFFFF, 0xFFFFFFFF), 2**64 - 1, 2**64 - 1,
            (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD),
        ),
        (
            (0xA4093822, 0x299F31D0), 0x85A308D3_243F6A88, 0x03707344_13198A2E,
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ]  # fmt: skip
    for key, low, high, expected in cases:
        with np.errstate(over="ignore"):
            words = random.philox_blocks(
                (np.uint32(key[0]), np.uint32(key[1])),
                np.array([low], np.uint64),
                np.array([high], np.uint64),
            )
        assert tuple(int(word[0]) for word in words) == expected


# What XLA:CPU gives: algorithm, state, type of the output, new state, output
GENERATED = [
    ("THREE_FRY", [1, 2], "3xui32", [1, 4], [43444564, 2150618427, 3979645651]),
    ("THREE_FRY", [1, 2], "2x2xui32", [1, 4], [[43444564, 3979645651], [2150618427, 3745730563]]),
    ("PHILOX", [1, 2], "3xui32", [1, 3], [2100602697, 2847456232, 2074354647]),
    ("PHILOX", [1, 2, 7], "3xui32", [1, 3, 7], [756341956, 991452170, 717610872]),
    ("PHILOX", [1, 2, 7], "3xui8", [1, 3, 7], [196, 10, 120]),
    (
        "DEFAULT", [1, 2], "2x2xui64", [1, 4],
        [[12229731395331991369, 3437131457114678231], [13465615291114923006, 9328616520744100567]],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("algorithm", "state", "type", "new", "output"), GENERATED)
def test_rng_bit_generator(
    algorithm: str, state: list[int], type: str, new: list[int], output: Any
) -> None:
    held = f"tensor<{len(state)}xui64>"
    body = f"""
      %0:2 = stablehlo.rng_bit_generator %s, algorithm = {algorithm} :
        ({held}) -> ({held}, tensor<{type}>)
      return %0#0, %0#1 : {held}, tensor<{type}>"""
    signature = f"(%s: {held}) -> ({held}, tensor<{type}>)"
    after, bits = run(body, np.array(state, np.uint64), signature=signature)
    assert after.tolist() == new
    assert bits.tolist() == output


# --- transforms and matrices ----------------------------------------------------------------------
def test_fft_against_numpy() -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, 3, 5, 7))
    z = x + 1j * rng.standard_normal(x.shape)
    axes = (1, 2, 3)
    forward = signal.fft(z, FftType.FFT, x.shape[1:], result_types=type_of("complex<f64>"))
    np.testing.assert_allclose(forward, np.fft.fftn(z, axes=axes), atol=1e-12)
    back = signal.fft(forward, FftType.IFFT, x.shape[1:], result_types=type_of("complex<f64>"))
    np.testing.assert_allclose(back, z, atol=1e-12)
    half = signal.fft(x, FftType.RFFT, x.shape[1:], result_types=type_of("complex<f64>"))
    np.testing.assert_allclose(half, np.fft.rfftn(x, axes=axes), atol=1e-12)
    real = signal.fft(half, FftType.IRFFT, x.shape[1:], result_types=type_of("f64"))
    np.testing.assert_allclose(real, x, atol=1e-12)


def test_cholesky() -> None:
    rng = np.random.default_rng(0)
    m = rng.standard_normal((3, 4, 4)) + 1j * rng.standard_normal((3, 4, 4))
    a = m @ np.conj(np.swapaxes(m, 1, 2)) + np.eye(4)
    expected = np.linalg.cholesky(a)
    np.testing.assert_allclose(linear_algebra.cholesky(a, True), expected, atol=1e-12)
    upper = np.conj(np.swapaxes(expected, 1, 2))
    spoiled = np.where(np.tri(4, k=-1) > 0, NAN, a)  # the lower triangle is not read
    np.testing.assert_allclose(linear_algebra.cholesky(spoiled, False), upper, atol=1e-12)
    broken = linear_algebra.cholesky(np.stack([-np.eye(2), np.eye(2)]), True)
    assert np.isnan(broken[0]).all()
    np.testing.assert_array_equal(broken[1], np.eye(2))


@pytest.mark.parametrize("left_side", [True, False])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("unit_diagonal", [True, False])
@pytest.mark.parametrize("transpose", list(Transpose))
def test_triangular_solve(
    left_side: bool, lower: bool, unit_diagonal: bool, transpose: Transpose
) -> None:
    rng = np.random.default_rng(0)
    full = rng.standard_normal((2, 4, 4)) + 1j * rng.standard_normal((2, 4, 4)) + 4 * np.eye(4)
    used = np.tril(full) if lower else np.triu(full)
    if unit_diagonal:
        used = used * (1 - np.eye(4)) + np.eye(4)
    b = rng.standard_normal((2, 4, 3) if left_side else (2, 3, 4)) + 0j
    outside = np.tri(4, k=-1).T if lower else np.tri(4, k=-1)
    spoiled = np.where((outside > 0) | (unit_diagonal & (np.eye(4) > 0)), NAN, full)
    x = linear_algebra.triangular_solve(spoiled, b, left_side, lower, unit_diagonal, transpose)
    matrix = {
        Transpose.NO_TRANSPOSE: used,
        Transpose.TRANSPOSE: np.swapaxes(used, 1, 2),
        Transpose.ADJOINT: np.conj(np.swapaxes(used, 1, 2)),
    }[transpose]
    np.testing.assert_allclose(matrix @ x if left_side else x @ matrix, b, atol=1e-10)


# --- programs -------------------------------------------------------------------------------------
def test_long_programs_and_chains_of_calls() -> None:
    steps = "\n".join(f"%{i + 1} = stablehlo.add %{i}, %{i} : tensor<i32>" for i in range(3000))
    signature = "(%0: tensor<i32>) -> tensor<i32>"
    assert (
        run(f"{steps}\nreturn %3000 : tensor<i32>", 1, signature=signature) == 0
    )  # 2^3000 wraps to 0
    calls = "\n".join(
        f"func.func private @f{i}(%x: tensor<i32>) -> tensor<i32> {{ "
        f"%0 = call @f{i + 1}(%x) : (tensor<i32>) -> tensor<i32> return %0 : tensor<i32> }}"
        for i in range(3000)
    )
    last = "func.func private @f3000(%x: tensor<i32>) -> tensor<i32> { return %x : tensor<i32> }"
    assert reference.interpret(f"{calls}\n{last}", 7, function="f0") == 7


def test_recursion_is_refused() -> None:
    text = """
      func.func @main(%x: tensor<f32>) -> tensor<f32> {
        %0 = call @g(%x) : (tensor<f32>) -> tensor<f32>
        return %0 : tensor<f32> }
      func.func private @g(%x: tensor<f32>) -> tensor<f32> {
        %0 = call @main(%x) : (tensor<f32>) -> tensor<f32>
        return %0 : tensor<f32> }"""
    with pytest.raises(errors.UnsupportedError, match="calls itself"):
        reference.compile(text)


ENDLESS = """
  %t = stablehlo.constant dense<true> : tensor<i1>
  %r = stablehlo.while(%i = %x) : tensor<i32> cond { stablehlo.return %t : tensor<i1> }
    do { %n = stablehlo.add %i, %i : tensor<i32> stablehlo.return %n : tensor<i32> }
  return %r : tensor<i32>"""


def test_timeout() -> None:
    with pytest.raises(errors.ExecutionTimeout):
        run(ENDLESS, 1, signature="(%x: tensor<i32>) -> tensor<i32>", timeout=0.05)


def test_unknown_ops_are_errors_with_their_place() -> None:
    body = "%0 = math.fma %x, %x, %x : tensor<2xf32>\nreturn %0 : tensor<2xf32>"
    program = f"func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{\n{body}\n}}"
    with pytest.raises(errors.UnsupportedError, match=r"math\.fma .*tensor<2xf32>") as caught:
        reference.interpret(program, np.ones(2, np.float32))
    place = caught.value.diagnostics[0].place
    assert place is not None
    assert place.line == 2


def test_arguments_are_not_changed_and_results_are_new() -> None:
    x = np.arange(4, dtype=np.float32)
    signature = "(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)"
    first, second = run("return %x, %x : tensor<4xf32>, tensor<4xf32>", x, signature=signature)
    first[0] = 9
    assert x[0] == 0
    assert second[0] == 0


def test_arguments_that_do_not_fit() -> None:
    program = reference.compile("func.func @main(%x: tensor<2xf32>) { return }")
    with pytest.raises(errors.ArgumentError, match="cast=True"):
        program(np.zeros(2))
    with pytest.raises(errors.ArgumentError, match="shape"):
        program(np.zeros(3, np.float32))
    with pytest.raises(errors.ArgumentError, match="takes 1"):
        program()
    assert program(np.zeros(2), cast=True) == ()


def test_observer_sees_every_step() -> None:
    seen = []

    def observe(step: Any, operands: Any, results: Any) -> None:
        seen.append((step.name, results))

    body = "%0 = stablehlo.sqrt %x : tensor<f32>\nreturn %0 : tensor<f32>"
    run(body, 4.0, signature="(%x: tensor<f32>) -> tensor<f32>", observe=observe)
    assert seen == [("stablehlo.sqrt", [np.float32(2)])]


def test_custom_call_is_found_when_it_runs() -> None:
    text = """
      func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
        %0 = stablehlo.custom_call @unheard_of(%x) {backend_config = {factor = 3 : i64},
          api_version = 4 : i32} : (tensor<2xf32>) -> tensor<2xf32>
        return %0 : tensor<2xf32> }"""
    program = reference.compile(text)
    with pytest.raises(errors.UnsupportedError, match="unheard_of"):
        program(np.ones(2, np.float32))

    def scaled(x: Array, *, attributes: dict[str, Any]) -> Array:
        return x * np.float32(attributes["factor"])

    found = reference.compile(text, custom_calls={"unheard_of": scaled})
    same(found(np.ones(2, np.float32)), array("f32", 3, 3))


# --- sizes known at run time ----------------------------------------------------------------------
def test_sizes_are_checked() -> None:
    add = "%0 = stablehlo.add %x, %y : tensor<?xf32>\nreturn %0 : tensor<?xf32>"
    signature = "(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32>"
    two, three, one = (np.ones(n, np.float32) for n in (2, 3, 1))
    same(run(add, two, two, signature=signature), two + two)
    for other in (three, one):  # nothing stretches
        with pytest.raises(errors.ExecutionError, match=r"stablehlo\.add"):
            run(add, two, other, signature=signature)
    body = "%0 = stablehlo.abs %x : (tensor<?xf32>) -> tensor<2xf32>\nreturn %0 : tensor<2xf32>"
    with pytest.raises(errors.ExecutionError, match=r"stablehlo\.abs"):
        run(body, three, signature="(%x: tensor<?xf32>) -> tensor<2xf32>")


def test_dynamic_ops_refuse_what_does_not_fit() -> None:
    body = """
      %0 = stablehlo.dynamic_reshape %x, %s :
        (tensor<6xf32>, tensor<2xi32>) -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>"""
    signature = "(%x: tensor<6xf32>, %s: tensor<2xi32>) -> tensor<?x?xf32>"
    x = np.arange(6, dtype=np.float32)
    same(run(body, x, [2, 3], signature=signature), x.reshape(2, 3))
    for shape in ([-1, 3], [2, 2]):
        with pytest.raises(errors.ExecutionError):
            run(body, x, shape, signature=signature)


def test_set_and_get_dimension_size() -> None:
    body = """
      %0 = stablehlo.set_dimension_size %x, %n, dim = 0 :
        (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
      %1 = stablehlo.get_dimension_size %0, dim = 0 :
        (tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<i32>
      return %1 : tensor<i32>"""
    signature = "(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<i32>"
    x = np.zeros(4, np.float32)
    assert run(body, x, 3, signature=signature) == 3
    with pytest.raises(errors.ExecutionError):
        run(body, x, 5, signature=signature)


# --- quantized tensors ----------------------------------------------------------------------------
PER_TENSOR = "!quant.uniform<i8:f32, 0.5:3>"


def test_quantize_clamps_then_rounds_to_even() -> None:
    body = """
      %q = stablehlo.uniform_quantize %x : (tensor<6xf32>) -> tensor<6x!quant.uniform<i8:f32, 1.0>>
      %b = stablehlo.bitcast_convert %q : (tensor<6x!quant.uniform<i8:f32, 1.0>>) -> tensor<6xi8>
      return %b : tensor<6xi8>"""
    x = array("f32", 0.5, 1.5, 2.5, -0.5, 1e9, -1e9)
    result = run(body, x, signature="(%x: tensor<6xf32>) -> tensor<6xi8>")
    assert result.tolist() == [0, 2, 2, 0, 127, -128]


def test_quantized_arithmetic_and_movement() -> None:
    type = f"tensor<2x{PER_TENSOR}>"
    body = f"""
      %s = stablehlo.add %x, %y : {type}
      %r = stablehlo.reverse %s, dims = [0] : {type}
      %f = stablehlo.uniform_dequantize %r : ({type}) -> tensor<2xf32>
      return %f, %r : tensor<2xf32>, {type}"""
    signature = f"(%x: {type}, %y: {type}) -> (tensor<2xf32>, {type})"
    numbers, integers = run(body, [5, 127], [7, -128], signature=signature)
    # (5 - 3 + 7 - 3) / 2 and (124 - 131) / 2, reversed
    assert numbers.tolist() == [-3.5, 3.0]
    assert integers.tolist() == [-4, 9]


def test_quantized_reduction() -> None:
    body = f"""
      %r = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0] :
        (tensor<3x{PER_TENSOR}>, tensor<{PER_TENSOR}>) -> tensor<{PER_TENSOR}>
      return %r : tensor<{PER_TENSOR}>"""
    signature = f"(%x: tensor<3x{PER_TENSOR}>, %i: tensor<{PER_TENSOR}>) -> tensor<{PER_TENSOR}>"
    assert run(body, [4, 5, 6], 3, signature=signature) == 3 + 1 + 2 + 3


def test_hybrid_dot_with_scales_per_axis() -> None:
    kernel = "tensor<2x2x!quant.uniform<i8:f32:1, {0.5,2.0}>>"
    body = f"""
      %r = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] :
        (tensor<1x2xf32>, {kernel}) -> tensor<1x2xf32>
      return %r : tensor<1x2xf32>"""
    signature = f"(%x: tensor<1x2xf32>, %w: {kernel}) -> tensor<1x2xf32>"
    x, w = array("f32", 1, 10).reshape(1, 2), [[3, 4], [-128, 1]]
    expected = x @ np.array([[1.5, 8.0], [-64.0, 2.0]], np.float32)
    same(run(body, x, w, signature=signature), expected)


def test_dequantize_does_not_wrap() -> None:
    type = quantization.quantized_element("tensor<1x!quant.uniform<i8:f32, 1.0:-128>>")
    numbers = quantization.dequantize(quantization.QuantizedArray(array("i8", 127), type))
    assert numbers.tolist() == [255.0]


# --- grids ----------------------------------------------------------------------------------------
def test_the_four_strategies() -> None:
    """The specification's worked examples."""
    assert grid.cross_replica([[0, 1], [2, 3]], 4, 2) == [
        [(0, 0), (1, 0)], [(0, 1), (1, 1)], [(2, 0), (3, 0)], [(2, 1), (3, 1)],
    ]  # fmt: skip
    assert grid.cross_partition([[0, 1]], 4, 2) == [
        [(0, 0), (0, 1)], [(1, 0), (1, 1)], [(2, 0), (2, 1)], [(3, 0), (3, 1)],
    ]  # fmt: skip
    assert grid.cross_replica_and_partition([[0, 1], [2, 3]], 4, 2) == [
        [(0, 0), (1, 0), (0, 1), (1, 1)], [(2, 0), (3, 0), (2, 1), (3, 1)],
    ]  # fmt: skip
    assert grid.flattened_ids([[0, 1, 2, 3], [4, 5, 6, 7]], 4, 2) == [
        [(0, 0), (0, 1), (1, 0), (1, 1)], [(2, 0), (2, 1), (3, 0), (3, 1)],
    ]  # fmt: skip


def test_groups_by_channel() -> None:
    groups = [[0, 1]]
    assert grid.groups_of(groups, 2, 2) == grid.cross_replica(groups, 2, 2)
    both = grid.groups_of(groups, 2, 2, channel_id=1)
    assert both == grid.cross_replica_and_partition(groups, 2, 2)
    flat = grid.groups_of([[3, 0], [1, -1]], 2, 2, channel_id=1, use_global_device_ids=True)
    assert flat == [[(1, 1), (0, 0)], [(0, 1)]]
    with pytest.raises(errors.ShloError, match="channel_id"):
        grid.groups_of(groups, 2, 2, use_global_device_ids=True)
    with pytest.raises(errors.ShloError, match="replica 5"):
        grid.cross_replica([[5]], 2, 1)
    assert grid.one_way_groups(groups, 2, 2, channel_id=1) == grid.cross_partition(groups, 2, 2)


def on_grid(body: str, arguments: Any, signature: str, **options: Any) -> Any:
    text = f"func.func @main{signature} {{\n{body}\n}}"
    return reference.interpret_grid(text, arguments, timeout=30, **options)


def test_the_order_of_a_group_is_the_order_of_its_values() -> None:
    body = """
      %r = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64,
        replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<1xi32>) -> tensor<2xi32>
      return %r : tensor<2xi32>"""
    results = on_grid(body, [[[[10]]], [[[20]]]], "(%x: tensor<1xi32>) -> tensor<2xi32>")
    assert results[0, 0].tolist() == results[1, 0].tolist() == [20, 10]


REDUCE_TO_ONE = """
  %r = "stablehlo.collective_reduce"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<1xi32>) -> tensor<1xi32>
  return %r : tensor<1xi32>"""


def test_collective_reduce_gives_to_the_first() -> None:
    results = on_grid(REDUCE_TO_ONE, [[[[10]]], [[[20]]]], "(%x: tensor<1xi32>) -> tensor<1xi32>")
    assert [results[0, 0].tolist(), results[1, 0].tolist()] == [[0], [30]]


def test_collective_reduce_of_quantized_numbers() -> None:
    """(10 - 3) / 2 + (20 - 3) / 2 is 12, held as 27; who is no root gets 0, held as 3."""
    held = "!quant.uniform<i8:f32, 0.5:3>"
    body = REDUCE_TO_ONE.replace("<i32>", f"<{held}>").replace("xi32>", f"x{held}>")
    signature = f"(%x: tensor<1x{held}>) -> tensor<1x{held}>"
    given = [[[np.array([10], np.int8)]], [[np.array([20], np.int8)]]]
    results = on_grid(body, given, signature)
    assert [results[0, 0].tolist(), results[1, 0].tolist()] == [[3], [27]]


def test_partitions_permute_on_a_channel() -> None:
    body = """
      %r = "stablehlo.collective_permute"(%x) {
        source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>,
        channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>
      } : (tensor<ui32>) -> tensor<ui32>
      return %r : tensor<ui32>"""
    signature = "(%x: tensor<ui32>) -> tensor<ui32>"
    results = on_grid(body, [[[1], [2]], [[3], [4]]], signature)
    assert [int(results[id]) for id in ((0, 0), (0, 1), (1, 0), (1, 1))] == [2, 1, 4, 3]


def test_one_process_alone() -> None:
    """In a grid of one every collective gives what went in."""
    body = """
      %r = "stablehlo.all_reduce"(%x) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
      }) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<i32>) -> tensor<i32>
      return %r : tensor<i32>"""
    assert run(body, 5, signature="(%x: tensor<i32>) -> tensor<i32>") == 5


def test_many_collectives_in_a_row() -> None:
    """A process that has not woken up yet is not taken for one that waits."""
    step = """
      %{n} = "stablehlo.all_to_all"(%{p}) {{split_dimension = 0 : i64, concat_dimension = 0 : i64,
        split_count = 4 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>
      }} : (tensor<4xi32>) -> tensor<4xi32>"""
    steps = "".join(step.format(n=n, p=n - 1) for n in range(1, 101))
    body = f"{steps}\nreturn %100 : tensor<4xi32>"
    rows = [[[[4 * r, 4 * r + 1, 4 * r + 2, 4 * r + 3]]] for r in range(4)]
    results = on_grid(body, rows, "(%0: tensor<4xi32>) -> tensor<4xi32>")
    # each exchange transposes the 4x4 matrix of values; a hundred leave it as it was
    assert [results[r, 0].tolist() for r in range(4)] == [row[0][0] for row in rows]


def test_a_missing_participant_is_an_error() -> None:
    body = f"""
      %0 = stablehlo.replica_id : tensor<ui32>
      %z = stablehlo.constant dense<0> : tensor<ui32>
      %first = stablehlo.compare EQ, %0, %z : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      %q = "stablehlo.if"(%first) ({{
        {
        REDUCE_TO_ONE.replace(
            "return %r : tensor<1xi32>", "stablehlo.return %r : tensor<1xi32>", 1
        ).replace("stablehlo.stablehlo.return", "stablehlo.return")
    }
      }}, {{ stablehlo.return %x : tensor<1xi32> }}) : (tensor<i1>) -> tensor<1xi32>
      return %q : tensor<1xi32>"""
    threads = threading.active_count()
    with pytest.raises(errors.ExecutionError, match=r"deadlock.*\(0, 0\).*collective_reduce"):
        on_grid(body, [[[[1]]], [[[2]]]], "(%x: tensor<1xi32>) -> tensor<1xi32>")
    assert threading.active_count() == threads


def test_the_host_feeds_and_is_fed() -> None:
    body = """
      %t = stablehlo.after_all : !stablehlo.token
      %r:2 = "stablehlo.recv"(%t) {is_host_transfer = true,
        channel_handle = #stablehlo.channel_handle<handle = 7, type = 3>
      } : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
      %s = "stablehlo.send"(%r#0, %r#1) {is_host_transfer = true,
        channel_handle = #stablehlo.channel_handle<handle = 8, type = 2>
      } : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
      %o = "stablehlo.outfeed"(%r#0, %s) {outfeed_config = ""}
        : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
      return"""
    given = {(0, 0): {7: [(np.asarray(42, np.int32),)]}}
    results = on_grid(body, [[[]]], "()", host=given)
    process = results.processes[0]
    assert process.to_host[8] == [(np.int32(42),)]
    assert process.outfeed == [(np.int32(42),)]
    with pytest.raises(errors.ExecutionError, match="host sends nothing"):
        on_grid(body, [[[]]], "()")


# --- deprecated ops -------------------------------------------------------------------------------
def test_einsum_with_repeated_and_summed_indices() -> None:
    x = np.arange(18).reshape(2, 3, 3)
    y = np.arange(6).reshape(2, 3)
    result = deprecated.einsum(x, y, "bii,bi->b", result_types=type_of("i64", 2))
    same(result, np.array([sum(int(x[b, i, i] * y[b, i]) for i in range(3)) for b in range(2)]))
    total = deprecated.unary_einsum(y, "bi->i", result_types=type_of("i64", 3))
    same(total, y.sum(axis=0))


def test_torch_index_select_clamps() -> None:
    x = np.arange(24).reshape(2, 3, 4)
    index = np.array([[0, 9], [-1, 1]])
    result = deprecated.torch_index_select(x, index, 1, 1)
    same(result, np.stack([x[0][[0, 2]], x[1][[0, 1]]]))


# --- CHLO -----------------------------------------------------------------------------------------
SPECIAL: list[tuple[str, Any, list[float]]] = [
    ("digamma", mpmath.digamma, [0.1, 1.5, 3.5, 1e5, -0.5, -3.7, 1e-8]),
    ("erf", mpmath.erf, [-3, 1e-10, 0.5, 2.5]),
    ("erf_inv", mpmath.erfinv, [-0.999999, 1e-12, 0.3, 0.9, 0.5]),
    ("erfc", mpmath.erfc, [-3, 1e-10, 5.0, 20.0]),
    ("lgamma", lambda x: mpmath.log(abs(mpmath.gamma(x))), [0.1, 3.5, 1e5, -0.5, 1e-8]),
    ("bessel_i1e", lambda x: mpmath.besseli(1, x) * mpmath.exp(-abs(x)), [-2, 0.1, 29, 31, 700]),
    ("acosh", mpmath.acosh, [1.0000001, 5]),
    ("asinh", mpmath.asinh, [-1e-9, 3]),
    ("atanh", mpmath.atanh, [0.999, -1e-9]),
    ("sinh", mpmath.sinh, [1e-9, -3]),
]


@pytest.mark.parametrize(("name", "exact", "operands"), SPECIAL)
def test_special_function(name: str, exact: Any, operands: list[float]) -> None:
    result = getattr(functions, name)(np.array(operands))
    with mpmath.workdps(40):
        expected = [float(exact(mpmath.mpf(x))) for x in operands]
    np.testing.assert_allclose(result, expected, rtol=2e-15)


def test_bessel_i1e_is_odd() -> None:
    """Down to its zeros: at 0, and at infinity, where it ends."""
    result = functions.bessel_i1e(np.array([0.0, -0.0, INF, -INF, NAN, 2.0, -2.0]))
    same(result[:4], np.array([0.0, -0.0, 0.0, -0.0]))
    assert np.isnan(result[4]) and result[5] == -result[6] > 0


def test_zeta_and_polygamma() -> None:
    x, q = np.array([1.1, 2, 5, 30, 2, 3]), np.array([0.5, 1, 100, 2, -2.5, -0.25])
    with mpmath.workdps(40):
        expected = [
            float(mpmath.zeta(mpmath.mpf(a), mpmath.mpf(b))) for a, b in zip(x, q, strict=True)
        ]
        derivatives = [float(mpmath.polygamma(n, 2.5)) for n in range(5)]
    np.testing.assert_allclose(functions.zeta(x, q), expected, rtol=1e-14)
    orders = np.arange(5.0)
    np.testing.assert_allclose(
        functions.polygamma(orders, np.full(5, 2.5)), derivatives, rtol=1e-14
    )
    edges = functions.zeta(np.array([1.0, 0.5, 2, 3]), np.array([2.0, 1, -1, -1]))
    np.testing.assert_array_equal(edges, [INF, NAN, INF, NAN])


def test_special_functions_at_their_poles() -> None:
    poles = array("f32", 0.0, -3.0)
    assert np.isnan(functions.digamma(poles)).all()
    assert (functions.lgamma(poles) == INF).all()
    ends = functions.erf_inv(array("f32", -1, 1, 2, -0.0))
    same(ends, array("f32", -INF, INF, NAN, -0.0))


@pytest.mark.parametrize("element", ["i8", "ui8", "i64", "ui64", "i4"])
def test_mulhi(element: str) -> None:
    bits = ELEMENT_TYPES[element].bits
    low = -(1 << (bits - 1)) if element[0] == "i" else 0
    values = [low, low + (1 << bits) - 1, 3, low + 5]
    result = functions.mulhi(array(element, *values), array(element, *reversed(values)))
    expected = [(a * b) >> bits for a, b in zip(values, reversed(values), strict=True)]
    assert result.astype(object).astype(int).tolist() == expected


def test_next_after_is_the_neighbour() -> None:
    x = array("bf16", 1.0, 0.0, 3.0)
    result = functions.next_after(x, array("bf16", 2.0, -1.0, 3.0)).astype(np.float64)
    tiny = Fraction(1, 2**133)
    assert result.tolist() == [1 + 2**-7, -float(tiny), 3.0]


def test_top_k_in_total_order() -> None:
    values, places = along_dimensions.top_k(array("f32", 0.0, NAN, 2, -0.0, INF, 2), 6)
    same(values, array("f32", NAN, INF, 2, 2, 0.0, -0.0))
    assert places.tolist() == [1, 4, 2, 5, 0, 3]


def test_scan_backwards() -> None:
    def body(x: Array, total: Array) -> tuple[Array, Array]:
        return total, total + x

    outputs, last = along_dimensions.scan(
        [np.array([1, 2, 3])], [np.asarray(10)], 0, body=body, is_reverse=True,
        result_types=type_of("i64", 3),
    )  # fmt: skip
    assert outputs.tolist() == [15, 13, 10]
    assert last == 16


def test_ragged_dot_of_rows() -> None:
    lhs, rhs = np.arange(10.0).reshape(5, 2), np.arange(12.0).reshape(2, 2, 3)
    result = along_dimensions.ragged_dot(
        lhs, rhs, np.array([2, 1]), (), (), [1], [1], [0], [0], result_types=type_of("f64", 5, 3)
    )
    expected = np.zeros((5, 3))
    expected[:2], expected[2:3] = lhs[:2] @ rhs[0], lhs[2:3] @ rhs[1]
    same(result, expected)


def test_broadcasting_forms_stretch() -> None:
    body = """
      %0 = chlo.broadcast_add %x, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>"""
    signature = "(%x: tensor<2x1xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32>"
    x, y = array("f32", 10, 20).reshape(2, 1), array("f32", 1, 2, 3)
    same(run(body, x, y, signature=signature), x + y)
