"""Polynomials of pieces approximate what they say, and meet what they are looked up by."""

from __future__ import annotations

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest
from derive_chlo_tables import evaluate
from derive_pieces import KEPT, PIECES, TABLES, bounds, columns

from shlo_tools.codegen.library.maths import piece_tables

ALLOWED = {
    "TANH": 0.45,
    "ERF": 0.2,
    "CUBE_ROOT": 0.1,
}  # of a unit in the last place, without what rounding loses


@pytest.mark.parametrize("name", TABLES)
def test_approximations(name: str) -> None:
    """Also at both ends, where the next piece goes on."""
    table, numbers = TABLES[name], np.float32(getattr(piece_tables, name)).astype(float)
    for place, (about, *terms) in enumerate(zip(*numbers, strict=True)):
        low, high = bounds(table, place)
        for x in np.linspace(low or 2.0**-30, high, 41):
            distance = mpmath.mpf(float(x)) - about
            value = evaluate([mpmath.mpf(term) for term in terms], distance)
            value += distance if low == 0.0 and table.is_beside else 0
            expected = table.function(mpmath.mpf(float(x)))
            unit = np.spacing(np.float32(expected))
            assert abs(value - expected) <= ALLOWED[name] * unit, float(x)


@pytest.mark.parametrize("name", TABLES)
def test_pieces_are_numbered_by_bits(name: str) -> None:
    table = TABLES[name]
    for place in range(PIECES):
        low, high = bounds(table, place)
        before = np.float32(table.first if table.is_odd else 0)
        inner = np.linspace(low, high, 9, dtype=np.float32)[:-1] + before
        for number in (*inner, np.nextafter(np.float32(high) + before, np.float32(0))):
            assert (int(number.view(np.int32)) >> KEPT) % PIECES == place


@pytest.mark.parametrize("name", TABLES)
def test_written_as_derived(name: str) -> None:
    assert list(getattr(piece_tables, name)) == columns(TABLES[name])
