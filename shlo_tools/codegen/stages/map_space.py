"""How values are walked that are computed element by element: rows, and columns of a row."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from shlo_tools.codegen.jobs import are_shared_evenly, even_part
from shlo_tools.codegen.stages.nodes import (
    Extent,
    Node,
    NodeKind,
    are_known,
    below,
    differing_dimensions,
    is_one,
)
from shlo_tools.dims import ceiling_divided, floor_divided, maximum, minimum

_FLAT = (16384, 8192, 4096, 2048, 1024)  # elements of a row where there are no rows
_GROUP = 8  # elements that are reversed together, where rows are made of such
LEAST_ROW = 64  # elements of a row that are not worth a row of their own
_LONG_ROW, _ROWS = 1024, 16  # elements of a row that is long enough, where so many rows are left
_LEAST_REPEATED = 16  # columns that are repeated beside themselves, at least
_MOVING = set(NodeKind) - {NodeKind.INPUT, NodeKind.CONSTANT}
_MOVING -= {NodeKind.ELEMENTWISE, NodeKind.RESHAPE}
CHUNK, _LEAST = 16 * 1024, 4 * 1024  # elements of a chunk: about so many, and not fewer


@dataclass(frozen=True)
class Space:
    """How a kernel walks a stage: rows of columns, and rows of a chunk, of so many columns."""

    rows: Extent
    columns: Extent
    chunk: Extent
    strip: Extent

    @property
    def strips(self) -> Extent:
        """Chunks beside each other."""
        if not are_known(self.columns):
            return 1
        return max(1, -(-self.columns // max(1, self.strip)))

    @property
    def chunks(self) -> Extent:
        return -(-self.rows // self.chunk) * self.strips

    def in_strips(self) -> Space:
        """The same where chunks may be parts of rows: long ones are cut.

        So are some that threads would not share evenly, in halves.
        """
        if not are_known(self.columns):
            return self
        if self.columns > CHUNK:
            return replace(self, strip=CHUNK)
        is_uneven = are_known(self.rows) and not are_shared_evenly(self.rows)
        if self.chunk == 1 and is_uneven and self.columns >= 2 * _LEAST:
            return replace(self, strip=-(-self.columns // (2 * _LONG_ROW)) * _LONG_ROW)
        return self

    def in_vectors(self, lanes: int) -> Space:
        """The same where lanes are rows: chunks but the last one are whole vectors."""
        if not are_known(self.rows, self.chunk):
            return self
        chunk = even_part(self.rows, -(-self.chunk // lanes) * lanes, lanes)
        return replace(self, chunk=chunk)


def space(rows: Extent, columns: Extent) -> Space:
    """Chunks of some thousand elements, but several of them."""
    if not are_known(rows, columns):
        width = maximum(1, columns)
        least = maximum(1, ceiling_divided(_LEAST, width))
        most = minimum(floor_divided(CHUNK, width), ceiling_divided(rows, 4))
        chunk = minimum(maximum(least, most), maximum(1, rows))
        return Space(rows, columns, chunk, columns)
    width = max(1, columns)
    chunks = max(1, -(-_LEAST // width), min(CHUNK // width, -(-rows // 4)))
    return Space(rows, columns, even_part(rows, min(chunks, max(1, rows))), columns)


def map_space(results: Sequence[Node], known: Collection[Node] = ()) -> tuple[Extent, Extent]:
    """Rows and columns of elementwise ops.

    Args:
        known: values that lie in memory, whatever they are made of.
    """
    count = results[0].count
    if are_known(count) and count == 0:
        return 0, 1  # nothing is read
    result = _computed(results[0])
    large = _sizes(result) or [1]
    if are_known(count) and is_flat(results, known):
        for columns in _FLAT:
            if count % columns == 0:
                return count // columns, columns
        if large[-1] < LEAST_ROW:
            return 1, count
    repeated = moved_columns(results, count, known) or _turned(results)
    if repeated is not None:
        return count // repeated, repeated
    if are_known(*large):
        columns = _columns(result, moving(results, count, known))
        return count // columns, columns
    return math.prod(large[:-1]), large[-1]


def moving(results: Sequence[Node], count: Extent, known: Collection[Node]) -> list[Node]:
    """What moves ``count`` elements."""
    nodes = (node for node in below(results, known) if node not in known)
    return [node for node in nodes if node.count == count and node.kind in _MOVING]


def _columns(result: Node, moving: Sequence[Node]) -> int:
    """Elements of a row: of the last dimensions that nothing tells apart, where they are short."""
    sizes = [(d, size) for d, size in enumerate(result.shape) if size != 1]
    last, columns = sizes.pop() if sizes else (0, 1)
    is_short = columns < LEAST_ROW
    while sizes and is_short and columns < _LONG_ROW:
        before, size = sizes.pop()
        has_rows = columns < LEAST_ROW or result.count >= _ROWS * size * columns
        if not has_rows or not all(_has_together(n, (before, last), result) for n in moving):
            break
        last, columns = before, size * columns
    return columns


def _has_together(node: Node, pair: tuple[int, int], result: Node) -> bool:
    """Whether neighbouring dimensions of a result are as good as one to what moves elements."""
    if node.shape != result.shape:
        return False
    if node.kind is NodeKind.GATHER:
        return _is_run(node, pair)
    if node.kind is not NodeKind.BROADCAST:
        return False
    kept = differing_dimensions(node)
    here = [kept.index(d) for d in pair if d in kept]
    return not here or (len(here) == 2 and here[1] == here[0] + 1)


def _is_run(gather: Node, pair: tuple[int, int]) -> bool:
    """Whether what lies along two dimensions of slices follows each other in the operand."""
    source, slices = gather.operands[0], gather.attributes
    places = dict(zip(slices.vectors.windows, slices.vectors.kept(len(source.shape)), strict=True))
    first, last = (places.get(d, -1) for d in pair)
    is_whole: bool = last >= 0 and slices.sizes[last] == source.shape[last]
    return is_whole and 0 <= first == last - 1


def _computed(result: Node) -> Node:
    """A result as it is computed, whatever the shape that it is stored in."""
    while result.kind is NodeKind.RESHAPE and result.operands[0].kind is not NodeKind.INPUT:
        result = result.operands[0]
    return result


def _sizes(node: Node) -> list[Extent]:
    return [size for size in node.shape if not is_one(size)]


def group_of(node: Node, columns: Extent) -> int | None:
    """Neighbours in a row of a node that are repeated, or reversed, together; None where none are.

    Where a vector begins with such a group, its lanes read a run. So do those that elements are
    pulled apart for, each with the padding behind it.
    """
    if node.kind is NodeKind.PAD:
        last = max((d for d, size in enumerate(node.shape) if not is_one(size)), default=0)
        step = node.steps[last] if node.shape and node.shape[last] == columns else 1
        return step if isinstance(step, int) and step > 1 else None
    if node.kind not in (NodeKind.BROADCAST, NodeKind.REVERSE):
        return None
    shape = [(size, d) for d, size in enumerate(node.shape) if not is_one(size)]
    if len(shape) < 2 or not are_known(columns, *(size for size, _ in shape)):
        return None
    (before, neighbour), (group, last) = shape[-2:]
    if columns % (before * group):
        return None
    if node.kind is NodeKind.REVERSE:
        return group if last not in node.dimensions else None
    differing = differing_dimensions(node)
    return group if neighbour in differing and last not in differing else None


def moved_columns(
    results: Sequence[Node], count: Extent, known: Collection[Node] = ()
) -> int | None:
    """Columns of which all that moves ``count`` elements has rows.

    Of a tensor that is laid out several times beside itself, as numpy's ``tile`` does; of a matrix
    that is padded, and read as a vector.
    """
    shapes = {tuple(_sizes(node)) for node in moving(results, count, known)}
    if not are_known(*itertools.chain(*shapes)) or not all(shapes):
        return None
    columns = min((shape[-1] for shape in shapes), default=0)
    ends = (itertools.accumulate(reversed(shape), operator.mul) for shape in shapes)
    is_shared = columns >= _LEAST_REPEATED and all(columns in sizes for sizes in ends)
    return columns if is_shared else None


def _turned(results: Sequence[Node]) -> int | None:
    """Columns of rows whose short groups of neighbours are reversed, as pixels of images are."""
    result = _computed(results[0])
    large = _sizes(result)
    if len(large) < 2 or not are_known(*large) or large[-1] > _GROUP:
        return None
    columns = math.prod(large[-2:])
    reversed_ones = [node for node in below(results) if node.kind is NodeKind.REVERSE]
    alike = [node for node in reversed_ones if node.shape == result.shape]
    is_turned = alike and all(group_of(node, columns) for node in reversed_ones)
    return columns if is_turned and columns >= LEAST_ROW else None


def is_flat(results: Sequence[Node], known: Collection[Node] = ()) -> bool:
    """Whether all values have the same elements in the same order, or are single numbers."""
    count = results[0].count
    for node in below(results, known):
        if node in known:
            continue
        if node.count not in (1, count):
            return False
        if node.kind in _MOVING and not (
            node.kind is NodeKind.BROADCAST and node.operands[0].count == 1
        ):
            return False
    return True
