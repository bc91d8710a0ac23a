"""Arithmetic of complex numbers on their parts: abs, divide, multiply, sign.

What is registered here is a formula on the parts in f64. complex<f32> gains so much range and
precision on the way that few formulas need care; for complex<f64> they neither overflow nor
cancel where the result does not, but for what is said at a function.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log2, nan
from typing import NamedTuple, TypeVar

from shlo_tools.dtypes import ElementType
from shlo_tools.mlir import Value
from shlo_tools.passes.legalize_to_linalg.complex.scalar_formula import (
    Number,
    abs,
    copysign,
    fma,
    is_infinite,
    is_nan,
    maximum,
    product,
    reciprocal_power_of_two,
    select,
    sum_of_products,
)
from shlo_tools.passes.legalize_to_linalg.elementwise import COMPLEX, F32, F64, Emit
from shlo_tools.passes.legalize_to_linalg.emit import structured
from shlo_tools.passes.legalize_to_linalg.rules import op_name


class Complex(NamedTuple):
    """A complex number in a formula."""

    real: Number
    imag: Number


Formula = TypeVar("Formula", bound=Callable[..., "Complex | Number"])


def complex_form(formula: Formula) -> Formula:
    """Register the form for complex operands of the op that a formula is named after."""

    def rule(e: Emit, *operands: Value) -> Value:
        result = formula(*(_widened(e, operand) for operand in operands))
        if isinstance(result, Number):
            return _narrowed(e, result, e.result)
        part = F32 if e.result.bits == 64 else F64
        parts = (_narrowed(e, value, part) for value in result)
        return e("complex.create", *parts, type=structured.element(e.result))

    COMPLEX[op_name(formula)] = rule
    return formula


def _widened(e: Emit, operand: Value) -> Complex:
    if e.operand.bits == 128:
        return Complex(*(Number(e, e.part(name, operand)) for name in ("re", "im")))
    f64 = structured.element(F64)
    parts = (e("arith.extf", e.part(name, operand), type=f64) for name in ("re", "im"))
    return Complex(*(Number(e, part, has_spare=True) for part in parts))


def _narrowed(e: Emit, number: Number, type: ElementType) -> Value:
    if type.bits == 64:
        return number.value
    return e("arith.truncf", number.value, type=structured.element(type))


# --- sizes ----------------------------------------------------------------------------------------
LARGE = 2.0**500  # what is larger, or smaller than the reciprocal, is scaled before it is squared
SCALE = 2.0**600  # both a square and a cube


class Sized(NamedTuple):
    """z scaled by ``factor`` such that squares of its larger part are in range.

    Attributes:
        large, small: where factor is not 1; None where it is 1 everywhere.
    """

    z: Complex
    factor: Number
    large: Number | None = None
    small: Number | None = None

    def restored(self, value: Number, power: float = 1.0) -> Number:
        """Undo the scaling of what grows like a power of z."""
        if self.large is None or self.small is None:
            return value
        up = 2.0 ** round(power * log2(SCALE))
        return value * select(self.large, up, select(self.small, 1 / up, 1.0))

    def raised(self, value: Number, shift: float) -> Number:
        """Add what a logarithm has lost: ``shift``, or less than nothing where z was small."""
        if self.large is None or self.small is None:
            return value
        return value + select(self.large, shift, select(self.small, -shift, 0.0))


def sized(z: Complex) -> Sized:
    """z in range."""
    if z.real.has_spare:
        return Sized(z, z.real.lifted(1.0))
    size = maximum(abs(z.real), abs(z.imag))
    large, small = size > LARGE, size < 1 / LARGE
    factor = select(large, 1 / SCALE, select(small, SCALE, 1.0))
    return Sized(Complex(z.real * factor, z.imag * factor), factor, large, small)


def modulus(z: Complex) -> Number:
    """The distance from 0 of a number in range."""
    return product(z.real, z.real).plus(product(z.imag, z.imag)).root()


def has_infinity(z: Complex) -> Number:
    """Whether a part is infinite: then the number is, even if the other part is NaN."""
    return is_infinite(z.real) | is_infinite(z.imag)


def zero(signed: Number) -> Number:
    """0 with the sign of a number."""
    return copysign(signed.lifted(0.0), signed)


# --- operations -----------------------------------------------------------------------------------
@complex_form
def abs_(z: Complex) -> Number:
    inside = sized(z)
    return select(has_infinity(z), inf, inside.restored(modulus(inside.z)))


@complex_form
def sign(z: Complex) -> Complex:
    # z / |z|; both parts of 0 are positive
    inside = sized(z)
    size = modulus(inside.z)
    parts = [part / size for part in z]
    if inside.large is not None and inside.small is not None:  # neither factor underflows here
        up, down = select(inside.small, SCALE, 1.0), select(inside.large, 1 / SCALE, 1.0)
        parts = [part * up / size * down for part in z]
    return Complex(*(select(size == 0.0, 0.0, part) for part in parts))


def _multiply(e: Emit, lhs: Value, rhs: Value) -> Value:
    """(a + bi)(c + di) without C99's second look at NaN, as XLA has it."""
    a, b, c, d = (e.part(name, value) for value in (lhs, rhs) for name in ("re", "im"))
    real = e("arith.subf", e("arith.mulf", a, c), e("arith.mulf", b, d))
    imag = e("arith.addf", e("arith.mulf", a, d), e("arith.mulf", b, c))
    return e("complex.create", real, imag, type=structured.element(e.result))


COMPLEX["stablehlo.multiply"] = _multiply


@complex_form
def divide(z: Complex, w: Complex) -> Complex:
    # z conj(w) / |w|^2 with |w| near 1, and where that is NaN what C99 (G.5.1) and XLA have
    factor, restored, z, w = _divisible(z, w)
    (a, b), (c, d) = z, w
    square = fma(c, c, d * d)
    plain = Complex(
        restored(sum_of_products(a, c, b, d) / square * factor),
        restored(sum_of_products(b, c, -a, d) / square * factor),
    )
    infinite, into_infinity = has_infinity(z), has_infinity(w)
    many = copysign(c.lifted(inf), c)
    times = select(infinite, select(into_infinity, nan, inf), select(into_infinity, 0.0, nan))
    a_, b_ = (select(infinite, _boxed(part), part) for part in z)
    c_, d_ = (select(into_infinity, _boxed(part), part) for part in w)
    special = Complex(
        select(square == 0.0, many * a, times * (a_ * c_ + b_ * d_)),
        select(square == 0.0, many * b, times * (b_ * c_ - a_ * d_)),
    )
    lost = is_nan(plain.real) & is_nan(plain.imag)
    return Complex(*(select(lost, s, p) for s, p in zip(special, plain, strict=True)))


def _boxed(part: Number) -> Number:
    """1 for an infinity and 0 for another number, with its sign."""
    return copysign(select(is_infinite(part), 1.0, 0.0), part)


def _divisible(
    z: Complex, w: Complex
) -> tuple[Number | float, Callable[[Number], Number], Complex, Complex]:
    """z and w scaled so that z conj(w) is in range, and how their quotient is scaled back.

    First by a factor: 1 / |w|, about. z is kept where it is but at the ends of the range.
    """
    if z.real.has_spare:
        return 1.0, lambda part: part, z, w
    factor = reciprocal_power_of_two(maximum(abs(w.real), abs(w.imag)))
    size = maximum(abs(z.real), abs(z.imag))
    large, small = size > 2.0**1000, size < 2.0**-900
    down = select(large, 2.0**-64, select(small, 2.0**64, 1.0))
    up = select(large, 2.0**64, select(small, 2.0**-64, 1.0))
    z, w = (Complex(u.real * f, u.imag * f) for u, f in ((z, down), (w, factor)))
    return factor, lambda part: part * up, z, w
