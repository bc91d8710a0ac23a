"""Ops that move to where they are read: what one later stage reads is computed there."""

from __future__ import annotations

from shlo_tools.mlir import Value
from shlo_tools.passes.partition.graph import Op, Stage

# A kernel is one block of code, for which code generation takes more than proportionally long.
MEMBERS = 256


def sink(stages: list[Stage]) -> None:
    """An elementwise op that one later stage reads moves there, where that stores no more."""
    for stage in reversed(stages):
        _sink_stage(stage)


def _sink_stage(stage: Stage) -> None:
    users = {u for op in stage.members for u in readers(op) if u.stage is not stage}
    targets = {u.stage for u in users}
    returned = any(op.is_returned for op in stage.members)
    movable = all(_is_light_or_dear(op) for op in stage.members)
    if stage.kind == "map" and movable and len(targets) == 1 and not returned:
        (target,) = targets
        fits = target is not None and len(target.members) + len(stage.members) <= MEMBERS
        if target is not None and fits and _takes(target, stage, users):
            for op in stage.members:
                op.stage = target
            target.members[:0] = stage.members
            stage.members = []
            return
    for op in reversed(list(stage.members)):
        _sink_op(op, stage)


def _takes(target: Stage, stage: Stage, users: set[Op]) -> bool:
    """Whether a stage of elementwise ops may move into the only one that reads it."""
    if target.kind == "concatenation":  # each part is written once, by a kernel of its own
        (joined,) = (op for op in target.members if op.name == "concatenate")
        return sum(u is joined for op in stage.members for u in op.users) == 1
    return target.count == stage.count and _all_take(users)


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
    if all(_is_stored(a, op, stage) for a in _roots(op)):
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
