"""Kernels get the bodies that run: a library's, or a call of the host.

Before:
    func.func private @shlo.gemm.0(%out: memref<1x64x64xf32>, ...) attributes {shlo.kernel = ...}
After:
    ... llvm.call @scipy_cblas_sgemm(...)

Runs on memrefs. ``host`` kernels, declarations until here, pack the addresses of their buffers
into a table and call back; what they stand for is listed in ``shlo.host_calls`` on the module.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.codegen import frame as frames
from shlo_tools.codegen.frame import CALL_HOST
from shlo_tools.dtypes import tensor_type
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Type, Value
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
        declared: set[str] = set()
        for func in ir.functions(op):
            if KERNEL not in func.attributes:
                continue
            kernel: Any = func.attributes[KERNEL]
            kind = kernel["kind"].value
            if kind == "gemm":
                _declare_once(op, declared, *_gemm(func, kernel))
            elif kind == "host" and ir.is_declaration(func):
                _host(func, len(hosts))
                hosts.append(kernel)
        if hosts:
            _declare_once(op, declared, CALL_HOST, [frames.i64(), frames.pointer()], dialect="func")
        op.attributes[HOST_CALLS] = mlir.array_attr(hosts)


def _declare_once(
    module: Operation, declared: set[str], name: str, types: Sequence[Type], dialect: str = "llvm"
) -> None:
    if name in declared or name in {ir.symbol_name(op) for op in ir.children(module)}:
        return
    declared.add(name)
    inputs = ", ".join(str(type) for type in types)
    type = f"!llvm.func<void ({inputs.replace('!llvm.', '')})>"
    if dialect == "func":
        type = f"({inputs}) -> ()"
    attributes = {
        "sym_name": mlir.string_attr(name),
        "function_type": mlir.type_attr(mlir.parse_type(type)),
    }
    if dialect == "func":
        attributes["sym_visibility"] = mlir.string_attr("private")
    block = module.regions[0].blocks[0]
    build = Build(mlir.at_start(block), module.location)
    build.op(f"{dialect}.func", (), (), attributes, regions=1)


# --- matrix products ------------------------------------------------------------------------------
def _gemm(func: Operation, kernel: Any) -> tuple[str, list[Type]]:
    """Replace the loops by one call of BLAS per matrix of the batch; returns its declaration."""
    block = func.regions[0].blocks[0]
    for op in reversed([mlir.inner_operation(view) for view in block.operations]):
        op.erase()
    target, lhs, rhs = list(block.arguments)
    result = tensor_type(target.type)
    batch, rows, columns = result.static_shape
    flags = [kernel[name].value for name in ("transpose_lhs", "transpose_rhs")]
    lhs_shape = tensor_type(lhs.type).static_shape
    inner = lhs_shape[1] if flags[0] else lhs_shape[2]
    name = BLAS[result.element_type.name]
    build = Build(mlir.at_end(block), func.location)
    i32, float_type = mlir.integer_type(32), mlir.parse_type(result.element_type.name)

    def integer(value: int) -> Value:
        held = {"value": mlir.integer_attr(value, i32)}
        return build.value("llvm.mlir.constant", (), i32, held)

    def real(value: float) -> Value:
        held = {"value": mlir.float_attr(value, float_type)}
        return build.value("llvm.mlir.constant", (), float_type, held)

    addresses = [address_of(build, value) for value in (lhs, rhs, target)]
    sizes = [rows * inner, inner * columns, rows * columns]
    types: list[Type] = []
    for number in range(batch):
        steps = [result.element_type.bits // 8 * size * number for size in sizes]
        a, b, c = (
            frames.element_address(build, address, step)
            for address, step in zip(addresses, steps, strict=True)
        )
        arguments = [
            integer(ROW_MAJOR),
            *(integer(TRANSPOSE if flag else NO_TRANSPOSE) for flag in flags),
            *(integer(size) for size in (rows, columns, inner)),
            *(real(1.0), a, integer(max(1, rows if flags[0] else inner))),
            *(b, integer(max(1, inner if flags[1] else columns))),
            *(real(0.0), c, integer(columns)),
        ]
        types = [argument.type for argument in arguments]
        build.op("llvm.call", arguments, (), _callee(name, len(arguments)))
    build.op("func.return", [target])
    return name, types


def _callee(name: str, operands: int) -> dict[str, mlir.Attribute]:
    return {
        "callee": mlir.symbol_attr(name),
        "operandSegmentSizes": mlir.i32_array_attr([operands, 0]),
        "op_bundle_sizes": mlir.i32_array_attr([]),
    }


def address_of(build: Build, buffer: Value) -> Value:
    """The address of a row-major memref's data."""
    index = build.value("memref.extract_aligned_pointer_as_index", (buffer,), mlir.index_type())
    number = build.value("arith.index_cast", (index,), frames.i64())
    return build.value("llvm.inttoptr", (number,), frames.pointer())


# --- calls of the host ----------------------------------------------------------------------------
def _host(func: Operation, number: int) -> None:
    """Define a declared kernel: write addresses to a table, call back, return the destinations."""
    inputs, results = ir.signature(func)
    outer = Build(mlir.before(func), func.location)
    block, build = outer.block(func.regions[0], inputs)
    if "arg_attrs" in func.attributes:
        del func.attributes["arg_attrs"]
    arguments = list(block.arguments)
    count = frames.constant(build, max(1, len(arguments)))
    table = build.value(
        "llvm.alloca",
        (count,),
        frames.pointer(),
        {
            "elem_type": mlir.type_attr(frames.i64()),
            "alignment": mlir.integer_attr(8, frames.i64()),
        },
    )
    for index, argument in enumerate(arguments):
        frames.store_at(build, table, index, address_of(build, argument))
    callee = {"callee": mlir.symbol_attr(CALL_HOST)}
    build.op("func.call", [frames.constant(build, number), table], (), callee)
    build.op("func.return", arguments[: len(results)])
