"""Every kernel that runs long hears of a time limit."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools.errors import ExecutionTimeout

LIMIT = 0.05
PATIENCE = 2.0  # of processor time: others may be using it, too

BINARY = """({{
^bb0(%a: tensor<{0}>, %b: tensor<{0}>):
  %c = stablehlo.{1} %a, %b : {2}
  stablehlo.return %c : tensor<{3}>
}})"""
ADD = BINARY.format("f32", "add", "tensor<f32>", "f32")
LESS = BINARY.format("f32", "compare LT,", "(tensor<f32>, tensor<f32>) -> tensor<i1>", "i1")


def product(element: str, size: int, contracting: str = "[1] x [0]") -> str:
    matrix = f"tensor<{size}x{size}x{element}>"
    return f"""
    func.func @main(%x: {matrix}) -> {matrix} {{
      %0 = stablehlo.dot_general %x, %x, contracting_dims = {contracting}
        : ({matrix}, {matrix}) -> {matrix}
      return %0 : {matrix}
    }}"""


def applied(op: str, operands: str, result: str, branch: str = "%x") -> str:
    types = operands.split("; ")
    names = branch.split(", ")
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types, strict=True))
    return f"""
    func.func @main({arguments}) -> {result} {{
      %0 = {op} : ({", ".join(types)}) -> {result}
      return %0 : {result}
    }}"""


N = 10_000_000
VECTOR, INDICES = f"tensor<{N}xf32>", f"tensor<{N}x1xi32>"
REPEATED = "\n".join(f"%{n + 1} = stablehlo.tan %{n} : {VECTOR}" for n in range(30))
PROGRAMS = {
    "f32 product": product("f32", 6000),
    "f64 product": product("f64", 4000, "[0] x [1]"),
    "i32 product": product("i32", 3000),
    "i64 product": product("i64", 2000, "[1] x [1]"),
    "complex product": product("complex<f32>", 2500),
    "chain": f"func.func @main(%0: {VECTOR}) -> {VECTOR} {{ {REPEATED}\nreturn %30 : {VECTOR} }}",
    "sort": applied(f'"stablehlo.sort"(%x) {LESS}', f"tensor<{4 * N}xf32>", f"tensor<{4 * N}xf32>"),
    "window": applied(
        f'"stablehlo.reduce_window"(%x, %z) {ADD} {{window_dimensions = array<i64: 100, 100>}}',
        "tensor<4000x4000xf32>; tensor<f32>",
        "tensor<3901x3901xf32>",
        "%x, %z",
    ),
    "convolution": applied(
        "stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
        "window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}",
        "tensor<1x1000x1000x32xf32>; tensor<9x9x32x32xf32>",
        "tensor<1x992x992x32xf32>",
        "%x, %w",
    ),
    "scatter": applied(
        f'"stablehlo.scatter"(%x, %i, %u) {ADD} '
        "{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], "
        "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}",
        f"tensor<{8 * N}xf32>; tensor<{10 * N}x1xi32>; tensor<{10 * N}xf32>",
        f"tensor<{8 * N}xf32>",
        "%x, %i, %u",
    ),
    "Fourier transform": applied(
        "stablehlo.fft %x, type = FFT, length = [100003]",
        "tensor<40x100003xcomplex<f64>>",
        "tensor<40x100003xcomplex<f64>>",
    ),
    "triangular systems": applied(
        '"stablehlo.triangular_solve"(%x, %y) {left_side = true, lower = true, '
        "unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}",
        "tensor<3000x3000xf64>; tensor<3000x3000xf64>",
        "tensor<3000x3000xf64>",
        "%x, %y",
    ),
}


def arguments(executable: Any) -> list[Any]:
    random = np.random.default_rng(0)
    return [
        (random.random(type.static_shape, np.float32) * 10).astype(type.element_type.dtype)
        for type in executable.signature.inputs
    ]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_long_kernel_is_stopped(name: str) -> None:
    executable = shlo_tools.compile(PROGRAMS[name])
    inputs = arguments(executable)
    start = time.process_time()
    with pytest.raises(ExecutionTimeout):
        executable(*inputs, timeout=LIMIT)
    assert time.process_time() - start < PATIENCE


@pytest.mark.parametrize("element", ["f32", "f64", "i32", "ui8"])
@pytest.mark.parametrize("contracting", ["[1] x [0]", "[0] x [0]", "[1] x [1]", "[0] x [1]"])
def test_products_of_several_blocks_are_whole(element: str, contracting: str) -> None:
    executable = shlo_tools.compile(product(element, 1100, contracting))
    x = np.random.default_rng(0).integers(0, 7, (1100, 1100))
    x = x.astype(executable.signature.inputs[0].element_type.dtype)
    left = x if contracting.startswith("[1]") else x.T
    right = x if contracting.endswith("[0]") else x.T
    wide = left.astype(np.float64) @ right.astype(np.float64)  # exact
    expected = wide.astype(np.int64).astype(x.dtype)
    np.testing.assert_array_equal(executable(x), expected)


def test_loops_in_chunks_compute_the_same() -> None:
    text = applied(f'"stablehlo.sort"(%x) {LESS}', "tensor<3000000xf32>", "tensor<3000000xf32>")
    x = np.random.default_rng(0).random(3_000_000, np.float32)
    np.testing.assert_array_equal(shlo_tools.compile(text)(x), np.sort(x))
