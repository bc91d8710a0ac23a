"""Tuples, tokens and barriers: values that pass through."""

from __future__ import annotations

from collections.abc import Iterator

from cases._case import Case, Row, call, given
from cases._inputs import at_edges
from cases._types import ALL, PER_AXIS, QUANTIZED, TENSOR

SHAPES = ((3, 5), (), (0,), (67,), (2, 1, 3, 1, 2, 3))
TOKEN = "!stablehlo.token"


def shapes(element: str) -> tuple[tuple[int, ...], ...]:
    return SHAPES[:1] if element in PER_AXIS else SHAPES


def _tuple(element: str) -> Iterator[Case]:
    """A nested tuple, of which one member is taken."""
    for shape in shapes(element):
        inputs = [given(element, at_edges(element, shape, seed)) for seed in (1, 2)]
        a, b = (item.type for item in inputs)
        inner, outer = f"tuple<{a}, {b}>", f"tuple<{a}, tuple<{a}, {b}>>"
        text = f"""%i = "stablehlo.tuple"(%in0, %in1) : ({a}, {b}) -> {inner}
    %o = "stablehlo.tuple"(%in0, %i) : ({a}, {inner}) -> {outer}
    %p = "stablehlo.get_tuple_element"(%o) <{{index = 1 : i32}}> : ({outer}) -> {inner}
    %out0 = "stablehlo.get_tuple_element"(%p) <{{index = 1 : i32}}> : ({inner}) -> {b}"""
        yield Case(a, text, tuple(inputs), (b,))


def _after_all(element: str) -> Iterator[Case]:
    for count in (2, 0, 1):
        operand = given(element, at_edges(element, (3, 5)))
        lines = [f'%t{i} = "stablehlo.after_all"() : () -> {TOKEN}' for i in range(count)]
        tokens = ", ".join(f"%t{i}" for i in range(count))
        lines.append(
            f'%t = "stablehlo.after_all"({tokens}) : ({", ".join([TOKEN] * count)}) -> {TOKEN}'
        )
        lines.append(
            '%out0, %u = "stablehlo.optimization_barrier"(%in0, %t)'
            f" : ({operand.type}, {TOKEN}) -> ({operand.type}, {TOKEN})"
        )
        yield Case(f"{count} tokens", "\n".join(lines), (operand,), (operand.type,))


def _optimization_barrier(element: str) -> Iterator[Case]:
    for shape in shapes(element):
        inputs = [given(element, at_edges(element, shape, seed)) for seed in (1, 2)]
        yield call("stablehlo.optimization_barrier", inputs, [item.type for item in inputs])


ROWS = (
    Row("stablehlo.tuple", ALL, _tuple),
    Row("stablehlo.get_tuple_element", ALL, _tuple),
    Row("stablehlo.after_all", ("i32", "f32"), _after_all),
    Row("stablehlo.optimization_barrier", TENSOR + QUANTIZED, _optimization_barrier),
)
