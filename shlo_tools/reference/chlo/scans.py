"""Scans: folds along a dimension that keep every step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shlo_tools.dtypes import Array, TensorType
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.reduction import Computation, results_of

chlo = evaluates(dialect="chlo")


@chlo
def scan(
    inputs: Sequence[Array],
    inits: Sequence[Array],
    dimension: int,
    *,
    body: Computation,
    scan_dim_size: int | None = None,
    is_reverse: bool | None = None,
    is_associative: bool | None = None,
    result_types: list[TensorType],
) -> tuple[Array, ...]:
    steps = inputs[0].shape[dimension] if inputs else int(scan_dim_size or 0)
    carried: list[Any] = list(inits)
    rows: list[list[Array]] = []
    for step in reversed(range(steps)) if is_reverse else range(steps):
        slices = [np.asarray(np.take(x, step, axis=dimension)) for x in inputs]
        results = results_of(body(*slices, *carried))
        rows.append(results[: len(results) - len(inits)])
        carried = results[len(results) - len(inits) :]
    if is_reverse:
        rows.reverse()
    if not rows:
        outputs = _no_rows(inputs, inits, dimension, body, result_types)
    else:
        outputs = [np.stack(column, axis=dimension) for column in zip(*rows, strict=True)]
    return (*outputs, *carried)


def _no_rows(
    inputs: Sequence[Array],
    inits: Sequence[Array],
    dimension: int,
    body: Computation,
    result_types: Sequence[TensorType],
) -> list[Array]:
    """Outputs of no steps; sizes that the types leave open are what the body makes of zeros."""
    types = result_types[: len(result_types) - len(inits)]
    shapes = [type.shape for type in types]
    if not all(type.is_static for type in types):
        kept = [[n for d, n in enumerate(x.shape) if d != dimension] for x in inputs]
        zeros = [np.zeros(shape, x.dtype) for shape, x in zip(kept, inputs, strict=True)]
        slices = results_of(body(*zeros, *inits))[: len(types)]
        shapes = [(*x.shape[:dimension], 0, *x.shape[dimension:]) for x in slices]
    return [
        np.empty(shape, type.element_type.dtype) for shape, type in zip(shapes, types, strict=True)
    ]
