"""Sorting."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.constraints import every, require, same_shape
from shlo_tools.ops._op import op
from shlo_tools.ops.traits import Trait
from shlo_tools.types import Region, Tensor


@op(traits=Trait.QUANTIZED)
def sort(
    inputs: Sequence[Tensor],
    dimension: int = -1,
    is_stable: bool = False,
    *,
    comparator: Region,
) -> tuple[Tensor, ...]:
    """Sort along a dimension, all inputs alike.

    ``comparator`` takes a pair of elements from each input (l0, r0, l1, r1, ...) and tells
    whether the left ones come first.
    """
    require("C1", len(inputs) > 0, "there are no inputs")
    first = inputs[0]
    require("C1", every(same_shape(t.shape, first.shape) for t in inputs), "shapes differ")
    low = -first.rank
    require("C4", first.rank == 0 or low <= dimension < first.rank, f"dimension {dimension}")
    pairs = [scalar for t in inputs for scalar in (t.like(shape=()), t.like(shape=()))]
    results = comparator(*pairs)
    boolean = len(results) == 1 and results[0].rank == 0 and results[0].element_type.is_boolean
    require("C5", boolean, "the comparator does not return one 0-dimensional boolean")
    return tuple(tensor.like() for tensor in inputs)
