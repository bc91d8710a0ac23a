"""Shapes as tensors of StableHLO: operands of ops whose sizes are known at run time only."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from shlo_tools import ops
from shlo_tools.dtypes import ELEMENT_TYPES, TensorType
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
            sizes.append(_not_one([size_of(*place) for place in places]))
    return ops.concatenate(sizes, 0)


def _not_one(sizes: Sequence[Tensor]) -> Tensor:
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
