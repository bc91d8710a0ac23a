"""Stages over the same elements become one: what reads another stage in full is computed there.

A stage is opened where the first of its ops stands, which may read nothing that is computed:

    a = tanh(x)      one stage
    b = exp(y)       another one, which a + b joins
    c = a + b

Both read and write each element once where they are the same stage. So it is with rows: those of
which several sums are taken, for what is made of all of these, are passed once. Small
stages that read the same value and not each other, for a third one or for whoever called, go
together, too. Those that compute the same of other parts of it stay apart: one kernel does for all.
So do those with rows of their own, if either reads elements in another order: of [100, 99] and
[99, 100] that read neighbours along their rows.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

from shlo_tools.codegen.stages.nodes import Extent, are_known, is_one
from shlo_tools.mlir import Value
from shlo_tools.passes.partition.columns import join_columns
from shlo_tools.passes.partition.graph import Op, Stage
from shlo_tools.passes.partition.moving import Moves, stages_of
from shlo_tools.passes.partition.places import keeps_places, where
from shlo_tools.passes.partition.sinking import MEMBERS, readers

_FULL = ("map", "row", "contraction")  # kinds whose kernels pass all elements
_SMALL = 32  # ops of a stage that takes those beside it
_SEEN = ("full", "row")  # places in stages that pass all elements, maybe in rows


def merge(stages: list[Stage]) -> list[Stage]:
    """Stages in order, maybe another one; those without ops are left out."""
    stages = [stage for stage in stages if stage.members]
    merging = _Merging()
    join_columns(stages, merging)
    for stage in stages:
        if stage.kind in ("map", "row"):
            merging.try_stage(stage)
    if not merging.into:
        return stages
    ordered = _in_order([stage for stage in stages if stage.members], merging)
    for number, stage in enumerate(ordered):
        stage.number = number
    return ordered


class _Merging(Moves):
    """Looks for stages that take others' ops."""

    def __init__(self) -> None:
        super().__init__()
        self._readers: dict[tuple[Op | Value, Extent], Stage] = {}  # of as many elements

    def try_stage(self, stage: Stage) -> None:
        """Let a stage that this one reads, or that reads what it reads, take its ops."""
        if any(op.place not in _SEEN or _reads_elsewhere(op) for op in stage.members):
            return
        sources = self.sources(stage)
        inputs = [(value, stage.count) for value in self.values(stage)]
        beside = {self.now(self._readers[key]) for key in inputs if key in self._readers}
        for target in sorted(sources | beside, key=lambda other: -other.number):
            if self._may_join(stage, target, sources):
                _take_rows(stage, target)
                self.move(stage, target)
                break
        self._readers.update(dict.fromkeys(inputs, stage))

    def _may_join(self, stage: Stage, target: Stage, sources: set[Stage]) -> bool:
        if not _fits(stage, target) or any(self.rests(s, target) for s in sources - {target}):
            return False
        return target in sources or self._go_together(stage, target)

    def _go_together(self, stage: Stage, target: Stage) -> bool:
        """Whether stages that read the same do so for the same stage, and do not do the same."""
        if len(stage.members) + len(target.members) > _SMALL or self.rests(target, stage):
            return False
        if len({*_shapes(stage), *_shapes(target)}) > 1 and (_moves(stage) or _moves(target)):
            return False  # one of them would not be walked by its own rows
        done, own = _kinds(target), _kinds(stage)
        is_part = any(done[k : k + len(own)] == own for k in range(len(done)))
        return not is_part and bool(_readers(stage) & _readers(target) - {stage, target})


def _take_rows(stage: Stage, target: Stage) -> None:
    """A stage that takes another one's ops has rows where that has."""
    if stage.kind == "row":
        target.kind = "row" if target.kind == "map" else target.kind
        target.rows, target.columns = stage.rows, stage.columns


def _kinds(stage: Stage) -> list[int]:
    return [op.kind.number for op in stage.members]


def _shapes(stage: Stage) -> list[tuple[Extent, ...]]:
    """Of what has all elements of a stage, without dimensions of one."""
    shapes = (op.shape for op in stage.members if op.count == stage.count)
    return [tuple(size for size in shape if not is_one(size)) for shape in shapes]


def _moves(stage: Stage) -> bool:
    """Whether a stage reads elements of other places than its own, beside single ones."""
    inner = (operand for op in stage.members for operand in op.inner)
    return any(_reads_elsewhere(op) and not _is_splat(op) for op in inner)


def _is_splat(op: Op) -> bool:
    return op.name == "broadcast_in_dim" and all(map(is_one, op.shape_of(0)))


def _readers(stage: Stage) -> set[Stage | str | None]:
    """Stages that read one directly, seen through cheap ops; and the caller, who reads results."""
    stages = {reader.stage for op in stage.members for reader in readers(op)} - {None}
    return stages | ({"caller"} if any(op.is_returned for op in stage.members) else set())


def _fits(stage: Stage, target: Stage) -> bool:
    """Whether a stage's ops may be computed where another one passes the same elements."""
    if target.kind not in _FULL or target.count != stage.count or not are_known(stage.count):
        return False
    if any(op.place == "none" for op in target.members):  # its loops are of other elements
        return False
    if len(target.members) + len(stage.members) > MEMBERS or not _has_rows(stage, target):
        return False
    return all(_is_fit(op, stage, target) for op in stage.members)


def _has_rows(stage: Stage, target: Stage) -> bool:
    """Whether the rows of a stage, if it has any, are those that another one passes."""
    if stage.kind != "row":
        return True
    return target.rows in (None, stage.rows) and target.columns in (None, stage.columns)


def _is_fit(op: Op, stage: Stage, target: Stage) -> bool:
    if op.name == "reduce":
        source, *starts = op.operands
        starts_before = all(where(start, target) == "outside" for start in starts)
        return starts_before and _is_seen(source, "full", stage, target)
    if not op.is_elementwise and not keeps_places(op):  # it reads elements of other places
        outside = all(where(operand, target) == "outside" for operand in op.inner)
        return outside and target.kind == "map"
    return all(_is_seen(operand, op.place, stage, target) for operand in op.inner)


def _is_seen(operand: Op | Value, place: str, stage: Stage, target: Stage) -> bool:
    """Whether an operand lies in a place of one of two stages, or in front of both.

    What a stage reads of its own in another order, only elementwise ops compute again there.
    """
    own = where(operand, stage)
    if own == "bad" and target.kind != "map":
        return False
    return own == place or where(operand, target) in (place, "outside")


def _reads_elsewhere(op: Op) -> bool:
    """Whether a view that is stored shows elements of other places than its own."""
    return op.is_cheap and not keeps_places(op)


def _in_order(stages: list[Stage], moves: Moves) -> list[Stage]:
    """Stages behind what they read, else as they were."""
    waits = {stage: stages_of(moves.values(stage)) for stage in stages}
    readers: dict[Stage, list[Stage]] = {stage: [] for stage in stages}
    for stage, sources in waits.items():
        for source in sources:
            readers[source].append(stage)
    by_number = {stage.number: stage for stage in stages}
    ready = [stage.number for stage, sources in waits.items() if not sources]
    heapify(ready)
    ordered: list[Stage] = []
    while ready:
        stage = by_number[heappop(ready)]
        ordered.append(stage)
        for reader in readers[stage]:
            waits[reader].discard(stage)
            if not waits[reader]:
                heappush(ready, reader.number)
    return ordered
