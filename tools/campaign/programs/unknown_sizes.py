"""Steps of random programs: sizes that the program computes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from shlo_tools import ops
from shlo_tools.tools.campaign.programs.drawing import MOST, Drawn, Program, Step, spelled
from shlo_tools.types import Tensor


def size(p: Program) -> tuple[Tensor, int]:
    """A size computed from those of values: itself, or a sum, product, half of such."""
    one = p.some(lambda v: v.rank > 0)
    if one is None:
        return p.number(2), 2
    d = p.random.randrange(one.rank)
    scalar, number = ops.get_dimension_size(one.tensor, d), one.shape[d]
    form = p.random.randrange(5)
    if form == 1:
        return ops.add(scalar, p.number(1)), number + 1
    if form == 2:
        return ops.maximum(scalar, p.number(2)), max(number, 2)
    if form == 3:
        return ops.divide(ops.add(scalar, p.number(1)), p.number(2)), (number + 1) // 2
    if form == 4:
        return ops.remainder(scalar, p.number(3)), number % 3
    return scalar, number


def _shape(p: Program, sizes: list[Tensor]) -> Tensor:
    """Sizes as one operand."""
    if not sizes:
        return ops.constant(np.zeros(0, np.int32))
    return ops.concatenate([ops.reshape(s, "1xi32") for s in sizes], 0)


def dynamic_broadcast(p: Program) -> None:
    one = p.some(lambda v: v.rank < 4)
    if one is None:
        return
    new, number = size(p)
    sizes = [new, *(ops.get_dimension_size(one.tensor, d) for d in range(one.rank))]
    shape = (number, *one.shape)
    if math.prod(shape) <= MOST:
        places = list(range(1, one.rank + 1))
        type = spelled(p.result(shape), one.element)
        result: Any = ops.dynamic_broadcast_in_dim(
            one.tensor, _shape(p, sizes), places, result_type=type
        )
        p.define(result, shape, one)


def dynamic_reshape(p: Program) -> None:
    """To one dimension, whose size is a product."""
    one = p.some()
    if one is None:
        return
    total = p.number(1)
    for d in range(one.rank):
        total = ops.multiply(total, ops.get_dimension_size(one.tensor, d))
    type = spelled(p.result([one.size]), one.element)
    p.define(ops.dynamic_reshape(one.tensor, _shape(p, [total]), type), [one.size], one)


def dynamic_iota(p: Program) -> None:
    (rows, count), (columns, width) = size(p), size(p)
    element = p.random.choice(("f32", "i32"))
    if count * width <= MOST:
        type = spelled(p.result((count, width)), element)
        result = ops.dynamic_iota(_shape(p, [rows, columns]), p.random.randrange(2), type)
        p.add(Drawn(result, (count, width), element, max(count, width)))


def dynamic_pad(p: Program) -> None:
    one = p.some(lambda v: v.rank == 1 and not v.rough)
    if one is None:
        return
    value = p.constant((), one.element, whole=True)
    low, before = size(p)
    inner = p.random.randint(0, 2)
    count = before + one.size + max(one.size - 1, 0) * inner + 1
    if count <= MOST:
        start, end, between = (_shape(p, [n]) for n in (low, p.number(1), p.number(inner)))
        type = spelled(p.result([count]), one.element)
        result = ops.dynamic_pad(one.tensor, value.tensor, start, end, between, type)
        p.define(result, [count], one, bound=max(one.bound, value.bound))


def real_dynamic_slice(p: Program) -> None:
    """All but the first element; none where there is none."""
    one = p.some(lambda v: v.rank == 1)
    if one is None:
        return
    end = ops.get_dimension_size(one.tensor, 0)
    start = ops.minimum(end, p.number(1))
    count = max(one.size - 1, 0)
    first, last, stride = (_shape(p, [place]) for place in (start, end, p.number(1)))
    type = spelled(p.result([count]), one.element)
    p.define(ops.real_dynamic_slice(one.tensor, first, last, stride, type), [count], one)


def dynamic_gather(p: Program) -> None:
    """Rows by their numbers, those outside clamped; the row's size is an operand."""
    one = p.some(lambda v: v.rank == 2 and v.shape[0] > 0)
    rows = p.some(lambda v: v.rank == 1 and v.element == "i32" and not v.rough)
    if one is None or rows is None:
        return
    sizes = _shape(p, [p.number(1), ops.get_dimension_size(one.tensor, 1)])
    shape = (rows.size, one.shape[1])
    result = ops.dynamic_gather(
        one.tensor,
        rows.tensor,
        sizes,
        offset_dims=[1],
        collapsed_slice_dims=[0],
        start_index_map=[0],
        index_vector_dim=1,
        result_type=spelled(p.result(shape), one.element),
    )
    p.define(result, shape, one)


def growing_loop(p: Program) -> None:
    """Each of two rounds puts what is carried behind itself, and hands the former on."""
    one = p.some(lambda v: v.rank > 0 and 4 * v.size <= MOST and not v.rough)
    if one is None or not p.open or p.depth:
        return
    open_type = spelled([None, *one.shape[1:]], one.element)
    sizes = _shape(p, [ops.get_dimension_size(one.tensor, d) for d in range(one.rank)])
    start = ops.dynamic_reshape(one.tensor, sizes, open_type)
    if isinstance(start.shape[0], int):  # its rows are known, and stay as they are
        return

    def going(index: Tensor, *_: Tensor) -> Tensor:
        return ops.compare(index, p.number(0), "GT")

    def body(index: Tensor, large: Tensor, former: Tensor) -> tuple[Tensor, ...]:
        both = ops.concatenate([large, former], 0)
        return ops.subtract(index, p.number(1)), both, large

    results: Any = ops.while_([p.number(2), start, start], going, body)
    rows = one.shape[0]
    p.define(results[1], (3 * rows, *one.shape[1:]), one)
    p.define(results[2], (2 * rows, *one.shape[1:]), one)


STEPS: Sequence[Step] = (
    *(dynamic_broadcast, dynamic_broadcast, dynamic_reshape, dynamic_iota, dynamic_pad),
    *(real_dynamic_slice,),
    *(dynamic_gather, growing_loop),
)
