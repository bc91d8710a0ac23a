"""Branches and loops that are decided, values that loops carry for nothing, and tuples."""

from __future__ import annotations

import itertools
from collections.abc import Collection

from shlo_tools import ir, mlir
from shlo_tools.mlir import Block, Operation, Region, Value
from shlo_tools.passes.simplify.driver import Replacement, Rewriter, Rules
from shlo_tools.passes.simplify.regions import (
    Dependences,
    body,
    inlined,
    is_outside,
    needed,
    without,
)
from shlo_tools.passes.simplify.values import alike, source, splat, with_attributes


# --- branches -------------------------------------------------------------------------------------
def if_decided(op: Operation, build: Rewriter) -> Replacement | None:
    """if(true, f, g) -> f(); if(false, f, g) -> g()"""
    pred = splat(op.operands[0])
    return None if pred is None else inlined(op, op.regions[0 if pred else 1])


def case_decided(op: Operation, build: Rewriter) -> Replacement | None:
    """case(c, f, g, ...) -> the branch of c; outside of their number it is the last one"""
    index = splat(op.operands[0])
    if len(op.regions) == 1:
        return inlined(op, op.regions[0])
    if index is None:
        return None
    last = len(op.regions) - 1
    return inlined(op, op.regions[int(index) if 0 <= int(index) <= last else last])


def same_in_all(op: Operation, build: Rewriter) -> Replacement | None:
    """if(p, {x}, {x}) -> x, where x comes from outside or is a constant"""
    ends = [list(ir.terminator(body(region)).operands) for region in op.regions]
    for result, first, *others in zip(op.results, *ends, strict=True):
        if next(result.uses, None) is None or not all(alike(first, value) for value in others):
            continue
        constant = source(first, "constant")
        if constant is not None and not is_outside(first, op):
            constant.move_before(op)
        if first.type == result.type and is_outside(first, op):
            build.replace_uses(result, first)
    return None


# --- loops ----------------------------------------------------------------------------------------
def never(op: Operation, build: Rewriter) -> Replacement | None:
    """while(x, {false}, f) -> x"""
    holds = splat(ir.terminator(body(op.regions[0])).operands[0])
    return list(op.operands) if holds is not None and not holds else None


def invariant(op: Operation, build: Rewriter) -> Replacement | None:
    """A value that every iteration hands on as it is: regions and users see the first one."""
    cond, loop = (body(region) for region in op.regions)
    ends = list(ir.terminator(loop).operands)
    rows = zip(op.operands, op.results, cond.arguments, loop.arguments, ends, strict=True)
    for operand, result, first, second, end in rows:
        if end != second and not alike(end, operand):
            continue
        if len({value.type for value in (operand, result, first)}) > 1:
            continue
        for value in (result, first, second):
            if next(value.uses, None) is not None:
                build.replace_uses(value, operand)
    return None


def carried_for_nothing(op: Operation, build: Rewriter) -> Replacement | None:
    """while(x, y) -> while(x), where nothing but the next y depends on y"""
    unused = [i for i, result in enumerate(op.results) if next(result.uses, None) is None]
    if not unused:
        return None
    live = _live(op, unused)
    dead = [index for index in unused if index not in live]
    if not dead:
        return None
    kept = [index for index in range(len(op.results)) if index not in dead]
    operands = list(op.operands)
    attributes = _without_per_value(op)
    types = [op.results[index].type for index in kept]
    new_loop = build.op(op.name, [operands[index] for index in kept], types, attributes, 2)
    targets: list[Region] = list(new_loop.regions)
    without(build, op.regions[0], targets[0], dead, None, operands)
    without(build, op.regions[1], targets[1], dead, kept, operands)
    results = iter(new_loop.results)
    return [next(results) if index in kept else None for index in range(len(operands))]


def _live(op: Operation, unused: Collection[int]) -> set[int]:
    """Positions of the values that results, the condition or effects depend on."""
    cond, loop = (body(region) for region in op.regions)
    live = set(range(len(op.results))).difference(unused)
    live |= needed(cond, [0])
    if all(index in live or _is_handed_on(loop, index) for index in unused):
        return live
    dependences = Dependences(loop)
    while more := dependences.needed(live) - live:
        live |= more
    return live


def _is_handed_on(loop: Block, index: int) -> bool:
    """Whether nothing of a loop's body reads a value but the end, which hands it on as it is."""
    argument, end = loop.arguments[index], ir.terminator(loop)
    users = [mlir.inner_operation(use.owner) for use in itertools.islice(argument.uses, 2)]
    return users == [end] and end.operands[index] == argument


def _without_per_value(op: Operation) -> dict[str, mlir.Attribute]:
    """Attributes but for shardings, which have an entry per value."""
    return {
        name: attribute for name, attribute in with_attributes(op).items() if "sharding" not in name
    }


# --- tuples ---------------------------------------------------------------------------------------
def element_of_tuple(op: Operation, build: Rewriter) -> Replacement | None:
    """get_tuple_element(tuple(x, y), 1) -> y"""
    inner = source(op.operands[0], "tuple")
    return None if inner is None else [inner.operands[ir.integer_of(op, "index")]]


def tuple_of_elements(op: Operation, build: Rewriter) -> Replacement | None:
    """tuple(get_tuple_element(t, 0), get_tuple_element(t, 1), ...) -> t"""
    whole: Value | None = None
    for position, value in enumerate(op.operands):
        inner = source(value, "get_tuple_element")
        if inner is None or ir.integer_of(inner, "index") != position:
            return None
        if whole is not None and inner.operands[0] != whole:
            return None
        whole = inner.operands[0]
    return None if whole is None else [whole]


RULES: Rules = {
    "stablehlo.case": (case_decided, same_in_all),
    "stablehlo.get_tuple_element": (element_of_tuple,),
    "stablehlo.if": (if_decided, same_in_all),
    "stablehlo.tuple": (tuple_of_elements,),
    "stablehlo.while": (never, invariant, carried_for_nothing),
}

DECIDED: Rules = {
    "stablehlo.case": (case_decided,),
    "stablehlo.if": (if_decided,),
    "stablehlo.while": (never,),
}
