"""Ops whose shapes are computed at run time: results of known and of unknown size."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from cases._case import Case, Input, Row, call, given
from cases._inputs import at_edges, moderate
from cases._regions import integers
from cases._types import (
    ALL,
    COMPLEX,
    CORE,
    FLOAT,
    INTEGER,
    PER_AXIS,
    QUANTIZED,
    TENSOR,
    is_quantized,
    tensor,
)
from cases.contraction import SUMS, WEIGHTS, accumulating
from cases.convolution import CONVOLUTIONS
from cases.data_movement import BROADCASTS, IOTAS, PADS, RESHAPES, SLICES, pad_result
from cases.gather_scatter import GATHERS, indices


def _unknown(type: str) -> str:
    """The type with every size unknown."""
    return (
        re.sub(r"\d+(?=x)", "?", type.partition("!")[0].partition("<f")[0])
        + type[len(type.partition("!")[0].partition("<f")[0]) :]
    )


def _both(
    op: str, inputs: Sequence[Input], result: str, attributes: str = "", **more: object
) -> Iterator[Case]:
    """With the result's size written in its type, and left open."""
    label = f"{', '.join(i.type for i in inputs)} {attributes} -> {result}"
    yield call(op, inputs, [result], attributes, label=label, **more)  # type: ignore[arg-type]
    if "x" in result.partition("!")[0] and _unknown(result) != result:
        yield call(op, inputs, [_unknown(result)], attributes, label=f"{label} unknown", **more)  # type: ignore[arg-type]


def _some(forms: Sequence[Any], element: str) -> Sequence[Any]:
    """All for a few types, some for the others: sizes have little to do with types."""
    return forms if element in CORE else forms[:4]


def _vector(values: Sequence[int], element: str = "i32") -> Input:
    return given(element, np.array(values, {"i32": np.int32, "i64": np.int64}[element]))


def _dynamic_broadcast_in_dim(element: str) -> Iterator[Case]:
    for shape, dimensions, result in (
        _some(BROADCASTS, element) if element not in PER_AXIS else (((2, 3), (1, 2), (4, 2, 3)),)
    ):
        axis = dimensions[-1] if element in PER_AXIS else None
        inputs = [given(element, at_edges(element, shape)), _vector(result)]
        attributes = f"broadcast_dimensions = {integers(dimensions)}"
        yield from _both(
            "stablehlo.dynamic_broadcast_in_dim", inputs, tensor(element, result, axis), attributes
        )


def _dynamic_reshape(element: str) -> Iterator[Case]:
    for shape, result in (
        _some(RESHAPES, element) if element not in PER_AXIS else (((2, 4, 3), (8, 3)),)
    ):
        inputs = [given(element, at_edges(element, shape)), _vector(result, "i64")]
        yield from _both("stablehlo.dynamic_reshape", inputs, tensor(element, result))


def _dynamic_iota(element: str) -> Iterator[Case]:
    for shape, dimension in _some(IOTAS, element):
        attributes = f"iota_dimension = {dimension} : i64"
        yield from _both(
            "stablehlo.dynamic_iota", [_vector(shape)], tensor(element, shape), attributes
        )


def _dynamic_pad(element: str) -> Iterator[Case]:
    for shape, *amounts in _some(PADS, element):
        inputs = [
            given(element, at_edges(element, shape)),
            given(element, at_edges(element, (), 9)),
        ]
        inputs += [_vector(amount, "i64") for amount in amounts]
        result = tensor(element, pad_result(shape, *amounts))
        yield from _both("stablehlo.dynamic_pad", inputs, result)


def _real_dynamic_slice(element: str) -> Iterator[Case]:
    for shape, start, limit, strides in _some(SLICES, element):
        inputs = [
            given(element, at_edges(element, shape)),
            *(_vector(v) for v in (start, limit, strides)),
        ]
        rows = zip(start, limit, strides, strict=True)
        result = tensor(element, [-(-(high - low) // step) for low, high, step in rows])
        yield from _both("stablehlo.real_dynamic_slice", inputs, result)


def _dynamic_gather(element: str) -> Iterator[Case]:
    for form in _some(GATHERS, element):
        start = indices("i32", form.start_indices, max(form.operand))
        inputs = [
            given(element, at_edges(element, form.operand)),
            start,
            _vector(form.sizes, "i64"),
        ]
        attributes = form.attributes().replace(f"slice_sizes = {integers(form.sizes)}, ", "")
        yield from _both(
            "stablehlo.dynamic_gather", inputs, tensor(element, form.result), attributes
        )


def _dynamic_conv(element: str) -> Iterator[Case]:
    for form in _some(CONVOLUTIONS, element):
        if element == "f8E8M0FNU" and (form.padding or form.lhs_dilation):
            continue  # it has no zero to pad with
        if element in PER_AXIS:
            return
        spatial = len(form.lhs) - 2
        padding = np.array(form.padding or [(0, 0)] * spatial, np.int64).reshape(spatial, 2)
        weights = given(element, moderate(element, form.rhs, 2))
        result = tensor(element, form.result)
        if is_quantized(element):
            weights = Input(f"tensor<{''.join(f'{n}x' for n in form.rhs)}{WEIGHTS}>", weights.array)
            result = f"tensor<{''.join(f'{n}x' for n in form.result)}{SUMS}>"
        inputs = [given(element, moderate(element, form.lhs, 1)), weights, given("i64", padding)]
        attributes = re.sub(r"padding = dense<[^>]*> : tensor<[^>]*>, ", "", form.attributes())
        near = accumulating(element, form.terms())
        yield from _both("stablehlo.dynamic_conv", inputs, result, attributes, tolerance=near)


def _get_dimension_size(element: str) -> Iterator[Case]:
    for shape in ((3, 5), (0, 2), (5, 67), (2, 1, 3, 1, 2, 3)):
        for dimension in (0, len(shape) - 1):
            operand = given(element, at_edges(element, shape))
            attributes = f"dimension = {dimension} : i64"
            yield call("stablehlo.get_dimension_size", [operand], ["tensor<i32>"], attributes)


def _set_dimension_size(element: str) -> Iterator[Case]:
    """The size is read back: what lies beyond it is nobody's."""
    operand = given(element, at_edges(element, (3, 5)))
    for size in (2, 3, 0):
        count = given("i32", np.array(size, np.int32))
        bounded = operand.type.replace("3x", "?x", 1)[:-1] + ", #stablehlo.bounds<3, ?>>"
        text = f"""%b = "stablehlo.set_dimension_size"(%in0, %in1) <{{dimension = 0 : i64}}>
      : ({operand.type}, tensor<i32>) -> {bounded}
    %out0 = "stablehlo.get_dimension_size"(%b) <{{dimension = 0 : i64}}>
      : ({bounded}) -> tensor<i32>"""
        yield Case(f"{operand.type} to {size}", text, (operand, count), ("tensor<i32>",))


PER_TENSOR = TENSOR + QUANTIZED
ROWS = (
    Row("stablehlo.dynamic_broadcast_in_dim", ALL, _dynamic_broadcast_in_dim),
    Row("stablehlo.dynamic_conv", PER_TENSOR, _dynamic_conv),
    Row("stablehlo.dynamic_gather", PER_TENSOR, _dynamic_gather),
    Row("stablehlo.dynamic_iota", INTEGER + FLOAT + COMPLEX + QUANTIZED, _dynamic_iota),
    Row("stablehlo.dynamic_pad", PER_TENSOR, _dynamic_pad),
    Row("stablehlo.dynamic_reshape", ALL, _dynamic_reshape),
    Row("stablehlo.get_dimension_size", ALL, _get_dimension_size),
    Row("stablehlo.real_dynamic_slice", PER_TENSOR, _real_dynamic_slice),
    Row("stablehlo.set_dimension_size", PER_TENSOR, _set_dimension_size),
)
