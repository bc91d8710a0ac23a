"""convolution: strides, dilations, padding of both signs, groups, reversed windows, any layout."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from cases._case import Case, Input, Row, call, given
from cases._inputs import moderate
from cases._regions import integers, rows_of
from cases._tolerances import Steps
from cases._types import ALL, PER_AXIS, is_quantized, tensor
from cases.contraction import SUMS, WEIGHTS, accumulating


@dataclass(frozen=True)
class Convolution:
    """A convolution in the layout named by ``dims``; what is not given is 1, padding 0."""

    lhs: tuple[int, ...]
    rhs: tuple[int, ...]
    result: tuple[int, ...]
    dims: str = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"
    strides: tuple[int, ...] = ()
    padding: tuple[tuple[int, int], ...] = ()
    lhs_dilation: tuple[int, ...] = ()
    rhs_dilation: tuple[int, ...] = ()
    reversal: tuple[bool, ...] = ()
    feature_groups: int = 1
    batch_groups: int = 1
    precision: str = ""

    def attributes(self) -> str:
        lists = {
            "window_strides": self.strides,
            "lhs_dilation": self.lhs_dilation,
            "rhs_dilation": self.rhs_dilation,
        }
        entry = [f"{name} = {integers(values)}" for name, values in lists.items() if values]
        if self.padding:
            entry.append(f"padding = {rows_of(self.padding)}")
        if self.reversal:
            entry.append(f"window_reversal = array<i1: {str(list(self.reversal))[1:-1].lower()}>")
        entry.append(f"dimension_numbers = #stablehlo.conv<{self.dims}>")
        entry.append(f"feature_group_count = {self.feature_groups} : i64")
        entry.append(f"batch_group_count = {self.batch_groups} : i64")
        if self.precision:
            one = f"#stablehlo<precision {self.precision}>"
            entry.append(f"precision_config = [{one}, {one}]")
        return ", ".join(entry)

    def terms(self) -> int:
        layout = self.dims.partition("x")[2].partition("->")[0].strip("[] ").split(", ")
        return math.prod(n for n, name in zip(self.rhs, layout, strict=True) if name != "o")


NCHW = "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]"
CONVOLUTIONS = (
    Convolution((1, 5, 5, 2), (3, 3, 2, 3), (1, 3, 3, 3)),
    Convolution((2, 5, 6, 2), (3, 2, 2, 3), (2, 3, 3, 3), strides=(2, 2), padding=((1, 1), (0, 0))),
    Convolution(
        (1, 4, 4, 2), (3, 3, 2, 2), (1, 7, 7, 2), padding=((1, 1), (1, 1)), lhs_dilation=(2, 2)
    ),
    Convolution((1, 7, 7, 1), (3, 3, 1, 2), (1, 3, 3, 2), rhs_dilation=(2, 2)),
    Convolution((1, 6, 6, 2), (2, 2, 2, 2), (1, 4, 4, 2), padding=((-1, 0), (0, -1))),
    Convolution((1, 5, 5, 2), (3, 2, 2, 2), (1, 3, 4, 2), reversal=(True, False)),
    Convolution((1, 5, 5, 4), (3, 3, 2, 6), (1, 3, 3, 6), feature_groups=2),
    Convolution((1, 5, 5, 4), (3, 3, 1, 4), (1, 3, 3, 4), feature_groups=4),
    Convolution((4, 5, 5, 2), (3, 3, 2, 4), (2, 3, 3, 4), batch_groups=2),
    Convolution((2, 3, 8, 8), (4, 3, 3, 3), (2, 4, 6, 6), NCHW),
    Convolution((3, 5), (5, 4), (3, 4), "[b, f]x[i, o]->[b, f]"),
    Convolution((2, 9, 3), (4, 3, 2), (2, 6, 2), "[b, 0, f]x[0, i, o]->[b, 0, f]"),
    Convolution(
        (2, 3, 4, 3, 4),
        (2, 2, 2, 4, 2),
        (2, 2, 3, 2, 2),
        "[b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f]",
    ),
    Convolution(
        (5, 1, 2, 6),
        (3, 2, 3, 2),
        (3, 1, 4, 3),
        "[0, b, f, 1]x[0, i, o, 1]->[0, b, 1, f]",
        padding=((0, 0), (0, -1)),
    ),
    Convolution((0, 5, 5, 2), (3, 3, 2, 3), (0, 3, 3, 3)),
    Convolution((1, 5, 5, 0), (3, 3, 0, 3), (1, 3, 3, 3)),
    Convolution((1, 2, 2, 1), (3, 3, 1, 1), (1, 0, 0, 1)),
    Convolution((1, 20, 20, 3), (3, 3, 3, 35), (1, 18, 18, 35)),
    Convolution((1, 5, 5, 2), (3, 3, 2, 3), (1, 3, 3, 3), precision="HIGHEST"),
)
WIDER = {"i8": "i32", "f16": "f32", "bf16": "f32", "ui8": "ui32"}


def _convolution(element: str) -> Iterator[Case]:
    for form in CONVOLUTIONS:
        if is_quantized(element):
            yield from _quantized(element, form)
            continue
        if element == "f8E8M0FNU" and (form.padding or form.lhs_dilation):
            continue  # it has no zero to pad with
        yield _case(element, element, form)
    if element in WIDER:
        for form in (CONVOLUTIONS[0], CONVOLUTIONS[9]):
            yield _case(element, WIDER[element], form)


def _case(element: str, result: str, form: Convolution) -> Case:
    inputs = [
        given(element, moderate(element, form.lhs, 1)),
        given(element, moderate(element, form.rhs, 2)),
    ]
    type = tensor(result, form.result)
    label = f"{inputs[0].type} {inputs[1].type} -> {type} {form.attributes()}"
    return call(
        "stablehlo.convolution",
        inputs,
        [type],
        form.attributes(),
        label=label,
        tolerance=accumulating(result, form.terms()),
    )


def _quantized(element: str, form: Convolution) -> Iterator[Case]:
    """Per axis: a scale per output feature of the kernel, and of the result."""
    weights, sums = WEIGHTS, SUMS
    if element in PER_AXIS:
        kernel, result = form.dims.partition("x")[2].split("->")
        scales = [f"{2.0 ** -(2 + i % 3)}" for i in range(form.rhs[_place(kernel, "o")])]
        weights = f"!quant.uniform<i8:f32:{_place(kernel, 'o')}, {{{', '.join(scales)}}}>"
        sums = f"!quant.uniform<i32:f32:{_place(result, 'f')}, {{{', '.join(scales)}}}>"
    rhs = f"tensor<{''.join(f'{n}x' for n in form.rhs)}{weights}>"
    inputs = [
        given("quantized", moderate("quantized", form.lhs, 1)),
        Input(rhs, moderate("quantized", form.rhs, 2)),
    ]
    type = f"tensor<{''.join(f'{n}x' for n in form.result)}{sums}>"
    yield call("stablehlo.convolution", inputs, [type], form.attributes(), tolerance=Steps(1))


def _place(layout: str, name: str) -> int:
    return layout.strip("[] ").split(", ").index(name)


ROWS = (Row("stablehlo.convolution", ALL, _convolution),)
