"""Scans: folds along a dimension that keep every step."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.constraints import compatible, every, in_range, require, same
from shlo_tools.dtypes import Dim
from shlo_tools.ops._op import op
from shlo_tools.types import Region, Tensor


@op(dialect="chlo", segments=True)
def scan(
    inputs: Sequence[Tensor],
    inits: Sequence[Tensor],
    dimension: int,
    *,
    body: Region,
    scan_dim_size: int | None = None,
    is_reverse: bool | None = None,
    is_associative: bool | None = None,
) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
    """Fold along a dimension and keep what every step gives: (outputs, last carries).

    ``body`` takes the slices of ``inputs`` at one position, without the dimension, then the
    carries; it returns slices of the outputs and the next carries. ``scan_dim_size`` is the
    number of steps where there are no inputs.
    """
    sizes = [tensor.shape[dimension] for tensor in inputs if in_range([dimension], tensor.rank)]
    require("C1", len(sizes) == len(inputs), f"an input has no dimension {dimension}")
    sizes += [] if scan_dim_size is None else [scan_dim_size]
    require("C2", len(sizes) > 0, "the number of steps is not known")
    alike = every(same(size, sizes[0]) for size in sizes)
    require("C2", alike, f"the inputs have {sizes} steps")
    steps = next((size for size in sizes if isinstance(size, int)), sizes[0])
    slices = [t.like(shape=_without(t.shape, dimension)) for t in inputs]
    results = body(*slices, *inits)
    require("C3", len(results) >= len(inits), "the body does not return the carries")
    count = len(results) - len(inits)
    pairs = zip(results[count:], inits, strict=True)
    require("C3", every(compatible(a, b) for a, b in pairs), "the body changes the carries' types")
    outputs = [
        t.like(shape=[*t.shape[:dimension], steps, *t.shape[dimension:]]) for t in results[:count]
    ]
    return tuple(outputs), tuple(init.like() for init in inits)


def _without(shape: Sequence[Dim], dimension: int) -> list[Dim]:
    return [size for axis, size in enumerate(shape) if axis != dimension]
