"""Functions of complex numbers by formulas that neither overflow nor cancel where the result is
ordinary. Operands come with digits to spare (``rounding.extended``)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from shlo_tools.dtypes import Array


def joined(real: Array, imaginary: Array) -> Array:
    """Complex numbers from their parts; ``real + 1j * imaginary`` would spoil infinities."""
    made = np.empty(np.broadcast_shapes(real.shape, imaginary.shape), np.result_type(real, 1j))
    made.real, made.imag = real, imaginary
    return made


def sign(z: Array) -> Array:
    """z / |z|, 0 for 0."""
    scale = np.maximum(np.abs(z.real), np.abs(z.imag))
    finite = np.isfinite(scale) & (scale > 0)
    scaled = joined(
        np.where(finite, z.real / np.where(finite, scale, 1), z.real),
        np.where(finite, z.imag / np.where(finite, scale, 1), z.imag),
    )
    return np.where(z == 0, z, scaled / np.abs(scaled))


def cbrt(z: Array) -> Array:
    """The principal cube root."""
    modulus, angle = np.cbrt(np.abs(z)), np.arctan2(z.imag, z.real) / 3
    root = joined(modulus * np.cos(angle), modulus * np.sin(angle))
    return np.where(z == 0, z, root)


def rsqrt(z: Array) -> Array:
    return np.where(
        z == 0, joined(np.full(z.shape, np.inf), np.full(z.shape, np.nan)), 1 / np.sqrt(z)
    )


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
    small = np.abs(x) + np.abs(y) < 1e3
    real = np.where(small, np.log1p(inner) / 2, np.log(np.hypot(1 + x, y)))
    real = np.where(z == -1, -np.inf, real)
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
    """1 / (1 + exp(-z)), by the exponential that does not overflow."""
    negative = z.real < 0
    power = np.exp(np.where(negative, z, -z))
    return np.where(negative, power / (1 + power), 1 / (1 + power))


def atan2(y: Array, x: Array) -> Array:
    """-i log((x + iy) / sqrt(x^2 + y^2)), the analytic continuation of the real function."""
    scale = np.maximum(np.abs(x), np.abs(y))
    ordinary = np.isfinite(scale) & (scale > 0)
    scale = np.where(ordinary, scale, 1)
    x, y = x / scale, y / scale
    turned = np.log((x + y * np.complex64(1j)) / np.sqrt(x * x + y * y))
    return joined(turned.imag, -turned.real)


def power(base: Array, exponent: Array) -> Array:
    """exp(exponent * log(base)); 0^0 is 1, 0 to a power with a positive real part is 0."""
    value = np.exp(exponent * np.log(base))
    exact = np.power(base, exponent)  # numpy multiplies for small integers
    small = (exponent.imag == 0) & (np.abs(exponent.real) <= 64)
    value = np.where(small & (exponent.real == np.trunc(exponent.real)), exact, value)
    value = np.where((base == 0) & (exponent.real > 0), 0, value)
    return np.where(exponent == 0, 1, value)


def precedes(lhs: Array, rhs: Array, or_equal: bool) -> Array:
    """Lexicographic order: real parts first."""
    imaginary = lhs.imag <= rhs.imag if or_equal else lhs.imag < rhs.imag
    return np.asarray((lhs.real < rhs.real) | ((lhs.real == rhs.real) & imaginary))
