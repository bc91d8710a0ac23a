"""Collectives on quantized tensors: integers are exchanged, computations combine integers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shlo_tools import ir, mlir, ops
from shlo_tools.dtypes import QuantizedElementType, tensor_type
from shlo_tools.extend.targets import ZEROS
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops import Tensor
from shlo_tools.passes.normalize.legalize_quantized.arithmetic import quantize
from shlo_tools.passes.normalize.legalize_quantized.rules import (
    combined,
    copied,
    region_arguments,
    rule_of,
)
from shlo_tools.passes.normalize.shape_operands import spread, ssa
from shlo_tools.quantized_types import quantized_element


@rule_of("all_reduce reduce_scatter")
def combining(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """Elements become what the computation takes."""
    body_type = region_arguments(op.regions[0])[0]
    return combined(op, operands, [body_type] * len(op.results), build)


@rule_of("collective_reduce")
def for_roots(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """As ``combining``; roots stay as they are, and who is none gets what stands for 0."""
    body_type = region_arguments(op.regions[0])[0]
    roots = [value.type for value in list(op.operands)[len(op.results) :]]
    results = combined(op, operands, [*([body_type] * len(op.results)), *roots], build)
    types = [quantized_element(result.type) for result in op.results]
    zeros = [0 if type is None else int(type.zero_points[0]) for type in types]
    if any(zeros):
        lowered = mlir.inner_operation(results[0].owner)
        lowered.attributes[ZEROS] = mlir.i64_array_attr(zeros)
    return results


@rule_of("collective_broadcast collective_permute")
def one_way(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """Who receives nothing gets zeros, of which each stands for the number 0.

    Integers are exchanged as differences from the integer that stands for 0.
    """
    source, target = op.operands[0].type, op.results[0].type
    type = quantized_element(source)
    if type != quantized_element(target):
        ir.raise_unsupported([op], f"{source} is passed on as {target}")
    if type is None or not any(type.zero_points):
        return copied(op, operands, build)
    stored = Tensor(tensor_type(operands[0].type), operands[0])
    (moved,) = copied(op, [ssa(stored - _zeros(type, stored))], build)
    received = Tensor(tensor_type(moved.type), moved)
    return [ssa(received + _zeros(type, received))]


def _zeros(type: QuantizedElementType, like: Tensor) -> Tensor:
    zero = quantize(ops.constant(np.zeros((), type.expressed.dtype)), type)
    return spread(zero, [], like)
