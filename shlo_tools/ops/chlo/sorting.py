"""The largest elements."""

from __future__ import annotations

from shlo_tools.constraints import at_most, require
from shlo_tools.ops._op import op
from shlo_tools.types import Tensor


@op(dialect="chlo")
def top_k(operand: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k largest values of the last dimension in descending order, and their i32 indices.

    Of equal values the one of lower index comes first.
    """
    require("C1", operand.rank > 0, f"{operand.type} has no dimension")
    require("C2", k >= 0 and at_most(k, operand.shape[-1]), f"k = {k} for {operand.type}")
    values = operand.like(shape=[*operand.shape[:-1], k])
    return values, values.like(element_type="i32")
