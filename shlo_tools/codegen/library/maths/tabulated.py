"""Functions of f32 by tables that registers hold (AVX-512).

A permutation of two registers looks up 32 numbers for all lanes. With a coefficient for each piece
of a function, polynomials are short and there is no quotient: it is chains that functions wait for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from shlo_tools.codegen import instructions
from shlo_tools.codegen.function import Value
from shlo_tools.codegen.library.maths.exponents import LN2_HIGH, LN2_LOW, ROUNDING
from shlo_tools.codegen.library.maths.piece_tables import FIRST
from shlo_tools.codegen.library.maths.series import Series

_KEPT = 21  # bits of f32 after those that pieces are numbered by
_BELOW = FIRST * 0.9  # a number of the piece of small ones
_ONE = 10.0  # where functions are 1, in f32

# 2^(k / 32) as f32, and what that lacks, relative to it.
_PARTS = 32
_ROOTS = [2.0 ** (k / _PARTS) for k in range(_PARTS)]
_HIGH = [float(np.float32(root)) for root in _ROOTS]
_LOW = [root / high - 1.0 for root, high in zip(_ROOTS, _HIGH, strict=True)]


def odd(s: Series, table: Sequence[Sequence[float]], x: Value) -> Value:
    """A function that ends at 1: c + t p(t), t from what a piece's polynomial is about.

    Near 0 it is x + x p(x).
    """
    f = s.f
    size = f.intrinsic("fabs", x)
    inside = s.select(size > _ONE, s.constant(_ONE, x), size)
    # Not of the lanes that are chosen below: one instruction, as it is.
    piece = s.select(inside < _BELOW, s.constant(_BELOW, x), inside).to("bitcast", "i32") >> _KEPT
    about, start, *terms = (instructions.looked_up(f, column, piece) for column in table)
    distance = inside - about
    total = terms[-1]
    for term in terms[-2::-1]:
        total = f.fma(total, distance, term)
    value = f.fma(total, distance, s.select(size < FIRST, distance, start))
    return f.intrinsic("copysign", value, x)


def power(s: Series, x: Value) -> tuple[Value, Value]:
    """e^x as a number from 1 to 2 and the n that it is to be scaled by, rounded down."""
    f = s.f
    shifted = f.fma(x, s.constant(_PARTS * math.log2(math.e), x), s.constant(ROUNDING, x))
    parts = shifted - ROUNDING
    r = f.fma(parts, s.constant(-LN2_HIGH / _PARTS, x), x)
    r = f.fma(parts, s.constant(-LN2_LOW / _PARTS, x), r)
    place = shifted.to("bitcast", "i32")
    high, low = (instructions.looked_up(f, table, place) for table in (_HIGH, _LOW))
    rest = f.fma(s.powers(r, [1 / 6, 1 / 2]), r * r, r + low)
    return f.fma(rest, high, high), parts * (1 / _PARTS)
