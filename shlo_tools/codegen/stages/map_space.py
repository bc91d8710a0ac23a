"""How values are walked that are computed element by element: rows, and columns of a row."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.codegen.stages.nodes import Node, NodeKind, below

_FLAT = (16384, 8192, 4096, 2048, 1024)  # elements of a row where there are no rows


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
