"""Matrix products of any sizes and strides: C = A B for batches of [M, K] x [K, N].

One micro-kernel multiplies a few rows of A by some vectors of columns of B, with all of K in
registers. It reads A where it lies, one number at a time, so every stride of A serves; B is read
by rows of adjacent columns, which packing provides where the matrix has them elsewhere. Three ways:

* ``PACKED``: B is copied once into panels ``[N / columns][K][columns]``; a chunk of the product is
  a block of rows.
* ``DIRECT``: B's rows are adjacent columns already, and it is small or read once: no copy.
* ``DOTS``: few rows of A, and B lies by columns (a vector times a transposed matrix): each element
  is a sum along K, read at memory speed.

``shlo_rt_gemm_plan_*`` chooses by the sizes and writes its choice into the context, for sizes that
a program knows before it runs and for those it does not. The sums' order depends on sizes alone.
"""

from __future__ import annotations

from collections.abc import Callable

from shlo_tools.codegen.function import I64, POINTER, Function, Type, Value
from shlo_tools.codegen.library.micro_kernels import (
    COLUMN_VECTORS,
    LONG_VECTORS,
    MicroKernels,
    panel_columns,
)
from shlo_tools.codegen.library.pool import JOB, PARALLEL
from shlo_tools.codegen.target import Target

# Given: addresses, sizes, strides in bytes (C's columns are adjacent), and a batch of two
# dimensions, ``inner`` being the size of the inner one. P is room for ``packed_bytes``.
_OPERANDS = ("A", "B", "C", "P", "M", "N", "K", "a_row", "a_k", "b_k", "b_n", "c_row")
_BATCH = ("outer", "inner", "A0", "A1", "B0", "B1", "C0", "C1")
_PLANNED = ("route", "rows", "blocks", "panels", "k_block", "copies", "packs", "chunks")
CONTEXT = {name: i for i, name in enumerate((*_OPERANDS, *_BATCH, *_PLANNED))}

PACKED, DIRECT, DOTS = range(3)

_CACHED = 32 * 1024  # bytes of B that stay near without being packed
_ALONE = 1 << 18  # multiplications that are not worth being shared


def packed_bytes(target: Target, element: Type, batch: int, columns: int, inner: int) -> int:
    """Room that ``P`` needs for [inner, columns] matrices."""
    panel = panel_columns(target, element)
    return batch * -(-columns // panel) * panel * inner * element.bytes


def functions(target: Target, element: Type) -> list[Function]:
    """``shlo_rt_gemm_<element>(frame, context) -> i64``: plan and run, nonzero where stopped;
    ``..._plan``, ``..._pack`` and ``..._rows`` are its parts, for stages that call it for rows."""
    return Gemm(target, element).functions()


def name(element: Type, part: str = "") -> str:
    """The name of a part's function."""
    return f"shlo_rt_gemm_{part}_{element}" if part else f"shlo_rt_gemm_{element}"


class Gemm(MicroKernels):
    """The functions for one element type."""

    def functions(self) -> list[Function]:
        kernels = [
            self.micro_kernel("full", self.tile, COLUMN_VECTORS, masked=False),
            self.micro_kernel("edge", self.tile, COLUMN_VECTORS, masked=True),
            self.micro_kernel("long", 1, LONG_VECTORS, masked=False),
            self.micro_kernel("rest", 1, COLUMN_VECTORS, masked=True),
            self.dot_kernel("dots", 8),
            self.dot_kernel("dot", 1),
        ]
        return [*kernels, self.plan(), self.pack(), self.rows(), self.dots(), self.product()]

    # --- planning ---------------------------------------------------------------------------------
    def plan(self) -> Function:
        """Choose the way by sizes and strides."""
        f = Function(name(self.element, "plan"), [POINTER])
        c = _Context(f, f.arguments[0])
        size = f.constant(self.element.bytes)
        rows, columns, inner = c["M"], c["N"], c["K"]
        few = rows < self.tile
        adjacent = c["b_n"] == size
        by_columns = (c["b_k"] == size) & (c["a_k"] == size)
        near = columns * inner * size <= _CACHED
        direct = adjacent & (near | (rows < 2 * self.tile))
        dots = few & by_columns & ~adjacent
        route = f.select(
            direct, f.constant(DIRECT), f.select(dots, f.constant(DOTS), f.constant(PACKED))
        )
        c["route"] = route

        batch = c["outer"] * c["inner"]
        panels = (columns + (self.columns - 1)) // self.columns
        c["panels"] = panels
        c["packs"] = f.select(route == PACKED, batch * panels, f.constant(0))

        # A block's rows are a multiple of the tile, but for the last: never fewer than a tile.
        most = f.minimum(f.constant(self.block_rows), (rows + 3) // 4)
        alone = (batch >= 4) | (rows * columns * inner <= _ALONE)
        block = f.select(alone, f.constant(self.block_rows), most)
        block = f.maximum((block + (self.tile - 1)) // self.tile * self.tile, self.tile)
        blocks = f.maximum(rows // block, 1)
        left = rows - blocks * block
        blocks = f.select(left >= self.tile, blocks + 1, blocks)
        c["rows"], c["blocks"] = block, blocks
        whole_tiles = rows % self.tile == 0
        c["k_block"] = f.select(whole_tiles, f.constant(self.k_block), f.maximum(inner, 1))
        transposed = (c["a_row"] == size) & ~(c["a_k"] == size)
        fits = (inner <= self.k_block) | whole_tiles
        longest = f.maximum(block, f.maximum(left, 0) + block)
        copies = transposed & fits & (longest <= self.width) & ~few
        c["copies"] = f.select(copies, f.constant(1), f.constant(0))

        # Few rows: chunks are blocks of columns.
        wide = f.constant(LONG_VECTORS * self.lanes)
        of_columns = (columns + (wide - 1)) // wide
        c["chunks"] = batch * f.select(few, of_columns, blocks)
        return f

    # --- chunks -----------------------------------------------------------------------------------
    def pack(self) -> Function:
        """A chunk is one panel of one matrix of the batch."""
        f = Function(name(self.element, "pack"), JOB)
        c = _Context(f, f.arguments[0])
        chunk, panels, inner = f.arguments[1], c["panels"], c["K"]
        batch, panel = chunk // panels, chunk % panels
        first = panel * self.columns
        source = c["B"].at(c.batch(batch, "B")).at(first * c["b_n"])
        target = c["P"].at(chunk * inner * self.columns, self.element)
        n, b_k, b_n = c["N"] - first, c["b_k"], c["b_n"]
        masks = [f.mask_below(n, self.lanes, self.lanes * v) for v in range(COLUMN_VECTORS)]

        def each_row(load: Callable[[Value, int], Value]) -> None:
            def row(k: Value) -> None:
                place = target.at(k * self.columns, self.element)
                for v in range(COLUMN_VECTORS):
                    f.store(load(source.at(k * b_k), v), place.at(self.lanes * v, self.element))

            f.loop(f.constant(0), inner, 1, row)

        def adjacent(at: Value, v: int) -> Value:
            return f.load_masked(at.at(self.lanes * v, self.element), masks[v], self.vector)

        def scattered(at: Value, v: int) -> Value:
            return f.gather(at.at(b_n * (self.lanes * v)), offsets, masks[v], self.vector)

        offsets = f.lane_numbers(I64.vector(self.lanes)) * f.broadcast(b_n, self.lanes)
        f.if_(b_n == self.element.bytes, lambda: each_row(adjacent), lambda: each_row(scattered))
        return f

    def rows(self) -> Function:
        """A chunk is a block of rows, or of columns where there are few rows."""
        f = Function(name(self.element, "rows"), JOB)
        context, chunk, scratch = f.arguments
        c = _Context(f, context)
        few = c["M"] < self.tile
        by_dots = c["route"] == DOTS

        def few_rows() -> None:
            f.if_(
                by_dots,
                lambda: f.run(self.private("by_dots"), [context, chunk]),
                lambda: self._column_block(f, c, chunk),
            )

        f.if_(few, few_rows, lambda: self._row_block(f, c, chunk, scratch))
        return f

    def _panel(self, f: Function, c: _Context, batch: Value, column: Value) -> list[Value]:
        """Where the rows of B are that start at a column, and the bytes between them."""
        packed = c["route"] == PACKED
        panels = batch * c["panels"] * self.columns + column
        there = c["P"].at(panels * c["K"], self.element)
        here = c["B"].at(c.batch(batch, "B")).at(column * c["b_n"])
        step = f.constant(self.columns * self.element.bytes)
        return [f.select(packed, there, here), f.select(packed, step, c["b_k"])]

    def _row_block(self, f: Function, c: _Context, chunk: Value, scratch: Value) -> None:
        rows, columns, inner = c["M"], c["N"], c["K"]
        a_row, a_k, c_row = c["a_row"], c["a_k"], c["c_row"]
        batch, block = chunk // c["blocks"], chunk % c["blocks"]
        a, out = c["A"].at(c.batch(batch, "A")), c["C"].at(c.batch(batch, "C"))
        first = block * c["rows"]
        last = f.select(block == c["blocks"] - 1, rows, first + c["rows"])
        copies = c["copies"] != 0
        width = self.width
        steps = [
            f.select(copies, f.constant(self.element.bytes), a_row),
            f.select(copies, f.constant(width * self.element.bytes), a_k),
        ]

        def k_block(start: Value) -> None:
            depth = f.minimum(inner - start, c["k_block"])
            corner = a.at(first * a_row).at(start * a_k)
            f.if_(copies, lambda: self._copy_rows(f, corner, a_k, depth, last - first, scratch))
            origin = f.select(copies, scratch, corner)
            adds = f.select(start > 0, f.constant(1), f.constant(0))

            def panel(column: Value) -> None:
                b, b_k = self._panel(f, c, batch, column)
                left = columns - column

                def tiles(part: str) -> None:
                    def tile(row: Value) -> None:
                        # The last tile starts earlier, if need be, and computes some rows again.
                        row = f.minimum(row, last - self.tile)
                        at_a = origin.at((row - first) * steps[0])
                        at_c = out.at(row * c_row).at(column, self.element)
                        at_b = b.at(start * b_k)
                        f.run(
                            name(self.element, part),
                            [at_a, *steps, depth, at_b, b_k, at_c, c_row, adds, left],
                        )

                    f.loop(first, last, self.tile, tile)

                f.if_(left < self.columns, lambda: tiles("edge"), lambda: tiles("full"))

            f.loop(f.constant(0), columns, self.columns, panel)

        f.loop(f.constant(0), f.maximum(inner, 1), c["k_block"], k_block)

    def _copy_rows(
        self, f: Function, source: Value, a_k: Value, depth: Value, rows: Value, scratch: Value
    ) -> None:
        """Bring rows that lie adjacent, a column after the other, near each other."""
        width = self.width
        vectors = range(-(-width // self.lanes))
        masks = [f.mask_below(rows, self.lanes, self.lanes * v) for v in vectors]

        def column(k: Value) -> None:
            here, there = source.at(k * a_k), scratch.at(k * width, self.element)
            for v in vectors:
                value = f.load_masked(here.at(self.lanes * v, self.element), masks[v], self.vector)
                f.store_masked(value, there.at(self.lanes * v, self.element), masks[v])

        f.loop(f.constant(0), depth, 1, column)

    def _column_block(self, f: Function, c: _Context, chunk: Value) -> None:
        """Few rows: every row by a block of columns."""
        wide = LONG_VECTORS * self.lanes
        columns = c["N"]
        per_matrix = (columns + (wide - 1)) // f.constant(wide)
        batch, number = chunk // per_matrix, chunk % per_matrix
        first = number * wide
        last = f.minimum(first + wide, columns)
        a, out = c["A"].at(c.batch(batch, "A")), c["C"].at(c.batch(batch, "C"))
        zero = f.constant(0)

        def row(r: Value) -> None:
            at_a, at_c = a.at(r * c["a_row"]), out.at(r * c["c_row"])
            same = [at_a, zero, c["a_k"], c["K"]]
            direct = c["route"] == DIRECT

            def long() -> None:
                b, b_k = self._panel(f, c, batch, first)
                f.run(
                    self.private("long"),
                    [*same, b, b_k, at_c.at(first, self.element), zero, zero, zero],
                )

            def short() -> None:
                def panel(column: Value) -> None:
                    b, b_k = self._panel(f, c, batch, column)
                    place = at_c.at(column, self.element)
                    f.run(
                        self.private("rest"),
                        [*same, b, b_k, place, zero, zero, last - column],
                    )

                f.loop(first, last, self.columns, panel)

            f.if_(direct & (last - first == wide), long, short)

        f.loop(zero, c["M"], 1, row)

    def dots(self) -> Function:
        """(context, chunk): a block of columns; each element is a sum along K."""
        f = Function(self.private("by_dots"), [POINTER, I64], exported=False)
        context, chunk = f.arguments
        c = _Context(f, context)
        wide = LONG_VECTORS * self.lanes
        columns, inner, b_n = c["N"], c["K"], c["b_n"]
        per_matrix = (columns + (wide - 1)) // f.constant(wide)
        batch, first = chunk // per_matrix, chunk % per_matrix * wide
        last = f.minimum(first + wide, columns)
        a, b, out = (c[n].at(c.batch(batch, n)) for n in ("A", "B", "C"))
        eights = first + (last - first) // f.constant(8) * 8

        def row(r: Value) -> None:
            at_a, at_c = a.at(r * c["a_row"]), out.at(r * c["c_row"])

            def some(part: str) -> Callable[[Value], None]:
                return lambda column: f.run(
                    self.private(part),
                    [at_a, b.at(column * b_n), b_n, inner, at_c.at(column, self.element)],
                )

            f.loop(first, eights, 8, some("dots"))
            f.loop(eights, last, 1, some("dot"))

        f.loop(f.constant(0), c["M"], 1, row)
        return f

    def product(self) -> Function:
        """The whole product."""
        f = Function(name(self.element), [POINTER, POINTER], I64)
        frame, context = f.arguments
        f.run(name(self.element, "plan"), [context])
        c = _Context(f, context)

        def parallel(part: str, chunks: Value) -> Value:
            address = f.address_of(name(self.element, part))
            return f.call(PARALLEL, [frame, address, context, chunks], I64)

        def multiply() -> Value:
            return parallel("rows", c["chunks"])

        stopped = parallel("pack", c["packs"])
        (f.result,) = f.if_(stopped == 0, multiply, lambda: stopped)
        return f


class _Context:
    """Words of a context by name; what is read is kept."""

    def __init__(self, f: Function, address: Value) -> None:
        self.f, self.address = f, address
        names = "ABCP"
        self.words = {
            name: f.load(address.at(8 * place), POINTER if name in names else I64)
            for name, place in CONTEXT.items()
        }

    def __getitem__(self, name: str) -> Value:
        return self.words[name]

    def __setitem__(self, name: str, value: Value) -> None:
        self.words[name] = value
        self.f.store(value, self.address.at(8 * CONTEXT[name]))

    def batch(self, number: Value, matrix: str) -> Value:
        """Bytes to a matrix of the batch."""
        inner = self["inner"]
        return number // inner * self[matrix + "0"] + number % inner * self[matrix + "1"]
