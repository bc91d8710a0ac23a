"""Steps of ``einsum`` where sizes are known at run time only."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from shlo_tools import ops
from shlo_tools.dims import Dim
from shlo_tools.dtypes import TensorType, element_type
from shlo_tools.ops import ComparisonDirection, Tensor
from shlo_tools.passes.normalize.shape_operands import shape_of, size_of, spread

_I32 = element_type("i32")


def stretched(tensor: Tensor, targets: Mapping[int, tuple[Tensor, Dim]]) -> Tensor:
    """Some dimensions stretched to sizes, of each of which stands beside it what is known."""
    sizes = [targets[d][0] if d in targets else size_of(tensor, d) for d in range(tensor.rank)]
    known = [targets[d][1] if d in targets else size for d, size in enumerate(tensor.shape)]
    return ops.dynamic_broadcast_in_dim(
        tensor,
        ops.concatenate(sizes, 0),
        range(tensor.rank),
        result_type=tensor.type.with_shape(known),
    )


def diagonal(tensor: Tensor, first: int, second: int) -> Tensor:
    """The elements that have the same index in two dimensions, which become the last one.

    Indices of either dimension are counted, so that sizes that differ are an error.
    """
    pair = (first, second)
    counted = [
        ops.dynamic_iota(
            ops.concatenate([size_of(tensor, d), ops.constant(np.asarray([2], np.int32))], 0),
            0,
            TensorType((tensor.shape[d], 2), _I32),
        )
        for d in pair
    ]
    indices = ops.maximum(*counted)
    one = ops.constant(np.ones(1, np.int32))
    sizes = [size_of(tensor, d) for d in range(tensor.rank)]
    slices = [ops.minimum(size, one) if d in pair else size for d, size in enumerate(sizes)]
    rest = [tensor.shape[d] for d in range(tensor.rank) if d not in pair]
    return ops.dynamic_gather(
        tensor,
        indices,
        ops.concatenate(slices, 0),
        list(range(len(rest))),
        list(pair),
        (),
        (),
        list(pair),
        1,
        result_type=tensor.type.with_shape([*rest, indices.shape[0]]),
    )


def onto_diagonal(tensor: Tensor) -> Tensor:
    """The last dimension twice: zeros except where both indices are the same."""
    last = tensor.rank - 1
    shape = ops.concatenate([shape_of(tensor), size_of(tensor, last)], 0)
    type = tensor.type.with_shape([*tensor.shape, tensor.shape[last]])
    rows, columns = (ops.dynamic_iota(shape, d, type.with_element(_I32)) for d in (last, last + 1))
    everywhere = ops.dynamic_broadcast_in_dim(tensor, shape, range(tensor.rank), result_type=type)
    zero = ops.constant(np.zeros((), tensor.element_type.dtype))
    same = ops.compare(rows, columns, ComparisonDirection.EQ)
    return ops.select(same, everywhere, spread(zero, [], everywhere))
