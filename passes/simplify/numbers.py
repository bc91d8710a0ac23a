"""Which numbers an operation does not see, or which it returns whatever it meets.

All take a number as a 0-dimensional array, and know what floats do: ``x + 0.0`` is no ``x``
where x is -0.0, and ``x * 0.0`` is NaN where x is.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shlo_tools.dtypes import Array, ElementType, Kind, from_dtype

Numbers = Callable[[Array], bool]


def is_whole(element: ElementType) -> bool:
    """Whether arithmetic on a type is that of integers, which wrap around."""
    return element.is_integer


def has_signs(element: ElementType) -> bool:
    """Whether numbers of a type can be negated: all but f8E8M0FNU's, and booleans."""
    return element.name != "f8E8M0FNU" and not element.is_boolean


def zero(c: Array) -> bool:
    """The 0 of integers and booleans."""
    element = from_dtype(c.dtype)
    return (element.is_integer or element.is_boolean) and int(c) == 0


def neutral_addend(c: Array) -> bool:
    """The c of x + c = x: 0 of integers, -0.0 of floats."""
    return zero(c) or _all_parts(c, negative=True)


def neutral_subtrahend(c: Array) -> bool:
    """The c of x - c = x: 0 of integers, +0.0 of floats."""
    return zero(c) or _all_parts(c, negative=False)


def _all_parts(c: Array, *, negative: bool) -> bool:
    """Whether a float, or both parts of a complex number, are the zero of this sign."""
    element = from_dtype(c.dtype)
    if element.is_complex:
        return _all_parts(c.real, negative=negative) and _all_parts(c.imag, negative=negative)
    if not element.is_float or float(c) != 0:
        return False
    return element.name.endswith("FNUZ") or bool(np.signbit(c)) == negative


def one(c: Array) -> bool:
    """1 of a type that is not complex, whose product with (1, 0) may lose infinities and -0."""
    element = from_dtype(c.dtype)
    return not element.is_complex and float(c) == 1


def two(c: Array) -> bool:
    """The integer 2."""
    return from_dtype(c.dtype).is_integer and int(c) == 2


def minus_one(c: Array) -> bool:
    """-1 of a signed type that is not complex."""
    element = from_dtype(c.dtype)
    signed = element.kind is Kind.SIGNED or element.is_float
    return signed and float(c) == -1


def all_ones(c: Array) -> bool:
    """The integer whose bits are all 1; true."""
    element = from_dtype(c.dtype)
    if element.is_boolean:
        return bool(c)
    return element.is_integer and int(c) == (-1 if element.kind is Kind.SIGNED else _highest(c))


def least(c: Array) -> bool:
    """The number that no other is below: false, -inf."""
    element = from_dtype(c.dtype)
    if element.is_float:
        return bool(np.isneginf(c.astype(np.float64)))
    return not element.is_complex and int(c) == (_lowest(c) if element.is_integer else 0)


def greatest(c: Array) -> bool:
    """The number that no other is above: true, inf."""
    element = from_dtype(c.dtype)
    if element.is_float:
        return bool(np.isposinf(c.astype(np.float64)))
    return not element.is_complex and int(c) == (_highest(c) if element.is_integer else 1)


def least_integer(c: Array) -> bool:
    """``least``, but no float: the minimum of -inf and NaN is NaN."""
    return not from_dtype(c.dtype).is_float and least(c)


def greatest_integer(c: Array) -> bool:
    """``greatest``, but no float: the maximum of inf and NaN is NaN."""
    return not from_dtype(c.dtype).is_float and greatest(c)


def _lowest(c: Array) -> int:
    element = from_dtype(c.dtype)
    return -(1 << (element.bits - 1)) if element.kind is Kind.SIGNED else 0


def _highest(c: Array) -> int:
    element = from_dtype(c.dtype)
    return (1 << (element.bits - (element.kind is Kind.SIGNED))) - 1
