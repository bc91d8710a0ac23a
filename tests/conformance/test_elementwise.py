"""Elementwise ops on every real type (and the complex basics), edges against edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from batch import check
from cases._case import Case, operation, snippet, type_of
from cases._inputs import dense, edges, pairs, singles, triples
from cases._tolerances import BITS, EXACT
from cases._types import COMPLEX, dtype_of
from expected import (
    BOOLEAN_OPS,
    FLOAT_OPS,
    FLOATS,
    INTEGER_OPS,
    REAL,
    SIGNED,
    bits_of,
    expected,
    table,
)

pytestmark = pytest.mark.usefixtures("unmapped_neighbours")

Array = np.ndarray[Any, Any]

UNARY: tuple[str, ...] = ("abs", "ceil", "count_leading_zeros", "floor", "negate", "not")
UNARY += ("popcnt", "round_nearest_afz", "round_nearest_even", "sign", "sqrt")
SIGNED_ONLY = ("abs", "sign")
BINARY = sorted({*BOOLEAN_OPS, *FLOAT_OPS, *INTEGER_OPS} - set(UNARY))
# Flipping or clearing a sign is an operation on bits, that of a NaN too.
ON_BITS = ("abs", "negate")


def _types(name: str) -> list[str]:
    elements = (*REAL, *COMPLEX)
    return [
        element
        for element in elements
        if name in table(element) and not (name in SIGNED_ONLY and element.startswith("ui"))
    ]


@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str) -> None:
    near = BITS if name in ON_BITS else EXACT
    check(
        [
            operation(name, [x], expected(name, element, x), tolerance=near)
            for element in _types(name)
            for x in [dense(element) if element in FLOATS else singles(element)]
        ]
    )


@pytest.mark.parametrize("name", BINARY)
def test_binary(name: str) -> None:
    check(
        [
            operation(name, pairs(element), expected(name, element, *pairs(element)))
            for element in _types(name)
        ]
    )


# --- comparing and choosing -----------------------------------------------------------------------
DIRECTIONS = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "LT": np.less,
    "LE": np.less_equal,
    "GT": np.greater,
    "GE": np.greater_equal,
}


def _answers(direction: str, x: Array, y: Array) -> Array:
    with np.errstate(invalid="ignore"):
        return DIRECTIONS[direction](x, y)


def _compare(direction: str, operands: Any, expected: Array, type: str = "") -> Case:
    attributes = f"comparison_direction = #stablehlo<comparison_direction {direction}>"
    if type:
        attributes += f", compare_type = #stablehlo<comparison_type {type}>"
    return operation("compare", operands, expected, attributes)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_compare(direction: str) -> None:
    """NaN is unequal to everything and not ordered; unsigned and i1 order as unsigned numbers."""
    cases = []
    for element in REAL:
        expected = _answers(direction, *pairs(element))
        cases.append(_compare(direction, pairs(element), expected))
        if element in FLOATS:
            cases.append(_compare(direction, pairs(element), expected, "FLOAT"))
        else:
            type = "SIGNED" if element in SIGNED else "UNSIGNED"
            cases.append(_compare(direction, pairs(element), expected, type))
    check(cases)


def _total_order(array: Array) -> Array:
    """-NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN, as Python integers."""
    bits = bits_of(array).astype(object)
    lowest = int(np.iinfo(bits_of(array).dtype).min)
    return np.array([b if b >= 0 else lowest - b - 1 for b in bits], object)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_compare_total_order(direction: str) -> None:
    """Zeros and NaNs are ordered by sign and payload; equality is equality of bits."""
    cases = []
    for element in FLOATS:
        x, y = pairs(element)
        payload = (bits_of(np.array([np.nan], dtype_of(element))) + 1).view(dtype_of(element))
        x = np.concatenate([x, np.repeat(payload, 3), x[:3]])
        y = np.concatenate([y, payload, [np.nan, np.inf], np.repeat(payload, 3)]).astype(x.dtype)
        keys = _total_order(x), _total_order(y)
        expected = DIRECTIONS[direction](*keys).astype(bool)
        cases.append(_compare(direction, (x, y), expected, "TOTALORDER"))
    check(cases)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_compare_complex(direction: str) -> None:
    """By real parts, then by imaginary parts."""
    cases = []
    for element in COMPLEX:
        x, y = pairs(element)
        tuples = zip(x.tolist(), y.tolist(), strict=True)
        rows = [((a.real, a.imag), (b.real, b.imag)) for a, b in tuples]
        answers = {
            "EQ": [a == b for a, b in rows],
            "NE": [a != b for a, b in rows],
            "LT": [a < b for a, b in rows],
            "LE": [a <= b for a, b in rows],
            "GT": [a > b for a, b in rows],
            "GE": [a >= b for a, b in rows],
        }
        cases.append(_compare(direction, (x, y), np.array(answers[direction])))
    check(cases)


def test_select() -> None:
    """Whole elements are chosen, NaN payloads included; a scalar predicate chooses everything."""
    cases = []
    for element in (*REAL, *COMPLEX):
        x, y = pairs(element)
        pred = np.arange(len(x)) % 3 == 0
        expected = np.where(pred, x, y)
        cases.append(operation("select", [pred, x, y], expected, tolerance=BITS))
        for scalar in (np.array(True), np.array(False)):
            expected = x if scalar else y
            cases.append(operation("select", [scalar, x, y], expected, tolerance=BITS))
    check(cases)


def test_clamp() -> None:
    """min(max(operand, low), high): NaN wins, and where low > high it is high."""
    cases = []
    for element in REAL:
        low, x, high = triples(element)

        def clamped(low: Array, x: Array, high: Array, element: str = element) -> Array:
            return expected("minimum", element, expected("maximum", element, x, low), high)

        cases.append(operation("clamp", [low, x, high], clamped(low, x, high)))
        one, two = np.array(edges(element)[0]), np.array(edges(element)[-1])
        target = clamped(np.full_like(x, one), x, np.full_like(x, two))
        cases.append(operation("clamp", [one, x, two], target))
        cases.append(operation("clamp", [one, x, high], clamped(np.full_like(x, one), x, high)))
        cases.append(operation("clamp", [low, x, two], clamped(low, x, np.full_like(x, two))))
    check(cases)


def test_is_finite() -> None:
    check(
        [
            operation("is_finite", [x], np.isfinite(x))
            for element in FLOATS
            for x in [singles(element)]
        ]
    )


# --- complex numbers ------------------------------------------------------------------------------
def test_complex_parts() -> None:
    cases = []
    for element, part in zip(COMPLEX, ("f32", "f64"), strict=True):
        z, (re, im) = singles(element), pairs(part)
        cases.append(operation("real", [z], z.real.copy(), tolerance=BITS))
        cases.append(operation("imag", [z], z.imag.copy(), tolerance=BITS))
        result = np.empty(re.shape, dtype_of(element))
        result.real, result.imag = re, im
        cases.append(operation("complex", [re, im], result, tolerance=BITS))
    for element in FLOATS:
        x = singles(element)
        cases.append(operation("real", [x], x, tolerance=BITS))
        cases.append(operation("imag", [x], np.zeros_like(x)))
    check(cases)


# --- rounding -------------------------------------------------------------------------------------
def test_every_operation_rounds() -> None:
    """16-bit floats are rounded after every op, not once at the end."""
    text = """
      %sum = stablehlo.add %in0, %in1 : {0}
      %out0 = stablehlo.subtract %sum, %in0 : {0}
      %square = stablehlo.multiply %in0, %in1 : {0}
      %out1 = stablehlo.add %square, %in0 : {0}"""
    cases = []
    for element in FLOATS:
        x, y = pairs(element)
        with np.errstate(all="ignore"):
            results = [(x + y) - x, (x * y) + x]  # no fused multiply-add either
        cases.append(snippet(element, text.format(type_of(x)), [x, y], results))
    check(cases)
