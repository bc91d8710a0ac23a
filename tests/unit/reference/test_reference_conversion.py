"""Conversions and bits in the reference: one rounding, to and from every type."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from reference_arrays import INF, NAN, Array, array, same, type_of

from shlo_tools.dtypes import ELEMENT_TYPES
from shlo_tools.ops.elementwise import ComparisonDirection, ComparisonType
from shlo_tools.reference import conversion, elementwise


# --- converting -----------------------------------------------------------------------------------
def convert(x: Array, element: str) -> Array:
    return conversion.convert(x, result_types=type_of(element, *x.shape))


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
    for inputs, expected in ((above, larger), (middles, larger), (below, powers)):
        result = convert(inputs, "f8E8M0FNU").astype(np.float64)
        np.testing.assert_array_equal(result, expected)
    inputs = np.array([5e-324, 0.0, -0.0, -1.0, INF, np.nan])
    expected = [2.0**-127, *[np.nan] * 5]
    np.testing.assert_array_equal(convert(inputs, "f8E8M0FNU").astype(np.float64), expected)


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
    return conversion.bitcast_convert(x, result_types=type_of(element, *shape))


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
    result = conversion.reduce_precision(array("f32", x), exponent_bits, mantissa_bits)
    same(result, array("f32", expected))
