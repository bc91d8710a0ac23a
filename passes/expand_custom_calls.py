"""Custom calls that are ops under another name become those ops.

Before:
    %0:2 = stablehlo.custom_call @mhlo.topk(%a) {mhlo.attributes = {k = 2 : i64, largest = true}}
      : (tensor<8xf32>) -> (tensor<2xf32>, tensor<2xi32>)
After:
    %0:2 = chlo.top_k(%a, k = 2) : tensor<8xf32> -> (tensor<2xf32>, tensor<2xi32>)

Exporters write them for ops that are younger than the program has to be, or whose sizes were
dynamic when it was written: once they are static, so can be the op. What a user registered a
function for stays a custom call, and so does what is dynamic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from shlo_tools import ir, mlir, ops
from shlo_tools.dtypes import ELEMENT_TYPES, from_attribute, tensor_type
from shlo_tools.extend import registered, targets
from shlo_tools.extend.description import python_value
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops import ComparisonDirection, ComparisonType, RngAlgorithm, Tensor
from shlo_tools.ops._value import of_value
from shlo_tools.pipeline.registry import Pass

Expansion = Callable[[Operation, list[Tensor]], Sequence[Tensor]]


@dataclass(frozen=True)
class ExpandCustomCalls(Pass):
    """Replace custom calls by the ops that they stand for."""

    name = "shlo-expand-custom-calls"
    anchor = "any"

    def run(self, op: Operation) -> None:
        ir.rewrite(op, {"stablehlo.custom_call": _expanded})


def _expanded(op: Operation, build: Build) -> Sequence[Value] | None:
    target = ir.text_of(op, "call_target_name")
    expansion = EXPANSIONS.get(target)
    if expansion is None or registered(target) is not None:
        return None
    if not all(mlir.is_static_tensor(value.type) for value in (*op.operands, *op.results)):
        return None
    with ir.inserting(build):
        results = expansion(op, [_tensor(value) for value in op.operands])
    return [result.value for result in results if result.value is not None]


def _tensor(value: Value) -> Tensor:
    return cast(Tensor, of_value(value))


def _attribute(op: Operation, name: str) -> Any:
    return python_value(op.attributes[name]) if name in op.attributes else None


def _constants(op: Operation, values: Sequence[Value]) -> list[Any]:
    """The values of constants as lists; raises UnsupportedError for what is none."""
    found = []
    for value in values:
        owner: Any = value.owner
        if getattr(owner, "name", "") != "stablehlo.constant":
            ir.raise_unsupported([op], "its windows must be constants")
        found.append(from_attribute(owner.attributes["value"]).tolist())
    return found


# --- the ops --------------------------------------------------------------------------------------
def _renamed(op: Operation, operands: list[Tensor]) -> Sequence[Tensor]:
    dialect, name = targets.RENAMED[ir.text_of(op, "call_target_name")].split(".")
    function = getattr(ops.chlo if dialect == "chlo" else ops, name)
    return [function(operands[0])]


def _top_k(op: Operation, operands: list[Tensor]) -> Sequence[Tensor]:
    """The smallest are a sort, which CHLO has no op for; k is the size of the result."""
    operand, k = operands[0], tensor_type(op.results[0].type).static_shape[-1]
    if (_attribute(op, "mhlo.attributes") or {}).get("largest", True):
        return ops.chlo.top_k(operand, k)
    order = ComparisonType.TOTALORDER if operand.element_type.is_float else None

    def comes_first(left: Tensor, right: Tensor, *_: Tensor) -> Tensor:
        return ops.compare(left, right, ComparisonDirection.LT, order)

    positions = ops.iota(operand.rank - 1, operand.type.with_element(ELEMENT_TYPES["i32"]))
    ordered = ops.sort([operand, positions], operand.rank - 1, True, comparator=comes_first)
    limits = [*operand.type.static_shape[:-1], k]
    return [ops.slice(t, [0] * operand.rank, limits, [1] * operand.rank) for t in ordered]


def _reduce_window(op: Operation, operands: list[Tensor]) -> Sequence[Tensor]:
    """Inputs, their init values, and what ``reduce_window`` has as attributes."""
    count = (len(operands) - 5) // 2
    windows = _constants(op, list(op.operands)[2 * count :])
    called: Any = op.attributes["called_computations"]

    def body(*arguments: Tensor) -> list[Tensor]:
        values = [argument.value for argument in arguments if argument.value is not None]
        types = [value.type for value in values[:count]]
        made = ir.insertion().op("func.call", values, types, {"callee": called[0]})
        return [_tensor(value) for value in made.results]

    inputs, starts = operands[:count], operands[count : 2 * count]
    reduced = ops.reduce_window(inputs, starts, *windows, body=body)
    return [reduced] if isinstance(reduced, Tensor) else reduced


def _rng_bit_generator(op: Operation, operands: list[Tensor]) -> Sequence[Tensor]:
    algorithm = str(op.attributes["rng_algorithm"]).removesuffix(">").split()[-1]
    types = [tensor_type(result.type) for result in op.results]
    return ops.rng_bit_generator(RngAlgorithm[algorithm], operands[0], types)


EXPANSIONS: Mapping[str, Expansion] = {
    **dict.fromkeys(targets.RENAMED, _renamed),
    **dict.fromkeys(targets.TOP_K, _top_k),
    targets.REDUCE_WINDOW: _reduce_window,
    targets.RNG_BIT_GENERATOR: _rng_bit_generator,
}
