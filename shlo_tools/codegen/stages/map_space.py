"""How values are walked that are computed element by element: rows, and columns of a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from shlo_tools.codegen.stages.nodes import Node, NodeKind, below

_FLAT = (16384, 8192, 4096, 2048, 1024)  # elements of a row where there are no rows
_CHUNK, _LEAST = 16 * 1024, 4 * 1024  # elements of a chunk: about so many, and not fewer


@dataclass(frozen=True)
class Space:
    """How a kernel walks a stage: rows of columns, and rows of a chunk, of so many columns."""

    rows: int
    columns: int
    chunk: int
    strip: int

    @property
    def strips(self) -> int:
        """Chunks beside each other."""
        return max(1, -(-self.columns // max(1, self.strip)))

    @property
    def chunks(self) -> int:
        return -(-self.rows // self.chunk) * self.strips

    def in_strips(self) -> Space:
        """The same where chunks may be parts of rows: long ones are cut."""
        return replace(self, strip=_CHUNK) if self.columns > _CHUNK else self


def space(rows: int, columns: int) -> Space:
    """Chunks of some thousand elements, but several of them."""
    width = max(1, columns)
    chunks = max(1, -(-_LEAST // width), min(_CHUNK // width, -(-rows // 4)))
    return Space(rows, columns, min(chunks, max(1, rows)), columns)


def map_space(results: Sequence[Node]) -> tuple[int, int]:
    """Rows and columns of elementwise ops."""
    count = results[0].count
    if _is_flat(results):
        for columns in _FLAT:
            if count % columns == 0:
                return count // columns, columns
    large = [size for size in results[0].shape if size > 1] or [1]
    return count // large[-1], large[-1]


def _is_flat(results: Sequence[Node]) -> bool:
    """Whether all values have the same elements in the same order, or are single numbers."""
    count = results[0].count
    moving = set(NodeKind) - {NodeKind.INPUT, NodeKind.CONSTANT, NodeKind.ELEMENTWISE}
    moving -= {NodeKind.RESHAPE}
    for node in below(results):
        if node.count not in (1, count):
            return False
        if node.kind in moving and not (
            node.kind is NodeKind.BROADCAST and node.operands[0].count == 1
        ):
            return False
    return True
