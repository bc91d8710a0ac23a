"""CHLO in the reference: special functions against mpmath, and its other ops."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from reference_arrays import INF, NAN, Array, array, run, same, type_of

from shlo_tools import reference
from shlo_tools.dtypes import ELEMENT_TYPES
from shlo_tools.reference.chlo import (
    bessel,
    contraction,
    elementary,
    error_functions,
    gamma_functions,
    scans,
    sorting,
)

SPECIAL: list[tuple[str, Any, list[float]]] = [
    ("digamma", mpmath.digamma, [0.1, 1.5, 3.5, 1e5, -0.5, -3.7, 1e-8]),
    ("erf", mpmath.erf, [-3, 1e-10, 0.5, 2.5]),
    ("erf_inv", mpmath.erfinv, [-0.999999, 1e-12, 0.3, 0.9, 0.5]),
    ("erfc", mpmath.erfc, [-3, 1e-10, 5.0, 20.0]),
    ("lgamma", lambda x: mpmath.log(abs(mpmath.gamma(x))), [0.1, 3.5, 1e5, -0.5, 1e-8]),
    ("bessel_i1e", lambda x: mpmath.besseli(1, x) * mpmath.exp(-abs(x)), [-2, 0.1, 29, 31, 700]),
    ("acosh", mpmath.acosh, [1.0000001, 5]),
    ("asinh", mpmath.asinh, [-1e-9, 3]),
    ("atanh", mpmath.atanh, [0.999, -1e-9]),
    ("sinh", mpmath.sinh, [1e-9, -3]),
]


@pytest.mark.parametrize(("name", "exact", "operands"), SPECIAL)
def test_special_function(name: str, exact: Any, operands: list[float]) -> None:
    result = reference.EVALUATORS[f"chlo.{name}"](np.array(operands))
    with mpmath.workdps(40):
        expected = [float(exact(mpmath.mpf(x))) for x in operands]
    np.testing.assert_allclose(result, expected, rtol=2e-15)


def test_bessel_i1e_is_odd() -> None:
    """Down to its zeros: at 0, and at infinity, where it ends."""
    result = bessel.bessel_i1e(np.array([0.0, -0.0, INF, -INF, NAN, 2.0, -2.0]))
    same(result[:4], np.array([0.0, -0.0, 0.0, -0.0]))
    assert np.isnan(result[4]) and result[5] == -result[6] > 0


def test_zeta_and_polygamma() -> None:
    x, q = np.array([1.1, 2, 5, 30, 2, 3]), np.array([0.5, 1, 100, 2, -2.5, -0.25])
    with mpmath.workdps(40):
        expected = [
            float(mpmath.zeta(mpmath.mpf(a), mpmath.mpf(b))) for a, b in zip(x, q, strict=True)
        ]
        derivatives = [float(mpmath.polygamma(n, 2.5)) for n in range(5)]
    np.testing.assert_allclose(gamma_functions.zeta(x, q), expected, rtol=1e-14)
    orders = np.arange(5.0)
    np.testing.assert_allclose(
        gamma_functions.polygamma(orders, np.full(5, 2.5)), derivatives, rtol=1e-14
    )
    edges = gamma_functions.zeta(np.array([1.0, 0.5, 2, 3]), np.array([2.0, 1, -1, -1]))
    np.testing.assert_array_equal(edges, [INF, NAN, INF, NAN])


def test_special_functions_at_their_poles() -> None:
    poles = array("f32", 0.0, -3.0)
    assert np.isnan(gamma_functions.digamma(poles)).all()
    assert (gamma_functions.lgamma(poles) == INF).all()
    ends = error_functions.erf_inv(array("f32", -1, 1, 2, -0.0))
    same(ends, array("f32", -INF, INF, NAN, -0.0))


@pytest.mark.parametrize("element", ["i8", "ui8", "i64", "ui64", "i4"])
def test_mulhi(element: str) -> None:
    bits = ELEMENT_TYPES[element].bits
    low = -(1 << (bits - 1)) if element[0] == "i" else 0
    values = [low, low + (1 << bits) - 1, 3, low + 5]
    result = elementary.mulhi(array(element, *values), array(element, *reversed(values)))
    expected = [(a * b) >> bits for a, b in zip(values, reversed(values), strict=True)]
    assert result.astype(object).astype(int).tolist() == expected


def test_next_after_is_the_neighbour() -> None:
    x = array("bf16", 1.0, 0.0, 3.0)
    result = elementary.next_after(x, array("bf16", 2.0, -1.0, 3.0)).astype(np.float64)
    tiny = Fraction(1, 2**133)
    assert result.tolist() == [1 + 2**-7, -float(tiny), 3.0]


def test_top_k_in_total_order() -> None:
    values, places = sorting.top_k(array("f32", 0.0, NAN, 2, -0.0, INF, 2), 6)
    same(values, array("f32", NAN, INF, 2, 2, 0.0, -0.0))
    assert places.tolist() == [1, 4, 2, 5, 0, 3]


def test_scan_backwards() -> None:
    def body(x: Array, total: Array) -> tuple[Array, Array]:
        return total, total + x

    outputs, last = scans.scan(
        [np.array([1, 2, 3])], [np.asarray(10)], 0, body=body, is_reverse=True,
        result_types=type_of("i64", 3),
    )  # fmt: skip
    assert outputs.tolist() == [15, 13, 10]
    assert last == 16


def test_ragged_dot_of_rows() -> None:
    lhs, rhs = np.arange(10.0).reshape(5, 2), np.arange(12.0).reshape(2, 2, 3)
    result = contraction.ragged_dot(
        lhs, rhs, np.array([2, 1]), (), (), [1], [1], [0], [0], result_types=type_of("f64", 5, 3)
    )
    expected = np.zeros((5, 3))
    expected[:2], expected[2:3] = lhs[:2] @ rhs[0], lhs[2:3] @ rhs[1]
    same(result, expected)


def test_broadcasting_forms_stretch() -> None:
    body = """
      %0 = chlo.broadcast_add %x, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>"""
    signature = "(%x: tensor<2x1xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32>"
    x, y = array("f32", 10, 20).reshape(2, 1), array("f32", 1, 2, 3)
    same(run(body, x, y, signature=signature), x + y)
