"""Ops that place elements: constants, broadcasts, reshapes, transposes, padding, gathering."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.constraints import (
    Verdict,
    at_most,
    every,
    in_range,
    is_permutation,
    is_unique,
    meet_all,
    require,
    same,
    stretches,
)
from shlo_tools.dims import UNKNOWN, Dim, ceiling_divided, floor_divided, maximum, product
from shlo_tools.dtypes import TensorType, of_array
from shlo_tools.ops._attributes import Elements
from shlo_tools.ops._op import op
from shlo_tools.ops._quantized import require_reshaped, require_stretched, transposed
from shlo_tools.ops.traits import Trait
from shlo_tools.types import Scalar, Tensor


@op(traits=Trait.REARRANGES | Trait.QUANTIZED_PER_AXIS)
def broadcast_in_dim(
    operand: Tensor, broadcast_dimensions: Sequence[int], result_type: TensorType
) -> Tensor:
    """Operand dimension d becomes result dimension broadcast_dimensions[d]; size 1 stretches."""
    axes, result = broadcast_dimensions, Tensor(result_type)
    require("C2", len(axes) == operand.rank, f"{len(axes)} axes for rank {operand.rank}")
    require("C3", in_range(axes, result.rank), f"{list(axes)} leaves rank {result.rank}")
    require("C4", is_unique(axes), f"{list(axes)} repeats an axis")
    fits = every(
        stretches(dim, result.shape[axis]) for dim, axis in zip(operand.shape, axes, strict=True)
    )
    require("C5", fits, f"{operand.type} does not stretch to {result.type} along {list(axes)}")
    require_stretched(operand, result, axes)
    return result


@op(traits=Trait.JOINS)
def concatenate(inputs: Sequence[Tensor], dimension: int) -> Tensor:
    """The inputs one after the other along a dimension."""
    require("C3", len(inputs) > 0, "there are no inputs")
    first = inputs[0]
    require("C4", 0 <= dimension < first.rank, f"dimension {dimension} of rank {first.rank}")
    total: Dim = 0
    for tensor in inputs:
        alike: Verdict = tensor.rank == first.rank and every(
            same(a, b)
            for d, (a, b) in enumerate(zip(tensor.shape, first.shape, strict=True))
            if d != dimension
        )
        require("C2", alike, f"{tensor.type} and {first.type} differ outside {dimension}")
        require("C5", tensor.element_type == first.element_type, "element types differ")
        total = total + tensor.shape[dimension]
    flexible = [t.like(shape=_replaced(t.shape, dimension, total)) for t in inputs]
    return meet_all(flexible)


def _replaced(shape: Sequence[Dim], axis: int, dim: Dim) -> list[Dim]:
    return [dim if d == axis else old for d, old in enumerate(shape)]


@op(traits=Trait.CONSTANT_LIKE | Trait.QUANTIZED_PER_AXIS)
def constant(value: Elements) -> Tensor:
    """The values of an array; its dtype gives the element type."""
    return Tensor(of_array(value))


@op(traits=Trait.ARITHMETIC)
def iota(iota_dimension: int, result_type: TensorType) -> Tensor:
    """0, 1, 2, ... along a dimension."""
    rank = result_type.rank
    require("C1", 0 <= iota_dimension < rank, f"dimension {iota_dimension} of rank {rank}")
    return Tensor(result_type)


def padded_size(size: Dim, low: Dim, high: Dim, interior: Dim) -> Dim:
    """Elements along a dimension once there are others around and between them."""
    return low + size + maximum(size - 1, 0) * interior + high


@op(traits=Trait.JOINS)
def pad(
    operand: Tensor,
    padding_value: Scalar,
    edge_padding_low: Sequence[int],
    edge_padding_high: Sequence[int],
    interior_padding: Sequence[int],
) -> Tensor:
    """Elements put around and between those of ``operand``; negative edges remove elements."""
    return padded(operand, padding_value, edge_padding_low, edge_padding_high, interior_padding)


def padded(operand: Tensor, padding_value: Tensor, *rows: Sequence[Dim]) -> Tensor:
    """What ``pad`` gives by low, high and interior paddings, which may be expressions."""
    require("I2", padding_value.rank == 0, f"padding_value is {padding_value.type}")
    require("C1", padding_value.element_type == operand.element_type, "element types differ")
    require("C2", all(len(x) == operand.rank for x in rows), f"sizes differ from {operand.type}")
    shape: list[Dim] = []
    for dim, low, high, interior in zip(operand.shape, *rows, strict=True):
        require("C3", at_most(0, interior), f"interior padding {interior} is below 0")
        size = padded_size(dim, low, high, interior)
        require("C4", at_most(0, size), f"padding takes more than the {dim} elements there are")
        shape.append(size)
    return operand.like(shape=shape)


@op(traits=Trait.REARRANGES | Trait.QUANTIZED_PER_AXIS)
def reshape(operand: Tensor, result_type: TensorType) -> Tensor:
    """The same elements, in row-major order, in another shape."""
    return reshaped(operand, Tensor(result_type))


def reshaped(operand: Tensor, result: Tensor) -> Tensor:
    """``result`` with the one size it may lack, that which makes the numbers of elements equal."""
    missing = [d for d, dim in enumerate(result.shape) if dim is UNKNOWN]
    if len(missing) == 1:
        rest = product(dim for dim in result.shape if dim is not UNKNOWN)
        size = floor_divided(product(operand.shape), rest)
        result = result.like(shape=_replaced(result.shape, missing[0], size))
    alike = same(product(operand.shape), product(result.shape))
    require("C2", alike, f"{operand.type} to {result.type}")
    require_reshaped(operand, result)
    return result


@op(traits=Trait.REARRANGES)
def reverse(operand: Tensor, dimensions: Sequence[int]) -> Tensor:
    """The elements in opposite order along the dimensions."""
    require("C2", is_unique(dimensions), f"dimensions {list(dimensions)} repeat")
    require("C3", in_range(dimensions, operand.rank), f"{list(dimensions)} leave the rank")
    return operand.like()


@op(traits=Trait.REARRANGES)
def slice(
    operand: Tensor,
    start_indices: Sequence[int],
    limit_indices: Sequence[int],
    strides: Sequence[int],
) -> Tensor:
    """Elements start, start + stride, ... below limit, in each dimension."""
    return sliced(operand, start_indices, limit_indices, strides)


def sliced(operand: Tensor, *rows: Sequence[Dim]) -> Tensor:
    """What ``slice`` gives by starts, limits and strides, which may be expressions."""
    require("C2", all(len(x) == operand.rank for x in rows), f"sizes differ from {operand.type}")
    shape: list[Dim] = []
    for dim, start, limit, stride in zip(operand.shape, *rows, strict=True):
        inside = every((at_most(0, start), at_most(start, limit), at_most(limit, dim)))
        require("C3", inside, f"slice {start}:{limit} of a dimension of size {dim}")
        require("C4", at_most(1, stride), f"stride {stride} is not positive")
        shape.append(ceiling_divided(limit - start, stride))
    return operand.like(shape=shape)


@op(traits=Trait.REARRANGES | Trait.QUANTIZED_PER_AXIS)
def transpose(operand: Tensor, permutation: Sequence[int]) -> Tensor:
    """Result dimension d is operand dimension permutation[d]."""
    require(
        "C2",
        is_permutation(permutation, operand.rank),
        f"permutation {list(permutation)} is no order of the {operand.rank} axes",
    )
    element = transposed(operand.element_type, permutation)
    return operand.like(shape=[operand.shape[p] for p in permutation], element_type=element)
