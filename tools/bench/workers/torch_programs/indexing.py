"""Gather and scatter."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from shlo_tools.tools.bench.workers.torch_programs.rules import Run, Step, rule


def _vectors(indices: Tensor, index_vector_dim: int) -> Tensor:
    """Indices with their vectors last."""
    if index_vector_dim == indices.dim():
        return indices.unsqueeze(-1)
    return indices.movedim(index_vector_dim, -1)


def _along(vector: Tensor, dimension: int, rank: int) -> Tensor:
    """A vector as a tensor of a rank, along one of its dimensions."""
    return vector.reshape([-1 if d == dimension else 1 for d in range(rank)])


@rule("stablehlo.gather")
def gather(step: Step) -> Run:
    """``index_select`` where rows are picked, else an index tensor for each dimension."""
    a = step.attributes
    operand, result = step.operands[0].shape, step.result.shape
    sizes, mapped = a["slice_sizes"], a["start_index_map"]
    offsets, vector = a["offset_dims"], a["index_vector_dim"]
    dropped = [*a["collapsed_slice_dims"], *a["operand_batching_dims"]]
    rank = len(result)
    batches = [d for d in range(rank) if d not in offsets]
    rows = mapped[0] if mapped == a["collapsed_slice_dims"] and len(mapped) == 1 else None
    whole = rows is not None and all(
        size == n or d == rows for d, (size, n) in enumerate(zip(sizes, operand, strict=True))
    )
    if whole and not a["operand_batching_dims"] and offsets == list(range(rank))[len(batches) :]:
        most = operand[mapped[0]] - 1

        def picked(x: Tensor, indices: Tensor) -> Tensor:
            flat = indices.reshape(-1).clamp(0, most)
            return x.movedim(mapped[0], 0).index_select(0, flat).reshape(result)

        return picked
    kept = [d for d in range(len(operand)) if d not in dropped]
    shared = dict(zip(a["operand_batching_dims"], a["start_indices_batching_dims"], strict=True))

    def gathered(x: Tensor, indices: Tensor) -> Tensor:
        vectors = _vectors(indices, vector).long()
        shape = [1] * rank
        for d, size in zip(batches, vectors.shape[:-1], strict=True):
            shape[d] = size
        where = []
        for d, n in enumerate(operand):
            place: Any = 0
            if d in mapped:
                start = vectors[..., mapped.index(d)].clamp(0, n - sizes[d])
                place = start.reshape(shape)
            if d in shared:
                order = shared[d] - (vector < shared[d])
                place = _along(torch.arange(n), batches[order], rank)
            if d in kept:
                place = place + _along(torch.arange(sizes[d]), offsets[kept.index(d)], rank)
            where.append(place if isinstance(place, Tensor) else torch.zeros([1] * rank).long())
        return x[tuple(where)].expand(result)

    return gathered


_REDUCE: Mapping[str, str] = {
    "stablehlo.add": "sum",
    "stablehlo.maximum": "amax",
    "stablehlo.minimum": "amin",
    "stablehlo.multiply": "prod",
}


def _replaces(step: Step) -> bool:
    body = step.bodies[0]
    return not body["steps"] and body["yields"] == body["arguments"][1:]


@rule("stablehlo.scatter")
def scatter(step: Step) -> Run:
    """Updates by the number of the element that they go to; those outside are left out."""
    a, name = step.attributes, step.combiner()
    if len(step.results) != 1 or (name not in _REDUCE and not _replaces(step)):
        raise step.unsupported(f"by {name or 'a region of several ops'}")
    operand, updates = step.operands[0].shape, step.operands[2].shape
    windows, mapped = a["update_window_dims"], a["scatter_dims_to_operand_dims"]
    vector = a["index_vector_dim"]
    shared = dict(zip(a["input_batching_dims"], a["scatter_indices_batching_dims"], strict=True))
    rank = len(updates)
    batches = [d for d in range(rank) if d not in windows]
    kept = [d for d in range(len(operand)) if d not in (*a["inserted_window_dims"], *shared)]
    extents = {d: updates[w] for d, w in zip(kept, windows, strict=True)}
    strides = [math.prod(operand[d + 1 :]) for d in range(len(operand))]

    def places(indices: Tensor) -> tuple[Tensor, Tensor]:
        """Numbers of elements, and which updates have one."""
        vectors = _vectors(indices, vector).long()
        shape = [1] * rank
        for d, size in zip(batches, vectors.shape[:-1], strict=True):
            shape[d] = size
        number = torch.zeros([1] * rank, dtype=torch.long)
        inside = torch.ones([1] * rank, dtype=torch.bool)
        for d, stride in enumerate(strides):
            place = torch.zeros([1] * rank, dtype=torch.long)
            if d in mapped:
                place = vectors[..., mapped.index(d)].reshape(shape)
            if d in shared:
                order = shared[d] - (vector < shared[d])
                place = _along(torch.arange(operand[d]), batches[order], rank)
            if d in extents:
                window = windows[kept.index(d)]
                place = place + _along(torch.arange(extents[d]), window, rank)
            inside = inside & (place >= 0) & (place < operand[d])
            number = number + place * stride
        return number.expand(updates).reshape(-1), inside.expand(updates).reshape(-1)

    def scattered(x: Tensor, indices: Tensor, update: Tensor) -> Tensor:
        where, inside = places(indices)
        values = update.reshape(-1)
        if not bool(inside.all()):
            where, values = where[inside], values[inside]
        result = x.clone(memory_format=torch.contiguous_format)
        flat = result.view(-1)
        if name == "stablehlo.add":
            flat.index_add_(0, where, values)
        elif name in _REDUCE:
            flat.scatter_reduce_(0, where, values, _REDUCE[name])
        else:
            flat.index_put_((where,), values)
        return result

    return scattered
