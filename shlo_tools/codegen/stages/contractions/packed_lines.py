"""Contractions by ``library.planes`` or ``library.lines``, where that takes less than blocks."""

from __future__ import annotations

from dataclasses import replace

from shlo_tools.codegen.jobs import Word
from shlo_tools.codegen.library.contractions import lines as library
from shlo_tools.codegen.library.contractions import packing
from shlo_tools.codegen.library.contractions.micro_kernels import COLUMN_VECTORS
from shlo_tools.codegen.stages.contractions import costs, lines
from shlo_tools.codegen.stages.contractions.axes import (
    STILL,
    Axis,
    Contraction,
    count,
    limited,
    merged,
)
from shlo_tools.codegen.stages.contractions.lines import Line
from shlo_tools.codegen.stages.contractions.packed import BlockPlanner, Packed, Sums
from shlo_tools.codegen.stages.contractions.packed_planes import PlanePlanner
from shlo_tools.codegen.target import Target

_SURELY = 0.95  # of what another way takes: estimates are no better than that


def plan(contraction: Contraction, target: Target, *, by_columns: bool) -> Packed:
    """Cut a contraction into lines or blocks; ``by_columns``: B is what moves.

    Raises:
        UnsupportedStage: it has more axes than the library knows.
    """
    planner = _LinePlanner(contraction, target, by_columns)
    line = planner.line()
    lanes = PlanePlanner(contraction, target, by_columns)
    box = lanes.box()
    if box is not None and lanes.cost(box) < _SURELY * planner.cost(line):
        return lanes.packed(box)
    if line is None:
        return planner.blocks()
    return planner.windows(line) if line.rows == "windows" else planner.taps(line)


class _LinePlanner(BlockPlanner):
    def line(self) -> Line | None:
        """The lines to go by, if that pays."""
        across = count(self.across)
        if not across:
            return None
        inner = merged(sorted(merged(self.inner), key=lambda axis: -abs(axis.a)))
        line = None
        # Where there are more columns than a panel's, packing windows costs little.
        if across <= self.panel and not self.by_columns:
            vectors = -(-across // (self.panel // COLUMN_VECTORS))
            line = lines.windows(self.along, inner, self.tile, vectors)
        if line is None and self._makes_matrix():
            line = lines.taps(self.along, inner, self.tile, across * self.size)
        return line if line and self._room(line) <= library.PACKED_BYTES else None

    def cost(self, line: Line | None) -> float:
        """What lines take, or blocks where there are none, in products of a vector."""
        along, across, lanes = count(self.along), count(self.across), self.panel // COLUMN_VECTORS
        if line is not None and line.rows == "taps":
            return count(self.batch) * along * across * self.k / lanes
        wide, high = (along, across) if self.by_columns else (across, along)
        tiles = -(-high // self.tile)
        runs, elements = self._packed_runs()
        if line is not None:
            tiles = -(-line.axis.size // self.tile) * count(line.outer)
            runs, elements = count(line.outer) * count(line.far), line.run / lanes
        tile = self.tile * costs.vectors(wide, lanes) * self.k + costs.TILE
        run = costs.CUT if self.by_columns else costs.WHOLE
        return count(self.batch) * (tiles * tile + runs * (run + elements))

    def _packed_runs(self) -> tuple[int, float]:
        """How many runs blocks pack, and what the elements of one take."""
        listed, _, _ = self._runs(self.inner if self.by_rows else self.along)
        size, stride = listed[-1][:2] if listed else (1, self.moving_size)
        size = min(size, self.panel) if self.by_columns else size
        step, lanes = stride // self.moving_size, self.panel // COLUMN_VECTORS
        return count(self.along) * self.k // size, costs.elements(size, step, lanes, self.size, 2)

    def _makes_matrix(self) -> bool:
        """Whether C is one matrix of steps."""
        rows = merged([Axis(axis.size, c=axis.c) for axis in self.along])
        is_one = not self.batch and len(rows) <= 1 and len(self.across) <= 1
        return is_one and self.moving.element == self.resting.element

    def _room(self, line: Line) -> int:
        """Bytes of what is packed at once."""
        room = line.pitch(self.size) * count(line.far)
        if line.rows == "taps":
            panels = -(-count(self.across) // self.panel)
            room += panels * self.panel * self.size * line.axis.size
        return room

    def windows(self, line: Line) -> Packed:
        """Rows of C are windows."""
        self.along, self.inner = [*line.outer, line.axis], [*line.far, *line.near]
        self.by_rows = True
        number, matrices = count(line.outer), count(self.batch)
        block = lines.block_of(number, matrices, line.axis.size * count(self.across) * self.size)
        blocks = -(-number // block)
        words: dict[str, Word] = {"blocks": blocks, "block": block * line.axis.size}
        words["c_row"] = line.axis.c * self.size
        return self._by_lines(line, words, {}, matrices * blocks)

    def taps(self, line: Line) -> Packed:
        """Rows of C are taps, whose sums are cut into parts."""
        self.along, self.inner = [*line.far, *line.near], [*line.outer, line.axis]
        self.by_rows, self.by_columns = True, False
        number, taps, columns = count(line.outer), count(self.along), count(self.across)
        parts, block = lines.parts_of(number, self.k * taps * columns)
        rows = -(-taps // self.tile) * self.tile
        row = columns * self.size
        near = self.across[-1:] or [Axis(1, b=1, c=1)]
        in_place = near[0].b == 1 and self.resting.element == self.element.element
        numbers = {"lines": number, "c_part": rows * row}
        numbers["b_row"] = line.axis.b * self.size if in_place else 0
        plan = self._by_lines(line, {"block": block, "c_row": row}, numbers, parts)
        c_row = merged([Axis(axis.size, c=axis.c) for axis in self.along])
        words: dict[str, Word] = {
            **{"parts": parts, "M": rows, "N": columns},
            "c_row": (c_row[-1].c if c_row else 0) * self.size,
            "c_column": near[0].c * self.size,
        }
        sums = Sums(words, taps, parts * rows * row)
        return replace(plan, rest=None, room=0, is_dense=False, sums=sums)

    def _by_lines(
        self, line: Line, words: dict[str, Word], numbers: dict[str, int], chunks: int
    ) -> Packed:
        """A plan with the words, and those behind them, of one by lines."""
        plan, axis, pitch = self.blocks(), line.axis, line.pitch(self.size)
        numbers |= {"line": axis.size, "taps": count((*line.far, *line.near))}
        numbers |= {"step": axis.a * self.size, "parts": count(line.far), "run": line.run}
        places = [
            (x.size, x.a * self.moving_size, *x.steps, x.b * self.resting_size, x.c * self.size)
            for x in limited(line.outer, packing.AXES)
        ]
        taps = limited(line.taps(pitch, self.size), packing.AXES)
        run: list[tuple[int, ...]] = [(line.run, self.moving_size, *STILL)]
        view = [self.view(line.far, "a"), run]
        bounds = packing.view_words(view, self.moving.bounds, line.unit, line.reach)
        return replace(
            plan,
            words={**plan.words, **words, "pitch": pitch},
            axes={**plan.axes, "moving_view": bounds},
            run=(library.name(line.rows, self.moving.element, self.element), chunks),
            further=library.words(numbers, places, taps),
        )
