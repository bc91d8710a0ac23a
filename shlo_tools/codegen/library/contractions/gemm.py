"""Matrix products of any sizes and strides: C = A B for batches of [M, K] x [K, N].

One micro-kernel multiplies a few rows of A by some vectors of columns of B, with all of K in
registers. It reads A where it lies, one number at a time, so every stride of A serves; B is read
by rows of adjacent columns, which packing provides where the matrix has them elsewhere. Four ways:

* ``rows``: a chunk is a block of rows of C. B lies in panels ``[N / columns][K][columns]``, to
  which ``pack`` copies it once, or is read in place where its rows are adjacent columns already,
  and it is small or read once. Where a block has all rows, it packs for itself, in scratch memory.
  A matrix narrower than a panel is packed as wide as it is.
* ``panels``: rows that stay near; a chunk is a block of columns of C, by all rows. It packs its
  panels of B for itself, so what is packed is used by every row and never leaves for memory.
* ``columns``: few rows of A; a chunk is a block of columns of C, and reads B where it lies.
* ``dots``: few rows of A, and B lies by columns (a vector times a transposed matrix): each element
  is a sum along K, read at memory speed.

``gemm_plan`` chooses by the sizes. The sums' order depends on sizes alone. All but ``rows`` convert
B when they read it, where its elements are of another type than the sums.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shlo_tools.codegen.function import I64, POINTER, Function, Type, Value
from shlo_tools.codegen.library.contractions.gemm_few_rows import FewRows
from shlo_tools.codegen.library.contractions.gemm_panels import Context
from shlo_tools.codegen.library.contractions.gemm_plan import ADDED, CUT, OWN, PLANNED
from shlo_tools.codegen.library.contractions.micro_kernels import (
    COLUMN_VECTORS,
    FEW,
    SHARED,
    name,
)
from shlo_tools.codegen.library.pool import JOB, SCRATCH_BYTES
from shlo_tools.codegen.target import Target

_RUN = 4  # panels that are multiplied without a branch between them

# The functions by how they are compiled: no product needs all of them.
PARTS = (SHARED, ("pack", "panel"), ("rows",), ("panels",), ("columns",), ("dots",), ("add",))


def functions(target: Target, element: Type, part: Sequence[str]) -> list[Function]:
    """The functions of one of ``PARTS``, and those that no other part needs."""
    kernel = Gemm(target, element)
    return [function for name in part for function in kernel.functions(name)]


def mixed(target: Target, names: str) -> list[Function]:
    """The function for ``<source>_<part>_<element>``, and those that no other part needs."""
    source, part, element = names.split("_")
    return Gemm(target, Type(element), source).functions(part)


class Gemm(FewRows):
    """The functions for one element type."""

    def functions(self, part: str) -> list[Function]:
        """A function that others call, and those that it needs alone."""
        if part in SHARED:
            return [self.tile_kernel(part)]
        ways: dict[str, Callable[[], list[Function]]] = {
            "add": lambda: [self.add()],
            "columns": self.by_columns,
            "dots": self.by_dots,
            "pack": lambda: [self.pack()],
            "panel": lambda: [self.panel()],
            "panels": self.by_panels,
            "rows": lambda: [self.rows()],
        }
        return ways[part]()

    def by_panels(self) -> list[Function]:
        return [
            self.micro_kernel("some", self.tile, COLUMN_VECTORS, masked=True, counted=True),
            self.micro_kernel("few", FEW, COLUMN_VECTORS, masked=True, counted=True),
            self.runs(),
            self.any_panels(),
            self.panels(),
        ]

    # --- chunks -----------------------------------------------------------------------------------
    def rows(self) -> Function:
        """A piece is a block of rows."""
        names = ("M", "N", "K", "a_row", "a_k", "c_row", *PLANNED, *CUT)
        return self.of_pieces("rows", names, self._rows)

    def _rows(self, f: Function, c: Context, piece: Value) -> None:
        scratch = f.arguments[2]
        columns, size = c["N"], f.constant(self.element.bytes)
        number, block = piece // c["blocks"], piece % c["blocks"]
        batch, begin, depth, at_part = c.part(number)
        a, source, out = c.matrices(batch, "ASC")
        is_own, room = c["S"].to("ptrtoint", "i64") == 0, scratch.at(SCRATCH_BYTES - OWN)

        def pack(panel: Value) -> None:
            place = room.at(panel * c["K"] * c["s_k"])
            number, start = batch * c["panels"] + panel, f.constant(0)
            f.run(self.public("panel"), [f.arguments[0], number, place, start, c["K"]])

        f.if_(is_own, lambda: f.loop(f.constant(0), c["panels"], 1, pack))
        source = f.select(is_own, room, source)
        out, end = out.at(at_part), begin + depth
        first = block * c["rows"]
        last = f.select(block == c["blocks"] - 1, c["M"], first + c["rows"])
        copies = c["copies"] != 0
        steps = [
            f.select(copies, size, c["a_row"]),
            f.select(copies, size * self.width, c["a_k"]),
        ]
        kernel_of = self.kernel_of(f)

        def k_block(start: Value) -> None:
            depth = f.minimum(end - start, c["k_block"])
            corner = a.at(first * c["a_row"]).at(start * c["a_k"])
            f.if_(
                copies, lambda: self._copy_rows(f, corner, c["a_k"], depth, last - first, scratch)
            )
            origin = f.select(copies, scratch, corner)
            adds = f.select(start > begin, f.constant(1), f.constant(0))
            in_k, to_c = source.at(start * c["s_k"]), out.at(first * c["c_row"])

            def tile(row: Value, column: Value) -> None:
                # The last tile starts earlier, if need be, and computes some rows again.
                row = f.minimum(row, count - self.tile)
                left = columns - column
                at_a, b = origin.at(row * steps[0]), in_k.at(column * c["s_column"])
                at_c = to_c.at(row * c["c_row"]).at(column, self.element)
                f.run_address(
                    kernel_of(left),
                    [at_a, *steps, depth, b, c["s_k"], at_c, c["c_row"], adds, left],
                )

            def line(far: Value) -> None:
                """By every tile of a panel, or every panel of a tile of rows."""

                def one(near: Value) -> None:
                    tile(f.select(across, far, near), f.select(across, near, far))

                f.loop(f.constant(0), ends[1], strides[1], one)

            f.loop(f.constant(0), ends[0], strides[0], line)

        count, across = last - first, c["across"] != 0
        ends = [f.select(across, count, columns), f.select(across, columns, count)]
        tiles, wide = f.constant(self.tile), f.constant(self.columns)
        strides = [f.select(across, tiles, wide), f.select(across, wide, tiles)]
        f.loop(begin, f.maximum(end, begin + 1), c["k_block"], k_block)

    def panels(self) -> Function:
        """A piece is a block of columns, by all rows."""
        f = Function(self.public("panels"), JOB)
        c = Context(f, f.arguments[0], ("S", "whole"))
        # Short products are over before many instructions are: no more of them than need be.
        f.if_(
            (c["whole"] != 0) & (c["S"].to("ptrtoint", "i64") != 0),
            lambda: self._whole_tiles(f),
            lambda: f.run(self.private("any_panels"), f.arguments),
        )
        return f

    def _whole_tiles(self, f: Function) -> None:
        """The only piece of a product of whole tiles."""
        names = ("A", "S", "C", "M", "N", "K", "a_row", "a_k", "c_row", "s_column", "s_k")
        c = Context(f, f.arguments[0], names)
        zero, wide = f.constant(0), self.columns
        runs = c["N"] & -(wide * _RUN)

        def tiles(row: Value) -> None:
            at_a, at_c = c["A"].at(row * c["a_row"]), c["C"].at(row * c["c_row"])

            def tile(column: Value) -> None:
                b, place = c["S"].at(column * c["s_column"]), at_c.at(column, self.element)
                sides = [at_a, c["a_row"], c["a_k"], c["K"], b, c["s_k"]]
                f.run(self.shared("full"), [*sides, place, c["c_row"], zero, zero])

            def run(column: Value) -> None:
                for number in range(_RUN):
                    tile(column + number * wide)

            # Behind a kernel's loop no processor remembers how many panels there were before.
            f.loop(zero, runs, wide * _RUN, run)
            f.loop(runs, c["N"], wide, tile)

        f.loop(zero, c["M"], self.tile, tiles)

    def any_panels(self) -> Function:
        """The job of products that have rows or columns left, are packed, or are several."""
        names = ("M", "N", "K", "a_row", "a_k", "b_k", "b_n", "c_row", *PLANNED, "each", "pieces")
        return self.of_pieces("any_panels", names, self._panels, exported=False)

    def _panels(self, f: Function, c: Context, piece: Value) -> None:
        room, size = f.arguments[2], self.element.bytes
        batch, block = piece // c["blocks"], piece % c["blocks"]
        a, source, out = c.matrices(batch, "ASC")
        first = block * c["rows"]
        last = f.minimum(first + c["rows"], c["N"])
        is_own = c["S"].to("ptrtoint", "i64") == 0
        kernel_of = self.kernel_of(f)
        zero, wide, rows = f.constant(0), self.columns, c["M"]

        def k_block(start: Value) -> None:
            depth = f.minimum(c["K"] - start, c["k_block"])
            adds = f.select(start > 0, f.constant(1), zero)
            a_column = f.select(is_own, depth * size, c["s_column"])

            def pack(column: Value) -> None:
                number = batch * c["panels"] + column // wide
                place = room.at((column - first) * a_column)
                f.run(self.public("panel"), [f.arguments[0], number, place, start, depth])

            def pack_runs() -> None:
                (matrix,) = c.matrices(batch, "B")
                corner = matrix.at(start * c["b_k"]).at(first, self.stored)
                f.run(self.private("runs"), [corner, c["b_k"], room, depth, last - first])

            def pack_each() -> None:
                f.loop(first, last, wide, pack)

            def pack_all() -> None:
                f.if_(c["b_n"] == self.stored.bytes, pack_runs, pack_each)

            f.if_(is_own, pack_all)
            there = source.at(start * c["s_k"]).at(first * a_column)
            in_b, in_a = f.select(is_own, room, there), a.at(start * c["a_k"])

            def tiles(row: Value, kernel: Callable[[Value], Value], count: list[Value]) -> None:
                at_a, at_c = in_a.at(row * c["a_row"]), out.at(row * c["c_row"])

                def tile(column: Value) -> None:
                    b, left = in_b.at((column - first) * a_column), last - column
                    operands = [at_a, c["a_row"], c["a_k"], depth, b, c["s_k"]]
                    operands += [at_c.at(column, self.element), c["c_row"], adds, left, *count]
                    f.run_address(kernel(left), operands)

                f.loop(first, last, wide, tile)

            whole = rows - rows % self.tile
            f.loop(zero, whole, self.tile, lambda row: tiles(row, kernel_of, []))

            def left() -> None:
                parts = (f.address_of(self.private(part)) for part in ("few", "some"))
                kernel = f.select(rows - whole <= FEW, *parts)
                tiles(whole, lambda _: kernel, [rows - whole])

            f.if_(whole < rows, left)

        f.loop(zero, c["K"], c["k_block"], k_block)

    def _copy_rows(
        self, f: Function, source: Value, a_k: Value, depth: Value, rows: Value, scratch: Value
    ) -> None:
        """Bring rows that lie adjacent, a column after the other, near each other."""

        def column(k: Value) -> None:
            here, there = source.at(k * a_k), scratch.at(k * self.width, self.element)

            def some(row: Value) -> None:
                mask = f.mask_below(rows - row, self.lanes)
                value = f.load_masked(here.at(row, self.element), mask, self.vector)
                f.store_masked(value, there.at(row, self.element), mask)

            f.loop(f.constant(0), rows, self.lanes, some)

        f.loop(f.constant(0), depth, 1, column)

    def add(self) -> Function:
        """A chunk is a row: those of all parts are added, in their order."""
        f = Function(name(self.element, "add"), JOB)
        context, row, _ = f.arguments
        c = {
            name: f.load(context.at(8 * k), POINTER if name in "QC" else I64)
            for k, name in enumerate(ADDED)
        }
        size = self.element.bytes
        source, out = c["Q"].at(row * c["N"], self.element), c["C"].at(row * c["c_row"])
        step, c_column = c["M"] * c["N"] * size, c["c_column"]
        offsets = f.lane_numbers(I64.vector(self.lanes)) * f.broadcast(c_column, self.lanes)

        def some(column: Value) -> None:
            mask = f.mask_below(c["N"] - column, self.lanes)
            first = source.at(column, self.element)

            def part(number: Value, total: Value) -> list[Value]:
                place = first.at(number * step)
                return [total + f.load_masked(place, mask, self.vector)]

            start = f.load_masked(first, mask, self.vector)
            (total,) = f.loop(f.constant(1), c["parts"], 1, part, [start])
            place = out.at(column * c_column)
            f.if_(
                c_column == size,
                lambda: f.store_masked(total, place, mask),
                lambda: f.scatter(total, place, offsets, mask),
            )

        f.loop(f.constant(0), c["N"], self.lanes, some)
        return f
