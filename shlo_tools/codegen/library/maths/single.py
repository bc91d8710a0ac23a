"""Functions of f32 that are computed in f32: twice as many lanes, and a unit or two all the same.

What rounding loses is added where it would count; degrees and fits leave out less than 2^-27.
"""

from __future__ import annotations

import math

from shlo_tools.codegen.function import Type, Value
from shlo_tools.codegen.library.maths.series import Series

_LN2_HIGH = float.fromhex("0x1.62e4p-1")  # few digits: n times it is exact
_LN2_LOW = float.fromhex("0x1.7f7d1cf79abcap-20")
_LEAST = -104.0  # powers below it are 0
_ROUNDING = 1.5 * 2.0**23  # added to a number it leaves the nearest whole one in the last bits
_ROUNDING_BITS = 0x4B400000
_ONE = 0x3F800000
_ROOT_HALF = 0x3F3504F3

# Chebyshev fits of (e^r - 1 - r) / r^2, r up to ln 2 / 2, and of (log(1 + f) - f + f^2 / 2) / f^3,
# f from sqrt(1/2) - 1 to sqrt(2) - 1.
_EXPONENTIAL = [0.0013926183587713494, 0.008363179052722578, 0.041666554617204574]
_EXPONENTIAL += [0.16666576989698775, 0.5]
_LOGARITHM = [0.06971611471451178, -0.11479733846637635, 0.1168541992348674]
_LOGARITHM += [-0.12425687331451106, 0.1424905764569748, -0.16667802319501254]
_LOGARITHM += [0.200007157488921, -0.24999996957950882, 0.33333331180030046]

# (tanh(x) / x - 1) / x^2 in x^2, x up to 5 / 8.
_TANGENT = [0.0022925576991026523, -0.008343780370479862, 0.021768868214501753]
_TANGENT += [-0.0539592533789059, 0.13333303530739316, -0.3333333317196775]

# pi / 2: multiples of all parts but the last are exact.
_RIGHT = [
    float.fromhex(part)
    for part in ("0x1.921fb6p+0", "-0x1.778p-25", "0x1.68cp-39", "0x1.1a6264p-54")
]
_NEAR = 2.0**13  # angles up to there
_UNTURNED = 0.785  # of smaller angles n is 0
# (sin(r) / r - 1) / r^2 and (cos(r) - 1 + r^2 / 2) / r^4 in r^2, r up to pi / 4.
_SINE = [2.7249864655139585e-06, -0.00019840086263755443]
_SINE += [0.008333331873837089, -0.16666666663853044]
_COSINE = [-2.7300908167996537e-07, 2.480059998353171e-05]
_COSINE += [-0.0013888887671288108, 0.04166666666431933]


def _clamped(s: Series, x: Value, low: float, high: float) -> Value:
    """NaN stays."""
    x = s.select(x < low, s.constant(low, x), x)
    return s.select(x > high, s.constant(high, x), x)


def _reduced(s: Series, x: Value) -> tuple[Value, Value, Value]:
    """x = n ln 2 + r + low: n as i32, and r of at most ln 2 / 2."""
    f = s.f
    shifted = f.fma(x, s.constant(math.log2(math.e), x), s.constant(_ROUNDING, x))
    n = shifted - _ROUNDING
    left = f.fma(n, s.constant(-_LN2_HIGH, x), x)
    r = f.fma(n, s.constant(-_LN2_LOW, x), left)
    low = f.fma(n, s.constant(-_LN2_LOW, x), left - r)
    return shifted.to("bitcast", "i32") - _ROUNDING_BITS, r, low


def _power_of_two(n: Value) -> Value:
    return ((n << 23) + _ONE).to("bitcast", "f32")


def _one_period(s: Series, x: Value) -> tuple[Value, Value]:
    """n as i32, and 1 + r + r^2 q(r), whose first sum keeps what it is rounded by."""
    n, r, low = _reduced(s, x)
    near = r + 1.0
    lost = r - (near - 1.0) + low
    return n, near + s.f.fma(s.horner(r, _EXPONENTIAL), r * r, lost)


def exp(s: Series, x: Value) -> Value:
    """Times 2^n in two steps: results may be denormal.

    What is 0 is multiplied by 0: processors take several times as long where a product underflows,
    and softmax and kernels of distances are made of such.
    """
    n, value = _one_period(s, _clamped(s, x, _LEAST, 89.0))
    half = s.f.op("ashr", n, s.f.constant(1, n.type))
    last = s.select(x < _LEAST, s.constant(0.0, x), _power_of_two(n - half))
    return value * _power_of_two(half) * last


def expm1(s: Series, x: Value) -> Value:
    """Twice 2^(n-1) - 1/2 + 2^(n-1) (r + r^2 q(r)), whose first sum keeps what it is rounded by."""
    f = s.f
    n, r, low = _reduced(s, _clamped(s, x, -18.0, 89.0))
    scale = _power_of_two(n - 1)
    rest = f.fma(s.horner(r, _EXPONENTIAL), r * r, low)
    start = scale - 0.5
    total = f.fma(scale, r, start)
    lost = f.fma(scale, r, start - total)
    value = total + f.fma(scale, rest, lost)
    is_small = f.intrinsic("fabs", x) < 2.0**-25
    return s.select(is_small, x, value + value)


def log(s: Series, x: Value) -> Value:
    """k ln 2 + log(1 + f)."""
    is_tiny = x < 2.0**-126
    scaled = s.select(is_tiny, x * 2.0**25, x)
    lift = s.select(is_tiny, s.constant(25.0, x), 0.0)
    return _ends(s, x, x, _logarithm(s, scaled, lift, None))


def log1p(s: Series, x: Value) -> Value:
    """log(1 + x), with what the rounding of 1 + x has lost."""
    near = x + 1.0
    lost = (x - (near - 1.0)) / near
    lost = s.select(s.f.intrinsic("fabs", x) < 2.0**25, lost, 0.0)
    value = _ends(s, x, near, _logarithm(s, near, None, lost))
    return s.select(x == 0.0, x, value)


def _logarithm(s: Series, x: Value, lift: Value | None, rest: Value | None) -> Value:
    """Of a positive normal number, less ``lift`` times ln 2 and with a small rest added."""
    f = s.f
    moved = x.to("bitcast", "i32") + (_ONE - _ROOT_HALF)
    k = (f.op("ashr", moved, f.constant(23, moved.type)) - 127).to("sitofp", "f32")
    k = k if lift is None else k - lift
    part = ((moved & 0x007FFFFF) + _ROOT_HALF).to("bitcast", "f32") - 1.0
    square = part * part
    small = f.fma(s.horner(part, _LOGARITHM), part * square, square * -0.5)
    large = k * _LN2_HIGH
    total = large + part
    small = f.fma(k, s.constant(_LN2_LOW, x), small) + (part - (total - large))
    return total + (small if rest is None else small + rest)


def _ends(s: Series, x: Value, argument: Value, value: Value) -> Value:
    """Logarithms of 0, of what is below and of what is no number."""
    value = s.select(argument == 0.0, s.constant(-math.inf, x), value)
    value = s.select(argument < 0.0, s.constant(math.nan, x), value)
    return s.select(x.compare("ueq", math.inf), x, value)


def tanh(s: Series, x: Value) -> Value:
    """1 - 2 / (e^(2 |x|) + 1), which is 1 from 10 on; near 0 by a fit."""
    f = s.f
    size = f.intrinsic("fabs", x)
    inside = s.select(size > 10.0, s.constant(10.0, x), size)
    n, r, _ = _reduced(s, inside + inside)
    period = f.fma(s.horner(r, _EXPONENTIAL), r * r, r) + 1.0
    far = 1.0 - 2.0 / f.fma(period, _power_of_two(n), s.constant(1.0, x))
    square = x * x
    near = f.fma(s.horner(square, _TANGENT) * square, size, size)
    return f.intrinsic("copysign", s.select(size < 0.625, near, far), x)


def logistic(s: Series, x: Value) -> Value:
    """1 / (1 + e^-|x|), and e^-|x| times that below 0; the sum keeps what it is rounded by."""
    f = s.f
    power = exp(s, -f.intrinsic("fabs", x))
    total = power + 1.0
    lost = power - (total - 1.0)
    over = s.select(x < 0.0, power, s.constant(1.0, x))
    quotient = over / total
    inverse = f.fma(power, s.constant(-0.5, x), s.constant(1.0, x))  # of the sum, about
    return f.fma(-quotient, lost * inverse, quotient)


def sin(s: Series, x: Value) -> Value:
    """Of the rest of multiples of pi / 2; far angles by ``far_sin``."""
    n, sine, cosine = _both(s, x)
    value = _turned(s, n << 30, s.select((n & 1) != 0, cosine, sine))
    return _or_far(s, "sin", x, s.select(x == 0.0, x, value))


def cos(s: Series, x: Value) -> Value:
    """As the sine."""
    n, sine, cosine = _both(s, x)
    value = _turned(s, (n + 1) << 30, s.select((n & 1) != 0, sine, cosine))
    return _or_far(s, "cos", x, value)


def _turned(s: Series, sign: Value, value: Value) -> Value:
    """With the other sign where the highest bit is set."""
    bits = value.to("bitcast", "i32") ^ (sign & -0x80000000)
    return bits.to("bitcast", "f32")


def _both(s: Series, x: Value) -> tuple[Value, Value, Value]:
    """x = n pi / 2 + r + low: n as i32, and the sine and cosine of r + low."""
    f = s.f
    is_turned = f.intrinsic("fabs", x).compare("uge", _UNTURNED)
    zeros = [f.constant(0, x.to("bitcast", "i32").type), x, s.constant(0.0, x)]
    # The same numbers; who waits for an angle's sine waits half as long.
    n, r, low = f.if_(f.reduce("or", is_turned), lambda: _rest(s, x), lambda: zeros)
    square = r * r
    sine = r + f.fma(s.horner(square, _SINE), square * r, low)
    half = square * 0.5
    most = 1.0 - half
    rest = f.fma(-r, low, (1.0 - most) - half)
    cosine = most + f.fma(s.horner(square, _COSINE), square * square, rest)
    return n, sine, cosine


def _rest(s: Series, x: Value) -> list[Value]:
    """``n``, ``r`` and ``low`` of an angle."""
    f = s.f
    shifted = f.fma(x, s.constant(2 / math.pi, x), s.constant(_ROUNDING, x))
    n = shifted - _ROUNDING
    first, second, third, last = (s.constant(-part, x) for part in _RIGHT)
    left = f.fma(n, first, x)
    r = f.fma(n, second, left)
    low = f.fma(n, last, f.fma(n, third, f.fma(n, second, left - r)))
    return [shifted.to("bitcast", "i32") - _ROUNDING_BITS, r, low]


def _or_far(s: Series, function: str, x: Value, value: Value) -> Value:
    """``value``, but for far angles: those are computed in f64."""
    f = s.f
    is_far = f.intrinsic("fabs", x).compare("uge", _NEAR)

    def far() -> Value:
        return s.select(is_far, f.call(far_name(function, x.type), [x], x.type), value)

    (result,) = f.if_(f.reduce("or", is_far), far, lambda: value)
    return result


def far_name(function: str, type: Type) -> str:
    """The name of what computes angles that are too far for f32."""
    return f"far_{function}_{type.element}x{type.lanes}"
