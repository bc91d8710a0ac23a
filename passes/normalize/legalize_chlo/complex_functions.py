"""Functions of complex numbers, on their real and imaginary parts in f64.

complex<f32> gains so much precision and range on the way that every result is right to a rounding;
for complex<f64> the formulas neither cancel nor overflow where the result does not. Signed zeros
tell the sides of branch cuts. Where C99's annex G wants more than NaN of an infinite or NaN part
beside another, only what the formulas give is promised.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, pi

from shlo_tools import ops
from shlo_tools.mlir import Operation
from shlo_tools.ops import Tensor
from shlo_tools.passes.normalize.legalize_chlo.formula import (
    Term,
    abs,
    atan2,
    copysign,
    exp,
    log,
    log1p,
    maximum,
    minimum,
    select,
    sign,
    sqrt,
)
from shlo_tools.passes.normalize.legalize_chlo.formula import cos as cosine
from shlo_tools.passes.normalize.legalize_chlo.formula import sin as sine
from shlo_tools.passes.normalize.legalize_chlo.rules import REAL, Complex, complex_form, rewrites
from shlo_tools.passes.normalize.legalize_chlo.trigonometric import EXP_LIMIT, LN2

FAR = 2.0**30  # 1 is nothing beside the square


# --- inverse functions ----------------------------------------------------------------------------
def _hypotenuse(a: Term, b: Term) -> Term:
    # m sqrt(1 + (n/m)^2) with m >= n >= 0
    m, n = maximum(a, b), minimum(a, b)
    quotient = n / m
    return select(m == 0.0, m, m * sqrt(1.0 + quotient * quotient))


@complex_form
def _asin_acos_kernel(z: Complex) -> Complex:
    """After Hull, Fairgrieve and Tang (1997), with squares of y taken apart lest they underflow.

    With r and s the distances from -1 and 1 and a = (r + s) / 2, asin(z) = atan2(x, w.real) + i
    log(a + sqrt(a^2 - 1)), where a - 1 = u and (a + 1)(a - 1) are sums of positive terms.
    """
    x, y = abs(z.real), abs(z.imag)
    right, left = x + 1.0, x - 1.0
    r, s = _hypotenuse(right, y), _hypotenuse(abs(left), y)
    a = 0.5 * (r + s)
    p, t = r + right, s + abs(left)
    twice_u, v = y * (y / p) + t, 0.5 * (1.0 / p + 1.0 / t)  # u may be half of the least number
    real = select(x <= 1.0, sqrt(0.5 * (a + x) * twice_u), y * sqrt((a + x) * v))
    inside = y * (y * v) + y * sqrt(v * (a + 1.0))
    outside = 0.5 * twice_u + sqrt(twice_u * (0.5 * (a + 1.0)))
    imag = log1p(select(x < 1.0, inside, outside))
    # far out, log(2 |z|)
    m, n = maximum(x, y), minimum(x, y)
    quotient = n / m
    modulus = log(m) + (LN2 + 0.5 * log1p(quotient * quotient))
    imag = select(m <= FAR, imag, select((x == inf) | (y == inf), inf, modulus))
    return Complex(select(m <= FAR, real, y), imag)


@complex_form
def asin(z: Complex) -> Complex:
    w = _asin_acos_kernel(z)
    return Complex(atan2(z.real, w.real), copysign(w.imag, z.imag))


@complex_form
def acos(z: Complex) -> Complex:
    w = _asin_acos_kernel(z)
    return Complex(atan2(w.real, z.real), copysign(w.imag, -z.imag))


@complex_form
def asinh(z: Complex) -> Complex:
    # -i asin(iz)
    w = _asin_acos_kernel(Complex(-z.imag, z.real))
    return Complex(copysign(w.imag, z.real), atan2(z.imag, w.real))


@complex_form
def acosh(z: Complex) -> Complex:
    # i acos(z) or -i acos(z), with a nonnegative real part
    w = _asin_acos_kernel(z)
    return Complex(w.imag, copysign(atan2(w.real, z.real), z.imag))


@complex_form
def atanh(z: Complex) -> Complex:
    # log1p(4x / h^2) / 4 with h = |1 - z|, and atan2(2y, 1 - x^2 - y^2) / 2
    x, y = abs(z.real), abs(z.imag)
    h = _hypotenuse(abs(1.0 - x), y)
    real = select(h < 1e-100, 0.5 * (LN2 - log(h)), 0.25 * log1p(4.0 * x / h / h))
    imag = 0.5 * atan2(2.0 * y, (1.0 - x) * (1.0 + x) - y * y)
    # far out, x / |z|^2, of which no square is taken, and pi/2
    m, n = maximum(x, y), minimum(x, y)
    quotient = n / m
    far = m > FAR * FAR
    real = select(far, x / m / (1.0 + quotient * quotient) / m, real)
    real = select(m == inf, 0.0, real)
    imag = select(far, pi / 2, imag)
    return Complex(copysign(real, z.real), copysign(imag, z.imag))


@complex_form
def atan(z: Complex) -> Complex:
    # -i atanh(iz)
    w = atanh(Complex(-z.imag, z.real))
    return Complex(w.imag, -w.real)


# --- hyperbolic functions -------------------------------------------------------------------------
def _hyperbolic(z: Complex) -> tuple[Term, Term, Term, Term]:
    """sinh x cos y, cosh x sin y, cosh x cos y and sinh x sin y.

    Where e^x overflows, the products take the factors e^(x/2) one by one.
    """
    x, y = z
    (sinh, _), (cosh, _) = REAL["sinh"], REAL["cosh"]
    sinh_x, cosh_x = sinh("f64", x), cosh("f64", x)
    far = abs(x) > EXP_LIMIT["f64"]
    root = exp(0.5 * abs(x))
    cos_y, sin_y = cosine(y), sine(y)
    large_cos, large_sin = 0.5 * root * cos_y * root, 0.5 * root * sin_y * root
    return (
        select(far, sign(x) * large_cos, sinh_x * cos_y),
        select(far, large_sin, cosh_x * sin_y),
        select(far, large_cos, cosh_x * cos_y),
        select(far, sign(x) * large_sin, sinh_x * sin_y),
    )


@complex_form
def sinh(z: Complex) -> Complex:
    # sinh x cos y + i cosh x sin y, real on the real axis
    real, imag, _, _ = _hyperbolic(z)
    return Complex(real, select(z.imag == 0.0, z.imag, imag))


@complex_form
def cosh(z: Complex) -> Complex:
    # cosh x cos y + i sinh x sin y, real on the real axis
    _, _, real, imag = _hyperbolic(z)
    return Complex(real, select(z.imag == 0.0, sign(z.real) * z.imag, imag))


# --- products and parts ---------------------------------------------------------------------------
@complex_form
def square(z: Complex) -> Complex:
    # (x - y)(x + y) + 2xyi, where x + y may overflow beside x - y = 0
    x, y = z
    size, other = abs(x), abs(y)
    real = select(size == other, size - other, (x - y) * (x + y))
    product = x * y
    return Complex(real, product + product)


@rewrites
def conj(op: Operation, operand: Tensor) -> Sequence[Tensor]:
    if not operand.element_type.is_complex:
        return [operand]
    return [ops.complex(ops.real(operand), ops.negate(ops.imag(operand)))]
