"""Ops that move elements, and those that make tensors from nothing."""

from __future__ import annotations

import torch
from torch import Tensor

from shlo_tools.tools.bench.workers.torch_programs.rules import Run, Step, rule


@rule("stablehlo.reshape")
def reshape(step: Step) -> Run:
    shape = step.result.shape
    return lambda x: x.reshape(shape)


@rule("stablehlo.broadcast_in_dim")
def broadcast_in_dim(step: Step) -> Run:
    """A view, as torch's own broadcasting is."""
    shape, places = step.result.shape, step.attributes["broadcast_dimensions"]
    sizes = step.operands[0].shape
    order = sorted(range(len(places)), key=lambda d: int(places[d]))
    between = [1] * len(shape)
    for d in order:
        between[places[d]] = sizes[d]
    if order == list(range(len(order))):
        return lambda x: x.reshape(between).expand(shape)
    return lambda x: x.permute(order).reshape(between).expand(shape)


@rule("stablehlo.transpose")
def transpose(step: Step) -> Run:
    permutation = step.attributes["permutation"]
    return lambda x: x.permute(permutation)


@rule("stablehlo.slice")
def slice_(step: Step) -> Run:
    names = ("start_indices", "limit_indices", "strides")
    where = tuple(map(slice, *(step.attributes[name] for name in names)))
    return lambda x: x[where]


@rule("stablehlo.concatenate")
def concatenate(step: Step) -> Run:
    dimension = step.attributes["dimension"]
    return lambda *parts: torch.cat(parts, dimension)


@rule("stablehlo.reverse")
def reverse(step: Step) -> Run:
    dimensions = step.attributes["dimensions"]
    return lambda x: x.flip(dimensions)


@rule("stablehlo.pad")
def pad(step: Step) -> Run:
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    lows, _, interiors = (step.attributes[name] for name in names)
    shape, target, source = step.result.shape, [], []
    for low, interior, size, total in zip(
        lows, interiors, step.operands[0].shape, shape, strict=True
    ):
        # Element n goes to low + n * distance; negative padding leaves some out.
        distance = interior + 1
        first = max(-(low // distance), 0) if low < 0 else 0
        last = min(size - 1, (total - 1 - low) // distance)
        count = max(last - first + 1, 0)
        start = low + first * distance
        target.append(
            slice(start, start + (count - 1) * distance + 1, distance) if count else slice(0)
        )
        source.append(slice(first, first + count))
    into, slices = tuple(target), tuple(source)

    def padded(x: Tensor, value: Tensor) -> Tensor:
        result = value.expand(shape).clone(memory_format=torch.contiguous_format)
        result[into] = x[slices]
        return result

    return padded


@rule("stablehlo.iota")
def iota(step: Step) -> Run:
    shape, dimension = step.result.shape, step.attributes["iota_dimension"]
    dtype = step.result.dtype
    sizes = [size if d == dimension else 1 for d, size in enumerate(shape)]
    return lambda: torch.arange(shape[dimension], dtype=dtype).reshape(sizes).expand(shape)


def starts(
    operand: tuple[int, ...], sizes: tuple[int, ...], indices: tuple[Tensor, ...]
) -> list[int]:
    """Where a slice begins: moved so that it lies inside."""
    rows = zip(operand, sizes, indices, strict=True)
    return [min(max(int(index), 0), whole - size) for whole, size, index in rows]


@rule("stablehlo.dynamic_slice")
def dynamic_slice(step: Step) -> Run:
    shape, sizes = step.operands[0].shape, step.result.shape

    def sliced(x: Tensor, *indices: Tensor) -> Tensor:
        for d, start in enumerate(starts(shape, sizes, indices)):
            x = x.narrow(d, start, sizes[d])
        return x

    return sliced


@rule("stablehlo.dynamic_update_slice")
def dynamic_update_slice(step: Step) -> Run:
    shape, sizes = step.operands[0].shape, step.operands[1].shape

    def updated(x: Tensor, update: Tensor, *indices: Tensor) -> Tensor:
        result = x.clone(memory_format=torch.contiguous_format)
        part = result
        for d, start in enumerate(starts(shape, sizes, indices)):
            part = part.narrow(d, start, sizes[d])
        part.copy_(update)
        return result

    return updated
