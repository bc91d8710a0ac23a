"""``tensor[...]`` by numpy's rules, as far as slices by constants, reversals and reshapes give it.

A dimension of unknown size may be taken whole: ``x[:, 0]`` of a batch.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from shlo_tools.dims import UNKNOWN, Dim
from shlo_tools.dtypes import ELEMENT_TYPES, TensorType
from shlo_tools.errors import ShloError
from shlo_tools.ops.data_movement import concatenate, reshape, reverse
from shlo_tools.ops.data_movement import slice as slice_
from shlo_tools.ops.dynamism import dynamic_reshape, get_dimension_size, real_dynamic_slice
from shlo_tools.types import Tensor, constant_of

_HINT = "ops.gather, ops.dynamic_slice and ops.select take positions that are computed"


def indexed(tensor: Tensor, index: Any) -> Tensor:
    """Elements of a tensor: integers, slices, ``None`` (a new dimension) and ``...``.

    Integers and slices count from the end where they are negative; a step may be negative.

    Raises:
        ShloError: an index outside, of another kind, or of a dimension of unknown size.
    """
    items = _complete(tensor, index if isinstance(index, tuple) else (index,))
    dimensions = iter(enumerate(tensor.shape))
    spans: list[range | None] = []  # None: a dimension of unknown size, whole
    shape: list[Dim] = []
    for item in items:
        if item is None:
            shape.append(1)
            continue
        dimension, size = next(dimensions)
        span = _span(tensor, dimension, size, item)
        spans.append(span)
        if isinstance(item, slice):
            shape.append(size if span is None else len(span))
    whole = [range(size) if isinstance(size, int) else None for size in tensor.shape]
    part = tensor if spans == whole else _taken(tensor, spans)
    return part if part.shape == tuple(shape) else _reshaped(part, tuple(shape), tensor)


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


def _span(tensor: Tensor, dimension: int, size: Dim, item: Any) -> range | None:
    """The positions along a dimension that an item names."""
    if not isinstance(size, int):
        if item in (slice(None), slice(0, None), slice(None, None, 1), slice(0, None, 1)):
            return None
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


def _taken(tensor: Tensor, spans: Sequence[range | None]) -> Tensor:
    """The elements at the spans' positions, of which some run backwards."""
    forwards = [span if span is None or span.step > 0 else span[::-1] for span in spans]
    starts = [span.start if span else 0 for span in forwards]
    strides = [span.step if span is not None else 1 for span in forwards]
    limits: list[int | Tensor] = [
        _size(tensor, d) if span is None else span[-1] + 1 if span else 0
        for d, span in enumerate(forwards)
    ]
    known = [limit for limit in limits if isinstance(limit, int)]
    if len(known) == len(limits):
        part = slice_(tensor, starts, known, strides)
    else:
        shape = [UNKNOWN if span is None else len(span) for span in spans]
        bounds = (_sizes(starts), _sizes(limits), _sizes(strides))
        part = real_dynamic_slice(tensor, *bounds, result_type=tensor.type.with_shape(shape))
    backwards = [n for n, s in enumerate(spans) if s is not None and s.step < 0 and len(s) > 1]
    return reverse(part, backwards) if backwards else part


def _reshaped(part: Tensor, shape: tuple[Dim, ...], whole: Tensor) -> Tensor:
    """A part without the dimensions that an index took away, and with new ones of size 1."""
    type = whole.type.with_shape(shape)
    if type.is_static:
        return reshape(part, type)
    unknown = (_size(part, d) for d, size in enumerate(part.shape) if not isinstance(size, int))
    sizes = [size if isinstance(size, int) else next(unknown) for size in shape]
    return dynamic_reshape(part, _sizes(sizes), type)


def _size(tensor: Tensor, dimension: int) -> Tensor:
    return reshape(get_dimension_size(tensor, dimension), TensorType((1,), ELEMENT_TYPES["i32"]))


def _sizes(sizes: Sequence[int | Tensor]) -> Tensor:
    """Sizes as a tensor."""
    if all(isinstance(size, int) for size in sizes):
        return constant_of(np.array(sizes, np.int32))
    parts = [
        constant_of(np.array([size], np.int32)) if isinstance(size, int) else size for size in sizes
    ]
    return concatenate(parts, 0) if len(parts) > 1 else parts[0]
