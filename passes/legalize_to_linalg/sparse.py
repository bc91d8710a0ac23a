"""``cpu_csr_sparse_dense_ffi``: a matrix in CSR form times a dense vector or matrix."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools import mlir
from shlo_tools.constraints import Fact
from shlo_tools.dtypes import ELEMENT_TYPES, TensorType
from shlo_tools.extend.targets import SPARSE_TIMES_DENSE
from shlo_tools.ir import Lowering, raise_unsupported
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar
from shlo_tools.passes.legalize_to_linalg.elementwise import Emit
from shlo_tools.passes.legalize_to_linalg.emit import size_checks, structured
from shlo_tools.passes.legalize_to_linalg.emit.accumulation import accumulate
from shlo_tools.passes.legalize_to_linalg.emit.kernels import (
    SLE,
    ULT,
    arithmetic,
    compare,
    kernel_call,
    load,
    loop,
    nest,
    store,
)


def csr_times_dense(op: Operation, operands: Sequence[Value], build: Lowering) -> list[Value]:
    """Row r holds ``values[ends[r]:ends[r + 1]]``, in the columns of those numbers.

    An index that leaves the matrix fails a check; the kernel reads nothing outside.
    """
    values, offsets, places, dense = (build.type(value) for value in op.operands)
    result = build.type(op.results[0])
    if dense.rank != result.rank:
        raise_unsupported([op], "its types do not fit")
    pairs = [(offsets.shape[0], result.shape[0] + 1), (places.shape[0], values.shape[0])]
    for have, want in (*pairs, *zip(dense.shape[1:], result.shape[1:], strict=True)):
        size_checks.check(op, Fact("==", have, want), "its sizes do not fit", build)
    zero = structured.scalar(build, 0, ELEMENT_TYPES["i1"])
    start = cast_scalar(Emit(op, build), zero, ELEMENT_TYPES["i1"], result.element_type)
    target = structured.filled(build, start, result)

    def body(inner: Lowering, arguments: list[Value]) -> Sequence[Value]:
        entries, ends, columns, dense_rows = arguments[1:]
        most = structured.index(inner, values.shape[0])
        limit = structured.index(inner, dense.shape[0])

        def row(b: Lowering, number: Value, state: list[Value]) -> Sequence[Value]:
            first = _end(b, ends, number)
            last = _end(b, ends, arithmetic(b, "addi", number, structured.index(b, 1)))
            least = structured.index(b, 0)
            for smaller, larger in ((least, first), (first, last), (last, most)):
                _check(b, compare(b, SLE, smaller, larger))

            def element(e: Lowering, at: Value, tensors: list[Value]) -> Sequence[Value]:
                column = _index(e, load(e, columns, [at]))
                _check(e, compare(e, ULT, column, limit))
                factor = load(e, entries, [at])
                return _add_row(op, e, (tensors[0], number), (dense_rows, column), factor, result)

            return loop(b, last, state, element, start=first)

        return loop(inner, result.shape[0], arguments[:1], row)

    return kernel_call(op, build, "csr", [target], operands, body)


def _add_row(
    op: Operation,
    build: Lowering,
    target: tuple[Value, Value],
    source: tuple[Value, Value],
    factor: Value,
    result: TensorType,
) -> Sequence[Value]:
    """Add ``factor`` times a row of the source to a row of the target."""

    def one(b: Lowering, rest: list[Value], state: list[Value]) -> Sequence[Value]:
        place = [target[1], *rest]
        other = load(b, source[0], [source[1], *rest])
        old = load(b, state[0], place)
        new = accumulate(Emit(op, b), result.element_type, old, factor, other)
        return [store(b, new, state[0], place)]

    return nest(build, result.shape[1:], [target[0]], one)


def _end(build: Lowering, ends: Value, number: Value) -> Value:
    return _index(build, load(build, ends, [number]))


def _index(build: Lowering, value: Value) -> Value:
    return build.value("arith.index_cast", (value,), mlir.index_type())


def _check(build: Lowering, holds: Value) -> None:
    message = f"{SPARSE_TIMES_DENSE}: an index leaves the matrix"
    build.op("cf.assert", [holds], (), {"msg": mlir.string_attr(message)})
