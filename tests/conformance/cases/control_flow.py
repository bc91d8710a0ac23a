"""if, case, while, composite, custom_call."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cases._case import Case, Input, Row, call, given
from cases._inputs import at_edges
from cases._types import ALL, PER_AXIS

SHAPES = ((3, 5), (), (0,), (67,), (2, 1, 3, 1, 2, 3))


def _shapes(element: str) -> tuple[tuple[int, ...], ...]:
    return ((3, 5),) if element in PER_AXIS else SHAPES


def _returning(value: str, type: str) -> str:
    return f'{{ "stablehlo.return"({value}) : ({type}) -> () }}'


def _if(element: str) -> Iterator[Case]:
    for shape in _shapes(element):
        for branch in (True, False):
            pred = Input("tensor<i1>", np.array(branch))
            branches = [given(element, at_edges(element, shape, seed)) for seed in (1, 2)]
            type = branches[0].type
            regions = ", ".join(_returning(value, type) for value in ("%in1", "%in2"))
            text = f'%out0 = "stablehlo.if"(%in0) ({regions}) : (tensor<i1>) -> {type}'
            yield Case(f"{type} {branch}", text, (pred, *branches), (type,))


def _case(element: str) -> Iterator[Case]:
    for shape in _shapes(element):
        for index in (1, 0, 2, -1, 7, -(2**31), 2**31 - 1):
            branches = [given(element, at_edges(element, shape, seed)) for seed in (1, 2, 3)]
            type = branches[0].type
            regions = ", ".join(_returning(f"%in{i}", type) for i in (1, 2, 3))
            text = f'%out0 = "stablehlo.case"(%in0) ({regions}) : (tensor<i32>) -> {type}'
            yield Case(
                f"{type} index {index}",
                text,
                (given("i32", np.array(index, np.int32)), *branches),
                (type,),
            )


def _while(element: str) -> Iterator[Case]:
    """Carried values change places: each turn gives the other one."""
    for shape in _shapes(element):
        for turns in (3, 0, 4):
            values = [given(element, at_edges(element, shape, seed)) for seed in (1, 2)]
            type = values[0].type
            text = f"""%zero = "stablehlo.constant"() <{{value = dense<0> : tensor<i32>}}>
      : () -> tensor<i32>
    %n, %out0, %out1 = "stablehlo.while"(%zero, %in1, %in2) ({{
    ^bb0(%i: tensor<i32>, %a: {type}, %b: {type}):
      %c = "stablehlo.compare"(%i, %in0) <{{
          comparison_direction = #stablehlo<comparison_direction LT>}}>
        : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%c) : (tensor<i1>) -> ()
    }}, {{
    ^bb0(%i: tensor<i32>, %a: {type}, %b: {type}):
      %one = "stablehlo.constant"() <{{value = dense<1> : tensor<i32>}}> : () -> tensor<i32>
      %j = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%j, %b, %a) : (tensor<i32>, {type}, {type}) -> ()
    }}) : (tensor<i32>, {type}, {type}) -> (tensor<i32>, {type}, {type})"""
            limit = given("i32", np.array(turns, np.int32))
            yield Case(f"{type} {turns} turns", text, (limit, *values), (type, type))


def _composite(element: str) -> Iterator[Case]:
    for shape in _shapes(element):
        inputs = [given(element, at_edges(element, shape, seed)) for seed in (1, 2)]
        type = inputs[0].type
        symbols = f"""func.func private @second(%a: {type}, %b: {type}) -> {type} {{
          return %b : {type}
        }}"""
        attributes = 'name = "conformance.second", composite_attributes = {k = 1 : i32}, '
        attributes += "decomposition = @second, version = 1 : i32"
        yield call("stablehlo.composite", inputs, [type], attributes, symbols=symbols)


def _custom_call(element: str) -> Iterator[Case]:
    """The target that every exporter emits; what others compute is their own."""
    for shape in _shapes(element):
        inputs = [given(element, at_edges(element, shape))]
        attributes = 'call_target_name = "Sharding", api_version = 1 : i32, backend_config = ""'
        yield call("stablehlo.custom_call", inputs, [inputs[0].type], attributes)


ROWS = (
    Row("stablehlo.if", ALL, _if),
    Row("stablehlo.case", ALL, _case),
    Row("stablehlo.while", ALL, _while),
    Row("stablehlo.composite", ALL, _composite),
    Row("stablehlo.custom_call", ALL, _custom_call),
)
