"""Random attributes: hypothesis strategies whose values are conformance cases."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from cases import contraction, convolution, data_movement, gather_scatter, reduction, windows
from cases._case import Case, Input, call, given
from cases._inputs import at_edges, moderate, small
from cases._regions import comparator, integers, reducer, second
from cases._types import tensor

Draw = Callable[[st.SearchStrategy[Any]], Any]

ELEMENTS = st.sampled_from(("f32", "i32", "ui8", "i1", "bf16", "complex<f32>", "i4", "f8E5M2"))
ARITHMETIC = st.sampled_from(("f32", "i32", "ui8", "bf16", "complex<f32>", "i4"))
SEEDS = st.integers(0, 99)


def shapes(least: int = 0, most: int = 4, largest: int = 6) -> st.SearchStrategy[tuple[int, ...]]:
    """Ranks and sizes, empty ones rarely."""
    sizes = st.one_of(st.integers(1, largest), st.integers(0, largest))
    return st.lists(sizes, min_size=least, max_size=most).map(tuple)


def _each(
    draw: Draw, shape: Sequence[int], strategy: Callable[[int], st.SearchStrategy[int]]
) -> list[int]:
    return [draw(strategy(size)) for size in shape]


@st.composite
def slices(draw: Draw) -> Case:
    element, shape = draw(ELEMENTS), draw(shapes())
    start = _each(draw, shape, lambda n: st.integers(0, n))
    limit = [draw(st.integers(low, n)) for low, n in zip(start, shape, strict=True)]
    strides = _each(draw, shape, lambda n: st.integers(1, n + 2))
    result = [math.ceil((b - a) / s) for a, b, s in zip(start, limit, strides, strict=True)]
    attributes = f"start_indices = {integers(start)}, limit_indices = {integers(limit)}, "
    attributes += f"strides = {integers(strides)}"
    return call(
        "stablehlo.slice",
        [given(element, at_edges(element, shape))],
        [tensor(element, result)],
        attributes,
    )


@st.composite
def pads(draw: Draw) -> Case:
    element, shape = draw(ELEMENTS), draw(shapes(most=3))
    interior = _each(draw, shape, lambda n: st.integers(0, 3))
    whole = [n + max(n - 1, 0) * i for n, i in zip(shape, interior, strict=True)]
    low = _each(draw, whole, lambda n: st.integers(-n, 4))
    high = [
        draw(st.integers(-(n + min(a, 0)) - max(a, 0), 4)) for n, a in zip(whole, low, strict=True)
    ]
    inputs = [given(element, at_edges(element, shape)), given(element, at_edges(element, (), 5))]
    attributes = f"edge_padding_low = {integers(low)}, edge_padding_high = {integers(high)}, "
    attributes += f"interior_padding = {integers(interior)}"
    result = data_movement.pad_result(shape, low, high, interior)
    return call("stablehlo.pad", inputs, [tensor(element, result)], attributes)


@st.composite
def broadcasts(draw: Draw) -> Case:
    element, result = draw(ELEMENTS), draw(shapes(most=5))
    order = draw(st.permutations(range(len(result))))
    dimensions = order[: draw(st.integers(0, len(result)))]
    shape = [result[d] if draw(st.booleans()) else 1 for d in dimensions]
    attributes = f"broadcast_dimensions = {integers(dimensions)}"
    return call(
        "stablehlo.broadcast_in_dim",
        [given(element, at_edges(element, shape))],
        [tensor(element, result)],
        attributes,
    )


@st.composite
def transposes(draw: Draw) -> Case:
    element, shape = draw(ELEMENTS), draw(shapes(most=6, largest=4))
    permutation = draw(st.permutations(range(len(shape))))
    type = tensor(element, [shape[p] for p in permutation])
    return call(
        "stablehlo.transpose",
        [given(element, at_edges(element, shape))],
        [type],
        f"permutation = {integers(permutation)}",
    )


@st.composite
def concatenations(draw: Draw) -> Case:
    element, shape = draw(ELEMENTS), draw(shapes(least=1))
    dimension = draw(st.integers(0, len(shape) - 1))
    sizes = draw(st.lists(st.integers(0, 5), min_size=1, max_size=4))
    results = [[*shape[:dimension], size, *shape[dimension + 1 :]] for size in sizes]
    inputs = [given(element, at_edges(element, piece, seed)) for seed, piece in enumerate(results)]
    result = [*shape[:dimension], sum(sizes), *shape[dimension + 1 :]]
    return call(
        "stablehlo.concatenate", inputs, [tensor(element, result)], f"dimension = {dimension} : i64"
    )


@st.composite
def reverses(draw: Draw) -> Case:
    element, shape = draw(ELEMENTS), draw(shapes())
    dimensions = draw(st.permutations(range(len(shape))))[: draw(st.integers(0, len(shape)))]
    operand = given(element, at_edges(element, shape))
    return call(
        "stablehlo.reverse", [operand], [operand.type], f"dimensions = {integers(dimensions)}"
    )


@st.composite
def reductions(draw: Draw) -> Case:
    element, shape = draw(ARITHMETIC), draw(shapes(most=5))
    dims = draw(st.permutations(range(len(shape))))[: draw(st.integers(0, len(shape)))]
    inputs = [
        given(element, small(element, shape, draw(SEEDS))),
        given(element, small(element, (), 7)),
    ]
    kept = [n for d, n in enumerate(shape) if d not in dims]
    op = draw(st.sampled_from(("add", "maximum", "multiply") if element == "i32" else ("add",)))
    return call(
        "stablehlo.reduce",
        inputs,
        [tensor(element, kept)],
        f"dimensions = {integers(dims)}",
        regions=reducer(op, element),
    )


@st.composite
def sorts(draw: Draw) -> Case:
    element, shape = (
        draw(st.sampled_from(("i32", "ui8", "i4"))),
        draw(shapes(least=1, most=3, largest=20)),
    )
    dimension = draw(st.integers(-len(shape), len(shape) - 1))
    operand = given(element, small(element, shape, draw(SEEDS)))
    places = given("i32", np.arange(operand.array.size, dtype=np.int32).reshape(shape))
    attributes = f"dimension = {dimension} : i64, is_stable = true"
    direction = draw(st.sampled_from(("LT", "GT")))
    return call(
        "stablehlo.sort",
        [operand, places],
        [operand.type, places.type],
        attributes,
        regions=comparator(direction, element, ["i32"]),
    )


@st.composite
def dots(draw: Draw) -> Case:
    """Batch, contracted and free sizes, placed in any order on both sides."""
    element = draw(ARITHMETIC)
    batch, depth = draw(shapes(most=2, largest=3)), draw(shapes(most=2, largest=5))
    sides = []
    for _ in range(2):
        free = draw(shapes(most=2, largest=4))
        sizes = [*batch, *depth, *free]
        order = draw(st.permutations(range(len(sizes))))
        place = [order.index(i) for i in range(len(sizes))]
        sides.append(
            (
                tuple(sizes[i] for i in order),
                tuple(place[: len(batch)]),
                tuple(place[len(batch) : len(batch) + len(depth)]),
            )
        )
    (lhs, lhs_batch, lhs_depth), (rhs, rhs_batch, rhs_depth) = sides
    dot = contraction.Dot(lhs, rhs, lhs_batch, rhs_batch, lhs_depth, rhs_depth)
    inputs = [given(element, moderate(element, lhs, 1)), given(element, moderate(element, rhs, 2))]
    near = contraction.accumulating(element, dot.terms())
    return call(
        "stablehlo.dot_general",
        inputs,
        [tensor(element, dot.result())],
        dot.numbers(),
        tolerance=near,
    )


@st.composite
def window_forms(draw: Draw, *, dilated: bool = True) -> windows.Window:
    shape = draw(shapes(least=1, most=3, largest=7))
    dimensions = tuple(_each(draw, shape, lambda n: st.integers(1, 4)))
    strides = tuple(_each(draw, shape, lambda n: st.integers(1, 3)))
    ones = (1,) * len(shape)
    base = tuple(_each(draw, shape, lambda n: st.integers(1, 3))) if dilated else ones
    dilations = tuple(_each(draw, shape, lambda n: st.integers(1, 3))) if dilated else ones
    least = [0 if n == 0 else -((n - 1) * b) // 2 for n, b in zip(shape, base, strict=True)]
    padding = tuple((draw(st.integers(n, 3)), draw(st.integers(n, 3))) for n in least)
    return windows.Window(shape, dimensions, strides, base, dilations, padding)


@st.composite
def reduced_windows(draw: Draw) -> Case:
    element, window = draw(ARITHMETIC), draw(window_forms())
    operand, init = small(element, window.shape, draw(SEEDS)), small(element, (), 3)
    near = reduction.summing(element, math.prod(window.dimensions) + 1)
    return windows._window_case(element, window, "add", operand, init, near)


@st.composite
def selections(draw: Draw) -> Case:
    """Every window has something to select from: padding smaller than the window."""
    shape = draw(shapes(least=1, most=3, largest=8).filter(lambda s: 0 not in s))
    dimensions = tuple(draw(st.integers(1, min(3, n))) for n in shape)
    strides = tuple(draw(st.integers(1, 3)) for _ in shape)
    padding = tuple((draw(st.integers(0, w - 1)), draw(st.integers(0, w - 1))) for w in dimensions)
    window, element = windows.Window(shape, dimensions, strides, (), (), padding), draw(ARITHMETIC)
    operand = given(element, small(element, shape, draw(SEEDS)))
    inputs = [
        operand,
        given(element, small(element, window.result(), 2)),
        given(element, small(element, (), 3)),
    ]
    regions = f"{comparator('GE', element)}, {reducer('add', element)}"
    return call(
        "stablehlo.select_and_scatter", inputs, [operand.type], window.attributes(), regions=regions
    )


@st.composite
def convolutions(draw: Draw) -> Case:
    """Up to two spatial dimensions in any layout, groups of either kind."""
    element, rank = draw(ARITHMETIC), draw(st.integers(0, 2))
    groups, batches = draw(st.sampled_from(((1, 1), (2, 1), (3, 1), (1, 2))))
    spatial = [draw(st.integers(0, 6)) for _ in range(rank)]
    window = windows.Window(
        tuple(spatial),
        tuple(draw(st.integers(1, 3)) for _ in spatial),
        tuple(draw(st.integers(1, 2)) for _ in spatial),
        tuple(draw(st.integers(1, 2)) for _ in spatial),
        tuple(draw(st.integers(1, 2)) for _ in spatial),
        tuple((draw(st.integers(-(n // 3), 2)), draw(st.integers(-(n // 3), 2))) for n in spatial),
    )
    batch, features = draw(st.integers(1, 2)) * batches, draw(st.integers(1, 2))
    result = draw(st.integers(1, 2)) * groups * batches
    sides = []
    for names, sizes in (
        ("bf", (batch, features * groups, *spatial)),
        ("io", (features, result, *window.dimensions)),
        ("bf", (batch // batches, result, *window.result())),
    ):
        labels = [*names, *map(str, range(rank))]
        order = draw(st.permutations(range(len(labels))))
        sides.append(([labels[i] for i in order], tuple(sizes[i] for i in order)))
    (lhs, lhs_shape), (rhs, rhs_shape), (out, out_shape) = sides
    dims = f"[{', '.join(lhs)}]x[{', '.join(rhs)}]->[{', '.join(out)}]"
    reversal = tuple(draw(st.booleans()) for _ in spatial)
    form = convolution.Convolution(
        lhs_shape,
        rhs_shape,
        out_shape,
        dims,
        window.strides,
        window.padding,
        window.base,
        window.dilations,
        reversal,
        groups,
        batches,
    )
    return convolution._case(element, element, form)


def _indices(draw: Draw, form: dict[str, Any]) -> Input:
    element = draw(st.sampled_from(("i32", "ui8", "i64")))
    return gather_scatter.indices(element, form["indices"], 6, draw(SEEDS))


@st.composite
def gathers(draw: Draw) -> Case:
    """Of each operand dimension: batched, collapsed, or part of the slice; indexed or not."""
    form = draw(_indexed())
    element = draw(ELEMENTS)
    start = _indices(draw, form)
    gather = gather_scatter.Gather(
        form["operand"],
        form["indices"],
        form["sizes"],
        form["result"],
        form["offset"],
        form["collapsed"],
        form["operand_batching"],
        form["indices_batching"],
        form["index_map"],
        form["vector_dim"],
    )
    inputs = [given(element, at_edges(element, form["operand"])), start]
    return call("stablehlo.gather", inputs, [tensor(element, form["result"])], gather.attributes())


@st.composite
def scatters(draw: Draw) -> Case:
    form, element = draw(_indexed()), draw(ARITHMETIC)
    index = _indices(draw, form)
    scatter = gather_scatter.Scatter(
        form["operand"],
        form["indices"],
        form["result"],
        form["offset"],
        form["collapsed"],
        form["operand_batching"],
        form["indices_batching"],
        form["index_map"],
        form["vector_dim"],
    )
    arrays = small(element, form["operand"], 1, 2), small(element, form["result"], 2, 2)
    region = draw(st.sampled_from((reducer("add", element), second(element))))
    return gather_scatter._scatter_case(scatter, element, arrays, index, region, "random")


@st.composite
def _indexed(draw: Draw) -> dict[str, Any]:
    """Consistent dimension numbers of a gather; a scatter's updates are its result."""
    operand = draw(shapes(least=1, most=4, largest=5).filter(lambda s: 0 not in s))
    roles = [draw(st.sampled_from(("batched", "collapsed", "kept", "kept"))) for _ in operand]
    batching = tuple(d for d, role in enumerate(roles) if role == "batched")
    collapsed = tuple(d for d, role in enumerate(roles) if role == "collapsed")
    kept = [d for d, role in enumerate(roles) if role == "kept"]
    indexed = [
        d
        for d in range(len(operand))
        if d not in batching and (d in collapsed or draw(st.booleans()))
    ]
    index_map = tuple(draw(st.permutations(indexed)))
    sizes = tuple(draw(st.integers(0, n)) if d in kept else 1 for d, n in enumerate(operand))
    free = draw(shapes(most=2, largest=4))
    batch = [*(operand[d] for d in batching), *free]
    order = draw(st.permutations(range(len(batch))))
    places = [order.index(i) for i in range(len(batching))]
    batch = [batch[i] for i in order]
    vector = draw(st.integers(0, len(batch)))
    indices = (*batch[:vector], len(index_map), *batch[vector:])
    rank = len(batch) + len(kept)
    offset = tuple(sorted(draw(st.permutations(range(rank)))[: len(kept)]))
    branch, left = iter([sizes[d] for d in kept]), iter(batch)
    result = tuple(next(branch) if d in offset else next(left) for d in range(rank))
    return {
        "operand": operand,
        "indices": indices,
        "sizes": sizes,
        "result": result,
        "offset": offset,
        "collapsed": collapsed,
        "operand_batching": batching,
        "indices_batching": tuple(p + (p >= vector) for p in places),
        "index_map": index_map,
        "vector_dim": vector,
    }
