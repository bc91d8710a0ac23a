"""Shapes as tensors of StableHLO: operands of ops whose sizes are known at run time only."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from shlo_tools import ir, ops
from shlo_tools.dtypes import ELEMENT_TYPES, TensorType, tensor_type
from shlo_tools.mlir import Type, Value
from shlo_tools.ops import ComparisonDirection, Tensor

ONE = TensorType((1,), ELEMENT_TYPES["i32"])


def size_of(tensor: Tensor, dimension: int) -> Tensor:
    """The size of a dimension as a tensor of one number; a constant where it is known."""
    size = tensor.shape[dimension]
    if isinstance(size, int):
        return ops.constant(np.asarray([size], np.int32))
    return ops.reshape(ops.get_dimension_size(tensor, dimension), ONE)


def shape_of(tensor: Tensor) -> Tensor:
    """The shape of a tensor of rank 1 or more."""
    return ops.concatenate([size_of(tensor, number) for number in range(tensor.rank)], 0)


def without_dimensions(tensor: Tensor, dropped: Sequence[int]) -> Tensor:
    """Without some dimensions of size 1."""
    kept = [d for d in range(tensor.rank) if d not in dropped]
    type = tensor.type.with_shape([tensor.shape[d] for d in kept])
    if type.is_static or not kept:
        return ops.reshape(tensor, type)
    shape = ops.concatenate([size_of(tensor, d) for d in kept], 0)
    return ops.dynamic_reshape(tensor, shape, type)


def with_dimension(tensor: Tensor, dimension: int) -> Tensor:
    """With a new dimension of size 1."""
    shape = [*tensor.shape[:dimension], 1, *tensor.shape[dimension:]]
    type = tensor.type.with_shape(shape)
    if type.is_static:
        return ops.reshape(tensor, type)
    sizes = [size_of(tensor, d) for d in range(tensor.rank)]
    sizes.insert(dimension, ops.constant(np.ones(1, np.int32)))
    return ops.dynamic_reshape(tensor, ops.concatenate(sizes, 0), type)


def agreed_size(places: Sequence[tuple[Tensor, int]]) -> Tensor:
    """The size that dimensions of tensors have in common; it is an error if they do not.

    An op that wants operands of one shape counts up to each size.
    """
    tensor, dimension = places[0]
    if len({t.shape[d] for t, d in places}) == 1 and isinstance(tensor.shape[dimension], int):
        return size_of(tensor, dimension)
    rows = [
        ops.dynamic_iota(size_of(tensor, d), 0, ONE.with_shape([tensor.shape[d]]))
        for tensor, d in places
    ]
    counted = rows[0]
    for row in rows[1:]:
        counted = ops.maximum(counted, row)
    return size_of(counted, 0)


def sizes_of(*places: tuple[Tensor, int]) -> list[Tensor]:
    """Sizes of dimensions; none where all are known, as nothing is to be computed then."""
    if all(isinstance(tensor.shape[d], int) for tensor, d in places):
        return []
    return [size_of(tensor, d) for tensor, d in places]


def spread(operand: Tensor, axes: Sequence[int], like: Tensor) -> Tensor:
    """``operand`` stretched to the shape of ``like``, its dimensions becoming ``axes``."""
    type = like.type.with_element(operand.element_type)
    if type.is_static:
        return ops.broadcast_in_dim(operand, axes, type)
    return ops.dynamic_broadcast_in_dim(operand, shape_of(like), axes, result_type=type)


def common_shape(tensors: Sequence[Tensor], axes: Sequence[Sequence[int]], rank: int) -> Tensor:
    """The shape that tensors stretch to together: of each dimension the size that is not 1."""
    sizes = []
    for d in range(rank):
        rows = zip(tensors, axes, strict=True)
        places = [(tensor, list(at).index(d)) for tensor, at in rows if d in at]
        known = [t.shape[i] for t, i in places if isinstance(t.shape[i], int) and t.shape[i] != 1]
        if known:
            sizes.append(ops.constant(np.asarray(known[:1], np.int32)))
        else:
            sizes.append(not_one([size_of(*place) for place in places]))
    return ops.concatenate(sizes, 0)


def not_one(sizes: Sequence[Tensor]) -> Tensor:
    """Of sizes that stretch to one the one that is not 1."""
    chosen, *others = sizes
    for other in others:
        is_one = ops.compare(chosen, ops.constant(np.ones(1, np.int32)), ComparisonDirection.EQ)
        chosen = ops.select(is_one, other, chosen)
    return chosen


def by_element(rule: Callable[..., Tensor], *tensors: Tensor) -> Tensor:
    """An elementwise rule; where sizes are unknown, as ``map``, which asks for none."""
    if all(tensor.type.is_static for tensor in tensors):
        return rule(*tensors)
    return ops.map(list(tensors), list(range(tensors[0].rank)), rule)


def declared(new: Tensor, old: Value) -> Value:
    """A result in the type that an op declares, which may know more of its sizes, or less."""
    return ssa(retyped(new, old.type))


def retyped(tensor: Tensor, type: Type) -> Tensor:
    """A tensor in a type that knows more of its sizes, or less."""
    value = ssa(tensor)
    if value.type == type:
        return tensor
    return Tensor(tensor_type(type), ir.insertion().value("stablehlo.convert", (value,), type))


def ssa(tensor: Tensor) -> Value:
    """The value of a tensor that was built."""
    if tensor.value is None:
        raise TypeError(f"{tensor} was not built")
    return tensor.value
