"""Reductions of a few elements become elementwise ops on slices.

Before, where neighbours in memory are not summed up, but elements a short row apart:
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
        : (tensor<1000x2x4xf32>, tensor<f32>) -> tensor<1000x4xf32>
After:
    %1 = stablehlo.slice %x [0:1000, 0:1, 0:4] ... stablehlo.reshape : tensor<1000x4xf32>
    %2 = stablehlo.slice %x [0:1000, 1:2, 0:4] ... stablehlo.reshape : tensor<1000x4xf32>
    %3 = stablehlo.broadcast_in_dim %zero, dims = [] : tensor<1000x4xf32>
    %4 = stablehlo.add %3, %1
    %0 = stablehlo.add %4, %2

So are reductions of several operands, such as the place of the largest, also of short rows. Kernels
for reductions have results as lanes, which read such elements one by one; those of maps pick them
from runs. What is spread over the elements again stays: its rows are passed together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from shlo_tools import dtypes, ir, mlir
from shlo_tools.codegen.stages.reading.runs import RUNS
from shlo_tools.dtypes import TensorType
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops import Trait, has_trait
from shlo_tools.passes.legalize_to_linalg.emit.accumulation import accumulation_type
from shlo_tools.passes.partition.batched import are_lanes
from shlo_tools.passes.simplify.slicing import at_places
from shlo_tools.passes.simplify.values import spread
from shlo_tools.passes.stages.read_reduction import is_rounded_sum

_LEAST = 1 << 14  # elements that are worth what compiling a longer kernel takes
_MOST = 6  # elements of several operands
_NEAR = 64  # results beside each other that read a run: of more, vectors are runs anyhow
_STEPS = 8  # users behind each other that are looked at
_REGION = 16  # ops of a region, which each element repeats
_BEFORE = 8  # elementwise ops in front, which are computed part by part


def of_few(op: Operation, build: Build) -> list[Value] | None:
    """A reduction by elementwise ops; None for one that is left."""
    if not all(mlir.is_static_tensor(value.type) for value in (*op.operands, *op.results)):
        return None
    count, dims = len(op.results), ir.integers_of(op, "dimensions")
    tensors, starts = op.operands[:count], op.operands[count:]
    type = dtypes.tensor_type(tensors[0].type)
    shape = type.static_shape
    if len(dims) != 1 or not 1 < shape[dims[0]] <= (RUNS if count == 1 else _MOST):
        return None
    (dim,) = dims
    is_batched = dim > 0 and count == 1 and are_lanes(shape, type.element_type)
    if type.size < _LEAST or is_batched:
        return None
    inner = math.prod(shape[dim + 1 :])
    is_apart = inner < _NEAR and (inner > 1 or count > 1)
    if not is_apart or not _is_elementwise(op) or not _are_near(tensors, type):
        return None
    if _is_spread(op.results, type.size):
        return None
    types = [dtypes.tensor_type(result.type) for result in op.results]
    if any(t.element_type.is_float and t.element_type.bits < 16 for t in types):
        return None
    is_rounded = is_rounded_sum(op)
    wide = [t.with_element(accumulation_type(t.element_type)) if is_rounded else t for t in types]
    totals = [
        spread(build, _converted(start, type, build), type.mlir())
        for start, type in zip(starts, wide, strict=True)
    ]
    for place in range(shape[dim]):
        parts = _Parts(dim, place, build)
        pairs = zip(map(parts.of, tensors), wide, strict=True)
        both = [*totals, *(_converted(part, type, build) for part, type in pairs)]
        if is_rounded:
            totals = [build.value("stablehlo.add", both, wide[0].mlir())]
        else:
            totals = _computed(op, both, build)
    return [_converted(v, t, build) for v, t in zip(totals, types, strict=True)]


def _is_elementwise(op: Operation) -> bool:
    """Whether a short region computes elements of its arguments' types, without loops or calls."""
    block = op.regions[0].blocks[0]
    *ops, end = [mlir.inner_operation(view) for view in block.operations]
    results = [dtypes.tensor_type(result.type).element_type for result in op.results] * 2
    arguments = [dtypes.tensor_type(value.type) for value in block.arguments]
    if [t.element_type for t in arguments] != results or any(t.rank for t in arguments):
        return False
    own = {*block.arguments, *(result for inner in ops for result in inner.results)}
    is_known = all(
        len(inner.results) == 1
        and mlir.is_static_tensor(inner.results[0].type)
        and (inner.name == "stablehlo.constant" or has_trait(inner, Trait.ELEMENTWISE))
        for inner in ops
    )
    if len(ops) > _REGION or not is_known:
        return False
    return all(value in own for inner in (*ops, end) for value in inner.operands)


def _is_spread(values: Sequence[Value], size: int) -> bool:
    """Whether something has as many elements again that is made of values."""
    for _ in range(_STEPS):
        users = [mlir.inner_operation(use.owner) for value in values for use in value.uses]
        values = list(dict.fromkeys(result for user in users for result in user.results))
        static = [value for value in values if mlir.is_static_tensor(value.type)]
        if any(dtypes.tensor_type(value.type).size >= size for value in static):
            return True
    return False


class _Parts:
    """The elements of tensors at one place along a dimension, without it.

    What elementwise ops make for the reduction alone is computed of the parts of their operands.
    """

    def __init__(self, dim: int, place: int, build: Build) -> None:
        self._dim, self._place, self._build = dim, place, build
        self._known: dict[Value, Value] = {}

    def of(self, tensor: Value) -> Value:
        if tensor not in self._known:
            self._known[tensor] = self._part(tensor)
        return self._known[tensor]

    def _part(self, tensor: Value) -> Value:
        type, op = dtypes.tensor_type(tensor.type), mlir.defining_op(tensor)
        if op is not None and _is_elementwise_op(op):
            operands = [self.of(operand) for operand in op.operands]
            shape = list(type.static_shape)
            del shape[self._dim]
            result = type.with_shape(shape).mlir()
            return self._build.value(op.name, operands, result, dict(op.attributes.items()))
        return at_places(self._build, tensor, {self._dim: self._place})


def _are_near(tensors: Sequence[Value], type: TensorType) -> bool:
    """Whether few elementwise ops are in front of tensors, for their reduction alone.

    Of others parts would be read from memory, where kernels of reductions compute them.
    """
    stack, known = list(tensors), set[Operation]()
    while stack and len(known) <= _BEFORE:
        op = mlir.defining_op(stack.pop())
        if op is None or op in known or not _is_elementwise_op(op):
            continue
        if not _is_alone(op, type):
            return False
        known.add(op)
        stack += op.operands
    return not stack and len(known) <= _BEFORE


def _is_elementwise_op(op: Operation) -> bool:
    return has_trait(op, Trait.ELEMENTWISE) and len(op.results) == 1


def _is_alone(op: Operation, type: TensorType) -> bool:
    """Whether an elementwise op has one reader, and operands as large as its result."""
    readers = {mlir.inner_operation(use.owner) for use in op.results[0].uses}
    shapes = {dtypes.tensor_type(operand.type).shape for operand in op.operands}
    return len(readers) == 1 and shapes == {type.shape}


def _converted(value: Value, type: TensorType, build: Build) -> Value:
    """A value of another element type."""
    own = dtypes.tensor_type(value.type)
    if own.element_type == type.element_type:
        return value
    whole = own.with_element(type.element_type).mlir()
    return build.value("stablehlo.convert", (value,), whole)


def _computed(op: Operation, arguments: Sequence[Value], build: Build) -> list[Value]:
    """What a region makes of tensors, element by element."""
    block = op.regions[0].blocks[0]
    values = dict(zip(block.arguments, arguments, strict=True))
    shaped = dtypes.tensor_type(arguments[0].type)
    *ops, end = [mlir.inner_operation(view) for view in block.operations]
    for inner in ops:
        attributes = dict(inner.attributes.items())
        (result,) = inner.results
        type = shaped.with_element(dtypes.tensor_type(result.type).element_type).mlir()
        if inner.name == "stablehlo.constant":
            number = build.value(inner.name, (), result.type, attributes)
            values[result] = spread(build, number, type)
        else:
            operands = [values[operand] for operand in inner.operands]
            values[result] = build.value(inner.name, operands, type, attributes)
    return [values[value] for value in end.operands]
