"""Ragged dot products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from shlo_tools.constraints import as_declared, in_range, require, same
from shlo_tools.dtypes import TensorType
from shlo_tools.ops._attributes import Struct
from shlo_tools.ops._op import DESCRIPTIONS, op
from shlo_tools.ops.contraction import Precision
from shlo_tools.types import Tensor

ChloPrecision = Annotated[Precision, "chlo"]


RAGGED_DOT_DIMENSION_NUMBERS = Struct(
    "ragged_dot_dimension_numbers",
    "ragged_dot",
    (
        "lhs_batching_dimensions",
        "rhs_batching_dimensions",
        "lhs_contracting_dimensions",
        "rhs_contracting_dimensions",
        "lhs_ragged_dimensions",
        "rhs_group_dimensions",
    ),
    dialect="chlo",
)


@op(dialect="chlo", structs=[RAGGED_DOT_DIMENSION_NUMBERS])
def ragged_dot(
    lhs: Tensor,
    rhs: Tensor,
    group_sizes: Tensor,
    lhs_batching_dimensions: Sequence[int] = (),
    rhs_batching_dimensions: Sequence[int] = (),
    lhs_contracting_dimensions: Sequence[int] = (),
    rhs_contracting_dimensions: Sequence[int] = (),
    lhs_ragged_dimensions: Sequence[int] = (),
    rhs_group_dimensions: Sequence[int] = (),
    precision_config: Sequence[ChloPrecision] | None = None,
    result_type: TensorType | None = None,
) -> Tensor:
    """A dot product whose lhs has one dimension cut in consecutive groups of ``group_sizes``.

    Cut across a free dimension of lhs, each group meets its own rhs along the group dimension
    (rows beyond the last group give 0); across a contracting one, each group gives a result of
    its own, in front; across a batching one, groups change nothing.
    """
    require("C1", len(lhs_ragged_dimensions) == 1, "lhs has not one ragged dimension")
    ragged = lhs_ragged_dimensions[0]
    require("C2", in_range([ragged], lhs.rank), f"dimension {ragged} of {lhs.type}")
    require("C3", group_sizes.element_type.is_integer, f"group sizes are {group_sizes.type}")
    require("C3", group_sizes.rank > 0, "group_sizes has no dimension")
    used = (*lhs_batching_dimensions, *lhs_contracting_dimensions)
    groups = 0 if ragged in used else 1
    require("C4", len(rhs_group_dimensions) == groups, f"{list(rhs_group_dimensions)} of rhs")
    require("C4", in_range(rhs_group_dimensions, rhs.rank), f"{list(rhs_group_dimensions)} of rhs")
    for axis in rhs_group_dimensions:
        fits = same(rhs.shape[axis], group_sizes.shape[-1])
        require("C5", fits, f"{rhs.type} and {group_sizes.type} differ in the number of groups")
    rhs_used = (*rhs_batching_dimensions, *rhs_contracting_dimensions)
    overlap = set(rhs_used) & set(rhs_group_dimensions)
    require("C6", not overlap, f"rhs dimensions {sorted(overlap)} have two roles")
    kept = [axis for axis in range(rhs.rank) if axis not in rhs_group_dimensions]
    product: Tensor = DESCRIPTIONS["stablehlo.dot_general"].rule(
        lhs,
        rhs.like(shape=[rhs.shape[axis] for axis in kept]),
        lhs_batching_dimensions,
        [kept.index(axis) for axis in rhs_batching_dimensions],
        lhs_contracting_dimensions,
        [kept.index(axis) for axis in rhs_contracting_dimensions],
    )
    shape = product.shape
    if ragged in lhs_contracting_dimensions:
        shape = (group_sizes.shape[-1], *shape)
    element = result_type.element_type if result_type else lhs.element_type
    result = lhs.like(shape=shape, element_type=element)
    return as_declared("C7", result, result_type)
