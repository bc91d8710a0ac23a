"""Bits, comparisons, and the parts of complex numbers.

``c`` is a constant, ``p`` a boolean.
"""

from __future__ import annotations

from shlo_tools import ir, mlir
from shlo_tools.dtypes import ElementType
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.simplify import numbers
from shlo_tools.passes.simplify.arithmetic import (
    commuted,
    inverse_of,
    joined,
    number,
    of,
    operand,
    same,
    same_gives,
    unary,
)
from shlo_tools.passes.simplify.driver import Replacement, Rewriter, Rule, Rules
from shlo_tools.passes.simplify.values import (
    constant_behind,
    filled,
    rebuilt,
    source,
    splat,
    typed,
)


# --- bits -----------------------------------------------------------------------------------------
def beside_its_not(result: int) -> Rule:
    """op(x, not x) -> a number"""

    def rule(op: Operation, build: Rewriter) -> Replacement | None:
        for one, other in (op.operands, list(op.operands)[::-1]):
            inner = source(other, "not")
            if inner is not None and inner.operands[0] == one:
                replacement = filled(build, op.results[0], result)
                return None if replacement is None else [replacement]
        return None

    return rule


# --- comparisons ----------------------------------------------------------------------------------
_SWAPPED = {"EQ": "EQ", "NE": "NE", "GE": "LE", "GT": "LT", "LE": "GE", "LT": "GT"}
_OPPOSITE = {"EQ": "NE", "NE": "EQ", "GE": "LT", "GT": "LE", "LE": "GT", "LT": "GE"}


def _with_direction(
    op: Operation, build: Rewriter, operands: list[Value], direction: str
) -> Replacement:
    attribute = mlir.parse_attribute(f"#stablehlo<comparison_direction {direction}>")
    return rebuilt(op, build, operands, comparison_direction=attribute)


def constant_right(op: Operation, build: Rewriter) -> Replacement | None:
    """c < x -> x > c"""
    lhs, rhs = op.operands
    if constant_behind(lhs) is None or constant_behind(rhs) is not None:
        return None
    return _with_direction(op, build, [rhs, lhs], _SWAPPED[ir.enum_of(op, "comparison_direction")])


def with_itself(op: Operation, build: Rewriter) -> Replacement | None:
    """x == x -> true, but for floats, which may be NaN; x < x -> false"""
    type = typed(op.operands[0])
    if op.operands[0] != op.operands[1] or type is None or type.element_type.is_complex:
        return None
    direction = ir.enum_of(op, "comparison_direction")
    holds = direction in ("EQ", "GE", "LE")
    if _may_be_unordered(op) and direction not in ("GT", "LT"):
        return None
    replacement = filled(build, op.results[0], holds)
    return None if replacement is None else [replacement]


def _may_be_unordered(op: Operation) -> bool:
    """Whether a comparison may be false as well as its opposite."""
    type = typed(op.operands[0])
    return type is None or (not _is_total(op) and (type.element_type.is_float or _is_complex(op)))


def _is_total(op: Operation) -> bool:
    """Whether the order of floats is total, in which -0 is below 0."""
    return ir.enum_of(op, "compare_type") == "TOTALORDER"


def _is_complex(op: Operation) -> bool:
    type = typed(op.operands[0])
    return type is not None and type.element_type.is_complex


def with_boolean(op: Operation, build: Rewriter) -> Replacement | None:
    """p == true -> p; p == false -> not p; and so for !="""
    type, elements = typed(op.operands[0]), splat(op.operands[1])
    if type is None or not type.element_type.is_boolean or elements is None:
        return None
    direction = ir.enum_of(op, "comparison_direction")
    if direction not in ("EQ", "NE"):
        return None
    if (direction == "EQ") == bool(elements):
        return [op.operands[0]]
    return _not(op, build, op.operands[0])


def converted_boolean(op: Operation, build: Rewriter) -> Replacement | None:
    """convert(p) != 0 -> p; convert(p) == 0 -> not p"""
    inner, elements = source(op.operands[0], "convert"), splat(op.operands[1])
    direction = ir.enum_of(op, "comparison_direction")
    if inner is None or elements is None or direction not in ("EQ", "NE"):
        return None
    type = typed(inner.operands[0])
    # A type without zero may have no place for false.
    element = typed(op.operands[0])
    if type is None or not type.element_type.is_boolean or element is None:
        return None
    if element.element_type.name == "f8E8M0FNU" or bool(elements) or _is_total(op):
        return None
    if inner.operands[0].type != op.results[0].type:
        return None
    return [inner.operands[0]] if direction == "NE" else _not(op, build, inner.operands[0])


def _not(op: Operation, build: Rewriter, value: Value) -> Replacement | None:
    if value.type != op.results[0].type:
        return None
    return [build.value("stablehlo.not", [value], value.type)]


def with_least(op: Operation, build: Rewriter) -> Replacement | None:
    """x >= INT_MIN -> true; x < INT_MIN -> false; and so for INT_MAX"""
    type, elements = typed(op.operands[0]), splat(op.operands[1])
    if type is None or elements is None or not type.element_type.is_integer:
        return None
    answers = {}
    if numbers.least(elements):
        answers = {"GE": True, "LT": False}
    elif numbers.greatest(elements):
        answers = {"LE": True, "GT": False}
    answer = answers.get(ir.enum_of(op, "comparison_direction"))
    replacement = None if answer is None else filled(build, op.results[0], answer)
    return None if replacement is None else [replacement]


def not_compared(op: Operation, build: Rewriter) -> Replacement | None:
    """not(x < y) -> x >= y, but for floats, which may be unordered; not(x == y) -> x != y"""
    inner = source(op.operands[0], "compare")
    if inner is None or op.operands[0].type != op.results[0].type:
        return None
    direction = ir.enum_of(inner, "comparison_direction")
    if direction not in ("EQ", "NE") and (_may_be_unordered(inner) or _is_complex(inner)):
        return None
    return _with_direction(inner, build, list(inner.operands), _OPPOSITE[direction])


# --- complex numbers ------------------------------------------------------------------------------
def part(index: int, name: str) -> Rule:
    """real(complex(x, y)) -> x; imag(complex(x, y)) -> y; of a real number x real(x) -> x"""

    def rule(op: Operation, build: Rewriter) -> Replacement | None:
        inner = source(op.operands[0], "complex")
        if inner is not None:
            return [inner.operands[index]]
        type = typed(op.operands[0])
        return [op.operands[0]] if name == "real" and type and not _is_complex(op) else None

    return rule


def parts_joined(op: Operation, build: Rewriter) -> Replacement | None:
    """complex(real(z), imag(z)) -> z"""
    one, other = source(op.operands[0], "real"), source(op.operands[1], "imag")
    if one is None or other is None or one.operands[0] != other.operands[0]:
        return None
    return [one.operands[0]]


def _bitwise(element: ElementType) -> bool:
    return element.is_integer or element.is_boolean


RULES: Rules = {
    "stablehlo.and": (
        commuted,  # c & x -> x & c
        same,  # x & x -> x
        number(1, numbers.zero),  # x & 0 -> 0
        operand(0, beside=numbers.all_ones),  # x & -1 -> x
        beside_its_not(0),  # x & ~x -> 0
        of(_bitwise, joined),  # (x & c) & d -> x & (c & d)
    ),
    "stablehlo.compare": (
        constant_right,
        with_itself,
        with_boolean,
        converted_boolean,
        with_least,
    ),
    "stablehlo.complex": (parts_joined,),
    "stablehlo.imag": (part(1, "imag"),),
    "stablehlo.not": (
        inverse_of("not"),  # ~~x -> x
        not_compared,
    ),
    "stablehlo.or": (
        commuted,  # c | x -> x | c
        same,  # x | x -> x
        operand(0, beside=numbers.zero),  # x | 0 -> x
        number(1, numbers.all_ones),  # x | -1 -> -1
        beside_its_not(-1),  # x | ~x -> -1
        of(_bitwise, joined),  # (x | c) | d -> x | (c | d)
    ),
    "stablehlo.real": (part(0, "real"),),
    "stablehlo.xor": (
        commuted,  # c ^ x -> x ^ c
        same_gives(0),  # x ^ x -> 0
        operand(0, beside=numbers.zero),  # x ^ 0 -> x
        unary("not", 0, beside=numbers.all_ones),  # x ^ -1 -> ~x
        of(_bitwise, joined),  # (x ^ c) ^ d -> x ^ (c ^ d)
    ),
}
