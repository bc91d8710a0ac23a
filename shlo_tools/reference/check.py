"""Checks: functions of arrays that raise where a value is not the expected one.

Both backends call them. What they accept is what StableHLO's own checks accept:

- ``expect_eq``: equal elements; of floats, equal bits: a NaN is equal to the same NaN, and 0 is
  not -0;
- ``expect_almost_eq``: at most ``tolerance`` (1e-4) apart and of the same sign; equal numbers,
  among them infinities and 0 and -0; NaN and NaN;
- ``expect_close``: at most ``max_ulp_difference`` (3) units in the last place apart, and somewhere
  at least ``min_ulp_difference`` (0); an infinity and NaN are close to themselves only.

Complex numbers are compared part by part, quantized ones by their integers.

In ``as_the_interpreter`` of StableHLO they are laxer about what floats are equal, and stricter by
default about how close: by ``==``, 0 is -0 and no NaN is equal to anything; numbers of either sign
are almost equal; 1 unit in the last place is close.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from shlo_tools.dtypes import Array, ElementType, Kind, from_dtype, of_array
from shlo_tools.errors import Diagnostic, ExecutionError, Place

TOLERANCE = 1e-4
MAX_ULP_DIFFERENCE, MIN_ULP_DIFFERENCE = 3, 0
INTERPRETERS_MAX_ULP_DIFFERENCE = 1
_FAR = np.uint64(2**64 - 1)  # units in the last place, where they cannot be counted


_interpreters: ContextVar[bool] = ContextVar("interpreters", default=False)


@contextmanager
def as_the_interpreter() -> Iterator[None]:
    """Compare as StableHLO's interpreter does, in the block."""
    token = _interpreters.set(True)
    try:
        yield
    finally:
        _interpreters.reset(token)


def max_ulp_difference(attributes: Mapping[str, Any]) -> int:
    """How far apart elements of an ``expect_close`` may be."""
    default = INTERPRETERS_MAX_ULP_DIFFERENCE if _interpreters.get() else MAX_ULP_DIFFERENCE
    return int(attributes.get("max_ulp_difference", default))


class CheckError(ExecutionError):
    """A check failed.

    Attributes:
        check: the op's name, of which ``_const`` is left out.
        function: the function that it stands in, where that is known.
        attributes: those of the op.
        mismatch: what was compared: an element, what was expected, and its index.
        detail: what is wrong otherwise, without the op's name.
    """

    check: str = ""
    function: str = ""
    attributes: Mapping[str, Any] = {}
    mismatch: tuple[Array, Array, tuple[int, ...]] | None = None
    detail: str = ""


class Check:
    """What one check compares, and how it complains.

    Attributes:
        name: the op's name.
        attributes: its attributes, as Python values.
    """

    def __init__(
        self, name: str, attributes: Mapping[str, Any] | None = None, place: Place | None = None
    ) -> None:
        self.name, self.attributes, self.place = name, attributes or {}, place

    def __call__(self, actual: Array, expected: Array) -> None:
        """Compare.

        Raises:
            ExecutionError: they are not alike; names the first element that is not.
        """
        if actual.shape != expected.shape or actual.dtype != expected.dtype:
            raise self.failure(f"{of_array(actual)} is compared with {of_array(expected)}")
        COMPARISONS[self.name.removeprefix("check.").removesuffix("_const")](self, actual, expected)

    def failure(self, message: str) -> CheckError:
        error = CheckError(Diagnostic("error", f"{self.name}: {message}", self.place))
        error.check, error.detail = self.name.removesuffix("_const"), message
        error.attributes = self.attributes
        return error

    def require(
        self, agree: Array, actual: Array, expected: Array, why: Callable[[Any], str]
    ) -> None:
        """Raise where not all elements agree; ``why`` says it of an index."""
        if agree.all():
            return
        index = tuple(int(i) for i in np.unravel_index(int(np.argmin(agree)), agree.shape))
        where = f"element [{', '.join(map(str, index))}]" if index else "the value"
        have, want = _written(actual[index], expected[index])
        message = f"{where} is {have}, expected {want}{why(index)}"
        count = int(np.count_nonzero(~agree))
        if agree.size > 1:
            message += f" ({count} of {agree.size} elements differ)"
        error = self.failure(message)
        error.mismatch = (np.asarray(actual[index]), np.asarray(expected[index]), index)
        raise error


def _written(actual: Any, expected: Any) -> tuple[str, str]:
    """Two values as text; with their bits where they would look alike."""
    texts = [
        str(value).lower() if isinstance(value, np.bool_) else str(value)
        for value in (actual, expected)
    ]
    if texts[0] == texts[1]:
        texts = [f"{t} (0x{_hex(v)})" for t, v in zip(texts, (actual, expected), strict=True)]
    return texts[0], texts[1]


def _hex(value: Any) -> str:
    return np.asarray(value).tobytes()[::-1].hex().upper()


# --- comparisons ----------------------------------------------------------------------------------
def expect_eq(check: Check, actual: Array, expected: Array) -> None:
    alike = _parts if _interpreters.get() else _bits
    have, want = (alike(array) for array in (actual, expected))
    check.require(_whole(have == want, actual), actual, expected, lambda index: "")


def expect_almost_eq(check: Check, actual: Array, expected: Array) -> None:
    tolerance = float(check.attributes.get("tolerance", TOLERANCE))
    agree = _whole(_almost_equal(_parts(actual), _parts(expected), tolerance), actual)
    check.require(agree, actual, expected, lambda index: f" up to {tolerance:g}")


def expect_close(check: Check, actual: Array, expected: Array) -> None:
    largest = max_ulp_difference(check.attributes)
    least = int(check.attributes.get("min_ulp_difference", MIN_ULP_DIFFERENCE))
    apart = ulp_difference(actual, expected)

    def distance(index: Any) -> str:
        far = apart[index] == _FAR
        ulps = "infinitely far" if far else f"{apart[index]} ulp"
        return f": {ulps} apart, at most {largest} allowed"

    check.require(apart <= np.uint64(min(largest, int(_FAR) - 1)), actual, expected, distance)
    ulps = int(apart.max(initial=0))
    if ulps < least:
        raise check.failure(f"at most {ulps} ulp apart, somewhere {least} expected")


COMPARISONS: dict[str, Callable[[Check, Array, Array], None]] = {
    "expect_eq": expect_eq,
    "expect_almost_eq": expect_almost_eq,
    "expect_close": expect_close,
}


# --- elements -------------------------------------------------------------------------------------
def _element(array: Array) -> ElementType:
    return from_dtype(array.dtype)


def _parts(array: Array) -> Array:
    """Real and imaginary parts along a last dimension of their own; other arrays as they are."""
    if array.dtype.kind != "c":
        return array
    return np.stack([array.real, array.imag], axis=-1)


def _whole(agree: Array, array: Array) -> Array:
    """Whether elements agree, from whether their parts do."""
    return np.asarray(agree.all(axis=-1) if array.dtype.kind == "c" else agree)


def _bits(array: Array) -> Array:
    """Numbers that are equal where the elements' bits are."""
    parts = np.ascontiguousarray(_parts(array)).reshape(_parts(array).shape)
    if _element(parts).kind is Kind.FLOAT:
        return parts.view(f"u{parts.dtype.itemsize}")
    return parts


def _almost_equal(a: Array, b: Array, tolerance: float) -> Array:
    element = _element(a)
    if element.kind is not Kind.FLOAT:
        return np.asarray(_distance(a, b, element.kind) <= tolerance)
    x, y = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(all="ignore"):
        near = np.isfinite(x) & np.isfinite(y) & (np.abs(x - y) <= tolerance)
        if not _interpreters.get():
            near &= np.signbit(x) == np.signbit(y)
    return np.asarray(near | (x == y) | (np.isnan(x) & np.isnan(y)))


def _distance(a: Array, b: Array, kind: Kind) -> Array:
    """Distances of whole numbers; those of signed ones may fit unsigned ones only (modular)."""
    wide: Any = np.uint64 if kind is Kind.UNSIGNED else np.int64
    x, y = a.astype(wide), b.astype(wide)
    with np.errstate(over="ignore"):
        return np.asarray(np.maximum(x, y).astype(np.uint64) - np.minimum(x, y).astype(np.uint64))


def ulp_difference(a: Array, b: Array) -> Array:
    """How many floats of their type lie between elements, plus one; 0 where they are equal.

    The larger one of the two parts of complex numbers. From NaN and infinities it is 0 to
    themselves and 2**64 - 1 to anything else.
    """
    if a.dtype.kind == "c":
        return np.asarray(ulp_difference(_parts(a), _parts(b)).max(axis=-1))
    element = _element(a)
    x, y = a.astype(np.float64), b.astype(np.float64)
    apart = _distance(_ordered(a, element), _ordered(b, element), Kind.SIGNED)
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    finite = np.isfinite(x) & np.isfinite(y)
    return np.asarray(np.where(same, np.uint64(0), np.where(finite, apart, _FAR)))


def _ordered(array: Array, element: ElementType) -> Array:
    """Integers in the order of the floats, neighbours one apart: sign and magnitude of the bits."""
    bits = _bits(array).astype(np.uint64)
    if element.name == "f8E8M0FNU":  # has no sign
        return np.asarray(bits.astype(np.int64))
    sign = np.uint64(1 << (element.bits - 1))
    magnitude = (bits & (sign - np.uint64(1))).astype(np.int64)
    return np.asarray(np.where(bits & sign, -magnitude, magnitude))
