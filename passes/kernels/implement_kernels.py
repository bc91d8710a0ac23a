"""Kernels get the bodies that run: a library's, loops of their own, or a call of the host.

Before:
    func.func private @shlo.fft.0(memref<64xcomplex<f32>>, ...) attributes {shlo.kernel = ...}
After:
    ... func.call @shlo.call_host(%number, %table)

Runs on memrefs. ``lapack`` and ``host`` kernels are declarations until here. ``host`` ones pack
the addresses and unknown sizes of their buffers into a table and call back; what they stand for
is listed in ``shlo.host_calls`` on the module.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.codegen import frame as frames
from shlo_tools.codegen.lowered import CALL_HOST, HOST_CALLS, KERNEL
from shlo_tools.dtypes import tensor_type
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.kernels import lapack_kernels, matrix_products
from shlo_tools.passes.kernels.library_calls import body_of, declare
from shlo_tools.pipeline.registry import Pass


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
                called = matrix_products.implement(func, kernel)
                if called is not None:
                    declare(op, known, *called)
            elif kind == "lapack" and ir.is_declaration(func):
                declare(op, known, *lapack_kernels.implement(func, kernel))
            elif kind == "host" and ir.is_declaration(func):
                _host(func, len(hosts))
                hosts.append(_placed(kernel, func))
        if hosts:
            declare(op, known, CALL_HOST, [frames.i64(), frames.pointer()], dialect="func")
        op.attributes[HOST_CALLS] = mlir.array_attr(hosts)


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
