"""reduce and map."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from cases._case import Case, Input, Row, call, given
from cases._inputs import Array, at_edges, moderate, small
from cases._regions import integers, reducer, scalar
from cases._tolerances import EXACT, Steps, Sums, Tolerance
from cases._types import (
    FLOAT,
    INTEGER,
    QUANTIZED,
    TENSOR,
    dtype_of,
    is_complex,
    is_float,
    is_quantized,
    tensor,
)

# operand, dimensions
SHAPES = (
    ((3, 5), (1,)),
    ((3, 5), (0,)),
    ((), ()),
    ((4,), ()),
    ((0, 3), (0,)),
    ((3, 0), (0,)),
    ((1,), (0,)),
    ((5, 67), (1,)),
    ((67, 5), (0,)),
    ((300,), (0,)),
    ((2, 1, 3, 1, 2, 3), (5, 0, 2)),
    ((2, 3, 4), (0, 1, 2)),
)


def zero_of(element: str) -> Array:
    """A start of sums; f8E8M0FNU has no zero, its least number must do."""
    return np.zeros((), dtype_of(element))


def summing(element: str, terms: int) -> Tolerance:
    if is_quantized(element):
        return Steps(0)
    return Sums(terms) if is_float(element) or is_complex(element) else EXACT


def _reduce_case(
    element: str,
    op: str,
    operand: Array,
    init: Array,
    dims: tuple[int, ...],
    tolerance: Tolerance,
    label: str = "",
) -> Case:
    inputs = [given(element, operand), given(element, init)]
    kept = [size for d, size in enumerate(operand.shape) if d not in dims]
    return call(
        "stablehlo.reduce",
        inputs,
        [tensor(element, kept)],
        f"dimensions = {integers(dims)}",
        label=f"{op} {label}{inputs[0].type} over {list(dims)}",
        regions=reducer(op, element),
        tolerance=tolerance,
    )


def _reduce(element: str) -> Iterator[Case]:
    for shape, dims in SHAPES:
        terms = math.prod(shape[d] for d in dims) + 1
        operand = small(element, shape) if is_quantized(element) else moderate(element, shape)
        init = small(element, (), 3)
        yield _reduce_case(element, "add", operand, init, dims, summing(element, terms))
    for op in ("maximum", "minimum"):
        near = Sums(0) if is_complex(element) else EXACT  # which of two equal ones is not told
        for shape, dims in SHAPES:
            operand, init = at_edges(element, shape), at_edges(element, (), 4)
            yield _reduce_case(element, op, operand, init, dims, near)
    if not is_quantized(element):
        operand, init = small(element, (3, 7), 1, 2), small(element, (), 5, 2)
        yield _reduce_case(element, "multiply", operand, init, (1,), EXACT, "small ")
    if element in ("i1", *INTEGER):
        for op in ("and", "or", "xor"):
            operand, init = at_edges(element, (3, 37)), at_edges(element, (), 6)
            yield _reduce_case(element, op, operand, init, (1,), EXACT)
    yield from _cancellation(element)
    yield _two_at_once(element)


def _cancellation(element: str) -> Iterator[Case]:
    if element not in FLOAT or element == "f8E8M0FNU":
        return
    large = moderate(element, (40,), 8)
    rest = np.concatenate([large, -large[::-1], small(element, (7,), 9)])
    yield _reduce_case(element, "add", rest, zero_of(element), (0,), Sums(88), "cancelling ")
    special = at_edges(element, (9,), 11)
    special[3] = np.array(np.nan).astype(special.dtype)
    yield _reduce_case(element, "add", special, zero_of(element), (0,), Sums(10), "NaN ")


def _two_at_once(element: str) -> Case:
    """The largest and its index, from one joint body."""
    type = scalar(element)
    values, starts = moderate(element, (3, 9), 2), moderate(element, (), 3)
    indices = np.tile(np.arange(9, dtype=np.int32), (3, 1))
    inputs = [given(element, values), Input("tensor<3x9xi32>", indices)]
    inputs += [given(element, starts), Input("tensor<i32>", np.array(-1, np.int32))]
    body = f"""{{
    ^bb0(%a: {type}, %i: tensor<i32>, %b: {type}, %j: tensor<i32>):
      %c = "stablehlo.compare"(%a, %b) <{{
          comparison_direction = #stablehlo<comparison_direction GE>}}>
        : ({type}, {type}) -> tensor<i1>
      %v = "stablehlo.select"(%c, %a, %b) : (tensor<i1>, {type}, {type}) -> {type}
      %k = "stablehlo.select"(%c, %i, %j) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%v, %k) : ({type}, tensor<i32>) -> ()
    }}"""
    return call(
        "stablehlo.reduce",
        inputs,
        [tensor(element, (3,)), "tensor<3xi32>"],
        "dimensions = array<i64: 1>",
        regions=body,
        label="argmax",
    )


def _map(element: str) -> Iterator[Case]:
    type = scalar(element)
    body = f"""{{
    ^bb0(%x: {type}, %y: {type}):
      %m = "stablehlo.maximum"(%x, %y) : ({type}, {type}) -> {type}
      %n = "stablehlo.minimum"(%m, %y) : ({type}, {type}) -> {type}
      "stablehlo.return"(%n) : ({type}) -> ()
    }}"""
    near = Sums(0) if is_complex(element) else EXACT
    for shape in ((3, 5), (), (0,), (5, 67), (2, 1, 3, 1, 2, 3)):
        inputs = [given(element, at_edges(element, shape, seed)) for seed in (1, 2)]
        attributes = f"dimensions = {integers(range(len(shape)))}"
        yield call(
            "stablehlo.map", inputs, [inputs[0].type], attributes, regions=body, tolerance=near
        )


ROWS = (
    Row("stablehlo.reduce", TENSOR + QUANTIZED, _reduce),
    Row("stablehlo.map", TENSOR + QUANTIZED, _map),
)
