"""``tensor[...]`` by numpy's rules, as far as static slices, reversals and reshapes give it."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from shlo_tools.dims import Dim
from shlo_tools.errors import ShloError
from shlo_tools.ops.data_movement import reshape, reverse
from shlo_tools.ops.data_movement import slice as slice_
from shlo_tools.types import Tensor

_HINT = "ops.gather, ops.dynamic_slice and ops.select take positions that are computed"


def indexed(tensor: Tensor, index: Any) -> Tensor:
    """Elements of a tensor: integers, slices, ``None`` (a new dimension) and ``...``.

    Integers and slices count from the end where they are negative; a step may be negative.

    Raises:
        ShloError: an index outside, of another kind, or of a dimension of unknown size.
    """
    items = _complete(tensor, index if isinstance(index, tuple) else (index,))
    dimensions = iter(enumerate(tensor.shape))
    spans: list[range] = []
    shape: list[Dim] = []
    for item in items:
        if item is None:
            shape.append(1)
            continue
        dimension, size = next(dimensions)
        span = _span(tensor, dimension, size, item)
        spans.append(span)
        if isinstance(item, slice):
            shape.append(len(span))
    whole = [range(size) for size in tensor.type.static_shape]
    part = tensor if spans == whole else _taken(tensor, spans)
    return part if part.shape == tuple(shape) else reshape(part, tensor.type.with_shape(shape))


def _complete(tensor: Tensor, items: Sequence[Any]) -> list[Any]:
    """The items with a slice for each dimension that none names."""
    for item in items:
        if item is None or item is Ellipsis or isinstance(item, slice):
            continue
        if isinstance(item, bool | np.bool_) or not hasattr(type(item), "__index__"):
            raise ShloError(f"{item!r} is no index of {tensor.type}", hint=_HINT)
    places = [n for n, item in enumerate(items) if item is Ellipsis]
    if len(places) > 1:
        raise ShloError("an index has one ... at most")
    named = sum(item is not None and item is not Ellipsis for item in items)
    if named > tensor.rank:
        raise ShloError(f"{named} indices for {tensor.type} of rank {tensor.rank}")
    at = places[0] if places else len(items)
    rest = [slice(None)] * (tensor.rank - named)
    return [*items[:at], *rest, *items[at + 1 :]]


def _span(tensor: Tensor, dimension: int, size: Dim, item: Any) -> range:
    """The positions along a dimension that an item names."""
    if not isinstance(size, int):
        raise ShloError(
            f"dimension {dimension} of {tensor.type} has no known size to index in",
            hint="ops.real_dynamic_slice takes computed limits",
        )
    if isinstance(item, slice):
        try:
            return range(*item.indices(size))
        except (TypeError, ValueError) as error:  # bounds that are no integers, a step of 0
            raise ShloError(f"{item}: {error}", hint=_HINT) from error
    position = operator.index(item)
    if not -size <= position < size:
        raise ShloError(f"index {position} is outside dimension {dimension} of {tensor.type}")
    return range(position % size, position % size + 1)


def _taken(tensor: Tensor, spans: Sequence[range]) -> Tensor:
    """The elements at the spans' positions, of which some run backwards."""
    forwards = [span if span.step > 0 else span[::-1] for span in spans]
    starts = [span.start if span else 0 for span in forwards]
    limits = [span[-1] + 1 if span else 0 for span in forwards]
    sliced = slice_(tensor, starts, limits, [span.step for span in forwards])
    backwards = [n for n, span in enumerate(spans) if span.step < 0 and len(span) > 1]
    return reverse(sliced, backwards) if backwards else sliced
