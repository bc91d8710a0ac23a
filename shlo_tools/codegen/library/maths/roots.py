"""The cube root of f32, computed in f32."""

from __future__ import annotations

import math

from shlo_tools.codegen import target
from shlo_tools.codegen.function import Value
from shlo_tools.codegen.library.maths import tabulated
from shlo_tools.codegen.library.maths.series import Series

_TINY, _TINY_BITS = 2.0**-126, 0x00800000
_END_BITS = 0x7F800000  # of infinity
# Bits of x^(-1/3) less those of x / -3, so that the worst error is least.
_FIRST = 0x54A2FA8C
# (1 - e)^(-1/3), as far as it counts.
_SERIES = [14 / 81, 2 / 9, 1 / 3, 1.0]


def cbrt(s: Series, x: Value) -> Value:
    """x r^2 with r the inverse root, by the bits of x and the series of what it misses.

    The root's cube is subtracted from x in twice the digits: that leaves little but one rounding.
    """
    if target.host().looks_up:
        return tabulated.cbrt(s, x)
    f = s.f
    size, scale = _normal(s, f.intrinsic("fabs", x))
    bits = size.to("bitcast", "i32").to("sitofp", "f32") * (-1 / 3) + float(_FIRST)
    inverse = bits.to("fptosi", "i32").to("bitcast", "f32")
    missing = f.fma(-(size * inverse), inverse * inverse, s.constant(1.0, x))
    inverse = inverse * s.powers(missing, _SERIES)
    square = inverse * inverse
    root = size * square
    product = root * root
    rest = f.fma(root, root, -product)
    left = f.fma(-product, root, size) - rest * root
    root = f.fma(left, square * (1 / 3), root)
    return f.intrinsic("copysign", root * scale, x)


def _normal(s: Series, size: Value) -> tuple[Value, Value]:
    """A positive number that is neither denormal nor infinite, and what its root is times."""
    f = s.f
    one = s.constant(1.0, size)
    is_other = (size.to("bitcast", "i32") - _TINY_BITS).compare("uge", _END_BITS - _TINY_BITS)

    def scaled() -> list[Value]:
        is_tiny = size < _TINY
        inside = s.select(is_tiny, size * 2.0**27, size)
        scale = s.select(is_tiny, s.constant(2.0**-9, size), 1.0)
        is_end = (size == 0.0) | ~(size < math.inf)
        return [s.select(is_end, one, inside), s.select(is_end, size, scale)]

    inside, scale = f.if_(f.reduce("or", is_other), scaled, lambda: [size, one])
    return inside, scale
