"""Functions of complex numbers: logarithms, roots, powers, atan2.

Signed zeros, infinities and NaN are C99's (annex G), and XLA's where C99 has no such function;
zeros tell the sides of branch cuts.
"""

from __future__ import annotations

import math
from math import inf, nan, pi

from shlo_tools.passes.legalize_to_linalg.complex import scalar_formula as real
from shlo_tools.passes.legalize_to_linalg.complex.arithmetic import (
    SCALE,
    Complex,
    abs_,
    complex_form,
    has_infinity,
    modulus,
    sized,
    zero,
)
from shlo_tools.passes.legalize_to_linalg.complex.scalar_formula import (
    Number,
    Pair,
    abs,
    atan2,
    copysign,
    cos,
    fma,
    is_infinite,
    is_undefined,
    log1p,
    maximum,
    product,
    reciprocal_power_of_two,
    select,
    sin,
    sum_of,
    sum_of_products,
    sum_of_two,
)


# --- logarithms -----------------------------------------------------------------------------------
def log_modulus(x: Number, rest: Number | None, y: Number) -> Number:
    """log |x + rest + iy|: of the sum of squares with twice the digits, lest it cancel near 1."""
    inside = sized(Complex(x, y))
    x, y = inside.z
    (xx, xx_), (yy, yy_) = product(x, x), product(y, y)
    terms = [xx, yy, xx_, yy_]
    if rest is not None:
        rest = rest * inside.factor
        terms[2:2] = product(2.0 * x, rest)
        terms.append(rest * rest)
    exact = x.has_spare and rest is None  # then squares have no rests
    square, low = sum_of_two(xx, yy) if exact else sum_of(terms)
    value = 0.5 * (real.log(square) + low / square)
    return select(square == 0.0, -inf, inside.raised(value, math.log(SCALE)))


@complex_form
def log(z: Complex) -> Complex:
    x, y = z
    size = select(has_infinity(z), inf, log_modulus(x, None, y))
    return Complex(size, atan2(y, x))


@complex_form
def log_plus_one(z: Complex) -> Complex:
    one_more, rest = sum_of_two(z.real.lifted(1.0), z.real)
    size = select(has_infinity(z), inf, log_modulus(one_more, rest, z.imag))
    return Complex(size, atan2(z.imag, one_more))


# --- roots ----------------------------------------------------------------------------------------
@complex_form
def sqrt(z: Complex) -> Complex:
    return _root(z)[0]


def _root(z: Complex) -> tuple[Complex, Number, Number]:
    """The square root, |z| scaled to be in range, and the factor of that.

    The larger part t is sqrt((|x| + |z|) / 2), the other one y / 2t.
    """
    x, y = z
    inside = sized(z)
    size = select(has_infinity(z), inf, modulus(inside.z))
    t = inside.restored(sum_of_two(abs(inside.z.real), size).scaled(0.5).root(), 0.5)
    other = 0.5 * (y / t)
    right = x >= 0.0
    root = Complex(select(right, t, abs(other)), select(right, other, copysign(t, y)))
    endless, null = is_infinite(y), t == 0.0
    root = Complex(
        select(endless, inf, select(null, 0.0, root.real)),
        select(endless | null, y, root.imag),
    )
    return root, size, inside.factor


@complex_form
def rsqrt(z: Complex) -> Complex:
    # conj(sqrt z) / |z|; of 0 it is inf + NaN i, as XLA has it
    root, size, factor = _root(z)
    null, endless = size == 0.0, has_infinity(z)
    parts = root.real / size * factor, -root.imag / size * factor
    return Complex(
        select(null, inf, select(endless, 0.0, parts[0])),
        select(null, nan, select(endless, -zero(z.imag), parts[1])),
    )


@complex_form
def cbrt(z: Complex) -> Complex:
    # the principal root, by modulus and angle; those round too often for f64, which Newton mends
    inside = sized(z)
    size, angle = real.cbrt(modulus(inside.z)), atan2(z.imag, z.real) / 3.0
    root = Complex(size * cos(angle), select(angle == 0.0, angle, size * sin(angle)))
    if not z.real.has_spare:
        better = _mended_cube_root(inside.z, root)
        kept = is_undefined(size) | (size == 0.0)
        root = Complex(*(select(kept, r, b) for r, b in zip(root, better, strict=True)))
    x, y = (inside.restored(part, 1 / 3) for part in root)
    flat = (z.imag != 0.0) & (abs(angle) < 2.0**-60)  # an angle may become 0 where y does not
    return Complex(x, select(flat, z.imag / x / x / 3.0, y))


def _mended_cube_root(z: Complex, root: Complex) -> Complex:
    """One step of Newton's method: r + (z - r^3) / 3r^2 with the difference in twice the digits."""
    a, b = root
    (aa, aa_), (bb, bb_), (ab, ab_) = product(a, a), product(b, b), product(a, b)
    real, imag = sum_of([aa, -bb, aa_, -bb_]), Pair(2.0 * ab, 2.0 * ab_)
    over = _rest(z.real, (a, real), (-b, imag))
    beside = _rest(z.imag, (a, imag), (b, real))
    c, d = real.high, imag.high
    divisor = 3.0 * (c * c + d * d)
    step = (over * c + beside * d) / divisor, (beside * c - over * d) / divisor
    return Complex(a + step[0], b + step[1])


def _rest(x: Number, *products: tuple[Number, Pair]) -> Number:
    """x less products of a number and a sum of two."""
    terms = [x]
    for factor, (high, low) in products:
        terms += [*product(-factor, high), -factor * low]
    return sum_of(terms).high


# --- two operands ---------------------------------------------------------------------------------
@complex_form
def atan2_(y: Complex, x: Complex) -> Complex:
    """-i log((x + iy) / sqrt(x^2 + y^2)), from p = x + iy and q = x - iy.

    That is (arg p - arg q) / 2 + i log(|q| / |p|) / 2, plus the multiple of pi that the root
    chooses. Special values are XLA's: NaN for infinities and where x^2 + y^2 = 0.
    """
    if not x.real.has_spare:
        parts = [abs(part) for part in (*x, *y)]
        size = maximum(maximum(parts[0], parts[1]), maximum(parts[2], parts[3]))
        factor = reciprocal_power_of_two(size)
        y, x = (Complex(*(part * factor for part in z)) for z in (y, x))
    p, q = Complex(x.real - y.imag, x.imag + y.real), Complex(x.real + y.imag, x.imag - y.real)
    # half the argument of p conj(q), within pi / 2
    cross = 2.0 * sum_of_products(x.real, y.real, x.imag, y.imag)
    half = 0.5 * atan2(cross, sum_of_products(p.real, q.real, p.imag, q.imag))
    squares = Complex(
        sum_of_products(p.real, q.real, -p.imag, q.imag),
        2.0 * sum_of_products(x.real, x.imag, y.real, y.imag),
    )
    about = atan2(p.imag, p.real) - 0.5 * atan2(squares.imag, squares.real)
    turn = copysign(half.lifted(pi), select(half == 0.0, about, -half))
    turned = half + select(cos(about - half) > 0.0, 0.0, turn)
    # |q|^2 = |p|^2 + 4 im(conj(x) y)
    excess = 4.0 * sum_of_products(x.real, y.imag, -x.imag, y.real)
    near_p = excess > 0.0
    nearer = Complex(*(select(near_p, a, b) for a, b in zip(p, q, strict=True)))
    square = fma(nearer.real, nearer.real, nearer.imag * nearer.imag)
    growth = 0.25 * log1p(abs(excess) / square)
    if not x.real.has_spare:
        far = 0.5 * (real.log(abs_(p)) - real.log(abs_(q)))
        growth = select(square < 1e-200, abs(far), growth)
    undefined = is_undefined(p.real) | is_undefined(p.imag)
    singular = undefined | (abs_(p) == 0.0) | (abs_(q) == 0.0)
    return Complex(select(singular, nan, turned), select(singular, nan, copysign(growth, excess)))
