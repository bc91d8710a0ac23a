"""The innermost loops of matrix products: a few rows by some vectors of columns, all of K."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from shlo_tools.codegen import instructions
from shlo_tools.codegen.function import I64, POINTER, Function, Type, Value
from shlo_tools.codegen.library.contractions.element_copies import (
    FOURS,
    GROUPS,
    PAIRS,
    SIGNS,
    ElementCopies,
)
from shlo_tools.codegen.target import Target

COLUMN_VECTORS = 2
LONG_VECTORS = 16  # of the kernel for one row: adjacent memory is read in long runs
FEW = 4  # rows of the kernels for no more of them
FEW_VECTORS = 4  # of the one that reads B where it lies
_BLOCK_ROWS = 64
_AHEAD = 8  # rows between what is multiplied and what memory is asked for meanwhile
_LINE = 64  # bytes
SHARED = ("full", "edge", "half", "quarter")  # kernels that other parts of the library call
OPERANDS = (POINTER, I64, I64, I64, POINTER, I64, POINTER, I64, I64, I64)  # of a micro-kernel
Line = Sequence[tuple[Value, Value, Value | None]]  # vectors of a row, their places and masks
# Kernels of the same columns by tables of places, of a tile's rows and of half of them.
LISTED, SHORT = "listed_", "short_"


def row_tile(target: Target) -> int:
    """Rows of the micro-kernel: their sums, B's vectors and one of A fill the registers."""
    return 8 if target.vector_registers >= 32 else 6


def short_tile(tile: int) -> int:
    """Rows of the kernel for what a tile of rows would mostly be too high for."""
    return tile // 2


def panel_columns(target: Target, element: Type) -> int:
    return COLUMN_VECTORS * target.lanes(element.bits)


MIXED = "shlo_rt_gemm_of_"  # how functions begin that convert B


def name(element: Type, part: str, source: str = "") -> str:
    """The name of a function that others call; ``source``: of B's elements, if not the same."""
    if source in ("", element.element):
        return f"shlo_rt_gemm_{part}_{element}"
    return f"{MIXED}{source}_{part}_{element}"


def multiply_add(f: Function, target: Target, a: Value, b: Value, c: Value) -> Value:
    """``a * b + c``, rounded once where that is one instruction."""
    is_fused = target.fma and c.type.is_float
    return f.fma(a, b, c) if is_fused else a * b + c


def _store(f: Function, lines: Sequence[Line], by_masks: Sequence[bool]) -> None:
    """Store rows, in order."""
    for line, is_masked in zip(lines, by_masks, strict=True):
        for value, place, mask in line:
            f.store_masked(value, place, mask if is_masked else None)


class MicroKernels:
    """Micro-kernels of one element type.

    Args:
        source: of B's elements where they lie; they are converted when they are read. One of
            ``GROUPS``, of A's as well: numbers are several factors each, whose products are added.
    """

    def __init__(self, target: Target, element: Type, source: str = "") -> None:
        self.target, self.element = target, element
        self.source = source or element.element
        self.converts = self.source not in (element.element, *GROUPS)
        self.reading = ElementCopies(target, self.source, element)
        self.stored = self.reading.stored
        self.lanes = target.lanes(element.bits)
        self.vector = element.vector(self.lanes)
        self.tile = row_tile(target)
        self.short = short_tile(self.tile)
        self.columns = panel_columns(target, element)
        self.k_block = 1024 * 4 // element.bytes
        self.block_rows = _BLOCK_ROWS // self.tile * self.tile
        self.width = self.block_rows + self.tile  # rows of the largest block

    def private(self, part: str) -> str:
        return f"gemm_{part}_{self.source}_{self.element}"

    def public(self, part: str) -> str:
        """The name of a job."""
        return name(self.element, part, self.source)

    def shared(self, part: str) -> str:
        """The name of one of ``SHARED``, which read what is converted."""
        return name(self.element, part, self.source if self.source in GROUPS else "")

    def multiply_add(self, f: Function, a: Value, b: Value, c: Value) -> Value:
        """``a * b + c``."""
        if self.source == FOURS:
            return instructions.products_of_bytes(f, a, b, c)
        if self.source == PAIRS:
            return c + instructions.products_of_words(f, a, b, self.target.lanes(32))
        return multiply_add(f, self.target, a, b, c)

    def micro_kernel(
        self,
        part: str,
        rows: int,
        vectors: int,
        *,
        masked: bool,
        lanes: int = 0,
        counted: bool = False,
        in_place: bool = False,
        listed: bool = False,
    ) -> Function:
        """(A, a_row, a_k, K, B, b_k, C, c_row, adds, n): ``rows`` rows of C, all of K.

        ``adds`` is whether products are added to C. ``masked``: only ``n`` columns exist.
        ``lanes`` are those of a vector, where that is not as long as registers are. ``counted``:
        only so many rows exist as another argument tells; the last one stands for the others.
        ``in_place``: B is read where it lies, and not in panels. ``listed``: A's numbers lie no
        fixed steps apart; ``a_row`` and ``a_k`` are tables of where rows and columns of A are.
        """
        lanes = lanes or self.lanes
        vector = self.element.vector(lanes)
        steps = [POINTER] * 2 if listed else OPERANDS[1:3]
        types = [OPERANDS[0], *steps, *OPERANDS[3:], *[I64] * counted]
        shared = part in SHARED
        f = Function(self.shared(part) if shared else self.private(part), types, exported=shared)
        a, a_row, a_k, inner, b, b_k, c, c_row, adds, n, *count = f.arguments
        masks = [f.mask_below(n, lanes, lanes * v) if masked else None for v in range(vectors)]

        def places_of(first: Value, step: Value) -> list[Value]:
            """Where rows begin."""
            places = [first]
            for r in range(1, rows):
                steps = [f.select(m > r, step, f.constant(0)) for m in count] or [step]
                places.append(places[-1].at(steps[0]))
            return places

        if listed:
            starts = [a.at(f.load(a_row.at(8 * r), I64)) for r in range(rows)]
        else:
            starts = places_of(a, a_row)

        biases = [f.constant(SIGNS, vector)] if self.source == FOURS else []

        def numbers(offset: Value) -> Iterator[Value]:
            """What columns are multiplied by: what is too much of each number of A, and those."""
            yield from biases
            for start in starts:
                yield f.broadcast(f.load(start.at(offset), self.element), lanes)

        def step(_: Value, at_a: Value, at_b: Value, *sums: Value) -> list[Value]:
            if in_place and rows > 1:
                for line in range(0, vectors * lanes * self.stored.bytes, _LINE):
                    f.prefetch(at_b.at(b_k * _AHEAD).at(line))
            columns = [self._b(f, at_b, v, lanes, mask, in_place) for v, mask in enumerate(masks)]
            added = []
            offset = f.load(at_a, I64) if listed else at_a
            for r, number in enumerate(numbers(offset)):
                for v, column in enumerate(columns):
                    total = sums[r * vectors + v]
                    added.append(self.multiply_add(f, number, column, total))
            return [at_a.at(8) if listed else at_a + a_k, at_b.at(b_k), *added]

        zero, first = f.zero(vector), a_k if listed else f.constant(0)
        count_of_sums = (len(biases) + rows) * vectors
        sums = f.loop(f.constant(0), inner, 1, step, [first, b, *[zero] * count_of_sums])[2:]
        if biases:
            of_bias, sums = sums[:vectors], sums[vectors:]
            sums = [total - of_bias[k % vectors] for k, total in enumerate(sums)]

        targets = [
            (place.at(lanes * v, self.element), mask)
            for place in places_of(c, c_row)
            for v, mask in enumerate(masks)
        ]

        def added() -> list[Value]:
            olds = (f.load_masked(place, mask, vector) for place, mask in targets)
            return [old + value for old, value in zip(olds, sums, strict=True)]

        sums = f.if_(adds == 0, lambda: sums, added)
        stored = [(value, *target) for value, target in zip(sums, targets, strict=True)]
        lines = [stored[vectors * r : vectors * (r + 1)] for r in range(rows)]
        if masked and not self.target.masks:  # of whole vectors they are not needed
            reaches = rows > 1 and not counted
            width = lanes * vectors
            f.if_(
                n >= width,
                lambda: _store(f, lines, [False] * rows),
                lambda: self._store_ends(f, lines, n, c_row, width if reaches else 0),
            )
        else:
            _store(f, lines, [masked] * rows)
        return f

    def _store_ends(
        self, f: Function, lines: Sequence[Line], n: Value, c_row: Value, width: int
    ) -> None:
        """Where C has no other columns, whole vectors of ``width`` reach into the row behind."""
        by_masks = [True] * len(lines)
        if not width:
            _store(f, lines, by_masks)
            return
        follow = (c_row == n * self.element.bytes) & (n + n >= width)
        last = [*[False] * (len(lines) - 1), True]
        f.if_(follow, lambda: _store(f, lines, last), lambda: _store(f, lines, by_masks))

    def tile_kernel(self, part: str, by: str = "") -> Function:
        """One of ``SHARED``: a tile of rows by as many columns as its name says.

        Args:
            by: nothing, ``LISTED`` or ``SHORT``.
        """
        vectors = COLUMN_VECTORS if part in ("full", "edge") else 1
        return self.micro_kernel(
            by + part,
            self.short if by == SHORT else self.tile,
            vectors,
            masked=part != "full",
            lanes=self.lanes // 2 if part == "quarter" else self.lanes,
            listed=bool(by),
        )

    def kernel_of(self, f: Function, by: str = "") -> Callable[[Value], Value]:
        """The address of a tile's kernel by how many columns are left."""
        if by:
            addresses = [f.address_of(self.private(by + part)) for part in SHARED]
        else:
            addresses = [f.address_of(self.shared(part), OPERANDS) for part in SHARED]
        full, edge, half, quarter = addresses

        def by_columns(left: Value) -> Value:
            kernel = f.select(left < self.columns, edge, full)
            kernel = f.select(left <= self.lanes, half, kernel)
            return f.select(left <= self.lanes // 2, quarter, kernel)

        return by_columns

    def _b(
        self, f: Function, row: Value, v: int, lanes: int, mask: Value | None, in_place: bool
    ) -> Value:
        """Vector ``v`` of a row of B."""
        if in_place:
            return self.reading.load(f, row.at(lanes * v, self.stored), lanes, mask)
        place = row.at(lanes * v, self.element)
        return f.load_masked(place, mask, self.element.vector(lanes))

    def dot_kernel(self, part: str, columns: int) -> Function:
        """(A, B, b_n, K, C): sums along K of one row of A by ``columns`` columns of B."""
        f = Function(self.private(part), [POINTER, POINTER, I64, I64, POINTER], exported=False)
        a, b, b_n, inner, c = f.arguments
        starts = [b]
        for _ in range(1, columns):
            starts.append(starts[-1].at(b_n))

        def step(k: Value, *sums: Value, mask: Value | None = None) -> list[Value]:
            row = f.load_masked(a.at(k, self.element), mask, self.vector)
            columns = (
                self.reading.load(f, start.at(k, self.stored), self.lanes, mask) for start in starts
            )
            return [
                self.multiply_add(f, row, column, partial)
                for column, partial in zip(columns, sums, strict=True)
            ]

        whole = inner - inner % self.lanes
        sums = f.loop(f.constant(0), whole, self.lanes, step, [f.zero(self.vector)] * columns)
        mask = f.mask_below(inner - whole, self.lanes)
        for n, total in enumerate(step(whole, *sums, mask=mask)):
            f.store(f.sum_of_lanes(total), c.at(n, self.element))
        return f
