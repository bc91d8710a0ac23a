"""Elementwise ops of the reference: edges of the specification."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reference_arrays import INF, NAN, array, same

from shlo_tools import errors, reference
from shlo_tools.ops.elementwise import ComparisonDirection, ComparisonType
from shlo_tools.reference import elementwise

# --- elementwise edges ----------------------------------------------------------------------------
LOW, HIGH = -(2**31), 2**31 - 1


EDGES: list[tuple[str, str, list[list[Any]], list[Any]]] = [
    ("abs", "i32", [[LOW, -5]], [LOW, 5]),
    ("abs", "f32", [[-0.0, -INF]], [0.0, INF]),
    ("add", "i1", [[True, True, False], [True, False, False]], [True, True, False]),
    ("add", "i32", [[HIGH], [1]], [LOW]),
    ("add", "i4", [[7], [1]], [-8]),
    ("add", "ui2", [[3], [2]], [1]),
    ("clamp", "f32", [[5.0, 1.0], [0.0, NAN], [1.0, 2.0]], [1.0, NAN]),
    ("divide", "i32", [[7, -7, 5, LOW], [-2, 2, 0, -1]], [-3, -3, -1, LOW]),
    ("divide", "ui8", [[7], [0]], [255]),
    ("maximum", "f32", [[NAN, -0.0, 0.0], [1.0, 0.0, -0.0]], [NAN, 0.0, 0.0]),
    ("minimum", "bf16", [[1.0, -0.0, 0.0], [NAN, 0.0, -0.0]], [NAN, -0.0, -0.0]),
    ("maximum", "ui8", [[255], [1]], [255]),
    ("multiply", "i4", [[-8], [-8]], [0]),
    ("negate", "i32", [[LOW]], [LOW]),
    ("negate", "ui8", [[1]], [255]),
    ("negate", "f16", [[0.0]], [-0.0]),
    ("not", "i1", [[True, False]], [False, True]),
    ("not", "ui4", [[5]], [10]),
    ("remainder", "i32", [[-7, 7, 5, LOW], [2, -2, 0, -1]], [-1, 1, 5, 0]),
    ("remainder", "f32", [[5.0, -0.0, 1.0], [INF, 1.0, 0.0]], [5.0, -0.0, NAN]),
    ("shift_left", "i8", [[1, 1, 1], [7, 8, -1]], [-128, 0, 0]),
    ("shift_right_arithmetic", "i8", [[-128, 64], [100, -1]], [-1, 0]),
    ("shift_right_arithmetic", "ui8", [[0x80], [1]], [0xC0]),
    ("shift_right_logical", "i8", [[-1, -1], [4, 8]], [15, 0]),
    ("shift_right_logical", "i4", [[-1], [2]], [3]),
]


@pytest.mark.parametrize(("name", "element", "operands", "expected"), EDGES)
def test_edge(name: str, element: str, operands: list[list[Any]], expected: list[Any]) -> None:
    function = reference.EVALUATORS[f"stablehlo.{name}"]
    inputs = [array(element, *values) for values in operands]
    same(function(*inputs), array(element, *expected))


@pytest.mark.parametrize(("operand", "expected"), [(3e38 + 0j, 3e38), (complex(INF, NAN), INF)])
def test_complex_modulus(operand: complex, expected: float) -> None:
    np.testing.assert_array_equal(elementwise.abs(np.array([operand])), [expected])


def test_remainder_of_complex_is_refused() -> None:
    with pytest.raises(errors.UnsupportedError, match="complex"):
        elementwise.remainder(np.ones(1, complex), np.ones(1, complex))


# --- comparing ------------------------------------------------------------------------------------
def test_total_order() -> None:
    ordered = array("f32", -NAN, -INF, -1, -0.0, 0.0, 1, INF, NAN)
    bits = ordered.view(np.uint32)
    bits[0] |= 1 << 31
    lhs, rhs = np.meshgrid(ordered, ordered, indexing="ij")
    less = elementwise.compare(lhs, rhs, ComparisonDirection.LT, ComparisonType.TOTALORDER)
    np.testing.assert_array_equal(less, np.arange(8)[:, None] < np.arange(8)[None])
    equal = elementwise.compare(lhs, rhs, ComparisonDirection.EQ, ComparisonType.TOTALORDER)
    np.testing.assert_array_equal(equal, np.eye(8, dtype=bool))


def test_float_comparison_with_nan() -> None:
    x, y = array("f8E4M3FN", NAN, 1), array("f8E4M3FN", NAN, NAN)
    for direction in ComparisonDirection:
        expected = direction is ComparisonDirection.NE
        assert elementwise.compare(x, y, direction).tolist() == [expected] * 2


def test_complex_comparison_is_lexicographic() -> None:
    lhs, rhs = np.array([1 + 5j, 1 + 2j, 2 + 0j]), np.array([2 + 0j, 1 + 3j, 1 + 9j])
    less = elementwise.compare(lhs, rhs, ComparisonDirection.LT)
    assert less.tolist() == [True, True, False]
    assert elementwise.compare(lhs, rhs, ComparisonDirection.GE).tolist() == [False, False, True]
