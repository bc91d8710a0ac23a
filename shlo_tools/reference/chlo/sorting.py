"""The largest elements."""

from __future__ import annotations

import numpy as np

from shlo_tools.dtypes import Array
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.bits import total_order, unsigned
from shlo_tools.reference.rounding import element_of, widened

chlo = evaluates(dialect="chlo")


@chlo
def top_k(operand: Array, k: int) -> tuple[Array, Array]:
    """Floats are in total order: NaN comes before infinity, 0 before -0."""
    order = np.argsort(_descending(operand), axis=-1, kind="stable")[..., :k]
    return np.take_along_axis(operand, order, axis=-1), order.astype(np.int32)


def _descending(x: Array) -> Array:
    """Unsigned integers that are the smaller, the larger the element."""
    if element_of(x).is_float:
        return ~total_order(x)
    wide = widened(x)
    bits = unsigned(wide)
    if wide.dtype.kind == "i":
        bits = bits ^ bits.dtype.type(1 << (8 * bits.dtype.itemsize - 1))
    return ~bits
