"""CHLO ops on floats of 8 bits and less: every code with every code.

Powers of f8E8M0FNU are worked out from exponents: it has no zero for what underflows f64.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from batch import run
from cases._case import program
from cases._types import dtype_of
from narrow import NARROW, POWERS, Array, every, pairs, wide
from test_chlo import case

import shlo_tools


def neighbours(element: str) -> tuple[Array, Array]:
    """For every pair of numbers the one next to the first toward the second, and its sign bit.

    Found in the sorted list of all values; -0 and 0 count as one, of which a number that comes
    from below zero reaches -0.
    """
    x, y = (wide(operand) for operand in pairs(element))
    values = wide(every(element))
    order = np.unique(values[~np.isnan(values)])
    at = np.searchsorted(order, x)
    above, below = (np.take(order, at + step, mode="clip") for step in (1, -1))
    moved = np.where(x < y, above, np.where(x > y, below, y))
    moved = np.where(np.isnan(x) | np.isnan(y), np.nan, moved)
    return moved, np.where(moved == 0, np.where(x == y, np.signbit(y), x < 0), moved < 0)


@pytest.mark.parametrize("element", NARROW)
def test_next_after_is_the_neighbour_in_the_list_of_all_values(element: str) -> None:
    x, y = pairs(element)
    values, negative = neighbours(element)
    text = program([case("next_after", [x, y], x)])
    for name, computed in (
        ("native", run(text, x, y)[0]),
        ("reference", shlo_tools.interpret(text, x, y)),
    ):
        result = wide(computed)
        wrong = ~np.isclose(result, values, rtol=0, atol=0, equal_nan=True)
        if element not in (POWERS, *(n for n in NARROW if n.endswith("FNUZ"))):  # others have no -0
            wrong |= (np.signbit(result) != negative) & ~np.isnan(values)
        assert not wrong.any(), (name, x[wrong][0], y[wrong][0], result[wrong][0])


# --- f8E8M0FNU: 2^-127 to 2^127 -------------------------------------------------------------------
def power_of_two(exponent: Fraction) -> float:
    """What 2^exponent rounds to: the nearest power of two, NaN beyond the largest."""
    if exponent < -127:
        return 2.0**-127
    if exponent > 128:
        return float("nan")
    below = exponent.numerator // exponent.denominator
    nearest = below + (exponent - below > Fraction(math.log2(1.5)))  # 1.5 is in the middle
    return 2.0**nearest if nearest <= 127 else float("nan")


def test_powers_of_powers_of_two_have_the_product_of_exponents() -> None:
    x, y = pairs(POWERS)
    exponents = np.stack([codes.view(np.uint8).astype(int) - 127 for codes in (x, y)], axis=1)
    numbers = (exponents < 128).all(axis=1)  # 128 is NaN's
    expected = np.ones(len(x))  # what is no number is not compared
    expected[numbers] = [power_of_two(a * Fraction(2) ** int(b)) for a, b in exponents[numbers]]
    text = program([case("broadcast_power", [x, y], x)])
    for computed in (run(text, x, y)[0], shlo_tools.interpret(text, x, y)):
        result = wide(computed)
        wrong = numbers & ~np.isclose(result, expected, rtol=0, atol=0, equal_nan=True)
        assert not wrong.any(), (x[wrong][0], y[wrong][0], result[wrong][0], expected[wrong][0])


def test_functions_that_vanish_become_the_least_number() -> None:
    """0 < erfc(x) < exp(-x^2) and q^-x < zeta(x, q) < 2 q^-x, which are less than 2^-127 here."""
    x = np.array([16, 32, 64, 2.0**100], dtype_of(POWERS))
    q = np.array([2.0**20, 256, 2, 2.0**127], dtype_of(POWERS))
    order = np.array([16, 256, 2.0**100, 2.0**127], dtype_of(POWERS))
    for name, operands in (("erfc", [x]), ("zeta", [order, q])):
        text = program([case(name, operands, x)])
        for computed in (run(text, *operands)[0], shlo_tools.interpret(text, *operands)):
            assert np.array_equal(wide(computed), np.full(4, 2.0**-127)), (name, computed)
