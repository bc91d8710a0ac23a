"""An op of a program, or several, as a program of its own.

    func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.exponential %arg0 : tensor<2xf32>
      return %0 : tensor<2xf32>
    }

Its arguments are the leaves of the ops' operands and of what their regions capture, as a probe
tells them; functions that the ops call come along.
"""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools import ir, mlir
from shlo_tools.errors import ShloError
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.passes.instrument.sites import called_by
from shlo_tools.passes.instrument.values import leaves, plain_type, rebuilt

_MAIN = "main"


def cut_out(
    ops: Sequence[Operation], operands: Sequence[Value], results: Sequence[Value], module: Operation
) -> mlir.Module:
    """A module whose ``@main`` applies ops to arguments.

    Args:
        ops: they follow each other in one block.
        operands: what they read of other ops.
        results: what is wanted of theirs.

    Raises:
        ShloError: an operand cannot be made from arrays.
    """
    with mlir.library_context():
        target = mlir.empty_module()
        _copy_functions(ops, module, target)
        _define(target, ops, operands, results)
        try:
            target.operation.verify()
        except mlir.MLIRError as error:
            raise ShloError(mlir.diagnostics_of(error)) from error
        return target


def _copy_functions(ops: Sequence[Operation], module: Operation, target: mlir.Module) -> None:
    named = ir.functions_by_name(module)
    left = sorted({n for op in ops for inner in mlir.walk(op) for n in called_by(inner)})
    copied: set[str] = set()
    while left:
        name = left.pop()
        if name in copied or name not in named:
            continue
        copied.add(name)
        copy = named[name].clone(mlir.at_end(target.body))
        copy.attributes["sym_visibility"] = mlir.string_attr("private")
        left += sorted({n for inner in mlir.walk(named[name]) for n in called_by(inner)})
    if _MAIN in copied:
        raise ShloError(f"{ops[0].name} calls @{_MAIN}, whose name is taken")


def _define(
    target: mlir.Module,
    ops: Sequence[Operation],
    operands: Sequence[Value],
    results: Sequence[Value],
) -> None:
    types = [type for operand in operands for type in leaf_types(operand.type)]
    outer = Build(mlir.at_end(target.body), ops[0].location)
    func = outer.function(_MAIN, types, private=False)
    block, build = outer.block(func.regions[0], types)
    arguments = iter(list(block.arguments))
    values = {operand: rebuilt(build, operand.type, arguments) for operand in operands}
    for op in ops:
        copy = mlir.inner_operation(op.clone(build.at))
        for inner in mlir.walk(copy):
            for number, value in enumerate(inner.operands):
                if value in values:
                    inner.operands[number] = values[value]
        values.update(zip(op.results, copy.results, strict=True))
    returned = [leaf.value for result in results for leaf in leaves(build, values[result])]
    build.op("func.return", returned)
    func.attributes["function_type"] = mlir.type_attr(
        mlir.function_type(types, [value.type for value in returned])
    )


def leaf_types(type: Type) -> list[Type]:
    """The types of a value's leaves."""
    if mlir.is_tuple(type):
        return [leaf for member in mlir.members(type) for leaf in leaf_types(member)]
    text = str(type)
    plain = plain_type(text)
    if plain is None:
        return []
    return [plain.mlir() if "!quant" in text or text.endswith("index>") else type]
