"""The coefficients of CHLO's functions approximate what they say, at other points than fitted."""

from __future__ import annotations

from typing import Any

import mpmath  # type: ignore[import-untyped]
import pytest
from derive_chlo_tables import DIGAMMA_ROOT, ROWS, Row, evaluate

from shlo_tools.codegen.library.maths import tables
from shlo_tools.codegen.library.maths.series import Ratio

# Largest relative error, in units of the precision's last place (2^-24 and 2^-53).
UNITS = {"f32": 2.0**-24, "f64": 2.0**-53}
ALLOWED = 1.0


def _value(table: Any, x: Any) -> Any:
    if isinstance(table, Ratio):
        top, bottom = (evaluate(list(map(mpmath.mpf, part)), x) for part in table)
        return top / bottom
    return evaluate(list(map(mpmath.mpf, table)), x)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_approximations(row: Row) -> None:
    for precision, table in getattr(tables, row.name).items():
        high = dict(row.bounds).get(precision, row.high)
        weight = row.weight or (lambda x: 1 / abs(row.function(x)))
        middle, half = (high + row.low) / 2, (high - row.low) / 2
        for k in range(60):
            x = middle + half * mpmath.cos(mpmath.pi * (k + mpmath.mpf(1) / 3) / 60)
            error = abs(_value(table, x) - row.function(x)) * weight(x)
            assert error <= ALLOWED * UNITS[precision], (precision, float(x))


def test_constants() -> None:
    high, low = map(mpmath.mpf, tables.DIGAMMA_ROOT)
    assert abs(high + low - (DIGAMMA_ROOT - 1)) < 2.0**-80
    for terms in tables.EULER_MACLAURIN.values():
        for j, term in enumerate(terms, 1):
            exact = mpmath.bernoulli(2 * j) / mpmath.factorial(2 * j)
            assert abs(term / exact - 1) < 2.0**-52
