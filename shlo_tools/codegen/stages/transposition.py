"""Operands that kernels would read across rows are transposed ahead, by the process library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools.codegen.jobs import Context, Job, Place, StageCode, Word
from shlo_tools.codegen.library import interleaving, transposition
from shlo_tools.codegen.stages.contractions.products import Part, merged, strided
from shlo_tools.codegen.stages.nodes import Node, NodeKind
from shlo_tools.codegen.stages.reading.elements import place_type
from shlo_tools.codegen.target import host

_SMALL = 256  # elements that a kernel gathers as well
_MANY = 8192  # elements of tiny matrices that a kernel turns in half the time, which has to be made
_BLOCK = 256  # columns of a chunk, at least; and rows, where columns are fewer
_LARGE = 1 << 25  # bytes that caches do not hold
_UNIT = 16 * 1024  # elements of a chunk, about


@dataclass(frozen=True)
class Transposition:
    """How a view of an argument is moved into row-major order.

    Attributes:
        base: the argument.
        offset: elements in front of the first.
        bits: of what is moved as one.
        rows: size and step of the dimension whose elements are adjacent in the result; or half a
            tile of these, and as much behind them in the result of another dimension.
        group: step of that one; 0 where there is none.
        columns: size and step in the result of the one whose elements are in the argument.
        outer: the others: size, step in the argument, step in the result.
    """

    base: Node
    offset: int
    bits: int
    rows: Part
    group: int
    columns: Part
    outer: tuple[tuple[int, int, int], ...]

    def job(self, code: StageCode, target: Place, makes: int | None = None) -> None:
        """Add the job and its context; ``makes``: as in ``Job``."""
        rows, columns = self.rows[0], self.columns[0]
        block = min(columns, max(_BLOCK, _UNIT // rows // _BLOCK * _BLOCK))
        row_block = rows
        if columns < _BLOCK:
            row_block = min(rows, max(_BLOCK, _UNIT // columns // _BLOCK * _BLOCK))
        blocks, row_blocks = -(-columns // block), -(-rows // row_block)
        units = blocks * row_blocks * math.prod(size for size, _, _ in self.outer)
        together = max(1, _UNIT // (row_block * block))
        size = self.bits // 8
        half = transposition.group(host(), self.bits)
        group = size * (self.group or self.rows[1] * half)
        words: dict[str, Word] = {
            "source": Place(
                "argument", self.base.number, self.offset * place_type(self.base.element).bytes
            ),
            "target": target,
            **{"rows": rows, "columns": columns},
            **{"source_row": self.rows[1] * size, "target_row": self.columns[1] * size},
            **{"source_group": group, "source_block": row_block // half * group},
            **{"row_block": row_block, "row_blocks": row_blocks},
            **{"column_block": block, "column_blocks": blocks},
            **{"units": units, "units_of_chunk": together},
        }
        outer = [*self.outer, *[(1, 0, 0)] * (transposition.OUTER - len(self.outer))]
        for d, (count, source, to) in enumerate(outer):
            words |= {f"size{d}": count, f"from{d}": source * size, f"to{d}": to * size}
        code.contexts.append(Context(tuple(words[name] for name in transposition.CONTEXT)))
        number = len(code.contexts) - 1
        code.jobs.append(Job(self._function(), number, -(-units // together), makes=makes))

    def _function(self) -> str:
        """The job for a transposition of this kind."""
        rows, columns = self.rows[0], self.columns[0]
        if rows in interleaving.FEW and self.columns[1] == rows:
            return interleaving.job_name(self.bits, joins=rows)
        if columns in interleaving.FEW and self.rows[1] == columns and not self.group:
            return interleaving.job_name(self.bits, parts=columns)
        target_row, size = self.columns[1] * self.bits // 8, self.base.count * self.bits // 8
        if size >= _LARGE and transposition.may_stream(host(), self.bits, rows, target_row):
            return transposition.streamed_name(self.bits)
        return transposition.job_name(self.bits)


def transposition_of(node: Node) -> Transposition | None:
    """How a view is moved by tiles; None where that does not pay, or it is no such view."""
    if node.kind not in (NodeKind.TRANSPOSE, NodeKind.RESHAPE) or node.count < _SMALL:
        return None
    view = moved_argument(node)
    if view is None:
        return None
    base, offset, moved = view
    bits = place_type(node.element).bits
    if moved and moved[-1][1] == 1 and moved[-1][0] * bits in transposition.WIDTHS:
        # Some neighbours move together: they are one element of more bits.
        together = moved.pop()[0]
        if any(step % together for _, step, _ in moved):
            return None
        moved = [(size, step // together, to // together) for size, step, to in moved]
        if offset % together:
            return None
        bits *= together
    if bits not in transposition.WIDTHS:
        return None
    columns = [k for k, (_, step, _) in enumerate(moved) if step == 1]
    if not columns or columns == [len(moved) - 1] or any(step == 0 for _, step, _ in moved):
        return None
    (column,) = columns
    (count, step, _), outer = moved[-1], [*moved[:column], *moved[column + 1 : -1]]
    rows, group = (count, step), 0
    for size, apart, to in outer:
        if to == count == transposition.group(host(), bits) and size % 2 == 0:
            # Else lines of the result were written by halves, when caches have lost the others.
            outer.remove((size, apart, to))
            rows, group = (size * count, step), apart
            break
    sides = rows[0], moved[column][0]
    if node.count >= _MANY and all(interleaving.FEW[-1] < n < transposition.FEW for n in sides):
        return None
    # Blocks follow each other on the side where one is more scattered: there they share pages.
    source_reach, target_reach = rows[0] * rows[1], moved[column][0] * moved[column][2]
    outer.sort(key=lambda part: part[1 if source_reach > target_reach else 2])
    if len(outer) > transposition.OUTER:
        return None
    return Transposition(
        base, offset, bits, rows, group, (moved[column][0], moved[column][2]), tuple(outer)
    )


def moved_argument(node: Node) -> tuple[Node, int, list[tuple[int, int, int]]] | None:
    """Of a view of an argument: that, the elements in front of the first, and how others move.

    That is for each part its size, and its steps in the argument and in row-major order.
    """
    base, offset, parts = strided(node)
    if base.kind is not NodeKind.INPUT:
        return None
    return base, offset, _with_results([part for dimension in parts for part in dimension])


def _with_results(parts: Sequence[Part]) -> list[tuple[int, int, int]]:
    """Parts with their steps in row-major order, neighbours merged."""
    result: list[tuple[int, int, int]] = []
    to = 1
    for size, step in reversed(merged(parts)):
        result.append((size, step, to))
        to *= size
    return result[::-1]
