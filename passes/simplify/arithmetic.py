"""Sums, products, extrema and what else computes with numbers.

``c`` is a constant. Every rule keeps every bit (payloads and signs of NaNs aside): those that
floats break are for integers, and zeros have signs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shlo_tools import ir
from shlo_tools.dtypes import ElementType
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.simplify import numbers
from shlo_tools.passes.simplify.driver import Replacement, Rewriter, Rule, Rules
from shlo_tools.passes.simplify.numbers import Numbers
from shlo_tools.passes.simplify.values import (
    LIMIT,
    constant,
    constant_behind,
    filled,
    held,
    is_splat,
    source,
    splat,
    typed,
)
from shlo_tools.reference import EVALUATORS

Elements = Callable[[ElementType], bool]


# --- forms of rules -------------------------------------------------------------------------------
def of(elements: Elements, rule: Rule) -> Rule:
    """A rule for results of some element types only."""

    def limited(op: Operation, build: Rewriter) -> Replacement | None:
        type = typed(op.results[0])
        return rule(op, build) if type is not None and elements(type.element_type) else None

    return limited


def commuted(op: Operation, build: Rewriter) -> Replacement | None:
    """Constants go to the right."""
    lhs, rhs = op.operands
    if constant_behind(lhs) is None or constant_behind(rhs) is not None:
        return None
    return [build.value(op.name, [rhs, lhs], op.results[0].type)]


def operand(index: int, *, beside: Numbers) -> Rule:
    """One operand is the result where the other one is such a number."""

    def rule(op: Operation, build: Rewriter) -> Replacement | None:
        number = splat(op.operands[1 - index])
        return [op.operands[index]] if number is not None and beside(number) else None

    return rule


def number(index: int, is_such: Numbers) -> Rule:
    """One operand is the result where it is such a number."""

    def rule(op: Operation, build: Rewriter) -> Replacement | None:
        elements = splat(op.operands[index])
        return [op.operands[index]] if elements is not None and is_such(elements) else None

    return rule


def value(result: complex, *, beside: Numbers) -> Rule:
    """The result is a number where the right operand is such a number."""

    def rule(op: Operation, build: Rewriter) -> Replacement | None:
        elements = splat(op.operands[1])
        if elements is None or not beside(elements):
            return None
        replacement = filled(build, op.results[0], result)
        return None if replacement is None else [replacement]

    return rule


def same(op: Operation, build: Rewriter) -> Replacement | None:
    """op(x, x) -> x"""
    return [op.operands[0]] if op.operands[0] == op.operands[1] else None


def same_gives(result: int) -> Rule:
    """op(x, x) -> a number"""

    def rule(op: Operation, build: Rewriter) -> Replacement | None:
        if op.operands[0] != op.operands[1]:
            return None
        replacement = filled(build, op.results[0], result)
        return None if replacement is None else [replacement]

    return rule


def inverse_of(name: str) -> Rule:
    """op(name(x)) -> x"""

    def rule(op: Operation, build: Rewriter) -> Replacement | None:
        inner = source(op.operands[0], name)
        return None if inner is None else [inner.operands[0]]

    return rule


def after(*names: str) -> Rule:
    """op(name(x)) -> name(x), where op changes nothing any more"""

    def rule(op: Operation, build: Rewriter) -> Replacement | None:
        return None if source(op.operands[0], *names) is None else [op.operands[0]]

    return rule


def through(name: str) -> Rule:
    """op(name(x)) -> op(x)"""

    def rule(op: Operation, build: Rewriter) -> Replacement | None:
        inner = source(op.operands[0], name)
        if inner is None:
            return None
        return [build.value(op.name, [inner.operands[0]], op.results[0].type)]

    return rule


def unary(name: str, index: int, *, beside: Numbers) -> Rule:
    """op(x, c) -> name(x)"""

    def rule(op: Operation, build: Rewriter) -> Replacement | None:
        elements = splat(op.operands[1 - index])
        if elements is None or not beside(elements):
            return None
        return [build.value(f"stablehlo.{name}", [op.operands[index]], op.results[0].type)]

    return rule


def joined(op: Operation, build: Rewriter) -> Replacement | None:
    """op(op(x, c), d) -> op(x, op(c, d))"""
    inner = source(op.operands[0], op.name.removeprefix("stablehlo."))
    if inner is None or op.operands[0].type != op.results[0].type:
        return None
    first, second = held(inner.operands[1]), held(op.operands[1])
    if first is None or second is None or inner.operands[0].type != op.results[0].type:
        return None
    if is_splat(first) and is_splat(second):
        both = EVALUATORS[op.name](first.reshape(-1)[:1], second.reshape(-1)[:1]).reshape(())
    elif first.size <= LIMIT:
        both = EVALUATORS[op.name](first, second)
    else:
        return None
    replacement = constant(build, op.results[0].type, np.broadcast_to(both, first.shape))
    return [build.value(op.name, [inner.operands[0], replacement], op.results[0].type)]


# --- signs ----------------------------------------------------------------------------------------
def negated_right(name: str) -> Rule:
    """op(x, -y) -> name(x, y)"""

    def rule(op: Operation, build: Rewriter) -> Replacement | None:
        inner = source(op.operands[1], "negate")
        if inner is None:
            return None
        return _binary(build, name, op.operands[0], inner.operands[0], op)

    return rule


def negated_left(op: Operation, build: Rewriter) -> Replacement | None:
    """-x + y -> y - x"""
    inner = source(op.operands[0], "negate")
    if inner is None:
        return None
    return _binary(build, "subtract", op.operands[1], inner.operands[0], op)


def squared(op: Operation, build: Rewriter) -> Replacement | None:
    """x ** 2 -> x * x"""
    elements = splat(op.operands[1])
    if elements is None or not numbers.two(elements):
        return None
    return _binary(build, "multiply", op.operands[0], op.operands[0], op)


def _binary(
    build: Rewriter, name: str, lhs: Value, rhs: Value, op: Operation
) -> Replacement | None:
    return [build.value(f"stablehlo.{name}", [lhs, rhs], op.results[0].type)]


def full_precision(op: Operation, build: Rewriter) -> Replacement | None:
    """reduce_precision(x) -> x, where all bits are kept"""
    bits = {"f64": (11, 52), "f32": (8, 23), "f16": (5, 10), "bf16": (8, 7)}
    type = typed(op.operands[0])
    exponent, mantissa = (ir.integer_of(op, f"{part}_bits") for part in ("exponent", "mantissa"))
    own = bits.get(type.element_type.name) if type else None
    return [op.operands[0]] if own and exponent >= own[0] and mantissa >= own[1] else None


WHOLE = numbers.is_whole
SIGNED = numbers.has_signs


def _real(element: ElementType) -> bool:
    return not element.is_complex


def _wide(element: ElementType) -> bool:
    """Floats whose largest numbers are integers, or which have an infinity above them."""
    return element.is_float and element.bits >= 16


_INTEGRAL = ("ceil", "floor", "round_nearest_afz", "round_nearest_even")
_already_integral = of(_wide, after(*_INTEGRAL))  # floor(ceil(x)) -> ceil(x), and so on


RULES: Rules = {
    "stablehlo.abs": (
        after("abs"),  # ||x|| -> |x|
        of(SIGNED, of(_real, through("negate"))),  # |-x| -> |x|
    ),
    "stablehlo.add": (
        commuted,  # c + x -> x + c
        operand(0, beside=numbers.neutral_addend),  # x + 0 -> x; of floats x + -0.0
        of(SIGNED, negated_right("subtract")),  # x + -y -> x - y
        of(SIGNED, negated_left),  # -x + y -> y - x
        of(WHOLE, joined),  # (x + c) + d -> x + (c + d)
    ),
    "stablehlo.ceil": (_already_integral,),
    "stablehlo.divide": (operand(0, beside=numbers.one),),  # x / 1 -> x
    "stablehlo.floor": (_already_integral,),
    "stablehlo.maximum": (
        commuted,  # max(c, x) -> max(x, c)
        same,  # max(x, x) -> x
        operand(0, beside=numbers.least),  # max(x, -inf) -> x
        number(1, numbers.greatest_integer),  # max(x, INT_MAX) -> INT_MAX
        of(_real, joined),  # max(max(x, c), d) -> max(x, max(c, d))
    ),
    "stablehlo.minimum": (
        commuted,  # min(c, x) -> min(x, c)
        same,  # min(x, x) -> x
        operand(0, beside=numbers.greatest),  # min(x, inf) -> x
        number(1, numbers.least_integer),  # min(x, INT_MIN) -> INT_MIN
        of(_real, joined),  # min(min(x, c), d) -> min(x, min(c, d))
    ),
    "stablehlo.multiply": (
        of(_real, commuted),  # c * x -> x * c
        operand(0, beside=numbers.one),  # x * 1 -> x
        number(1, numbers.zero),  # x * 0 -> 0, of integers
        unary("negate", 0, beside=numbers.minus_one),  # x * -1 -> -x
        of(WHOLE, joined),  # (x * c) * d -> x * (c * d)
    ),
    "stablehlo.negate": (of(SIGNED, inverse_of("negate")),),  # --x -> x
    "stablehlo.power": (
        operand(0, beside=numbers.one),  # x ** 1 -> x
        value(1, beside=numbers.zero),  # x ** 0 -> 1, of integers
        of(WHOLE, squared),  # x ** 2 -> x * x, of integers
    ),
    "stablehlo.reduce_precision": (full_precision,),
    "stablehlo.remainder": (of(WHOLE, value(0, beside=numbers.one)),),  # x % 1 -> 0, of integers
    "stablehlo.round_nearest_afz": (_already_integral,),
    "stablehlo.round_nearest_even": (_already_integral,),
    "stablehlo.shift_left": (operand(0, beside=numbers.zero),),  # x << 0 -> x
    "stablehlo.shift_right_arithmetic": (operand(0, beside=numbers.zero),),
    "stablehlo.shift_right_logical": (operand(0, beside=numbers.zero),),
    "stablehlo.sign": (of(_real, after("sign")),),  # sign(sign(x)) -> sign(x)
    "stablehlo.subtract": (
        operand(0, beside=numbers.neutral_subtrahend),  # x - 0 -> x
        of(WHOLE, same_gives(0)),  # x - x -> 0, of integers
        of(SIGNED, unary("negate", 1, beside=numbers.neutral_addend)),  # 0 - x -> -x; -0.0 - x
        of(SIGNED, negated_right("add")),  # x - -y -> x + y
    ),
}
