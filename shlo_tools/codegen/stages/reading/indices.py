"""Where a node is read: for each of its dimensions a number, a scalar, or something of each lane.

A vector of lanes reads along one dimension, mostly: ``Lanes(base, step)`` is base, base + step, ...
What divides or is divided by sizes may lie anywhere: ``Positions`` is a vector of numbers. Where
a vector begins where a group of neighbours does, ``Pattern`` says more of it; so do ``Near`` and
``Cyclic`` where lanes are divided by a size that is not much less than their number.

Three ways to say where, so that reshapes cost nothing: an index per dimension; ``Linear``, the
place in row-major order; ``Split``, that place as row * columns + column.
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.stages.nodes import Extent


@dataclass(frozen=True, eq=False)
class Scalar:
    """A number that all lanes share; known from loop number ``level`` on."""

    value: Value
    level: int


@dataclass(frozen=True, eq=False)
class Lanes:
    """``base + step * lane``."""

    base: Value
    step: Extent
    level: int


@dataclass(frozen=True, eq=False)
class Positions:
    """Any number for each lane, as i64."""

    value: Value
    level: int


@dataclass(frozen=True, eq=False)
class Pattern(Positions):
    """``first + steps[lane]``: how far lanes are from each other is known."""

    first: Value
    steps: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Near(Positions):
    """``first + offsets[lane]``: lanes are at most ``most`` behind a number."""

    first: Value
    offsets: Value
    most: int


@dataclass(frozen=True, eq=False)
class Cyclic(Positions):
    """``first + lane - turns.offsets[lane] * size``: neighbours, which begin again at ``size``."""

    first: Value
    turns: Near
    size: int


Component = int | Scalar | Lanes | Positions


@dataclass(frozen=True)
class Linear:
    """The place in row-major order."""

    place: Component


@dataclass(frozen=True)
class Split:
    """The place as ``row * columns + column``, where 0 <= column < columns."""

    row: Component
    column: Component
    columns: Extent


Index = tuple[Component, ...] | Linear | Split


@dataclass(frozen=True, eq=False)
class Mask:
    """Lanes that exist; the others are neither read nor written.

    Attributes:
        is_partial: it may leave out the first lane, and all of them.
    """

    value: Value
    level: int
    is_partial: bool = False


def level_of(component: Component) -> int:
    """The innermost loop that a component changes with; 0 where it changes with none."""
    return 0 if isinstance(component, int) else component.level


def components(index: Index) -> tuple[Component, ...]:
    """What an index is made of."""
    if isinstance(index, tuple):
        return index
    return (index.place,) if isinstance(index, Linear) else (index.row, index.column)


_OF_LANES = (Lanes, Positions)


def varies(component: Component) -> bool:
    """Whether lanes may differ in a component."""
    return isinstance(component, _OF_LANES)


def level_of_index(index: Index) -> int:
    """The innermost loop that an index changes with."""
    level = 0
    for component in components(index):
        if not isinstance(component, int) and component.level > level:
            level = component.level
    return level


def has_lanes(index: Index) -> bool:
    """Whether lanes may read different elements."""
    for component in components(index):  # noqa: SIM110 (asked so often that a generator shows)
        if isinstance(component, _OF_LANES):
            return True
    return False
