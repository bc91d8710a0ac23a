"""Floats of 8 bits and less: how each format writes numbers, read off ``ml_dtypes``.

No processor computes with them: ``shlo-widen-narrow-floats`` has arithmetic done in a wider type,
and ``shlo-legalize-to-linalg`` stores them as the bytes of their codes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

from shlo_tools.dtypes import ELEMENT_TYPES, ElementType

STORAGE = "i8"  # the lowered element type of all of them; codes of f6 and f4 in the low bits
_POWERS = "f8E8M0FNU"


def is_narrow(type: ElementType) -> bool:
    """Whether an element type is a float of 8 bits or less."""
    return type.is_float and type.bits <= 8


def wide_type(type: ElementType) -> ElementType:
    """The type in which an op on narrow floats is computed before it is rounded.

    f32 has more than twice the digits of any of them, so that sums, products, quotients and roots
    rounded to f32 and then again are as if rounded once. Products of f8E8M0FNU leave its range:
    a tiny one must not become 0, which that type lacks.
    """
    return ELEMENT_TYPES["f64" if type.name == _POWERS else "f32"]


@dataclass(frozen=True)
class Format:
    """How a narrow float type writes numbers; codes are without the sign bit.

    Attributes:
        bits: width of a code.
        mantissa: stored bits of the significand.
        bias: the exponent field of 1.0.
        largest: code of the largest finite number.
        overflow: code of what is larger: infinity, NaN, or the largest number.
        nan: code of NaN; -0 with its sign where there is no NaN, as in ml_dtypes and XLA.
        only_nan: the code of the one NaN of a type that has no negative zero, else None.
        only_powers: whether it is f8E8M0FNU: powers of two without sign and zero.
    """

    bits: int
    mantissa: int
    bias: int
    largest: int
    overflow: int
    nan: int
    only_nan: int | None
    only_powers: bool


@cache
def format_of(type: ElementType) -> Format:
    """The format of a narrow float type, or of f16, which some processors do not know either."""
    info: Any = ml_dtypes.finfo(type.dtype)  # type: ignore[no-untyped-call]
    magnitude = (1 << (type.bits - 1)) - 1
    powers = type.name == _POWERS
    negative_zero = _code(type, -0.0) != _code(type, 0.0)
    nan = _code(type, np.nan)
    return Format(
        bits=type.bits,
        mantissa=int(info.nmant),
        bias=_code(type, 1.0) >> int(info.nmant),
        largest=_code(type, float(info.max)),
        overflow=_code(type, np.inf) & magnitude if negative_zero else nan,
        nan=nan,
        only_nan=None if negative_zero or powers else nan,
        only_powers=powers,
    )


def _code(type: ElementType, value: float) -> int:
    with np.errstate(all="ignore"):
        return int(np.array(value, np.float32).astype(type.dtype).view(f"u{type.dtype.itemsize}"))


def code_of(type: ElementType, value: float) -> int:
    """The code of a number, rounded to the nearest, as a signed integer of the storage type."""
    return int(np.array(_code(type, value), np.uint8).view(np.int8))
