"""Steps of random programs: reductions, products and windows, degenerate ones most of all."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from shlo_tools import dtypes, ops
from shlo_tools.dtypes import Kind
from shlo_tools.tools.campaign.programs.drawing import (
    MOST,
    Drawn,
    Program,
    Step,
    is_float,
    is_inexact,
    is_real,
    limit,
)

Body = Callable[..., Any]


def _summable(value: Drawn) -> bool:
    return not value.rough and (value.bound < math.inf or not is_inexact(value.element))


def _fits(element: str, bound: float) -> bool:
    return not is_inexact(element) or bound <= limit(element)


def _combine(p: Program, one: Drawn) -> str:
    """What gives the same result in any order."""
    kind = dtypes.element_type(one.element).kind
    names = ["add"] * 3
    names += ["maximum", "minimum"] if is_real(one.element) and not is_float(one.element) else []
    names += ["multiply", "xor"] if kind in (Kind.SIGNED, Kind.UNSIGNED, Kind.BOOLEAN) else []
    return p.random.choice(names)


def reduce(p: Program) -> None:
    """Over some dimensions, none, or all; of a scalar, too; sometimes two at once."""
    one = p.some(_summable)
    if one is None:
        return
    dimensions = p.subset(one.rank)
    name = _combine(p, one)
    start = p.constant((), one.element, whole=True)
    shape = [n for d, n in enumerate(one.shape) if d not in dimensions]
    count = math.prod(one.shape[d] for d in dimensions)
    bound = one.bound * count + start.bound
    if not _fits(one.element, bound):
        return
    body: Body = getattr(ops, name)
    if p.chance(0.2):
        other = p.some(lambda v: _summable(v) and v.shape == one.shape) or one
        begin = p.constant((), other.element, whole=True)
        total = other.bound * count + begin.bound
        if not _fits(other.element, total):
            return

        def both(a: Any, b: Any, c: Any, d: Any) -> Any:
            return body(a, c), ops.add(b, d)

        result = ops.reduce(
            [one.tensor, other.tensor], [start.tensor, begin.tensor], dimensions, both
        )
        p.define(result[1], shape, other, bound=total)
    else:
        result = ops.reduce([one.tensor], [start.tensor], dimensions, body)
    p.define(result[0], shape, one, bound=bound)


def reduce_window(p: Program) -> None:
    """Windows of one element, strides, dilations, padding: all small."""
    one = p.some(_summable)
    if one is None or one.rank > 3:
        return
    alone = p.chance(0.4)
    window = [1 if alone else p.random.choice((1, 1, 2, 3)) for _ in one.shape]
    strides = [p.random.choice((1, 1, 2)) for _ in one.shape]
    base = [p.random.choice((1, 1, 1, 2, 3)) for _ in one.shape]
    dilations = [p.random.choice((1, 1, 2)) for _ in one.shape]
    padding = [(p.random.randint(-1, 2), p.random.randint(-1, 2)) for _ in one.shape]
    shape = [
        _windows(size, window[d], padding[d], strides[d], base[d], dilations[d])
        for d, size in enumerate(one.shape)
    ]
    start = p.constant((), one.element, whole=True)
    bound = (one.bound + start.bound) * (math.prod(window) + 1)
    if not _fits(one.element, bound):
        return
    name = _combine(p, one)
    forms: dict[str, Any] = {
        "window_strides": strides,
        "base_dilations": base,
        "window_dilations": dilations,
        "padding": padding,
    }
    if alone and p.chance(0.4):
        forms, shape = {}, list(one.shape)
    (result,) = ops.reduce_window(
        [one.tensor], [start.tensor], window, body=getattr(ops, name), **forms
    )
    p.define(result, shape, one, bound=bound)


def dot_general(p: Program) -> None:
    """Any number of batching and contracting dimensions, none of them, too."""
    one = p.some(lambda v: _summable(v) and v.element != "i1")
    if one is None:
        return
    other = p.some(lambda v: _summable(v) and v.element == one.element)
    if other is None:
        return
    free = set(range(other.rank))
    pairs = []
    for d in p.permutation(one.rank):
        fitting = [e for e in sorted(free) if other.shape[e] == one.shape[d]]
        if fitting and p.chance(0.5):
            pairs.append((d, p.random.choice(fitting)))
            free.discard(pairs[-1][1])
    batched = [pair for pair in pairs if p.chance(0.4)]
    contracted = [pair for pair in pairs if pair not in batched]
    left = [d for d in range(one.rank) if d not in [a for a, _ in pairs]]
    shape = [one.shape[a] for a, _ in batched] + [one.shape[d] for d in left]
    shape += [other.shape[e] for e in sorted(free)]
    terms = math.prod(one.shape[a] for a, _ in contracted)
    factor = 1 if is_real(one.element) else 2
    bound = one.bound * other.bound * max(terms, 1) * factor
    if math.prod(shape) > MOST or not _fits(one.element, bound) or len(shape) > 5:
        return
    result = ops.dot_general(
        one.tensor,
        other.tensor,
        [a for a, _ in batched],
        [b for _, b in batched],
        [a for a, _ in contracted],
        [b for _, b in contracted],
    )
    p.define(result, shape, one, bound=bound)


def convolution(p: Program) -> None:
    """Any order of dimensions, windows that reach beyond the image, groups, dilations."""
    one = p.some(lambda v: _summable(v) and 2 <= v.rank <= 5 and v.element != "i1")
    if one is None:
        return
    x_batch, x_feature, *x_spatial = p.permutation(one.rank)
    batch, features = one.shape[x_batch], one.shape[x_feature]
    spatial = range(len(x_spatial))
    groups = p.random.choice([g for g in (1, features) if g and features % g == 0] or [1])
    by_batch = groups == 1 and batch % 2 == 0 and p.chance(0.2)
    outputs = groups * (2 if by_batch else 1) * p.random.choice((1, 1, 2))
    taps = [p.random.choice((1, 1, 2, 3)) for _ in spatial]
    w_in, w_out, *w_spatial = p.permutation(one.rank)
    shape = [0] * one.rank
    shape[w_in], shape[w_out] = features // groups, outputs
    for d, size in zip(w_spatial, taps, strict=True):
        shape[d] = size
    kernel = p.constant(tuple(shape), one.element, whole=True)
    bound = one.bound * kernel.bound * max(kernel.size, 1) * 2
    forms: dict[str, Any] = {
        "window_strides": [p.random.choice((1, 1, 2, 3)) for _ in spatial],
        "padding": [(p.random.randint(-1, 3), p.random.randint(-1, 3)) for _ in spatial],
        "lhs_dilation": [p.random.choice((1, 1, 2, 3)) for _ in spatial],
        "rhs_dilation": [p.random.choice((1, 1, 2)) for _ in spatial],
        "window_reversal": [p.chance(0.3) for _ in spatial],
    }
    if p.chance(0.4):
        forms["padding"], forms["lhs_dilation"] = [(0, 0) for _ in spatial], [1 for _ in spatial]
    c_batch, c_feature, *c_spatial = p.permutation(one.rank)
    result_shape = [0] * one.rank
    result_shape[c_batch], result_shape[c_feature] = batch // (2 if by_batch else 1), outputs
    for d, c in enumerate(c_spatial):
        names = ("padding", "window_strides", "lhs_dilation", "rhs_dilation")
        result_shape[c] = _windows(one.shape[x_spatial[d]], taps[d], *(forms[n][d] for n in names))
    if not _fits(one.element, bound) or math.prod(result_shape) > MOST:
        return
    result = ops.convolution(
        one.tensor,
        kernel.tensor,
        **forms,
        input_batch_dimension=x_batch,
        input_feature_dimension=x_feature,
        input_spatial_dimensions=x_spatial,
        kernel_input_feature_dimension=w_in,
        kernel_output_feature_dimension=w_out,
        kernel_spatial_dimensions=w_spatial,
        output_batch_dimension=c_batch,
        output_feature_dimension=c_feature,
        output_spatial_dimensions=c_spatial,
        feature_group_count=groups,
        batch_group_count=2 if by_batch else 1,
    )
    p.define(result, tuple(result_shape), one, bound=bound)


def _windows(
    size: int, window: int, padding: tuple[int, int], stride: int, base: int, apart: int
) -> int:
    """How many windows a dimension has."""
    whole, reach = sum(padding) + _spread(size, base), _spread(window, apart)
    return (whole - reach) // stride + 1 if whole > 0 and reach <= whole else 0


def _spread(size: int, dilation: int) -> int:
    """How long elements are that lie apart."""
    return (size - 1) * dilation + 1 if size else 0


def sort(p: Program) -> None:
    one = p.some(lambda v: _summable(v) and v.rank > 0 and is_real(v.element))
    if one is not None and one.element != "i1":
        direction: Any = p.random.choice(("LT", "GT"))

        def before(a: Any, b: Any) -> Any:
            return ops.compare(a, b, direction)

        dimension = p.random.randrange(one.rank)
        (result,) = ops.sort([one.tensor], dimension, True, comparator=before)
        p.define(result, one.shape, one)


def scatter(p: Program) -> None:
    """Rows added to rows; those outside are left out, the same one may come twice."""
    one = p.some(lambda v: _summable(v) and v.rank > 0 and v.shape[0] > 0)
    if one is None:
        return
    rows = p.some(
        lambda v: v.element == one.element and _summable(v) and v.shape[1:] == one.shape[1:]
    )
    if rows is None or rows.rank != one.rank:
        return
    bound = one.bound + rows.bound * max(rows.shape[0], 1)
    if not _fits(one.element, bound):
        return
    places = [[p.random.randint(-1, one.shape[0])] for _ in range(rows.shape[0])]
    (result,) = ops.scatter(
        [one.tensor],
        ops.constant(np.array(places, np.int32).reshape(-1, 1)),
        [rows.tensor],
        update_window_dims=list(range(1, one.rank)),
        inserted_window_dims=[0],
        scatter_dims_to_operand_dims=[0],
        index_vector_dim=1,
        update_computation=ops.add,
    )
    p.define(result, one.shape, one, bound=bound)


STEPS: Sequence[Step] = (
    *((reduce,) * 5),
    *((reduce_window,) * 3),
    *((dot_general,) * 5),
    *((convolution,) * 2),
    *(sort, scatter),
)
