"""Stages that may be computed together, each at a place behind all that it reads."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

from shlo_tools.passes.partition.graph import Stage
from shlo_tools.passes.partition.moving import sources_of


@dataclass
class _Groups:
    """Those of one family: where each stands (its first stage), and how large it is."""

    groups: list[list[Stage]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)


def grouped(
    stages: Sequence[Stage],
    family: Callable[[Stage], Hashable | None],
    size: Callable[[Stage], int],
    most: int,
    is_read_behind: Callable[[Stage], bool] = lambda stage: False,
) -> list[list[Stage]]:
    """Stages in order, of one family each, in groups of a size of ``most``.

    A stage moves to the first group of its family that everything it reads stands in front of, or
    in.

    Args:
        family: of a stage; None for those that stay where they are.
        is_read_behind: whether what a stage makes cannot be read in its own group.
    """
    families: dict[Hashable, _Groups] = {}
    places: dict[Stage, int] = {}
    for stage in stages:
        latest = max((places[s] + is_read_behind(s) for s in sources_of(stage)), default=-1)
        places[stage] = stage.number
        key = family(stage)
        if key is None:
            continue
        own = families.setdefault(key, _Groups())
        amount = size(stage)
        fitting = range(bisect_left(own.numbers, latest), len(own.groups))
        at = next((k for k in fitting if own.sizes[k] + amount <= most), len(own.groups))
        if at == len(own.groups):
            own.groups.append([])
            own.numbers.append(stage.number)
            own.sizes.append(0)
        own.groups[at].append(stage)
        own.sizes[at] += amount
        places[stage] = own.numbers[at]
    return [group for own in families.values() for group in own.groups]


def join(group: Sequence[Stage], kind: str) -> None:
    """The first stage takes all ops of others."""
    first, *others = group
    first.kind, first.rows, first.columns = kind, None, None
    for stage in others:
        for op in stage.members:
            for value in (op, *(() if op.type else op.parts)):
                value.stage = first
        first.members += stage.members
        stage.members = []
