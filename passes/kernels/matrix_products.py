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
from shlo_tools.codegen import frame as frames
from shlo_tools.dtypes import ElementType, tensor_type
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.passes.kernels.library_calls import (
    Number,
    added,
    at_least_one,
    call,
    counting_loop,
    extent,
    integer,
    multiplied,
    real,
    smaller,
    stepped,
)
from shlo_tools.passes.legalize_to_linalg.emit import structured

BLAS = {"f32": "scipy_cblas_sgemm", "f64": "scipy_cblas_dgemm"}
ROW_MAJOR, NO_TRANSPOSE, TRANSPOSE = 101, 111, 112
BLOCK = 1024  # rows, columns and terms of a call: some ten milliseconds
TERMS, COLUMNS = 256, 512  # of rhs in a second-level cache, as integers
ROWS = 64  # the same where rhs is stored by columns

# Given a builder, the first number of a block and how many there are.
Block = Callable[[Build, Number, Number], None]


def implement(func: Operation, kernel: Any) -> tuple[str, list[Type]] | None:
    """Give a kernel its body; returns the declaration of what it calls, if it calls anything."""
    flags = (kernel["transpose_lhs"].value, kernel["transpose_rhs"].value)
    element = tensor_type(func.regions[0].blocks[0].arguments[0].type).element_type
    if element.is_float:
        return _by_library(func, element, flags)
    _by_loops(func, flags)
    return None


def _emptied(func: Operation) -> tuple[Build, Value, Value, Value]:
    """A builder in the place of a kernel's loops, and its target, lhs and rhs."""
    block = func.regions[0].blocks[0]
    for op in reversed([mlir.inner_operation(view) for view in block.operations]):
        op.erase()
    target, lhs, rhs = list(block.arguments)
    return Build(mlir.at_end(block), func.location), target, lhs, rhs


# --- floats ---------------------------------------------------------------------------------------
def _by_library(
    func: Operation, element: ElementType, flags: tuple[bool, bool]
) -> tuple[str, list[Type]]:
    """Replace the loops by calls of BLAS."""
    build, target, lhs, rhs = _emptied(func)
    batch, rows, columns = (extent(build, target, d) for d in range(3))
    inner = extent(build, lhs, 1 if flags[0] else 2)
    _limit(build, (rows, columns, inner))
    itemsize = element.bits // 8
    sizes = ((rows, inner), (inner, columns), (rows, columns))
    steps = [multiplied(build, multiplied(build, *pair), itemsize) for pair in sizes]
    addresses = [frames.address_of(build, value) for value in (lhs, rhs, target)]
    strides = [rows if flags[0] else inner, inner if flags[1] else columns, columns]
    types: list[Type] = []

    def multiply(at: Build, matrices: Sequence[Value]) -> None:
        def cell(b: Build, number: int, row: Number, column: Number) -> Value:
            """Where an element of a matrix is, as it is stored."""
            if number < 2 and flags[number]:
                row, column = column, row
            place = added(b, multiplied(b, row, strides[number]), column)
            return _offset(b, matrices[number], multiplied(b, place, itemsize))

        def one(b: Build, starts: Sequence[Number], counts: Sequence[Number]) -> None:
            i, j, k = starts
            transposes = [TRANSPOSE if flag else NO_TRANSPOSE for flag in flags]
            of_a, of_b, of_c = (integer(b, at_least_one(b, stride)) for stride in strides)
            arguments = [
                *(integer(b, n) for n in (ROW_MAJOR, *transposes, *counts)),
                *(real(b, 1.0, element.name), cell(b, 0, i, k), of_a, cell(b, 1, k, j), of_b),
                *(_kept_share(b, k, element), cell(b, 2, i, j), of_c),
            ]
            call(b, BLAS[element.name], arguments)
            types[:] = [argument.type for argument in arguments]

        _in_blocks(
            at,
            rows,
            lambda r, i, m: _in_blocks(
                r,
                columns,
                lambda c, j, n: _in_blocks(c, inner, lambda b, k, t: one(b, (i, j, k), (m, n, t))),
            ),
        )

    if batch == 1:
        multiply(build, addresses)
    else:
        number, body = counting_loop(build, batch)
        pairs = zip(addresses, steps, strict=True)
        multiply(body, [stepped(body, *pair, number) for pair in pairs])
        body.op("scf.yield")
    build.op("func.return", [target])
    return BLAS[element.name], types


def _in_blocks(build: Build, size: Number, body: Block) -> None:
    """Do something for each block; once where there is nothing, since sums of nothing are 0."""
    if isinstance(size, int) and size <= BLOCK:
        body(build, 0, size)
        return
    whole = added(build, at_least_one(build, size), BLOCK - 1)
    shift = BLOCK.bit_length() - 1
    count = whole >> shift if isinstance(whole, int) else _shifted(build, whole, shift)
    number, inside = counting_loop(build, count)
    wide = inside.value("arith.index_cast", (number,), frames.i64())
    start = multiplied(inside, wide, BLOCK)
    body(inside, start, smaller(inside, added(inside, size, multiplied(inside, start, -1)), BLOCK))
    inside.op("scf.yield")


def _shifted(build: Build, value: Value, bits: int) -> Value:
    return build.value("llvm.lshr", (value, frames.constant(build, bits)), frames.i64())


def _offset(build: Build, address: Value, distance: Number) -> Value:
    return frames.element_address(build, address, distance) if distance != 0 else address


def _kept_share(build: Build, term: Number, element: ElementType) -> Value:
    """What a call keeps of the result: nothing in the first block of terms, then all."""
    zero = real(build, 0.0, element.name)
    if isinstance(term, int):
        return zero
    first = {"predicate": mlir.i64_attr(0)}
    is_first = build.value(
        "llvm.icmp", (term, frames.constant(build, 0)), mlir.integer_type(1), first
    )
    return build.value("arith.select", (is_first, zero, real(build, 1.0, element.name)), zero.type)


def _limit(build: Build, sizes: Sequence[Number]) -> None:
    """BLAS counts rows and columns in 32 bits."""
    at_most = {"predicate": mlir.i64_attr(3)}
    for size in sizes:
        if isinstance(size, int):
            continue
        most = frames.constant(build, (1 << 31) - 1)
        fits = build.value("arith.cmpi", (size, most), mlir.integer_type(1), at_most)
        text = "a matrix has more than 2147483647 rows or columns"
        build.op("cf.assert", [fits], (), {"msg": mlir.string_attr(text)})


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
        row, at = _for(b, _index(b, 0), rows)
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
        row, at = _for(b, _index(b, 0), rows)
        column, step = _for(at, first, end)
        place = (matrix, row, column)
        bounds = (_index(step, 0), inner, _index(step, 1))
        start = _load(step, target, place)
        terms = step.op("scf.for", [*bounds, start], [start.type], regions=1)
        block, body = step.block(terms.regions[0], [mlir.index_type(), start.type])
        term, total = block.arguments
        factors = left(body, matrix, row, term), _load(body, rhs, (matrix, column, term))
        body.op("scf.yield", [_multiplied_and_added(body, *factors, total)])
        step.op("memref.store", (terms.results[0], target, *place))
        for each in (step, at):
            each.op("scf.yield")

    matrix, of_matrix = _for(build, _index(build, 0), batch)
    if flags[1]:
        first, body = _for(of_matrix, _index(of_matrix, 0), columns, ROWS)
        by_columns(body, matrix, first)
        nest = [body, of_matrix]
    else:
        term, of_terms = _for(of_matrix, _index(of_matrix, 0), inner, TERMS)
        column, body = _for(of_terms, _index(of_terms, 0), columns, COLUMNS)
        by_rows(body, matrix, (term, column))
        nest = [body, of_terms, of_matrix]
    for each in nest:
        each.op("scf.yield")
    build.op("func.return", [target])


def _size(build: Build, buffer: Value, dimension: int) -> Value:
    known = tensor_type(buffer.type).shape[dimension]
    if isinstance(known, int):
        return _index(build, known)
    return build.value("memref.dim", (buffer, _index(build, dimension)), mlir.index_type())


def _index(build: Build, number: int) -> Value:
    type = mlir.index_type()
    return build.value("arith.constant", (), type, {"value": mlir.integer_attr(number, type)})


def _for(build: Build, first: Value, end: Value, step: int = 1) -> tuple[Value, Build]:
    """A loop: its counter, and a builder in its body."""
    loop = build.op("scf.for", [first, end, _index(build, step)], (), regions=1)
    block, body = build.block(loop.regions[0], [mlir.index_type()])
    return block.arguments[0], body


def _stop(build: Build, first: Value, count: int, end: Value) -> Value:
    """Where a block ends that begins at ``first``."""
    past = build.value("arith.addi", (first, _index(build, count)), mlir.index_type())
    return build.value("arith.minsi", (past, end), mlir.index_type())


def _load(build: Build, buffer: Value, place: Sequence[Value]) -> Value:
    return build.value("memref.load", (buffer, *place), buffer.type.element_type)


def _multiplied_and_added(build: Build, a: Value, b: Value, total: Value) -> Value:
    product = build.value("arith.muli", (a, b), a.type)
    return build.value("arith.addi", (total, product), a.type)
