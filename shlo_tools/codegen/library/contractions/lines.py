"""Contractions of windows along lines: each line is packed, not each window.

Windows that are neighbours overlap. What some lines of them read of an image is packed as it lies,
its padding included, and windows are read there: one table tells where windows begin, another one
where the taps of a window lie from there on. So lines of an image are copied once for all windows
that are computed together, and not once for every tap. The other operand rests in panels, as in
``library.blocks``.

* ``windows``: rows of C are windows, sums are over taps; a chunk is some whole lines.
* ``taps``: rows of C are taps, sums are over all windows, as in gradients of kernels; a chunk is
  some lines as well, and has a matrix of its own.

``shlo_rt_lines_<windows|taps>_<source>_<element>(context, chunk, scratch)``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shlo_tools.codegen.function import I64, Function, Type, Value
from shlo_tools.codegen.library.contractions import contexts, packing, tap_tables
from shlo_tools.codegen.library.contractions.micro_kernels import (
    LISTED,
    SHARED,
    SHORT,
    MicroKernels,
)
from shlo_tools.codegen.library.pool import JOB, SCRATCH_BYTES
from shlo_tools.codegen.target import Target

MOST_TAPS = 4096  # of a window, all channels included
MOST_WINDOWS = 1024  # of a line
_TABLE = 8 * (MOST_TAPS + 16)  # bytes; a whole tile of rows may begin at the last one
PACKED_BYTES = SCRATCH_BYTES - _TABLE - 8 * MOST_WINDOWS  # of scratch memory for a line
# Behind a contraction's words. ``line``, ``taps``: windows of a line, taps of a window, and
# ``step`` bytes from one window to the next. ``parts`` and ``run``: how often and how many elements
# are packed for a line; for each further one of those ``together``, ``line_parts`` more, and its
# windows begin so much later. Where rows are taps: of ``lines`` of all chunks, whose matrices are
# ``c_part`` bytes apart; ``b_row``: bytes between rows of B that are read in place, or 0.
_WORDS = (
    *("line", "taps", "step", "parts", "line_parts", "together", "run", "lines", "c_part", "b_row"),
    *("line_count", "tap_count"),
)
_LINE_WORDS = 7  # size, stride of moving, three steps, of resting, of C
_FIRST = contexts.WORDS
_LINES = _FIRST + len(_WORDS)
_TAPS = _LINES + packing.AXES * _LINE_WORDS


def name(rows: str, source: str, element: Type) -> str:
    """The name of the function for what rows are, and the types of operand and sum."""
    return f"shlo_rt_lines_{rows}_{source}_{element.element}"


def functions(target: Target, names: str) -> list[Function]:
    """The functions for ``<rows>_<source>_<element>``."""
    rows, source, element = names.split("_")
    return Lines(target, source, Type(element)).functions(rows)


def words(
    numbers: dict[str, int], lines: Sequence[Sequence[int]], taps: Sequence[Sequence[int]]
) -> tuple[int, ...]:
    """The words behind those of a contraction.

    Args:
        lines: axes, outer ones first: (size, bytes in moving, three steps, bytes in resting, in C).
        taps: axes, as ``tap_tables`` has them.
    """
    numbers = {**numbers, "line_count": len(lines), "tap_count": len(taps)}
    result = [numbers.get(word, 0) for word in _WORDS]
    listed = [word for axis in reversed(lines) for word in axis]
    listed += [0] * (packing.AXES * _LINE_WORDS - len(listed))
    return (*result, *listed, *tap_tables.words(taps))


class Lines:
    """The functions for an operand's element type and that of the sums."""

    def __init__(self, target: Target, source: str, element: Type) -> None:
        self.source, self.element = source, element
        self.kernels = MicroKernels(target, element)

    def functions(self, rows: str) -> list[Function]:
        run = self.windows() if rows == "windows" else self.taps()
        kernels = (self.kernels.tile_kernel(part, by) for by in (LISTED, SHORT) for part in SHARED)
        return [*kernels, run]

    def windows(self) -> Function:
        """A chunk is some lines of one matrix, each of which is multiplied by all panels."""
        f = Function(name("windows", self.source, self.element), JOB)
        context, chunk, _ = f.arguments
        c = contexts.ContextWords(f, context)
        job = _Job(self, f, c)
        number, block = chunk // c["blocks"], chunk % c["blocks"]
        moving, *start, packed, to_c = c.batch(number)
        first = block * c["block"]
        last = f.minimum(first + c["block"], c["M"])
        panels, out = c["P"].at(packed), c["C"].at(to_c)

        # What begins a chunk is the start of a line.
        def lines(row: Value) -> None:
            index = row // job["line"]
            windows = f.minimum(job["together"] * job["line"], last - row)
            base = c["moving"].at(moving)
            _, line_c = job.pack(index, base, start, windows // job["line"])

            def tile(x: Value, column: Value, kernel: Value, rows: Value) -> None:
                # The last tile begins early enough to be a whole one.
                x = f.minimum(x, windows - rows)
                a = (job.line, job.windows.at(x * 8), job.taps, c["K"])
                b = (panels.at(column * c["K"], self.element), job.panel_row)
                job.multiply(kernel, a, b, out.at(line_c), (x, column), f.constant(0))

            job.tiles(windows, tile)

        f.loop(first, last, job["together"] * job["line"], lines)
        return f

    def taps(self) -> Function:
        """A chunk is some lines, whose products are added to the chunk's own matrix.

        What else is multiplied is packed line by line, too, if it is not read in place.
        """
        f = Function(name("taps", self.source, self.element), JOB)
        context, chunk, _ = f.arguments
        c = contexts.ContextWords(f, context)
        job = _Job(self, f, c)
        start = [c[f"start{d}"] for d in range(3)]
        first = chunk * c["block"]
        last = f.minimum(first + c["block"], job["lines"])
        to = c["C"].at(chunk * job["c_part"])
        size, wide = self.element.bytes, self.kernels.columns
        panel_row, in_place = f.constant(wide * size), job["b_row"] != 0
        b_row = f.select(in_place, job["b_row"], panel_row)
        b_column = f.select(in_place, f.constant(size), job["line"] * size)
        panels = job.line.at(c["pitch"] * job["parts"])

        def line(index: Value) -> None:
            line_b, _ = job.pack(index, c["moving"], start, f.constant(1))
            k = index * job["line"]

            def pack(column: Value) -> None:
                part = [k, k + job["line"], column, f.minimum(column + wide, c["N"])]
                target = [panels.at(column * b_column), panel_row]
                view, zeros = c.view("resting_view"), [f.constant(0)] * 3
                operands = [view, c["resting"], *zeros, *part, *target]
                f.run(packing.name(self.source, self.element), operands)

            f.if_(~in_place, lambda: f.loop(f.constant(0), c["N"], wide, pack) and None)
            rows_of_b = f.select(in_place, c["resting"].at(line_b), panels)
            adds = f.select(index > first, f.constant(1), f.constant(0))

            def tile(row: Value, column: Value, kernel: Value, _: Value) -> None:
                a = (job.line, job.taps.at(row * 8), job.windows, job["line"])
                b = (rows_of_b.at(column * b_column), b_row)
                job.multiply(kernel, a, b, to, (row, column), adds)

            job.tiles(job["taps"], tile)

        f.loop(first, last, 1, line)
        return f


class _Job:
    """What both functions do: tables, packing of a line, tiles."""

    def __init__(self, library: Lines, f: Function, c: contexts.ContextWords) -> None:
        context, _, scratch = f.arguments
        self.library, self.f, self.c, self.context = library, f, c, context
        self._words = {
            word: f.load(context.at(8 * (_FIRST + k)), I64) for k, word in enumerate(_WORDS)
        }
        self.line = scratch
        self.taps = scratch.at(PACKED_BYTES)
        self.windows = self.taps.at(_TABLE)
        self.panel_row = f.minimum(c["N"], library.kernels.columns) * library.element.bytes
        self.kernel_of = library.kernels.kernel_of(f, LISTED)
        self.short_of = library.kernels.kernel_of(f, SHORT)
        self._list_taps()
        self._list_windows()

    def __getitem__(self, name: str) -> Value:
        return self._words[name]

    def pack(
        self, index: Value, base: Value, start: Sequence[Value], lines: Value
    ) -> tuple[Value, Value]:
        """Pack what some lines from one on read; bytes to its rows of B, and to those of C."""
        f, axes = self.f, self.context.at(8 * _LINES)
        offset, *at, line_b, line_c = packing.decoded(
            f, axes, self["line_count"], index, _LINE_WORDS
        )
        starts = [a + b for a, b in zip(start, at, strict=True)]
        zero = f.constant(0)
        parts = self["parts"] + (lines - 1) * self["line_parts"]
        part = [zero, parts, zero, self["run"], self.line, self.c["pitch"]]
        function = packing.name(self.library.source, self.library.element)
        f.run(function, [self.c.view("moving_view"), base.at(offset), *starts, *part])
        return line_b, line_c

    def tiles(self, rows: Value, tile: Callable[[Value, Value, Value, Value], None]) -> None:
        """All tiles of some rows, panel by panel: (row, column, kernel, rows of the kernel)."""
        f, kernels = self.f, self.library.kernels
        zero, whole, short = (f.constant(n) for n in (0, kernels.tile, kernels.short))

        def panel(column: Value) -> None:
            left = self.c["N"] - column
            kernel, short_kernel = self.kernel_of(left), self.short_of(left)

            def some_rows(row: Value) -> None:
                is_short = rows - row <= short
                kernel_rows = f.select(is_short, short, whole)
                tile(row, column, f.select(is_short, short_kernel, kernel), kernel_rows)

            f.loop(zero, rows, kernels.tile, some_rows)

        f.loop(zero, self.c["N"], kernels.columns, panel)

    def multiply(
        self,
        kernel: Value,
        a: tuple[Value, Value, Value, Value],
        b: tuple[Value, Value],
        c: Value,
        corner: tuple[Value, Value],
        adds: Value,
    ) -> None:
        """Compute a tile of C.

        Args:
            kernel: its address.
            a: what is packed, the tables of its rows and of its columns, and how many those are.
            b: where the first row of B is, and bytes to the next.
        """
        row, column = corner
        c_row, left = self.c["c_row"], self.c["N"] - column
        place = c.at(row * c_row).at(column, self.library.element)
        self.f.run_address(kernel, [*a, *b, place, c_row, adds, left])

    def _list_taps(self) -> None:
        """Write where taps lie; the first one stands for those that a tile has behind the last."""
        f, axes = self.f, self.context.at(8 * _TAPS)
        count = tap_tables.list_taps(f, self.taps, axes, self["tap_count"])
        end, zero = count + self.library.kernels.tile, f.constant(0)
        f.loop(count, end, 1, lambda k: f.store(zero, self.taps.at(k * 8)))

    def _list_windows(self) -> None:
        """Write where windows begin, line by line."""
        f, size = self.f, self["line"]

        def line(y: Value) -> None:
            here, begin = self.windows.at(y * size * 8), y * self["line_parts"] * self.c["pitch"]

            def place(x: Value) -> None:
                f.store(begin + x * self["step"], here.at(x * 8))

            f.loop(f.constant(0), size, 1, place)

        f.loop(f.constant(0), self["together"], 1, line)
