"""Factors of many small matrices, and solving with them: lanes are matrices of the batch.

A chunk brings as many matrices as a vector has lanes into scratch memory, where element (i, j) of
all of them is one vector, and stores what becomes of them. A routine of LAPACK takes longer to be
called than matrices of some rows take so. What the routines read and write is where a matrix's
first element lies, and its steps in bytes: a transposed matrix, or one in reverse order, is the
same one with other steps, so each routine knows lower triangles alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from shlo_tools.codegen.function import I32, I64, POINTER, Function, Type, Value
from shlo_tools.codegen.library.contractions.micro_kernels import multiply_add
from shlo_tools.codegen.library.pool import JOB
from shlo_tools.codegen.target import Target

NAMES = "shlo_rt_many_"  # how jobs' names begin

# A matrix: where the first one of the batch begins, bytes from one to the next, from a row to the
# next, and from a column to the next.
_MATRIX = ("at", "matrix", "row", "column")
_A, _B, _X = ([f"{name}_{word}" for word in _MATRIX] for name in "abx")
# Words of contexts. ``count`` matrices of ``size`` rows. ``info`` is where statuses go, ``pivots``
# where the rows are that were exchanged, both as LAPACK counts. ``clears``: whether the other
# triangle becomes 0, and what has no factor NaN. ``columns`` of B; ``is_unit``: whether the
# diagonal is 1, whatever is there.
CONTEXTS: dict[str, Sequence[str]] = {
    "potrf": (*_A, *_X, "count", "size", "info", "clears"),
    "getrf": (*_A, *_X, "count", "size", "info", "pivots"),
    "trsm": (*_A, *_B, *_X, "count", "size", "columns", "is_unit"),
}
# Rows for which a routine of LAPACK takes as long for each matrix.
LARGEST = {"potrf": 24, "getrf": 24, "trsm": 16}


def job_name(routine: str, element: str) -> str:
    return f"{NAMES}{routine}_{element}"


def together(target: Target, element: str) -> int:
    """Matrices of a chunk: as many as a vector has lanes."""
    return target.lanes(Type(element).bits)


def functions(target: Target, name: str) -> list[Function]:
    """The job of a routine and an element type, by what its name ends with."""
    routine, _, element = name.partition("_")
    bodies: dict[str, Callable[[_Many], None]] = {"potrf": _potrf, "getrf": _getrf, "trsm": _trsm}
    f = Function(NAMES + name, JOB)
    bodies[routine](_Many(f, target, Type(element), routine))
    return [f]


@dataclass
class _Many:
    """A job while it is written."""

    f: Function
    target: Target
    element: Type
    routine: str
    words: dict[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        f, context = self.f, self.f.arguments[0]
        lanes = together(self.target, self.element.element)
        for place, name in enumerate(CONTEXTS[self.routine]):
            is_address = name.endswith("_at") or name in ("info", "pivots")
            self.words[name] = f.load(context.at(8 * place), POINTER if is_address else I64)
        self.vector, self.integers = self.element.vector(lanes), I32.vector(lanes)
        self.first = f.arguments[1] * lanes
        self.mask = f.mask_below(self["count"] - self.first, lanes)
        self.numbers = f.lane_numbers(I64.vector(lanes))

    def __getitem__(self, name: str) -> Value:
        return self.words[name]

    # --- elements in scratch memory ---------------------------------------------------------------
    def place(self, i: Value, j: Value, columns: Value, room: Value) -> Value:
        return room.at((i * columns + j) * self.vector.lanes, self.element)

    def load(self, at: Value) -> Value:
        return self.f.load(at, self.vector)

    def subtract(self, at: Value, a: Value, b: Value) -> None:
        """Subtract a product."""
        self.f.store(multiply_add(self.f, self.target, -a, b, self.load(at)), at)

    # --- matrices in memory -----------------------------------------------------------------------
    def bring(self, name: str, rows: Value, columns: Value, room: Value) -> None:
        """All elements of matrices to scratch memory."""
        f = self.f

        def one(at: Value, offsets: Value, place: Value) -> None:
            f.store(f.gather(at, offsets, self.mask, self.vector), place)

        self._each(name, rows, columns, room, one)

    def put(self, name: str, rows: Value, columns: Value, room: Value) -> None:
        """All elements from scratch memory to matrices."""

        def one(at: Value, offsets: Value, place: Value) -> None:
            self.f.scatter(self.load(place), at, offsets, self.mask)

        self._each(name, rows, columns, room, one)

    def _each(
        self,
        name: str,
        rows: Value,
        columns: Value,
        room: Value,
        one: Callable[[Value, Value, Value], None],
    ) -> None:
        f = self.f
        at, matrix, row, column = (self[f"{name}_{word}"] for word in _MATRIX)
        offsets = self.numbers * f.broadcast(matrix, self.vector.lanes)
        first = at.at(self.first * matrix)

        def row_of(i: Value) -> None:
            start = first.at(i * row)
            f.loop(
                *(0, columns, 1),
                lambda j: one(start.at(j * column), offsets, self.place(i, j, columns, room)),
            )

        f.loop(0, rows, 1, row_of)

    def number(self, value: Value) -> Value:
        """An integer in all lanes."""
        return self.f.broadcast(value.to("trunc", "i32"), self.vector.lanes)

    def status(self, info: Value, k: Value, fails: Value) -> Value:
        """The first column that fails, counted from 1."""
        f = self.f
        return f.select(fails & (info == 0), self.number(k + 1), info)

    def keep_status(self, info: Value) -> None:
        self.f.store_masked(info, self["info"].at(self.first, I32), self.mask)


def _potrf(m: _Many) -> None:
    """A = L L^T, a column after the other."""
    f, n, room = m.f, m["size"], m.f.arguments[2]
    m.bring("a", n, n, room)

    def at(i: Value, j: Value) -> Value:
        return m.place(i, j, n, room)

    def column(k: Value, info: Value) -> list[Value]:
        pivot = m.load(at(k, k))
        info = m.status(info, k, pivot <= 0.0)  # of NaN there is a factor: NaN
        root = f.intrinsic("sqrt", pivot)
        f.store(root, at(k, k))
        f.loop(k + 1, n, 1, lambda i: f.store(m.load(at(i, k)) / root, at(i, k)))

        def later(j: Value) -> None:
            factor = m.load(at(j, k))
            f.loop(j, n, 1, lambda i: m.subtract(at(i, j), m.load(at(i, k)), factor))

        f.loop(k + 1, n, 1, later)
        return [info]

    (info,) = f.loop(0, n, 1, column, [f.zero(m.integers)])

    def clear() -> None:
        nothing, nan = f.zero(m.vector), f.constant(float("nan"), m.vector)

        def row(i: Value) -> None:
            f.loop(i + 1, n, 1, lambda j: f.store(nothing, at(i, j)))
            f.loop(0, n, 1, lambda j: f.store(f.select(info == 0, m.load(at(i, j)), nan), at(i, j)))

        f.loop(0, n, 1, row)

    f.if_(m["clears"] != 0, clear, lambda: m.keep_status(info))
    m.put("x", n, n, room)


def _getrf(m: _Many) -> None:
    """P A = L U with the largest pivots, the first one of those that are alike."""
    f, n, room = m.f, m["size"], m.f.arguments[2]
    m.bring("a", n, n, room)
    steps = m.numbers * f.broadcast(n * I32.bytes, m.vector.lanes)
    pivots = m["pivots"].at(m.first * n, I32)

    def at(i: Value, j: Value) -> Value:
        return m.place(i, j, n, room)

    def size(i: Value, j: Value) -> Value:
        return f.intrinsic("fabs", m.load(at(i, j)))

    def column(k: Value, info: Value) -> list[Value]:
        def larger(i: Value, most: Value, row: Value) -> list[Value]:
            value = size(i, k)
            return [
                f.select(value > most, value, most),
                f.select(value > most, m.number(i), row),
            ]

        _, row = f.loop(k + 1, n, 1, larger, [size(k, k), m.number(k)])
        f.scatter(row + 1, pivots.at(k, I32), steps, m.mask)

        def exchange(i: Value) -> None:
            is_it = row == m.number(i)

            def elements(j: Value) -> None:
                upper, lower = m.load(at(k, j)), m.load(at(i, j))
                f.store(f.select(is_it, lower, upper), at(k, j))
                f.store(f.select(is_it, upper, lower), at(i, j))

            f.if_(f.reduce("or", is_it), lambda: f.loop(0, n, 1, elements) and None)

        f.loop(k + 1, n, 1, exchange)
        pivot = m.load(at(k, k))

        def eliminate(i: Value) -> None:
            value = m.load(at(i, k))
            factor = f.select(pivot == 0.0, value, value / pivot)
            f.store(factor, at(i, k))
            f.loop(k + 1, n, 1, lambda j: m.subtract(at(i, j), factor, m.load(at(k, j))))

        f.loop(k + 1, n, 1, eliminate)
        return [m.status(info, k, pivot == 0.0)]

    (info,) = f.loop(0, n, 1, column, [f.zero(m.integers)])
    m.keep_status(info)
    m.put("x", n, n, room)


def _trsm(m: _Many) -> None:
    """X of L X = B, a row after the other."""
    f, n, columns, room = m.f, m["size"], m["columns"], m.f.arguments[2]
    beside = room.at(n * n * m.vector.lanes, m.element)
    m.bring("a", n, n, room)
    m.bring("b", n, columns, beside)
    is_unit, one = m["is_unit"] != 0, f.constant(1.0, m.vector)

    def at(i: Value, j: Value) -> Value:
        return m.place(i, j, columns, beside)

    def row(i: Value) -> None:
        def before(j: Value) -> None:
            factor = m.load(m.place(i, j, n, room))
            f.loop(0, columns, 1, lambda c: m.subtract(at(i, c), factor, m.load(at(j, c))))

        f.loop(0, i, 1, before)
        pivot = f.select(is_unit, one, m.load(m.place(i, i, n, room)))
        f.loop(0, columns, 1, lambda c: f.store(m.load(at(i, c)) / pivot, at(i, c)))

    f.loop(0, n, 1, row)
    m.put("x", n, columns, beside)
