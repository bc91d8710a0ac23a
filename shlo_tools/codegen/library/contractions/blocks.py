"""Contractions of operands that have to be packed: windows of images, dimensions in parts.

C[g, m, n] = sum over k of A[g, m, k] B[g, k, n]. One operand rests: it is packed once, as a matrix
for every index g that it knows. The other one moves: blocks of it are packed where and when they
are multiplied, so the patches of a convolution never exist as a whole.

* ``rows``: A moves; a chunk is a block of rows, B rests in panels ``[N / columns][K][columns]``.
* ``columns``: B moves; a chunk is a block of columns, A rests as ``[M][K]``.

``shlo_rt_contraction_<rest|run>_<way>_<source>_<element>(context, chunk, scratch)``. Sizes of
blocks are the caller's, so the order of sums depends on them alone.
"""

from __future__ import annotations

from shlo_tools.codegen.function import I64, POINTER, Function, Type, Value
from shlo_tools.codegen.library.contractions import micro_kernels, packing
from shlo_tools.codegen.library.contractions.contexts import Block, ContextWords
from shlo_tools.codegen.library.contractions.micro_kernels import (
    COLUMN_VECTORS,
    panel_columns,
    row_tile,
)
from shlo_tools.codegen.library.pool import JOB
from shlo_tools.codegen.target import Target

COLUMN_PANELS = 4  # of a chunk, at most, where chunks are columns


def name(part: str, source: str, element: Type) -> str:
    """The name of a part (``rest_rows``, ``run_columns``, ...) for types of operand and sum."""
    return f"shlo_rt_contraction_{part}_{source}_{element.element}"


def functions(target: Target, names: str) -> list[Function]:
    """The functions for ``<part>_<source>_<element>``, as in their names."""
    source, _, element = names.rpartition("_")
    part, _, source = source.rpartition("_")
    kernel = Contraction(target, source, Type(element))
    return kernel.functions(part)


class Contraction:
    """The functions for an operand's element type and that of the sums."""

    def __init__(self, target: Target, source: str, element: Type) -> None:
        self.target, self.source, self.element = target, source, element
        self.tile_rows = row_tile(target)
        self.lanes = target.lanes(element.bits)
        self.columns = panel_columns(target, element)
        self.vector = element.vector(self.lanes)

    def functions(self, part: str) -> list[Function]:
        if part == "rest_rows":
            return [self.rest_rows()]
        if part == "rest_columns":
            return [self.rest_columns()]
        return [
            self.copy_tile(),
            self.tile(),
            self.run_rows() if part == "run_rows" else self.run_columns(),
        ]

    # --- packing what rests -----------------------------------------------------------------------
    def rest_rows(self) -> Function:
        """A chunk is one panel of one matrix."""
        f = Function(name("rest_rows", self.source, self.element), JOB)
        c = ContextWords(f, f.arguments[0])
        chunk = f.arguments[1]
        panels = (c["N"] + (self.columns - 1)) // self.columns
        matrix, panel = chunk // panels, chunk % panels
        base = c["resting"].at(c.resting(matrix))
        first = panel * self.columns
        last = f.minimum(first + self.columns, c["N"])
        size = self._panel_row(f, c)
        place = c["P"].at(chunk * c["K"] * size)
        zero = f.constant(0)
        self._pack_resting(f, c, base, zero, c["K"], first, last, place, size)
        return f

    def _panel_row(self, f: Function, c: ContextWords) -> Value:
        """Bytes of a panel's row; a matrix narrower than a panel is packed as wide as it is."""
        return f.minimum(c["N"], self.columns) * self.element.bytes

    def rest_columns(self) -> Function:
        """A chunk is some rows of one matrix."""
        f = Function(name("rest_columns", self.source, self.element), JOB)
        c = ContextWords(f, f.arguments[0])
        chunk = f.arguments[1]
        tiles = (c["M"] + (self.tile_rows - 1)) // self.tile_rows
        matrix, tile = chunk // tiles, chunk % tiles
        base = c["resting"].at(c.resting(matrix))
        first = tile * self.tile_rows
        last = f.minimum(first + self.tile_rows, c["M"])
        place = c["P"].at(chunk * self.tile_rows * c["K"], self.element)
        size = c["K"] * self.element.bytes
        zero = f.constant(0)
        self._pack_resting(f, c, base, first, last, zero, c["K"], place, size)
        return f

    def _pack_resting(self, f: Function, c: ContextWords, base: Value, *part: Value) -> None:
        """Pack a part of what rests: rows and columns from where to where, to where, how wide."""
        where = [c.view("resting_view"), base, *[f.constant(0)] * 3]
        f.run(packing.name(self.source, self.element), [*where, *part])

    # --- tiles ------------------------------------------------------------------------------------
    def copy_tile(self) -> Function:
        """(tile, C, c_row, adds, n, rows, row_table, column_table): what exists of a tile to C."""
        types = [POINTER, POINTER, I64, I64, I64, I64, POINTER, POINTER]
        f = Function(self._private("copy_tile"), types, exported=False)
        tile, c, c_row, adds, n, rows, row_table, column_table = f.arguments
        masks = [f.mask_below(n, self.lanes, self.lanes * v) for v in range(COLUMN_VECTORS)]
        is_adding = adds != 0
        by_rows = row_table.to("ptrtoint", "i64") != 0
        by_columns = column_table.to("ptrtoint", "i64") != 0

        def row(r: Value) -> None:
            here = tile.at(r * self.columns, self.element)

            def listed() -> Value:
                return c.at(f.load(row_table.at(r * 8), I64))

            (there,) = f.if_(by_rows, listed, lambda: c.at(r * c_row))

            def vectors() -> None:
                for v, mask in enumerate(masks):
                    place = there.at(self.lanes * v, self.element)
                    value = f.load(here.at(self.lanes * v, self.element), self.vector)
                    old = f.load_masked(place, mask, self.vector)
                    f.store_masked(f.select(is_adding, old + value, value), place, mask)

            def scalars() -> None:
                def column(k: Value) -> None:
                    place = there.at(f.load(column_table.at(k * 8), I64))
                    value = f.load(here.at(k, self.element), self.element)

                    def add() -> Value:
                        return f.load(place, self.element) + value

                    (value,) = f.if_(is_adding, add, lambda: value)
                    f.store(value, place)

                f.loop(f.constant(0), f.minimum(n, self.columns), 1, column)

            f.if_(by_columns, scalars, vectors)

        f.loop(f.constant(0), f.minimum(rows, self.tile_rows), 1, row)
        return f

    def tile(self) -> Function:
        """A tile of C: whole ones at once, others through memory.

        (A, a_row, a_k, depth, B, b_k, C, c_row, adds, n, rows, row_table, column_table, buffer)
        """
        numbers = [I64] * 3
        types = [POINTER, *numbers, POINTER, I64, POINTER, *numbers, I64, POINTER, POINTER, POINTER]
        f = Function(self._private("tile"), types, exported=False)
        a, a_row, a_k, depth, b, b_k, c, c_row, adds, n, rows, row_table, column_table, buffer = (
            f.arguments
        )
        tables = row_table.to("ptrtoint", "i64") | column_table.to("ptrtoint", "i64")
        plain = (tables == 0) & (rows >= self.tile_rows)
        operands = [a, a_row, a_k, depth, b, b_k]

        def run(part: str, *target: Value) -> None:
            f.run(micro_kernels.name(self.element, part), [*operands, *target, n])

        def existing(*target: Value) -> None:
            """By the kernel of the fewest lanes that has all columns."""

            def few() -> None:
                is_few = n <= self.lanes // 2
                f.if_(is_few, lambda: run("quarter", *target), lambda: run("half", *target))

            f.if_(n <= self.lanes, few, lambda: run("edge", *target))

        def at_once() -> None:
            target = (c, c_row, adds)
            f.if_(n < self.columns, lambda: existing(*target), lambda: run("full", *target))

        def through_memory() -> None:
            zero, step = f.constant(0), f.constant(self.columns * self.element.bytes)
            existing(buffer, step, zero)
            f.run(
                self._private("copy_tile"),
                [buffer, c, c_row, adds, n, rows, row_table, column_table],
            )

        f.if_(plain, at_once, through_memory)
        return f

    def _private(self, part: str) -> str:
        return f"contraction_{part}_{self.element.element}"

    # --- chunks -----------------------------------------------------------------------------------
    def run_rows(self) -> Function:
        """A chunk is a block of rows: they are packed, and multiplied by all panels."""
        f = Function(name("run_rows", self.source, self.element), JOB)
        block = Block(f, "M")
        c, first, last, scratch = block.words, block.first, block.last, block.scratch
        by_rows = c["by_rows"] != 0
        size = f.constant(self.element.bytes)
        a_row = f.select(by_rows, c["pitch"], size)
        a_k = f.select(by_rows, size, c["pitch"])
        inner, columns = c["K"], c["N"]
        panel_row = self._panel_row(f, c)

        def k_block(k: Value) -> None:
            end = f.minimum(k + c["k_block"], inner)
            depth = end - k

            def pack(q: Value, q_end: Value, p: Value, p_end: Value) -> None:
                self._pack_moving(block, q, q_end, p, p_end, scratch, c["pitch"])

            f.if_(by_rows, lambda: pack(first, last, k, end), lambda: pack(k, end, first, last))
            adds = f.select(k > 0, f.constant(1), f.constant(0))

            def panel(column: Value) -> None:
                b = block.resting.at(column * inner, self.element).at(k * panel_row)

                def tile(row: Value) -> None:
                    at_c = f.select(block.in_parts, block.result, block.result.at(row * c["c_row"]))
                    places = f.select(block.in_parts, block.place_of(row), block.nowhere)
                    f.run(
                        self._private("tile"),
                        [
                            *(scratch.at((row - first) * a_row), a_row, a_k, depth),
                            *(b, panel_row),
                            *(at_c.at(column, self.element), c["c_row"], adds),
                            *(columns - column, last - row, places, block.nowhere, block.tile),
                        ],
                    )

                f.loop(first, last, self.tile_rows, tile)

            f.loop(f.constant(0), columns, self.columns, panel)

        f.loop(f.constant(0), f.maximum(inner, 1), c["k_block"], k_block)
        return f

    def run_columns(self) -> Function:
        """A chunk is a block of columns: their panels are packed, and all rows multiply them."""
        f = Function(name("run_columns", self.source, self.element), JOB)
        block = Block(f, "N")
        c, first, last = block.words, block.first, block.last
        inner, rows = c["K"], c["M"]
        size, panel_row = self.element.bytes, self.columns * self.element.bytes
        step, depth_bytes = f.constant(panel_row), c["k_block"] * panel_row

        def k_block(k: Value) -> None:
            end = f.minimum(k + c["k_block"], inner)
            adds = f.select(k > 0, f.constant(1), f.constant(0))

            def place(column: Value) -> Value:
                return block.scratch.at((column - first) // self.columns * depth_bytes)

            def pack(column: Value) -> None:
                most = f.minimum(column + self.columns, last)
                self._pack_moving(block, k, end, column, most, place(column), step)

            f.loop(first, last, self.columns, pack)

            def tiles(row: Value) -> None:
                a = block.resting.at((row * inner + k) * size)
                at_c = block.result.at(row * c["c_row"])

                def tile(column: Value) -> None:
                    here = at_c.at(f.select(block.in_parts, f.constant(0), column * size))
                    places = f.select(block.in_parts, block.place_of(column), block.nowhere)
                    f.run(
                        self._private("tile"),
                        [
                            *(a, inner * size, f.constant(size), end - k),
                            *(place(column), step, here, c["c_row"], adds),
                            *(last - column, rows - row, block.nowhere, places, block.tile),
                        ],
                    )

                f.loop(first, last, self.columns, tile)

            f.loop(f.constant(0), rows, self.tile_rows, tiles)

        f.loop(f.constant(0), f.maximum(inner, 1), c["k_block"], k_block)
        return f

    def _pack_moving(self, block: Block, *part: Value) -> None:
        """Pack a part of what moves: rows and columns from where to where, to where, how wide."""
        f, view = block.function, block.words.view("moving_view")
        where = [view, block.moving, *block.start]
        f.run(packing.name(self.source, self.element), [*where, *part])
