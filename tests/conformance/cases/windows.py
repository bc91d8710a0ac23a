"""reduce_window and select_and_scatter: strides, dilations, padding of both signs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from cases._case import Case, Row, call, given
from cases._inputs import at_edges, moderate, small
from cases._regions import comparator, integers, reducer, rows_of, scalar
from cases._tolerances import EXACT
from cases._types import QUANTIZED, TENSOR, is_complex, is_quantized, tensor
from cases.reduction import summing


@dataclass(frozen=True)
class Window:
    """What slides over an operand; what is not given is 1, padding 0."""

    shape: tuple[int, ...]
    dimensions: tuple[int, ...]
    strides: tuple[int, ...] = ()
    base: tuple[int, ...] = ()
    dilations: tuple[int, ...] = ()
    padding: tuple[tuple[int, int], ...] = ()

    def _all(self) -> Iterator[tuple[int, int, int, int, int, tuple[int, int]]]:
        ones = (1,) * len(self.shape)
        yield from zip(
            self.shape,
            self.dimensions,
            self.strides or ones,
            self.base or ones,
            self.dilations or ones,
            self.padding or ((0, 0),) * len(self.shape),
            strict=True,
        )

    def result(self) -> list[int]:
        """The number of places of the window, by the specification's formula."""
        results = []
        for size, window, stride, base, dilation, (low, high) in self._all():
            padded = (0 if size == 0 else (size - 1) * base + 1) + low + high
            reach = 0 if window == 0 else (window - 1) * dilation + 1
            empty = padded == 0 or reach > padded
            results.append(0 if empty else (padded - reach) // stride + 1)
        return results

    def attributes(self) -> str:
        array = [f"window_dimensions = {integers(self.dimensions)}"]
        lists = {
            "window_strides": self.strides,
            "base_dilations": self.base,
            "window_dilations": self.dilations,
        }
        array += [f"{name} = {integers(values)}" for name, values in lists.items() if values]
        if self.padding:
            array.append(f"padding = {rows_of(self.padding)}")
        return ", ".join(array)


WINDOWS = (
    Window((3, 7), (2, 3), (1, 2), (), (), ((0, 0), (1, 1))),
    Window((), ()),
    Window((5,), (2,), (2,)),
    Window((5,), (1,)),
    Window((3,), (5,)),
    Window((0,), (2,), (), (), (), ((1, 2),)),
    Window((6,), (2,), (1,), (1,), (2,), ((-1, 2),)),
    Window((4, 5), (3, 2), (2, 1), (2, 1), (1, 2), ((2, 0), (-1, 1))),
    Window((5, 67), (1, 4), (1, 4)),
    Window((100,), (100,), (), (), (), ((99, 0),)),
    Window((2, 1, 3, 1, 2, 3), (1, 1, 2, 1, 2, 2), (1, 1, 1, 1, 1, 2)),
    Window((1, 8, 8, 2), (1, 3, 3, 1), (1, 2, 2, 1), (), (), ((0, 0), (1, 1), (0, 1), (0, 0))),
)


def _reduce_window(element: str) -> Iterator[Case]:
    for window in WINDOWS:
        terms = math.prod(window.dimensions) + 1
        operand = (
            small(element, window.shape)
            if is_quantized(element)
            else moderate(element, window.shape)
        )
        yield _window_case(
            element, window, "add", operand, small(element, (), 3), summing(element, terms)
        )
    for op in ("maximum", "minimum"):
        near = summing(element, 0) if is_complex(element) else EXACT
        for window in WINDOWS:
            yield _window_case(
                element, window, op, at_edges(element, window.shape), at_edges(element, (), 4), near
            )
    yield _two_at_once(element)


def _window_case(element: str, window: Window, op: str, operand, init, near) -> Case:  # type: ignore[no-untyped-def]
    inputs = [given(element, operand), given(element, init)]
    return call(
        "stablehlo.reduce_window",
        inputs,
        [tensor(element, window.result())],
        window.attributes(),
        regions=reducer(op, element),
        tolerance=near,
        label=f"{op} {inputs[0].type} {window.attributes()}",
    )


def _two_at_once(element: str) -> Case:
    window, type = WINDOWS[0], scalar(element)
    body = f"""{{
    ^bb0(%a: {type}, %b: tensor<i32>, %c: {type}, %d: tensor<i32>):
      %m = "stablehlo.maximum"(%a, %c) : ({type}, {type}) -> {type}
      %s = "stablehlo.add"(%b, %d) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%m, %s) : ({type}, tensor<i32>) -> ()
    }}"""
    near = summing(element, 0) if is_complex(element) else EXACT
    inputs = [
        given(element, moderate(element, window.shape)),
        given("i32", small("i32", window.shape)),
    ]
    inputs += [given(element, moderate(element, (), 4)), given("i32", small("i32", ()))]
    results = [tensor(element, window.result()), tensor("i32", window.result())]
    return call(
        "stablehlo.reduce_window",
        inputs,
        results,
        window.attributes(),
        regions=body,
        label="two operands",
        tolerance=near,
    )


# --- select_and_scatter ---------------------------------------------------------------------------
SELECTIONS = (
    Window((4, 6), (2, 2), (2, 2)),
    Window((5, 7), (3, 3), (1, 2), (), (), ((1, 1), (0, 1))),
    Window((6,), (2,), (3,)),
    Window((3, 67), (1, 5), (1, 3)),
    Window((1, 6, 6, 2), (1, 2, 3, 1), (1, 2, 1, 1)),
)


def _select_and_scatter(element: str) -> Iterator[Case]:
    for window in SELECTIONS:
        for direction in ("GE", "LE"):
            operand = given(element, small(element, window.shape, 1))
            source = given(element, small(element, window.result(), 2, 2))
            init = given(element, small(element, (), 3, 1))
            regions = f"{comparator(direction, element)}, {reducer('add', element)}"
            yield call(
                "stablehlo.select_and_scatter",
                [operand, source, init],
                [operand.type],
                window.attributes(),
                regions=regions,
                label=f"{direction} {operand.type} {window.attributes()}",
            )


ROWS = (
    Row("stablehlo.reduce_window", TENSOR + QUANTIZED, _reduce_window),
    Row("stablehlo.select_and_scatter", TENSOR + QUANTIZED, _select_and_scatter),
)
