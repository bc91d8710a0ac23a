"""Computations that are written for one device of many, as calls of functions.

    %0 = "shlo.manual_computation"(%a) ({
    ^bb0(%b: tensor<2xf32>):
      ...
      stablehlo.return %c : tensor<2xf32>
    }, {}) {shlo.in_shardings = "[...]", shlo.out_shardings = "[...]", shlo.manual_axes = "{...}"}
      : (tensor<4xf32>) -> tensor<2xf32>

becomes

    %0 = stablehlo.custom_call @shlo.manual_computation(%a)
      {called_computations = [@manual_computation], shlo.in_shardings = "[...]", ...}
      : (tensor<4xf32>) -> tensor<2xf32>

and a private function of what one device computes from its parts of the operands. The call's
operands and results are whole arrays; ``shlo-lower-manual-computations`` says what it means.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from shlo_tools import ir, mlir
from shlo_tools.errors import ParseError
from shlo_tools.ir import Build

CALL = "stablehlo.custom_call"
OP = "shlo.manual_computation"  # also the target of the calls
IN_SHARDINGS, OUT_SHARDINGS = "shlo.in_shardings", "shlo.out_shardings"
MANUAL_AXES = "shlo.manual_axes"


def outline(module: mlir.Module) -> None:
    """Make functions of all such computations in a module, innermost first.

    Raises:
        ParseError: one uses values from around it or is no single block, or an op of the module is
            of an unknown dialect.
    """
    root = module.operation
    known = set(ir.functions_by_name(root))
    names = (name for name in _names() if name not in known)
    for op in reversed(mlir.walk(root)):
        if op.name == OP:
            _outline(op, next(names), Build(mlir.at_end(module.body), op.location))
    for op in mlir.walk(root):  # no other may be of an unknown dialect
        if not root.context.is_registered_operation(op.name):
            place = mlir.place_of(op.location)
            raise ParseError(f"operation '{op.name}' is unregistered", place=place)


def is_call(op: mlir.Operation) -> bool:
    """Whether an op calls such a computation."""
    return op.name == CALL and ir.text_of(op, "call_target_name") == OP


def _names() -> Iterator[str]:
    yield "manual_computation"
    yield from (f"manual_computation_{number}" for number in itertools.count(1))


def _outline(op: mlir.Operation, name: str, build: Build) -> None:
    place = mlir.place_of(op.location)
    if ir.captured(op):
        raise ParseError("a manual computation uses values from around it", place=place)
    blocks = list(op.regions[0].blocks)
    if len(blocks) != 1 or ir.terminator(blocks[0]).name != "stablehlo.return":
        raise ParseError("a manual computation is one block that ends with sdy.return", place=place)
    block = blocks[0]
    ending = ir.terminator(block)
    results = [value.type for value in ending.operands]
    function = build.function(name, [argument.type for argument in block.arguments], results)
    block.append_to(function.regions[0])
    inside = Build(mlir.before(ending), ending.location)
    inside.op("func.return", list(ending.operands))
    ending.erase()
    attributes = dict(op.attributes.items())
    attributes["call_target_name"] = mlir.string_attr(OP)
    attributes["called_computations"] = mlir.array_attr([mlir.symbol_attr(name)])
    call = Build(mlir.before(op), op.location).op(
        CALL,
        list(op.operands),
        [result.type for result in op.results],
        attributes,
    )
    ir.replace(op, list(call.results))
