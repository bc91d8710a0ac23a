"""One op of a program as a program of its own.

    func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.exponential %arg0 : tensor<2xf32>
      return %0 : tensor<2xf32>
    }

Its arguments are the leaves of the op's operands and of what its regions capture, as a probe
tells them; functions that the op calls come along.
"""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools import ir, mlir
from shlo_tools.errors import ShloError
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.passes.instrument.sites import Found, called_by
from shlo_tools.passes.instrument.values import leaves, plain_type, rebuilt

_MAIN = "main"


def cut_out(found: Found, module: Operation) -> mlir.Module:
    """A module whose ``@main`` applies the op to arguments.

    Raises:
        ShloError: an operand cannot be made from arrays.
    """
    with mlir.library_context():
        made = mlir.empty_module()
        _copy_functions(found.op, module, made)
        _define(made, found)
        try:
            made.operation.verify()
        except mlir.MLIRError as error:
            raise ShloError(mlir.diagnostics_of(error)) from error
        return made


def _copy_functions(op: Operation, module: Operation, made: mlir.Module) -> None:
    named = ir.functions_by_name(module)
    left = sorted({name for inner in mlir.walk(op) for name in called_by(inner)})
    copied: set[str] = set()
    while left:
        name = left.pop()
        if name in copied or name not in named:
            continue
        copied.add(name)
        copy = named[name].clone(mlir.at_end(made.body))
        copy.attributes["sym_visibility"] = mlir.string_attr("private")
        left += sorted({n for inner in mlir.walk(named[name]) for n in called_by(inner)})
    if _MAIN in copied:
        raise ShloError(f"{op.name} calls @{_MAIN}, whose name is taken")


def _define(made: mlir.Module, found: Found) -> None:
    operands = found.operands
    types = [type for operand in operands for type in _argument_types(operand.type)]
    outer = Build(mlir.at_end(made.body), found.op.location)
    func = outer.function(_MAIN, types, private=False)
    block, build = outer.block(func.regions[0], types)
    given = iter(list(block.arguments))
    rebuilt_operands = [rebuilt(build, operand.type, given) for operand in operands]
    copy = mlir.inner_operation(found.op.clone(build.at))
    _replace(copy, operands, rebuilt_operands)
    results = [leaf.value for result in copy.results for leaf in leaves(build, result)]
    build.op("func.return", results)
    func.attributes["function_type"] = mlir.type_attr(
        mlir.function_type(types, [result.type for result in results])
    )


def _replace(copy: Operation, old: Sequence[Value], new: Sequence[Value]) -> None:
    for inner in mlir.walk(copy):
        for before, after in zip(old, new, strict=True):
            inner.replace_uses_of_with(before, after)


def _argument_types(type: Type) -> list[Type]:
    """The types of a value's leaves."""
    text, held = str(type), type
    if text.startswith("tuple<"):
        parts: list[Type] = []
        for number in range(held.num_types):  # type: ignore[attr-defined]
            parts += _argument_types(held.get_type(number))  # type: ignore[attr-defined]
        return parts
    plain = plain_type(text)
    if plain is None:
        return []
    return [plain.mlir() if "!quant" in text or text.endswith("index>") else type]
