"""Convolutions of few windows multiply a matrix of these by the kernel where it lies."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from staged_programs import NARROWER, assert_staged, staged

from shlo_tools.dtypes import ELEMENT_TYPES

_LAYOUT = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"
_FUNCTION = "shlo_rt_window_matrix_"
Shape = tuple[int, ...]


def _type(shape: Shape, element: str) -> str:
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


def _program(shapes: tuple[Shape, Shape, Shape], element: str, attributes: str, tail: str) -> str:
    """A convolution, and what ``tail`` makes of %0, which is %r."""
    x, w, result = (_type(shape, element) for shape in shapes)
    layout = _LAYOUT
    if len(shapes[0]) == 3:
        layout = layout.replace(" 1,", "")
    groups = "" if "feature_group" in attributes else ", feature_group_count = 1 : i64"
    tail = tail.replace("TYPE", result) or f"%r = stablehlo.negate %0 : {result}"
    return f"""
    func.func @main(%x: {x}, %w: {w}) -> {result} {{
      %0 = "stablehlo.convolution"(%x, %w) {{dimension_numbers = #stablehlo.conv<{layout}>,
        batch_group_count = 1 : i64{groups}{attributes}}} : ({x}, {w}) -> {result}
      {tail}
      return %r : {result}
    }}"""


_PADDING = ", padding = dense<1> : tensor<2x2xi64>"
_STRIDED = ", padding = dense<1> : tensor<2x2xi64>, window_strides = array<i64: 2, 2>"
_APART = ", padding = dense<2> : tensor<2x2xi64>, rhs_dilation = array<i64: 2, 2>"
_SUMS = """
    %b = stablehlo.constant dense<2.0> : TYPE
    %s = stablehlo.add %0, %b : TYPE
    %r = stablehlo.maximum %s, %b : TYPE"""
# Shapes of image, kernel and result, attributes; what is made of the result.
_CASES: dict[str, tuple[Shape, Shape, Shape, str, str]] = {
    "one window": ((1, 1, 1, 128), (3, 3, 128, 260), (1, 1, 1, 260), _PADDING, ""),
    "a tile": ((1, 3, 3, 128), (3, 3, 128, 256), (1, 3, 3, 256), _PADDING, ""),
    "images": ((2, 4, 5, 64), (3, 3, 64, 512), (2, 4, 5, 512), _PADDING, ""),
    "with rows": ((1, 4, 7, 64), (3, 3, 64, 512), (1, 4, 7, 512), _PADDING, _SUMS),
    "strided": ((1, 9, 7, 64), (3, 3, 64, 512), (1, 5, 4, 512), _STRIDED, _SUMS),
    "windows apart": ((1, 6, 5, 64), (3, 3, 64, 480), (1, 6, 5, 480), _APART, ""),
    "one dimension": (
        *((2, 9, 128), (4, 128, 544), (2, 8, 544)),
        ", padding = dense<1> : tensor<1x2xi64>",
        "",
    ),
    "grouped": (
        *((1, 4, 4, 128), (3, 3, 64, 512), (1, 4, 4, 512)),
        _PADDING + ", feature_group_count = 2 : i64",
        "",
    ),
}


@pytest.mark.parametrize("element", ["f32", "f64", "bf16", "f16", "i32", "complex<f32>"])
@pytest.mark.parametrize("name", _CASES)
def test_few_windows(name: str, element: str) -> None:
    *shapes, attributes, tail = _CASES[name]
    if element.startswith("complex") or element == "i32":
        tail = ""
    x, w = (
        np.random.default_rng(k).integers(-1, 2, shape).astype(ELEMENT_TYPES[element].dtype)
        for k, shape in enumerate(shapes[:2])
    )
    text = _program((shapes[0], shapes[1], shapes[2]), element, attributes, tail)
    assert_staged(text, x, w)
    if element == "f32":
        rows = staged(text).profile(x, w, calls=1).rows
        assert any(_FUNCTION in job.function for row in rows for job in row.jobs)


@pytest.mark.parametrize("size", [1, 3, 5])
def test_constant_kernels_are_packed_once_and_the_same_bits(size: int) -> None:
    random = np.random.default_rng(0)
    shapes = (1, size, size, 128), (3, 3, 128, 288), (1, size, size, 288)
    x, w = (random.standard_normal(shape).astype(np.float32) for shape in shapes[:2])
    text = _program(shapes, "f32", _PADDING, "")
    argument, type = f", %w: {_type(shapes[1], 'f32')}", _type(shapes[1], "f32")
    body = f'{{\n%w = stablehlo.constant dense<"0x{w.tobytes().hex()}"> : {type}\n'
    constant = staged(text.replace(argument, "").replace("{", body, 1))
    np.testing.assert_array_equal(constant(x), staged(text)(x, w))
    jobs = [job.function for row in constant.profile(x, calls=1).rows for job in row.jobs]
    assert any(_FUNCTION in function for function in jobs)
    assert not any("_pack_" in function for function in jobs)
    assert constant.memory is not None
    assert (constant.memory.kept > 0) == (size > 1)  # one row reads the kernel where it lies


@pytest.mark.parametrize("target", NARROWER)
def test_narrower_registers(target: str) -> None:
    """The same for processors that this one is not."""
    command = [sys.executable, "-m", "pytest", "-q", "-k", "test_few_windows and f32", __file__]
    variables = {**os.environ, "SHLO_TARGET": target}
    done = subprocess.run(command, capture_output=True, text=True, env=variables)
    assert done.returncode == 0, done.stdout[-3000:]
