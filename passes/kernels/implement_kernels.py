"""Kernels get the bodies that run: a library's, or a call of the host.

Before:
    func.func private @shlo.gemm.0(%out: memref<1x64x64xf32>, ...) attributes {shlo.kernel = ...}
After:
    ... llvm.call @scipy_cblas_sgemm(...)

Runs on memrefs. ``lapack`` and ``host`` kernels are declarations until here. ``host`` ones pack
the addresses and unknown sizes of their buffers into a table and call back; what they stand for
is listed in ``shlo.host_calls`` on the module.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.codegen import frame as frames
from shlo_tools.codegen.lowered import CALL_HOST, HOST_CALLS, KERNEL
from shlo_tools.dtypes import tensor_type
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.passes.kernels import lapack_kernels
from shlo_tools.passes.kernels.library_calls import (
    at_least_one,
    body_of,
    call,
    counting_loop,
    declare,
    extent,
    integer,
    multiplied,
    real,
    stepped,
)
from shlo_tools.pipeline.registry import Pass

BLAS = {"f32": "scipy_cblas_sgemm", "f64": "scipy_cblas_dgemm"}
ROW_MAJOR, NO_TRANSPOSE, TRANSPOSE = 101, 111, 112


@dataclass(frozen=True)
class ImplementKernels(Pass):
    """Give kernel functions the bodies that run."""

    name = "shlo-implement-kernels"

    def run(self, op: Operation) -> None:
        hosts: list[mlir.Attribute] = []
        known = {ir.symbol_name(child) for child in ir.children(op)}
        for func in ir.functions(op):
            if KERNEL not in func.attributes:
                continue
            kernel: Any = func.attributes[KERNEL]
            kind = kernel["kind"].value
            if kind == "gemm":
                declare(op, known, *_gemm(func, kernel))
            elif kind == "lapack" and ir.is_declaration(func):
                declare(op, known, *lapack_kernels.implement(func, kernel))
            elif kind == "host" and ir.is_declaration(func):
                _host(func, len(hosts))
                hosts.append(_placed(kernel, func))
        if hosts:
            declare(op, known, CALL_HOST, [frames.i64(), frames.pointer()], dialect="func")
        op.attributes[HOST_CALLS] = mlir.array_attr(hosts)


# --- matrix products ------------------------------------------------------------------------------
def _gemm(func: Operation, kernel: Any) -> tuple[str, list[Type]]:
    """Replace the loops by one call of BLAS per matrix of the batch; returns its declaration."""
    block = func.regions[0].blocks[0]
    for op in reversed([mlir.inner_operation(view) for view in block.operations]):
        op.erase()
    target, lhs, rhs = list(block.arguments)
    flags = [kernel[name].value for name in ("transpose_lhs", "transpose_rhs")]
    build = Build(mlir.at_end(block), func.location)
    batch, rows, columns = (extent(build, target, d) for d in range(3))
    inner = extent(build, lhs, 1 if flags[0] else 2)
    _limit(build, (rows, columns, inner))
    element = tensor_type(target.type).element_type
    itemsize = element.bits // 8
    steps = [
        multiplied(build, multiplied(build, *sizes), itemsize)
        for sizes in ((rows, inner), (inner, columns), (rows, columns))
    ]
    addresses = [frames.address_of(build, value) for value in (lhs, rhs, target)]

    def multiply(at: Build, a: Value, b: Value, c: Value) -> list[Type]:
        transposes = [TRANSPOSE if flag else NO_TRANSPOSE for flag in flags]
        strides = [rows if flags[0] else inner, inner if flags[1] else columns, columns]
        of_a, of_b, of_c = (integer(at, at_least_one(at, stride)) for stride in strides)
        arguments = [
            *(integer(at, n) for n in (ROW_MAJOR, *transposes, rows, columns, inner)),
            *(real(at, 1.0, element.name), a, of_a, b, of_b),
            *(real(at, 0.0, element.name), c, of_c),
        ]
        call(at, BLAS[element.name], arguments)
        return [argument.type for argument in arguments]

    if batch == 1:
        types = multiply(build, *addresses)
    else:
        number, body = counting_loop(build, batch)
        types = multiply(
            body, *(stepped(body, *pair, number) for pair in zip(addresses, steps, strict=True))
        )
        body.op("scf.yield")
    build.op("func.return", [target])
    return BLAS[element.name], types


def _limit(build: Build, sizes: Sequence[int | Value]) -> None:
    """BLAS counts rows and columns in 32 bits."""
    at_most = {"predicate": mlir.i64_attr(3)}
    for size in sizes:
        if isinstance(size, int):
            continue
        most = frames.constant(build, (1 << 31) - 1)
        fits = build.value("arith.cmpi", (size, most), mlir.integer_type(1), at_most)
        text = "a matrix has more than 2147483647 rows or columns"
        build.op("cf.assert", [fits], (), {"msg": mlir.string_attr(text)})


# --- calls of the host ----------------------------------------------------------------------------
def _placed(kernel: Any, func: Operation) -> mlir.Attribute:
    """The kernel's description with the place of its first call, for messages."""
    place = mlir.place_of(func.location)
    words = {item.name: item.attr for item in kernel}
    if place is not None:
        words["place"] = mlir.string_attr(str(place))
    return mlir.dict_attr(words)


def _host(func: Operation, number: int) -> None:
    """Define a declared kernel: call back with a table, return the destinations.

    The table holds the addresses of the buffers, then those of their sizes that are not known.
    """
    _, results = ir.signature(func)
    arguments, build = body_of(func)
    words = [frames.address_of(build, argument) for argument in arguments]
    words += [size for argument in arguments for size in _unknown_sizes(build, argument)]
    table = build.value(
        "llvm.alloca",
        (frames.constant(build, max(1, len(words))),),
        frames.pointer(),
        {
            "elem_type": mlir.type_attr(frames.i64()),
            "alignment": mlir.i64_attr(8),
        },
    )
    for index, word in enumerate(words):
        frames.store_at(build, table, index, word)
    callee = {"callee": mlir.symbol_attr(CALL_HOST)}
    build.op("func.call", [frames.constant(build, number), table], (), callee)
    build.op("func.return", arguments[: len(results)])


def _unknown_sizes(build: Build, buffer: Value) -> list[Value]:
    """Those sizes of a buffer that are known at run time only."""
    found = []
    for d, size in enumerate(tensor_type(buffer.type).shape):
        if not isinstance(size, int):
            index = {"value": mlir.integer_attr(d, mlir.index_type())}
            number = build.value("arith.constant", (), mlir.index_type(), index)
            dim = build.value("memref.dim", (buffer, number), mlir.index_type())
            found.append(build.value("arith.index_cast", (dim,), frames.i64()))
    return found
