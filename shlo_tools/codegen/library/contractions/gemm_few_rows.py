"""Products of few rows of A: B is read once, where it lies, whatever its elements are."""

from __future__ import annotations

from collections.abc import Callable

from shlo_tools.codegen.function import Function, Value
from shlo_tools.codegen.library.contractions.gemm_panels import Context, Panels
from shlo_tools.codegen.library.contractions.gemm_plan import CUT
from shlo_tools.codegen.library.contractions.micro_kernels import (
    COLUMN_VECTORS,
    FEW,
    FEW_VECTORS,
    LONG_VECTORS,
)


class FewRows(Panels):
    """The ways of few rows: by columns, and by sums along K."""

    def by_columns(self) -> list[Function]:
        kernels = [
            self.micro_kernel(part, rows, vectors, masked=is_end, counted=rows > 1, in_place=True)
            for part, rows, vectors, is_end in (
                ("long", 1, LONG_VECTORS, False),
                ("rest", 1, COLUMN_VECTORS, True),
                ("lines", FEW, FEW_VECTORS, False),
                ("ends", FEW, FEW_VECTORS, True),
            )
        ]
        return [*kernels, self.columns_of_few()]

    def by_dots(self) -> list[Function]:
        return [self.dot_kernel("eight", 8), self.dot_kernel("one", 1), self.dots()]

    def columns_of_few(self) -> Function:
        """A piece is a block of columns, by every row."""
        names = ("M", "N", "K", "a_row", "a_k", "c_row", "s_column", "s_k", *CUT)
        return self.of_pieces("columns", names, self._columns)

    def _columns(self, f: Function, c: Context, piece: Value) -> None:
        number, first, last = self._columns_of(f, c, piece)
        batch, begin, depth, at_part = c.part(number)
        a, source, out = c.matrices(batch, "ASC")
        a, source = a.at(begin * c["a_k"]), source.at(begin * c["s_k"])
        out = out.at(at_part)
        zero = f.constant(0)
        adjacent = c["s_column"] == self.stored.bytes

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

        def each_row() -> None:
            f.loop(zero, c["M"], 1, row)

        def some_rows() -> None:
            self._lines(f, c, (a, source, out), (first, last), depth)

        f.if_(
            adjacent & (c["N"] <= self.lanes // 2),
            lambda: self._narrow(f, c, a, source, out, depth),
            lambda: f.if_(adjacent & (c["M"] > 1), some_rows, each_row) and None,
        )

    def _lines(
        self,
        f: Function,
        c: Context,
        corners: tuple[Value, Value, Value],
        ends: tuple[Value, Value],
        depth: Value,
    ) -> None:
        """Several rows by runs of rows of B, which stay near for the rows behind."""
        a, b, out = corners
        first, last = ends
        zero, wide = f.constant(0), FEW_VECTORS * self.lanes
        whole, end = (f.address_of(self.private(part)) for part in ("lines", "ends"))

        def k_block(start: Value) -> None:
            near = f.minimum(depth - start, self.k_block)
            adds = f.select(start > 0, f.constant(1), zero)
            in_a, in_b = a.at(start * c["a_k"]), b.at(start * c["s_k"])

            def columns(column: Value) -> None:
                left, at_b = last - column, in_b.at(column, self.stored)
                kernel = f.select(left < wide, end, whole)

                def rows(r: Value) -> None:
                    at_c = out.at(r * c["c_row"]).at(column, self.element)
                    sides = [in_a.at(r * c["a_row"]), c["a_row"], c["a_k"], near, at_b, c["s_k"]]
                    f.run_address(kernel, [*sides, at_c, c["c_row"], adds, left, c["M"] - r])

                f.loop(zero, c["M"], FEW, rows)

            f.loop(first, last, wide, columns)

        f.loop(zero, f.maximum(depth, 1), self.k_block, k_block)

    def _narrow(self, f: Function, c: Context, *corners: Value) -> None:
        """Rows of a few columns: half a vector."""
        a, source, out, depth = corners
        lanes = self.lanes // 2
        vector, mask = self.element.vector(lanes), f.mask_below(c["N"], lanes)

        def row(r: Value) -> None:
            def step(_: Value, at_a: Value, at_b: Value, total: Value) -> list[Value]:
                number = f.broadcast(f.load(at_a, self.element), lanes)
                columns = self.reading.load(f, at_b, lanes, mask)
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
        return self.of_pieces("dots", ("M", "N", "K", "a_row", "c_row", "b_n", *CUT), self._dots)

    def _dots(self, f: Function, c: Context, piece: Value) -> None:
        number, first, last = self._columns_of(f, c, piece)
        batch, begin, depth, at_part = c.part(number)
        a, b, out = c.matrices(batch, "ABC")
        a, b = a.at(begin, self.element), b.at(begin, self.stored)
        out = out.at(at_part)
        eights = first + (last - first) // f.constant(8) * 8

        def some(part: str) -> Callable[[Value], None]:
            def columns(column: Value) -> None:
                """By every row: the columns stay near."""
                in_b, in_c = b.at(column * c["b_n"]), out.at(column, self.element)

                def row(r: Value) -> None:
                    at_a, at_c = a.at(r * c["a_row"]), in_c.at(r * c["c_row"])
                    f.run(self.private(part), [at_a, in_b, c["b_n"], depth, at_c])

                f.loop(f.constant(0), c["M"], 1, row)

            return columns

        f.loop(first, eights, 8, some("eight"))
        f.loop(eights, last, 1, some("one"))
