"""The computation of a collective as a program of its own.

    func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
      %0 = stablehlo.add %a, %b : tensor<?xf32>
      return %0 : tensor<?xf32>
    }

It combines what two processes have, element by element, however many elements that are.
"""

from __future__ import annotations

from shlo_tools import ir, mlir
from shlo_tools.ir import Build
from shlo_tools.mlir import Block, Operation, Value
from shlo_tools.ops import Trait, has_trait


def combining_module(op: Operation) -> mlir.Module:
    """A module whose function does to arrays what the region of ``op`` does to scalars.

    Raises:
        UnsupportedError: the region uses values from outside that are no constants.
    """
    (block,) = op.regions[0].blocks
    (result,) = ir.terminator(block).operands
    module = mlir.empty_module(op.location)
    build = Build(mlir.at_start(module.body), op.location)
    inputs = [_many(argument) for argument in block.arguments]
    main = build.function("main", inputs, [_many(result)], private=False)
    entry, inside = build.block(main.regions[0], inputs)
    arguments = list(entry.arguments)
    combined = _lifted(op, block, arguments, inside) or _mapped(op, block, arguments, inside)
    inside.op("func.return", [combined])
    return module


def kind_of(op: Operation) -> str:
    """``add`` where the region of ``op`` just adds its arguments, and likewise; else ''."""
    (block,) = op.regions[0].blocks
    first = mlir.inner_operation(next(iter(block.operations)))
    is_all = list(ir.terminator(block).operands) == list(first.results)
    if is_all and list(first.operands) == list(block.arguments):
        return first.name.removeprefix("stablehlo.")
    return ""


def _many(scalar: Value) -> mlir.Type:
    """The type of any number of values."""
    return mlir.tensor_type([mlir.DYNAMIC], scalar.type.element_type)


def _lifted(op: Operation, block: Block, arguments: list[Value], build: Build) -> Value | None:
    """The region's ops on arrays, where each is elementwise; None where one is not."""
    *inner, end = [mlir.inner_operation(view) for view in block.operations]
    if ir.captured(op) or not all(has_trait(each, Trait.ELEMENTWISE) for each in inner):
        return None
    values = dict(zip(block.arguments, arguments, strict=True))
    for each in inner:
        operands = [values[operand] for operand in each.operands]
        attributes = dict(each.attributes.items())
        types = [_many(result) for result in each.results]
        lifted = build.op(each.name, operands, types, attributes)
        values |= dict(zip(each.results, lifted.results, strict=True))
    return values[end.operands[0]]


def _mapped(op: Operation, block: Block, arguments: list[Value], build: Build) -> Value:
    """The region for each element."""
    end = ir.terminator(block)
    attributes = {"dimensions": mlir.i64_array_attr([0])}
    mapped = build.op("stablehlo.map", arguments, [_many(end.operands[0])], attributes, 1)
    inner, inside = build.block(mapped.regions[0], [value.type for value in block.arguments])
    values = dict(zip(block.arguments, inner.arguments, strict=True))
    for value in ir.captured(op):
        constant = mlir.defining_op(value)
        if constant is None or constant.name != "stablehlo.constant":
            ir.raise_unsupported([op], "its computation uses a value from outside")
        values[value] = mlir.inner_operation(constant).clone(inside.at).results[0]
    for view in block.operations:
        clone = mlir.inner_operation(mlir.inner_operation(view).clone(inside.at))
        ir.replace_operands(mlir.walk(clone), values)
        values |= dict(zip(mlir.inner_operation(view).results, clone.results, strict=True))
    return mapped.results[0]
