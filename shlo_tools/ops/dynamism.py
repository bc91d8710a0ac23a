"""Ops whose results have sizes computed at run time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shlo_tools.constraints import (
    at_most,
    citing,
    every,
    in_range,
    is_unique,
    meet_dims,
    require,
    same,
    same_shape,
)
from shlo_tools.dims import UNKNOWN, Dim
from shlo_tools.dtypes import ELEMENT_TYPES, TensorType
from shlo_tools.ops._op import op
from shlo_tools.ops._quantized import require_product, require_weights
from shlo_tools.ops._signatures import rule_of, with_parameters_of
from shlo_tools.ops.convolution import CONVOLUTION_DIMENSION_NUMBERS, convolution
from shlo_tools.ops.data_movement import broadcast_in_dim, iota, padded, reshape, sliced
from shlo_tools.ops.gather_scatter import GATHER_DIMENSION_NUMBERS, gather
from shlo_tools.ops.traits import Trait
from shlo_tools.types import Scalar, Tensor

FAR = 1 << 60  # beyond it, sums of sizes might wrap around


def sizes_of(label: str, sizes: Tensor, rank: int) -> Sequence[Dim]:
    """Check that an operand holds one integer per dimension, none beyond all sizes."""
    numbers = _integers(label, sizes, rank)
    sane = every(v for n in numbers for v in (at_most(-FAR, n), at_most(n, FAR)))
    require(label, sane, "a number is beyond all sizes")
    return numbers


def _integers(label: str, sizes: Tensor, rank: int) -> Sequence[Dim]:
    """Check that an operand holds one integer per dimension; returns those."""
    whole = sizes.element_type.is_integer or sizes.element_type.name == "index"
    require("I1", whole, f"{sizes.type} holds no integers")
    fits = sizes.rank == 1 and same(sizes.shape[0], rank)
    require(label, fits, f"{sizes.type} has not one entry for each of {rank} dimensions")
    return [UNKNOWN] * rank if sizes.contents is None else sizes.contents


def shaped(label: str, result_type: TensorType, shape: Sequence[Dim]) -> Tensor:
    """A result of a shape computed at run time, of which its type says something, too."""
    declared = result_type.shape
    require(label, same_shape(declared, shape), f"{result_type} has not the sizes {list(shape)}")
    require(label, every(at_most(0, size) for size in shape), f"a size of {list(shape)} is below 0")
    known = [meet_dims(a, b) for a, b in zip(declared, shape, strict=True)]
    return Tensor(TensorType(tuple(known), result_type.element_type, result_type.bounds))


@op(traits=Trait.REARRANGES | Trait.SIZES_AS_OPERANDS | Trait.QUANTIZED_PER_AXIS)
def dynamic_broadcast_in_dim(
    operand: Tensor,
    output_dimensions: Tensor,
    broadcast_dimensions: Sequence[int],
    known_expanding_dimensions: Sequence[int] | None = None,
    known_nonexpanding_dimensions: Sequence[int] | None = None,
    *,
    result_type: TensorType,
) -> Tensor:
    """``broadcast_in_dim`` to a shape given by ``output_dimensions``."""
    axes = broadcast_dimensions
    sizes = sizes_of("C7", output_dimensions, result_type.rank)
    result = shaped("C7", result_type, sizes)
    result = rule_of(broadcast_in_dim)(operand, axes, result.type)
    known = (*(known_expanding_dimensions or ()), *(known_nonexpanding_dimensions or ()))
    require("C8", is_unique(known), f"known dimensions {list(known)} repeat")
    require("C9", in_range(known, operand.rank), f"known dimensions {list(known)} leave the rank")
    for d in known_nonexpanding_dimensions or ():
        kept = same(operand.shape[d], result.shape[axes[d]])
        require("C9", kept, f"dimension {d} of the operand is said not to expand, and does")
    return result


@op(
    structs=[CONVOLUTION_DIMENSION_NUMBERS],
    traits=Trait.ARITHMETIC | Trait.SIZES_AS_OPERANDS | Trait.QUANTIZED_PER_AXIS,
)
@with_parameters_of(convolution)
def dynamic_conv(
    lhs: Tensor, rhs: Tensor, padding: Tensor, *, result_type: TensorType, **attributes: Any
) -> Tensor:
    """``convolution`` with a padding computed at run time: a pair for each spatial dimension."""
    spatial = lhs.rank - 2
    whole = padding.element_type.is_integer
    require("I3", padding.rank == 2 and whole, f"padding is {padding.type}")
    require("C4", same_shape(padding.shape, (spatial, 2)), f"padding is {padding.type}")
    sizes = [UNKNOWN] * (2 * spatial) if padding.contents is None else padding.contents
    edges: Any = list(zip(sizes[::2], sizes[1::2], strict=True))
    inferred = rule_of(convolution)(lhs, rhs, padding=edges, **attributes)
    require("C26", result_type.rank == lhs.rank, f"{result_type} has not rank {lhs.rank}")
    require_product("C28 C31 C32 C33 C34", lhs, rhs, result_type.element_type)
    require_weights("C30", Tensor(result_type), [attributes["output_feature_dimension"]])
    return shaped("C25", result_type, inferred.shape)


# The specification leaves batching dims out of ``dynamic_gather``: what concerns them is cited by
# the labels of ``gather``.
_CITED_FOR_GATHER = {
    "C7": "C6",
    "C8": "C7",
    "C9": "C8",
    "C12": "C8",
    "C18": "C9",
    "C19": "C10",
    "C20": "C11",
    "C21": "C12",
    "C22": "C13",
    "C23": "C14",
}


@op(structs=[GATHER_DIMENSION_NUMBERS], traits=Trait.REARRANGES | Trait.SIZES_AS_OPERANDS)
@with_parameters_of(gather)
def dynamic_gather(
    operand: Tensor,
    start_indices: Tensor,
    slice_sizes: Tensor,
    *,
    result_type: TensorType,
    **attributes: Any,
) -> Tensor:
    """``gather`` of slices whose sizes are computed at run time."""
    sizes: Any = sizes_of("C11", slice_sizes, operand.rank)
    with citing(_CITED_FOR_GATHER):
        inferred = rule_of(gather)(operand, start_indices, slice_sizes=sizes, **attributes)
    require("C14", operand.element_type == result_type.element_type, "element types differ")
    require("C13", result_type.rank == inferred.rank, f"{result_type} has not rank {inferred.rank}")
    return shaped("C13", result_type, inferred.shape)


@op(traits=Trait.ARITHMETIC | Trait.SIZES_AS_OPERANDS)
def dynamic_iota(output_shape: Tensor, iota_dimension: int, result_type: TensorType) -> Tensor:
    """``iota`` of a shape computed at run time."""
    shape = sizes_of("C2", output_shape, result_type.rank)
    return rule_of(iota)(iota_dimension, shaped("C2", result_type, shape).type)


@op(traits=Trait.JOINS | Trait.SIZES_AS_OPERANDS)
def dynamic_pad(
    operand: Tensor,
    padding_value: Scalar,
    edge_padding_low: Tensor,
    edge_padding_high: Tensor,
    interior_padding: Tensor,
    result_type: TensorType,
) -> Tensor:
    """``pad`` by amounts computed at run time."""
    rows = (edge_padding_low, edge_padding_high, interior_padding)
    inferred = padded(operand, padding_value, *(sizes_of("C2", row, operand.rank) for row in rows))
    require("C1", inferred.element_type == result_type.element_type, "element types differ")
    require("C4", inferred.rank == result_type.rank, f"{operand.type} and {result_type}")
    return shaped("C4", result_type, inferred.shape)


@op(traits=Trait.REARRANGES | Trait.SIZES_AS_OPERANDS | Trait.QUANTIZED_PER_AXIS)
def dynamic_reshape(operand: Tensor, output_shape: Tensor, result_type: TensorType) -> Tensor:
    """``reshape`` to a shape computed at run time; -1 has no meaning."""
    sizes = sizes_of("C4", output_shape, result_type.rank)
    return rule_of(reshape)(operand, shaped("C4", result_type, sizes).type)


@op(traits=Trait.QUANTIZED_PER_AXIS)
def get_dimension_size(operand: Tensor, dimension: int) -> Tensor:
    """The size of a dimension, as an i32."""
    require("C1", 0 <= dimension < operand.rank, f"dimension {dimension} of {operand.type}")
    size = operand.shape[dimension]
    type = operand.type.with_shape(()).with_element(ELEMENT_TYPES["i32"])
    return Tensor(type, contents=None if size is UNKNOWN else (size,))


@op(traits=Trait.REARRANGES | Trait.SIZES_AS_OPERANDS)
def real_dynamic_slice(
    operand: Tensor,
    start_indices: Tensor,
    limit_indices: Tensor,
    strides: Tensor,
    result_type: TensorType,
) -> Tensor:
    """``slice`` by starts, limits and strides computed at run time. Not in the specification."""
    rows = [sizes_of("C2", sizes, operand.rank) for sizes in (start_indices, limit_indices)]
    rows.append(_integers("C2", strides, operand.rank))  # these are only divided by
    require("C5", operand.rank == result_type.rank, f"{operand.type} and {result_type}")
    require("C1", operand.element_type == result_type.element_type, "element types differ")
    return shaped("C5", result_type, sliced(operand, *rows).shape)


@op(traits=Trait.REARRANGES | Trait.SIZES_AS_OPERANDS)
def set_dimension_size(
    operand: Tensor, size: Scalar, dimension: int, result_type: TensorType
) -> Tensor:
    """The first ``size`` elements along a dimension, which has at most as many as before.

    Not in the specification. ``result_type`` tells the largest size: a dimension of unknown size
    with a bound.
    """
    require("C1", 0 <= dimension < operand.rank, f"dimension {dimension} of {operand.type}")
    require("I2", size.rank == 0 and size.element_type.name == "i32", f"size is {size.type}")
    shape: list[Dim] = list(operand.shape)
    kept = UNKNOWN if size.contents is None else size.contents[0]
    fits = every((at_most(0, kept), at_most(kept, shape[dimension])))
    require("C3", fits, f"size {kept} of a dimension of size {shape[dimension]}")
    shape[dimension] = kept
    return shaped("C3", result_type, shape)
