"""Contractions whose lanes are windows along lines: an image is packed as planes.

C[m, y, x] = sum over k of A[m, k] X[place(k) + y * line + x]. A chunk is some lines y of one image.
What they read of it is copied once, with its padding: one plane for each channel and each phase of
a stride, in which neighbouring windows read neighbours. A table tells where a tap lies from its
window on, so windows are a vector of a plane, whatever the tap, and none of them is ever packed.
Lines of a chunk are multiplied as one long line: what is computed between two of them, of elements
of both, is not copied into C. A rests as ``library.blocks`` packs it where columns move.

``shlo_rt_planes_<source>_<element>(context, chunk, scratch)``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shlo_tools.codegen.function import I64, POINTER, Function, Type, Value
from shlo_tools.codegen.library.contractions import contexts, packing, tap_tables
from shlo_tools.codegen.library.contractions.micro_kernels import multiply_add
from shlo_tools.codegen.library.pool import JOB, SCRATCH_BYTES
from shlo_tools.codegen.target import Target

_VECTORS = 6  # of windows that all rows of a group are multiplied by
_FEW = 4  # rows of a smaller tile
MOST_TAPS = 4096  # of a window, all channels included
_TABLE = 8 * MOST_TAPS  # bytes
# Behind a contraction's words, whose ``block`` is lines of a chunk, and ``pitch`` bytes between
# rows that are packed. ``lines``: of a matrix, their steps in what moves and in C. ``windows``: of
# a line, ``window_c`` bytes apart in C. ``line``: bytes from a line of a plane to the next.
# ``calls``: how often ``parts`` rows of ``run`` elements are packed, and the steps from one to the
# next, ``call_room`` in what is packed. ``group``: rows of C that read a tile of planes while it is
# near, a multiple of a tile's.
_WORDS = (
    *("lines", "line_moving", "line_step0", "line_step1", "line_step2", "line_c"),
    *("windows", "window_c", "line"),
    *("calls", "call_moving", "call_step0", "call_step1", "call_step2", "call_room"),
    *("parts", "run", "group", "tap_count"),
)
_FIRST = contexts.WORDS
_TAPS = _FIRST + len(_WORDS)


def name(source: str, element: Type) -> str:
    """The name of the function for element types of operand and sum."""
    return f"shlo_rt_planes_{source}_{element.element}"


def functions(target: Target, names: str) -> list[Function]:
    """The functions for ``<source>_<element>``."""
    source, _, element = names.partition("_")
    return Planes(target, source, Type(element)).functions()


def words(numbers: dict[str, int], taps: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The words behind those of a contraction; ``taps``: axes, as ``tap_tables`` has them."""
    numbers = {**numbers, "tap_count": len(taps)}
    return (*(numbers[word] for word in _WORDS), *tap_tables.words(taps))


def tile_rows(target: Target) -> int:
    """Rows of the largest tile: its sums are three vectors each."""
    return 8 if target.vector_registers >= 32 else 4


def cost(rows: int, vectors: int) -> int:
    """What a tap of some rows and vectors takes, in products: those, or loads of what they read."""
    total = 0
    while vectors:
        part = next(n for n in (_VECTORS, 3, 2, 1) if n <= vectors and (n <= 3 or rows <= _FEW))
        # Vectors that begin anywhere lie in two lines of the cache.
        total += max(rows * part, rows + 2 * part + 1)
        vectors -= part
    return total


def room(target: Target, element: Type, planes: int, rows: int, windows: int) -> int:
    """Bytes of scratch memory for planes of so many bytes, and a group's rows of windows."""
    tile = _VECTORS * target.lanes(element.bits) * element.bytes
    whole = -(-windows * element.bytes // tile) * tile
    return _TABLE + rows * whole + planes + tile


def has_room(size: int) -> bool:
    return size <= SCRATCH_BYTES


class Planes:
    """The functions for an operand's element type and that of the sums."""

    def __init__(self, target: Target, source: str, element: Type) -> None:
        self.source, self.element = source, element
        self.target, self.rows = target, tile_rows(target)
        self.lanes = target.lanes(element.bits)
        self.vector = element.vector(self.lanes)

    def functions(self) -> list[Function]:
        heights = [*range(1, _FEW + 1), *[self.rows] * (self.rows > _FEW)]
        kernels = [self.kernel(rows, n) for rows in heights for n in self.vectors(rows)]
        return [*kernels, self.copy(), self.run()]

    def vectors(self, rows: int) -> list[int]:
        """Vectors of tiles of so many rows, the most first: their sums fill the registers."""
        return [_VECTORS, 3, 2, 1] if 2 * rows <= self.rows else [3, 2, 1]

    def kernel_name(self, rows: int, vectors: int) -> str:
        return f"planes_{rows}x{vectors}_{self.source}_{self.element}"

    def kernel(self, rows: int, vectors: int) -> Function:
        """(A, a_row, K, X, places, C, c_row): some rows of C by some vectors of windows."""
        types = [POINTER, I64, I64, POINTER, POINTER, POINTER, I64]
        f = Function(self.kernel_name(rows, vectors), types, exported=False)
        a, a_row, inner, x, places, c, c_row = f.arguments
        starts = [a]
        for _ in range(1, rows):
            starts.append(starts[-1].at(a_row))

        def step(k: Value, *sums: Value) -> list[Value]:
            here = x.at(f.load(places.at(k * 8), I64))
            columns = [here.at(self.lanes * v, self.element) for v in range(vectors)]
            windows = [f.load(place, self.vector) for place in columns]
            added = []
            for r, start in enumerate(starts):
                number = f.broadcast(f.load(start.at(k, self.element), self.element), self.lanes)
                for v, window in enumerate(windows):
                    total = sums[r * vectors + v]
                    added.append(multiply_add(f, self.target, number, window, total))
            return added

        sums = f.loop(f.constant(0), inner, 1, step, [f.zero(self.vector)] * (rows * vectors))
        for r in range(rows):
            row = c.at(c_row * r)
            for v in range(vectors):
                f.store(sums[r * vectors + v], row.at(self.lanes * v, self.element))
        return f

    def copy_name(self) -> str:
        return f"planes_copy_{self.source}_{self.element}"

    def copy(self) -> Function:
        """(from, to, step, count): windows of a line to C, ``step`` bytes apart there."""
        f = Function(self.copy_name(), [POINTER, POINTER, I64, I64], exported=False)
        source, target, step, count = f.arguments

        def vector(k: Value) -> None:
            f.store(f.load(source.at(k, self.element), self.vector), target.at(k, self.element))

        def some() -> None:
            mask = f.mask_below(count, self.lanes)
            f.store_masked(f.load(source, self.vector), target, mask)

        def all_of_them() -> None:
            # The last vector begins early enough to be a whole one.
            last = count - self.lanes
            f.loop(f.constant(0), last, self.lanes, vector)
            vector(last)

        def adjacent() -> None:
            f.if_(count < self.lanes, some, all_of_them)

        def one(k: Value) -> None:
            f.store(f.load(source.at(k, self.element), self.element), target.at(k * step))

        def apart() -> None:
            f.loop(f.constant(0), count, 1, one)

        f.if_(step == self.element.bytes, adjacent, apart)
        return f

    def run(self) -> Function:
        """A chunk is some lines of one image."""
        f = Function(name(self.source, self.element), JOB)
        chunk = _Chunk(self, f)
        axes = chunk.context.at(8 * _TAPS)
        tap_tables.list_taps(f, chunk.places, axes, chunk["tap_count"])
        chunk.pack()
        rows, group = chunk.c["M"], chunk["group"]

        def some(row: Value) -> None:
            chunk.multiply(row, f.minimum(rows - row, group))

        f.loop(f.constant(0), rows, group, some)
        return f


class _Chunk:
    """Lines of one image.

    The last chunk of an image begins early enough to have as many lines as the others.
    """

    def __init__(self, library: Planes, f: Function) -> None:
        self.library, self.f = library, f
        self.context, chunk, self.places = f.arguments
        c = self.c = contexts.ContextWords(f, self.context)
        self._words = {
            word: f.load(self.context.at(8 * (_FIRST + k)), I64) for k, word in enumerate(_WORDS)
        }
        number, block = chunk // c["blocks"], chunk % c["blocks"]
        moving, *start, packed, to_c = c.batch(number)
        first = f.minimum(block * c["block"], self["lines"] - c["block"])
        self.source = c["moving"].at(moving).at(first * self["line_moving"])
        self.start = [at + first * self[f"line_step{d}"] for d, at in enumerate(start)]
        self.rest, self.result = c["P"].at(packed), c["C"].at(to_c).at(first * self["line_c"])
        size, tile = library.element.bytes, _VECTORS * library.lanes
        self.windows = (c["block"] - 1) * (self["line"] // size) + self["windows"]
        self.sums_row = (self.windows + (tile - 1)) // tile * (tile * size)
        self.sums = self.places.at(_TABLE)
        self.planes = self.sums.at(self.sums_row * self["group"])

    def __getitem__(self, name: str) -> Value:
        return self._words[name]

    def pack(self) -> None:
        """Pack what all lines of the chunk read."""
        f, zero = self.f, self.f.constant(0)
        function = packing.name(self.library.source, self.library.element)

        def call(number: Value) -> None:
            source = self.source.at(number * self["call_moving"])
            start = [at + number * self[f"call_step{d}"] for d, at in enumerate(self.start)]
            target = self.planes.at(number * self["call_room"])
            part = [zero, self["parts"], zero, self["run"], target, self.c["pitch"]]
            f.run(function, [self.c.view("moving_view"), source, *start, *part])

        f.loop(zero, self["calls"], 1, call)

    def multiply(self, row: Value, rows: Value) -> None:
        """Compute a group of rows of C, of all windows."""
        f, tile = self.f, self.library.rows
        whole, few = rows // tile * tile, rows // _FEW * _FEW
        width = _VECTORS * self.library.lanes

        def column(x: Value) -> None:
            part = (x, f.minimum(x + width, self.windows))

            def tiles(height: int) -> Callable[[Value], None]:
                return lambda r: self._multiply(row, r, self._kernels(height), part)

            f.loop(f.constant(0), whole, tile, tiles(tile))
            if tile > _FEW:
                f.loop(whole, few, _FEW, tiles(_FEW))

            def last() -> None:
                kernels = self._kernels(1)
                for height in range(2, _FEW):
                    is_it = rows - few == height
                    kernels = {
                        n: f.select(is_it, kernel, kernels.get(n, kernel))
                        for n, kernel in self._kernels(height).items()
                    }
                self._multiply(row, few, kernels, part)

            f.if_(few < rows, last)

        f.loop(f.constant(0), self.windows, width, column)
        self._copy(row, rows)

    def _kernels(self, rows: int) -> dict[int, Value]:
        """The kernels of a number of rows by their vectors, the most first."""
        f, library = self.f, self.library
        return {n: f.address_of(library.kernel_name(rows, n)) for n in library.vectors(rows)}

    def _multiply(
        self, group: Value, row: Value, kernels: dict[int, Value], part: tuple[Value, Value]
    ) -> None:
        """Compute some rows of a group, of a part of the windows."""
        f, library = self.f, self.library
        inner, lanes = self.c["K"], library.lanes
        a_row = inner * library.element.bytes
        a = self.rest.at((group + row) * a_row)
        sums = self.sums.at(row * self.sums_row)
        first, end = part

        def tile(x: Value) -> Value:
            most, *fewer = kernels
            kernel, width = kernels[most], f.constant(most * lanes)
            for n in fewer:
                is_less = end - x <= (n + 1 if n < 3 else most) * lanes - lanes
                kernel = f.select(is_less, kernels[n], kernel)
                width = f.select(is_less, f.constant(n * lanes), width)
            here, there = self.planes.at(x, library.element), sums.at(x, library.element)
            f.run_address(kernel, [a, a_row, inner, here, self.places, there, self.sums_row])
            return x + width

        f.while_(lambda x: x < end, tile, [first])

    def _copy(self, row: Value, rows: Value) -> None:
        """Copy windows of some rows to C, line by line."""
        f, c = self.f, self.c
        zero = f.constant(0)

        def one(r: Value) -> None:
            here = self.sums.at(r * self.sums_row)
            there = self.result.at((row + r) * c["c_row"])

            def line(y: Value) -> None:
                target = there.at(y * self["line_c"])
                operands = [here.at(y * self["line"]), target, self["window_c"], self["windows"]]
                f.run(self.library.copy_name(), operands)

            f.loop(zero, c["block"], 1, line)

        f.loop(zero, rows, 1, one)
