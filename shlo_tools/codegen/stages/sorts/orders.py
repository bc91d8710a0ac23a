"""How a sort orders: by a number of each element, or as its comparator says."""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools.codegen.stages.nodes import Node, Region
from shlo_tools.codegen.stages.reading.elements import place_type


@dataclass(frozen=True)
class Key:
    """The number that a comparator compares.

    Attributes:
        node: the key of each element.
        is_total: whether floats are compared by their total order; else zeros are equal.
    """

    node: Node
    is_descending: bool
    is_total: bool

    @property
    def bits(self) -> int:
        return place_type(self.node.element).bits

    @property
    def entry_bits(self) -> int:
        return 128 if self.bits > 32 else 64


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
