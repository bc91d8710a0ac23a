"""Reductions of dimensions in front of the last ones, and full values that are made of them.

A softmax over a middle dimension is three stages: two reductions, and what is divided. A kernel of
columns passes all of it at once, a vector of columns at a time:

    m = reduce max x          one stage
    e = exp(x - spread m)     another one, with
    s = reduce add e          this sum
    r = e / spread s          a third one

Each stage moves into the one whose results it spreads over what was reduced.
"""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.codegen.stages.folds import columns_of
from shlo_tools.mlir import Value
from shlo_tools.passes.partition.graph import Op, Stage
from shlo_tools.passes.partition.moving import Moves
from shlo_tools.passes.partition.places import where
from shlo_tools.passes.partition.sinking import MEMBERS

_KINDS = ("reduction", "column")
_PLACES = {"full", "result"}
_WIDE = 16  # columns, at least: of fewer ones most lanes are idle
# Elements that lie around those of a column, at most. They stay near from pass to pass; more of
# them are better read in the order they lie in, a pass after the other.
_NEAR = 64 * 1024
_VECTOR, _ENOUGH, _SMALL = 32, 8, 32 * 1024  # vectors that keep threads busy, unless all is small


def join_columns(stages: Sequence[Stage], moves: Moves) -> None:
    """Let reductions take the stages that spread what they make."""
    for stage in stages:
        if stage.members and stage.kind in ("map", "reduction"):
            _try(stage, moves)


def _try(stage: Stage, moves: Moves) -> None:
    sources = moves.sources(stage)
    for target in sorted(sources, key=lambda other: -other.number):
        is_last = not any(moves.rests(source, target) for source in sources - {target})
        if _fits(stage, target) and is_last:
            target.kind = "column"
            moves.move(stage, target)
            _try(target, moves)
            return


def _fits(stage: Stage, target: Stage) -> bool:
    """Whether a stage's ops may be computed where another one passes columns."""
    if target.kind not in _KINDS or target.groups is None or target.count != stage.count:
        return False
    if stage.groups not in (None, target.groups) or not _pays(target):
        return False
    members = stage.members + target.members
    if len(members) > MEMBERS or any(op.place not in _PLACES or op.is_cheap for op in members):
        return False
    is_fit = all(_is_fit(op, stage, target) for op in stage.members)
    for op in target.members:  # those that read what it makes at other places stay apart
        is_fit = is_fit and all(where(operand, target) != "bad" for operand in op.inner)
    return is_fit and (target.kind == "column" or _spreads(stage, target))


def _pays(target: Stage) -> bool:
    """Whether vectors of columns are filled, stay near and are enough for all threads."""
    sizes = columns_of(target.groups or ())
    if sizes is None:
        return False
    outer, length, inner = sizes
    if inner < _WIDE or length * inner > _NEAR:
        return False
    vectors = outer * -(-inner // _VECTOR)
    return vectors >= _ENOUGH or outer * length * inner <= _SMALL


def _is_fit(op: Op, stage: Stage, target: Stage) -> bool:
    if op.name == "reduce":
        source, *starts = op.operands
        starts_before = all(where(start, target) == "outside" for start in starts)
        return starts_before and _is_seen(source, "full", stage, target)
    return op.is_elementwise and all(
        _is_seen(operand, op.place, stage, target) for operand in op.inner
    )


def _is_seen(operand: Op | Value, place: str, stage: Stage, target: Stage) -> bool:
    """Whether an operand lies in a place of one of two stages, or in front of both."""
    here = where(operand, stage)  # it may be bad: maps read what they make at other places, too
    if here != "outside":
        return here == place
    return where(operand, target, goes_on=True) in (place, "outside")


def _spreads(stage: Stage, target: Stage) -> bool:
    """Whether a stage reads what another one reduced for all that it did."""
    operands = [operand for op in stage.members for operand in op.inner if op.place == "full"]
    operands += [operand for op in stage.members if op.name == "reduce" for operand in op.inner]
    return any(
        where(operand, target) == "bad" and where(operand, target, goes_on=True) == "full"
        for operand in operands
    )
