"""Ops that combine elements along dimensions with a computation."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.constraints import (
    accumulators_of,
    compatible,
    every,
    in_range,
    is_unique,
    meet_dims,
    require,
    same_shape,
)
from shlo_tools.dtypes import Dim
from shlo_tools.ops._op import op
from shlo_tools.ops.traits import Trait
from shlo_tools.types import Region, Scalar, Tensor


@op(traits=Trait.QUANTIZED)
def reduce(
    inputs: Sequence[Tensor],
    init_values: Sequence[Scalar],
    dimensions: Sequence[int],
    body: Region,
) -> tuple[Tensor, ...]:
    """Fold ``inputs`` along ``dimensions``.

    ``body`` takes the accumulators, then the elements, and returns the new accumulators. Its
    order of application is not defined; an init value may enter more than once.
    """
    require("C3", len(inputs) > 0, "there are no inputs")
    first = inputs[0]
    require("C1", every(same_shape(t.shape, first.shape) for t in inputs), "shapes differ")
    require("C3", len(init_values) == len(inputs), "not one init value per input")
    alike = all(a.element_type == b.element_type for a, b in zip(inputs, init_values, strict=True))
    require("C2", alike, "inputs and init values differ in element type")
    require("C4", in_range(dimensions, first.rank), f"{list(dimensions)} leave the rank")
    require("C5", is_unique(dimensions), f"dimensions {list(dimensions)} repeat")
    require("I2", all(v.rank == 0 for v in init_values), "an init value is not 0-dimensional")
    accumulators = accumulators_of(body, init_values)
    results = body(*accumulators, *accumulators)
    fits = len(results) == len(inputs) and every(
        compatible(result, accumulator)
        for result, accumulator in zip(results, accumulators, strict=True)
    )
    require("C6", fits, "the body does not return its accumulators' types")
    shape = [
        _common([t.shape[d] for t in inputs]) for d in range(first.rank) if d not in dimensions
    ]
    return tuple(acc.like(shape=shape) for acc in accumulators)


@op(traits=Trait.QUANTIZED)
def map(inputs: Sequence[Tensor], dimensions: Sequence[int], computation: Region) -> Tensor:
    """``computation`` of each position's elements; ``dimensions`` lists all of them in order."""
    require("C2", len(inputs) > 0, "there are no inputs")
    first = inputs[0]
    require("C1", every(same_shape(t.shape, first.shape) for t in inputs), "shapes differ")
    in_order = list(dimensions) == list(range(first.rank))
    require("C3", in_order, f"{list(dimensions)} are not the {first.rank} dimensions in order")
    results = computation(*(tensor.like(shape=()) for tensor in inputs))
    require("C4", len(results) == 1 and results[0].rank == 0, "computation returns no scalar")
    shape = [_common([t.shape[d] for t in inputs]) for d in range(first.rank)]
    return results[0].like(shape=shape)


def _common(dims: Sequence[Dim]) -> Dim:
    size = dims[0]
    for dim in dims[1:]:
        size = meet_dims(size, dim)
    return size
