"""Whose element type a Python number takes that stands in the place of an operand.

Mostly that of the op's first tensor. Positions and sizes are integers whatever they are positions
in, a condition is a boolean, and of two choices each is like the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from shlo_tools.dtypes import TensorType, element_type
from shlo_tools.types import Tensor

Model = Callable[[int], Tensor | None]  # of the item at a position of several

_POSITIONS = (
    *("start_indices", "limit_indices", "strides", "scatter_indices", "index", "group_sizes"),
    *("output_shape", "output_dimensions", "slice_sizes", "size", "shape", "padding"),
    *("edge_padding_low", "edge_padding_high", "interior_padding"),
)
_CHOICES = {"on_true": "on_false", "on_false": "on_true"}
_STARTS = {"init_values": "inputs", "inits": "inputs"}


def model_of(name: str, bound: Mapping[str, Any], first: Tensor | None) -> Model:
    """What numbers given for a parameter are like.

    Args:
        name: the parameter's.
        bound: all arguments of the op.
        first: the first tensor among them.
    """
    if name in _POSITIONS:
        position = _scalar("i32")
        tensors = (bound.get(each) for each in _POSITIONS)
        position = next((t for each in tensors for t in _tensors(each)), position)
        return lambda item: position.like(shape=())
    if name == "pred":
        return lambda item: _scalar("i1")
    if name in _CHOICES:
        other = bound[_CHOICES[name]]
        return lambda item: other if isinstance(other, Tensor) else first
    if name in _STARTS:
        starts = bound[_STARTS[name]]
        return lambda item: _item(starts, item, first)
    return lambda item: first


def _scalar(element: str) -> Tensor:
    return Tensor(TensorType((), element_type(element)))


def _tensors(value: Any) -> list[Tensor]:
    """The tensors that are given for a parameter."""
    if isinstance(value, list | tuple):
        return [item for item in value if isinstance(item, Tensor)]
    return [value] if isinstance(value, Tensor) else []


def _item(values: Any, number: int, missing: Tensor | None) -> Tensor | None:
    inside = isinstance(values, list | tuple) and number < len(values)
    return values[number] if inside and isinstance(values[number], Tensor) else missing
