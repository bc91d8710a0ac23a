"""Derives ``shlo_tools/codegen/library/maths/piece_tables.py`` from mpmath.

    python tests/conformance/derive_pieces.py > shlo_tools/codegen/library/maths/piece_tables.py

A piece's polynomial is about a number near its middle whose function happens to be one of f32, but
for a hundredth of a unit: so the constant term loses nothing.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any, NamedTuple

import mpmath  # type: ignore[import-untyped]
import numpy as np
from derive_chlo_tables import minimax

PIECES = 32
KEPT = 20  # bits of f32 behind those that pieces are numbered by
CANDIDATES = 4096
LOST = 0.01  # units that rounding a constant term may lose


class Table(NamedTuple):
    """What is approximated, by polynomials of what degree.

    Attributes:
        first: what pieces begin at as they are numbered.
        is_odd: whether the number of a piece is that of ``|x| + first``.
        is_beside: whether the piece that begins at 0 is of what the function has beside x.
    """

    function: Callable[[Any], Any]
    degree: int
    first: float
    is_odd: bool = False
    is_beside: bool = False


TABLES = {
    "TANH": Table(mpmath.tanh, 4, first=0.625, is_odd=True),
    "ERF": Table(mpmath.erf, 5, first=0.28125, is_odd=True, is_beside=True),
    "CUBE_ROOT": Table(mpmath.cbrt, 4, first=1.0),
}

HEAD = '''\
"""Polynomials of f32 for pieces of functions, as registers hold them.

Written by ``tests/conformance/derive_pieces.py``. What polynomials are about, then their
coefficients, the constant terms first. Pieces are numbered by the last bits of a number's exponent
and the first ones of its mantissa, five of them: of ``|x| + FIRST`` for odd functions, whose first
piece begins at 0. In ``ERF`` that one is of what the function has beside x.
"""

# fmt: off'''


def bounds(table: Table, place: int) -> tuple[float, float]:
    """Where the piece with a number begins and ends."""
    first = int(np.float32(table.first).view(np.int32)) >> KEPT
    number = first + (place - first) % PIECES
    low, high = (float(np.int32(n << KEPT).view(np.float32)) for n in (number, number + 1))
    return (low - table.first, high - table.first) if table.is_odd else (low, high)


def row(table: Table, low: float, high: float) -> list[float]:
    """What the polynomial of a piece is about, and its coefficients."""
    function, degree = table.function, table.degree
    if low == 0.0:  # x p(x), p being 1 at 0; or what p is beside 1
        known = [] if table.is_beside else [1.0]
        power = 1 + len(known)

        def beside(t: Any) -> Any:
            return (function(t) - t) / t**power

        rest = minimax(beside, low, high, degree - power, lambda t: t**power / function(t))
        return [0.0, 0.0, *known, *map(float, rest)]
    if table.is_odd and 1 - function(mpmath.mpf(low)) < 2.0**-26:
        return [(low + high) / 2, 1.0] + [0.0] * degree
    about, value = _exact(function, low, high)

    def slope(t: Any) -> Any:
        return (function(about + t) - value) / t if t else mpmath.diff(function, about)

    rest = minimax(slope, low - about, high - about, degree - 1, abs)
    return [about, float(value), *map(float, rest)]


def _exact(function: Callable[[Any], Any], low: float, high: float) -> tuple[float, Any]:
    """A number near the middle of a piece whose function is one of f32, or nearly; and that."""
    lost: list[tuple[float, float, Any]] = []
    for k in range(CANDIDATES):
        away = (high - low) * (k // 2) / CANDIDATES / 2
        about = float(np.float32((low + high) / 2 + (away if k % 2 else -away)))
        value = function(mpmath.mpf(about))
        rounded = np.float32(value)
        lost.append((float(abs(value - float(rounded)) / np.spacing(rounded)), about, value))
        if lost[-1][0] <= LOST:
            break
    _, about, value = min(lost, key=lambda one: one[0])
    return about, value


def columns(table: Table) -> list[tuple[float, ...]]:
    """What the polynomials of all pieces are about, and each of their coefficients, as f32."""
    rows = np.float32([row(table, *bounds(table, place)) for place in range(PIECES)])
    return [tuple(float(str(number)) for number in column) for column in rows.T]


def main() -> None:
    print(HEAD)
    for name, table in TABLES.items():
        if table.is_odd:
            print(f"{name}_FIRST = {table.first}")
        print(f"{name} = (")
        for column in columns(table):
            text = textwrap.fill(", ".join(map(repr, column)), 90, break_long_words=False)
            print(f"    (\n{textwrap.indent(text, ' ' * 8)},\n    ),")
        print(")")


if __name__ == "__main__":
    main()
