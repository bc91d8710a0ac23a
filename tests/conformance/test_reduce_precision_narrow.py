"""reduce_precision on floats of 8 bits and less, against lists of the numbers that are left.

With fewer mantissa bits those are the numbers whose codes end in zeros. As for wider types the
type's own range of exponents is never widened: with as many exponent bits nothing is flushed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from batch import check
from cases._case import Case, operation
from cases._tolerances import EXACT, difference
from cases._types import dtype_of, finfo
from narrow import NARROW, POWERS, every, magnitudes, rounded, wide

from shlo_tools.dtypes import ELEMENT_TYPES
from shlo_tools.reference import conversion

Array = np.ndarray[Any, Any]

FORMATS = [(exponent, mantissa) for exponent in (1, 2, 3, 4, 5, 8, 11) for mantissa in (0, 1, 2, 7)]

each = pytest.mark.parametrize("element", NARROW)


def reduced(element: str, exponent_bits: int, mantissa_bits: int) -> Array:
    """What every code becomes, by comparing numbers."""
    stored = int(finfo(dtype_of(element)).nmant)
    left = magnitudes(element)[:: 1 << max(0, stored - mantissa_bits)]
    step = left[-1] if min(stored, mantissa_bits) == 0 else left[-1] - left[-2]
    left = np.append(left, left[-1] + step)  # what is nearest to this one is too large
    middles = (left[1:] + left[:-1]) / 2
    inputs = wide(every(element))
    index = np.searchsorted(middles, np.abs(inputs))
    tie = np.abs(inputs) == np.append(middles, np.nan)[index]
    results = left[index + (tie & (index % 2 == 1))]
    results = np.where(results == left[-1], np.inf, results)
    if exponent_bits < ELEMENT_TYPES[element].bits - (element != POWERS) - stored:
        reach = (1 << (exponent_bits - 1)) - 1
        results = np.where(results >= 2.0 ** (reach + 1), np.inf, results)
        results = np.where(results < 2.0 ** (1 - reach), 0, results)
    return rounded(np.copysign(np.where(np.isnan(inputs), inputs, results), inputs), element)


def _case(element: str, exponent_bits: int, mantissa_bits: int) -> Case:
    attributes = f"exponent_bits = {exponent_bits} : i32, mantissa_bits = {mantissa_bits} : i32"
    expected = reduced(element, exponent_bits, mantissa_bits)
    inputs = every(element)
    return operation("reduce_precision", [inputs], expected, attributes)


@each
def test_every_code(element: str) -> None:
    check([_case(element, *format) for format in FORMATS])


@each
def test_every_code_in_the_reference(element: str) -> None:
    for exponent_bits, mantissa_bits in FORMATS:
        inputs = conversion.reduce_precision(every(element), exponent_bits, mantissa_bits)
        expected = reduced(element, exponent_bits, mantissa_bits)
        assert difference(inputs, expected, EXACT) == "", (exponent_bits, mantissa_bits)


# Written out: a type's own format leaves its numbers alone, the least ones too.
KEPT = {"f8E5M2": (5, 2), "f8E4M3FN": (4, 3), "f8E8M0FNU": (8, 0), "f4E2M1FN": (2, 1)}


@pytest.mark.parametrize("element", KEPT)
def test_the_oracle_keeps_what_a_format_holds(element: str) -> None:
    assert difference(reduced(element, *KEPT[element]), every(element), EXACT) == ""


def test_the_oracle_on_a_few_numbers() -> None:
    inputs = np.array([2.0**-16, 3 * 2.0**-16, 1.25, 1.75, 57344, 2.0**-14], dtype_of("f8E5M2"))
    codes = inputs.view(np.uint8)
    for format, expected in {
        (5, 1): [0, 2.0**-14, 1, 2, np.inf, 2.0**-14],  # halves to even
        (4, 2): [0, 0, 1.25, 1.75, np.inf, 0],  # 2^-6 to 1.75 * 2^7
        (8, 0): [0, 2.0**-14, 1, 2, np.inf, 2.0**-14],
    }.items():
        np.testing.assert_array_equal(wide(reduced("f8E5M2", *format)[codes]), expected)
