"""How a sort orders: by a number of each element, or as its comparator says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shlo_tools.codegen.library.sorting import Entry
from shlo_tools.codegen.stages.nodes import Node, Region
from shlo_tools.codegen.stages.reading.elements import place_type


@dataclass(frozen=True)
class Key:
    """The number that a comparator compares.

    Attributes:
        node: the key of each element.
        is_total: whether floats are compared by their total order; else zeros are equal.
        operand: the operand whose elements are keys, but for zeros and NaN that may be made equal;
            None where keys are computed otherwise, or are truth values.
        nan: what all NaN are made, if they are.
    """

    node: Node
    is_descending: bool
    is_total: bool
    operand: int | None = None
    nan: np.generic | None = None

    @property
    def bits(self) -> int:
        return place_type(self.node.element).bits

    @property
    def entry(self) -> Entry:
        """What is sorted: keys and places."""
        return Entry(128 if self.bits > 32 else 64)

    @property
    def entry_alone(self) -> Entry:
        """What is sorted where places are not wanted."""
        return Entry(64 if self.bits > 32 else 32, has_place=False)


@dataclass(frozen=True)
class Sorting:
    """How a sort orders.

    Attributes:
        less: the comparator: (element, other element) of each operand -> whether it goes before.
        key: what it compares, where it is known to be one number.
    """

    dimension: int
    less: Region
    key: Key | None
