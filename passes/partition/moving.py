"""Stages whose ops have moved to others, and what they read then."""

from __future__ import annotations

from collections.abc import Iterable

from shlo_tools.mlir import Value
from shlo_tools.passes.partition.graph import Op, Stage
from shlo_tools.passes.partition.places import is_in_memory

_MOST = 64  # stages that are looked at, to see whether one rests on another


class Moves:
    """Moves ops of stages to others.

    Attributes:
        into: where the ops of a stage have gone.
    """

    def __init__(self) -> None:
        self.into: dict[Stage, Stage] = {}
        self._sources: dict[Stage, set[Stage]] = {}
        self._values: dict[Stage, set[Op | Value]] = {}

    def move(self, stage: Stage, target: Stage) -> None:
        """Compute a stage's ops where another one passes the same elements."""
        self._sources[target] = (self.sources(target) | self.sources(stage)) - {target, stage}
        self._values.pop(target, None)
        for op in stage.members:
            op.stage = target
        target.members += stage.members
        stage.members = []
        self.into[stage] = target

    def sources(self, stage: Stage) -> set[Stage]:
        """What a stage reads."""
        if stage not in self._sources:
            self._sources[stage] = stages_of(self.values(stage))
        known = self._sources[stage]
        if known & self.into.keys():
            known = self._sources[stage] = {self.now(source) for source in known} - {stage}
        return known

    def values(self, stage: Stage) -> set[Op | Value]:
        """What ``read_by`` says."""
        if stage not in self._values:
            self._values[stage] = read_by(stage)
        return self._values[stage]

    def now(self, stage: Stage) -> Stage:
        while stage in self.into:
            stage = self.into[stage]
        return stage

    def rests(self, stage: Stage, below: Stage) -> bool:
        """Whether a stage needs another one to be computed before; true where that takes long."""
        stack, visited = [stage], {stage}
        while stack:
            sources = self.sources(stack.pop())
            if below in sources or len(visited) > _MOST:
                return True
            stack += sources - visited
            visited |= sources
        return False


def sources_of(stage: Stage) -> set[Stage]:
    """Other stages that a stage reads, seen through cheap ops."""
    return stages_of(read_by(stage))


def stages_of(values: Iterable[Op | Value]) -> set[Stage]:
    """The stages that make values."""
    return {value.stage for value in values if isinstance(value, Op) and value.stage is not None}


_IN_MEMORY = ("control", "host", "op")  # kinds that read nothing but memory


def read_by(stage: Stage) -> set[Op | Value]:
    """Values of other stages and arguments that a stage reads, seen through cheap ops."""
    values: set[Op | Value] = set()
    if stage.kind in _IN_MEMORY:  # views as well, which are stored for them
        stored = (operand for op in stage.members for operand in op.inner if operand.is_cheap)
        values |= {op for op in stored if stage.kind != "host" or not is_in_memory(op)}
    stack, visited = list(stage.members), set(stage.members)
    while stack:
        for operand in stack.pop().operands:
            if not isinstance(operand, Op):
                values.add(operand)
            elif operand.is_cheap:
                if operand not in visited:
                    visited.add(operand)
                    stack.append(operand)
            elif operand.stage is not stage:
                values.add(operand)
    return values
