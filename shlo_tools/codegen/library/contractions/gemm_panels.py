"""Panels of B, as matrix products read them: adjacent columns, one row behind the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shlo_tools.codegen.function import I64, POINTER, Function, Value
from shlo_tools.codegen.library.contractions.gemm_plan import CONTEXT
from shlo_tools.codegen.library.contractions.micro_kernels import COLUMN_VECTORS, MicroKernels
from shlo_tools.codegen.library.pool import JOB
from shlo_tools.codegen.library.transposition import transposed

_Load = Callable[[Value, int], Value]
_Store = Callable[[Value, Value, Value], None]

_AHEAD = 8  # rows between what is packed and what memory is asked for meanwhile


class Panels(MicroKernels):
    """What packs panels, and the micro-kernels that read them."""

    def of_pieces(
        self,
        way: str,
        names: Sequence[str],
        piece: Callable[[Function, Context, Value], None],
        *,
        exported: bool = True,
    ) -> Function:
        """The job of a way: all pieces of a chunk, with words of the context."""
        f = Function(self.public(way) if exported else self.private(way), JOB, exported=exported)
        c = Context(f, f.arguments[0], names)
        c.each_piece(f.arguments[1], lambda number: piece(f, c, number))
        return f

    def pack(self) -> Function:
        """A chunk is one panel of one matrix of the batch."""
        f = Function(self.public("pack"), JOB)
        context, chunk, _ = f.arguments
        c = Context(f, context, ("P", "K", "s_k"))
        target = c["P"].at(chunk * c["K"] * c["s_k"])
        f.run(self.public("panel"), [context, chunk, target, f.constant(0), c["K"]])
        return f

    def panel(self) -> Function:
        """(context, number, target, begin, depth): rows of a panel of a matrix of the batch."""
        f = Function(self.public("panel"), [*JOB, I64, I64])
        context, number, target, begin, depth = f.arguments
        c = Context(f, context, ("B", "N", "b_k", "b_n", "panels", "s_k"))
        panels = c["panels"]
        batch, panel = number // panels, number % panels
        first = panel * self.columns
        (source,) = c.matrices(batch, "B")
        source = source.at(first * c["b_n"]).at(begin * c["b_k"])
        n, b_k, b_n = c["N"] - first, c["b_k"], c["b_n"]
        masks = [f.mask_below(n, self.lanes, self.lanes * v) for v in range(COLUMN_VECTORS)]
        is_whole = c["s_k"] == self.columns * self.element.bytes

        def whole(value: Value, place: Value, _: Value) -> None:
            f.store(value, place)  # which those who load it next need not wait for

        def copy(start: Value, load: _Load, store: _Store) -> None:
            def row(k: Value) -> None:
                place = target.at(k * c["s_k"])
                for v, mask in enumerate(masks):
                    value = load(source.at(k * b_k), v)
                    store(value, place.at(self.lanes * v, self.element), mask)

            f.loop(start, depth, 1, row)

        def adjacent(at: Value, v: int) -> Value:
            place = at.at(self.lanes * v, self.stored)
            return self.reading.load(f, place, self.lanes, masks[v])

        def scattered(at: Value, v: int) -> Value:
            place, vector = at.at(b_n * (self.lanes * v)), self.stored.vector(self.lanes)
            return self.reading.converted(f.gather(place, offsets, masks[v], vector))

        def turned() -> None:
            blocks = depth - depth % self.lanes
            self._turn(f, source, target, n, b_n, blocks)
            copy(blocks, scattered, whole)

        def each_row(load: _Load) -> None:
            start = f.constant(0)
            f.if_(
                is_whole,
                lambda: copy(start, load, whole),
                lambda: copy(start, load, f.store_masked),
            )

        size = self.stored.bytes
        offsets = f.lane_numbers(I64.vector(self.lanes)) * f.broadcast(b_n, self.lanes)
        turns = (b_k == size) & is_whole
        f.if_(
            b_n == size,
            lambda: each_row(adjacent),
            lambda: f.if_(turns, turned, lambda: each_row(scattered)) and None,
        )
        return f

    def runs(self) -> Function:
        """(B, b_k, panels, depth, n): rows of ``n`` adjacent columns to whole panels."""
        f = Function(self.private("runs"), [POINTER, I64, POINTER, I64, I64], exported=False)
        source, b_k, target, depth, n = f.arguments
        whole = n - n % self.columns

        def row(k: Value) -> None:
            here, there = source.at(k * b_k), target.at(k * self.columns, self.element)
            ahead = here.at(b_k * _AHEAD)

            def some(column: Value, part: Value | None = None) -> None:
                for v in range(COLUMN_VECTORS):
                    at = column + self.lanes * v
                    f.prefetch(ahead.at(at, self.stored))
                    mask = None if part is None else f.mask_below(part, self.lanes, self.lanes * v)
                    value = self.reading.load(f, here.at(at, self.stored), self.lanes, mask)
                    place = there.at(column * depth, self.element).at(self.lanes * v, self.element)
                    f.store(value, place)

            f.loop(f.constant(0), whole, self.columns, some)
            f.if_(whole < n, lambda: some(whole, n - whole))

        f.loop(f.constant(0), depth, 1, row)
        return f

    def _turn(
        self, f: Function, source: Value, target: Value, n: Value, b_n: Value, depth: Value
    ) -> None:
        """Columns of B that lie adjacent become rows of a panel, blocks of a vector at a time.

        The last column there is stands for those that are missing.
        """

        def some(first: Value) -> None:
            starts = [source.at(f.minimum(first + k, n - 1) * b_n) for k in range(self.lanes)]

            def block(k: Value) -> None:
                places = [start.at(k, self.stored) for start in starts]
                loaded = [self.reading.load(f, place, self.lanes) for place in places]
                there = target.at(k * self.columns + first, self.element)
                for r, row in enumerate(transposed(f, loaded)):
                    f.store(row, there.at(r * self.columns, self.element))

            f.loop(f.constant(0), depth, self.lanes, block)

        f.loop(f.constant(0), f.constant(self.columns), self.lanes, some)


class Context:
    """Words of a context by name."""

    def __init__(self, f: Function, address: Value, names: Sequence[str]) -> None:
        self.f, self.address = f, address
        self.words = {name: self._load(name) for name in names}

    def _load(self, name: str) -> Value:
        return self.f.load(self.address.at(8 * CONTEXT[name]), POINTER if name in "ABCPS" else I64)

    def __getitem__(self, name: str) -> Value:
        return self.words[name]

    def each_piece(self, chunk: Value, body: Callable[[Value], None]) -> None:
        """``body`` for all pieces of a chunk."""
        first = chunk * self["each"]
        self.f.loop(first, self.f.minimum(first + self["each"], self["pieces"]), 1, body)

    def part(self, number: Value) -> tuple[Value, Value, Value, Value]:
        """A part of a matrix: which matrix, where its sums begin and how long they are, and bytes
        before what it makes."""
        matrix, part = number // self["parts"], number % self["parts"]
        begin = part * self["k_part"]
        depth = self.f.minimum(self["K"] - begin, self["k_part"])
        return matrix, begin, depth, part * self["c_part"]

    def matrices(self, number: Value, names: str) -> list[Value]:
        """Where matrices of the batch begin."""
        inner = self._load("inner")
        outer, near = number // inner, number % inner
        return [
            self._load(name).at(outer * self._load(name + "0") + near * self._load(name + "1"))
            for name in names
        ]
