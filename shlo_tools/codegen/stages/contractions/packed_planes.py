"""Contractions by ``library.planes``: their words, and where that is faster than other ways."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from shlo_tools.codegen.jobs import Word
from shlo_tools.codegen.library.contractions import contexts, packing
from shlo_tools.codegen.library.contractions import planes as library
from shlo_tools.codegen.stages.contractions import costs, planes
from shlo_tools.codegen.stages.contractions.axes import (
    STILL,
    Axis,
    Contraction,
    count,
    merged,
)
from shlo_tools.codegen.stages.contractions.packed import BlockPlanner, Packed
from shlo_tools.codegen.stages.contractions.planes import Box, Windows
from shlo_tools.codegen.target import Target

_CHUNKS = 8  # wanted
_PART = 1 << 15  # products of a chunk, at least
_ROWS = 32  # of C that are computed together, at most
_BOX = 256 * 1024  # bytes of scratch memory, if lines may be so few


class PlanePlanner(BlockPlanner):
    """A contraction whose lanes are windows.

    Args:
        by_columns: whether B is what moves.
    """

    def __init__(self, contraction: Contraction, target: Target, by_columns: bool) -> None:
        super().__init__(contraction, target, by_columns)
        self.target = target
        self.lanes = target.lanes(self.element.bits)

    def box(self) -> Box | None:
        """What a chunk packs, if there is a way."""
        columns = count(self.across)
        rows = merged([Axis(axis.size, c=axis.c) for axis in self.across])
        inner = merged(sorted(merged(self.inner), key=lambda axis: -abs(axis.a)))
        if len(rows) > 1 or not columns or not 0 < count(inner) <= library.MOST_TAPS:
            return None
        windows = planes.windows(self.batch, self.along, inner, self.moving, self.lanes)
        if windows is None or not planes.fits(windows):
            return None
        if len(windows.batch) > contexts.BATCH_AXES or not count(self.along):
            return None
        boxes = list(self._boxes(windows))
        return min(boxes, key=self.cost, default=None)

    def _boxes(self, windows: Windows) -> Iterator[Box]:
        """Boxes of as many lines as leave enough chunks, and room in scratch memory."""
        number, matrices = windows.lines.axis.size, count(windows.batch)
        products = count((*windows.batch, *self.across, *windows.inner)) * windows.size
        chunks = max(1, min(_CHUNKS, products // _PART))
        most = max(1, min(number, number * matrices // chunks))
        # As many lines in every chunk.
        for block in sorted({-(-number // -(-number // block)) for block in range(1, most + 1)}):
            box = planes.box(windows, block, self.lanes, self.size)
            room = self._room(box)
            if library.has_room(room) and (block == 1 or room <= _BOX):
                yield box

    def cost(self, box: Box) -> float:
        """What all chunks take, in products of a vector."""
        windows, columns, lanes = box.windows, count(self.across), self.lanes
        line = windows.line.axis
        chunks = count(windows.batch) * -(-windows.lines.axis.size // box.block)
        tile = library.tile_rows(self.target)
        tiles = columns // tile * library.cost(tile, -(-box.lanes // lanes))
        tiles += library.cost(columns % tile, -(-box.lanes // lanes))
        reading = costs.elements(box.run, line.a, lanes, self.size, 2)
        if box.by_lines:
            reading = 1.5 * box.run  # between zeros on both sides
        elif abs(line.a) != 1:
            reading += costs.CUT / 2
        writing = costs.elements(line.size, line.c, lanes, self.size)
        runs = count(box.planes) * box.rows
        packing = runs * (costs.CUT / 2 + reading)
        copying = columns * box.block * (costs.CUT / 2 + writing)
        return chunks * (self.k * tiles + packing + copying + 2 * self.k + costs.CHUNK)

    def _room(self, box: Box) -> int:
        return library.room(self.target, self.element, box.size, self._group, box.lanes)

    @property
    def _group(self) -> int:
        """Rows of C that are computed together."""
        tile = library.tile_rows(self.target)
        return min(-(-count(self.across) // tile) * tile, _ROWS)

    def packed(self, box: Box) -> Packed:
        """The plan."""
        windows, element = box.windows, self.element
        line, lines = windows.line.axis, windows.lines.axis
        self.batch, self.along, self.inner = windows.batch, [lines, line], windows.inner
        self.by_columns, self.by_rows = True, False
        self.moving = replace(self.moving, bounds=windows.bounds, starts=windows.starts)
        plan = self.blocks()
        blocks = -(-lines.size // box.block)
        rows = Axis(box.rows, a=lines.a, steps=lines.steps)
        q_axes = box.planes if box.by_lines else [*box.planes, rows]
        p_axes: list[tuple[int, ...]] = [(box.run, line.a * self.moving_size, *STILL)]
        reach = line.steps[-1]
        view = packing.view_words(
            [self.view(q_axes, "a"), p_axes], windows.bounds, int(reach > 0), reach
        )
        numbers = {
            **{"lines": lines.size, "line_moving": lines.a * self.moving_size},
            **{f"line_step{d}": step for d, step in enumerate(lines.steps)},
            **{"line_c": lines.c * self.size, "windows": line.size},
            **{"window_c": line.c * self.size, "line": box.row},
            **{"calls": box.rows if box.by_lines else 1},
            **{"call_moving": lines.a * self.moving_size, "call_room": box.row},
            **{f"call_step{d}": step for d, step in enumerate(lines.steps)},
            **{"parts": count(q_axes), "run": box.run, "group": self._group},
        }
        words: dict[str, Word] = {
            **plan.words,
            **{"blocks": blocks, "block": box.block},
            "pitch": box.plane if box.by_lines else box.row,
        }
        return replace(
            plan,
            words=words,
            axes={**plan.axes, "moving_view": view},
            run=(library.name(self.moving.element, element), count(self.batch) * blocks),
            is_dense=False,
            further=library.words(numbers, box.taps(self.size)),
        )
