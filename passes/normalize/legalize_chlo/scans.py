"""Scans by a loop over positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from shlo_tools import ir, mlir, ops
from shlo_tools.dims import Symbol
from shlo_tools.dtypes import TensorType, element_type, tensor_type
from shlo_tools.errors import UnsupportedError
from shlo_tools.ir import Build
from shlo_tools.mlir import Block, Operation, Type, Value
from shlo_tools.ops import Tensor
from shlo_tools.passes.normalize.computed_sizes import computed
from shlo_tools.passes.normalize.legalize_chlo.formula import Term, constant
from shlo_tools.passes.normalize.legalize_chlo.rules import QUANTIZED, attribute, rewrites
from shlo_tools.passes.normalize.shape_operands import (
    agreed_size,
    retyped,
    size_of,
    ssa,
    with_dimension,
    without_dimensions,
)
from shlo_tools.quantized_types import is_quantized, quantized_element, stored_type
from shlo_tools.shapes import Extent, Shapes
from shlo_tools.types import of_value

I32 = element_type("i32")
SCALAR = TensorType((), I32)


@rewrites
def scan(op: Operation, *operands: Tensor) -> Sequence[Tensor]:
    return _looped(op, operands)


def _on_integers(op: Operation, build: Build) -> Sequence[Value]:
    """Of quantized tensors the integers are moved; the body gets them as what they stand for."""
    carries = ir.integers_of(op, "operandSegmentSizes")[1]
    body = op.regions[0].blocks[0]
    operands, results = list(op.operands), list(op.results)
    yielded = list(ir.terminator(body).operands)
    pairs = [
        *zip(operands, body.arguments, strict=True),
        *zip(yielded, results, strict=True),
        *zip(operands[len(operands) - carries :], results[len(results) - carries :], strict=True),
    ]
    for source, target in pairs:
        if _reading(source.type) != _reading(target.type):
            ir.raise_unsupported([op], f"{source.type} is carried as {target.type}")
    integers = _looped(op, [_stored(value) for value in operands])
    return [ssa(_typed(*pair)) for pair in zip(integers, (r.type for r in results), strict=True)]


QUANTIZED["chlo.scan"] = _on_integers


def _reading(type: Type) -> object:
    """What integers of a type stand for; None where it is not quantized."""
    return quantized_element(type)


def _stored(value: Value) -> Tensor:
    """A tensor of plain numbers as it is, one of quantized ones as integers."""
    type = tensor_type(stored_type(value.type))
    if not is_quantized(value.type):
        return Tensor(type, value)
    bits = ir.insertion().value("stablehlo.bitcast_convert", (value,), type.mlir())
    return Tensor(type, bits)


def _typed(tensor: Tensor, type: Type) -> Tensor:
    """The way back from ``_stored``, where more or less may be known of sizes."""
    as_integers = tensor_type(stored_type(type))
    plain = retyped(tensor, as_integers.mlir())
    if not is_quantized(type):
        return plain
    value = ir.insertion().value("stablehlo.bitcast_convert", (ssa(plain),), type)
    return Tensor(as_integers, value)


def _looped(op: Operation, operands: Sequence[Tensor]) -> Sequence[Tensor]:
    """Slices go in, slices of the outputs are put in their places."""
    axis = ir.integer_of(op, "dimension")
    count = ir.integers_of(op, "operandSegmentSizes")[0]
    inputs, inits = operands[:count], operands[count:]
    types = [stored_type(result.type) for result in op.results]
    outputs = ir.integers_of(op, "resultSegmentSizes")[0]
    length = _length(op, inputs, axis)
    start = constant(0, SCALAR).tensor
    empty = _outputs(op, inputs, inits, axis, length)
    starts = [*empty, *(retyped(*pair) for pair in zip(inits, types[outputs:], strict=True))]
    if length.is_zero:
        return starts
    backwards = ir.flag_of(op, "is_reverse")
    body_types = [argument.type for argument in op.regions[0].blocks[0].arguments]

    def body(step: Tensor, *carried: Tensor) -> list[Tensor]:
        at = length.term() - 1 - Term(step) if backwards else Term(step)
        slices = [_slice_at(tensor, axis, at) for tensor in inputs]
        arguments = [*slices, *carried[outputs:]]
        results = _inlined(
            op, [_typed(tensor, type) for tensor, type in zip(arguments, body_types, strict=True)]
        )
        pairs = zip(carried, results[:outputs], strict=False)  # carries follow the outputs
        written = [_put_at(output, slice, axis, at) for output, slice in pairs]
        following = [*written, *results[outputs:]]
        rows = zip(following, types, strict=True)
        return [(Term(step) + 1).tensor, *(retyped(tensor, type) for tensor, type in rows)]

    looped = ops.while_(
        [start, *starts], lambda step, *_: (Term(step) < length.term()).tensor, body
    )
    return cast(Sequence[Tensor], looped[1:])


# --- sizes ----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Length:
    """The number of steps, where it is known, or a tensor of one number."""

    steps: int | Tensor

    @property
    def is_zero(self) -> bool:
        return not isinstance(self.steps, Tensor) and self.steps == 0

    def tensor(self) -> Tensor:
        if isinstance(self.steps, Tensor):
            return self.steps
        return ops.constant(np.asarray([self.steps], np.int32))

    def term(self) -> Term | int:
        if isinstance(self.steps, Tensor):
            return Term(ops.reshape(self.steps, SCALAR))
        return self.steps


def _length(op: Operation, inputs: Sequence[Tensor], axis: int) -> _Length:
    sizes = [tensor.shape[axis] for tensor in inputs]
    if not sizes:
        sizes = [attribute(op, "scan_dim_size").value]
    first = sizes[0]
    if isinstance(first, int) and all(size == first for size in sizes):
        return _Length(first)
    return _Length(agreed_size([(tensor, axis) for tensor in inputs]))


def _outputs(
    op: Operation, inputs: Sequence[Tensor], inits: Sequence[Tensor], axis: int, length: _Length
) -> list[Tensor]:
    """Tensors of zeros, which the steps fill; their sizes are those of what the body yields."""
    outputs = []
    block: Block = op.regions[0].blocks[0]
    yielded = ir.terminator(block).operands
    shapes = Shapes()
    shapes.block(block)
    for result, slice in zip(list(op.results)[: len(yielded) - len(inits)], yielded, strict=False):
        type = tensor_type(stored_type(result.type))
        if type.is_static:
            outputs.append(constant(0, type).tensor)
            continue
        rest = shapes.type(slice)
        if not isinstance(rest, TensorType):
            ir.raise_unsupported([op], f"nothing is known of the sizes of {slice.type}")
            return outputs
        outside = _Outside(op, [*(_Sliced(t, axis) for t in inputs), *(_Sliced(t) for t in inits)])
        sizes = [computed(size, outside) for size in rest.shape]
        shape = ops.concatenate([*sizes[:axis], length.tensor(), *sizes[axis:]], 0)
        zero = constant(0, type.with_shape(())).tensor
        outputs.append(ops.dynamic_broadcast_in_dim(zero, shape, [], result_type=type))
    return outputs


class _Sliced:
    """What an argument of the body is a slice of, or stands for as it is."""

    def __init__(self, tensor: Tensor, axis: int | None = None) -> None:
        self._tensor, self._axis = tensor, axis

    def size(self, dimension: int) -> Tensor:
        behind = self._axis is not None and dimension >= self._axis
        return size_of(self._tensor, dimension + behind)


class _Outside:
    """What sizes in the body of a scan are, told outside of it."""

    def __init__(self, op: Operation, arguments: Sequence[_Sliced]) -> None:
        self._op = op
        block = op.regions[0].blocks[0]
        self._arguments: dict[Value, _Sliced] = dict(zip(block.arguments, arguments, strict=True))
        self._inside = {v for inner in mlir.walk(op)[1:] for v in inner.results}

    def __call__(self, symbol: Symbol) -> Tensor:
        source = symbol.source
        if isinstance(source, Extent):
            argument = self._arguments.get(source.value)
            if argument is not None:
                return argument.size(source.dimension)
            value = of_value(source.value)
            if source.value not in self._inside and isinstance(value, Tensor):
                return size_of(value, source.dimension)
        message = f"{self._op.name}: its body alone knows the size {symbol} of an output"
        raise UnsupportedError(message, place=mlir.place_of(self._op.location))


# --- one step -------------------------------------------------------------------------------------
def _slice_at(tensor: Tensor, axis: int, at: Term) -> Tensor:
    """The slice at one position of a dimension, without that dimension."""
    shape = [1 if d == axis else size for d, size in enumerate(tensor.shape)]
    type = tensor.type.with_shape(shape)
    if type.is_static:
        slice = ops.dynamic_slice(tensor, _starts(tensor, axis, at), type.static_shape)
        return without_dimensions(slice, [axis])
    place = ops.reshape(at.tensor, TensorType((1,), I32))
    zero, one = (ops.constant(np.asarray([value], np.int32)) for value in (0, 1))
    starts = [place if d == axis else zero for d in range(tensor.rank)]
    limits = [ops.add(place, one) if d == axis else size_of(tensor, d) for d in range(tensor.rank)]
    first, end, steps = (ops.concatenate(row, 0) for row in (starts, limits, [one] * tensor.rank))
    slice = ops.real_dynamic_slice(tensor, first, end, steps, type)
    return without_dimensions(slice, [axis])


def _put_at(tensor: Tensor, slice: Tensor, axis: int, at: Term) -> Tensor:
    """``tensor`` with a slice put in its place."""
    return ops.dynamic_update_slice(tensor, with_dimension(slice, axis), _starts(tensor, axis, at))


def _starts(tensor: Tensor, axis: int, at: Term) -> list[Tensor]:
    return [(at if d == axis else at.constant(0)).tensor for d in range(tensor.rank)]


def _inlined(op: Operation, arguments: Sequence[Tensor]) -> list[Tensor]:
    """Move the body of an op that is about to go to where ops are inserted; what it returns."""
    block = op.regions[0].blocks[0]
    for old, new in zip(block.arguments, arguments, strict=True):
        if new.value is not None:
            old.replace_all_uses_with(new.value)
    *moved, end = [mlir.inner_operation(view) for view in block.operations]
    for inner in moved:
        ir.insertion().at.block.append(inner)
    return [_stored(value) for value in end.operands]
