"""Branches, loops and reductions that constants decide, as StableHLO's folder takes them apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shlo_tools import ir, mlir
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.passes.effects import Effects
from shlo_tools.passes.simplify.driver import Replacement, Rewriter, Rules
from shlo_tools.passes.simplify.regions import body, is_outside
from shlo_tools.passes.simplify.values import constant, static
from shlo_tools.passes.upstream.elements import splat_of


def _is_used(op: Operation) -> bool:
    return any(next(result.uses, None) is not None for result in op.results)


def case(op: Operation, build: Rewriter) -> Replacement | None:
    """The branch that an index selects moves in front of the op.

    What is left of it returns zeros: the op stays as long as other branches have effects.
    """
    index = splat_of(op.operands[0])
    if index is None or not _is_used(op):
        return None
    types = [result.type for result in op.results]
    if not all(_has_zero(type) for type in types):
        return None
    number, last = int(index), len(op.regions) - 1
    block = body(op.regions[number if 0 <= number <= last else last])
    *inner, end = (mlir.inner_operation(each) for each in block.operations)
    for each in inner:
        each.move_before(op)
    values = list(end.operands)
    _return_zeros(build, end, types)
    for result, value in zip(op.results, values, strict=True):
        build.replace_uses(result, value)
    return None


def _has_zero(type: Type) -> bool:
    if mlir.spelling(type) == _TOKEN:
        return True
    return mlir.is_static_tensor(type)


_TOKEN = "!stablehlo.token"


def _return_zeros(build: Rewriter, end: Operation, types: Sequence[Type]) -> None:
    """Have a branch return zeros, or new tokens, instead."""
    inner = Build(mlir.before(end), end.location)
    inner.op(end.name, [_zero(inner, type) for type in types])
    build.erase(end)


def _zero(build: Build, type: Any) -> Value:
    if mlir.spelling(type) == _TOKEN:
        return build.value("stablehlo.after_all", (), type)
    return constant(build, type, np.broadcast_to(np.zeros((), bool), tuple(type.shape)))


def loop_that_never_starts(effects: Effects | None) -> Rules:
    """Rules for loops whose condition is false: what they give is what they start from.

    Args:
        effects: what may go with an unused loop; None keeps all that MLIR would keep.
    """

    def rule(op: Operation, build: Rewriter) -> Replacement | None:
        holds = splat_of(ir.terminator(body(op.regions[0])).operands[0])
        if holds is None or bool(holds):
            return None
        for result, operand in zip(op.results, list(op.operands), strict=True):
            if next(result.uses, None) is not None:
                build.replace_uses(result, operand)
        if effects is not None and effects.only_computes(op):
            return [None] * len(op.results)
        return None

    return {"stablehlo.while": (rule,)}


# --- reductions -----------------------------------------------------------------------------------
def reduce(op: Operation, build: Rewriter) -> Replacement | None:
    """Of no dimensions the inputs; of a body that ignores them, what it returns."""
    count = len(op.results)
    inputs = list(op.operands)[:count]
    same = all(a.type == b.type for a, b in zip(inputs, op.results, strict=True))
    if not ir.integers_of(op, "dimensions") and same:
        return inputs
    block = body(op.regions[0])
    values = list(ir.terminator(block).operands)
    spread = [
        _spread(build, value, result) for value, result in zip(values, op.results, strict=True)
    ]
    constants = [value for value in spread if value is not None]
    if len(constants) == count:
        return constants
    outside = all(is_outside(value, op) for value in values)
    if outside and all(v.type == r.type for v, r in zip(values, op.results, strict=True)):
        return values
    return None


def _spread(build: Rewriter, value: Value, result: Value) -> Value | None:
    one, type = splat_of(value), static(result)
    if one is None or type is None:
        return None
    return constant(build, result.type, np.broadcast_to(one, type.static_shape))


def reduce_of_splats(op: Operation, build: Rewriter) -> Replacement | None:
    """The arguments of ``and`` and ``or`` become scalars, where all they meet is known."""
    block = body(op.regions[0])
    names = [mlir.inner_operation(each).name for each in block.operations]
    if names not in (["stablehlo.and", "stablehlo.return"], ["stablehlo.or", "stablehlo.return"]):
        return None
    numbers = [splat_of(operand) for operand in op.operands]
    if any(number is None for number in numbers):
        return None
    inner = Build(mlir.at_start(block), op.location)
    for argument, number in zip(block.arguments, numbers, strict=True):
        if number is not None and next(argument.uses, None) is not None:
            build.replace_uses(argument, constant(inner, argument.type, number))
    return None


RULES: Rules = {
    "stablehlo.case": (case,),
    "stablehlo.reduce": (reduce, reduce_of_splats),
}
