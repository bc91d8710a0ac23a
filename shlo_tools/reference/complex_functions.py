"""Functions of complex numbers by formulas that neither overflow nor cancel where the result is
ordinary. Operands come with digits to spare (``rounding.extended``)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from shlo_tools.dtypes import Array


def joined(real: Array, imaginary: Array) -> Array:
    """Complex numbers from their parts; ``real + 1j * imaginary`` would spoil infinities."""
    numbers = np.empty(np.broadcast_shapes(real.shape, imaginary.shape), np.result_type(real, 1j))
    numbers.real, numbers.imag = real, imaginary
    return numbers


def sign(z: Array) -> Array:
    """z / |z|, +0 for 0."""
    scaled, _ = _normal(z)
    size = np.abs(scaled)
    parts = (np.where(size == 0, 0, part / size) for part in (scaled.real, scaled.imag))
    return joined(*parts)


def _normal(z: Array) -> tuple[Array, Array]:
    """z times 2^-k with the larger part near 1, and k; 0 and what is not finite as it is."""
    size = np.maximum(np.abs(z.real), np.abs(z.imag))
    _, k = np.frexp(np.where(np.isfinite(size), size, 0))
    return joined(np.ldexp(z.real, -k), np.ldexp(z.imag, -k)), k


def divide(z: Array, w: Array) -> Array:
    """z / w; where that is NaN, what annex G (G.5.1) of C99 and XLA have."""
    (z, k), (w, m) = _normal(z), _normal(w)
    square = w.real * w.real + w.imag * w.imag
    plain = _times_conjugate(z, w)
    plain = joined(*(np.ldexp(part / square, k - m) for part in (plain.real, plain.imag)))
    infinite, into_infinity = np.isinf(z), np.isinf(w)
    boxed = _times_conjugate(_boxed(z, infinite), _boxed(w, into_infinity))
    times = np.where(infinite, np.inf, 0.0)
    times = np.where(infinite == into_infinity, np.nan, times).astype(square.dtype)
    special = joined(times * boxed.real, times * boxed.imag)
    many = np.copysign(square.dtype.type(np.inf), w.real)
    special = np.where(square == 0, joined(many * z.real, many * z.imag), special)
    return np.where(np.isnan(plain.real) & np.isnan(plain.imag), special, plain)


def _times_conjugate(z: Array, w: Array) -> Array:
    real = z.real * w.real + z.imag * w.imag
    return joined(real, z.imag * w.real - z.real * w.imag)


def _boxed(z: Array, where: Array) -> Array:
    """Infinities as 1, other parts beside them as 0."""
    parts = (np.copysign(np.isinf(part).astype(part.dtype), part) for part in (z.real, z.imag))
    return np.where(where, joined(*parts), z)


def cbrt(z: Array) -> Array:
    """The principal cube root."""
    modulus, angle = np.cbrt(np.abs(z)), np.arctan2(z.imag, z.real) / 3
    return joined(modulus * np.cos(angle), np.where(angle == 0, angle, modulus * np.sin(angle)))


def rsqrt(z: Array) -> Array:
    """The conjugate of sqrt(z) over |z|; of 0 it is inf + NaN i, as XLA has it."""
    root, size = np.sqrt(z), np.abs(z)
    result = joined(root.real / size, -root.imag / size)
    none = joined(np.full(z.shape, np.inf), np.full(z.shape, np.nan))
    vanished = joined(np.zeros(z.shape), -np.copysign(0, z.imag))
    return np.where(z == 0, none, np.where(np.isinf(z), vanished, result))


def exponential_minus_one(z: Array) -> Array:
    """exp(z) - 1; the real part is expm1(x) cos(y) - 2 sin(y/2)^2."""
    x, y = z.real, z.imag
    real = np.expm1(x) * np.cos(y) - 2 * np.sin(y / 2) ** 2
    imaginary = np.exp(x) * np.sin(y)
    near = joined(real, np.where(y == 0, y, imaginary))
    return np.where(np.isfinite(z), near, np.exp(z) - 1)


def log_plus_one(z: Array) -> Array:
    """log(1 + z) = log1p(2x + x^2 + y^2) / 2 + i atan2(y, 1 + x)."""
    x, y = z.real, z.imag
    inner = _sum([2 * x, *_square(x), *_square(y)])
    near = (np.abs(x) + np.abs(y) < 1e3) & (inner > -0.5)
    real = np.where(near, np.log1p(inner) / 2, np.log(np.hypot(1 + x, y)))
    return joined(real, np.arctan2(y, 1 + x))


def _square(x: Array) -> list[Array]:
    """Terms whose exact sum is x^2, for an x of half the digits and one more."""
    splitter = x.dtype.type(2 ** (np.finfo(x.dtype).nmant // 2 + 1) + 1)
    high = x * splitter - (x * splitter - x)
    low = x - high
    return [high * high, 2 * high * low, low * low]


def _sum(terms: Iterable[Array]) -> Array:
    """A sum that keeps what each addition loses."""
    total, lost = np.zeros(()), np.zeros(())
    for term in terms:
        new = total + term
        bigger = np.abs(total) >= np.abs(term)
        lost = lost + np.where(bigger, (total - new) + term, (term - new) + total)
        total = new
    return np.asarray(total + lost)


def logistic(z: Array) -> Array:
    """1 / (1 + exp(-z)); |1 + exp(-z)|^2 as a sum that does not cancel near its zeros."""
    x, y = -np.abs(z.real), z.imag
    power, rest = np.exp(x), np.expm1(x)
    c, s = np.cos(y / 2), np.sin(y / 2)
    square = rest**2 + 4 * power * c**2
    real = np.where(z.real < 0, power * (2 * c**2 + rest), 2 * power * c**2 - rest)
    return joined(real / square, 2 * power * s * c / square)


def atan2(y: Array, x: Array) -> Array:
    """-i log(p / sqrt(p q)), the analytic continuation of the real function.

    p is x + iy and q is x - iy; that is half of the angle of p conj(q), but for a multiple of pi
    that the root chooses, and i log(|q| / |p|) / 2. NaN for infinities and where p q = 0.
    """
    _, k = np.frexp(np.maximum(np.abs(x), np.abs(y)))
    x, y = (joined(np.ldexp(z.real, -k), np.ldexp(z.imag, -k)) for z in (x, y))
    p, q = joined(x.real - y.imag, x.imag + y.real), joined(x.real + y.imag, x.imag - y.real)
    cross, dot = 2 * (x.real * y.real + x.imag * y.imag), p.real * q.real + p.imag * q.imag
    half = np.arctan2(cross, dot) / 2
    squares = joined(p.real * q.real - p.imag * q.imag, 2 * (x.real * x.imag + y.real * y.imag))
    about = np.angle(p) - np.angle(squares) / 2
    turn = np.copysign(_PI, np.where(half == 0, about, -half))
    real = half + np.where(np.cos(about - half) > 0, 0, turn)
    excess = 4 * (x.real * y.imag - x.imag * y.real)  # |q|^2 - |p|^2
    least = np.minimum(np.abs(p), np.abs(q))
    imag = np.copysign(np.log1p(np.abs(excess) / least**2) / 4, excess)
    defined = np.isfinite(p) & (least > 0)
    return joined(np.where(defined, real, np.nan), np.where(defined, imag, np.nan))


_PI = np.longdouble(np.pi) + np.longdouble(1.2246467991473532e-16)


def power(base: Array, exponent: Array) -> Array:
    """exp(exponent * log(base)), with XLA's special values.

    z^0 and 1^z are 1, 0 to a positive real is 0 and to another power NaN; of infinities only
    inf + 0i to a real power is defined.
    """
    value = np.exp(exponent * np.log(base))
    none = joined(np.full(value.shape, np.nan), np.full(value.shape, np.nan))
    defined = np.isfinite(base) & np.isfinite(exponent) & (base != 0)
    value = np.where(defined, value, none)
    infinite = (base.real == np.inf) & (base.imag == 0)
    rising, falling = exponent.real > 0, exponent.real < 0
    real = exponent.imag == 0
    value = np.where(real & ((infinite & falling) | ((base == 0) & rising)), 0, value)
    value = np.where(real & infinite & rising, np.inf, value)
    return np.where((exponent == 0) | (base == 1), 1, value)


def precedes(lhs: Array, rhs: Array, or_equal: bool) -> Array:
    """Lexicographic order: real parts first."""
    imaginary = lhs.imag <= rhs.imag if or_equal else lhs.imag < rhs.imag
    return np.asarray((lhs.real < rhs.real) | ((lhs.real == rhs.real) & imaginary))
