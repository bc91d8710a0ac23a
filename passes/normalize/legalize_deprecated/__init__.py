"""Deprecated StableHLO to the ops that replace it.

Before:
    %0 = stablehlo.dot %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
After:
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ... -> tensor<2x4xf32>

Deprecated ops that nothing replaces (``map``, ``rng``, ``tuple``) stay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from shlo_tools import ir, mlir, ops
from shlo_tools.dtypes import TensorType, tensor_type
from shlo_tools.errors import ConstraintError
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops import Tensor
from shlo_tools.ops.contraction import DOT_DIMENSION_NUMBERS
from shlo_tools.passes.normalize.legalize_deprecated.einsum import summed
from shlo_tools.passes.normalize.shape_operands import declared, size_of, ssa
from shlo_tools.pipeline.contents import Contents
from shlo_tools.pipeline.registry import Pass
from shlo_tools.quantized_types import is_quantized, quantized_element, stored_type
from shlo_tools.types import of_value


@dataclass(frozen=True)
class LegalizeDeprecated(Pass):
    """Rewrite deprecated ops in those that replace them."""

    name = "shlo-legalize-deprecated"
    anchor = "any"

    def concerns(self, contents: Contents) -> bool:
        return contents.has_op(*RULES)

    def run(self, op: Operation) -> None:
        ir.rewrite(op, RULES)


# --- on tensors of any kind -----------------------------------------------------------------------
def _create_token(op: Operation, build: Build) -> Sequence[Value]:
    """Nothing comes before it."""
    return [build.value("stablehlo.after_all", (), op.results[0].type)]


def _dot(op: Operation, build: Build) -> Sequence[Value]:
    """Contracts the last dimension of lhs and the first one of rhs."""
    lhs = op.operands[0].type
    fields = dict.fromkeys(DOT_DIMENSION_NUMBERS.fields, ())
    contracting = {"lhs_contracting_dimensions": (lhs.rank - 1,)}
    contracting["rhs_contracting_dimensions"] = (0,)
    attributes = {"dot_dimension_numbers": DOT_DIMENSION_NUMBERS.encode({**fields, **contracting})}
    if "precision_config" in op.attributes:
        attributes["precision_config"] = op.attributes["precision_config"]
    result = op.results[0].type
    return [build.value("stablehlo.dot_general", list(op.operands), result, attributes)]


def _broadcast(op: Operation, build: Build) -> Sequence[Value]:
    """New dimensions come first."""
    result, new_sizes = op.results[0].type, ir.integers_of(op, "broadcast_sizes")
    new = len(new_sizes)
    type, operand = tensor_type(result), of_value(op.operands[0])
    if not type.is_static and not type.bounds and isinstance(operand, Tensor):
        with ir.inserting(build):
            sizes = [ops.constant(np.asarray([size], np.int32)) for size in new_sizes]
            sizes += [size_of(operand, number) for number in range(operand.rank)]
            shape, axes = ops.concatenate(sizes, 0), range(new, type.rank)
            return [ssa(ops.dynamic_broadcast_in_dim(operand, shape, axes, result_type=type))]
    attributes = {"broadcast_dimensions": mlir.i64_array_attr(range(new, result.rank))}
    return [build.value("stablehlo.broadcast_in_dim", list(op.operands), result, attributes)]


# --- on plain tensors -----------------------------------------------------------------------------
_Rule = Callable[..., Tensor]  # takes the op, the type of the result, and operands


def _on_tensors(rule: _Rule, op: Operation, build: Build) -> Sequence[Value]:
    """Call ``rule(op, result, *operands)``, which builds by the op functions."""
    values = [of_value(value) for value in op.operands]
    with ir.inserting(build):
        result = rule(op, tensor_type(op.results[0].type), *values)
        return [declared(result, op.results[0])]


def _on_numbers(rule: _Rule, op: Operation, build: Build) -> Sequence[Value]:
    """The same; of quantized tensors on the numbers that they stand for."""
    result = op.results[0].type
    if not any(is_quantized(value.type) for value in (*op.operands, *op.results)):
        return _on_tensors(rule, op, build)
    values = [of_value(value) for value in op.operands]
    with ir.inserting(build):
        numbers = [
            ops.uniform_dequantize(value)
            if isinstance(value, Tensor) and value.element_type.is_quantized
            else value
            for value in values
        ]
        if not is_quantized(result):
            return [declared(rule(op, tensor_type(result), *numbers), op.results[0])]
        computed = rule(op, tensor_type(result).expressed_type, *numbers)
        return [build.value("stablehlo.uniform_quantize", (ssa(computed),), result)]


def _on_integers(rule: _Rule, op: Operation, build: Build) -> Sequence[Value]:
    """The same; of quantized tensors on the integers, which it places."""
    types = [value.type for value in (op.operands[0], op.results[0])]
    if not any(is_quantized(type) for type in types):
        return _on_tensors(rule, op, build)
    operand, result = (quantized_element(type) for type in types)
    if operand is None or operand != result or operand.is_per_axis:
        ir.raise_unsupported([op], "elements are placed as they are, of one scale")
    first, *others = op.operands
    stored = build.value("stablehlo.bitcast_convert", (first,), stored_type(types[0]))
    values = [of_value(value) for value in (stored, *others)]
    with ir.inserting(build):
        integers = rule(op, tensor_type(stored_type(types[1])), *values)
        return [build.value("stablehlo.bitcast_convert", (ssa(integers),), types[1])]


def _cross_replica_sum(op: Operation, build: Build) -> Sequence[Value]:
    result = op.results[0].type
    attributes = {"replica_groups": op.attributes["replica_groups"]}
    reduce = build.op("stablehlo.all_reduce", list(op.operands), [result], attributes, 1)
    scalar = mlir.tensor_type((), result.element_type)
    block, inside = build.block(reduce.regions[0], [scalar, scalar])
    total = inside.value("stablehlo.add", list(block.arguments), scalar)
    inside.op("stablehlo.return", [total])
    return list(reduce.results)


def _einsum(op: Operation, result: TensorType, *operands: Tensor) -> Tensor:
    config = ir.text_of(op, "einsum_config")
    try:
        return summed(config, operands, result)
    except ConstraintError as error:
        message = f"{op.name}: {error.diagnostics[0].message}"
        raise ConstraintError(message, place=mlir.place_of(op.location)) from error


def _torch_index_select(
    op: Operation, result: TensorType, operand: Tensor, index: Tensor
) -> Tensor:
    """A gather, which clamps: an index outside takes the nearest slice."""
    dim, batch_dims = (int(ir.text_of(op, name)) for name in ("dim", "batch_dims"))
    if not (0 <= batch_dims <= dim < operand.rank and batch_dims <= index.rank):
        message = f"{op.name}: dim = {dim}, batch_dims = {batch_dims} on {operand.type}"
        raise ConstraintError(message, place=mlir.place_of(op.location))
    if operand.shape[dim] == 0 and result.is_static:
        if result.size:
            ir.raise_unsupported([op], f"there is nothing along dimension {dim} to select")
        return ops.broadcast_in_dim(np.zeros((), result.element_type.dtype), [], result)
    behind = dim + index.rank - batch_dims  # the first dimension after those of the indices
    batch = range(batch_dims)
    offset_dims = [*range(batch_dims, dim), *range(behind, result.rank)]
    numbers = (offset_dims, [dim], batch, batch, [dim], index.rank)
    single = (*batch, dim)
    if operand.type.is_static:
        sizes = [1 if d in single else size for d, size in enumerate(operand.type.static_shape)]
        return ops.gather(operand, index, *numbers, slice_sizes=sizes)
    one = ops.constant(np.ones(1, np.int32))
    rows = [one if d in single else size_of(operand, d) for d in range(operand.rank)]
    slices = ops.concatenate(rows, 0)
    return ops.dynamic_gather(operand, index, slices, *numbers, result_type=result)


RULES: dict[str, ir.Rewrite] = {
    "stablehlo.broadcast": _broadcast,
    "stablehlo.create_token": _create_token,
    "stablehlo.cross-replica-sum": _cross_replica_sum,
    "stablehlo.dot": _dot,
    "stablehlo.einsum": partial(_on_numbers, _einsum),
    "stablehlo.torch_index_select": partial(_on_integers, _torch_index_select),
    "stablehlo.unary_einsum": partial(_on_numbers, _einsum),
}
