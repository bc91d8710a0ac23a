"""Objects compute what numpy does, in C programs that have nothing of Python."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from c_programs import build, needs_a_compiler
from row_loop_programs import recurrence

from shlo_tools.dtypes import Array

pytestmark = needs_a_compiler

RNG = np.random.default_rng(7)
W = RNG.standard_normal((65, 40)).astype(np.float32)
X = RNG.standard_normal((33, 65)).astype(np.float32)

# Rows of a matrix, a matrix that is a constant of 10 kB, a reduction.
LAYER = f"""func.func @main(%x: tensor<33x65xf32>) -> (tensor<33x40xf32>, tensor<33xf32>) {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %w = stablehlo.constant dense<"0x{W.tobytes().hex()}"> : tensor<65x40xf32>
  %0 = stablehlo.tanh %x : tensor<33x65xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0]
    : (tensor<33x65xf32>, tensor<65x40xf32>) -> tensor<33x40xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.maximum across dimensions = [1]
    : (tensor<33x40xf32>, tensor<f32>) -> tensor<33xf32>
  return %1, %2 : tensor<33x40xf32>, tensor<33xf32>
}}"""


@pytest.mark.parametrize("standalone", [True, False])
def test_a_layer_with_a_constant(tmp_path: Path, standalone: bool) -> None:
    """With one thread, several, and without a context, in one call and in many."""
    program = build(tmp_path, LAYER, standalone=standalone)
    expected = np.tanh(X.astype(np.float64)) @ W.astype(np.float64)
    for threads, calls in ((1, 1), (3, 200), (-1, 2), (0, 2)):
        product, largest = program.run(X, threads=threads, calls=calls)
        np.testing.assert_allclose(product, expected, rtol=2e-4, atol=2e-5)
        np.testing.assert_array_equal(largest, product.max(axis=1))


@pytest.mark.parametrize(
    "options",
    [["-no-pie"], ["-pie", "-fPIE"], ["-static"], ["-Wl,-z,text", "-Wl,--fatal-warnings"]],
)
def test_linkers_put_the_code_anywhere(tmp_path: Path, options: list[str]) -> None:
    """No relocation is left in code: hardened systems refuse such executables."""
    largest = build(tmp_path, LAYER, *options).run(X)[1]
    np.testing.assert_allclose(largest, (np.tanh(X) @ W).max(axis=1), rtol=2e-4)


def test_the_same_bits_for_any_number_of_threads(tmp_path: Path) -> None:
    program = build(tmp_path, LAYER)
    first, second = (program.run(X, threads=threads)[0] for threads in (1, 3))
    np.testing.assert_array_equal(first, second)


def test_blocks_of_rows_run_at_once(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    state = rng.standard_normal((16, 128)).astype(np.float32)
    weight = (rng.standard_normal((128, 128)) / 11).astype(np.float32)
    program = build(tmp_path, recurrence())
    expected = state.astype(np.float64)
    for _ in range(9):
        expected = np.tanh(expected @ weight)
    for threads in (-1, 1, 2, 3):
        (result,) = program.run(state, weight, np.array(9, np.int32), threads=threads, calls=3)
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


def test_convolutions_on_lines_and_their_gradients(tmp_path: Path) -> None:
    """Functions that others call by their addresses, and sums of parts."""
    text = """func.func @main(%x: tensor<2x32x34x3xf32>, %w: tensor<3x3x3x16xf32>)
        -> (tensor<2x30x32x16xf32>, tensor<3x3x3x16xf32>) {
      %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
        window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<2x32x34x3xf32>, tensor<3x3x3x16xf32>) -> tensor<2x30x32x16xf32>
      %1 = stablehlo.convolution(%x, %0) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f],
        window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<2x32x34x3xf32>, tensor<2x30x32x16xf32>) -> tensor<3x3x3x16xf32>
      return %0, %1 : tensor<2x30x32x16xf32>, tensor<3x3x3x16xf32>
    }"""
    x = RNG.integers(-2, 3, (2, 32, 34, 3)).astype(np.float32)
    w = RNG.integers(-2, 3, (3, 3, 3, 16)).astype(np.float32)
    program = build(tmp_path, text, "-pie", "-fPIE")
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(1, 2))
    product = np.einsum("byxcij,ijco->byxo", windows, w)
    gradient = np.einsum("byxcij,byxo->ijco", windows, product)
    for threads in (1, 3):
        result, sums = program.run(x, w, threads=threads)
        np.testing.assert_array_equal(result, product)
        np.testing.assert_array_equal(sums, gradient)


def test_convolutions_on_planes(tmp_path: Path) -> None:
    """Lanes are windows, and rows are channels of the result."""
    text = """func.func @main(%x: tensor<2x3x32x34xf32>, %w: tensor<5x3x3x3xf32>)
        -> tensor<2x5x15x16xf32> {
      %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
        window = {stride = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<2x3x32x34xf32>, tensor<5x3x3x3xf32>) -> tensor<2x5x15x16xf32>
      return %0 : tensor<2x5x15x16xf32>
    }"""
    x = RNG.integers(-2, 3, (2, 3, 32, 34)).astype(np.float32)
    w = RNG.integers(-2, 3, (5, 3, 3, 3)).astype(np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3))[:, :, ::2, ::2]
    program = build(tmp_path, text, "-pie", "-fPIE")
    for threads in (1, 3):
        (result,) = program.run(x, w, threads=threads)
        np.testing.assert_array_equal(result, np.einsum("bcyxij,ocij->boyx", windows, w))


# --- element types --------------------------------------------------------------------------------
def _numbers(dtype: str) -> Array:
    if dtype == "bool":
        return RNG.integers(0, 2, (5, 7)).astype(bool)
    if np.dtype(dtype).kind in "iu":
        return RNG.integers(0, 100, (5, 7)).astype(dtype)
    if np.dtype(dtype).kind == "c":
        return (RNG.standard_normal((5, 7)) + 1j * RNG.standard_normal((5, 7))).astype(dtype)
    return RNG.standard_normal((5, 7)).astype(dtype)


@pytest.mark.parametrize(
    ("type", "dtype"),
    [
        ("f64", "float64"),
        ("f16", "float16"),
        ("i8", "int8"),
        ("i64", "int64"),
        ("ui16", "uint16"),
        ("ui32", "uint32"),
        ("complex<f32>", "complex64"),
        ("i1", "bool"),
    ],
)
def test_element_types(tmp_path: Path, type: str, dtype: str) -> None:
    """A sum of two, which for booleans is ``or``, transposed."""
    source = f"""
    func.func @main(%x: tensor<5x7x{type}>, %y: tensor<5x7x{type}>) -> tensor<7x5x{type}> {{
      %0 = stablehlo.add %x, %y : tensor<5x7x{type}>
      %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<5x7x{type}>) -> tensor<7x5x{type}>
      return %1 : tensor<7x5x{type}>
    }}"""
    x, y = _numbers(dtype), _numbers(dtype)
    (total,) = build(tmp_path, source).run(x, y)
    np.testing.assert_array_equal(total, (x + y).T)


def test_products_of_bytes(tmp_path: Path) -> None:
    """By what all processors of the level have, though this one may have more."""
    text = """func.func @main(%a: tensor<21x64xi8>, %b: tensor<43x64xi8>) -> tensor<21x43xi32> {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1]
        : (tensor<21x64xi8>, tensor<43x64xi8>) -> tensor<21x43xi32>
      return %0 : tensor<21x43xi32>
    }"""
    a, b = (RNG.integers(-128, 128, (rows, 64)).astype(np.int8) for rows in (21, 43))
    (result,) = build(tmp_path, text).run(a, b)
    np.testing.assert_array_equal(result, a.astype(np.int32) @ b.astype(np.int32).T)


def test_bf16_is_the_upper_half_of_a_float(tmp_path: Path) -> None:
    source = """func.func @main(%x: tensor<9xbf16>) -> tensor<9xbf16> {
      %0 = stablehlo.multiply %x, %x : tensor<9xbf16>
      return %0 : tensor<9xbf16>
    }"""
    x = RNG.standard_normal(9).astype(ml_dtypes.bfloat16)
    (square,) = build(tmp_path, source).run(x)
    np.testing.assert_array_equal(square.view(np.uint16), (x * x).view(np.uint16))


# --- control flow and places of results -----------------------------------------------------------
CONTROL = """func.func @main(%n: tensor<i32>, %x: tensor<6xf64>) -> (tensor<6xf64>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<6xf64>
  cond {
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %half = stablehlo.remainder %i, %two : tensor<i32>
    %w = "stablehlo.case"(%half) ({
      %a = stablehlo.add %v, %v : tensor<6xf64>
      stablehlo.return %a : tensor<6xf64>
    }, {
      %b = stablehlo.reverse %v, dims = [0] : tensor<6xf64>
      stablehlo.return %b : tensor<6xf64>
    }) : (tensor<i32>) -> tensor<6xf64>
    stablehlo.return %next, %w : tensor<i32>, tensor<6xf64>
  }
  %even = stablehlo.compare GT, %n, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %s = "stablehlo.if"(%even) ({
    %c = stablehlo.negate %r#1 : tensor<6xf64>
    stablehlo.return %c : tensor<6xf64>
  }, {
    stablehlo.return %x : tensor<6xf64>
  }) : (tensor<i1>) -> tensor<6xf64>
  return %s, %r#0 : tensor<6xf64>, tensor<i32>
}"""


@pytest.mark.parametrize("n", [0, 1, 3, 6])
def test_loops_and_branches(tmp_path: Path, n: int) -> None:
    """Steps double and turn round by turns; an ``if`` takes that for more than two steps alone."""
    x = RNG.standard_normal(6)
    expected = x.copy()
    for i in range(n):
        expected = expected[::-1] if i % 2 else expected * 2
    value, count = build(tmp_path, CONTROL).run(np.array(n, np.int32), x, calls=3)
    np.testing.assert_array_equal(value, -expected if n > 2 else x)
    assert count == n


def test_results_that_are_arguments_constants_or_each_other(tmp_path: Path) -> None:
    source = f"""func.func @main(%x: tensor<33xf32>)
        -> (tensor<33xf32>, tensor<65x40xf32>, tensor<33xf32>, tensor<33xf32>, tensor<2xi32>) {{
      %w = stablehlo.constant dense<"0x{W.tobytes().hex()}"> : tensor<65x40xf32>
      %two = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
      %0 = stablehlo.add %x, %x : tensor<33xf32>
      return %x, %w, %0, %0, %two
        : tensor<33xf32>, tensor<65x40xf32>, tensor<33xf32>, tensor<33xf32>, tensor<2xi32>
    }}"""
    x = X[:, 0].copy()
    results = build(tmp_path, source).run(x)
    for result, expected in zip(results, (x, W, x + x, x + x, [1, 2]), strict=True):
        np.testing.assert_array_equal(result, expected)


def test_programs_of_nothing(tmp_path: Path) -> None:
    """No argument; an array without elements, whose address nobody reads."""
    source = """func.func @main() -> (tensor<0x3xf32>, tensor<f32>) {
      %0 = stablehlo.constant dense<1.5> : tensor<f32>
      %1 = stablehlo.constant dense<> : tensor<0x3xf32>
      return %1, %0 : tensor<0x3xf32>, tensor<f32>
    }"""
    empty, number = build(tmp_path, source.replace("dense<>", "dense<0.0>")).run()
    assert empty.size == 0 and number == 1.5
