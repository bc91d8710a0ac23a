"""Kernels get the bodies that run: a function of LAPACK, or a call of the host.

Before:
    func.func private @shlo.fft.0(memref<64xcomplex<f32>>, ...) attributes {shlo.kernel = ...}
After:
    ... func.call @shlo.call_host(%number, %table)

Runs on memrefs. ``host`` kernels are declarations until here. Those of targets that LAPACK has a
routine for call that (``lapack_kernels``), unless a user registered a function for the target, or
there is more to do than to call. The others pack the addresses and unknown sizes of their buffers
into a table and call back; what they stand for is listed in ``shlo.host_calls`` on the module.
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.codegen import memrefs
from shlo_tools.codegen.llvm import I64, POINTER, Code, Word
from shlo_tools.codegen.lowered import CALL_HOST, HOST_CALLS, KERNEL
from shlo_tools.dtypes import tensor_type
from shlo_tools.errors import PassError
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.kernels import lapack_kernels
from shlo_tools.passes.kernels.library_calls import Library, body_of
from shlo_tools.passes.legalize_to_linalg.host_calls import placed
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class ImplementKernels(Pass):
    """Give kernel functions the bodies that run."""

    name = "shlo-implement-kernels"

    def run(self, op: Operation) -> None:
        hosts = ir.items_of(op, HOST_CALLS)  # of stages
        library = Library(op)
        for func in ir.functions(op):
            if KERNEL not in func.attributes:
                continue
            kernel = func.attributes[KERNEL]
            kind = kernel["kind"].value
            if not ir.is_declaration(func):
                continue
            if kind != "host":
                text = f"@{ir.symbol_name(func)}: nothing implements kernels of kind {kind!r} here"
                raise PassError(text)
            lapack = lapack_kernels.find(kernel)
            if lapack is not None and lapack.call.is_plain:
                lapack_kernels.implement(func, lapack, library)
            else:
                _host(func, len(hosts))
                hosts.append(placed({i.name: i.attr for i in kernel}, func.location))
        if hosts:
            types = [mlir.parse_type(type) for type in (I64, POINTER)]
            Build(mlir.at_start(op.regions[0].blocks[0]), op.location).function(CALL_HOST, types)
        op.attributes[HOST_CALLS] = mlir.array_attr(hosts)


# --- calls of the host ----------------------------------------------------------------------------
def _host(func: Operation, number: int) -> None:
    """Define a declared kernel: call back with a table, return the destinations.

    The table holds the addresses of the buffers, then those of their sizes that are not known.
    """
    _, results = ir.signature(func)
    buffers, code = body_of(func)
    words = [memrefs.address_of(code, buffer) for buffer in buffers]
    words += [size for buffer in buffers for size in _unknown_sizes(code, buffer)]
    table = code.table(len(words))
    for position, word in enumerate(words):
        code.store(word, table + 8 * position)
    code.call(CALL_HOST, [code.constant(number).value, table.value])
    code.op("func.return", buffers[: len(results)])


def _unknown_sizes(code: Code, buffer: Value) -> list[Word]:
    """Those sizes of a buffer that are known at run time only."""
    sizes = [memrefs.extent(code, buffer, d) for d in range(tensor_type(buffer.type).rank)]
    return [size for size in sizes if isinstance(size, Word)]
