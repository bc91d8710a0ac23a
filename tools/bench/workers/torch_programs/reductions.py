"""Ops that fold many elements with a region of one op, and sorting."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from shlo_tools.tools.bench.workers.torch_programs.rules import Run, Step, rule

_COMBINE: Mapping[str, Run] = {
    "stablehlo.add": torch.add,
    "stablehlo.and": torch.bitwise_and,
    "stablehlo.maximum": torch.maximum,
    "stablehlo.minimum": torch.minimum,
    "stablehlo.multiply": torch.mul,
    "stablehlo.or": torch.bitwise_or,
}


def _products(x: Tensor, dimensions: list[int], dtype: torch.dtype) -> Tensor:
    for d in sorted(dimensions, reverse=True):
        x = x.prod(d, dtype=dtype)
    return x


def _fold(step: Step, name: str, dimensions: list[int]) -> Run:
    """Fold a tensor's dimensions, of which there is at least one."""
    dtype = step.result.dtype
    is_boolean = dtype == torch.bool
    if name == "stablehlo.add" and not is_boolean:
        return lambda x: torch.sum(x, dimensions, dtype=dtype)
    if name == "stablehlo.multiply" and not is_boolean:
        return lambda x: _products(x, dimensions, dtype)
    if name == "stablehlo.maximum":
        return lambda x: torch.amax(x, dimensions)
    if name == "stablehlo.minimum":
        return lambda x: torch.amin(x, dimensions)
    if name in ("stablehlo.and", "stablehlo.multiply") and is_boolean:
        return lambda x: torch.all(x, dimensions)
    if name in ("stablehlo.or", "stablehlo.add") and is_boolean:
        return lambda x: torch.any(x, dimensions)
    raise step.unsupported(f"by {name or 'a region of several ops'}")


def _same(x: Tensor) -> Tensor:
    return x


def _is_neutral(step: Step, name: str, value: float | None) -> bool:
    """Whether folding a value in changes nothing."""
    if value is None:
        return False
    integer = step.result.is_integer
    least = torch.iinfo(step.result.dtype).min if integer else -math.inf
    most = torch.iinfo(step.result.dtype).max if integer else math.inf
    neutral = {
        "stablehlo.add": 0,
        "stablehlo.and": 1 if step.result.element == "i1" else -1,
        "stablehlo.maximum": 0 if step.result.element == "i1" else least,
        "stablehlo.minimum": 1 if step.result.element == "i1" else most,
        "stablehlo.multiply": 1,
        "stablehlo.or": 0,
    }
    return name in neutral and neutral[name] == value


@rule("stablehlo.reduce")
def reduce(step: Step) -> Run:
    name, dimensions = step.combiner(), list(step.attributes["dimensions"])
    if len(step.results) != 1:
        raise step.unsupported(f"{len(step.results)} inputs")
    fold = _fold(step, name, dimensions) if dimensions else _same
    if _is_neutral(step, name, step.fills.get(1)):
        return lambda x, init: fold(x)
    combine = _COMBINE[name]
    if 0 in (step.operands[0].shape[d] for d in dimensions):
        shape = step.result.shape
        return lambda x, init: init.expand(shape)
    return lambda x, init: combine(fold(x), init)


@rule("stablehlo.reduce_window")
def reduce_window(step: Step) -> Run:
    """Windows as views of a padded tensor, which are folded."""
    a, name = step.attributes, step.combiner()
    rank = len(step.result.shape)
    ones = [1] * rank
    dilated = [*(a["base_dilations"] or ones), *(a["window_dilations"] or ones)] != ones * 2
    if len(step.results) != 1 or dilated:
        raise step.unsupported("dilations, or several inputs")
    windows, strides = a["window_dimensions"], a["window_strides"] or ones
    edges = a["padding"] or [[0, 0]] * rank
    if any(n < 0 for pair in edges for n in pair):
        raise step.unsupported("negative padding")
    used = [d for d in range(rank) if windows[d] > 1]
    shape = [low + n + high for n, (low, high) in zip(step.operands[0].shape, edges, strict=True)]
    inside = tuple(
        slice(low, low + n) for n, (low, _) in zip(step.operands[0].shape, edges, strict=True)
    )
    fold = _fold(step, name, [rank + k for k in range(len(used))]) if used else _same
    neutral = _is_neutral(step, name, step.fills.get(1))
    if neutral and name == "stablehlo.add" and len(used) == 1:
        (d,) = used
        size = step.operands[0].shape[d]
        if (windows[d], edges[d], set(strides)) == (size, [size - 1, 0], {1}):
            dtype = step.result.dtype
            return lambda x, init: torch.cumsum(x, d, dtype=dtype)
    combine = _COMBINE.get(name)

    def reduced(x: Tensor, init: Tensor) -> Tensor:
        if any(n for pair in edges for n in pair):
            padded = init.expand(shape).clone(memory_format=torch.contiguous_format)
            padded[inside] = x
            x = padded
        x = x[tuple(slice(None, None, 1 if d in used else strides[d]) for d in range(rank))]
        for d in used:
            x = x.unfold(d, windows[d], strides[d])
        x = fold(x)
        return x if neutral or combine is None else combine(x, init)

    return reduced


@rule("stablehlo.sort")
def sort(step: Step) -> Run:
    """Several tensors are moved as the first one is sorted."""
    body, dimension = step.bodies[0], step.attributes["dimension"]
    steps = body["steps"]
    first = body["arguments"][:2]
    plain = len(steps) == 1 and steps[0]["op"] == "stablehlo.compare"
    direction = steps[0]["attributes"].get("comparison_direction") if plain else ""
    if not plain or sorted(steps[0]["operands"]) != sorted(first) or direction not in ("LT", "GT"):
        raise step.unsupported("another order than of one tensor's elements")
    descending = (direction == "GT") == (steps[0]["operands"] == first)

    def by_first(*tensors: Tensor) -> Tensor | list[Tensor]:
        values, order = torch.sort(tensors[0], dim=dimension, descending=descending, stable=True)
        if len(tensors) == 1:
            return values
        return [values, *(torch.gather(other, dimension, order) for other in tensors[1:])]

    return by_first


@rule("chlo.top_k")
def top_k(step: Step) -> Run:
    """Of equal elements the first one comes first, which ``torch.topk`` does not promise."""
    k = step.attributes["k"]

    def best(x: Tensor) -> list[Tensor]:
        values, order = torch.sort(x, dim=-1, descending=True, stable=True)
        return [values[..., :k], order[..., :k].to(torch.int32)]

    return best
