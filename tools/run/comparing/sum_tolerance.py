"""How far sums may be apart that were added up in another order.

For sums and contractions |native - exact| <= c * n * eps * sum |terms|. Both n and the sum come
from the op itself: applied to ones it counts its terms, applied to magnitudes it adds those.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import ml_dtypes
import numpy as np

from shlo_tools.dtypes import Array, ElementType, Kind, from_dtype
from shlo_tools.tools.run.comparing.comparison import Tolerance

# Ops that add up what they are given.
SUMS = frozenset(
    f"stablehlo.{name}"
    for name in (
        *("convolution", "dot", "dot_general", "dynamic_conv", "einsum", "reduce"),
        *("reduce_window", "scatter", "select_and_scatter"),
    )
) | {"chlo.ragged_dot"}
# Ops each of whose results adds up all of a dimension, with factors of magnitude 1.
TRANSFORMS = frozenset({"stablehlo.fft"})
_FACTOR = 2.0

Apply = Callable[[Sequence[Array]], Sequence[Array]]


def widened(
    default: Tolerance, op: str, number: int, apply: Apply, operands: Sequence[Array]
) -> Tolerance:
    """The tolerance for a result of an op, with room for the order of its sums if it has any.

    Args:
        number: which of the op's results.
        apply: the op, by the reference.
    """
    if op not in SUMS | TRANSFORMS or default.rtol == 0:
        return default
    with np.errstate(all="ignore"):
        magnitudes = _real(apply([_mapped(x, np.abs) for x in operands])[number])
        if op in TRANSFORMS:
            largest = np.max(magnitudes, initial=0)
            sums = np.full(magnitudes.shape, largest * math.log2(magnitudes.size + 2))
        else:
            counts = _real(apply([_mapped(x, np.ones_like) for x in operands])[number])
            per_result = operands[0].size / max(1, magnitudes.size)
            sums = np.maximum(counts, per_result) * magnitudes
        bound = _FACTOR * _epsilon(from_dtype(operands[0].dtype), default) * sums
        usable = np.where(np.isfinite(bound), bound, 0.0)
    return Tolerance(default.rtol, np.maximum(default.atol, usable))


def _mapped(array: Array, function: Callable[[Array], Array]) -> Array:
    """Floats and complex numbers through a function; indices as they are."""
    if from_dtype(array.dtype).kind not in (Kind.FLOAT, Kind.COMPLEX):
        return array
    return np.asarray(function(array)).astype(array.dtype)


def _real(array: Array) -> Array:
    return np.asarray(np.abs(array)).astype(np.float64)


def _epsilon(element: ElementType, default: Tolerance) -> float:
    if element.kind is Kind.COMPLEX:
        return float(np.finfo(element.dtype).eps)
    if element.kind is not Kind.FLOAT:
        return default.rtol
    return float(ml_dtypes.finfo(element.dtype).eps)  # type: ignore[no-untyped-call]
