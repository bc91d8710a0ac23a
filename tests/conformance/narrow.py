"""Floats of 8 bits and less, worked out from their lists of values.

Which number is nearest is decided by comparing with the points half-way between neighbours. Those
are exact in f64, so that no rounding comes between; ml_dtypes only says what each code means.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import cache
from typing import Any

import numpy as np
from cases._types import dtype_of, finfo

from shlo_tools.dtypes import ELEMENT_TYPES

Array = np.ndarray[Any, Any]

WITH_INFINITY = ("f8E3M4", "f8E4M3", "f8E5M2")
WITH_NAN_ONLY = ("f8E4M3FN", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E5M2FNUZ")
FINITE = ("f6E2M3FN", "f6E3M2FN", "f4E2M1FN")
POWERS = "f8E8M0FNU"  # neither sign nor zero
NARROW = (*WITH_INFINITY, *WITH_NAN_ONLY, *FINITE, POWERS)


@cache
def every(element: str) -> Array:
    """All codes of a type, in order."""
    return np.arange(1 << ELEMENT_TYPES[element].bits, dtype=np.uint8).view(dtype_of(element))


@cache
def pairs(element: str) -> tuple[Array, Array]:
    """Every code with every code."""
    codes = every(element)
    left, right = np.meshgrid(codes.view(np.uint8), codes.view(np.uint8), indexing="ij")
    return left.reshape(-1).view(codes.dtype), right.reshape(-1).view(codes.dtype)


def wide(array: Array) -> Array:
    """The numbers in f64, which holds all of them."""
    with np.errstate(invalid="ignore"):  # ml_dtypes meets signalling NaNs
        return np.asarray(array.astype(np.float64))


@cache
def magnitudes(element: str) -> Array:
    """Finite numbers without a sign, in the order of their codes."""
    codes = every(element)
    half = codes if element == POWERS else codes[: len(codes) // 2]
    values = wide(half)
    return values[np.isfinite(values)]


@cache
def halfway(element: str) -> Array:
    """What lies in the middle of each number and the next one; the last ends the range."""
    values = magnitudes(element)  # were there another number, it would be as far as the last two
    step = values[-1] if element == POWERS else values[-1] - values[-2]
    return values + np.diff(values, append=values[-1] + step) / 2


def largest(element: str) -> float:
    return float(finfo(dtype_of(element)).max)


def rounded(values: Any, element: str) -> Array:
    """The nearest numbers: on a tie the one of even code, of powers of two the larger one.

    Args:
        values: f64 (or what is exact in it), or a list of Python integers.
    """
    if isinstance(values, list):
        return _codes([_code(value < 0, abs(value), element) for value in values], element)
    inputs = np.asarray(values, np.float64)
    codes = [
        _code(bool(negative), float(magnitude), element)
        for negative, magnitude in zip(np.signbit(inputs).flat, np.abs(inputs).flat, strict=True)
    ]
    return _codes(codes, element).reshape(inputs.shape)


def _codes(codes: list[int], element: str) -> Array:
    return np.array(codes, np.uint8).view(dtype_of(element))


def _code(negative: bool, magnitude: float, element: str) -> int:
    if element == POWERS:
        return _power_code(negative, magnitude)
    sign = 1 << (ELEMENT_TYPES[element].bits - 1)
    bounds = _halfway_list(element)
    if math.isnan(magnitude):
        return sign if element in FINITE else _nan(element)  # -0, as in ml_dtypes and XLA
    code = bisect_left(bounds, magnitude)  # bounds[code - 1] < magnitude <= bounds[code]
    if code < len(bounds) and bounds[code] == magnitude and code % 2:
        code += 1
    if code >= len(bounds):
        if element in WITH_NAN_ONLY:
            return _nan(element)
        code = len(bounds) - (element in FINITE)  # infinity, or the largest number
    if code == 0 and element.endswith("FNUZ"):
        return 0
    return code | (sign if negative else 0)


def _power_code(negative: bool, magnitude: float) -> int:
    bounds = _halfway_list(POWERS)
    if not magnitude > 0 or negative or magnitude >= bounds[-1]:
        return 0xFF
    code = bisect_left(bounds, magnitude)
    return code + (bounds[code] == magnitude)


@cache
def _halfway_list(element: str) -> list[float]:
    return [float(bound) for bound in halfway(element)]


def _nan(element: str) -> int:
    return int(np.argmax(np.isnan(wide(every(element)))))
