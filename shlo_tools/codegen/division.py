"""Quotients of vectors of integers, by way of floats: processors divide integers one by one.

A quotient that is no integer lies 1 / b or more from the next one, which is more than floats of
twice as many digits as the operands have bits round away. So what is cut off behind the point is
exact: of up to 16 bits in f32, of 32 in f64. Of 64 bits a function of the process library looks
first whether they are short enough.
"""

from __future__ import annotations

from shlo_tools.codegen.function import Function, Value
from shlo_tools.codegen.library import quotients
from shlo_tools.codegen.target import Target

_BITS = 32  # of the longest integers whose quotients floats hold
_SHORT = 16
_REGISTERS = 2  # of a vector of 64-bit integers that LLVM multiplies
_LANES = 16  # of one that is passed on


def by_floats(target: Target, f: Function, a: Value, b: Value) -> bool:
    """Whether a quotient is made here; LLVM multiplies where the divisor is a constant.

    Of 64 bits that is done lane by lane: long vectors of them would be thousands of instructions.
    """
    lanes, bits = a.type.lanes, a.type.bits
    is_long = bits > _BITS and lanes > _REGISTERS * target.lanes(bits)
    is_short = bits <= _BITS or target.rounds
    return bool(lanes) and is_short and (is_long or f.integer_of(b) is None)


def quotient(a: Value, b: Value, *, is_signed: bool) -> Value:
    """``a / b``, rounded towards zero; neither b = 0 nor the least number / -1.

    Args:
        a: a vector, as ``by_floats`` takes it.
        is_signed: how both are read.
    """
    if a.type.bits > _BITS:
        return _called(a, b, is_signed=is_signed)
    element, extended = a.type.element, "sext" if is_signed else "zext"
    if a.type.bits > _SHORT:
        to_float, to_integer = ("sitofp", "fptosi") if is_signed else ("uitofp", "fptoui")
        return (a.to(to_float, "f64") / b.to(to_float, "f64")).to(to_integer, element)
    # Of i32 with signs there are instructions everywhere.
    floats = [value.to(extended, "i32").to("sitofp", "f32") for value in (a, b)]
    return (floats[0] / floats[1]).to("fptosi", "i32").to("trunc", element)


def _called(a: Value, b: Value, *, is_signed: bool) -> Value:
    """Of 64 bits, in vectors that are passed in registers."""
    f, lanes = a.function, a.type.lanes
    if lanes <= _LANES:
        return f.computed(quotients.name(a.type, is_signed=is_signed), [a, b], a.type)

    def part(value: Value, lanes: range) -> Value:
        number = f.integer_of(value)
        if number is None:
            return f.shuffle(value, value, lanes)
        return f.constant(number, value.type.scalar.vector(len(lanes)))

    halves = range(lanes // 2), range(lanes // 2, lanes)
    low, high = (_called(part(a, h), part(b, h), is_signed=is_signed) for h in halves)
    return f.shuffle(low, high, range(lanes))


def remainder(a: Value, b: Value, *, is_signed: bool) -> Value:
    """What ``quotient`` leaves, with the sign of ``a``."""
    if a.type.bits > _SHORT:
        return a - quotient(a, b, is_signed=is_signed) * b
    # In i32: no processor multiplies bytes.
    extended, element = "sext" if is_signed else "zext", a.type.element
    a, b = a.to(extended, "i32"), b.to(extended, "i32")
    floats = [value.to("sitofp", "f32") for value in (a, b)]
    return (a - (floats[0] / floats[1]).to("fptosi", "i32") * b).to("trunc", element)
