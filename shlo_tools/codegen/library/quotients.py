"""Quotients of vectors of 64-bit integers, which processors divide one by one.

Most numbers are short. Where all lanes are, quotients of floats are exact but for what is cut off
behind the point: a quotient of a below 2^53 that is no integer is further from the next one than
is rounded away (``codegen.division``). Other vectors are divided lane by lane. Not all processors
convert vectors of 64-bit integers, but all add.
"""

from __future__ import annotations

from shlo_tools.codegen.function import Function, Type, Value
from shlo_tools.codegen.target import Target

NAMES = "shlo_rt_divide_"  # how names begin
_SHORT = 51  # bits below the sign
_MIDDLE = 1.5 * 2**52  # where f64 have whole numbers for digits, also of those 2^51 below
_MIDDLE_BITS = 0x4338 << 48


def name(type: Type, *, is_signed: bool) -> str:
    """``(a, b) -> a / b`` for vectors of a type; neither b = 0 nor the least number / -1."""
    return f"{NAMES}{'s' if is_signed else 'u'}{type.element}x{type.lanes}"


def functions(target: Target, name: str) -> list[Function]:
    """The function whose name ends so; any target's code is as good."""
    element, _, lanes = name[1:].partition("x")
    type = Type(element, int(lanes))
    f = Function(NAMES + name, [type, type], type)
    f.result = _quotient(f, *f.arguments, is_signed=name[0] == "s")
    return [f]


def _quotient(f: Function, a: Value, b: Value, *, is_signed: bool) -> Value:
    # Numbers with signs are moved up to where they have none.
    either = (a + (1 << _SHORT)) | (b + (1 << _SHORT)) if is_signed else a | b
    are_short = f.reduce("or", either >> (_SHORT + 1 if is_signed else _SHORT)) == 0

    def by_floats() -> Value:
        quotient = f.intrinsic("trunc", _float(a) / _float(b))
        return (quotient + _MIDDLE).to("bitcast", a.type.element) - _MIDDLE_BITS

    def one_by_one() -> Value:
        return f.op("sdiv" if is_signed else "udiv", a, b)

    return f.if_(are_short, by_floats, one_by_one)[0]


def _float(number: Value) -> Value:
    """A short integer as f64: there it is added to what has whole numbers for digits."""
    return (number + _MIDDLE_BITS).to("bitcast", "f64") - _MIDDLE
