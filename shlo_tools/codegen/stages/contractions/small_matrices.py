"""Products of many matrices so small that one of them, or some, lie in a vector.

Lanes are elements of C. For each k, what they are sums of is brought there by two permutations: of
column k of A, and of row k of B. The library's function is made for matrices of more than that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from shlo_tools.codegen.function import I1, I64, POINTER, Function, Type, Value
from shlo_tools.codegen.jobs import Word
from shlo_tools.codegen.library.pool import JOB
from shlo_tools.codegen.target import Target

_BATCH = 512  # matrices that are worth a kernel, at least
_CHUNK = 16 * 1024  # elements of a chunk, about
_REGISTERS = 2  # that a matrix may take


@dataclass(frozen=True)
class Matrix:
    """Where elements of one of the three lie, in elements: from matrix to matrix, and inside."""

    step: int
    row: int
    column: int

    def extent(self, rows: int, columns: int) -> int:
        """Elements from its first to its last one."""
        return (rows - 1) * self.row + (columns - 1) * self.column + 1


@dataclass(frozen=True)
class Products:
    """Products of ``rows`` x ``inner`` and ``inner`` x ``columns``.

    Attributes:
        lanes: of the vectors.
        together: matrices of a vector.
    """

    a: Matrix
    b: Matrix
    c: Matrix
    rows: int
    columns: int
    inner: int
    batch: int
    lanes: int
    together: int

    @property
    def chunk(self) -> int:
        """Matrices of a chunk."""
        most = max(1, _CHUNK // (self.together * self.lanes))
        return self.together * most

    @property
    def chunks(self) -> int:
        return -(-self.batch // self.chunk)

    def write(self, name: str, element: Type, target: Target) -> Function:
        """The kernel over chunks of matrices.

        Its context says where A, B and C lie and how many matrices there are.
        """
        f = Function(name, JOB)
        f.is_general = self._is_dense
        context, chunk, _ = f.arguments
        bases = [f.load(context.at(8 * k), POINTER) for k in range(3)]
        batch = f.load(context.at(8 * 3), I64)
        first = chunk * self.chunk
        last = f.minimum(first + self.chunk, batch)

        def some(number: Value) -> None:
            if self.together > 1:
                # The last ones of all may be computed again.
                number = f.minimum(number, batch - self.together)
            addresses = [
                base.at(number * matrix.step, element)
                for base, matrix in zip(bases, (self.a, self.b, self.c), strict=True)
            ]
            a = self._load(f, addresses[0], element, self._lanes(self.a, self.rows, self.inner))
            b = self._load(f, addresses[1], element, self._lanes(self.b, self.inner, self.columns))
            self._store(f, self._sums(f, a, b, target), addresses[2])

        f.loop(first, last, self.together, some)
        return f

    @property
    def _is_dense(self) -> bool:
        """Whether nothing lies between matrices: the kernel says how large these are, no more."""
        sizes = (self.rows * self.inner, self.inner * self.columns, self.rows * self.columns)
        steps = (self.a.step, self.b.step, self.c.step)
        return steps == sizes

    def _lanes(self, matrix: Matrix, rows: int, columns: int) -> dict[int, tuple[int, int, int]]:
        """Which lanes are elements of matrices: (matrix, row, column)."""
        return {
            p * matrix.step + i * matrix.row + j * matrix.column: (p, i, j)
            for p in range(self.together)
            for i in range(rows)
            for j in range(columns)
        }

    def _mask(self, f: Function, lanes: Iterable[int]) -> Value:
        there = set(lanes)
        return f.constant([k in there for k in range(self.lanes)], I1.vector(self.lanes))

    def _load(self, f: Function, address: Value, element: Type, lanes: Iterable[int]) -> Value:
        """A vector of matrices, and nothing beside them."""
        vector = element.vector(self.lanes)
        count = max(lanes) + 1
        if count == self.lanes:
            return f.load(address, vector)
        return f.load_masked(address, self._mask(f, range(count)), vector)

    def _store(self, f: Function, value: Value, address: Value) -> None:
        lanes = self._lanes(self.c, self.rows, self.columns)
        if len(lanes) == self.lanes:
            f.store(value, address)
        else:
            f.store_masked(value, address, self._mask(f, lanes))

    def _sums(self, f: Function, a: Value, b: Value, target: Target) -> Value:
        """The vector of C."""
        elements = self._lanes(self.c, self.rows, self.columns)
        total: Value | None = None
        for k in range(self.inner):
            from_a, from_b = [0] * self.lanes, [0] * self.lanes
            for lane, (p, i, j) in elements.items():
                from_a[lane] = p * self.a.step + i * self.a.row + k * self.a.column
                from_b[lane] = p * self.b.step + k * self.b.row + j * self.b.column
            left, right = f.shuffle(a, a, from_a), f.shuffle(b, b, from_b)
            if total is None:
                total = left * right
            elif total.type.is_float and target.fma:
                total = f.fma(left, right, total)
            else:
                total = total + left * right
        return f.zero(a.type) if total is None else total


def plan(words: Mapping[str, Word], element: Type, target: Target) -> Products | None:
    """Such products, by the words of ``library.gemm``; None where these are others."""
    sizes = {name: word for name, word in words.items() if isinstance(word, int)}
    if len(words) - len(sizes) != 2 or element.bits < 32:  # all but where A and B lie
        return None
    rows, columns, inner, batch = (sizes[name] for name in ("M", "N", "K", "inner"))
    if sizes["outer"] != 1 or batch < _BATCH or inner == 0:
        return None
    steps = {name: value // element.bytes for name, value in sizes.items()}
    a = Matrix(steps["A1"], steps["a_row"], steps["a_k"])
    b = Matrix(steps["B1"], steps["b_k"], steps["b_n"])
    c = Matrix(steps["C1"], steps["c_row"], 1)
    forms = ((a, rows, inner), (b, inner, columns), (c, rows, columns))
    if any(min(matrix.step, matrix.row, matrix.column) < 0 for matrix, _, _ in forms):
        return None
    extents = [(matrix.step, matrix.extent(*shape)) for matrix, *shape in forms]
    most = _REGISTERS * target.lanes(element.bits)
    lanes = target.lanes(element.bits)
    if max(extent for _, extent in extents) > lanes:
        lanes = most
    together = min(1 + (lanes - extent) // step if step else lanes for step, extent in extents)
    if max(extent for _, extent in extents) > lanes or together < 1:
        return None
    return Products(a, b, c, rows, columns, inner, batch, lanes, min(together, batch))
