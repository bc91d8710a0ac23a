"""Custom calls that are ops under another name become those ops, or what they hand on.

Before:
    %0:2 = stablehlo.custom_call @mhlo.topk(%a) {mhlo.attributes = {k = 2 : i64, largest = true}}
      : (tensor<8xf32>) -> (tensor<2xf32>, tensor<2xi32>)
After:
    %0:2 = chlo.top_k(%a, k = 2) : tensor<8xf32> -> (tensor<2xf32>, tensor<2xi32>)

Exporters write them for ops that are younger than the program has to be, or whose sizes were
dynamic when it was written: once they are static, so can be the op. What a user registered a
function for stays a custom call, and so does what no op can say of sizes that are unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from shlo_tools import ir, mlir, ops
from shlo_tools.dtypes import tensor_type
from shlo_tools.extend import registered
from shlo_tools.extend.description import python_value
from shlo_tools.extend.targets import TARGETS, WINDOW_OPERANDS, Meaning, meaning_of
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops import ComparisonDirection, ComparisonType, RngAlgorithm, Tensor
from shlo_tools.passes.normalize.legalize_chlo.sorting import (
    first_along_last,
    positions_along_last,
)
from shlo_tools.passes.normalize.sparse_matrices import csr_times_dense
from shlo_tools.pipeline.contents import Contents
from shlo_tools.pipeline.registry import Pass
from shlo_tools.shapes.custom_calls import require_declared
from shlo_tools.types import CONTENTS_LIMIT, of_value

Expansion = Callable[[Operation, list[Tensor]], Sequence[Tensor] | None]


@dataclass(frozen=True)
class ExpandCustomCalls(Pass):
    """Replace custom calls by the ops that they stand for."""

    name = "shlo-expand-custom-calls"
    anchor = "any"

    def concerns(self, contents: Contents) -> bool:
        return contents.has_op("stablehlo.custom_call")

    def run(self, op: Operation) -> None:
        ir.rewrite(op, {"stablehlo.custom_call": _expanded})


def _expanded(op: Operation, build: Build) -> Sequence[Value] | None:
    target = ir.text_of(op, "call_target_name")
    meaning = meaning_of(target)
    if meaning is None or registered(target) is not None:
        return None
    if meaning is Meaning.IDENTITY:
        return _handed_on(op)
    if meaning is Meaning.ASSERTION:
        return _held(op)
    expansion = EXPANSIONS.get(meaning)
    if expansion is None:
        return None
    is_static = all(mlir.is_static_tensor(value.type) for value in (*op.operands, *op.results))
    if not is_static and meaning not in ANY_SIZES:
        return None
    operands = [_tensor(value) for value in op.operands]
    require_declared(op, operands)
    with ir.inserting(build):
        results = expansion(op, operands)
    if results is None:
        return None
    pairs = zip(results, op.results, strict=True)
    return [_declared(build, new.value, old) for new, old in pairs if new.value is not None]


def _handed_on(op: Operation) -> Sequence[Value] | None:
    """Operands of what only says where values live; other shapes mean several devices."""
    operands = list(op.operands)
    is_alike = [o.type for o in operands] == [r.type for r in op.results]
    return operands if is_alike else None


def _held(op: Operation) -> Sequence[Value] | None:
    """An assertion of what is known to hold goes; it is left where a program was refined."""
    holds = ir.constant_of(op.operands[0]) if len(op.operands) else None
    is_plain = not op.results and holds is not None and holds.dtype == bool
    return [] if is_plain and holds is not None and holds.all() else None


def _declared(build: Build, new: Value, old: Value) -> Value:
    """A result in the type that the call declares, which may say less of its sizes."""
    return new if new.type == old.type else build.value("stablehlo.convert", (new,), old.type)


def _tensor(value: Value) -> Tensor:
    """A value as op functions see it, with the numbers of a short constant."""
    tensor = cast(Tensor, of_value(value))
    if not tensor.element_type.is_integer or not tensor.type.is_static:
        return tensor
    numbers = _constants([value]) if tensor.type.size <= CONTENTS_LIMIT else None
    contents = None if numbers is None else np.ravel(numbers[0]).tolist()
    return Tensor(tensor.type, tensor.value, contents)


def _attribute(op: Operation, name: str) -> Any:
    return python_value(op.attributes[name]) if name in op.attributes else None


def _constants(values: Sequence[Value]) -> list[Any] | None:
    """The values of constants as lists; None where one is none."""
    arrays = [ir.constant_of(value) for value in values]
    known = [array.tolist() for array in arrays if array is not None]
    return known if len(known) == len(arrays) else None


# --- the ops --------------------------------------------------------------------------------------
def _renamed(op: Operation, operands: list[Tensor]) -> Sequence[Tensor]:
    dialect, name = TARGETS[ir.text_of(op, "call_target_name")].op.split(".")
    function = getattr(ops.chlo if dialect == "chlo" else ops, name)
    return [function(operands[0])]


def _top_k(op: Operation, operands: list[Tensor]) -> Sequence[Tensor] | None:
    """The smallest are a sort, which CHLO has no op for; k is the size of the result."""
    operand, k = operands[0], tensor_type(op.results[0].type).shape[-1]
    if not isinstance(k, int):
        return None
    if (_attribute(op, "mhlo.attributes") or {}).get("largest", True):
        return ops.chlo.top_k(operand, k)
    order = ComparisonType.TOTALORDER if operand.element_type.is_float else None

    def comes_first(left: Tensor, right: Tensor, *_: Tensor) -> Tensor:
        return ops.compare(left, right, ComparisonDirection.LT, order)

    positions = positions_along_last(operand)
    ordered = ops.sort([operand, positions], operand.rank - 1, True, comparator=comes_first)
    return [first_along_last(tensor, k) for tensor in ordered]


def _reduce_window(op: Operation, operands: list[Tensor]) -> Sequence[Tensor] | None:
    """Inputs, their init values, and what ``reduce_window`` has as attributes."""
    count = (len(operands) - WINDOW_OPERANDS) // 2
    windows = _constants(list(op.operands)[2 * count :])
    if windows is None:
        return None
    (callee,) = ir.items_of(op, "called_computations")

    def body(*arguments: Tensor) -> list[Tensor]:
        values = [argument.value for argument in arguments if argument.value is not None]
        types = [value.type for value in values[:count]]
        results = ir.insertion().call(callee.value, values, types)
        return [_tensor(value) for value in results]

    inputs, starts = operands[:count], operands[count : 2 * count]
    reduced = ops.reduce_window(inputs, starts, *windows, body=body)
    return [reduced] if isinstance(reduced, Tensor) else reduced


def _rng_bit_generator(op: Operation, operands: list[Tensor]) -> Sequence[Tensor]:
    algorithm = ir.enum_of(op, "rng_algorithm")
    types = [tensor_type(result.type) for result in op.results]
    return ops.rng_bit_generator(RngAlgorithm[algorithm], operands[0], types)


def _sparse_times_dense(op: Operation, operands: list[Tensor]) -> Sequence[Tensor]:
    """A product with a matrix in CSR form."""
    values, ends, columns, dense = operands
    return [csr_times_dense(values, ends, columns, dense, tensor_type(op.results[0].type))]


EXPANSIONS: Mapping[Meaning, Expansion] = {
    Meaning.OP: _renamed,
    Meaning.TOP_K: _top_k,
    Meaning.REDUCE_WINDOW: _reduce_window,
    Meaning.RNG_BIT_GENERATOR: _rng_bit_generator,
    Meaning.SPARSE_TIMES_DENSE: _sparse_times_dense,
}
# Those that become ops of any sizes; windows and random bits of unknown sizes stay calls.
ANY_SIZES = (Meaning.OP, Meaning.SPARSE_TIMES_DENSE, Meaning.TOP_K)
