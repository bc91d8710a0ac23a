"""Ops that move to where they are read: what one later stage reads is computed there.

So it is with what windows read that have no element in common: behind a convolution they take its
bias and activation, which are no kernel of their own then.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable

from shlo_tools.codegen.stages.nodes import are_known
from shlo_tools.mlir import Value
from shlo_tools.passes.legalize_to_linalg.window_attributes import Windows
from shlo_tools.passes.partition.graph import CONTRACTIONS, DEAR, Op, Stage
from shlo_tools.passes.partition.places import keeps_places

# A kernel is one block of code, for which code generation takes more than proportionally long.
MEMBERS = 256
_REPEATED = 2  # ops that are computed again for each order in which they are read, at most


def sink(stages: list[Stage]) -> None:
    """An elementwise op that one later stage reads moves there, where that stores no more."""
    for stage in reversed(stages):
        _sink_stage(stage)


def _sink_stage(stage: Stage) -> None:
    if _sink_into_windows(stage):
        return
    users = {u for op in stage.members for u in readers(op) if u.stage is not stage}
    targets = {u.stage for u in users}
    returned = any(op.is_returned for op in stage.members)
    movable = all(_is_light_or_dear(op) for op in stage.members)
    if stage.kind == "map" and movable and len(targets) == 1 and not returned:
        (target,) = targets
        fits = target is not None and len(target.members) + len(stage.members) <= MEMBERS
        is_repeated = _is_read_in_orders(stage.members, users)
        if target is not None and fits and _takes(target, stage, users, is_repeated=is_repeated):
            target.repeats |= is_repeated
            for op in stage.members:
                op.stage = target
            target.members[:0] = stage.members
            stage.members = []
            return
    for op in reversed(list(stage.members)):
        _sink_op(op, stage)


def _sink_into_windows(stage: Stage) -> bool:
    """Let windows that alone read a stage take its elementwise ops; whether they did."""
    ops = [op for op in stage.members if op.name not in CONTRACTIONS]
    if not ops or not all(_is_of_all(op, stage) for op in ops):
        return False
    beyond = {u for op in stage.members for u in readers(op)} - set(ops)
    targets = {u.stage for u in beyond if _reads_apart(u)}
    if len(beyond) != 1 or not targets:
        return False
    (target,) = targets
    if target is None or len(target.members) + len(ops) > MEMBERS:
        return False
    for op in ops:
        op.stage = target
    target.members[:0] = ops
    stage.members = [op for op in stage.members if op not in ops]
    return True


def _is_of_all(op: Op, stage: Stage) -> bool:
    """Whether an op is an elementwise one of all elements of a stage."""
    fits = op.place == "full" and op.count == stage.count and not op.is_returned
    return fits and _is_light_or_dear(op)


def _reads_apart(op: Op) -> bool:
    """Whether an op reads windows that have no element in common."""
    if op.name != "reduce_window" or not are_known(*op.shape_of(0)):
        return False
    windows = Windows.of(op.operation)
    dilations = {*windows.base_dilation, *windows.dilation}
    return dilations == {1} and all(map(operator.le, windows.size, windows.stride))


def _takes(target: Stage, stage: Stage, users: set[Op], *, is_repeated: bool) -> bool:
    """Whether a stage of elementwise ops may move into the only one that reads it."""
    if target.kind == "concatenation":  # each part is written once, by a kernel of its own
        (joined,) = (op for op in target.members if op.name == "concatenate")
        return sum(u is joined for op in stage.members for u in op.users) == 1
    if target.count != stage.count or not _all_take(users):
        return False
    return not is_repeated or _may_repeat(target, stage.members)


def _may_repeat(target: Stage, ops: Collection[Op]) -> bool:
    """Whether computing ops again takes no longer than reading what they make."""
    return not target.repeats and len(ops) <= _REPEATED and not any(map(_is_long, ops))


def _is_long(op: Op) -> bool:
    is_complex = op.type is not None and op.type.element_type.is_complex
    return is_complex or op.name in DEAR


def _is_read_in_orders(ops: Collection[Op], users: Iterable[Op]) -> bool:
    """Whether users read ops in several orders, for each of which elements are computed.

    Of a chain of such ops, those of the first one were computed twice as often for each behind it.
    """
    orders: set[Op | None] = set()
    for user in users:
        for operand in user.inner:
            view = operand
            while view.is_cheap and keeps_places(view) and isinstance(view.operands[0], Op):
                view = view.operands[0]
            if view in ops:
                orders.add(None)
            elif view.is_cheap and any(root in ops for root in _roots(view)):
                orders.add(view)
    return len(orders) > 1


def _is_light_or_dear(op: Op) -> bool:
    return op.is_elementwise and not op.is_cheap


def _all_take(users: set[Op]) -> bool:
    return all(u.is_elementwise or u.name == "reduce" for u in users)


def _sink_op(op: Op, stage: Stage) -> None:
    if not _is_light_or_dear(op) or not op.users or op.is_returned or op.place != "full":
        return
    users = readers(op)
    targets = {u.stage for u in users}
    if len(targets) != 1 or stage in targets:
        return
    (target,) = targets
    if target is None or target.count != op.count or not _all_take(set(users)):
        return
    if len(target.members) >= MEMBERS:
        return
    is_repeated = _is_read_in_orders([op], users)
    if is_repeated and not _may_repeat(target, [op]):
        return
    if all(_is_stored(a, op, stage) for a in _roots(op)):
        target.repeats |= is_repeated
        stage.members.remove(op)
        target.members.insert(0, op)
        op.stage = target


def _is_stored(operand: Op | Value, user: Op, stage: Stage) -> bool:
    """Whether an operand lies in memory anyhow."""
    if not isinstance(operand, Op) or operand.is_constant or operand.stage is not stage:
        return True
    return operand.is_returned or any(
        u.stage is not stage for u in readers(operand) if u is not user
    )


def readers(op: Op) -> list[Op]:
    """Who reads a value, seen through cheap ops."""
    users: list[Op] = []
    for user in op.users:
        if user.is_cheap:
            users += readers(user)
            if user.stage is not None:
                users.append(user)
        else:
            users.append(user)
    return users


def _roots(op: Op) -> list[Op | Value]:
    """What an op reads, seen through cheap ops."""
    roots: list[Op | Value] = []
    for operand in op.operands:
        if isinstance(operand, Op) and operand.is_cheap and not operand.is_constant:
            roots += _roots(operand)
        else:
            roots.append(operand)
    return roots
