"""Reductions and sorts of nothing, of one element, or of values that nobody wants."""

from __future__ import annotations

from shlo_tools import ir, mlir
from shlo_tools.mlir import Block, Operation, Value
from shlo_tools.passes.simplify import numbers
from shlo_tools.passes.simplify.driver import Replacement, Rewriter, Rules
from shlo_tools.passes.simplify.regions import Dependences, body, is_outside, needed, without
from shlo_tools.passes.simplify.values import filled, splat, spread, static, with_attributes

_NEUTRAL = {
    "stablehlo.add": numbers.neutral_addend,
    "stablehlo.and": numbers.all_ones,
    "stablehlo.maximum": numbers.least,
    "stablehlo.minimum": numbers.greatest,
    "stablehlo.multiply": numbers.one,
    "stablehlo.or": numbers.zero,
    "stablehlo.xor": numbers.zero,
}


def _halves(op: Operation) -> tuple[list[Value], list[Value]]:
    """The inputs and the initial values of a reduction."""
    operands = list(op.operands)
    return operands[: len(operands) // 2], operands[len(operands) // 2 :]


def _plain(op: Operation) -> bool:
    """Whether all is static, and the body computes in the types of the op."""
    if any(static(value) is None for value in (*op.operands, *op.results)):
        return False
    inputs, starts = _halves(op)
    expected = [value.type for value in (*starts, *starts)]
    elements = [static(value) for value in (*inputs, *op.results)]
    element_types = {type.element_type for type in elements if type is not None}
    own = [type.element_type for value in starts if (type := static(value)) is not None]
    alike = all(e in own for e in element_types)
    return alike and [a.type for a in body(op.regions[0]).arguments] == expected


def _count(op: Operation) -> int:
    """How many elements each result is made of."""
    type = static(op.operands[0])
    product = 1
    for dimension in ir.integers_of(op, "dimensions"):
        product *= type.static_shape[dimension] if type is not None else 0
    return product


# --- reduce ---------------------------------------------------------------------------------------
def of_nothing(op: Operation, build: Rewriter) -> Replacement | None:
    """reduce(empty, c) -> broadcast_in_dim(c)"""
    if not _plain(op) or _count(op):
        return None
    rows = zip(_halves(op)[1], op.results, strict=True)
    return [spread(build, start, result.type) for start, result in rows]


def of_one(op: Operation, build: Rewriter) -> Replacement | None:
    """reduce(x, c, op) -> op(c, reshape(x)), of one element each; reshape(x) where c is neutral"""
    if not _plain(op) or _count(op) != 1 or len(op.results) != 1:
        return None
    block = body(op.regions[0])
    inner = _only_op(block)
    if inner is None:
        return None
    (value,), (start,) = _halves(op)
    result = op.results[0]
    reshaped = build.value("stablehlo.reshape", [value], result.type)
    elements = splat(start)
    if elements is not None and _NEUTRAL[inner.name](elements):
        return [reshaped]
    everywhere = spread(build, start, result.type)
    first = inner.operands[0] == block.arguments[0]
    operands = [everywhere, reshaped] if first else [reshaped, everywhere]
    return [build.value(inner.name, operands, result.type)]


def _only_op(block: Block) -> Operation | None:
    """The op of two arguments that a block only consists of."""
    operations = [mlir.inner_operation(op) for op in block.operations]
    if len(operations) != 2 or operations[0].name not in _NEUTRAL:
        return None
    operands, arguments = list(operations[0].operands), list(block.arguments)
    if operands not in (arguments, arguments[::-1]):
        return None
    return operations[0] if operations[1].operands[0] == operations[0].results[0] else None


def of_the_same(op: Operation, build: Rewriter) -> Replacement | None:
    """reduce(x, c, f) -> broadcast_in_dim(a), where f returns a from outside whatever it gets, or
    the first of its arguments, which is c"""
    if not _plain(op) or not _count(op):
        return None
    block = body(op.regions[0])
    values = list(ir.terminator(block).operands)
    arguments, (_, starts) = list(block.arguments), _halves(op)
    replacements: list[Value] = []
    for index, (value, result) in enumerate(zip(values, op.results, strict=True)):
        if value == arguments[index]:
            value = starts[index]
        elif not is_outside(value, op):
            return None
        type, target = static(value), static(result)
        if type is None or target is None or type.element_type != target.element_type:
            return None
        replacements.append(value)
    return [spread(build, value, r.type) for value, r in zip(replacements, op.results, strict=True)]


def constant_in_body(op: Operation, build: Rewriter) -> Replacement | None:
    """A constant that the body returns is moved out of it, for the rule above."""
    block = body(op.regions[0])
    for value in ir.terminator(block).operands:
        inner = mlir.defining_op(value)
        if inner is not None and inner.name == "stablehlo.constant" and not is_outside(value, op):
            inner.move_before(op)
    return None


def reduce_less(op: Operation, build: Rewriter) -> Replacement | None:
    """reduce(x, y) -> reduce(x), where nothing depends on the y"""
    count = len(op.results)
    block = body(op.regions[0])
    live, dependences = _used(op), Dependences(block)
    while more := {i % count for i in dependences.needed(live)} - live:
        live |= more
    dead = [index for index in range(count) if index not in live]
    if not dead or not live or not _plain(op):
        return None
    inputs, starts = _halves(op)
    return _fewer(op, build, [inputs, starts], dead, [*dead, *(index + count for index in dead)])


def _used(op: Operation) -> set[int]:
    return {i for i, result in enumerate(op.results) if next(result.uses, None) is not None}


def _fewer(
    op: Operation,
    build: Rewriter,
    groups: list[list[Value]],
    dead: list[int],
    arguments: list[int],
    *,
    yields_all: bool = False,
) -> Replacement | None:
    """The op without some of the values in each group of operands, and their results."""
    kept = [index for index in range(len(op.results)) if index not in dead]
    block = body(op.regions[0])
    zero_at = Rewriter(mlir.at_start(block), op.location, build.worklist)
    zeros: list[Value] = []
    for index, argument in enumerate(block.arguments):
        zero = filled(zero_at, argument, 0) if index in arguments else argument
        if zero is None:
            return None
        zeros.append(zero)
    operands = [group[index] for group in groups for index in kept]
    types = [op.results[index].type for index in kept]
    attributes = {name: a for name, a in with_attributes(op).items() if "sharding" not in name}
    new = build.op(op.name, operands, types, attributes, 1)
    yielded = None if yields_all else kept
    without(build, op.regions[0], new.regions[0], arguments, yielded, zeros)
    build.worklist.wait(zero_at.created)
    results = iter(new.results)
    return [next(results) if index in kept else None for index in range(len(op.results))]


# --- sort -----------------------------------------------------------------------------------------
def sort_of_one(op: Operation, build: Rewriter) -> Replacement | None:
    """sort(x) -> x, of at most one element each"""
    types = [static(value) for value in op.operands]
    dimension = ir.integer_of(op, "dimension", -1)
    if any(type is None or not type.rank or type.shape[dimension] not in (0, 1) for type in types):
        return None
    return list(op.operands)


def sort_less(op: Operation, build: Rewriter) -> Replacement | None:
    """sort(x, y) -> sort(x), where the order does not depend on y"""
    live = _used(op) | {index // 2 for index in needed(body(op.regions[0]), [0])}
    dead = [index for index in range(len(op.results)) if index not in live]
    if not dead or not live:
        return None
    arguments = [at for index in dead for at in (2 * index, 2 * index + 1)]
    return _fewer(op, build, [list(op.operands)], dead, arguments, yields_all=True)


RULES: Rules = {
    "stablehlo.reduce": (of_nothing, of_one, constant_in_body, of_the_same, reduce_less),
    "stablehlo.sort": (sort_of_one, sort_less),
}
