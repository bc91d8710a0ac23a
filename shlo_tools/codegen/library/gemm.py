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
* ``columns``: few rows of A; a chunk is a block of columns of C.
* ``dots``: few rows of A, and B lies by columns (a vector times a transposed matrix): each element
  is a sum along K, read at memory speed.

``gemm_plan`` chooses by the sizes. The sums' order depends on sizes alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shlo_tools.codegen.function import I64, POINTER, Function, Type, Value
from shlo_tools.codegen.library.gemm_panels import Context, Panels
from shlo_tools.codegen.library.gemm_plan import ADDED, CUT, OWN, PLANNED
from shlo_tools.codegen.library.micro_kernels import (
    COLUMN_VECTORS,
    FEW,
    LONG_VECTORS,
    OPERANDS,
    SHARED,
    name,
)
from shlo_tools.codegen.library.pool import JOB, SCRATCH_BYTES
from shlo_tools.codegen.target import Target

# The functions by how they are compiled: no product needs all of them.
PARTS = (SHARED, ("pack", "panel"), ("rows",), ("panels",), ("columns",), ("dots",), ("add",))


def functions(target: Target, element: Type, part: Sequence[str]) -> list[Function]:
    """The functions of one of ``PARTS``, and those that no other part needs."""
    kernel = Gemm(target, element)
    ways: dict[str, Callable[[], list[Function]]] = {
        SHARED[0]: kernel.shared,
        "pack": lambda: [kernel.panel(), kernel.pack()],
        "rows": lambda: [kernel.rows()],
        "panels": kernel.by_panels,
        "columns": kernel.by_columns,
        "dots": kernel.by_dots,
        "add": lambda: [kernel.add()],
    }
    return ways[part[0]]()


class Gemm(Panels):
    """The functions for one element type."""

    def shared(self) -> list[Function]:
        return [
            self.micro_kernel("full", self.tile, COLUMN_VECTORS, masked=False),
            self.micro_kernel("edge", self.tile, COLUMN_VECTORS, masked=True),
            self.micro_kernel("half", self.tile, 1, masked=True),
            self.micro_kernel("quarter", self.tile, 1, masked=True, lanes=self.lanes // 2),
        ]

    def by_panels(self) -> list[Function]:
        return [
            self.micro_kernel("some", self.tile, COLUMN_VECTORS, masked=True, counted=True),
            self.micro_kernel("few", FEW, COLUMN_VECTORS, masked=True, counted=True),
            self.runs(),
            self.panels(),
        ]

    def by_columns(self) -> list[Function]:
        return [
            self.micro_kernel("long", 1, LONG_VECTORS, masked=False),
            self.micro_kernel("rest", 1, COLUMN_VECTORS, masked=True),
            self.columns_of_few(),
        ]

    def by_dots(self) -> list[Function]:
        return [self.dot_kernel("eight", 8), self.dot_kernel("one", 1), self.dots()]

    # --- chunks -----------------------------------------------------------------------------------
    def rows(self) -> Function:
        """A piece is a block of rows."""
        f = Function(name(self.element, "rows"), JOB)
        names = ("M", "N", "K", "a_row", "a_k", "c_row", *PLANNED, *CUT)
        c = Context(f, f.arguments[0], names)
        c.each_piece(f.arguments[1], lambda piece: self._rows(f, c, piece))
        return f

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
            f.run(name(self.element, "panel"), [f.arguments[0], number, place, start, c["K"]])

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
        kernel_of = self._kernels(f)

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

    def _kernels(self, f: Function) -> Callable[[Value], Value]:
        """The address of the micro-kernel by how many columns are left."""
        full, edge, half, quarter = (
            f.address_of(name(self.element, part), OPERANDS) for part in SHARED
        )

        def kernel_of(left: Value) -> Value:
            kernel = f.select(left < self.columns, edge, full)
            kernel = f.select(left <= self.lanes, half, kernel)
            return f.select(left <= self.lanes // 2, quarter, kernel)

        return kernel_of

    def panels(self) -> Function:
        """A piece is a block of columns, by all rows."""
        f = Function(name(self.element, "panels"), JOB)
        names = ("M", "N", "K", "a_row", "a_k", "b_k", "b_n", "c_row", *PLANNED, "each", "pieces")
        c = Context(f, f.arguments[0], names)
        c.each_piece(f.arguments[1], lambda piece: self._panels(f, c, piece))
        return f

    def _panels(self, f: Function, c: Context, piece: Value) -> None:
        room, size = f.arguments[2], self.element.bytes
        batch, block = piece // c["blocks"], piece % c["blocks"]
        a, source, out = c.matrices(batch, "ASC")
        first = block * c["rows"]
        last = f.minimum(first + c["rows"], c["N"])
        is_own = c["S"].to("ptrtoint", "i64") == 0
        kernel_of = self._kernels(f)
        zero, wide, rows = f.constant(0), self.columns, c["M"]

        def k_block(start: Value) -> None:
            depth = f.minimum(c["K"] - start, c["k_block"])
            adds = f.select(start > 0, f.constant(1), zero)
            a_column = f.select(is_own, depth * size, c["s_column"])

            def pack(column: Value) -> None:
                number = batch * c["panels"] + column // wide
                place = room.at((column - first) * a_column)
                f.run(name(self.element, "panel"), [f.arguments[0], number, place, start, depth])

            def pack_runs() -> None:
                (matrix,) = c.matrices(batch, "B")
                corner = matrix.at(start * c["b_k"]).at(first, self.element)
                f.run(self.private("runs"), [corner, c["b_k"], room, depth, last - first])

            def pack_all() -> None:
                f.if_(c["b_n"] == size, pack_runs, lambda: f.loop(first, last, wide, pack) and None)

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

            def few() -> None:
                parts = (f.address_of(self.private(part)) for part in ("few", "some"))
                kernel = f.select(rows <= FEW, *parts)
                tiles(zero, lambda _: kernel, [rows])

            def many() -> None:
                # The last tile starts earlier, if need be, and computes some rows again.
                f.loop(
                    zero,
                    rows,
                    self.tile,
                    lambda row: tiles(f.minimum(row, rows - self.tile), kernel_of, []),
                )

            f.if_(rows < self.tile, few, many)

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

    def columns_of_few(self) -> Function:
        """A piece is a block of columns, by every row."""
        f = Function(name(self.element, "columns"), JOB)
        names = ("M", "N", "K", "a_row", "a_k", "c_row", "s_column", "s_k", *CUT)
        c = Context(f, f.arguments[0], names)
        c.each_piece(f.arguments[1], lambda piece: self._columns(f, c, piece))
        return f

    def _columns(self, f: Function, c: Context, piece: Value) -> None:
        number, first, last = self._columns_of(f, c, piece)
        batch, begin, depth, at_part = c.part(number)
        a, source, out = c.matrices(batch, "ASC")
        a, source = a.at(begin * c["a_k"]), source.at(begin * c["s_k"])
        out = out.at(at_part)
        zero = f.constant(0)
        adjacent = c["s_column"] == self.element.bytes

        def row(r: Value) -> None:
            at_a, at_c = a.at(r * c["a_row"]), out.at(r * c["c_row"])

            def columns(part: str, column: Value) -> None:
                b, place = source.at(column * c["s_column"]), at_c.at(column, self.element)
                f.run(
                    self.private(part),
                    [at_a, zero, c["a_k"], depth, b, c["s_k"], place, zero, zero, last - column],
                )

            def panels() -> None:
                f.loop(first, last, self.columns, lambda column: columns("rest", column))

            is_long = adjacent & (last - first == LONG_VECTORS * self.lanes)
            f.if_(is_long, lambda: columns("long", first), panels)

        f.if_(
            adjacent & (c["N"] <= self.lanes // 2),
            lambda: self._narrow(f, c, a, source, out, depth),
            lambda: f.loop(zero, c["M"], 1, row),
        )

    def _narrow(self, f: Function, c: Context, *corners: Value) -> None:
        """Rows of a few columns: half a vector."""
        a, source, out, depth = corners
        lanes = self.lanes // 2
        vector, mask = self.element.vector(lanes), f.mask_below(c["N"], lanes)

        def row(r: Value) -> None:
            def step(_: Value, at_a: Value, at_b: Value, total: Value) -> list[Value]:
                number = f.broadcast(f.load(at_a, self.element), lanes)
                columns = f.load_masked(at_b, mask, vector)
                total = self.multiply_add(f, number, columns, total)
                return [at_a.at(c["a_k"]), at_b.at(c["s_k"]), total]

            start = [a.at(r * c["a_row"]), source, f.zero(vector)]
            total = f.loop(f.constant(0), depth, 1, step, start)[-1]
            f.store_masked(total, out.at(r * c["c_row"]), mask)

        f.loop(f.constant(0), c["M"], 1, row)

    def _columns_of(self, f: Function, c: Context, chunk: Value) -> list[Value]:
        """The part of a matrix that a block of columns is of, the first of them, and the end."""
        wide = LONG_VECTORS * self.lanes
        per_matrix = (c["N"] + (wide - 1)) // f.constant(wide)
        batch, first = chunk // per_matrix, chunk % per_matrix * wide
        return [batch, first, f.minimum(first + wide, c["N"])]

    def dots(self) -> Function:
        """A piece is a block of columns; each element is a sum along K."""
        f = Function(name(self.element, "dots"), JOB)
        names = ("M", "N", "K", "a_row", "c_row", "b_n", *CUT)
        c = Context(f, f.arguments[0], names)
        c.each_piece(f.arguments[1], lambda piece: self._dots(f, c, piece))
        return f

    def _dots(self, f: Function, c: Context, piece: Value) -> None:
        number, first, last = self._columns_of(f, c, piece)
        batch, begin, depth, at_part = c.part(number)
        a, b, out = c.matrices(batch, "ABC")
        a, b = a.at(begin, self.element), b.at(begin, self.element)
        out = out.at(at_part)
        eights = first + (last - first) // f.constant(8) * 8

        def row(r: Value) -> None:
            at_a, at_c = a.at(r * c["a_row"]), out.at(r * c["c_row"])

            def some(part: str) -> Callable[[Value], None]:
                return lambda column: f.run(
                    self.private(part),
                    [
                        *(at_a, b.at(column * c["b_n"]), c["b_n"], depth),
                        at_c.at(column, self.element),
                    ],
                )

            f.loop(first, eights, 8, some("eight"))
            f.loop(eights, last, 1, some("one"))

        f.loop(f.constant(0), c["M"], 1, row)

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
        step = c["M"] * c["N"] * size

        def some(column: Value) -> None:
            mask = f.mask_below(c["N"] - column, self.lanes)
            first = source.at(column, self.element)

            def part(number: Value, total: Value) -> list[Value]:
                place = first.at(number * step)
                return [total + f.load_masked(place, mask, self.vector)]

            start = f.load_masked(first, mask, self.vector)
            (total,) = f.loop(f.constant(1), c["parts"], 1, part, [start])
            f.store_masked(total, out.at(column, self.element), mask)

        f.loop(f.constant(0), c["N"], self.lanes, some)
        return f
