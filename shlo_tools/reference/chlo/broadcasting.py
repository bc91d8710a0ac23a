"""CHLO's broadcasting forms: operands are stretched to one shape first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from shlo_tools.dtypes import Array
from shlo_tools.errors import ExecutionError
from shlo_tools.ops.elementwise import ComparisonDirection, ComparisonType
from shlo_tools.reference import elementwise
from shlo_tools.reference._evaluates import EVALUATORS, evaluates
from shlo_tools.reference.data_movement import broadcast

chlo = evaluates(dialect="chlo")


def _stretched(
    lhs: Array, rhs: Array, broadcast_dimensions: Sequence[int] | None
) -> tuple[Array, Array]:
    """Both operands in one shape; the one of lower rank takes ``broadcast_dimensions``."""
    rank = max(lhs.ndim, rhs.ndim)
    low = lhs if lhs.ndim < rhs.ndim else rhs
    axes = broadcast_dimensions
    if axes is None:
        axes = range(rank - low.ndim, rank)
    placed = dict(zip(axes, low.shape, strict=True))
    sizes = [placed.get(d, 1) for d in range(rank)]
    high = rhs if low is lhs else lhs
    try:
        shape = np.broadcast_shapes(tuple(sizes), high.shape)
    except ValueError:
        raise ExecutionError(f"shapes {lhs.shape} and {rhs.shape} do not stretch to one") from None
    small = broadcast(low, axes, shape)
    large = broadcast(high, range(rank), shape)
    return (small, large) if low is lhs else (large, small)


def _form(name: str) -> Callable[..., Array]:
    """The broadcasting form of an op of two operands."""

    def function(
        lhs: Array, rhs: Array, broadcast_dimensions: Sequence[int] | None = None
    ) -> Array:
        plain = EVALUATORS.get(f"stablehlo.{name}") or EVALUATORS[f"chlo.{name}"]
        result: Array = plain(*_stretched(lhs, rhs, broadcast_dimensions))
        return result

    function.__name__ = function.__qualname__ = f"broadcast_{name}"
    return chlo(function)


broadcast_add = _form("add")
broadcast_and = _form("and")
broadcast_atan2 = _form("atan2")
broadcast_divide = _form("divide")
broadcast_maximum = _form("maximum")
broadcast_minimum = _form("minimum")
broadcast_multiply = _form("multiply")
broadcast_next_after = _form("next_after")
broadcast_or = _form("or")
broadcast_polygamma = _form("polygamma")
broadcast_power = _form("power")
broadcast_remainder = _form("remainder")
broadcast_shift_left = _form("shift_left")
broadcast_shift_right_arithmetic = _form("shift_right_arithmetic")
broadcast_shift_right_logical = _form("shift_right_logical")
broadcast_subtract = _form("subtract")
broadcast_xor = _form("xor")
broadcast_zeta = _form("zeta")


@chlo
def broadcast_compare(
    lhs: Array,
    rhs: Array,
    comparison_direction: ComparisonDirection,
    compare_type: ComparisonType | None = None,
    broadcast_dimensions: Sequence[int] | None = None,
) -> Array:
    left, right = _stretched(lhs, rhs, broadcast_dimensions)
    return elementwise.compare(left, right, comparison_direction, compare_type)


@chlo
def broadcast_complex(
    lhs: Array, rhs: Array, broadcast_dimensions: Sequence[int] | None = None
) -> Array:
    return elementwise.complex(*_stretched(lhs, rhs, broadcast_dimensions))


@chlo
def broadcast_select(pred: Array, on_true: Array, on_false: Array) -> Array:
    try:
        return np.where(pred, on_true, on_false)
    except ValueError:
        shapes = f"{pred.shape}, {on_true.shape} and {on_false.shape}"
        raise ExecutionError(f"shapes {shapes} do not stretch to one") from None
