"""CHLO's broadcasting forms: ops whose operands are stretched to one shape first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Protocol, cast

from shlo_tools.constraints import in_range, require, stretches
from shlo_tools.dims import UNKNOWN, Dim, equal
from shlo_tools.dtypes import ElementType, Kind
from shlo_tools.ops import elementwise
from shlo_tools.ops._op import DESCRIPTIONS, op
from shlo_tools.ops._quantized import same_numbers
from shlo_tools.types import Tensor

ComparisonDirection = Annotated[elementwise.ComparisonDirection, "chlo"]
ComparisonType = Annotated[elementwise.ComparisonType, "chlo"]
Allowed = Callable[[ElementType], bool]


class BroadcastingForm(Protocol):
    """What users call for ``chlo.broadcast_add`` and the like."""

    def __call__(
        self, lhs: Tensor, rhs: Tensor, broadcast_dimensions: Sequence[int] | None = None
    ) -> Tensor: ...


def _any(element: ElementType) -> bool:
    return element.kind is not Kind.INDEX


def _part(element: ElementType) -> bool:
    return element.name in ("f32", "f64")


def broadcast_shape(*shapes: Sequence[Dim]) -> list[Dim]:
    """The shape that others stretch to, aligned at their last dimensions as in numpy."""
    rank = max(len(shape) for shape in shapes)
    padded: list[list[Dim]] = [[*[1] * (rank - len(shape)), *shape] for shape in shapes]
    return [_stretched(dims) for dims in zip(*padded, strict=True)]


def _stretched(dims: Sequence[Dim]) -> Dim:
    """The size that others stretch to; an unknown one beside a known size other than 1 is it."""
    size: Dim = 1
    for dim in dims:
        fits = stretches(size, dim) is not False or stretches(dim, size) is not False
        require("C1", fits, f"sizes {size} and {dim} do not stretch to one")
        if size == 1 or (isinstance(dim, int) and dim != 1):
            size = dim
        elif dim != 1 and equal(size, dim) is None and not isinstance(size, int):
            size = UNKNOWN  # either may be 1
    return size


def aligned(
    lhs: Tensor, rhs: Tensor, broadcast_dimensions: Sequence[int] | None
) -> tuple[list[int], list[int]]:
    """For each operand, the dimensions of the result that its own are.

    The operand of lower rank takes ``broadcast_dimensions``, by default the last ones.
    """
    rank = max(lhs.rank, rhs.rank)
    axes = [list(range(rank - operand.rank, rank)) for operand in (lhs, rhs)]
    if broadcast_dimensions is not None:
        low = 0 if lhs.rank < rhs.rank else 1
        dimensions = axes[low] = list(broadcast_dimensions)
        operand = (lhs, rhs)[low]
        require("C2", len(dimensions) == operand.rank, f"{len(dimensions)} axes for {operand.type}")
        require("C2", in_range(dimensions, rank), f"{dimensions} leaves rank {rank}")
        require("C2", dimensions == sorted(set(dimensions)), f"{dimensions} does not increase")
    return axes[0], axes[1]


def _broadcast(
    lhs: Tensor, rhs: Tensor, broadcast_dimensions: Sequence[int] | None, allowed: Allowed = _any
) -> Tensor:
    """The rule of a broadcasting form: one element type, shapes that stretch to one."""
    element = lhs.element_type
    require("I1", allowed(element), f"element type {element} is not allowed")
    alike = same_numbers(element, rhs.element_type)
    require("C1", alike, f"{lhs.type} and {rhs.type} differ in element type")
    rank = max(lhs.rank, rhs.rank)
    shapes = []
    for operand, axes in zip((lhs, rhs), aligned(lhs, rhs, broadcast_dimensions), strict=True):
        sizes = dict(zip(axes, operand.shape, strict=True))
        shapes.append([sizes.get(axis, 1) for axis in range(rank)])
    return lhs.like(shape=broadcast_shape(*shapes))


def _form(name: str) -> BroadcastingForm:
    """The broadcasting form of a StableHLO (or CHLO) op of two operands."""

    def rule(lhs: Tensor, rhs: Tensor, broadcast_dimensions: Sequence[int] | None = None) -> Tensor:
        result = _broadcast(lhs, rhs, broadcast_dimensions)
        plain = DESCRIPTIONS.get(f"stablehlo.{name}") or DESCRIPTIONS[f"chlo.{name}"]
        plain.rule(result, result)  # knows which element types it takes
        return result

    rule.__name__ = rule.__qualname__ = f"broadcast_{name}"
    rule.__doc__ = f"``{name}`` of operands stretched to one shape."
    return cast(BroadcastingForm, op(dialect="chlo")(rule))


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


@op(dialect="chlo")
def broadcast_compare(
    lhs: Tensor,
    rhs: Tensor,
    comparison_direction: ComparisonDirection,
    compare_type: ComparisonType | None = None,
    broadcast_dimensions: Sequence[int] | None = None,
) -> Tensor:
    """``compare`` of operands stretched to one shape."""
    return _broadcast(lhs, rhs, broadcast_dimensions).like(element_type="i1")


@op(dialect="chlo")
def broadcast_complex(
    lhs: Tensor, rhs: Tensor, broadcast_dimensions: Sequence[int] | None = None
) -> Tensor:
    """``complex`` of operands stretched to one shape."""
    parts = _broadcast(lhs, rhs, broadcast_dimensions, _part)
    return parts.like(element_type=f"complex<{lhs.element_type}>")


@op(dialect="chlo")
def broadcast_select(pred: Tensor, on_true: Tensor, on_false: Tensor) -> Tensor:
    """``select`` of operands stretched to one shape, aligned at their last dimensions."""
    require("I1", pred.element_type.is_boolean, f"pred is {pred.type}, not boolean")
    alike = same_numbers(on_true.element_type, on_false.element_type)
    require("C1", alike, f"branches differ in type: {on_true.type} and {on_false.type}")
    return on_true.like(shape=broadcast_shape(pred.shape, on_true.shape, on_false.shape))
