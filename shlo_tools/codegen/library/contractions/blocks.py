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

from collections.abc import Sequence

from shlo_tools.codegen.function import I64, POINTER, Function, Type, Value
from shlo_tools.codegen.jobs import Word
from shlo_tools.codegen.library.contractions import micro_kernels, packing
from shlo_tools.codegen.library.contractions.micro_kernels import (
    COLUMN_VECTORS,
    panel_columns,
    row_tile,
)
from shlo_tools.codegen.library.pool import JOB, SCRATCH_BYTES
from shlo_tools.codegen.target import Target

BATCH_AXES = 5
COLUMN_PANELS = 4  # of a chunk, at most, where chunks are columns
# ``blocks``: chunks of a matrix, of ``block`` rows or columns each. ``k_block``, ``pitch``: depth
# of a packed block, and bytes between its rows. ``by_rows``: rows of A are packed one by one, else
# one k after the other. ``parts``: C's rows (columns) do not lie a fixed step apart.
_WORDS = (
    *("moving", "resting", "C", "P", "M", "N", "K", "c_row", "blocks", "block", "k_block"),
    *("pitch", "by_rows", "parts", "start0", "start1", "start2", "batch_count", "rest_count"),
)
_BATCH_WORDS = 7  # size, stride of moving, three steps, of packed, of C
_REST_WORDS = 2  # size, stride
_PLACES = (
    ("batch", BATCH_AXES * _BATCH_WORDS),
    ("rest", BATCH_AXES * _REST_WORDS),
    ("result", packing.AXES * _REST_WORDS + 1),
    ("moving_view", packing.VIEW_WORDS),
    ("resting_view", packing.VIEW_WORDS),
)
CONTEXT = {name: place for place, name in enumerate(_WORDS)}
_PARTS: dict[str, int] = {}
_end = len(_WORDS)
for _name, _count in _PLACES:
    _PARTS[_name], _end = _end, _end + _count
WORDS = _end  # of a context

_TABLE = 1024  # bytes of a table of places in C
_TILE = 8 * 1024
PACKED_BYTES = SCRATCH_BYTES - _TILE - _TABLE  # of scratch memory for what is packed


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
        part = (zero, c["K"], first, last)
        self._pack(f, c, "resting_view", base, [zero] * 3, *part, place, size)
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
        part = (first, last, zero, c["K"])
        self._pack(f, c, "resting_view", base, [zero] * 3, *part, place, size)
        return f

    def _pack(
        self, f: Function, c: ContextWords, view: str, base: Value, *operands: object
    ) -> None:
        start, *rest = operands
        f.run(packing.name(self.source, self.element), [c.view(view), base, *start, *rest])  # type: ignore[list-item, misc]

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
        context, chunk, scratch = f.arguments
        c = ContextWords(f, context)
        number, block = chunk // c["blocks"], chunk % c["blocks"]
        moving, *start, packed, to_c = c.batch(number)
        first = block * c["block"]
        last = f.minimum(first + c["block"], c["M"])
        base, out = c["moving"].at(moving), c["C"].at(to_c)
        rest = c["P"].at(packed)
        buffer, table = scratch.at(PACKED_BYTES), scratch.at(PACKED_BYTES + _TILE)
        null = f.emit("llvm.mlir.zero : !llvm.ptr", POINTER)
        in_parts = c["parts"] != 0
        f.if_(in_parts, lambda: self._list_places(f, c, first, last, table))
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
                self._pack(
                    f, c, "moving_view", base, start, q, q_end, p, p_end, scratch, c["pitch"]
                )

            f.if_(by_rows, lambda: pack(first, last, k, end), lambda: pack(k, end, first, last))
            adds = f.select(k > 0, f.constant(1), f.constant(0))

            def panel(column: Value) -> None:
                b = rest.at(column * inner, self.element).at(k * panel_row)

                def tile(row: Value) -> None:
                    at_c = f.select(in_parts, out, out.at(row * c["c_row"]))
                    places = f.select(in_parts, table.at((row - first) * 8), null)
                    f.run(
                        self._private("tile"),
                        [
                            *(scratch.at((row - first) * a_row), a_row, a_k, depth),
                            *(b, panel_row),
                            *(at_c.at(column, self.element), c["c_row"], adds),
                            *(columns - column, last - row, places, null, buffer),
                        ],
                    )

                f.loop(first, last, self.tile_rows, tile)

            f.loop(f.constant(0), columns, self.columns, panel)

        f.loop(f.constant(0), f.maximum(inner, 1), c["k_block"], k_block)
        return f

    def run_columns(self) -> Function:
        """A chunk is a block of columns: their panels are packed, and all rows multiply them."""
        f = Function(name("run_columns", self.source, self.element), JOB)
        context, chunk, scratch = f.arguments
        c = ContextWords(f, context)
        number, block = chunk // c["blocks"], chunk % c["blocks"]
        moving, *start, packed, to_c = c.batch(number)
        first = block * c["block"]
        last = f.minimum(first + c["block"], c["N"])
        base, out = c["moving"].at(moving), c["C"].at(to_c)
        rest = c["P"].at(packed)
        buffer, table = scratch.at(PACKED_BYTES), scratch.at(PACKED_BYTES + _TILE)
        null = f.emit("llvm.mlir.zero : !llvm.ptr", POINTER)
        in_parts = c["parts"] != 0
        f.if_(in_parts, lambda: self._list_places(f, c, first, last, table))
        inner, rows = c["K"], c["M"]
        size, panel_row = self.element.bytes, self.columns * self.element.bytes
        step, depth_bytes = f.constant(panel_row), c["k_block"] * panel_row

        def k_block(k: Value) -> None:
            end = f.minimum(k + c["k_block"], inner)
            adds = f.select(k > 0, f.constant(1), f.constant(0))

            def place(column: Value) -> Value:
                return scratch.at((column - first) // self.columns * depth_bytes)

            def pack(column: Value) -> None:
                most = f.minimum(column + self.columns, last)
                self._pack(
                    f, c, "moving_view", base, start, k, end, column, most, place(column), step
                )

            f.loop(first, last, self.columns, pack)

            def tiles(row: Value) -> None:
                a = rest.at((row * inner + k) * size)
                at_c = out.at(row * c["c_row"])

                def tile(column: Value) -> None:
                    here = at_c.at(f.select(in_parts, f.constant(0), column * size))
                    places = f.select(in_parts, table.at((column - first) * 8), null)
                    f.run(
                        self._private("tile"),
                        [
                            *(a, inner * size, f.constant(size), end - k),
                            *(place(column), step, here, c["c_row"], adds),
                            *(last - column, rows - row, null, places, buffer),
                        ],
                    )

                f.loop(first, last, self.columns, tile)

            f.loop(f.constant(0), rows, self.tile_rows, tiles)

        f.loop(f.constant(0), f.maximum(inner, 1), c["k_block"], k_block)
        return f

    def _list_places(
        self, f: Function, c: ContextWords, first: Value, last: Value, table: Value
    ) -> None:
        """Write where in C rows (or columns) lie that are no fixed step apart."""
        axes, count = c.result_axes()

        def one(n: Value) -> None:
            (offset,) = packing.decoded(f, axes, count, n, _REST_WORDS)
            f.store(offset, table.at((n - first) * 8))

        f.loop(first, last, 1, one)


class ContextWords:
    """Words of a context."""

    def __init__(self, f: Function, address: Value) -> None:
        self.f, self.address = f, address
        pointers = ("moving", "resting", "C", "P")
        self._words = {
            name: f.load(address.at(8 * place), POINTER if name in pointers else I64)
            for name, place in CONTEXT.items()
        }

    def __getitem__(self, name: str) -> Value:
        return self._words[name]

    def batch(self, number: Value) -> list[Value]:
        """(bytes in moving, three steps, bytes in packed, bytes in C) of a matrix."""
        axes = self.address.at(8 * _PARTS["batch"])
        sums = packing.decoded(self.f, axes, self["batch_count"], number, _BATCH_WORDS)
        starts = [sums[k] + self[f"start{k - 1}"] for k in (1, 2, 3)]
        return [sums[0], *starts, *sums[4:]]

    def view(self, name: str) -> Value:
        """Where the words of a view lie."""
        return self.address.at(8 * _PARTS[name])

    def resting(self, number: Value) -> Value:
        """Bytes to a matrix of what rests."""
        axes = self.address.at(8 * _PARTS["rest"])
        return packing.decoded(self.f, axes, self["rest_count"], number, _REST_WORDS)[0]

    def result_axes(self) -> tuple[Value, Value]:
        axes = self.address.at(8 * _PARTS["result"])
        return axes.at(8), self.f.load(axes, I64)


def context_words(words: dict[str, Word], axes: dict[str, Sequence[Word]]) -> tuple[Word, ...]:
    """A context: words by name, and the axes and views by theirs; what is not given is 0."""
    result = [words.get(name, 0) for name in CONTEXT]
    for name, count in _PLACES:
        part = list(axes.get(name, ()))
        result += part + [0] * (count - len(part))
    return tuple(result)
