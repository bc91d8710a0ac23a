"""Contractions by ``library.planes`` or ``library.lines``, where that takes less than blocks."""

from __future__ import annotations

from dataclasses import replace

from shlo_tools.codegen.jobs import Word
from shlo_tools.codegen.library.contractions import lines as library
from shlo_tools.codegen.library.contractions import packing
from shlo_tools.codegen.library.contractions.gemm_plan import UNCUT
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
from shlo_tools.codegen.stages.contractions.packed import ROWS, BlockPlanner, Packed, Sums
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
        line = None if self.by_columns else self._windows(inner)
        if line is None and self._makes_matrix():
            line = lines.taps(self.along, inner, self.tile, across * self.size)
            if line and self._taps_room(line) > library.PACKED_BYTES:
                return None
        return line

    def _windows(self, inner: list[Axis]) -> Line | None:
        """Lines whose windows are rows, where that takes less than blocks."""
        line = lines.windows(self.along, inner, self.tile)
        axes = [self.batch, *([line.outer, line.inner, line.parts] if line else [])]
        if line is None or any(len(part) > packing.AXES for part in axes):
            return None
        matrices, across = count(self.batch), count(self.across)
        products = matrices * count(self.along) * across * self.k
        row = line.axis.size * across * self.size
        is_far = self.k * across * self.size > costs.NEAR
        ways = lines.blocks(line, matrices, products, self.tile, row, is_far=is_far)
        ways = [way for way in ways if self._is_near(way)]
        line = min(ways, key=self.cost, default=None)
        if line is None:
            return None
        is_alone = products > UNCUT and matrices * self._chunks(line) == 1
        threads = 2 if is_alone and count(self.along) > self.tile else 1  # that blocks keep busy
        return line if threads * self.cost(line) < self.cost(None) else None

    def _is_near(self, line: Line) -> bool:
        """Whether what is packed has room, and stays in a core's cache beside a panel."""
        room = line.pitch(self.size) * count(line.parts)
        panel = min(self.panel, count(self.across)) * self.k * self.size
        return room <= library.PACKED_BYTES and room + panel <= costs.NEAR

    def cost(self, line: Line | None) -> float:
        """What lines take, or blocks where there are none, in products of a vector."""
        along, across, lanes = count(self.along), count(self.across), self.panel // COLUMN_VECTORS
        if line is not None and line.rows == "taps":
            return count(self.batch) * along * across * self.k / lanes
        wide, high = (along, across) if self.by_columns else (across, along)
        tiles: float = -(-high // self.tile)
        # All of C is added to for each further part of k, tile by tile.
        again = -(-self.k // self.depth) - 1
        added = again * (2 * along * across / lanes + tiles * -(-wide // self.panel) * costs.TILE)
        runs, elements = self._packed_runs()
        # Chunks of few windows read panels from afar as often as others.
        chunks, chunk = -(-along // ROWS), costs.CHUNK + costs.vectors(wide, lanes) * self.k
        if line is not None:
            tiles = line.tiles(self.tile, costs.short(self.tile, across, lanes))
            chunks, chunk = self._chunks(line), 2 * self.k + chunk
            groups = chunks * line.block // line.together
            runs, elements, added = groups * count(line.parts), line.run / lanes, 0
        tile = self.tile * costs.vectors(wide, lanes) * self.k + costs.TILE
        run = costs.CUT if self.by_columns else costs.WHOLE
        packing = runs * (run + elements)
        return count(self.batch) * (tiles * tile + packing + chunks * chunk + added)

    def _chunks(self, line: Line) -> int:
        """Chunks of a matrix."""
        return count(line.outer[:-1]) * -(-line.down.axis.size // line.block)

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

    def _taps_room(self, line: Line) -> int:
        """Bytes of what is packed at once where rows are taps."""
        panels = -(-count(self.across) // self.panel)
        other = panels * self.panel * self.size * line.axis.size
        return line.pitch(self.size) * count(line.parts) + other

    def windows(self, line: Line) -> Packed:
        """Rows of C are windows."""
        chunks = count(self.batch) * self._chunks(line)
        lines = line.outer[-1]
        self.batch = [*self.batch, *line.outer[:-1]]
        self.along, self.inner = [lines, line.axis], line.inner
        self.by_rows = True
        words: dict[str, Word] = {
            "blocks": -(-lines.size // line.block),
            "block": line.block * line.axis.size,
            "c_row": line.axis.c * self.size,
        }
        return self._by_lines(line, [lines], words, {}, chunks)

    def taps(self, line: Line) -> Packed:
        """Rows of C are taps, whose sums are cut into parts."""
        self.along, self.inner = line.inner, [*line.outer, line.axis]
        self.by_rows, self.by_columns = True, False
        number, taps, columns = count(line.outer), count(self.along), count(self.across)
        parts, block = lines.parts_of(number, self.k * taps * columns)
        rows = -(-taps // self.tile) * self.tile
        row = columns * self.size
        near = self.across[-1:] or [Axis(1, b=1, c=1)]
        in_place = near[0].b == 1 and self.resting.element == self.element.element
        numbers = {"lines": number, "c_part": rows * row}
        numbers["b_row"] = line.axis.b * self.size if in_place else 0
        words: dict[str, Word] = {"block": block, "c_row": row}
        plan = self._by_lines(line, line.outer, words, numbers, parts)
        c_row = merged([Axis(axis.size, c=axis.c) for axis in self.along])
        words = {
            **{"parts": parts, "M": rows, "N": columns},
            "c_row": (c_row[-1].c if c_row else 0) * self.size,
            "c_column": near[0].c * self.size,
        }
        sums = Sums(words, taps, parts * rows * row)
        return replace(plan, rest=None, room=0, is_dense=False, sums=sums)

    def _by_lines(
        self,
        line: Line,
        outer: list[Axis],
        words: dict[str, Word],
        numbers: dict[str, int],
        chunks: int,
    ) -> Packed:
        """A plan with the words, and those behind them, of one by lines; ``outer``: to each."""
        plan, axis, pitch = self.blocks(), line.axis, line.pitch(self.size)
        far = count(line.far)
        numbers |= {"line": axis.size, "taps": count(line.inner), "together": line.together}
        numbers |= {"step": axis.a * self.size, "run": line.run}
        numbers |= {"parts": line.packed_down(1) * far, "line_parts": line.down.phases * far}
        places = [
            (x.size, x.a * self.moving_size, *x.steps, x.b * self.resting_size, x.c * self.size)
            for x in limited(outer, packing.AXES)
        ]
        taps = limited(line.places(pitch, self.size), packing.AXES)
        run: list[tuple[int, ...]] = [(line.run, self.moving_size, *STILL)]
        view = [self.view(line.parts, "a"), run]
        bounds = packing.view_words(view, self.moving.bounds, line.unit, line.reach)
        return replace(
            plan,
            words={**plan.words, **words, "pitch": pitch},
            axes={**plan.axes, "moving_view": bounds},
            run=(library.name(line.rows, self.moving.element, self.element), chunks),
            further=library.words(numbers, places, taps),
        )
