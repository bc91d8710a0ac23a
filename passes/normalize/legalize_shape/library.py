"""Shape functions: what a ``shape.function_library`` says of ops holds for the ops of a program.

    module attributes {shape.lib = [@lib]} {
      shape.function_library @lib {
        shape.func @same(%arg: !shape.value_shape) -> !shape.shape { ... }
      } mapping {stablehlo.abs = @same}

Behind every ``stablehlo.abs`` its function is inlined, and the result must have the shape that it
returns. Where sizes are known that is decided here.
"""

from __future__ import annotations

from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.passes.normalize.legalize_shape import shapes
from shlo_tools.passes.normalize.legalize_shape.assertions import demand, leave, require, told
from shlo_tools.passes.normalize.legalize_shape.combining import all_equal
from shlo_tools.passes.normalize.legalize_shape.rules import SHAPE, VALUE_SHAPE
from shlo_tools.passes.normalize.legalize_shape.values import ValueShape

OPS = ("shape.func", "shape.function_library")
_ATTACHED = "shape.lib"


def functions(module: Operation) -> dict[str, Operation]:
    """The shape functions of the libraries that a module names: op name -> function."""
    if _ATTACHED not in module.attributes:
        return {}
    attached = module.attributes[_ATTACHED]  # a symbol, or several
    symbols = [attached] if hasattr(attached, "value") else attached
    names = [symbol.value for symbol in symbols]
    shape_functions: dict[str, Operation] = {}
    for op in ir.children(module):
        if op.name == "shape.function_library" and ir.symbol_name(op) in names:
            bodies = {ir.symbol_name(func): func for func in ir.children(op)}
            mapping = op.attributes["mapping"]
            for item in (mapping[index] for index in range(len(mapping))):
                shape_functions[item.name] = bodies[item.attr.value]
    return shape_functions


def erase(module: Operation) -> None:
    """Erase libraries and shape functions: what they say stands where it counts."""
    if _ATTACHED in module.attributes:
        del module.attributes[_ATTACHED]
    for op in ir.children(module):
        if op.name in OPS:
            op.erase()


def check(func: Operation, op: Operation, values: list[Any], build: Lowering) -> None:
    """Assert that an op's results have the shapes that its shape function returns.

    Args:
        values: the lowered operands, then the lowered results.
    """
    block = func.regions[0].blocks[0]
    operands, results = values[: len(op.operands)], values[len(op.operands) :]
    name = ir.symbol_name(func)
    if len(block.arguments) != len(operands) or not all(_has_shape(v) for v in values):
        ir.raise_unsupported([op], f"shape function @{name} takes other operands")
    types = [argument.type for argument in block.arguments]
    pairs = zip(operands, types, strict=True)
    returned = build.inline(func.regions[0], [_argument(build, *pair) for pair in pairs])
    if len(returned) != len(results):
        ir.raise_unsupported([op], f"shape function @{name} returns another number of shapes")
    build.location = op.location
    for value, result_shape in zip(results, returned, strict=True):
        expected, own = shapes.shape(build, result_shape), shapes.of_tensor(build, value)
        leave(build, expected)
        text, words = told((own, expected))
        message = f"{op.name}: the result has not the shape that @{name} says{text}"
        require(build, demand(build, all_equal(build, [own, expected]), message, words))


def _has_shape(value: Any) -> bool:
    return hasattr(value, "type") and mlir.is_tensor(value.type)


def _argument(build: Lowering, value: Value, type: Type) -> Any:
    """An operand as the shape function takes it."""
    shape = shapes.of_tensor(build, value)
    if str(type) == VALUE_SHAPE:
        return ValueShape(value, shape)
    return shape if str(type) == SHAPE else value
