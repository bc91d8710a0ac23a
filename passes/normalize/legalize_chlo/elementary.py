"""Constants, comparisons with infinity, and functions of the bits of a number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, isinf

from shlo_tools import ir, mlir
from shlo_tools.dtypes import ELEMENT_TYPES, Kind, splat_element, tensor_type
from shlo_tools.mlir import Operation, Value
from shlo_tools.narrow_floats import format_of, is_narrow, wide_type
from shlo_tools.ops import Tensor
from shlo_tools.ops._attributes import Number, codec
from shlo_tools.passes.normalize.legalize_chlo import formula as f
from shlo_tools.passes.normalize.legalize_chlo.formula import (
    Term,
    abs,
    bitcast,
    convert,
    copysign,
    is_nan,
    select,
)
from shlo_tools.passes.normalize.legalize_chlo.formula import constant as splat
from shlo_tools.passes.normalize.legalize_chlo.rules import applied, elementwise, rewrites


# --- constants ------------------------------------------------------------------------------------
@rewrites
def constant(op: Operation) -> Sequence[Tensor]:
    type = tensor_type(op.results[0].type)
    attributes = {"value": op.attributes["value"]}
    return [Tensor(type, ir.insertion().value("stablehlo.constant", (), type.mlir(), attributes))]


@elementwise
def constant_like(op: Operation, operand: Tensor) -> Tensor:
    value = codec(Number).decode(op.attributes["value"])
    element = tensor_type(op.results[0].type).element_type
    return splat(value, operand.type.with_element(element)).tensor


# --- infinities -----------------------------------------------------------------------------------
@elementwise
def is_inf(op: Operation, operand: Tensor) -> Tensor:
    return _compared(operand, lambda x: abs(x) == inf)


@elementwise
def is_neg_inf(op: Operation, operand: Tensor) -> Tensor:
    return _compared(operand, lambda x: x == -inf)


@elementwise
def is_pos_inf(op: Operation, operand: Tensor) -> Tensor:
    return _compared(operand, lambda x: x == inf)


def _compared(operand: Tensor, with_infinity: Callable[[Term], Term]) -> Tensor:
    if operand.element_type.name.endswith(("FN", "FNU", "FNUZ")):  # formats without infinities
        return splat(False, operand.type.with_element(ELEMENT_TYPES["i1"])).tensor
    return with_infinity(_widened(operand)).tensor


def _widened(operand: Tensor) -> Term:
    """Floats of less than 16 bits in a type that arithmetic knows."""
    element = operand.element_type
    return convert(Term(operand), wide_type(element).name) if is_narrow(element) else Term(operand)


# --- products -------------------------------------------------------------------------------------
@elementwise
def square(op: Operation, operand: Tensor) -> Tensor:
    if operand.element_type.is_complex:
        return applied(op, "square", operand)
    wide = _widened(operand)
    return convert(wide * wide, operand.element_type).tensor


@elementwise
def tan(op: Operation, operand: Tensor) -> Tensor:
    return convert(f.tan(_widened(operand)), operand.element_type).tensor


@elementwise
def mulhi(op: Operation, lhs: Tensor, rhs: Tensor) -> Tensor:
    element = lhs.element_type
    if element.bits == 64:
        return _mulhi_64(Term(lhs), Term(rhs)).tensor
    # the whole product fits the type of twice the width
    wide = f"{'i' if element.kind is Kind.SIGNED else 'ui'}{max(8, 2 * element.bits)}"
    product = convert(Term(lhs), wide) * convert(Term(rhs), wide)
    return convert(product >> element.bits, element).tensor


def _mulhi_64(lhs: Term, rhs: Term) -> Term:
    # four products of 32-bit halves; as unsigned a negative number is larger by 2^64
    a, b = bitcast(lhs, "ui64"), bitcast(rhs, "ui64")
    low = (1 << 32) - 1
    a_low, a_high, b_low, b_high = a & low, a >> 32, b & low, b >> 32
    cross, other = a_low * b_high, a_high * b_low
    carry = ((a_low * b_low) >> 32) + (cross & low) + (other & low)
    high = a_high * b_high + (cross >> 32) + (other >> 32) + (carry >> 32)
    if lhs.element_type.kind is Kind.SIGNED:
        high = high - select(lhs < 0, b, 0) - select(rhs < 0, a, 0)
    return bitcast(high, lhs.element_type)


# --- neighbours -----------------------------------------------------------------------------------
@elementwise
def next_after(op: Operation, x: Tensor, y: Tensor) -> Tensor:
    """The number next to x toward y; y where they are equal."""
    element = x.element_type
    if not element.is_float:
        ir.raise_unsupported([op], f"{element} has no neighbours")
    if element.bits < 8:
        return _by_spacing(x, y)
    if element.name == "f8E8M0FNU":
        return _by_exponent(x, y)
    target = None if is_narrow(element) else _splat_of(op.operands[1])
    if target is not None and isinf(target):
        return _toward_infinity(x, target)
    return _by_bits(x, y)


def _splat_of(value: Value) -> float | None:
    """The number that a constant is everywhere; None where there is none."""
    op = mlir.defining_op(value)
    if op is None or op.name != "stablehlo.constant" or not mlir.is_splat(op.attributes["value"]):
        return None
    return float(splat_element(op.attributes["value"]))


def _toward_infinity(x: Tensor, infinity: float) -> Tensor:
    """As ``_by_bits`` has it; programs that walk along the numbers say where to by an infinity."""
    width = x.element_type.bits
    from_ = convert(Term(x), "f64" if width == 64 else "f32")
    bits = bitcast(Term(x), f"ui{width}")
    if infinity > 0:
        goes_on, inward, smallest = from_ < infinity, from_ < 0.0, 1
    else:
        goes_on, inward, smallest = from_ > infinity, from_ > 0.0, (1 << (width - 1)) | 1
    moved = bits + select(inward, bits.constant((1 << width) - 1), 1)
    moved = select(from_ == 0.0, smallest, moved)
    return select(goes_on, bitcast(moved, x.element_type), Term(x)).tensor


def _by_bits(x: Tensor, y: Tensor) -> Tensor:
    """The bits of a float count up away from zero."""
    element = x.element_type
    integer = f"ui{element.bits}"
    sign_bit = 1 << (element.bits - 1)
    wide = "f64" if element.bits == 64 else "f32"
    from_, to = convert(Term(x), wide), convert(Term(y), wide)
    bits, target = bitcast(Term(x), integer), bitcast(Term(y), integer)
    away = (from_ < to) == (from_ > 0.0)
    stepped = select(away, bits + 1, bits - 1)
    if element.name.endswith("FNUZ"):  # where -0 would be, there is NaN
        stepped = select(stepped == sign_bit, 0, stepped)
    smallest = (target & sign_bit) | 1
    moved = select(from_ == 0.0, smallest, stepped)
    moved = select((from_ == to) | is_nan(to), target, moved)
    return bitcast(select(is_nan(from_), bits, moved), element).tensor


def _by_exponent(x: Tensor, y: Tensor) -> Tensor:
    """Powers of two without sign and zero are their exponents; the largest code is NaN."""
    bits, target = bitcast(Term(x), "ui8"), bitcast(Term(y), "ui8")
    moved = select(bits < target, bits + 1, select(bits > target, bits - 1, bits))
    no_number = (bits == _NO_NUMBER) | (target == _NO_NUMBER)
    return bitcast(select(no_number, _NO_NUMBER, moved), x.element_type).tensor


_NO_NUMBER = 0xFF


def _by_spacing(x: Tensor, y: Tensor) -> Tensor:
    """No integer type has 6 bits: neighbours differ by the place of the last digit.

    All is exact in f32. Numbers just below a power of two are as close as those of the lower
    exponent, which is that of the f32 just below it. There are neither infinities nor NaN.
    """
    element = x.element_type
    format = format_of(element)
    from_, to = convert(Term(x), "f32"), convert(Term(y), "f32")
    outward = (from_ < to) == (from_ > 0.0)
    bits = bitcast(abs(from_), "ui32")
    power = bitcast(select(outward, bits, bits - 1) & _EXPONENT_OF_F32, "f32")
    spacing = f.maximum(power, 2.0 ** (1 - format.bias)) * 2.0**-format.mantissa
    magnitude = abs(from_) + select(outward, spacing, -spacing)
    smallest = copysign(2.0 ** (1 - format.bias - format.mantissa), to)
    moved = select(from_ == 0.0, smallest, copysign(magnitude, from_))
    return convert(select(from_ == to, to, moved), element).tensor


_EXPONENT_OF_F32 = 0x7F800000
