"""How near a native result must come to the expected one: the reference's, or what a case says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cases._types import finfo

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Exact:
    """The same values: bits of floats, except that any NaN stands for any other.

    Attributes:
        payloads: whether NaNs must be the same, too.
    """

    payloads: bool = False


@dataclass(frozen=True)
class Ulps:
    """Finite numbers may be off by some units in the last place, of complex ones by the modulus.

    Attributes:
        ulps: for elementwise functions; the reference itself is within half a unit.
        floor: an absolute error allowed instead, where a result is a difference of larger ones.
        strict: whether zeros and overflow must be those of the expected values, which are exact;
            next to the reference's, infinity is one unit from the largest number.
        special: whether infinities and NaNs must agree; of complex functions they need not.
    """

    ulps: float
    floor: float = 0.0
    strict: bool = True
    special: bool = True


@dataclass(frozen=True)
class Within:
    """|native - expected| <= bound + relative * |expected|; what is not finite must agree.

    Where the bound reaches beyond the range of the type, the result may overflow.

    Attributes:
        bound: for all results, or one for each; a complex one bounds the parts by its own.
        relative: what is allowed beside it, in terms of the expected value.
    """

    bound: Any = 0.0
    relative: float = 0.0


@dataclass(frozen=True)
class Parts:
    """Each part of a complex number within relative * |expected| of that part.

    Zeros have their signs, but for one beside a NaN.
    """

    relative: float


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


Tolerance = Exact | Ulps | Within | Parts | Sums | Steps | Between
EXACT = Exact()
BITS = Exact(payloads=True)


def difference(actual: Array, expected: Array, tolerance: Tolerance, sizes: Any = None) -> str:
    """'' where a result is near enough, else what differs first.

    Args:
        actual: the native result.
        expected: the reference's, or what something else says; for ``Ulps`` and ``Within`` it may
            have a wider type, so that it is not rounded itself.
        tolerance: how near.
        sizes: for ``Sums``, the result of the inputs' absolute values.
    """
    wider = isinstance(tolerance, Ulps | Within) and _is_wider(expected.dtype, actual.dtype)
    if actual.shape != expected.shape or not (wider or actual.dtype == expected.dtype):
        return (
            f"{actual.dtype}{list(actual.shape)}, should be {expected.dtype}{list(expected.shape)}"
        )
    if not actual.size:
        return ""
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = expected.astype(actual.dtype)
    if isinstance(tolerance, Exact):
        agree = _agree(actual, rounded, payloads=tolerance.payloads)
    else:
        agree = _agree(actual, rounded)
        if not agree.all():
            agree |= _near(actual, expected, tolerance, sizes)
    wrong = np.argwhere(~agree)
    if not len(wrong):
        return ""
    at = tuple(int(i) for i in wrong[0])
    first = f"{actual[at]!r}, should be {expected[at]!r}"
    return f"{len(wrong)} of {actual.size} differ, first {list(at)}: {first}"


def _is_wider(dtype: Any, than: Any) -> bool:
    is_real = than.kind == "f" or (than.kind == "V" and "float" in than.name)
    return dtype.itemsize > than.itemsize and (
        (dtype.kind == "f" and is_real) or (dtype.kind == "c" and than.kind == "c")
    )


def _near(actual: Array, expected: Array, tolerance: Tolerance, sizes: Any) -> Array:
    if isinstance(tolerance, Between):
        array = actual.astype(np.float64)
        return np.asarray((array >= tolerance.low) & (array <= tolerance.high))
    if isinstance(tolerance, Steps) and _is_integral(actual):
        return np.asarray(np.abs(actual.astype(int) - expected.astype(int)) <= tolerance.steps)
    if isinstance(tolerance, Steps) or _is_integral(actual):
        return np.zeros(actual.shape, np.bool_)
    have, want = _wide(actual), _wide(expected)
    with np.errstate(all="ignore"):
        if isinstance(tolerance, Within):
            return _within(have, want, tolerance, actual.dtype)
        if isinstance(tolerance, Parts):
            return _within_parts(actual, expected, tolerance)
        if isinstance(tolerance, Ulps):
            return _within_ulps(have, want, tolerance, actual.dtype)
        assert isinstance(tolerance, Sums)
        size = np.abs(_wide(sizes))
        size = np.full(size.shape, size.max()) if tolerance.overall else size
        bound = size * (tolerance.terms + 2) * eps_of(actual.dtype)
        # Where partial sums may leave the range, so may the result.
        return np.asarray((np.abs(have - want) <= bound) | ~np.isfinite(bound))


def _within_ulps(have: Array, want: Array, tolerance: Ulps, dtype: Any) -> Array:
    rounded = _wide(want.astype(dtype))
    allowed = np.maximum(tolerance.ulps * _spacing(rounded, dtype), tolerance.floor)
    near = (np.abs(have - want) <= allowed) & np.isfinite(want)
    if tolerance.strict and tolerance.special:
        return np.asarray(near & np.isfinite(rounded) & (rounded != 0))
    if not tolerance.special:
        near |= ~np.isfinite(want)
    return np.asarray(near | _both_huge(have, want, dtype))


def _within(have: Array, want: Array, tolerance: Within, dtype: Any) -> Array:
    bound = np.asarray(tolerance.bound)
    if bound.dtype.kind == "c":
        real = np.dtype(f"f{dtype.itemsize // 2}")
        parts = [
            _within(part(have), part(want), Within(part(bound), tolerance.relative), real)
            for part in (np.real, np.imag)
        ]
        return np.asarray(parts[0] & parts[1])
    allowed = bound + tolerance.relative * np.abs(want)
    near = (np.abs(have - want) <= allowed) & np.isfinite(want)
    if have.dtype.kind == "c":
        return near
    largest = float(finfo(dtype).max)
    beyond = (np.abs(want) + allowed > largest) & (np.abs(have) >= largest)
    near |= beyond & (np.sign(have) == np.sign(want))
    return np.asarray(near | (np.isinf(have) & (have == _wide(want.astype(dtype)))))


def _within_parts(actual: Array, expected: Array, tolerance: Parts) -> Array:
    beside_nan = np.isnan(actual) & np.isnan(expected)
    near = np.ones(actual.shape, np.bool_)
    for part in (np.real, np.imag):
        have, want = part(actual), part(expected)
        close = (np.abs(have - want) <= tolerance.relative * np.abs(want)) & (want != 0)
        near &= close | _agree(have, want) | (beside_nan & (have == 0) & (want == 0))
    return near


def _both_huge(have: Array, want: Array, dtype: Any) -> Array:
    """Infinity next to the largest number: one unit apart."""
    if have.dtype.kind == "c":
        return np.zeros(have.shape, np.bool_)
    info = finfo(dtype)
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


def eps_of(dtype: Any) -> float:
    return float(finfo(dtype).eps)


def _spacing(values: Array, dtype: Any) -> Array:
    """The distance from each number to the next one of its type."""
    info = finfo(dtype)
    magnitude = np.where(np.isfinite(values), np.abs(values), 1)
    magnitude = np.maximum(magnitude, float(info.smallest_normal))
    return np.asarray(np.ldexp(np.longdouble(1), np.frexp(magnitude)[1] - 1 - info.nmant))


def _agree(actual: Array, expected: Array, *, payloads: bool = False) -> Array:
    if actual.dtype.kind == "c":
        halves = zip((actual.real, actual.imag), (expected.real, expected.imag), strict=True)
        real, imaginary = (_agree(*half, payloads=payloads) for half in halves)
        return np.asarray(real & imaginary)
    same = np.asarray(_bits(actual) == _bits(expected))
    if payloads or _is_integral(actual):
        return same
    with np.errstate(invalid="ignore"):  # ml_dtypes meets signalling NaNs
        return np.asarray(same | (np.isnan(actual) & np.isnan(expected)))


def _bits(array: Array) -> Array:
    dtype = np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")
    return dtype.reshape(array.shape)
