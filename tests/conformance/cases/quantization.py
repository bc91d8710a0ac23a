"""uniform_quantize and uniform_dequantize: every storage and expressed type."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cases._case import Case, Input, Row, call, given
from cases._inputs import at_edges, edges, filled
from cases._types import FLOAT, PER_AXIS, QUANTIZED, dtype_of, tensor
from shlo_tools.dtypes import ELEMENT_TYPES

STORAGES = ("i8", "u8", "i4", "u4", "i2", "u2", "i16", "u16", "i32", "u32", "i8<-100:100>")
EXPRESSED = ("f32", "f64", "f16", "bf16")
SHAPES = ((3, 5), (), (0,), (67,), (2, 1, 3, 1, 2, 3))


def _storage_dtype(storage: str) -> np.dtype:  # type: ignore[type-arg]
    return ELEMENT_TYPES[storage.partition("<")[0].replace("u", "ui")].dtype


def _storage_edges(storage: str, shape: tuple[int, ...]) -> Input | np.ndarray:  # type: ignore[type-arg]
    name = storage.partition("<")[0].replace("u", "ui")
    values = edges(name)
    if "<" in storage:
        values = values[(values >= -100) & (values <= 100)]
    return filled(values, shape)


def _quantize(element: str) -> Iterator[Case]:
    """``element`` is the operand's: a float to quantize, or quantized to quantize again."""
    if element in QUANTIZED + PER_AXIS:
        for target in ("i8:f32, 0.25:5", "i16:f32, 0.125", "u8:f32, 0.03125:128"):
            operand = given(element, at_edges(element, (3, 5)))
            yield call(
                "stablehlo.uniform_quantize", [operand], [f"tensor<3x5x!quant.uniform<{target}>>"]
            )
        return
    for storage in STORAGES:
        zero = ":1" if not storage.startswith("u") else ":2"
        operand = given(element, at_edges(element, (3, 37)))
        finite = np.nan_to_num(operand.array.astype(np.float64), nan=1.5).astype(
            operand.array.dtype
        )
        type = f"tensor<3x37x!quant.uniform<{storage}:{element}, 0.5{zero}>>"
        yield call("stablehlo.uniform_quantize", [given(element, finite)], [type])
    for shape in SHAPES:
        operand = given(
            element,
            filled(np.array([0.25, 0.75, -0.25, 3, -1e3, 1e3]).astype(dtype_of(element)), shape),
        )
        sizes = "".join(f"{n}x" for n in shape)
        yield call(
            "stablehlo.uniform_quantize",
            [operand],
            [f"tensor<{sizes}!quant.uniform<i8:{element}, 0.5:-3>>"],
        )
    operand = given(
        element, filled(np.array([0.25, 0.75, -0.25, 3, -9]).astype(dtype_of(element)), (4, 3))
    )
    scales = "{0.5:1, 1.0:-2, 2.0}"  # what f4E2M1FN can hold, too
    yield call(
        "stablehlo.uniform_quantize",
        [operand],
        [f"tensor<4x3x!quant.uniform<i8:{element}:1, {scales}>>"],
    )


def _dequantize(element: str) -> Iterator[Case]:
    if element in PER_AXIS:
        for shape, axis in (((3, 5), 1), ((3, 5), 0), ((2, 3, 4), 1)):
            operand = given(element, at_edges(element, shape), axis)
            yield call("stablehlo.uniform_dequantize", [operand], [tensor("f32", shape)])
        return
    for shape in SHAPES:
        operand = given(element, at_edges(element, shape))
        yield call("stablehlo.uniform_dequantize", [operand], [tensor("f32", shape)])
    for expressed in EXPRESSED:
        for storage in STORAGES:
            array = _storage_edges(storage, (67,))
            zero = "" if storage.startswith("u") else ":-1"
            type = f"tensor<67x!quant.uniform<{storage}:{expressed}, 0.3{zero}>>"
            yield call(
                "stablehlo.uniform_dequantize", [Input(type, array)], [tensor(expressed, (67,))]
            )


ROWS = (
    Row("stablehlo.uniform_quantize", FLOAT + QUANTIZED + PER_AXIS, _quantize),
    Row("stablehlo.uniform_dequantize", QUANTIZED + PER_AXIS, _dequantize),
)
