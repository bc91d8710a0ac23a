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
                hosts.append(_placed(kernel, func))
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
    inner = tensor_type(lhs.type).static_shape[1 if flags[0] else 2]
    build = Build(mlir.at_end(block), func.location)
    element = result.element_type
    steps = [size * element.bits // 8 for size in (rows * inner, inner * columns, rows * columns)]
    addresses = [address_of(build, value) for value in (lhs, rhs, target)]

    def multiply(at: Build, a: Value, b: Value, c: Value) -> list[Type]:
        def integer(value: int) -> Value:
            i32 = mlir.integer_type(32)
            held = {"value": mlir.integer_attr(value, i32)}
            return at.value("llvm.mlir.constant", (), i32, held)

        def real(value: float) -> Value:
            type = mlir.parse_type(element.name)
            held = {"value": mlir.float_attr(value, type)}
            return at.value("llvm.mlir.constant", (), type, held)

        arguments = [
            integer(ROW_MAJOR),
            *(integer(TRANSPOSE if flag else NO_TRANSPOSE) for flag in flags),
            *(integer(size) for size in (rows, columns, inner)),
            *(real(1.0), a, integer(max(1, rows if flags[0] else inner))),
            *(b, integer(max(1, inner if flags[1] else columns))),
            *(real(0.0), c, integer(max(1, columns))),
        ]
        at.op("llvm.call", arguments, (), _callee(BLAS[element.name], len(arguments)))
        return [argument.type for argument in arguments]

    if batch == 1:
        types = multiply(build, *addresses)
    else:
        number, body = _counting_loop(build, batch)
        types = multiply(
            body, *(_stepped(body, *pair, number) for pair in zip(addresses, steps, strict=True))
        )
        body.op("scf.yield")
    build.op("func.return", [target])
    return BLAS[element.name], types


def _counting_loop(build: Build, count: int) -> tuple[Value, Build]:
    """``scf.for`` from 0 below ``count``: its counter, and a builder in its body."""
    index = mlir.index_type()
    bounds = [
        build.value("arith.constant", (), index, {"value": mlir.integer_attr(n, index)})
        for n in (0, count, 1)
    ]
    loop = build.op("scf.for", bounds, (), regions=1)
    block, body = build.block(loop.regions[0], [index])
    return block.arguments[0], body


def _stepped(build: Build, address: Value, step: int, number: Value) -> Value:
    """``address + step * number``."""
    wide = build.value("arith.index_cast", (number,), frames.i64())
    distance = build.value("llvm.mul", (wide, frames.constant(build, step)), frames.i64())
    return frames.element_address(build, address, distance)


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
def _placed(kernel: Any, func: Operation) -> mlir.Attribute:
    """The kernel's description with the place of its first call, for messages."""
    place = mlir.place_of(func.location)
    words = {item.name: item.attr for item in kernel}
    if place is not None:
        words["place"] = mlir.string_attr(str(place))
    return mlir.dict_attr(words)


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
