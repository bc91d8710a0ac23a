"""sort: stable, several operands, NaNs, any dimension."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cases._case import Case, Input, Row, call, given
from cases._inputs import at_edges
from cases._regions import comparator
from cases._types import FLOAT, QUANTIZED, TENSOR, is_complex, tensor

SHAPES = (
    ((9,), 0),
    ((3, 5), -1),
    ((3, 5), 0),
    ((0,), 0),
    ((2, 0), 0),
    ((1,), 0),
    ((3, 67), 1),
    ((300,), 0),
    ((2, 1, 3, 1, 2, 3), 2),
)


def _case(
    element: str,
    shape: tuple[int, ...],
    dimension: int,
    direction: str,
    type: str = "",
    stable: bool = True,
) -> Case:
    """Sorts values with their positions; a stable order is the only right answer."""
    values = given(element, at_edges(element, shape))
    places = np.arange(values.array.size, dtype=np.int32).reshape(shape)
    inputs = [values, Input(tensor("i32", shape), places)]
    if not stable:  # equal values may change places, so positions tell nothing
        inputs = inputs[:1]
    others = ["i32"] * (len(inputs) - 1)
    attributes = f"dimension = {dimension} : i64, is_stable = {str(stable).lower()}"
    return call(
        "stablehlo.sort",
        inputs,
        [i.type for i in inputs],
        attributes,
        regions=comparator(direction, element, others, type),
        label=f"{values.type} {direction} {type} {attributes}",
    )


def _sort(element: str) -> Iterator[Case]:
    type = "TOTALORDER" if element in FLOAT else ""
    for shape, dimension in SHAPES:
        yield _case(element, shape, dimension, "LT", type)
    yield _case(element, (67,), 0, "GT", type)
    if not is_complex(element):
        yield _case(element, (67,), 0, "LT", type, stable=False)
    if element in FLOAT:
        yield _with_nans_last(element)


def _with_nans_last(element: str) -> Case:
    """The comparator of JAX: zeros are equal, NaNs are equal and come last."""
    scalar = f"tensor<{element}>"
    values = given(element, at_edges(element, (45,), 2))
    places = Input("tensor<45xi32>", np.arange(45, dtype=np.int32))
    body = f"""{{
    ^bb0(%x: {scalar}, %y: {scalar}, %i: tensor<i32>, %j: tensor<i32>):
      %n = "stablehlo.compare"(%x, %x) <{{
          comparison_direction = #stablehlo<comparison_direction EQ>}}>
        : ({scalar}, {scalar}) -> tensor<i1>
      %m = "stablehlo.compare"(%y, %y) <{{
          comparison_direction = #stablehlo<comparison_direction NE>}}>
        : ({scalar}, {scalar}) -> tensor<i1>
      %l = "stablehlo.compare"(%x, %y) <{{
          comparison_direction = #stablehlo<comparison_direction LT>}}>
        : ({scalar}, {scalar}) -> tensor<i1>
      %a = "stablehlo.and"(%n, %m) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %z = "stablehlo.or"(%a, %l) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%z) : (tensor<i1>) -> ()
    }}"""
    attributes = "dimension = 0 : i64, is_stable = true"
    return call(
        "stablehlo.sort",
        [values, places],
        [values.type, places.type],
        attributes,
        regions=body,
        label="NaN last",
    )


ROWS = (Row("stablehlo.sort", TENSOR + QUANTIZED, _sort),)
