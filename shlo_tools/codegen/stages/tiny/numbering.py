"""Elements by numbers: what moves elements, on arrays of their numbers.

A number tells a source (a register or a place in memory) and an element of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from shlo_tools.codegen.stages.nodes import Node, NodeKind

Numbers = npt.NDArray[np.int64]
_BITS = 40  # of a number that tell the element


def numbers_of(source: int, shape: Sequence[int]) -> Numbers:
    """The numbers of a source's elements."""
    first = source << _BITS
    return np.arange(first, first + math.prod(shape), dtype=np.int64).reshape(shape)


def number_of(source: int, places: Numbers) -> Numbers:
    """The numbers of some elements of a source."""
    numbers: Numbers = places + (source << _BITS)
    return numbers


def source_of(number: int) -> int:
    """The source of an element."""
    return number >> _BITS


def place_of(number: int) -> int:
    """Where an element lies in its source."""
    return number & ((1 << _BITS) - 1)


# --- from operands to results ---------------------------------------------------------------------
def _broadcast(node: Node, operand: Numbers) -> Numbers:
    shape = [1] * len(node.shape)
    for d, size in zip(node.dimensions, operand.shape, strict=True):
        shape[d] = size
    order = sorted(range(operand.ndim), key=node.dimensions.__getitem__)
    return np.broadcast_to(operand.transpose(order).reshape(shape), node.shape)


def _slice(node: Node, operand: Numbers) -> Numbers:
    cuts = zip(node.starts, node.steps, node.shape, strict=True)
    return operand[tuple(slice(start, start + step * size, step) for start, step, size in cuts)]


def _pad(node: Node, operand: Numbers, padding: Numbers) -> Numbers:
    result = np.full(node.shape, padding.item(), np.int64)
    inside, rest = [], []
    for low, step, size, full in zip(
        node.starts, node.steps, operand.shape, node.shape, strict=True
    ):
        places = low + step * np.arange(size)
        exists = (places >= 0) & (places < full)
        inside.append(places[exists])
        rest.append(np.arange(size)[exists])
    result[np.ix_(*inside)] = operand[np.ix_(*rest)]
    return result


# Ops that only move elements: numbers of operands to numbers of the result.
VIEWS: dict[NodeKind, Callable[..., Numbers]] = {
    NodeKind.BROADCAST: _broadcast,
    NodeKind.CONCATENATE: lambda node, *parts: np.concatenate(parts, node.dimensions[0]),
    NodeKind.PAD: _pad,
    NodeKind.RESHAPE: lambda node, operand: operand.reshape(node.shape),
    NodeKind.REVERSE: lambda node, operand: np.flip(operand, node.dimensions),
    NodeKind.SLICE: _slice,
    NodeKind.TRANSPOSE: lambda node, operand: operand.transpose(node.dimensions),
}


# --- from results to an operand that is too large to be numbered ----------------------------------
def moved(node: Node, places: Numbers) -> Numbers:
    """Where a view reads elements of its operand, as places in row-major order."""
    (source,) = node.operands
    if node.kind is NodeKind.RESHAPE:
        return places
    at = np.unravel_index(places, node.shape)
    where: list[Numbers] = list(at)
    if node.kind is NodeKind.SLICE:
        where = [c * k + start for c, k, start in zip(at, node.steps, node.starts, strict=True)]
    elif node.kind is NodeKind.REVERSE:
        for d in node.dimensions:
            where[d] = node.shape[d] - 1 - at[d]
    elif node.kind is NodeKind.TRANSPOSE:
        where = [at[node.dimensions.index(d)] for d in range(len(at))]
    else:
        raise TypeError(f"{node.kind.value} of a large tensor")
    flat: Numbers = np.ravel_multi_index(where, source.shape)
    return flat
