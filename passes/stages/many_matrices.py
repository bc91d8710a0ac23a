"""Factors of many small matrices and triangular solves: jobs whose lanes are matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from shlo_tools import dtypes, ir
from shlo_tools.codegen import target
from shlo_tools.codegen.jobs import Context, Job, Place, StageCode, Word
from shlo_tools.codegen.library import many_matrices
from shlo_tools.codegen.library.many_matrices import CONTEXTS, LARGEST
from shlo_tools.dims import ceiling_divided
from shlo_tools.dtypes import ELEMENT_TYPES, TensorType
from shlo_tools.mlir import Operation
from shlo_tools.passes.kernels.lapack_kernels import Found

_ELEMENTS = [ELEMENT_TYPES[name] for name in ("f32", "f64")]
_SOLVED = 144  # elements of a matrix of B: LAPACK solves for several columns at a time
_OWN = {"stablehlo.cholesky": "potrf", "stablehlo.triangular_solve": "trsm"}


def lower(op: Operation, lapack: Found | None, numbers: Sequence[int]) -> StageCode | None:
    """The job of an op; None for others, few matrices, and large ones.

    Args:
        lapack: the call of LAPACK that the op is.
        numbers: of the stage's arguments that the operands are.
    """
    routine = _OWN.get(op.name, "") if lapack is None else lapack.call.routine
    types = [dtypes.tensor_type(operand.type) for operand in op.operands]
    if routine not in CONTEXTS or not _fit(types, LARGEST[routine]):
        return None
    *batch, size, _ = types[0].static_shape
    element = types[0].element_type
    together = many_matrices.together(target.host(), str(element))
    if prod(batch) < together:
        return None
    places = [*(Place("argument", number) for number in numbers), Place("result", 0)]
    matrices = [*map(_Matrix.of, places, [*types, types[-1]])]
    words: list[Word]
    if routine == "trsm":
        solve = _Solve.of(op, lapack)
        matrices = solve.lower_ones(matrices)
        words = [matrices[-1].columns, int(solve.is_unit)]
    else:
        if not _is_lower(op, lapack):
            matrices = [matrix.transposed() for matrix in matrices]
        words = _results(op, lapack)
    code = StageCode(is_pure=True)
    steps = [word for matrix in matrices for word in matrix.words(element.bits // 8)]
    code.contexts.append(Context((*steps, prod(batch), size, *words)))
    chunks = ceiling_divided(prod(batch), together)
    code.jobs.append(Job(many_matrices.job_name(routine, str(element)), 0, chunks))
    if numbers.count(numbers[-1]) == 1:
        code.in_place[0] = [numbers[-1]]
    return code


def _fit(types: Sequence[TensorType], largest: int) -> bool:
    """Whether matrices are square, small, and of numbers that there are jobs for."""
    if not all(type.is_static and type.element_type in _ELEMENTS for type in types):
        return False
    rows, columns = types[0].static_shape[-2:]
    are_few = all(prod(b.static_shape[-2:]) <= _SOLVED for b in types[1:])
    return 0 < rows == columns <= largest and are_few


def _results(op: Operation, lapack: Found | None) -> list[Word]:
    """Where statuses go and pivots, or whether factors are those of the specification."""
    if lapack is None:
        return [0, 1]
    others: list[Word] = [Place("result", k) for k in reversed(range(1, len(op.results)))]
    return others if len(others) > 1 else [*others, 0]


def _is_lower(op: Operation, lapack: Found | None) -> bool:
    if lapack is None:
        return ir.flag_of(op, "lower")
    return lapack.options.get("uplo", "L") == "L"


@dataclass(frozen=True)
class _Matrix:
    """How one of a batch is read.

    Attributes:
        size: elements from a matrix to the next.
        row: elements from a row to the next.
        column: elements from a column to the next.
        start: the element that is the first one.
    """

    place: Place
    rows: int
    columns: int
    size: int
    row: int
    column: int
    start: int = 0

    @staticmethod
    def of(place: Place, type: TensorType) -> _Matrix:
        rows, columns = type.static_shape[-2:]
        return _Matrix(place, rows, columns, rows * columns, columns, 1)

    def transposed(self) -> _Matrix:
        turned = (self.columns, self.rows, self.size, self.column, self.row)
        return _Matrix(self.place, *turned, self.start)

    def last_row_first(self) -> _Matrix:
        start = self.start + (self.rows - 1) * self.row
        return replace(self, row=-self.row, start=start)

    def words(self, bytes: int) -> tuple[Word, ...]:
        at = Place(self.place.what, self.place.number, self.start * bytes)
        return (at, self.size * bytes, self.row * bytes, self.column * bytes)


@dataclass(frozen=True)
class _Solve:
    """op(A) X = B, or X op(A) = B."""

    is_left: bool
    is_lower: bool
    is_transposed: bool
    is_unit: bool

    @staticmethod
    def of(op: Operation, lapack: Found | None) -> _Solve:
        if lapack is None:
            is_transposed = ir.enum_of(op, "transpose_a") != "NO_TRANSPOSE"
            left, low, unit = (
                ir.flag_of(op, name) for name in ("left_side", "lower", "unit_diagonal")
            )
            return _Solve(left, low, is_transposed, unit)
        letters = (("side", "L"), ("uplo", "L"), ("trans_x", "N"), ("diag", "U"))
        left, low, is_plain, unit = (lapack.options[name] == letter for name, letter in letters)
        return _Solve(left, low, not is_plain, unit)

    def lower_ones(self, matrices: Sequence[_Matrix]) -> list[_Matrix]:
        """A, B and X such that A is lower and on the left."""
        a, *others = matrices
        is_lower = self.is_lower
        if self.is_transposed == self.is_left:
            a, is_lower = a.transposed(), not is_lower
        if not self.is_left:
            others = [matrix.transposed() for matrix in others]
        if is_lower:
            return [a, *others]
        both = a.last_row_first().transposed().last_row_first().transposed()
        return [both, *(matrix.last_row_first() for matrix in others)]
