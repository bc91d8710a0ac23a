"""Ops of the shape dialect, for sizes that only run time knows: shapes as tensors of ``index``.

    size = shape.shape_of(x)
    y = x + ops.dynamic_broadcast_in_dim(bias, size, (1,), result_type=x.type)

``operation`` of ``shlo_tools.builder`` builds the dialect's other ops.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from shlo_tools import mlir
from shlo_tools.dims import UNKNOWN, Dim
from shlo_tools.dtypes import TensorType, element_type
from shlo_tools.errors import ShloError
from shlo_tools.ops._any_op import attribute, operation
from shlo_tools.types import OtherType, Tensor, Value

_INDEX = OtherType("index")


def shape_of(operand: Tensor) -> Tensor:
    """The sizes of a tensor."""
    return _built("shape.shape_of", [_tensor(operand)], operand.rank)


def const_shape(sizes: Sequence[int]) -> Tensor:
    """Sizes that are known.

    Raises:
        ShloError: one is no size.
    """
    try:
        numbers = [operator.index(size) for size in sizes]
    except TypeError as error:
        raise ShloError(f"{sizes!r} are no sizes") from error
    if any(not 0 <= number < 1 << 63 for number in numbers):
        raise ShloError(f"{numbers} are no sizes")
    type = f"tensor<{len(numbers)}xindex>"
    dense = attribute(f"dense<{numbers}> : {type}")
    return _built("shape.const_shape", [], len(numbers), {"shape": dense})


def broadcast(*shapes: Tensor) -> Tensor:
    """The shape that all broadcast to, by numpy's rules; run time refuses those that do not.

    Raises:
        ShloError: fewer than two shapes, or one that is no shape.
    """
    if len(shapes) < 2:
        raise ShloError("shape.broadcast takes two shapes or more")
    ranks = [_rank(shape) for shape in shapes]
    known = [rank for rank in ranks if isinstance(rank, int)]
    return _built("shape.broadcast", shapes, max(known) if len(known) == len(ranks) else UNKNOWN)


def concat(lhs: Tensor, rhs: Tensor) -> Tensor:
    """The sizes of one shape, then those of another."""
    return _built("shape.concat", [lhs, rhs], _rank(lhs) + _rank(rhs))


def num_elements(shape: Tensor) -> Value:
    """The product of the sizes, an ``index``."""
    _rank(shape)
    value: Value = operation("shape.num_elements", [shape], [_INDEX])
    return value


def get_extent(shape: Tensor, dimension: int) -> Value:
    """One size of a shape, an ``index``.

    Raises:
        ShloError: the shape has no such dimension.
    """
    rank = _rank(shape)
    outside = isinstance(rank, int) and dimension >= rank
    if isinstance(dimension, bool) or not isinstance(dimension, int) or dimension < 0 or outside:
        raise ShloError(f"a shape of {rank} sizes has no dimension {dimension!r}")
    position = operation("shape.const_size", [], [OtherType("!shape.size")], _index(dimension))
    number = operation("shape.size_to_index", [position], [_INDEX])
    value: Value = operation("shape.get_extent", [shape, number], [_INDEX])
    return value


def from_extents(*extents: Value) -> Tensor:
    """Sizes, each an ``index``, as a shape."""
    return _built("tensor.from_elements", extents, len(extents))


def _index(number: int) -> dict[str, mlir.Attribute]:
    return {"value": attribute(f"{number} : index")}


def _tensor(operand: Any) -> Tensor:
    if not isinstance(operand, Tensor):
        raise ShloError(f"{operand!r} is no tensor")
    return operand


def _rank(shape: Any) -> Dim:
    """How many sizes a shape has; raises ShloError for what is none."""
    type = _tensor(shape).type
    if type.rank != 1 or type.element_type.name != "index":
        raise ShloError(f"{type} is no shape: a tensor of index, of rank 1, is wanted")
    return type.shape[0]


def _built(name: str, operands: Sequence[Value], size: Dim, attributes: Any = None) -> Tensor:
    type = TensorType((size,), element_type("index"))
    result: Tensor = operation(name, operands, [type], attributes)
    return result
