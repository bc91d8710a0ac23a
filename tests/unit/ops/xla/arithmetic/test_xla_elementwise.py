"""Elementwise functions compute what numpy and scipy do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special
from xla_runs import check, close, ran, refused

from shlo_tools.ops import xla

A = np.array([[5, -3, 2], [7, 0, -8]], np.int32)
B = np.array([[2, 2, -3], [-4, 5, 3]], np.int32)
X = np.array([[0.5, -1.25, 3.0], [1e-3, -0.0, 7.5]])
POSITIVE = np.array([0.25, 1.0, 2.5, 700.0])
PRED = np.array([True, False, True]), np.array([True, True, False])


def _divided(a: Any, b: Any) -> Any:
    return np.trunc(a / b).astype(a.dtype)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Add", np.add),
        ("Sub", np.subtract),
        ("Mul", np.multiply),
        ("Div", _divided),
        ("Rem", np.fmod),
        ("Max", np.maximum),
        ("Min", np.minimum),
        ("LogicalAnd", np.bitwise_and),
        ("LogicalOr", np.bitwise_or),
        ("And", np.bitwise_and),
        ("Or", np.bitwise_or),
        ("Xor", np.bitwise_xor),
        ("Eq", np.equal),
        ("Ne", np.not_equal),
        ("Ge", np.greater_equal),
        ("Gt", np.greater),
        ("Le", np.less_equal),
        ("Lt", np.less),
        ("EqTotalOrder", np.equal),
        ("NeTotalOrder", np.not_equal),
        ("GeTotalOrder", np.greater_equal),
        ("GtTotalOrder", np.greater),
        ("LeTotalOrder", np.less_equal),
        ("LtTotalOrder", np.less),
    ],
)
def test_integers(name: str, expected: Callable[..., Any]) -> None:
    check(getattr(xla, name), (A, B), expected(A, B))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ShiftLeft", lambda a, n: a << n),
        ("ShiftRightArithmetic", lambda a, n: a >> n),
        ("ShiftRightLogical", lambda a, n: (a.view(np.uint32) >> n.view(np.uint32)).view(np.int32)),
    ],
)
def test_shifts(name: str, expected: Callable[..., Any]) -> None:
    check(getattr(xla, name), (A, np.abs(B)), expected(A, np.abs(B)))


@pytest.mark.parametrize(
    ("name", "expected"),
    [("LogicalAnd", np.logical_and), ("LogicalOr", np.logical_or), ("Add", np.logical_or)],
)
def test_booleans(name: str, expected: Callable[..., Any]) -> None:
    check(getattr(xla, name), PRED, expected(*PRED))


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Pow", np.power), ("Atan2", np.arctan2), ("Complex", lambda a, b: a + 1j * b)],
)
def test_floats_of_two(name: str, expected: Callable[..., Any]) -> None:
    other = POSITIVE[::-1] / 100
    close(getattr(xla, name), (POSITIVE, other), expected(POSITIVE, other))


ORDER = [-np.nan, -np.inf, -1.5, -0.0, 0.0, 1.5, np.inf, np.nan]  # as the document has it
TOTAL = {
    "EqTotalOrder": np.equal,
    "NeTotalOrder": np.not_equal,
    "GeTotalOrder": np.greater_equal,
    "GtTotalOrder": np.greater,
    "LeTotalOrder": np.less_equal,
    "LtTotalOrder": np.less,
}


@pytest.mark.parametrize("name", TOTAL)
def test_the_total_order_of_floats(name: str) -> None:
    values = np.array(ORDER, np.float32)
    values[0] = np.copysign(np.float32(np.nan), np.float32(-1))
    places = np.arange(len(ORDER))
    a, b = np.repeat(values, len(ORDER)), np.tile(values, len(ORDER))
    i, j = np.repeat(places, len(ORDER)), np.tile(places, len(ORDER))
    check(getattr(xla, name), (a, b), TOTAL[name](i, j))


def test_comparisons_of_floats_are_those_of_ieee_754() -> None:
    a, b = np.array([np.nan, 0.0, 1.0]), np.array([np.nan, -0.0, np.nan])
    check(xla.Eq, (a, b), np.array([False, True, False]))
    check(xla.Ne, (a, b), np.array([True, False, True]))


def test_unsigned_comparisons() -> None:
    a = np.array([0, 200], np.uint8)
    check(lambda x: xla.Gt(x, 100), (a,), np.array([False, True]))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Abs", np.abs),
        ("Ceil", np.ceil),
        ("Cos", np.cos),
        ("Exp", np.exp),
        ("Floor", np.floor),
        ("Imag", np.imag),
        ("IsFinite", np.isfinite),
        ("Logistic", scipy.special.expit),
        ("Neg", np.negative),
        ("Real", np.real),
        ("Sign", np.sign),
        ("Cbrt", np.cbrt),
        ("Tanh", np.tanh),
        ("RoundNearestEven", np.rint),
        ("Sin", np.sin),
        ("Tan", np.tan),
        ("Expm1", np.expm1),
        ("Erf", scipy.special.erf),
    ],
)
def test_floats(name: str, expected: Callable[..., Any]) -> None:
    close(getattr(xla, name), (X,), expected(X))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Log", np.log),
        ("Log1p", np.log1p),
        ("Rsqrt", lambda x: 1 / np.sqrt(x)),
        ("Sqrt", np.sqrt),
    ],
)
def test_positive_floats(name: str, expected: Callable[..., Any]) -> None:
    close(getattr(xla, name), (POSITIVE,), expected(POSITIVE))


def test_ties_of_rounding() -> None:
    halves = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5])
    check(xla.Round, (halves,), np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0]))
    check(xla.RoundNearestEven, (halves,), np.array([-2.0, -2.0, -0.0, 0.0, 2.0, 2.0]))


def test_sign_keeps_zeros_and_nan() -> None:
    got = ran(xla.Sign, np.array([-2.0, -0.0, 0.0, 3.0, np.nan]))
    np.testing.assert_array_equal(got, [-1, 0, 0, 1, np.nan])
    assert list(np.signbit(got[:4])) == [True, True, False, False]


def test_parts_of_complex_numbers() -> None:
    z = np.array([1 + 2j, -3.5 - 1j])
    check(xla.Real, (z,), z.real)
    check(xla.Imag, (z,), z.imag)
    check(xla.Conj, (z,), z.conj())


def test_bits() -> None:
    numbers = np.array([0, 1, 6, 255], np.uint8)
    check(xla.PopulationCount, (numbers,), np.array([0, 1, 2, 8], np.uint8))
    check(xla.Clz, (numbers,), np.array([8, 7, 5, 0], np.uint8))
    check(xla.LogicalNot, (numbers,), ~numbers)
    check(xla.Not, (PRED[0],), ~PRED[0])


def test_numbers_and_lists_in_the_place_of_an_operand() -> None:
    check(lambda: xla.Neg([1.0, 2.0]), (), np.array([-1.0, -2.0]))


def test_an_element_type_that_the_op_has_not() -> None:
    assert "stablehlo.floor" in refused(xla.Floor, "3xi32")
