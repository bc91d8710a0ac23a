"""Comparing results with what was expected of them, and saying how far they are off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from shlo_tools.dtypes import Array, ElementType, Kind, from_dtype
from shlo_tools.errors import ShloError

# Relative and absolute tolerance by element type, as torch.testing.assert_close has them.
_TOLERANCES = {
    "f64": (1e-7, 1e-7),
    "f32": (1.3e-6, 1e-5),
    "f16": (1e-3, 1e-5),
    "bf16": (1.6e-2, 1e-5),
    "complex<f32>": (1.3e-6, 1e-5),
    "complex<f64>": (1e-7, 1e-7),
}


@dataclass(frozen=True)
class Tolerance:
    """Results agree where ``|got - expected| <= atol + rtol * |expected|``.

    NaN agrees with NaN only, an infinity with itself. Integers and booleans must be equal.
    """

    rtol: float
    atol: float | Array  # one per element where what was added up differs

    def __str__(self) -> str:
        if isinstance(self.atol, np.ndarray):
            low, high = np.min(self.atol, initial=np.inf), np.max(self.atol, initial=0)
            return f"{low:g} to {high:g} + {self.rtol:g} * |expected|"
        return f"{self.atol:g} + {self.rtol:g} * |expected|"


def tolerance(element: ElementType, rtol: float | None, atol: float | None) -> Tolerance:
    """The tolerance for an element type; what is None takes the type's default.

    Floats narrower than 16 bits may be one unit in the last place off.
    """
    if element.kind not in (Kind.FLOAT, Kind.COMPLEX):
        return Tolerance(0.0, 0.0)
    if element.name in _TOLERANCES:
        default = _TOLERANCES[element.name]
    else:
        limits = ml_dtypes.finfo(element.dtype)  # type: ignore[no-untyped-call]
        default = (float(limits.eps), 0.0)
    return Tolerance(default[0] if rtol is None else rtol, default[1] if atol is None else atol)


@dataclass(frozen=True)
class Comparison:
    """How one result compares.

    Attributes:
        size: the number of its elements.
        first: the index of the first element that disagrees.
        mismatches: how many disagree.
        worst: the index of the element that is farthest off (where one of the two is not finite,
            if there is such a place); None where all are equal.
        max_error: the largest distance of finite elements.
        max_ulp: the largest distance in units in the last place, of floats that are no NaN.
    """

    size: int
    first: tuple[int, ...] | None
    mismatches: int
    worst: tuple[int, ...] | None
    max_error: float
    max_ulp: int


def compare(got: Array, expected: Array, limit: Tolerance) -> Comparison:
    """Compare arrays of one shape and element type element by element.

    Raises:
        ShloError: shapes or types differ.
    """
    if got.shape != expected.shape or got.dtype != expected.dtype:
        raise ShloError(
            f"{got.dtype} of shape {got.shape} cannot be compared with "
            f"{expected.dtype} of shape {expected.shape}"
        )
    element = from_dtype(got.dtype)
    error, agree = _distances(got, expected, element, limit)
    floating = element.kind in (Kind.FLOAT, Kind.COMPLEX)
    ulps = ulp_distance(got, expected) if floating else np.zeros(0, np.uint64)
    ranked = np.where(np.isnan(error), np.inf, error)
    return Comparison(
        size=got.size,
        first=_index(~agree, int(np.argmin(agree))) if not agree.all() else None,
        mismatches=int(np.count_nonzero(~agree)),
        worst=_index(ranked, int(np.argmax(ranked))) if got.size and ranked.any() else None,
        max_error=float(np.max(np.where(np.isnan(error), 0, error), initial=0)),
        max_ulp=int(np.max(ulps, initial=0)),
    )


def _index(array: Array, flat: int) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(flat, array.shape))


def _distances(
    got: Array, expected: Array, element: ElementType, limit: Tolerance
) -> tuple[Array, Array]:
    """Per element the distance (float64, or exact unsigned), and whether it is small enough."""
    if element.kind not in (Kind.FLOAT, Kind.COMPLEX):
        wide: Any = np.uint64 if element.kind is Kind.UNSIGNED else np.int64
        error = _difference(got.astype(wide), expected.astype(wide))
        return error, error == 0
    wide = np.complex128 if element.kind is Kind.COMPLEX else np.float64
    a, b = got.astype(wide), expected.astype(wide)
    with np.errstate(all="ignore"):
        same = (a == b) | (_is_nan_alike(a, b))
        error = np.where(same, 0.0, np.abs(a - b))
        close = np.isfinite(a) & np.isfinite(b) & (error <= limit.atol + limit.rtol * np.abs(b))
    finite = np.isfinite(a) & np.isfinite(b)
    return np.where(same | finite, error, np.nan), same | close


def _difference(a: Array, b: Array) -> Array:
    """Distances of integers; those of signed ones may fit unsigned ones only (modular)."""
    return np.asarray(np.maximum(a, b).astype(np.uint64) - np.minimum(a, b).astype(np.uint64))


def _is_nan_alike(a: Array, b: Array) -> Array:
    """Where both are NaN; of complex numbers: where each part is NaN in both or equal in both."""
    if a.dtype.kind != "c":
        return np.asarray(np.isnan(a) & np.isnan(b))
    real = (a.real == b.real) | (np.isnan(a.real) & np.isnan(b.real))
    imaginary = (a.imag == b.imag) | (np.isnan(a.imag) & np.isnan(b.imag))
    return np.asarray(real & imaginary)


def ulp_distance(a: Array, b: Array) -> Array:
    """How many floats of their type lie between elements, plus one; 0 where equal or a NaN.

    Of complex numbers: the larger distance of the two parts.
    """
    element = from_dtype(a.dtype)
    if element.kind is Kind.COMPLEX:
        parts = np.dtype(f"f{a.dtype.itemsize // 2}")
        real, imaginary = (
            ulp_distance(part(a).astype(parts), part(b).astype(parts))
            for part in (np.real, np.imag)
        )
        return np.maximum(real, imaginary)
    distance = _difference(_ordered(a, element), _ordered(b, element))
    nan = np.isnan(a.astype(np.float64)) | np.isnan(b.astype(np.float64))
    return np.asarray(np.where(nan, np.uint64(0), distance))


def _ordered(array: Array, element: ElementType) -> Array:
    """Integers in the order of the floats, neighbours one apart: sign and magnitude of the bits."""
    bits = array.view(f"u{array.dtype.itemsize}").astype(np.uint64)
    if element.name == "f8E8M0FNU":  # has no sign
        return np.asarray(bits.astype(np.int64))
    sign = np.uint64(1 << (element.bits - 1))
    magnitude = (bits & (sign - np.uint64(1))).astype(np.int64)
    return np.asarray(np.where(bits & sign, -magnitude, magnitude))


# --- reporting ------------------------------------------------------------------------------------
def report(number: int, got: Array, expected: Array, limit: Tolerance) -> tuple[bool, list[str]]:
    """Whether a result agrees, and lines that say so."""
    difference = compare(got, expected, limit)
    name = f"result{number}"
    floating = from_dtype(got.dtype).kind in (Kind.FLOAT, Kind.COMPLEX)
    ulp = f", {difference.max_ulp} ulp" if floating else ""
    if difference.first is None:
        largest = (
            "equal"
            if difference.worst is None
            else f"largest error {difference.max_error:.3g}{ulp}"
        )
        return True, [f"{name} agrees: {largest}"]
    lines = [f"{name} differs: {difference.mismatches} of {difference.size} elements"]
    if floating:
        lines[0] += f" beyond {limit}"
    lines.append(f"  first at {_at(difference.first)}: {_pair(got, expected, difference.first)}")
    if difference.worst is not None and difference.worst != difference.first:
        lines.append(
            f"  worst at {_at(difference.worst)}: {_pair(got, expected, difference.worst)}"
        )
    lines.append(f"  largest error {difference.max_error:.6g}{ulp}")
    return False, lines


def _at(index: Sequence[int]) -> str:
    return f"[{', '.join(str(i) for i in index)}]"


def _pair(got: Array, expected: Array, index: tuple[int, ...]) -> str:
    return f"got {got[index]}, expected {expected[index]}"
