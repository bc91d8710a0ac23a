"""Steps of random programs: where elements go."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from shlo_tools import ops
from shlo_tools.tools.campaign.programs.drawing import MOST, Drawn, Program, Step, spelled


def _known(value: Drawn) -> bool:
    """Whether the type says all sizes."""
    return all(isinstance(size, int) for size in value.tensor.type.shape)


def broadcast(p: Program) -> None:
    """Into more dimensions, in any order; sizes of 1 stretch."""
    one = p.some()
    if one is None:
        return
    room = p.random.randint(0, max(0, 4 - one.rank))
    places = sorted(p.random.sample(range(one.rank + room), one.rank))
    if p.chance(0.2):
        p.random.shuffle(places)
    shape = [p.random.choice(p.sizes) for _ in range(one.rank + room)]
    for place, size in zip(places, one.shape, strict=True):
        if size != 1 or p.chance(0.5):
            shape[place] = size
    if math.prod(shape) <= MOST:
        result = ops.broadcast_in_dim(one.tensor, places, spelled(shape, one.element))
        p.define(result, shape, one)


def reshape(p: Program) -> None:
    one = p.some()
    if one is None:
        return
    shape = [size for size in one.shape if size != 1 or p.chance(0.4)]
    if p.chance(0.3):
        shape = [one.size]
    elif len(shape) > 1 and p.chance(0.4):
        shape = [shape[0] * shape[1], *shape[2:]]
    if p.chance(0.3):
        shape.insert(p.random.randint(0, len(shape)), 1)
    p.define(ops.reshape(one.tensor, spelled(shape, one.element)), shape, one)


def transpose(p: Program) -> None:
    one = p.some()
    if one is not None:
        order = p.permutation(one.rank)
        p.define(ops.transpose(one.tensor, order), [one.shape[d] for d in order], one)


def slice(p: Program) -> None:
    one = p.some(_known)
    if one is None:
        return
    starts = [p.random.randint(0, n) if p.chance(0.5) else 0 for n in one.shape]
    limits = [
        p.random.randint(low, n) if p.chance(0.5) else n
        for low, n in zip(starts, one.shape, strict=True)
    ]
    strides = [p.random.choice((1, 1, 2, 3)) for _ in one.shape]
    shape = [len(range(*row)) for row in zip(starts, limits, strides, strict=True)]
    p.define(ops.slice(one.tensor, starts, limits, strides), shape, one)


def pad(p: Program) -> None:
    """By any number on each side, negative ones too, and between elements."""
    one = p.some(lambda v: not v.rough)
    if one is None:
        return
    low, high, interior, shape = [], [], [], []
    for size in one.shape:
        inner = p.random.choice((0, 0, 1, 2))
        whole = size + max(size - 1, 0) * inner
        before, after = p.random.randint(-1, 2), p.random.randint(-1, 2)
        if whole + before + after < 0:
            before, after = 0, 0
        low.append(before)
        high.append(after)
        interior.append(inner)
        shape.append(whole + before + after)
    if math.prod(shape) > MOST:
        return
    value = p.constant((), one.element)
    result = ops.pad(one.tensor, value.tensor, low, high, interior)
    p.define(result, shape, one, bound=max(one.bound, value.bound))


def concatenate(p: Program) -> None:
    one = p.some(lambda v: v.rank > 0)
    if one is None:
        return
    dimension = p.random.randrange(one.rank)

    def beside(shape: tuple[int, ...]) -> tuple[int, ...]:
        return (*shape[:dimension], *shape[dimension + 1 :])

    def fits(v: Drawn) -> bool:
        same = v.rank == one.rank and v.element == one.element
        return same and beside(v.shape) == beside(one.shape)

    parts = [one]
    for _ in range(p.random.randint(0, 2)):
        parts.append(p.some(fits) or one)
    p.random.shuffle(parts)
    shape = list(one.shape)
    shape[dimension] = sum(part.shape[dimension] for part in parts)
    if math.prod(shape) <= MOST:
        result = ops.concatenate([part.tensor for part in parts], dimension)
        worst = {"bound": max(v.bound for v in parts), "rough": any(v.rough for v in parts)}
        p.define(result, shape, one, **worst)


def reverse(p: Program) -> None:
    one = p.some()
    if one is not None:
        p.define(ops.reverse(one.tensor, p.subset(one.rank)), one.shape, one)


def iota(p: Program) -> None:
    shape, element = p.shape(), p.random.choice(p.elements)
    if shape and element != "i1":
        dimension = p.random.randrange(len(shape))
        if shape[dimension] <= 2:  # the narrowest types hold no 2
            result = ops.iota(dimension, spelled(shape, element))
            p.add(Drawn(result, shape, element, 1))


def _starts(p: Program, rank: int) -> list[ops.Tensor]:
    """Places that may lie outside: they clamp."""
    element = p.random.choice(("i32", "i64", "ui8"))
    low = 0 if element.startswith("u") else -2
    return [p.number(p.random.randint(low, 4), element) for _ in range(rank)]


def dynamic_slice(p: Program) -> None:
    one = p.some(lambda v: v.rank > 0)
    if one is not None:
        sizes = [p.random.randint(0, n) if p.chance(0.6) else n for n in one.shape]
        p.define(ops.dynamic_slice(one.tensor, _starts(p, one.rank), sizes), sizes, one)


def dynamic_update_slice(p: Program) -> None:
    one = p.some()
    if one is None:
        return

    def fits(v: Drawn) -> bool:
        same = v.rank == one.rank and v.element == one.element
        return same and all(np.less_equal(v.shape, one.shape))

    part = p.some(fits)
    if part is not None:
        result = ops.dynamic_update_slice(one.tensor, part.tensor, _starts(p, one.rank))
        worst = {"bound": max(one.bound, part.bound), "rough": one.rough or part.rough}
        p.define(result, one.shape, one, **worst)


def gather(p: Program) -> None:
    """Rows by their numbers, those outside clamped."""
    one = p.some(lambda v: v.rank > 0 and v.shape[0] > 0 and _known(v))
    if one is None:
        return
    count = p.random.choice(p.sizes)
    rows = np.array([p.random.randint(-1, 5) for _ in range(count)], np.int32)
    result = ops.gather(
        one.tensor,
        ops.constant(rows),
        offset_dims=list(range(1, one.rank)),
        collapsed_slice_dims=[0],
        start_index_map=[0],
        index_vector_dim=1,
        slice_sizes=[1, *one.shape[1:]],
    )
    p.define(result, (count, *one.shape[1:]), one)


STEPS: Sequence[Step] = (
    *((broadcast,) * 5),
    *(reshape, reshape, transpose, slice, slice, pad, pad),
    *(concatenate, concatenate, reverse, iota, dynamic_slice, gather),
    *((dynamic_update_slice,) * 2),
)
