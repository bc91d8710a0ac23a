"""Elementwise functions in the reference: edges, and mpmath for complex numbers."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest
from reference_arrays import INF, NAN, array, same

from shlo_tools import reference
from shlo_tools.reference import functions

EDGES: list[tuple[str, str, list[list[Any]], list[Any]]] = [
    ("atan2", "f64", [[0.0, -0.0, INF], [-0.0, -0.0, -INF]], [math.pi, -math.pi, 0.75 * math.pi]),
    ("cbrt", "f64", [[-8.0, -0.0]], [-2.0, -0.0]),
    ("ceil", "f32", [[-0.3]], [-0.0]),
    ("count_leading_zeros", "i4", [[0, 1, -1]], [4, 3, 0]),
    ("count_leading_zeros", "ui64", [[0, 1]], [64, 63]),
    ("exponential_minus_one", "f32", [[-0.0]], [-0.0]),
    ("floor", "f32", [[-0.3, -0.0]], [-1.0, -0.0]),
    ("log", "f32", [[-1.0, -0.0]], [NAN, -INF]),
    ("log_plus_one", "f64", [[-1.0, -2.0, -0.0]], [-INF, NAN, -0.0]),
    ("logistic", "f32", [[-1000.0, 1000.0, NAN]], [0.0, 1.0, NAN]),
    ("popcnt", "i8", [[-1, 0]], [8, 0]),
    ("popcnt", "i2", [[-1]], [2 - 4]),  # 2 does not fit and wraps
    (
        "power",
        "i32",
        [[2, -1, 0, 0, 3], [-1, -3, -1, 0, 40]],
        [0, -1, 0, 1, (3**40 + 2**31) % 2**32 - 2**31],
    ),
    ("power", "f64", [[1.0, NAN, -8.0, -0.0], [NAN, 0.0, 3.0, -3.0]], [1.0, 1.0, -512.0, -INF]),
    ("round_nearest_afz", "f32", [[0.49999997, 8388609.0, -0.4, 2.5]], [0, 8388609.0, -0.0, 3]),
    ("round_nearest_even", "f32", [[-0.5, 0.5, 1.5, 2.5]], [-0.0, 0.0, 2.0, 2.0]),
    ("rsqrt", "f32", [[0.0, -0.0, -1.0, INF]], [INF, -INF, NAN, 0.0]),
    ("sign", "f32", [[-0.0, NAN, -3.0]], [-0.0, NAN, -1.0]),
    ("sine", "f32", [[INF]], [NAN]),
    ("sqrt", "f32", [[-0.0, -1.0]], [-0.0, NAN]),
    ("tanh", "f32", [[-0.0, 1e4]], [-0.0, 1.0]),
]


@pytest.mark.parametrize(("name", "element", "operands", "expected"), EDGES)
def test_edge(name: str, element: str, operands: list[list[Any]], expected: list[Any]) -> None:
    function = reference.EVALUATORS[f"stablehlo.{name}"]
    inputs = [array(element, *values) for values in operands]
    same(function(*inputs), array(element, *expected))


COMPLEX_EDGES: list[tuple[str, complex, complex]] = [
    ("exponential", complex(-INF, 1), 0),
    ("log", complex(-1, -0.0), complex(0, -math.pi)),
    ("sqrt", complex(-1, -0.0), complex(0, -1)),
    ("sqrt", complex(-1, 0.0), complex(0, 1)),
    ("tanh", complex(100, 1), 1),
    ("tan", complex(1, 1000), 1j),
    ("sign", 0, 0),
    ("sign", complex(3e200, 4e200), complex(0.6, 0.8)),
    ("logistic", complex(-800, 1), 0),
    ("cbrt", -8, complex(1, math.sqrt(3))),
    ("log_plus_one", complex(1e-8, 1e-8), complex(1e-8, 1e-8 - 1e-16)),
]


@pytest.mark.parametrize(("name", "operand", "expected"), COMPLEX_EDGES)
def test_complex_edge(name: str, operand: complex, expected: complex) -> None:
    result = reference.EVALUATORS[f"stablehlo.{name}"](np.array([operand], np.complex128))
    np.testing.assert_allclose(result, [expected], rtol=1e-14, atol=1e-300)


def test_complex_formulas_keep_their_digits() -> None:
    """Against mpmath where the textbook formulas cancel."""
    z = np.array([1e-9 + 1e-5j, -1e-10 - 1.4e-5j, 0.3 - 2j, -5e-11 + 1e-5j])
    for name, exact in (("log_plus_one", mpmath.log1p), ("exponential_minus_one", mpmath.expm1)):
        result = reference.EVALUATORS[f"stablehlo.{name}"](z)
        with mpmath.workdps(60):
            expected = [complex(_complex_of(name, exact, value)) for value in z]
        np.testing.assert_allclose(result.real, np.real(expected), rtol=3e-16)
        np.testing.assert_allclose(result.imag, np.imag(expected), rtol=3e-16)


def _complex_of(name: str, exact: Any, value: complex) -> Any:
    z = mpmath.mpc(value.real, value.imag)
    return mpmath.log(1 + z) if name == "log_plus_one" else mpmath.exp(z) - 1


def test_complex_power_of_zero() -> None:
    base, exponent = np.zeros(2, complex), np.array([0, 2.0], complex)
    np.testing.assert_array_equal(functions.power(base, exponent), [1, 0])
