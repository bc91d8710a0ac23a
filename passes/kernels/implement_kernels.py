"""Kernels get the bodies that run: a library's, or a call of the host.

Before:
    func.func private @shlo.gemm.0(%out: memref<1x64x64xf32>, ...) attributes {shlo.kernel = ...}
After:
    ... llvm.call @scipy_cblas_sgemm(...)

Runs on memrefs. ``host`` kernels are declarations until here. Those of targets that LAPACK has a
routine for call that (``lapack_kernels``), unless a user registered a function for the target. The
others pack the addresses and unknown sizes of their buffers into a table and call back; what they
stand for is listed in ``shlo.host_calls`` on the module.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.codegen import memrefs
from shlo_tools.codegen.frame import CALL_HOST
from shlo_tools.codegen.llvm import I32, I64, POINTER, Code, Number, Word
from shlo_tools.dtypes import tensor_type
from shlo_tools.errors import PassError
from shlo_tools.extend import registered
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.kernels import lapack_kernels
from shlo_tools.passes.kernels.library_calls import Library, body_of
from shlo_tools.pipeline.registry import Pass

KERNEL = "shlo.kernel"
HOST_CALLS = "shlo.host_calls"
BLAS = {"f32": "scipy_cblas_sgemm", "f64": "scipy_cblas_dgemm"}
ROW_MAJOR, NO_TRANSPOSE, TRANSPOSE = 101, 111, 112


@dataclass(frozen=True)
class ImplementKernels(Pass):
    """Give kernel functions the bodies that run."""

    name = "shlo-implement-kernels"

    def run(self, op: Operation) -> None:
        hosts: list[mlir.Attribute] = []
        library = Library(op)
        for func in ir.functions(op):
            if KERNEL not in func.attributes:
                continue
            kernel: Any = func.attributes[KERNEL]
            kind = kernel["kind"].value
            if kind == "gemm":
                _gemm(func, kernel, library)
            elif not ir.is_declaration(func):
                continue
            elif kind != "host":
                text = f"@{ir.symbol_name(func)}: nothing implements kernels of kind {kind!r} here"
                raise PassError(text, hint="shlo-choose-kernels runs before bufferization")
            elif (call := _lapack_call(kernel)) is not None:
                lapack_kernels.implement(func, call, library)
            else:
                _host(func, len(hosts))
                hosts.append(_placed(kernel, func))
        if hosts:
            types = [mlir.parse_type(type) for type in (I64, POINTER)]
            Build(mlir.at_start(op.regions[0].blocks[0]), op.location).function(CALL_HOST, types)
        op.attributes[HOST_CALLS] = mlir.array_attr(hosts)


def _lapack_call(kernel: Any) -> lapack_kernels.Found | None:
    """What a host kernel calls of LAPACK; what a user registered comes before that."""
    is_called_directly = "step" not in kernel and registered(kernel["target"].value) is None
    return lapack_kernels.find(kernel) if is_called_directly else None


# --- matrix products ------------------------------------------------------------------------------
def _gemm(func: Operation, kernel: Any, library: Library) -> None:
    """Replace the loops by one call of BLAS per matrix of the batch."""
    block = func.regions[0].blocks[0]
    for op in reversed([mlir.inner_operation(view) for view in block.operations]):
        op.erase()
    target, lhs, rhs = list(block.arguments)
    flags = [kernel[name].value for name in ("transpose_lhs", "transpose_rhs")]
    code = Code(mlir.at_end(block), func.location)
    batch, rows, columns = (memrefs.extent(code, target, d) for d in range(3))
    inner = memrefs.extent(code, lhs, 1 if flags[0] else 2)
    for size in (rows, columns, inner):
        _limit(code, size)
    element = tensor_type(target.type).element_type
    name, itemsize = BLAS[element.name], element.bits // 8
    addresses = [memrefs.address_of(code, value) for value in (lhs, rhs, target)]
    steps = [rows * inner * itemsize, inner * columns * itemsize, rows * columns * itemsize]

    def multiply(number: Number) -> None:
        transposes = [TRANSPOSE if flag else NO_TRANSPOSE for flag in flags]
        strides = [rows if flags[0] else inner, inner if flags[1] else columns, columns]
        of_a, of_b, of_c = (_c_integer(code, _at_least_one(stride)) for stride in strides)
        a, b, c = (start + step * number for start, step in zip(addresses, steps, strict=True))
        arguments = [
            *(_c_integer(code, n) for n in (ROW_MAJOR, *transposes, rows, columns, inner)),
            *(code.constant(1.0, element.name), a, of_a, b, of_b),
            *(code.constant(0.0, element.name), c, of_c),
        ]
        library.call(code, name, arguments)

    if batch == 1:
        multiply(0)
    else:
        code.loop(batch, multiply)
    code.op("func.return", [target])


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
