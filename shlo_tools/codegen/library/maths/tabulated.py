"""Functions of f32 by tables that registers hold (AVX-512).

A permutation of two registers looks up 32 numbers for all lanes. With a coefficient for each piece
of a function, polynomials are short and there is no quotient: it is chains that functions wait for.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shlo_tools.codegen import instructions
from shlo_tools.codegen.function import Value
from shlo_tools.codegen.library.maths.piece_tables import CUBE_ROOT
from shlo_tools.codegen.library.maths.series import Series

_KEPT = 20  # bits of f32 behind those that pieces are numbered by
_ALL = 14.9  # pieces of odd functions end at 15 times what is added to numbers
_OWN_ROOTS = 0x00110122  # 0, infinities and NaN are their own roots


def odd(
    s: Series,
    table: Sequence[Sequence[float]],
    first: float,
    x: Value,
    *,
    is_beside: bool = False,
) -> Value:
    """A function that ends at 1. Near 0 it is x p(x), or what it ``is_beside`` x.

    Pieces of |x| + first are as long as they may be: those near 0 no shorter than they must.
    """
    size = s.f.intrinsic("fabs", x)
    inside = s.select(size > first * _ALL, s.constant(first * _ALL, x), size)
    piece = (inside + first).to("bitcast", "i32") >> _KEPT
    distance, start, slope = _polynomial(s, table, piece, inside)
    if is_beside:
        number = int(np.float32(first).view(np.int32)) >> _KEPT
        start = s.select(piece == number, distance, start)
    return s.f.intrinsic("copysign", s.f.fma(slope, distance, start), x)


def cbrt(s: Series, x: Value) -> Value:
    """2^q cbrt(m) of x = m 2^(3 q), m from 1 to 8."""
    f = s.f
    exponent = instructions.of_floats(f, "getexp", [x])
    q = f.intrinsic("floor", f.fma(exponent, s.constant(1 / 3, x), s.constant(1 / 6, x)))
    m = instructions.of_floats(f, "scalef", [f.intrinsic("fabs", x), q * -3.0])
    piece = m.to("bitcast", "i32") >> _KEPT
    distance, start, slope = _polynomial(s, CUBE_ROOT, piece, m)
    value = instructions.of_floats(f, "scalef", [f.fma(slope, distance, start), q])
    return instructions.replaced_by_class(f, f.intrinsic("copysign", value, x), x, _OWN_ROOTS)


def _polynomial(
    s: Series, table: Sequence[Sequence[float]], piece: Value, x: Value
) -> tuple[Value, Value, Value]:
    """t, c and p(t) of a piece's polynomial c + t p(t), t being how far x is from its middle."""
    about, start, *terms = (instructions.looked_up(s.f, column, piece) for column in table)
    distance = x - about
    slope = terms[-1]
    for term in terms[-2::-1]:
        slope = s.f.fma(slope, distance, term)
    return distance, start, slope
