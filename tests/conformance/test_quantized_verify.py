"""Constraints on quantized tensors: valid programs pass, wrong ones are refused by their label.

Valid are the conformance cases. Of wrong ones the official verifier refuses most, so that the op
functions are asked directly, as a builder asks them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cases
import numpy as np
import pytest
from cases._case import Row, program

import shlo_tools
from shlo_tools import ops
from shlo_tools import program as programs
from shlo_tools.builder import Module
from shlo_tools.errors import ConstraintError
from shlo_tools.types import Tensor

QUANTIZED = ("quantized", "quantized per axis")
ROWS = [
    pytest.param(row, element, id=f"{row.op}-{element}")
    for family in cases.FAMILIES
    for row in cases.rows(family)
    for element in row.elements
    if element in QUANTIZED
]


@pytest.mark.parametrize(("row", "element"), ROWS)
def test_valid_programs_are_not_refused(row: Row, element: str) -> None:
    results = [case for case in row.build(element) if not case.undefined]
    for start in range(0, len(results), 50):
        programs.verify(shlo_tools.load(program(results[start : start + 50])))


# --- builders -------------------------------------------------------------------------------------
HALVES = "!quant.uniform<i8:f32, 0.5:3>"
SCALAR = f"tensor<{HALVES}>"
EIGHTHS = "!quant.uniform<i8:f32, 0.125>"
NARROW = "!quant.uniform<i8<-100:100>:f32, 0.125>"
WORDS = "!quant.uniform<i16:f32, 0.125>"
HALF_FLOATS = "!quant.uniform<i8:f16, 0.125>"
COLUMNS = "!quant.uniform<i8:f32:1, {0.5, 0.25, 0.125}>"
LINES = "!quant.uniform<i8:f32:0, {0.5, 0.25}>"
THIRDS = "!quant.uniform<i8:f32:0, {0.5, 0.25, 0.125}>"

Call = Callable[..., Any]


def build(call: Call, *types: str) -> Module:
    module = Module()
    module.func(*types, name="main")(call)
    programs.verify(module.module)
    return module


def test_quantized_programs_can_be_built_and_run() -> None:
    def main(x: Tensor, y: Tensor) -> Tensor:
        stored = [ops.uniform_quantize(value, f"2x3x{HALVES}") for value in (x, y)]
        return ops.uniform_dequantize(ops.transpose(ops.add(*stored), (1, 0)))

    module = build(main, "2x3xf32", "2x3xf32")
    x = np.array([[0.5, 1, 2], [-3, 4.4, 1000]], np.float32)
    y = np.ones((2, 3), np.float32)
    computed = shlo_tools.compile(module)(x, y)
    # 1000 is clamped to (127 - 3) / 2, and so is the sum; 4.4 becomes 4.5.
    np.testing.assert_array_equal(computed, [[1.5, -2], [2, 5.5], [3, 62]])


def test_scales_follow_their_dimension() -> None:
    module = build(lambda x: ops.transpose(x, (1, 0)), f"2x3x{COLUMNS}")
    assert "tensor<3x2x!quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01,1.25" in str(module)


# --- what the specification says is wrong ---------------------------------------------------------
DOT: dict[str, Any] = {"lhs_contracting_dimensions": [1], "rhs_contracting_dimensions": [0]}


def dot(result: str) -> Call:
    return lambda x, y: ops.dot_general(x, y, **DOT, result_type=result)


def convolution(result: str) -> Call:
    numbers: dict[str, Any] = {
        **{"input_batch_dimension": 0, "input_feature_dimension": 2},
        **{"kernel_input_feature_dimension": 1, "kernel_output_feature_dimension": 2},
        **{"output_batch_dimension": 0, "output_feature_dimension": 2},
        **{f"{name}_spatial_dimensions": [1] for name in ("input", "output")},
        "kernel_spatial_dimensions": [0],
    }
    return lambda x, y: ops.convolution(x, y, **numbers, result_type=result)


FEATURES = "!quant.uniform<i8:f32:2, {0.5, 0.25}>"
INPUTS = "!quant.uniform<i8:f32:1, {0.5}>"
WRONG: list[tuple[str, str, Call, list[str]]] = [
    ("and", "I1", ops.and_, [f"2x{HALVES}"] * 2),
    ("complex", "I1", ops.complex, [f"2x{HALVES}"] * 2),
    ("convert", "I1", lambda x: ops.convert(x, "2xf32"), [f"2x{HALVES}"]),
    ("real", "I1", ops.real, [f"2x{HALVES}"]),
    ("popcnt", "I1", ops.popcnt, [f"2x{HALVES}"]),
    ("abs", "I1", ops.abs, [f"2x3x{COLUMNS}"]),
    ("slice", "I1", lambda x: ops.slice(x, (0, 0), (1, 1), (1, 1)), [f"2x3x{COLUMNS}"]),
    ("select", "I2", ops.select, ["2x3xi1", f"2x3x{COLUMNS}", f"2x3x{COLUMNS}"]),
    ("iota", "O1", lambda: ops.iota(0, f"2x3x{COLUMNS}"), []),
    ("multiply", "C1", ops.multiply, [f"2x{HALVES}", f"2x{WORDS}"]),
    ("multiply by floats", "C1", ops.multiply, [f"2x{HALVES}", "2xf32"]),
    ("multiply of ranges", "C1", ops.multiply, [f"2x{EIGHTHS}", f"2x{NARROW}"]),
    ("clamp", "C3", ops.clamp, [SCALAR, f"2x{HALF_FLOATS}", SCALAR]),
    ("compare", "C1", lambda x, y: ops.compare(x, y, "LT"), [f"2x{HALVES}", f"2x{WORDS}"]),
    ("select of ranges", "C2", ops.select, ["2xi1", f"2x{EIGHTHS}", f"2x{NARROW}"]),
    ("add to floats", "C2", ops.add, [f"2x{HALVES}", "2xf32"]),
    ("add of words", "C3", ops.add, [f"2x{HALVES}", f"2x{WORDS}"]),
    ("add of halves", "C4", ops.add, [f"2x{EIGHTHS}", f"2x{HALF_FLOATS}"]),
    ("add along two", "C6", ops.add, [f"2x3x{COLUMNS}", f"2x3x{LINES}"]),
    ("concatenate", "C5", lambda *x: ops.concatenate(x, 0), [f"2x{HALVES}", f"2x{EIGHTHS}"]),
    ("pad", "C1", lambda x, y: ops.pad(x, y, [1], [1], [0]), [f"2x{EIGHTHS}", SCALAR]),
    ("reshape", "C1", lambda x: ops.reshape(x, f"6x{EIGHTHS}"), [f"2x3x{HALVES}"]),
    ("reshape of columns", "C3", lambda x: ops.reshape(x, f"3x2x{THIRDS}"), [f"2x3x{COLUMNS}"]),
    (
        "broadcast_in_dim",
        "C1",
        lambda x: ops.broadcast_in_dim(x, [1], f"2x3x{EIGHTHS}"),
        [f"3x{HALVES}"],
    ),
    (
        "broadcast_in_dim along another",
        "C6",
        lambda x: ops.broadcast_in_dim(x, [0, 1], f"2x3x{LINES}"),
        [f"2x3x{COLUMNS}"],
    ),
    (
        "broadcast_in_dim of one scale",
        "C6",
        lambda x: ops.broadcast_in_dim(x, [1], f"2x3x{COLUMNS}"),
        ["1x!quant.uniform<i8:f32:0, {0.5}>"],
    ),
    ("dot_general lhs", "I1", dot(f"2x4x{HALVES}"), [f"2x3x{COLUMNS}", f"3x4x{EIGHTHS}"]),
    ("dot_general", "C14", dot("2x4xf32"), [f"2x3x{HALVES}", f"3x4x{EIGHTHS}"]),
    ("dot_general by floats", "C14", dot(f"2x4x{HALVES}"), [f"2x3x{HALVES}", "3x4xf32"]),
    ("dot_general centers", "C15", dot(f"2x4x{WORDS}"), [f"2x3x{EIGHTHS}", f"3x4x{HALVES}"]),
    (
        "dot_general axis",
        "C16",
        dot(f"2x4x{HALVES}"),
        [f"2x2x{HALVES}", "2x4x!quant.uniform<i8:f32:0, {0.5, 0.25}>"],
    ),
    ("dot_general storage", "C17", dot(f"2x4x{HALVES}"), [f"2x3x{HALVES}", f"3x4x{WORDS}"]),
    (
        "dot_general numbers",
        "C18",
        dot(f"2x4x{HALF_FLOATS}"),
        [f"2x3x{HALVES}", f"3x4x{EIGHTHS}"],
    ),
    ("dot_general scales", "C19", dot(f"2x3x{COLUMNS}"), [f"2x3x{HALVES}", f"3x3x{EIGHTHS}"]),
    ("dot_general weights", "C20", dot("2x4xf16"), ["2x3xf16", f"3x4x{EIGHTHS}"]),
    ("convolution", "C28", convolution("1x4x2xf32"), [f"1x4x1x{HALVES}", f"1x1x2x{EIGHTHS}"]),
    (
        "convolution axis",
        "C29",
        convolution(f"1x4x2x{HALVES}"),
        [f"1x4x1x{HALVES}", f"1x1x2x{INPUTS}"],
    ),
    (
        "convolution result",
        "C30",
        convolution("1x4x2x!quant.uniform<i8:f32:1, {0.5, 0.5, 0.5, 0.5}>"),
        [f"1x4x1x{HALVES}", f"1x1x2x{FEATURES}"],
    ),
    (
        "convolution storage",
        "C31",
        convolution(f"1x4x2x{HALVES}"),
        [f"1x4x1x{HALVES}", f"1x1x2x{WORDS}"],
    ),
    (
        "convolution numbers",
        "C32",
        convolution(f"1x4x2x{HALF_FLOATS}"),
        [f"1x4x1x{HALVES}", f"1x1x2x{EIGHTHS}"],
    ),
    (
        "convolution scales",
        "C33",
        convolution(f"1x4x2x{FEATURES}"),
        [f"1x4x1x{HALVES}", f"1x1x2x{EIGHTHS}"],
    ),
    (
        "convolution weights",
        "C34",
        convolution("1x4x2xf16"),
        ["1x4x1xf16", f"1x1x2x{EIGHTHS}"],
    ),
    ("an axis too far", "C12", ops.uniform_dequantize, [f"3x{COLUMNS}"]),
    ("a scale too many", "C13", ops.uniform_dequantize, [f"3x{LINES}"]),
    ("transpose", "C12", lambda x: ops.transpose(x, (0,)), [f"3x{COLUMNS}"]),
    ("uniform_dequantize", "I1", ops.uniform_dequantize, ["2xf32"]),
    ("uniform_quantize", "O1", lambda x: ops.uniform_quantize(x, "2xf32"), ["2xf32"]),
    ("uniform_quantize shape", "C1", lambda x: ops.uniform_quantize(x, f"3x{HALVES}"), ["2xf32"]),
    ("uniform_quantize f16", "C2", lambda x: ops.uniform_quantize(x, f"2x{HALVES}"), ["2xf16"]),
]


@pytest.mark.parametrize(
    ("label", "call", "types"), [row[1:] for row in WRONG], ids=[r[0] for r in WRONG]
)
def test_wrong_programs_are_refused(label: str, call: Call, types: list[str]) -> None:
    with pytest.raises(ConstraintError, match=rf"\({label}\)"):
        build(call, *types)
