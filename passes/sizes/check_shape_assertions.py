"""``shape_assertion`` custom calls of constants: what holds goes, what does not is an error.

Before:
    %ok = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.custom_call @shape_assertion(%ok, %n) {error_message = "{0} is odd", ...} : ...
After: nothing.

Exporters write assertions for programs of symbolic sizes. Run this once sizes are refined: an
assertion of what is still unknown is an error, unless ``keep-unknown`` leaves it to run time.
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import dtypes, ir, mlir
from shlo_tools.dims import Dim
from shlo_tools.errors import Diagnostic, PassError
from shlo_tools.extend.targets import SHAPE_ASSERTION
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.sizes import size_constants
from shlo_tools.pipeline.registry import Pass
from shlo_tools.shapes import Shapes, assertions

_MOST = 33  # operands: the condition, and 32 numbers for the message


@dataclass(frozen=True)
class CheckShapeAssertions(Pass):
    """Decide shape assertions.

    Attributes:
        keep_unknown: leave assertions that only run time decides.
    """

    name = "shlo-check-shape-assertions"
    anchor = "any"
    keep_unknown: bool = False

    def run(self, op: Operation) -> None:
        shapes = Shapes()
        failures: list[Diagnostic] = []
        proven: list[Operation] = []
        for inner in mlir.walk(op):
            if ir.text_of(inner, "call_target_name") != SHAPE_ASSERTION:
                continue
            reason = _reason(inner, shapes, keep=self.keep_unknown)
            if reason:
                failures.append(Diagnostic("error", reason, mlir.place_of(inner.location)))
            elif reason is None:
                proven.append(inner)
        if failures:
            raise PassError(failures)
        size_constants.erase_replaced(proven)


def _reason(op: Operation, shapes: Shapes, *, keep: bool) -> str | None:
    """Why an assertion fails; None where it holds, '' where it is to be kept."""
    problem = _malformed(op)
    if problem:
        return f"{SHAPE_ASSERTION}: {problem}"
    holds = _number(op.operands[0], shapes)
    if isinstance(holds, int) and holds:
        return None
    values = [_number(operand, shapes) for operand in list(op.operands)[1:]]
    unknown = [n for n, v in enumerate((holds, *values)) if not isinstance(v, int)]
    if keep and 0 in unknown:
        return ""
    if unknown:
        return f"{SHAPE_ASSERTION}: operand {unknown[0]} is no constant; refine shapes first"
    text = ir.text_of(op, "error_message")
    return assertions.message_of(text, values)


def _malformed(op: Operation) -> str:
    if not 1 <= len(op.operands) <= _MOST:
        return f"it takes 1 to {_MOST} operands, not {len(op.operands)}"
    if len(op.results):
        return f"it has no results, not {len(op.results)}"
    if "error_message" not in op.attributes:
        return "it has no error_message"
    types = [str(operand.type) for operand in op.operands]
    if types[0] != "tensor<i1>":
        return f"its condition is a tensor<i1>, not {types[0]}"
    odd = [type for type in types[1:] if type not in ("tensor<i32>", "tensor<i64>")]
    return f"its message takes integers, not {odd[0]}" if odd else ""


def _number(value: Value, shapes: Shapes) -> Dim | None:
    elements = shapes.contents(value)
    return None if elements is None or dtypes.tensor_type(value.type).rank else elements[0]
