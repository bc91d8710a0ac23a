"""Programs of unknown sizes through kernels that are told sizes by their contexts."""

from __future__ import annotations

import random
import threading
from functools import partial
from typing import Any

import numpy as np
import pytest
from guarded import closed_block, guarded, guarded_block, spread
from unknown_sizes import SHAPE, SIZES, arguments, program

from shlo_tools import compile, interpret
from shlo_tools.cpu import memory
from shlo_tools.cpu.stages import places
from shlo_tools.cpu.stages.sized import SizedExecutable
from shlo_tools.errors import ShapeMismatchError

SOFTMAX = f"""func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  {SHAPE}
  %e = stablehlo.exponential %x : tensor<?x?xf32>
  %r = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  %b = stablehlo.dynamic_broadcast_in_dim %r, %s, dims = [0]
    : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %0 = stablehlo.divide %e, %b : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}}"""


def compiled(text: str) -> SizedExecutable:
    """A program whose every stage has a kernel."""
    executable = compile(text)
    assert isinstance(executable, SizedExecutable), text
    assert not executable.late, text
    return executable


@pytest.mark.parametrize("seed", range(16))
def test_random_programs_for_one_set_of_sizes_after_another(seed: int) -> None:
    draw = random.Random(seed)
    text = program(seed, draw.randrange(6, 18))
    executable = compiled(text)
    for _ in range(5):
        n, m = draw.choice(SIZES), draw.choice(SIZES)
        inputs = arguments(n, m, seed)
        expected = _listed(interpret(text, *inputs))
        for result, target in zip(_listed(executable(*inputs)), expected, strict=True):
            np.testing.assert_allclose(result, target, rtol=1e-4, atol=1e-4, err_msg=text)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("at_end", [False, True])
def test_nothing_is_touched_outside(seed: int, at_end: bool) -> None:
    draw = random.Random(100 + seed)
    executable = compiled(program(100 + seed, draw.randrange(6, 18)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(places.memory_plan, "plan", spread)
        block = partial(guarded_block, at_end=False)
        patch.setattr(memory, "block", closed_block if at_end else block)
        for _ in range(4):
            n, m = draw.choice(SIZES), draw.choice(SIZES)
            inputs = [guarded(x, at_end=at_end) for x in arguments(n, m, seed)]
            executable(*inputs)


def test_calls_with_several_sizes_overlap() -> None:
    executable = compiled(SOFTMAX)
    failures: list[Any] = []

    def call(first: int) -> None:
        for k in range(60):
            n, m = SIZES[(first + k) % 8], SIZES[(first + 3 * k) % 8]
            x = np.full((n, m), 0.5, np.float32)
            expected = np.full((n, m), 1 / m if m else 0, np.float32)
            if not np.allclose(executable(x), expected):
                failures.append((n, m))

    threads = [threading.Thread(target=call, args=(first,)) for first in (0, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_row_does_not_depend_on_the_others() -> None:
    """How many rows there are decides who computes them, not how."""
    executable = compiled(SOFTMAX)
    x = np.random.default_rng(0).normal(size=(1000, 333)).astype(np.float32)
    whole = executable(x)
    for rows in (1, 7, 500):
        np.testing.assert_array_equal(executable(x[:rows]), whole[:rows])


def test_an_operand_may_be_broadcast_or_not() -> None:
    text = f"""func.func @main(%x: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {{
      {SHAPE}
      %0 = stablehlo.dynamic_broadcast_in_dim %b, %s, dims = [1]
        : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
      %1 = stablehlo.multiply %x, %0 : tensor<?x?xf32>
      return %1 : tensor<?x?xf32>
    }}"""
    executable = compiled(text)
    x = np.arange(70 * 37, dtype=np.float32).reshape(70, 37)
    for b in (np.arange(37, dtype=np.float32), np.full(1, 3, np.float32)):
        np.testing.assert_array_equal(executable(x, b), x * b)
    with pytest.raises(ShapeMismatchError, match=r"arg1\.0|37|36"):
        executable(x, np.zeros(36, np.float32))
    np.testing.assert_array_equal(executable(x[:0], b), x[:0] * b)


def test_sizes_are_numbers_that_wrap() -> None:
    """What is computed with a size as data is computed in its type."""
    text = """func.func @main(%x: tensor<?xi8>) -> tensor<i32> {
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xi8>) -> tensor<i32>
      %0 = stablehlo.multiply %n, %n : tensor<i32>
      %1 = stablehlo.multiply %0, %n : tensor<i32>
      %two = stablehlo.constant dense<2> : tensor<i32>
      %2 = stablehlo.divide %1, %two : tensor<i32>
      return %2 : tensor<i32>
    }"""
    executable = compiled(text)
    for n in (0, 3, 2000, 70000):
        cube = np.int64(n) ** 3
        wrapped = (int(cube) + 2**31) % 2**32 - 2**31
        assert int(executable(np.zeros(n, np.int8))) == int(wrapped / 2)


def _listed(results: Any) -> list[Any]:
    return list(results) if isinstance(results, list | tuple) else [results]


CALLS = {
    "cholesky": ("?x3", "%0 = stablehlo.cholesky %x, lower = true : tensor<?x3xf32>"),
    "fft": (
        "?x4",
        """%c = stablehlo.complex %x, %x : tensor<?x4xcomplex<f32>>
      %f = stablehlo.fft %c, type = FFT, length = [4]
        : (tensor<?x4xcomplex<f32>>) -> tensor<?x4xcomplex<f32>>
      %0 = stablehlo.real %f : (tensor<?x4xcomplex<f32>>) -> tensor<?x4xf32>""",
    ),
    "a transposed product": (
        "?x5",
        """%d = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1]
        : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x?xf32>
      %t = stablehlo.transpose %d, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>
      %0 = stablehlo.dot_general %t, %x, contracting_dims = [1] x [0]
        : (tensor<?x?xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>""",
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_kernels_leave_to_others(name: str) -> None:
    shape, ops = CALLS[name]
    type = f"tensor<{shape}xf32>"
    text = f"func.func @main(%x: {type}) -> {type} {{\n{ops}\n return %0 : {type} }}"
    executable = compile(text)
    x = np.eye(3, int(shape[-1]), dtype=np.float32) + 1
    np.testing.assert_allclose(executable(x), interpret(text, x), rtol=1e-5)


def test_sizes_that_nothing_else_checks() -> None:
    """The result of bitcast_convert has other sizes by name."""
    type = "tensor<?x3xf32>"
    text = f"""func.func @main(%x: {type}) -> tensor<2x3xi32> {{
      %0 = stablehlo.bitcast_convert %x : ({type}) -> tensor<2x3xi32>
      return %0 : tensor<2x3xi32>
    }}"""
    executable = compile(text)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(executable(x), x.view(np.int32))
    with pytest.raises(ShapeMismatchError):
        executable(np.ones((3, 3), np.float32))


@pytest.mark.parametrize("sizes", [(2, 3, 1), (1, 1, 1), (0, 3, 1), (4, 7, 1)])
def test_a_convolution_of_one_feature_that_only_the_kernel_says(sizes: tuple[int, ...]) -> None:
    text = """func.func @main(%x: tensor<?x?x?xf32>, %k: tensor<1x1x5xf32>) -> tensor<?x?x5xf32> {
      %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
        window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<?x?x?xf32>, tensor<1x1x5xf32>) -> tensor<?x?x5xf32>
      return %0 : tensor<?x?x5xf32>
    }"""
    rng = np.random.default_rng(sizes)
    x, kernel = (rng.random(shape, np.float32) for shape in (sizes, (1, 1, 5)))
    expected = np.einsum("bsf,fo->bso", x, kernel[0])
    np.testing.assert_allclose(compile(text)(x, kernel), expected, rtol=1e-5)


@pytest.mark.parametrize("sizes", [(0, 0), (4, 0), (0, 2), (4, 2)])
def test_windows_of_no_elements(sizes: tuple[int, int]) -> None:
    """There are none where there is nothing that they could lie in."""
    text = """func.func @main(%x: tensor<1x?x1xf32>, %w: tensor<?x1x1xf32>, %p: tensor<1x2xi64>)
        -> tensor<1x?x1xf32> {
      %0 = "stablehlo.dynamic_conv"(%x, %w, %p) {
        dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
        batch_group_count = 1 : i64, feature_group_count = 1 : i64 }
        : (tensor<1x?x1xf32>, tensor<?x1x1xf32>, tensor<1x2xi64>) -> tensor<1x?x1xf32>
      return %0 : tensor<1x?x1xf32>
    }"""
    image, kernel = (np.ones(shape, np.float32) for shape in ((1, sizes[0], 1), (sizes[1], 1, 1)))
    result = compile(text)(image, kernel, np.zeros((1, 2), np.int64))
    count = max(sizes[0] - sizes[1] + 1, 0) if sizes[0] else 0  # the spec's num_windows
    np.testing.assert_array_equal(result, np.full((1, count, 1), sizes[1], np.float32))


def test_sums_of_no_rows_of_unknown_length() -> None:
    text = """func.func @main(%x: tensor<0x?x?xf32>) -> tensor<0x?xf32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [2]
        : (tensor<0x?x?xf32>, tensor<f32>) -> tensor<0x?xf32>
      return %0 : tensor<0x?xf32>
    }"""
    assert compile(text)(np.ones((0, 3, 2), np.float32)).shape == (0, 3)


@pytest.mark.parametrize("kernel", ["%w", "%ones"])
@pytest.mark.parametrize(
    "order", ["[f, 0, b]x[0, o, i]->[f, 0, b]", "[b, 0, f]x[0, i, o]->[b, 0, f]"]
)
def test_a_convolution_of_known_sizes_of_a_part(kernel: str, order: str) -> None:
    """Its windows reach beyond the part, whatever is known of the whole."""
    by_batch = 2 if order.startswith("[f") else 1
    w = "tensor<1x2x4xf32>" if by_batch == 2 else "tensor<1x2x3xf32>"
    x, y = ("tensor<4x2x2xf32>", "tensor<2x4x1xf32>" if by_batch == 2 else "tensor<4x4x3xf32>")
    text = f"""func.func @main(%x: tensor<5x?x?xf32>, %w: {w}) -> {y} {{
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %ones = stablehlo.constant dense<1.0> : {w}
      %0 = stablehlo.dynamic_slice %x, %zero, %zero, %zero, sizes = [4, 2, 2]
        : (tensor<5x?x?xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> {x}
      %1 = stablehlo.convolution(%0, {kernel}) dim_numbers = {order}, window = {{pad = [[2, 0]]}}
        {{batch_group_count = {by_batch} : i64, feature_group_count = 1 : i64}}
        : ({x}, {w}) -> {y}
      return %1 : {y} }}"""
    executable = compiled(text)
    draw = np.random.default_rng(0)
    shape = (1, 2, 4) if by_batch == 2 else (1, 2, 3)
    weights = draw.standard_normal(shape, np.float32)
    for sizes in ((5, 2, 2), (5, 3, 7)):
        image = draw.standard_normal(sizes, np.float32)
        expected = interpret(text, image, weights)
        np.testing.assert_allclose(executable(image, weights), expected, rtol=1e-5, atol=1e-5)
