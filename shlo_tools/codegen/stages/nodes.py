"""What a stage computes: a graph of nodes, each a tensor that can be read at any index.

Nothing here is stored: the emitter asks a node for the elements at an index and the node asks its
operands, so broadcasts, slices, pads and constants cost nothing but the arithmetic of indices.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.jobs import Word, places
from shlo_tools.dtypes import Array, ElementType, Kind

# A size: a number, or a ``dims.Size`` of names where run time tells it. Arithmetic and ``==`` take
# both: what is equal whatever the names are is equal. Other comparisons raise ``UndecidedError``
# where only run time knows, and the stage has no kernel.
Extent = Any

# A scalar rule: (emitter of scalars or vectors, operands) -> what the op makes of them.
Rule = Callable[[Any, Sequence[Value]], Value]

# A region on scalars or vectors: (what reads the kernel's nodes, its arguments) -> what it returns.
Region = Callable[[Any, Sequence[Value]], list[Value]]


class UnsupportedStage(Exception):
    """A stage holds what kernels cannot do yet; the message says what."""


def is_one(size: Extent) -> bool:
    """Whether a dimension is known to have at most one element."""
    return isinstance(size, int) and size <= 1


def are_known(*sizes: Extent) -> bool:
    """Whether sizes are numbers."""
    for size in sizes:  # noqa: SIM110 (asked so often that a generator shows)
        if not isinstance(size, int):
            return False
    return True


class NodeKind(Enum):
    """What a node is: the op of that name, but for inputs and elementwise ops."""

    INPUT = "input"
    CONSTANT = "constant"  # splat
    IOTA = "iota"
    RESULT = "result"  # one of several, of the op that is its operand
    ELEMENTWISE = "elementwise"
    BITCAST = "bitcast_convert"  # to elements of another width
    BROADCAST = "broadcast_in_dim"
    RESHAPE = "reshape"
    TRANSPOSE = "transpose"
    SLICE = "slice"
    REVERSE = "reverse"
    PAD = "pad"
    CONCATENATE = "concatenate"
    DYNAMIC_SLICE = "dynamic_slice"
    DYNAMIC_UPDATE_SLICE = "dynamic_update_slice"
    GATHER = "gather"
    SCATTER = "scatter"
    SORT = "sort"
    RNG_BIT_GENERATOR = "rng_bit_generator"
    REDUCE = "reduce"
    REDUCE_WINDOW = "reduce_window"
    SELECT_AND_SCATTER = "select_and_scatter"
    DOT = "dot_general"
    CONVOLUTION = "convolution"
    PARAMETER = "parameter"  # of a region of control flow
    WHILE = "while"
    IF = "if"
    CASE = "case"


CONTROL = {NodeKind.WHILE, NodeKind.IF, NodeKind.CASE}
# Names of the ops that kernels compute, beside elementwise ones and control flow.
OPS = {kind.value for kind in set(NodeKind) - CONTROL} - {
    *("input", "parameter", "result", "elementwise")
}

VIEWS = {
    NodeKind.DYNAMIC_SLICE,
    NodeKind.GATHER,
    NodeKind.RESHAPE,
    NodeKind.TRANSPOSE,
    NodeKind.SLICE,
    NodeKind.REVERSE,
    NodeKind.BROADCAST,
}


@dataclass(eq=False, repr=False)
class Node:
    """One tensor of a stage.

    Attributes:
        number: of an input: its place among the stage's arguments; of a result: which one.
        value: of a constant: its number, or the size that it is.
        name: of an elementwise op of the program; what it computes also rests on its attributes.
        rule: of an elementwise op; of an iota: what makes an element of an i64.
        dimensions: of broadcast (where operand dimensions go), transpose (the permutation),
            reverse and reduce (which ones); of iota and concatenate a single one.
        starts, steps: of a slice; of a pad: edge padding in front, and interior padding plus one.
        contraction: of a product: batching, contracting and free dimensions of lhs, then of rhs.
        casts: of a product, for each operand: what makes factors of its elements; None where they
            are such, or where packing them makes such.
        attributes: of ops with more to say: a dataclass of their family.
    """

    kind: NodeKind
    shape: tuple[Extent, ...]
    element: ElementType
    operands: tuple[Node, ...] = ()
    number: int = 0
    value: Any = 0
    name: str = ""
    rule: Rule | None = None
    dimensions: tuple[int, ...] = ()
    starts: tuple[int, ...] = ()
    steps: tuple[int, ...] = ()
    contraction: tuple[tuple[tuple[int, ...], ...], ...] = ()
    casts: tuple[Rule | None, ...] = ()
    attributes: Any = None
    users: list[Node] = field(default_factory=list)
    depth: int = 1  # ops above each other

    def __post_init__(self) -> None:
        self.count = math.prod(self.shape)
        self.depth = 1 + max((operand.depth for operand in self.operands), default=0)
        for operand in self.operands:
            operand.users.append(self)

    @property
    def reduced(self) -> Extent:
        """Elements that a reduction makes one of."""
        return math.prod(self.operands[0].shape[d] for d in self.dimensions)


@dataclass(frozen=True)
class Regions:
    """The regions of control flow, whose nodes may rest on those around.

    Attributes:
        parameters: of each region.
        results: of each region.
        iterations: of a loop whose text says how many there are; 0 where it does not.
    """

    parameters: tuple[tuple[Node, ...], ...]
    results: tuple[tuple[Node, ...], ...]
    iterations: int = 0


@dataclass
class Stage:
    """What is computed together.

    Attributes:
        name: what its kernel is called.
        kind: how it is walked, see ``shlo-partition``.
        split: rows and columns of its full values, where it has them.
        arguments, results: its nodes; results may be arguments.
    """

    name: str
    kind: str
    split: tuple[Extent, Extent] | None
    arguments: list[Node]
    results: list[Node] = field(default_factory=list)

    @cached_property
    def nodes(self) -> list[Node]:
        """What its results are made of, operands first."""
        return below(self.results)

    @cached_property
    def is_static(self) -> bool:
        """Whether all sizes are numbers."""
        return are_known(*[size for node in self.nodes for size in node.shape])

    @property
    def places(self) -> tuple[Word, ...]:
        """Words of a context: where arguments lie, then where results do."""
        return places(len(self.arguments), len(self.results))


def used_dimensions(dimensions: Sequence[int], source: Sequence[Extent]) -> list[int]:
    """Where a broadcast has those of its operand that are longer than one, in their order.

    Args:
        dimensions: where those of the operand go.
        source: the operand's shape.
    """
    return [d for d, size in zip(dimensions, source, strict=True) if not is_one(size)]


def differing_dimensions(broadcast: Node) -> list[int]:
    """The dimensions along which elements of a broadcast differ, as its operand has them."""
    return used_dimensions(broadcast.dimensions, broadcast.operands[0].shape)


def repeated_from(broadcast: Node) -> int:
    """The dimension from which on a broadcast repeats elements of its operand."""
    return max(differing_dimensions(broadcast), default=-1) + 1


def without_reshapes(node: Node) -> Node:
    """What has the elements of a node in the same order."""
    while node.kind is NodeKind.RESHAPE:
        (node,) = node.operands
    return node


def below(results: Iterable[Node], known: Iterable[Node] = ()) -> list[Node]:
    """What results are made of, operands first; operands of ``known`` nodes are left out."""
    order: dict[Node, None] = {}
    border = set(known)
    stack: list[tuple[Node, bool]] = [(node, False) for node in reversed(list(results))]
    while stack:
        node, is_done = stack.pop()
        if is_done:
            order[node] = None
        elif node not in order:
            if node in border or not node.operands:
                order[node] = None
                continue
            stack.append((node, True))
            for operand in reversed(node.operands):
                if operand not in order:
                    stack.append((operand, False))
    return list(order)


def constant_value(array: Array, element: ElementType) -> bool | int | float | complex | None:
    """The number of a splat array, as code writes it; None where elements differ."""
    flat = array.reshape(-1)
    if not flat.size:
        return 0
    first = flat[0]
    if flat.size > 1:
        raw = np.ascontiguousarray(flat).view(np.uint8).reshape(flat.size, -1)
        if not (raw == raw[0]).all():
            return None
    if element.is_boolean:
        return bool(first)
    # Floats as they are: a Python number does not keep all NaN.
    return first if element.kind in (Kind.FLOAT, Kind.COMPLEX) else int(first)
