"""What elementwise ops must give, worked out with Python integers, fractions and numpy.

Integer results are computed without bounds and wrapped; floats follow IEEE 754-2019.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from cases._types import dtype_of, finfo

Array = np.ndarray[Any, Any]

# The types that numpy and Python compute on; the narrow ones are worked out in narrow.py.
SIGNED = ("i8", "i16", "i32", "i64")
UNSIGNED = ("ui8", "ui16", "ui32", "ui64")
INTEGERS = (*SIGNED, *UNSIGNED)
FLOATS = ("f16", "bf16", "f32", "f64")
REAL = ("i1", *INTEGERS, *FLOATS)


def width(element: str) -> int:
    return 1 if element == "i1" else 8 * dtype_of(element).itemsize


def wrapped(value: int, element: str) -> int:
    """The integer of ``element`` that has the low bits of ``value``."""
    bits = width(element)
    value &= (1 << bits) - 1
    signed = element.startswith("i")
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def on_integers(function: Callable[..., int]) -> Callable[..., Array]:
    """Lift ``(bits, *integers) -> integer`` to arrays, wrapping the results."""

    def lifted(element: str, *operands: Array) -> Array:
        rows = zip(*(operand.tolist() for operand in operands), strict=True)
        bits = width(element)
        values = [wrapped(function(bits, *row), element) for row in rows]
        return np.array(values, dtype_of(element))

    return lifted


# --- integers -------------------------------------------------------------------------------------
def _divide(bits: int, x: int, y: int) -> int:
    if y == 0:
        return -1  # all ones
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def _remainder(bits: int, x: int, y: int) -> int:
    return x if y == 0 else x - y * _divide(bits, x, y)


def _power(bits: int, x: int, y: int) -> int:
    if y >= 0:
        return pow(x, y, 1 << bits)
    if x in (1, -1):
        return x if y % 2 else 1
    return 0


def _amount(bits: int, y: int) -> int:
    """A shift amount as unsigned number, at most the width."""
    return min(y & ((1 << bits) - 1), bits)


def _shift_right_arithmetic(bits: int, x: int, y: int) -> int:
    signed = x - (1 << bits) if x >> (bits - 1) == 1 else x
    return signed >> _amount(bits, y)


def _bits_of(bits: int, x: int) -> int:
    return x & ((1 << bits) - 1)


_ON_INTEGERS: dict[str, Callable[..., int]] = {
    "abs": lambda bits, x: abs(x),
    "add": lambda bits, x, y: x + y,
    "and": lambda bits, x, y: x & y,
    "count_leading_zeros": lambda bits, x: bits - _bits_of(bits, x).bit_length(),
    "divide": _divide,
    "maximum": lambda bits, x, y: max(x, y),
    "minimum": lambda bits, x, y: min(x, y),
    "multiply": lambda bits, x, y: x * y,
    "negate": lambda bits, x: -x,
    "not": lambda bits, x: ~x,
    "or": lambda bits, x, y: x | y,
    "popcnt": lambda bits, x: _bits_of(bits, x).bit_count(),
    "power": _power,
    "remainder": _remainder,
    "shift_left": lambda bits, x, y: x << _amount(bits, y),
    "shift_right_arithmetic": _shift_right_arithmetic,
    "shift_right_logical": lambda bits, x, y: _bits_of(bits, x) >> _amount(bits, y),
    "sign": lambda bits, x: (x > 0) - (x < 0),
    "subtract": lambda bits, x, y: x - y,
    "xor": lambda bits, x, y: x ^ y,
}
INTEGER_OPS: dict[str, Callable[..., Array]] = {
    name: on_integers(function) for name, function in _ON_INTEGERS.items()
}

BOOLEAN_OPS: dict[str, Callable[..., Array]] = {
    "add": lambda _, x, y: x | y,  # logical, not modulo 2
    "and": lambda _, x, y: x & y,
    "maximum": lambda _, x, y: x | y,
    "minimum": lambda _, x, y: x & y,
    "multiply": lambda _, x, y: x & y,
    "not": lambda _, x: ~x,
    "or": lambda _, x, y: x | y,
    "xor": lambda _, x, y: x ^ y,
}


# --- floats ---------------------------------------------------------------------------------------
def bits_of(array: Array) -> Array:
    return array.view(f"i{array.dtype.itemsize}")


def _sign_bit(array: Array) -> Array:
    return bits_of(array) < 0


def _maximum(element: str, x: Array, y: Array) -> Array:
    """IEEE 754-2019 maximum: NaN wins, -0 < +0."""
    larger = np.where((x > y) | ((x == y) & ~_sign_bit(x)), x, y)
    return np.where(np.isnan(x), x, np.where(np.isnan(y), y, larger))


def _negate(element: str, x: Array) -> Array:
    """Flips the sign, that of a NaN or a zero too."""
    lowest = np.iinfo(bits_of(x).dtype).min
    return (bits_of(x) ^ lowest).view(x.dtype)


def _abs(element: str, x: Array) -> Array:
    return (bits_of(x) & np.iinfo(bits_of(x).dtype).max).view(x.dtype)


def _remainder_of_floats(element: str, x: Array, y: Array) -> Array:
    """The sign of the dividend; always exact."""
    return np.fmod(x.astype(np.float64), y.astype(np.float64)).astype(x.dtype)


def _sign(element: str, x: Array) -> Array:
    kept = np.isnan(x) | (x == 0)
    return np.where(kept, x, np.where(x > 0, 1.0, -1.0).astype(x.dtype))


def exactly(function: Callable[[float], float]) -> Callable[[str, Array], Array]:
    """Lift a function of finite floats whose results are exact; zeros and the rest stay."""

    def lifted(element: str, x: Array) -> Array:
        values = x.astype(np.float64)
        for i, value in enumerate(values.tolist()):
            if math.isfinite(value) and value != 0:
                values[i] = math.copysign(function(value), value)
        return values.astype(x.dtype)

    return lifted


def _away_from_zero(value: float) -> float:
    """Ties away from zero, without rounding the sum."""
    return float(math.floor(Fraction(abs(value)) + Fraction(1, 2)))


FLOAT_OPS: dict[str, Callable[..., Array]] = {
    "abs": _abs,
    "add": lambda _, x, y: x + y,
    "ceil": exactly(lambda value: float(math.ceil(value))),
    "divide": lambda _, x, y: x / y,
    "floor": exactly(lambda value: float(math.floor(value))),
    "maximum": _maximum,
    "minimum": lambda element, x, y: _negate(
        element, _maximum(element, _negate(element, x), _negate(element, y))
    ),
    "multiply": lambda _, x, y: x * y,
    "negate": _negate,
    "remainder": _remainder_of_floats,
    "round_nearest_afz": exactly(_away_from_zero),
    "round_nearest_even": exactly(lambda value: float(round(value))),
    "sign": _sign,
    "sqrt": lambda _, x: np.sqrt(x),
    "subtract": lambda _, x, y: x - y,
}

COMPLEX_OPS: dict[str, Callable[..., Array]] = {
    "add": lambda _, x, y: x + y,
    "negate": lambda _, x: -x,
    "subtract": lambda _, x, y: x - y,
}


def expected(name: str, element: str, *operands: Array) -> Array:
    """The result of an op on operands of one element type."""
    with np.errstate(all="ignore"):
        return table(element)[name](element, *operands)


def table(element: str) -> dict[str, Callable[..., Array]]:
    """Op name -> what it gives, for an element type."""
    if element == "i1":
        return BOOLEAN_OPS
    if element in INTEGERS:
        return INTEGER_OPS
    return FLOAT_OPS if element in FLOATS else COMPLEX_OPS


def nearest(value: Fraction | float, element: str) -> float:
    """The number of a float type nearest to ``value``, ties to even: one rounding of the exact."""
    if isinstance(value, float):
        if not math.isfinite(value) or value == 0:
            return value
        value = Fraction(value)
    if value == 0:
        return 0.0
    info = finfo(dtype_of(element))
    exponent = abs(value.numerator).bit_length() - value.denominator.bit_length()
    if Fraction(2) ** exponent > abs(value):
        exponent -= 1
    quantum = Fraction(2) ** (max(exponent, int(info.minexp)) - int(info.nmant))
    rounded = round(value / quantum) * quantum  # a Fraction rounds half to even
    if abs(rounded) > Fraction(float(info.max)):
        return math.inf if value > 0 else -math.inf
    return float(rounded) if rounded else math.copysign(0.0, value)


def converted(array: Array, source: str, target: str) -> Array:
    """What each value becomes, worked out exactly."""
    values = array.astype(np.float64).tolist() if source in FLOATS else array.tolist()
    if target == "i1":
        return np.array([value != 0 for value in values])  # NaN is not 0
    if target in FLOATS:
        exact = [Fraction(v) if isinstance(v, int) else v for v in values]
        return np.array([nearest(v, target) for v in exact]).astype(dtype_of(target))
    if source in FLOATS:
        return np.array([_saturated(value, target) for value in values], dtype_of(target))
    return np.array([wrapped(int(value), target) for value in values], dtype_of(target))


def _saturated(value: float, target: str) -> int:
    """Truncated toward zero; the nearest bound outside of the range, 0 for NaN."""
    info = np.iinfo(dtype_of(target))
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return int(info.max if value > 0 else info.min)
    return min(max(math.trunc(value), int(info.min)), int(info.max))
