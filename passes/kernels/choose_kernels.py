"""Opaque kernels become what computes them best: loops, or calls of a library's kernels.

Before:
    %r = func.call @shlo.dot_general.0(%destination, %lhs, %rhs)
    func.func private @shlo.dot_general.0(...) attributes {shlo.kernel = {...}}
After, of a small one:
    %r = linalg.generic ... ins(%lhs, %rhs) { arith.mulf; arith.addf; linalg.yield }
and of a large one:
    %m = func.call @shlo.gemm.0(%matrix, %lhs, %rhs)

A kernel's description is the StableHLO op that it stands for. It is written down once more, in a
function that nobody calls, for the rules of ``passes/kernels`` to read. Runs before fusion: loops
fuse with what is around them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.codegen.lowered import KERNEL
from shlo_tools.errors import Diagnostic, PassError
from shlo_tools.ir import Build, Lowering, Rule
from shlo_tools.mlir import Operation
from shlo_tools.ops import Trait, has_trait
from shlo_tools.passes.kernels import contraction, convolution
from shlo_tools.passes.legalize_to_linalg.emit import structured
from shlo_tools.passes.legalize_to_linalg.emit.size_values import follow
from shlo_tools.passes.legalize_to_linalg.rules import lowered_type
from shlo_tools.pipeline.registry import Pass
from shlo_tools.shapes import Shapes

# By the op that a kernel stands for: lowers it, from the op as it was and lowered operands.
IMPLEMENTATIONS: dict[str, Rule] = {
    "stablehlo.convolution": convolution.convolution,
    "stablehlo.dot_general": contraction.dot_general,
    "stablehlo.dynamic_conv": convolution.dynamic_conv,
}
STATEMENT = "shlo.statement"


@dataclass(frozen=True)
class ChooseKernels(Pass):
    """Replace calls of opaque kernels by what computes them."""

    name = "shlo-choose-kernels"

    def run(self, op: Operation) -> None:
        kernels = {name: f for name, f in ir.functions_by_name(op).items() if _is_opaque(f)}
        if not kernels:
            return
        calls = [o for o in mlir.walk(op) if o.name == "func.call" and ir.callee_of(o) in kernels]
        statements = {name: _statement(func) for name, func in kernels.items()}
        conversion = _conversion(op, list(statements.values()))
        for call in calls:
            _implement(call, statements[ir.callee_of(call)], conversion)
        for func in (*kernels.values(), *statements.values()):
            func.erase()


def _is_opaque(func: Operation) -> bool:
    if KERNEL not in func.attributes:
        return False
    kernel = func.attributes[KERNEL]
    return f"stablehlo.{kernel['kind'].value}" in IMPLEMENTATIONS and ir.is_declaration(func)


def _statement(func: Operation) -> Operation:
    """A function of the one op that a kernel stands for.

    Raises:
        PassError: the kernel's description is no op, or one of other types.
    """
    kernel = func.attributes[KERNEL]
    type = _types(func, kernel)
    build = Build(mlir.before(func), func.location)
    statement = build.function(f"{STATEMENT}.{ir.symbol_name(func)}", type.inputs, type.results)
    block, inner = build.block(statement.regions[0], type.inputs)
    described = {item.name: item.attr for item in kernel["op"]}
    name = f"stablehlo.{kernel['kind'].value}"
    op = inner.op(name, list(block.arguments), type.results, described)
    inner.op("func.return", op.results)
    try:
        op.verify()
    except mlir.MLIRError as error:
        statement.erase()
        raise PassError(mlir.diagnostics_of(error)) from error
    return statement


def _types(func: Operation, kernel: Any) -> Any:
    """The types of the op that a kernel stands for."""
    described = {item.name: item.attr for item in kernel}
    if not (
        mlir.is_dictionary(described.get("op")) and mlir.is_function_type(described.get("types"))
    ):
        raise _refusal(func, "where `op` or `types` is missing")
    types = described["types"].value
    if [lowered_type(type) for type in (*types.results, *types.inputs)] != ir.signature(func)[0]:
        raise _refusal(func, "whose types are not those of its operands")
    return types


def _refusal(func: Operation, reason: str) -> PassError:
    text = f"@{ir.symbol_name(func)} has a description {reason}"
    return PassError(Diagnostic("error", text, mlir.place_of(func.location)))


def _conversion(module: Operation, statements: Sequence[Operation]) -> ir.Conversion:
    conversion = ir.Conversion(IMPLEMENTATIONS, lowered_type, ())
    conversion.symbols.update(ir.functions_by_name(module))
    if any(_has_unknown_sizes(statement) for statement in statements):
        shapes = Shapes()
        for statement in statements:
            shapes.function(statement)
        follow(conversion, shapes)
    return conversion


def _has_unknown_sizes(statement: Operation) -> bool:
    takes_sizes = any(has_trait(op, Trait.SIZES_AS_OPERANDS) for op in ir.children(statement))
    return takes_sizes or ir.has_type(statement, "?")


def _implement(call: Operation, statement: Operation, conversion: ir.Conversion) -> None:
    block = statement.regions[0].blocks[0]
    op = mlir.inner_operation(block.operations[0])
    count = len(call.results)
    destinations, operands = list(call.operands)[:count], list(call.operands)[count:]
    conversion.values.update(zip(block.arguments, operands, strict=True))
    build = Lowering(conversion, mlir.before(call), call.location)
    results = ir.flatten(IMPLEMENTATIONS[op.name](op, operands, build))
    types = [result.type for result in call.results]
    ir.replace(call, structured.as_declared(build, results, types))
    for value in destinations:
        empty = mlir.defining_op(value)
        if empty is not None and empty.name == "tensor.empty" and not list(value.uses):
            empty.erase()
