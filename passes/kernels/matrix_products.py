"""``gemm`` kernels: calls of BLAS for floats, loops in the order of memory for integers.

Before:
    func.func private @shlo.gemm.0(%out: memref<1x64x64xf32>, ...) attributes {shlo.kernel = ...}
After:
    ... llvm.call @scipy_cblas_sgemm(...)

A large product is made of blocks: of floats, because a call of BLAS hears of no time limit; of
integers, so that a block of rhs stays in the cache while rows of lhs pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from shlo_tools import mlir
from shlo_tools.codegen.llvm import I32, Code, Number, Word
from shlo_tools.codegen.memrefs import address_of, extent
from shlo_tools.dtypes import ElementType, tensor_type
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.kernels.library_calls import Library
from shlo_tools.passes.legalize_to_linalg.emit import structured

BLAS = {"f32": "scipy_cblas_sgemm", "f64": "scipy_cblas_dgemm"}
ROW_MAJOR, NO_TRANSPOSE, TRANSPOSE = 101, 111, 112
BLOCK = 1024  # rows, columns and terms of a call: some ten milliseconds
TERMS, COLUMNS = 256, 512  # of rhs in a second-level cache, as integers
ROWS = 64  # the same where rhs is stored by columns

# Given the first number of a block and how many there are.
Block = Callable[[Number, Number], None]


def implement(func: Operation, kernel: Any, library: Library) -> None:
    """Give a kernel its body."""
    flags = (kernel["transpose_lhs"].value, kernel["transpose_rhs"].value)
    element = tensor_type(func.regions[0].blocks[0].arguments[0].type).element_type
    if element.is_float:
        _by_library(func, element, flags, library)
    else:
        _by_loops(func, flags)


def _emptied(func: Operation) -> tuple[Code, Value, Value, Value]:
    """A builder in the place of a kernel's loops, and its target, lhs and rhs."""
    block = func.regions[0].blocks[0]
    for op in reversed([mlir.inner_operation(view) for view in block.operations]):
        op.erase()
    target, lhs, rhs = list(block.arguments)
    return Code(mlir.at_end(block), func.location), target, lhs, rhs


# --- floats ---------------------------------------------------------------------------------------
def _by_library(
    func: Operation, element: ElementType, flags: tuple[bool, bool], library: Library
) -> None:
    """Replace the loops by calls of BLAS."""
    code, target, lhs, rhs = _emptied(func)
    batch, rows, columns = (extent(code, target, d) for d in range(3))
    inner = extent(code, lhs, 1 if flags[0] else 2)
    for size in (rows, columns, inner):
        _limit(code, size)
    itemsize = element.bits // 8
    steps = [rows * inner * itemsize, inner * columns * itemsize, rows * columns * itemsize]
    addresses = [address_of(code, value) for value in (lhs, rhs, target)]
    strides = [rows if flags[0] else inner, inner if flags[1] else columns, columns]
    of_a, of_b, of_c = (_c_integer(code, _at_least_one(stride)) for stride in strides)
    transposes = [TRANSPOSE if flag else NO_TRANSPOSE for flag in flags]

    def multiply(number: Number) -> None:
        pairs = zip(addresses, steps, strict=True)
        matrices = [start + step * number for start, step in pairs]

        def cell(side: int, row: Number, column: Number) -> Word:
            """Where an element of a matrix is, as it is stored."""
            if side < 2 and flags[side]:
                row, column = column, row
            return matrices[side] + (row * strides[side] + column) * itemsize

        def one(i: Number, j: Number, k: Number, counts: Sequence[Number]) -> None:
            arguments = [
                *(_c_integer(code, n) for n in (ROW_MAJOR, *transposes, *counts)),
                *(code.constant(1.0, element.name), cell(0, i, k), of_a, cell(1, k, j), of_b),
                *(_kept_share(code, k, element), cell(2, i, j), of_c),
            ]
            library.call(code, BLAS[element.name], arguments)

        _in_blocks(
            code,
            rows,
            lambda i, m: _in_blocks(
                code,
                columns,
                lambda j, n: _in_blocks(code, inner, lambda k, t: one(i, j, k, (m, n, t))),
            ),
        )

    if batch == 1:
        multiply(0)
    else:
        code.loop(batch, multiply)
    code.op("func.return", [target])


def _in_blocks(code: Code, size: Number, body: Block) -> None:
    """Do something for each block; once where there is nothing, since sums of nothing are 0."""
    if isinstance(size, int) and size <= BLOCK:
        body(0, size)
        return
    stop = _at_least_one(size)
    code.loop(stop, lambda first: body(first, (size - first).smallest(BLOCK)), step=BLOCK)


def _kept_share(code: Code, term: Number, element: ElementType) -> Word:
    """What a call keeps of the result: nothing in the first block of terms, then all."""
    zero = code.constant(0.0, element.name)
    if isinstance(term, int):
        return zero
    return code.select(term.compared("eq", 0), zero, code.constant(1.0, element.name))


def _c_integer(code: Code, number: Number) -> Word:
    """A number as C's ``int``."""
    return code.constant(number, I32) if isinstance(number, int) else number.truncated(I32)


def _at_least_one(number: Number) -> Number:
    return max(1, number) if isinstance(number, int) else number.largest(1)


def _limit(code: Code, size: Number) -> None:
    """BLAS counts rows and columns in 32 bits."""
    if not isinstance(size, int):
        text = "a matrix has more than 2147483647 rows or columns"
        code.op("cf.assert", [size < 1 << 31], (), {"msg": mlir.string_attr(text)})


# --- integers -------------------------------------------------------------------------------------
def _by_loops(func: Operation, flags: tuple[bool, bool]) -> None:
    """Replace the loops by ones over neighbours in memory."""
    build, target, lhs, rhs = _emptied(func)
    batch, rows, columns = (_size(build, target, d) for d in range(3))
    inner = _size(build, lhs, 1 if flags[0] else 2)
    type = tensor_type(target.type)
    zero = {"value": mlir.integer_attr(0, target.type.element_type)}
    nothing = build.value("arith.constant", (), target.type.element_type, zero)
    structured.generic(build, [nothing], ["scalar"], [target], [type], lambda b, v: [v[0]])

    def left(b: Build, matrix: Value, row: Value, term: Value) -> Value:
        place = (matrix, term, row) if flags[0] else (matrix, row, term)
        return _load(b, lhs, place)

    def by_rows(b: Build, matrix: Value, first: tuple[Value, Value]) -> None:
        """A row of rhs, times a number, is added to a row of the result."""
        ends = _stop(b, first[0], TERMS, inner), _stop(b, first[1], COLUMNS, columns)
        row, at = _for(b, b.index(0), rows)
        term, step = _for(at, first[0], ends[0])
        factor = left(step, matrix, row, term)
        column, body = _for(step, first[1], ends[1])
        place = (matrix, row, column)
        summed = _multiplied_and_added(
            body, factor, _load(body, rhs, (matrix, term, column)), _load(body, target, place)
        )
        body.op("memref.store", (summed, target, *place))
        for each in (body, step, at):
            each.op("scf.yield")

    def by_columns(b: Build, matrix: Value, first: Value) -> None:
        """A column of rhs, which lies in one piece, times a row of lhs is an element."""
        end = _stop(b, first, ROWS, columns)
        row, at = _for(b, b.index(0), rows)
        column, step = _for(at, first, end)
        place = (matrix, row, column)
        bounds = (step.index(0), inner, step.index(1))
        start = _load(step, target, place)
        terms = step.op("scf.for", [*bounds, start], [start.type], regions=1)
        block, body = step.block(terms.regions[0], [mlir.index_type(), start.type])
        term, total = block.arguments
        factors = left(body, matrix, row, term), _load(body, rhs, (matrix, column, term))
        body.op("scf.yield", [_multiplied_and_added(body, *factors, total)])
        step.op("memref.store", (terms.results[0], target, *place))
        for each in (step, at):
            each.op("scf.yield")

    matrix, of_matrix = _for(build, build.index(0), batch)
    if flags[1]:
        first, body = _for(of_matrix, of_matrix.index(0), columns, ROWS)
        by_columns(body, matrix, first)
        nest = [body, of_matrix]
    else:
        term, of_terms = _for(of_matrix, of_matrix.index(0), inner, TERMS)
        column, body = _for(of_terms, of_terms.index(0), columns, COLUMNS)
        by_rows(body, matrix, (term, column))
        nest = [body, of_terms, of_matrix]
    for each in nest:
        each.op("scf.yield")
    build.op("func.return", [target])


def _size(build: Build, buffer: Value, dimension: int) -> Value:
    known = tensor_type(buffer.type).shape[dimension]
    if isinstance(known, int):
        return build.index(known)
    return build.value("memref.dim", (buffer, build.index(dimension)), mlir.index_type())


def _for(build: Build, first: Value, end: Value, step: int = 1) -> tuple[Value, Build]:
    """A loop: its counter, and a builder in its body."""
    loop = build.op("scf.for", [first, end, build.index(step)], (), regions=1)
    block, body = build.block(loop.regions[0], [mlir.index_type()])
    return block.arguments[0], body


def _stop(build: Build, first: Value, count: int, end: Value) -> Value:
    """Where a block ends that begins at ``first``."""
    past = build.value("arith.addi", (first, build.index(count)), mlir.index_type())
    return build.value("arith.minsi", (past, end), mlir.index_type())


def _load(build: Build, buffer: Value, place: Sequence[Value]) -> Value:
    return build.value("memref.load", (buffer, *place), buffer.type.element_type)


def _multiplied_and_added(build: Build, a: Value, b: Value, total: Value) -> Value:
    product = build.value("arith.muli", (a, b), a.type)
    return build.value("arith.addi", (total, product), a.type)
