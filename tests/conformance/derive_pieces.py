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
CANDIDATES = 64


class Table(NamedTuple):
    """What is approximated, by polynomials of what degree.

    Attributes:
        first: where the pieces begin.
        kept: bits of f32 behind those that pieces are numbered by.
        is_odd: whether the last piece is that of all numbers below the first one.
        is_beside: whether that piece is of what the function has beside the number.
    """

    function: Callable[[Any], Any]
    degree: int
    first: float
    kept: int
    is_odd: bool = False
    is_beside: bool = False


TABLES = {
    "TANH": Table(mpmath.tanh, 5, first=0.125, kept=21, is_odd=True),
    "ERF": Table(mpmath.erf, 6, first=0.125, kept=21, is_odd=True, is_beside=True),
    "CUBE_ROOT": Table(mpmath.cbrt, 4, first=1.0, kept=20),
}

HEAD = '''\
"""Polynomials of f32 for pieces of functions, as registers hold them.

Written by ``tests/conformance/derive_pieces.py``. What polynomials are about, then their
coefficients, the constant terms first. Pieces are numbered by the last bits of a number's exponent
and the first ones of its mantissa, five of them. Those of odd functions begin at ``FIRST``, and the
one in front of that is of all numbers below; in ``ERF`` of what it has beside the number.
"""

FIRST = 0.125

# fmt: off'''


def bounds(table: Table, place: int) -> tuple[float, float]:
    """Where the piece with a number begins and ends."""
    first = int(np.float32(table.first).view(np.int32)) >> table.kept
    number = first + (place - first) % PIECES
    if table.is_odd and number == first + PIECES - 1:
        return 0.0, table.first
    low, high = (np.int32(n << table.kept).view(np.float32) for n in (number, number + 1))
    return float(low), float(high)


def row(table: Table, low: float, high: float) -> list[float]:
    """What the polynomial of a piece is about, and its coefficients."""
    function, degree = table.function, table.degree
    if low == 0.0:
        own = 1 if table.is_beside else 0
        rest = minimax(
            lambda t: function(t) / t - own, low, high, degree - 1, lambda t: t / function(t)
        )
        return [0.0, 0.0, *map(float, rest)]
    if table.is_odd and 1 - function(mpmath.mpf(low)) < 2.0**-26:
        return [(low + high) / 2, 1.0] + [0.0] * degree
    middle = int(np.float32((low + high) / 2).view(np.int32))
    near = np.arange(middle - CANDIDATES // 2, middle + CANDIDATES // 2, dtype=np.int32)
    values = [function(mpmath.mpf(float(x))) for x in near.view(np.float32)]
    place = min(range(CANDIDATES), key=lambda k: abs(values[k] - float(np.float32(values[k]))))
    about, value = float(near.view(np.float32)[place]), values[place]

    def slope(t: Any) -> Any:
        return (function(about + t) - value) / t if t else mpmath.diff(function, about)

    rest = minimax(slope, low - about, high - about, degree - 1, abs)
    return [about, float(value), *map(float, rest)]


def columns(table: Table) -> list[tuple[float, ...]]:
    """What the polynomials of all pieces are about, and each of their coefficients, as f32."""
    rows = np.float32([row(table, *bounds(table, place)) for place in range(PIECES)])
    return [tuple(float(str(number)) for number in column) for column in rows.T]


def main() -> None:
    print(HEAD)
    for name, table in TABLES.items():
        print(f"{name} = (")
        for column in columns(table):
            text = textwrap.fill(", ".join(map(repr, column)), 90, break_long_words=False)
            print(f"    (\n{textwrap.indent(text, ' ' * 8)},\n    ),")
        print(")")


if __name__ == "__main__":
    main()
