"""How near a native result must come to the reference's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Exact:
    """The same values: bits of floats, except that any NaN stands for any other."""


@dataclass(frozen=True)
class Ulps:
    """Finite numbers may be off by some units in the last place, of complex ones by the modulus.

    Attributes:
        ulps: for elementwise functions; the reference itself is within half a unit.
        floor: an absolute error allowed instead, where a result is a difference of larger ones.
        special: whether infinities and NaNs must agree; of complex functions they need not.
    """

    ulps: float
    floor: float = 0.0
    special: bool = True


@dataclass(frozen=True)
class Sums:
    """|native - exact| <= (terms + 2) * eps * sum|terms|.

    The sum of the absolute terms is what the reference computes from the inputs' absolute values.

    Attributes:
        terms: how many are added for a result.
        overall: the bound of the largest result holds for all: transforms and solutions, whose
            results are small where large terms cancel.
    """

    terms: int
    overall: bool = False


@dataclass(frozen=True)
class Between:
    """Random numbers, which the specification leaves open: low <= result <= high."""

    low: float
    high: float


@dataclass(frozen=True)
class Steps:
    """Integers (of quantized numbers) may be off by some."""

    steps: int = 1


Tolerance = Exact | Ulps | Sums | Steps | Between
EXACT = Exact()


def difference(actual: Array, expected: Array, tolerance: Tolerance, sizes: Any = None) -> str:
    """'' where a result is near enough, else what differs first.

    Args:
        actual: the native result.
        expected: the reference's.
        tolerance: how near.
        sizes: for ``Sums``, the result of the inputs' absolute values.
    """
    if actual.dtype != expected.dtype or actual.shape != expected.shape:
        return (
            f"{actual.dtype}{list(actual.shape)}, should be {expected.dtype}{list(expected.shape)}"
        )
    if not actual.size:
        return ""
    agree = _agree(actual, expected)
    if not agree.all() and not isinstance(tolerance, Exact):
        agree |= _near(actual, expected, tolerance, sizes)
    wrong = np.argwhere(~agree)
    if not len(wrong):
        return ""
    at = tuple(int(i) for i in wrong[0])
    first = f"{actual[at]!r}, should be {expected[at]!r}"
    return f"{len(wrong)} of {actual.size} differ, first {list(at)}: {first}"


def _near(actual: Array, expected: Array, tolerance: Tolerance, sizes: Any) -> Array:
    if isinstance(tolerance, Between):
        held = actual.astype(np.float64)
        return np.asarray((held >= tolerance.low) & (held <= tolerance.high))
    if isinstance(tolerance, Steps):
        return np.asarray(np.abs(actual.astype(int) - expected.astype(int)) <= tolerance.steps)
    if _is_integral(actual):
        return np.zeros(actual.shape, np.bool_)
    have, want = _wide(actual), _wide(expected)
    with np.errstate(all="ignore"):
        error = np.abs(have - want)
        if isinstance(tolerance, Sums):
            size = np.abs(_wide(sizes))
            size = np.full(size.shape, size.max()) if tolerance.overall else size
            bound = size * (tolerance.terms + 2) * eps_of(actual.dtype)
            # Where partial sums may leave the range, so may the result.
            return np.asarray((error <= bound) | ~np.isfinite(bound))
        assert isinstance(tolerance, Ulps)
        near = error <= np.maximum(tolerance.ulps * _spacing(want, actual.dtype), tolerance.floor)
        near &= np.isfinite(want)
        if not tolerance.special:
            near |= ~np.isfinite(want)
        return np.asarray(near | _both_huge(have, want, actual.dtype))


def _both_huge(have: Array, want: Array, dtype: Any) -> Array:
    """Infinity next to the largest number: one unit apart."""
    if have.dtype.kind == "c":
        return np.zeros(have.shape, np.bool_)
    info = _finfo(dtype)
    largest = np.longdouble(float(info.max))
    near_largest = (np.abs(want) >= largest * (1 - float(info.eps))) | np.isinf(want)
    beyond = np.isinf(have) | (np.abs(have) >= largest * (1 - float(info.eps)))
    return np.asarray(near_largest & beyond & (np.sign(have) == np.sign(want)))


def _is_integral(array: Array) -> bool:
    return array.dtype.kind in "biu" or "int" in array.dtype.name


def _wide(array: Array) -> Array:
    if array.dtype.kind == "c":
        return np.asarray(array.astype(np.clongdouble))
    if array.dtype.kind == "V":
        array = array.astype(np.float64)
    return np.asarray(array.astype(np.longdouble))


def _finfo(dtype: Any) -> Any:
    information: Any = ml_dtypes.finfo
    return information(_part(dtype))


def _part(dtype: Any) -> Any:
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype


def eps_of(dtype: Any) -> float:
    return float(_finfo(dtype).eps)


def _spacing(values: Array, dtype: Any) -> Array:
    """The distance from each number to the next one of its type."""
    info = _finfo(dtype)
    magnitude = np.where(np.isfinite(values), np.abs(values), 1)
    magnitude = np.maximum(magnitude, float(info.smallest_normal))
    return np.asarray(np.ldexp(np.longdouble(1), np.frexp(magnitude)[1] - 1 - info.nmant))


def _agree(actual: Array, expected: Array) -> Array:
    if actual.dtype.kind == "c":
        return _agree(*_half(actual, expected, 0)) & _agree(*_half(actual, expected, 1))
    if _is_integral(actual):
        if actual.dtype.kind == "V":
            actual, expected = actual.astype(np.int16), expected.astype(np.int16)
        return np.asarray(actual == expected)
    bits = [_bits(array) for array in (actual, expected)]
    with np.errstate(invalid="ignore"):  # ml_dtypes meets signalling NaNs
        return np.asarray((bits[0] == bits[1]) | (np.isnan(actual) & np.isnan(expected)))


def _bits(array: Array) -> Array:
    held = np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")
    return held.reshape(array.shape)


def _half(actual: Array, expected: Array, half: int) -> tuple[Array, Array]:
    parts = [np.asarray(a.imag if half else a.real) for a in (actual, expected)]
    return parts[0], parts[1]
