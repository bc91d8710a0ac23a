"""Choices between elements; ``p`` is a boolean."""

from __future__ import annotations

from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.simplify.driver import Replacement, Rewriter, Rules
from shlo_tools.passes.simplify.values import rebuilt, source, splat, typed


def decided(op: Operation, build: Rewriter) -> Replacement | None:
    """select(true, x, y) -> x; select(false, x, y) -> y"""
    elements = splat(op.operands[0])
    return None if elements is None else [op.operands[1 if elements else 2]]


def no_choice(op: Operation, build: Build) -> list[Value] | None:
    """select(p, x, x) -> x"""
    return [op.operands[1]] if op.operands[1] == op.operands[2] else None


def turned(op: Operation, build: Rewriter) -> Replacement | None:
    """select(not p, x, y) -> select(p, y, x)"""
    inner = source(op.operands[0], "not")
    if inner is None or inner.operands[0].type != op.operands[0].type:
        return None
    _, on_true, on_false = op.operands
    return rebuilt(op, build, [inner.operands[0], on_false, on_true])


def turned_below(op: Operation, build: Rewriter) -> Replacement | None:
    """select(broadcast(not p), x, y) -> select(broadcast(p), y, x)"""
    spread = source(op.operands[0], "broadcast_in_dim")
    inner = spread and source(spread.operands[0], "not")
    if spread is None or inner is None or inner.operands[0].type != spread.operands[0].type:
        return None
    _, on_true, on_false = op.operands
    pred = rebuilt(spread, build, [inner.operands[0]])
    return rebuilt(op, build, [*pred, on_false, on_true])


def known_branch(op: Operation, build: Rewriter) -> Replacement | None:
    """select(p, select(p, x, y), z) -> select(p, x, z); the same below on_false"""
    pred, on_true, on_false = op.operands
    one, other = source(on_true, "select"), source(on_false, "select")
    if one is not None and one.operands[0] == pred:
        on_true = one.operands[1]
    if other is not None and other.operands[0] == pred:
        on_false = other.operands[2]
    old = list(op.operands)[1:]
    if [on_true, on_false] == old or [on_true.type, on_false.type] != [v.type for v in old]:
        return None
    return rebuilt(op, build, [pred, on_true, on_false])


def of_booleans(op: Operation, build: Rewriter) -> Replacement | None:
    """select(p, true, false) -> p; select(p, false, true) -> not p"""
    pred, type = op.operands[0], typed(op.results[0])
    if type is None or not type.element_type.is_boolean or pred.type != op.results[0].type:
        return None
    one, other = splat(op.operands[1]), splat(op.operands[2])
    if one is None or other is None or bool(one) == bool(other):
        return None
    return [pred] if one else [build.value("stablehlo.not", (pred,), pred.type)]


RULES: Rules = {
    "stablehlo.select": (
        decided,
        no_choice,
        turned,
        turned_below,
        known_branch,
        of_booleans,
    )
}
