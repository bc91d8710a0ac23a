"""Collectives on quantized tensors: integers are exchanged, computations combine integers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shlo_tools import ir, mlir
from shlo_tools.dtypes import QuantizedElementType
from shlo_tools.extend.targets import ZEROS
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.normalize.legalize_quantized.rules import (
    combined,
    copied,
    region_arguments,
    rule_of,
)
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
    return _with_zeros(op, results)


@rule_of("collective_broadcast collective_permute")
def one_way(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """Integers are handed on; who receives nothing gets what stands for 0."""
    source, target = op.operands[0].type, op.results[0].type
    if quantized_element(source) != quantized_element(target):
        ir.raise_unsupported([op], f"{source} is passed on as {target}")
    return _with_zeros(op, copied(op, operands, build))


def _with_zeros(op: Operation, results: Sequence[Value]) -> Sequence[Value]:
    """The op of integers says which of them stand for 0, where those are not 0."""
    types = [quantized_element(result.type) for result in op.results]
    zeros = [_zero(type) if type else 0 for type in types]
    if any(zeros):
        lowered = mlir.inner_operation(results[0].owner)
        lowered.attributes[ZEROS] = mlir.i64_array_attr(zeros)
    return results


def _zero(type: QuantizedElementType) -> int:
    from shlo_tools.reference.quantization import quantize  # which most programs need not load

    return int(quantize(np.zeros((), type.expressed.dtype), type).storage)


@rule_of("async_start")
def beside(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    """The region has one op: what its operands are converted by is done before."""
    values = ir.flatten(build.inline(op.regions[0], operands))
    one = mlir.inner_operation(values[0].owner)
    inputs = list(one.operands)
    types = build.types([result.type for result in op.results])
    attributes = dict(op.attributes.items())
    start = build.op(op.name, inputs, types, attributes, 1)
    block, inner = build.block(start.regions[0], [value.type for value in inputs])
    clone = mlir.inner_operation(one.clone(inner.at))
    for position, argument in enumerate(block.arguments):
        clone.operands[position] = argument
    inner.op("stablehlo.return", clone.results)
    one.erase()
    return list(start.results)
