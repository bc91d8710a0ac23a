"""Values that enter and leave a process, and computations beside others."""

from __future__ import annotations

from collections.abc import Iterator

from cases._case import Case, Row, given
from cases._inputs import at_edges
from cases._types import ALL, QUANTIZED, TENSOR
from cases.grouping import TOKEN, shapes

ALONE = "a program that runs alone has nobody to exchange values with"
HANDLE = "channel_handle = #stablehlo.channel_handle<handle = 1, type = {}>"


def _infeed(element: str) -> Iterator[Case]:
    for shape in shapes(element):
        type = given(element, at_edges(element, shape)).type
        text = f"""%t = "stablehlo.after_all"() : () -> {TOKEN}
    %out0, %u = "stablehlo.infeed"(%t) <{{infeed_config = ""}}> : ({TOKEN}) -> ({type}, {TOKEN})"""
        yield Case(type, text, (), (type,), undefined=ALONE)


def _outfeed(element: str) -> Iterator[Case]:
    for shape in shapes(element):
        operand = given(element, at_edges(element, shape))
        text = f"""%t = "stablehlo.after_all"() : () -> {TOKEN}
    %u = "stablehlo.outfeed"(%in0, %t) <{{outfeed_config = ""}}>
      : ({operand.type}, {TOKEN}) -> {TOKEN}"""
        yield Case(operand.type, text, (operand,), (), undefined=ALONE)


def _recv(element: str) -> Iterator[Case]:
    for shape in shapes(element):
        type = given(element, at_edges(element, shape)).type
        text = f"""%t = "stablehlo.after_all"() : () -> {TOKEN}
    %out0, %u = "stablehlo.recv"(%t) <{{{HANDLE.format(3)}, is_host_transfer = true}}>
      : ({TOKEN}) -> ({type}, {TOKEN})"""
        yield Case(type, text, (), (type,), undefined=ALONE)


def _send(element: str) -> Iterator[Case]:
    for shape in shapes(element):
        operand = given(element, at_edges(element, shape))
        text = f"""%t = "stablehlo.after_all"() : () -> {TOKEN}
    %u = "stablehlo.send"(%in0, %t) <{{{HANDLE.format(2)}, is_host_transfer = true}}>
      : ({operand.type}, {TOKEN}) -> {TOKEN}"""
        yield Case(operand.type, text, (operand,), (), undefined=ALONE)


def _async(element: str) -> Iterator[Case]:
    operand = given(element, at_edges(element, (5,)))
    result = given(element, at_edges(element, (2,))).type
    future = f"!stablehlo.future<{result}>"
    text = f"""%f = "stablehlo.async_start"(%in0) ({{
    ^bb0(%v: {operand.type}):
      %s = "stablehlo.slice"(%v) <{{start_indices = array<i64: 1>,
        limit_indices = array<i64: 3>, strides = array<i64: 1>}}>
        : ({operand.type}) -> {result}
      "stablehlo.return"(%s) : ({result}) -> ()
    }}) : ({operand.type}) -> {future}
    %out0 = "stablehlo.async_done"(%f) : ({future}) -> {result}"""
    yield Case(operand.type, text, (operand,), (result,))


ROWS = (
    Row("stablehlo.infeed", ALL, _infeed),
    Row("stablehlo.outfeed", ALL, _outfeed),
    Row("stablehlo.recv", ALL, _recv),
    Row("stablehlo.send", ALL, _send),
    Row("stablehlo.async_start", TENSOR + QUANTIZED, _async),
    Row("stablehlo.async_done", TENSOR + QUANTIZED, _async),
)
