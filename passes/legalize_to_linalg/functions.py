"""Elementwise functions of numbers: exponentials, trigonometry, powers, roots, rounding, bits."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial, wraps

from shlo_tools.codegen.library import maths
from shlo_tools.mlir import Value
from shlo_tools.passes.legalize_to_linalg.elementwise import (
    F32,
    F64,
    Emit,
    Scalar,
    elementwise,
    scalar_only,
)
from shlo_tools.passes.legalize_to_linalg.emit import structured


# --- one function of the math dialect each --------------------------------------------------------
@elementwise
def cbrt(e: Emit, operand: Value) -> Value:
    return e("math.cbrt", operand)


@elementwise
def ceil(e: Emit, operand: Value) -> Value:
    return e("math.ceil", operand)


@elementwise
def cosine(e: Emit, operand: Value) -> Value:
    return e("math.cos", operand)


@elementwise
def exponential(e: Emit, operand: Value) -> Value:
    return e("math.exp", operand)


@elementwise
def exponential_minus_one(e: Emit, operand: Value) -> Value:
    return e("math.expm1", operand)


@elementwise
def floor(e: Emit, operand: Value) -> Value:
    return e("math.floor", operand)


@elementwise
def log(e: Emit, operand: Value) -> Value:
    return e("math.log", operand)


@elementwise
def log_plus_one(e: Emit, operand: Value) -> Value:
    return e("math.log1p", operand)


@elementwise
def round_nearest_afz(e: Emit, operand: Value) -> Value:
    return e("math.round", operand)


@elementwise
def round_nearest_even(e: Emit, operand: Value) -> Value:
    return e("math.roundeven", operand)


@elementwise
def sine(e: Emit, operand: Value) -> Value:
    return e("math.sin", operand)


@elementwise
def sqrt(e: Emit, operand: Value) -> Value:
    return e("math.sqrt", operand)


@elementwise
def tan(e: Emit, operand: Value) -> Value:
    return e("math.tan", operand)


def _called(function: str, e: Emit, *operands: Value) -> Value:
    """A function of CHLO that is the library's; what has no kernel has no CHLO either."""
    return e(f"math.{function}", *operands)


for _function in maths.CHLO:
    scalar_only(f"chlo.{_function}")(partial(_called, _function))


# --- more than one step ---------------------------------------------------------------------------
def in_single_precision(rule: Scalar) -> Scalar:
    """Compute several steps on 16-bit floats in f32, and round once."""

    @wraps(rule)
    def widened(e: Emit, *operands: Value) -> Value:
        if not e.operand.is_float or e.operand.bits >= 32:
            return rule(e, *operands)
        wide = copy.copy(e)
        wide.operand = wide.result = F32
        single = [e("arith.extf", value, type=structured.element(F32)) for value in operands]
        return e("arith.truncf", rule(wide, *single), type=structured.element(e.operand))

    return widened


def or_in_library(name: str) -> Callable[[Scalar], Scalar]:
    """One op, where that is a function of the library."""

    def decorated(rule: Scalar) -> Scalar:
        @wraps(rule)
        def called(e: Emit, *operands: Value) -> Value:
            return e(name, *operands) if e.has_library else rule(e, *operands)

        return called

    return decorated


@elementwise
def atan2(e: Emit, lhs: Value, rhs: Value) -> Value:
    return e("math.atan2", lhs, rhs)


@elementwise
def count_leading_zeros(e: Emit, operand: Value) -> Value:
    return e("math.ctlz", operand)


@elementwise
@or_in_library("math.logistic")
@in_single_precision
def logistic(e: Emit, operand: Value) -> Value:
    """1 / (1 + exp(-x)), and exp(x) / (1 + exp(x)) below 0, where exp(-x) would overflow.

    Sum and quotient are f64: three roundings to f32 would be off by more than two units.
    """
    power = e("math.exp", e("arith.negf", e("math.absf", operand)))
    negative = e.compare_floats("olt", operand, e.constant(0.0))
    power, one = _in_double(e, power), e.constant(1.0, F64)
    quotient = e("arith.divf", e.select(negative, power, one), e("arith.addf", one, power))
    return _from_double(e, quotient)


def _in_double(e: Emit, value: Value) -> Value:
    return value if e.operand.bits == 64 else e("arith.extf", value, type=structured.element(F64))


def _from_double(e: Emit, value: Value) -> Value:
    to = structured.element(e.operand)
    return value if e.operand.bits == 64 else e("arith.truncf", value, type=to)


@elementwise
def popcnt(e: Emit, operand: Value) -> Value:
    return e("math.ctpop", operand)


@elementwise
def power(e: Emit, lhs: Value, rhs: Value) -> Value:
    if e.operand.is_integer:
        return _integer_power(e, lhs, rhs)
    return e("math.powf", lhs, rhs)


def _integer_power(e: Emit, base: Value, exponent: Value) -> Value:
    """Square and multiply over all bits of the exponent, wrapping around.

    A negative exponent gives 0, except for the bases 1 and -1.
    """
    one, zero = e.constant(1), e.constant(0)
    result, square = one, base
    bits = exponent
    for _ in range(e.operand.bits):
        odd = e.compare_integers("ne", e("arith.andi", bits, one), zero)
        result = e.select(odd, e("arith.muli", result, square), result)
        square = e("arith.muli", square, square)
        bits = e("arith.shrui", bits, one)
    if not e.is_signed:
        return result
    unit = e("arith.ori", *(e.compare_integers("eq", base, e.constant(u)) for u in (1, -1)))
    negative = e.compare_integers("slt", exponent, zero)
    return e.select(negative, e.select(unit, result, zero), result)


@elementwise
@in_single_precision
def rsqrt(e: Emit, operand: Value) -> Value:
    return e("arith.divf", e.constant(1.0), e("math.sqrt", operand))


@elementwise
def sign(e: Emit, operand: Value) -> Value:
    if e.operand.is_float:  # keeps -0 and NaN
        zero = e.constant(0.0)
        below = e.select(e.compare_floats("olt", operand, zero), e.constant(-1.0), operand)
        return e.select(e.compare_floats("ogt", operand, zero), e.constant(1.0), below)
    positive = e.compare_integers("sgt", operand, e.constant(0))
    shifted = e("arith.shrsi", operand, e.constant(e.operand.bits - 1))
    return e.select(positive, e.constant(1), shifted)


@elementwise
@or_in_library("math.tanh")
@in_single_precision
def tanh(e: Emit, operand: Value) -> Value:
    """The C library's for f64; that for f32 is off by more than two units, so m / (m + 2).

    m is exp(2 |x|) - 1, which is large from x = 10 on; sum and quotient are f64.
    """
    if e.operand.bits == 64:
        return e("math.tanh", operand)
    size = e("arith.minimumf", e("math.absf", operand), e.constant(10.0))
    power = _in_double(e, e("math.expm1", e("arith.addf", size, size)))
    quotient = e("arith.divf", power, e("arith.addf", power, e.constant(2.0, F64)))
    return e("math.copysign", _from_double(e, quotient), operand)
