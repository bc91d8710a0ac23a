"""What ops demand of quantized operands and results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shlo_tools.constraints import every, meet_all, require, same, same_baseline, same_shape
from shlo_tools.dims import Dim, product
from shlo_tools.dtypes import ElementType, QuantizedElementType, TensorType
from shlo_tools.errors import ConstraintError
from shlo_tools.ops.traits import Trait
from shlo_tools.types import Tensor


def require_quantized(label: str, type: TensorType, traits: Trait) -> None:
    """Check that an op takes a quantized tensor, and that its scales are those of a dimension."""
    element = type.element_type
    if not isinstance(element, QuantizedElementType):
        return
    require(label, bool(traits & Trait.TAKES_QUANTIZED), f"{type} is quantized")
    if element.axis is not None:
        require(label, bool(traits & Trait.TAKES_PER_AXIS), f"{type} is quantized per axis")
        require("C12", element.axis < type.rank, f"{type} has no dimension {element.axis}")
        fits = same(type.shape[element.axis], len(element.scales))
        require("C13", fits, f"{type} has {len(element.scales)} scales")


def same_numbers(a: ElementType, b: ElementType) -> bool:
    """Whether two element types are one, or integers of one type for numbers of one type."""
    if isinstance(a, QuantizedElementType) and isinstance(b, QuantizedElementType):
        return (a.storage, a.expressed) == (b.storage, b.expressed)
    return a == b


def require_placed(operand: Tensor, result: Tensor, *, same_scales: bool) -> None:
    """C1 of ops that move elements: one element type, but for the dimension of per-axis scales.

    Args:
        same_scales: whether scales and zero points are those of the operand even then.
    """
    have, want = operand.element_type, result.element_type
    alike = have == want
    if isinstance(have, QuantizedElementType) and isinstance(want, QuantizedElementType):
        moved = want.along(have.axis, want.scales, want.zero_points)
        if have.is_per_axis and want.is_per_axis:
            alike = moved == have if same_scales else same_baseline(moved, have)
    require("C1", alike, f"element types differ: {have} becomes {want}")


def require_stretched(operand: Tensor, result: Tensor, axes: Sequence[int]) -> None:
    """C1 and C6 of broadcasts: scales stay at their dimension, and one of them repeats."""
    require_placed(operand, result, same_scales=False)
    have, want = operand.element_type, result.element_type
    if not isinstance(have, QuantizedElementType) or not isinstance(want, QuantizedElementType):
        return
    if have.axis is None or want.axis is None or have.axis >= len(axes):
        return
    moved = axes[have.axis]
    require("C6", want.axis == moved, f"scales of {result.type} are not along dimension {moved}")
    if operand.shape[have.axis] == 1:
        one = {*zip(have.scales, have.zero_points, strict=True)}
        alike = {*zip(want.scales, want.zero_points, strict=True)} <= one
        require("C6", alike, f"{result.type} has other scales than {operand.type}")


def require_reshaped(operand: Tensor, result: Tensor) -> None:
    """C1 and C3 of reshapes: each scale keeps its elements."""
    require_placed(operand, result, same_scales=True)
    have, want = (_around_axis(tensor.shape, tensor.element_type) for tensor in (operand, result))
    fits = every(same(a, b) for a, b in zip(have, want, strict=True)) if have and want else True
    require("C3", fits, f"{operand.type} to {result.type} moves elements to other scales")


def _around_axis(shape: Sequence[Dim], element: ElementType) -> list[Dim]:
    """How many elements are before, along and after the dimension of per-axis scales."""
    if not isinstance(element, QuantizedElementType) or element.axis is None:
        return []
    at = element.axis
    return [product(shape[:at]), shape[at], product(shape[at + 1 :])]


def transposed(element: ElementType, permutation: Sequence[int]) -> ElementType:
    """An element type whose scales follow their dimension."""
    if not isinstance(element, QuantizedElementType) or element.axis is None:
        return element
    axis = list(permutation).index(element.axis)
    return element.along(axis, element.scales, element.zero_points)


def require_product(labels: str, lhs: Tensor, rhs: Tensor, result: ElementType | None) -> None:
    """Which quantized operands and results contractions and convolutions go with.

    Args:
        labels: of the constraints on what is quantized, on storage, on expressed types, on
            per-tensor results, and on floats times quantized weights.
        result: the element type of the result, where it is told.
    """
    all_or_weights, storage, expressed, per_tensor, hybrid = labels.split()
    a, b = lhs.element_type, rhs.element_type
    if not (a.is_quantized or b.is_quantized):
        return
    declared = a if result is None else result
    fits = b.is_quantized and a.is_quantized == declared.is_quantized
    require(all_or_weights, fits, f"{lhs.type} and {rhs.type} give no {declared}")
    if not isinstance(b, QuantizedElementType):
        return
    if not isinstance(a, QuantizedElementType) or not isinstance(declared, QuantizedElementType):
        require(
            hybrid,
            a == b.expressed == declared,
            f"{a} times numbers of {b.expressed} gives {declared}",
        )
        return
    require("I1", not a.is_per_axis, f"{lhs.type} is quantized per axis")
    require(storage, a.storage == b.storage, f"{lhs.type} and {rhs.type} are stored differently")
    alike = a.expressed == b.expressed == declared.expressed
    require(
        expressed, alike, f"{a.expressed}, {b.expressed} and {declared.expressed} are expressed"
    )
    require(
        per_tensor, b.is_per_axis or not declared.is_per_axis, f"{declared} is quantized per axis"
    )


def require_weights(label: str, rhs: Tensor, axes: Iterable[int]) -> None:
    """Per-axis scales of weights lie along one of some dimensions."""
    element = rhs.element_type
    axis = element.axis if isinstance(element, QuantizedElementType) else None
    fits = axis is None or axis in axes
    require(label, fits, f"the scales of {rhs.type} are not along dimension {list(axes)}")


def quantized_sum(lhs: Tensor, rhs: Tensor) -> Tensor:
    """The one binary op that takes scales per axis, and integers clamped to other ranges."""
    a, b = lhs.element_type, rhs.element_type
    types = f"{lhs.type} and {rhs.type}"
    if not isinstance(a, QuantizedElementType) or not isinstance(b, QuantizedElementType):
        raise ConstraintError(f"(C2) only one of {types} is quantized")
    require("C3", a.storage == b.storage, f"{types} are stored differently")
    require("C4", a.expressed == b.expressed, f"{types} stand for different numbers")
    along = {a.axis, b.axis} - {None}
    require("C6", len(along) < 2, f"{types} have scales along different dimensions")
    require("C1", same_shape(lhs.shape, rhs.shape), f"operands differ in type: {types}")
    element = a if a.is_per_axis else b
    return meet_all([operand.like(element_type=element) for operand in (lhs, rhs)])
