"""Ops that multiply and sum: dot products."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.dtypes import TensorType
from shlo_tools.ops._attributes import AttributeEnum, Struct
from shlo_tools.ops._constraints import (
    every,
    in_range,
    is_unique,
    meet,
    meet_dims,
    require,
    same,
    same_shape,
)
from shlo_tools.ops._op import op
from shlo_tools.ops._value import Tensor


class Precision(AttributeEnum):
    """How exactly a contraction computes."""

    DEFAULT = 0
    HIGH = 1
    HIGHEST = 2


DOT_DIMENSION_NUMBERS = Struct(
    "dot_dimension_numbers",
    "dot",
    (
        "lhs_batching_dimensions",
        "rhs_batching_dimensions",
        "lhs_contracting_dimensions",
        "rhs_contracting_dimensions",
    ),
)


@op(structs=[DOT_DIMENSION_NUMBERS])
def dot_general(
    lhs: Tensor,
    rhs: Tensor,
    lhs_batching_dimensions: Sequence[int] = (),
    rhs_batching_dimensions: Sequence[int] = (),
    lhs_contracting_dimensions: Sequence[int] = (),
    rhs_contracting_dimensions: Sequence[int] = (),
    precision_config: Sequence[Precision] | None = None,
    result_type: TensorType | None = None,
) -> Tensor:
    """Sums of products over the contracting dimensions.

    Result dimensions: batching, the other ones of lhs, the other ones of rhs. ``result_type``
    gives a wider element type to accumulate in, such as i32 for i8 operands.
    """
    lhs_used = (*lhs_batching_dimensions, *lhs_contracting_dimensions)
    rhs_used = (*rhs_batching_dimensions, *rhs_contracting_dimensions)
    require(
        "C1",
        len(lhs_batching_dimensions) == len(rhs_batching_dimensions),
        "lhs and rhs have different numbers of batching dimensions",
    )
    require(
        "C2",
        len(lhs_contracting_dimensions) == len(rhs_contracting_dimensions),
        "lhs and rhs have different numbers of contracting dimensions",
    )
    require("C3", is_unique(lhs_used), f"lhs dimensions {list(lhs_used)} repeat")
    require("C4", is_unique(rhs_used), f"rhs dimensions {list(rhs_used)} repeat")
    for label, axes, operand in (
        ("C5", lhs_batching_dimensions, lhs),
        ("C6", lhs_contracting_dimensions, lhs),
        ("C7", rhs_batching_dimensions, rhs),
        ("C8", rhs_contracting_dimensions, rhs),
    ):
        require(label, in_range(axes, operand.rank), f"{list(axes)} leave rank {operand.rank}")
    pairs = [(lhs.shape[a], rhs.shape[b]) for a, b in zip(lhs_used, rhs_used, strict=True)]
    batches = len(lhs_batching_dimensions)
    for label, sizes in (("C9", pairs[:batches]), ("C10", pairs[batches:])):
        require(label, every(same(a, b) for a, b in sizes), f"{lhs.type} and {rhs.type} differ")
    if precision_config is not None:
        require("C11", len(precision_config) in (0, 2), "precision_config is not one per operand")
    require("C13", lhs.element_type == rhs.element_type, "element types differ")
    batch = [meet_dims(a, b) for a, b in pairs[:batches]]
    free_lhs = [dim for d, dim in enumerate(lhs.shape) if d not in lhs_used]
    free_rhs = [dim for d, dim in enumerate(rhs.shape) if d not in rhs_used]
    element = result_type.element_type if result_type else lhs.element_type
    result = lhs.like(shape=[*batch, *free_lhs, *free_rhs], element_type=element)
    if result_type is None:
        return result
    fits = same_shape(result.shape, result_type.shape)
    require("C12", fits, f"the result is {result.type}, not {result_type}")
    return Tensor(meet(result.type, result_type))
