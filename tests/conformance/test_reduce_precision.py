"""reduce_precision against ml_dtypes' types and against its definition on fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from batch import check
from cases._case import Case, operation
from cases._inputs import singles
from cases._tolerances import BITS
from cases._types import dtype_of
from expected import FLOATS

Array = np.ndarray[Any, Any]


def reduced(value: float, exponent_bits: int, mantissa_bits: int, info: Any) -> float:
    """The definition: round the significand to even, then flush by the exponent's range.

    The source's own exponent range is never widened: where it is the smaller one its denormals
    are rounded at its own smallest exponent, and nothing is flushed.
    """
    if value == 0 or not np.isfinite(value):
        return value
    exact = Fraction(value)
    exponent = max(_exponent(exact), int(info.minexp))
    unit = Fraction(2) ** (exponent - min(mantissa_bits, info.nmant))
    rounded = _to_even(exact / unit, mantissa_bits, exponent, info) * unit
    narrow = exponent_bits < info.bits - 1 - info.nmant
    bias = (1 << (exponent_bits - 1)) - 1
    sign = float(np.copysign(1, value))
    if narrow and (rounded == 0 or _exponent(rounded) <= -bias or _denormal(rounded, info)):
        return sign * 0.0
    if abs(rounded) > Fraction(float(info.max)) or (narrow and _exponent(rounded) > bias):
        return sign * np.inf
    return float(rounded) if rounded else sign * 0.0


def _exponent(value: Fraction) -> int:
    """floor(log2(|value|))."""
    results = abs(value).numerator.bit_length() - abs(value).denominator.bit_length()
    return results if Fraction(2) ** results <= abs(value) else results - 1


def _denormal(value: Fraction, info: Any) -> bool:
    return abs(value) < Fraction(float(info.smallest_normal))


def _to_even(scaled: Fraction, mantissa_bits: int, exponent: int, info: Any) -> int:
    """Round half to even; without mantissa bits the exponent's last bit says what is even."""
    low = scaled.numerator // scaled.denominator
    rest = scaled - low
    if rest != Fraction(1, 2):
        return low + (rest > Fraction(1, 2))
    if mantissa_bits > 0:
        return low + low % 2
    biased = exponent - int(info.minexp) + 1 if abs(scaled) >= 1 else 0
    magnitude = abs(scaled).numerator // abs(scaled).denominator
    away = biased % 2 == 1
    return int(np.copysign(magnitude + away, float(scaled)))


def expected(x: Array, exponent_bits: int, mantissa_bits: int) -> Array:
    info = ml_dtypes.finfo(x.dtype)
    values = [reduced(float(v), exponent_bits, mantissa_bits, info) for v in x]
    return np.where(np.isnan(x), x, np.array(values).astype(x.dtype))


def case(x: Array, exponent_bits: int, mantissa_bits: int, target: Array | None = None) -> Case:
    attributes = f"exponent_bits = {exponent_bits} : i32, mantissa_bits = {mantissa_bits} : i32"
    result = expected(x, exponent_bits, mantissa_bits) if target is None else target
    return operation("reduce_precision", [x], result, attributes, tolerance=BITS)


WIDTHS = (
    (5, 10),
    (8, 7),
    (8, 23),
    (11, 52),
    (4, 3),
    (5, 2),
    (8, 1),
    (3, 20),
    (8, 0),
    (1, 0),
    (2, 0),
)


@pytest.mark.parametrize("element", FLOATS)
def test_definition(element: str) -> None:
    """Every edge of the type, powers of two and their neighbours, ties; NaN payloads stay."""
    powers = [2.0**n for n in range(-20, 20)]
    ties = [1.5, 2.5, 3.0, 6.0, 1.75, 65519.0, 65520.0, 1.0 + 2.0**-8, 1.0 + 3 * 2.0**-8]
    around = [p * f for p in powers for f in (1.0, 1.0 + 2.0**-7, 1.5, 2 - 2.0**-7)]
    with np.errstate(over="ignore"):
        some = np.array([*around, *ties, *(-t for t in ties)]).astype(dtype_of(element))
    x = np.concatenate([singles(element), some])
    check([case(x, *widths) for widths in WIDTHS])


def test_types_of_ml_dtypes() -> None:
    """With its own widths a type's finite normal numbers are what a conversion gives."""
    x = np.concatenate([singles("f32"), np.linspace(-600, 600, 3001, dtype=np.float32)])
    x = x[np.isfinite(x)]
    cases = []
    for name, widths in (("float16", (5, 10)), ("bfloat16", (8, 7)), ("float8_e5m2", (5, 2))):
        narrow = np.dtype(getattr(ml_dtypes, name, name))
        with np.errstate(over="ignore"):
            converted = x.astype(narrow)
        normal = np.abs(converted.astype(np.float32)) >= float(
            ml_dtypes.finfo(narrow).smallest_normal
        )
        kept = normal | (widths[0] == 8)  # bfloat16 has the exponents of f32
        cases.append(case(x[kept], *widths, converted[kept].astype(np.float32)))
    check(cases)


def test_known_values() -> None:
    """The spec's example, and what no mantissa or one exponent bit leaves."""
    infinite, nan = np.inf, np.nan
    x = np.array([infinite, nan, 5e-324, 0.0, 65519.0, 65520.0])
    known = np.array([infinite, nan, 0.0, 0.0, 65504.0, infinite])
    check(
        [
            case(x, 5, 10, known),
            case(np.array([3.0, 6.0, -0.7], "f"), 8, 0, np.array([2.0, 8.0, -0.5], "f")),
            case(np.array([1.0, 2.0, -2.0], "f"), 1, 23, np.array([0, np.inf, -np.inf], "f")),
        ]
    )
