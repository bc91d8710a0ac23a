"""What a stage sorts: lines of elements, and by which algorithm, which their sizes tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from shlo_tools.codegen.function import I64
from shlo_tools.codegen.jobs import Word
from shlo_tools.codegen.library import selecting, sorting
from shlo_tools.codegen.library.pool import SCRATCH_BYTES
from shlo_tools.codegen.library.sorting import Entry
from shlo_tools.codegen.stages.nodes import Extent, Node, NodeKind, Stage, UnsupportedStage
from shlo_tools.codegen.stages.sorts.orders import Key, Sorting
from shlo_tools.dims import Symbol

_CHUNK = 4096  # elements of a chunk of short lines
_TOGETHER = 4  # long lines that are sorted at the same time
_LONG = 1 << 15  # elements of a line that is sorted by several threads
_LONGEST = 1 << 20  # elements of a line that one thread selects some of
_PAD = 64  # entries behind the last that vectors may touch


class Way(Enum):
    """Where lines are sorted."""

    SCRATCH = "scratch"  # some by each chunk, in scratch memory
    APART = "apart"  # one by each chunk, in its part of a temporary
    PARTS = "parts"  # the only one, by jobs


@dataclass(frozen=True)
class Lines:
    """Lines, and how they are sorted.

    Attributes:
        count: lines.
        length: elements of each.
        most: of these, the first ones that are wanted.
        entry: what is sorted; None for places, by a comparator.
        picks: whether the first ones are picked one by one.
        selects: whether they are found otherwise than by sorting all of them.
        together: lines of a chunk, or chunks at the same time.
        part: elements of the only line that a chunk takes.
        list_bytes: of the entries of a line.
    """

    way: Way
    count: Extent
    length: Extent
    most: Extent
    entry: Entry | None
    picks: bool
    selects: bool
    together: Extent
    part: Extent
    list_bytes: Extent

    @property
    def room(self) -> Extent:
        """Bytes that sorting a line needs."""
        return 2 * self.list_bytes + sorting.COUNTS_BYTES


@dataclass(frozen=True)
class Sort:
    """What a kernel sorts.

    Attributes:
        node: the sort.
        numbers: for each result, the operand of the sort that it has the elements of.
        inputs: nodes that lie in memory.
        places: words for where inputs lie, then for where results do.
        sizes: what symbols stand for, where the sort does not say its sizes.
    """

    node: Node
    numbers: tuple[int, ...]
    inputs: Sequence[Node]
    places: tuple[Word, ...]
    lines: Lines
    sizes: Mapping[Symbol, int] = field(default_factory=dict)

    @property
    def order(self) -> Sorting:
        """How it orders."""
        attributes: Sorting = self.node.attributes
        return attributes

    @property
    def key(self) -> Key | None:
        """What is compared, where that is one number."""
        return self.order.key


def sort_of(stage: Stage) -> Sort:
    """The sort that a stage is, with the sizes that it has."""
    whole = [r.operands[0] if r.kind is NodeKind.SLICE else r for r in stage.results]
    node = whole[0].operands[0] if whole[0].kind is NodeKind.RESULT else whole[0]
    numbers = tuple(result.number for result in whole)
    attributes: Sorting = node.attributes
    most = stage.results[0].shape[attributes.dimension] if node.shape else 1
    lines = _lines(node, attributes, most, set(numbers))
    return Sort(node, numbers, stage.arguments, stage.places, lines)


def _lines(node: Node, order: Sorting, most: int, outputs: set[int]) -> Lines:
    """How lines of known sizes are sorted.

    Args:
        outputs: operands that are results.

    Raises:
        UnsupportedStage: they are too long.
    """
    length = node.shape[order.dimension] if node.shape else 1
    count = node.count // length
    entry, picks, selects = None, False, False
    if order.key is not None:
        if length > sorting.MOST:
            raise UnsupportedStage("lines of more elements than entries tell apart")
        entry = order.key.entry
        picks = selecting.is_picked(most, length, entry.bits)
        selects = picks or selecting.is_selected(most, length)
        if outputs == {order.key.operand} and not selects:
            entry = order.key.entry_alone
    bytes = I64.bytes if entry is None else entry.type.bytes
    list_bytes = -(-bytes * (length + _PAD) // 64) * 64
    way, together, part = Way.APART, min(count, _TOGETHER), length
    if order.key and count == 1 and length >= (_LONGEST if selects else _LONG):
        parts = min(sorting.most_parts(list_bytes), length // (_LONG // 4))
        way, part = Way.PARTS, -(-length // parts)
    elif 2 * list_bytes + sorting.COUNTS_BYTES <= SCRATCH_BYTES:
        way, together = Way.SCRATCH, max(1, _CHUNK // length)
    return Lines(way, count, length, most, entry, picks, selects, together, part, list_bytes)
