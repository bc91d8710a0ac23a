"""Programs of tiny tensors are one stage, whose loops can be stopped."""

from __future__ import annotations

import time

import numpy as np
import pytest
from staged_programs import assert_staged

from shlo_tools import compile, interpret
from shlo_tools.cpu.stages.executable import StagedExecutable
from shlo_tools.dtypes import element_type
from shlo_tools.errors import ExecutionTimeout

COUNT = """
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<3xf32>
  cond {
    %go = stablehlo.compare NE, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    BODY
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %z : tensor<i32>, tensor<3xf32>
  }"""
SHIFT = """
    %a = stablehlo.slice %y [1:3] : (tensor<3xf32>) -> tensor<2xf32>
    %b = stablehlo.slice %y [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %z = stablehlo.concatenate %a, %b, dim = 0
      : (tensor<2xf32>, tensor<1xf32>) -> tensor<3xf32>"""
NESTED = """
    %k:2 = stablehlo.while(%j = %zero, %v = %y) : tensor<i32>, tensor<3xf32>
    cond {
      %more = stablehlo.compare NE, %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %w = stablehlo.negate %v : tensor<3xf32>
      %f = stablehlo.add %j, %one : tensor<i32>
      stablehlo.return %f, %w : tensor<i32>, tensor<3xf32>
    }
    %z = stablehlo.negate %k#1 : tensor<3xf32>"""


def counted(body: str) -> str:
    loop = COUNT.replace("BODY", body)
    return f"""func.func @main(%x: tensor<3xf32>, %n: tensor<i32>) -> tensor<3xf32> {{
      {loop}
      return %r#1 : tensor<3xf32>
    }}"""


def stages(text: str) -> tuple[str, ...]:
    executable = compile(text)
    assert isinstance(executable, StagedExecutable)
    assert not executable.plain
    return executable.stages


@pytest.mark.parametrize("body", [SHIFT, NESTED])
def test_a_loop_is_one_stage(body: str) -> None:
    assert len(stages(counted(body))) == 1
    for count in (0, 1, 4):
        assert_staged(counted(body), np.float32([1, 2, 3]), np.int32(count))


@pytest.mark.parametrize("body", [SHIFT, NESTED])
def test_an_endless_loop_is_stopped(body: str) -> None:
    executable = compile(counted(body))
    x = np.float32([1, 2, 3])
    start = time.perf_counter()
    with pytest.raises(ExecutionTimeout):
        executable(x, np.int32(-1), timeout=0.2)
    assert time.perf_counter() - start < 5
    np.testing.assert_array_equal(executable(x, np.int32(2)), interpret(counted(body), x, 2))


def test_a_million_iterations() -> None:
    text = counted("%z = stablehlo.add %y, %y : tensor<3xf32>").replace("add %y", "multiply %y")
    result = compile(text)(np.ones(3, np.float32), np.int32(1_000_000))
    np.testing.assert_array_equal(result, 1)


def test_places_out_of_bounds_are_moved_inside() -> None:
    text = """
    func.func @main(%x: tensor<4x3xf32>, %big: tensor<100x5xf32>, %i: tensor<i32>, %j: tensor<ui8>)
        -> (tensor<2x2xf32>, tensor<4x3xf32>, tensor<1x3xf32>) {
      %y = stablehlo.negate %x : tensor<4x3xf32>
      %0 = stablehlo.dynamic_slice %y, %i, %i, sizes = [2, 2]
        : (tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
      %k = stablehlo.convert %j : (tensor<ui8>) -> tensor<i32>
      %1 = stablehlo.dynamic_update_slice %y, %0, %i, %k
        : (tensor<4x3xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
      %2 = stablehlo.dynamic_slice %big, %i, %k, sizes = [1, 3]
        : (tensor<100x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
      %3 = stablehlo.multiply %2, %2 : tensor<1x3xf32>
      %4 = stablehlo.add %1, %1 : tensor<4x3xf32>
      return %0, %4, %3 : tensor<2x2xf32>, tensor<4x3xf32>, tensor<1x3xf32>
    }"""
    assert len(stages(text)) == 1
    x, big = np.arange(12).reshape(4, 3), np.arange(500).reshape(100, 5)
    for i, j in ((0, 0), (-7, 255), (1, 1), (99, 2), (2**31 - 1, 3), (-(2**31), 200)):
        assert_staged(text, np.float32(x), np.float32(big), np.int32(i), np.uint8(j))


def test_a_large_tensor_is_cut() -> None:
    text = """
    func.func @main(%x: tensor<40x50xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>) {
      %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<40x50xf32>) -> tensor<50x40xf32>
      %r = stablehlo.reverse %t, dims = [1] : tensor<50x40xf32>
      %c = stablehlo.slice %r [7:8, 1:40:13] : (tensor<50x40xf32>) -> tensor<1x3xf32>
      %v = stablehlo.reshape %c : (tensor<1x3xf32>) -> tensor<3xf32>
      %0 = stablehlo.multiply %v, %y : tensor<3xf32>
      %1 = stablehlo.dot_general %0, %y, contracting_dims = [0] x [0]
        : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
      return %0, %1 : tensor<3xf32>, tensor<f32>
    }"""
    assert len(stages(text)) == 1
    assert_staged(text, np.arange(2000, dtype=np.float32).reshape(40, 50), np.float32([1, 2, 3]))


@pytest.mark.parametrize(
    "element", ["f32", "f64", "f16", "bf16", "i8", "ui16", "i1", "f8E4M3FN", "complex<f32>"]
)
def test_columns_of_a_large_tensor_are_read_where_they_lie(element: str) -> None:
    """Elements far from each other, the very last one among them, and blocks of two columns."""
    type, column, block = (f"tensor<{shape}x{element}>" for shape in ("25x7", "25x1", "16x2"))
    text = f"""
    func.func @main(%x: {type}) -> ({column}, {column}, {block}) {{
      %a = stablehlo.slice %x [0:25, 0:1] : ({type}) -> {column}
      %b = stablehlo.slice %x [0:25, 6:7] : ({type}) -> {column}
      %c = stablehlo.slice %x [3:19, 2:4] : ({type}) -> {block}
      %d = stablehlo.slice %x [9:25, 5:7] : ({type}) -> {block}
      %0 = stablehlo.add %a, %b : {column}
      %1 = stablehlo.multiply %0, %b : {column}
      %2 = stablehlo.add %c, %d : {block}
      return %0, %1, %2 : {column}, {column}, {block}
    }}"""
    assert len(stages(text)) == 1
    numbers = np.random.default_rng(0).integers(0, 9, (25, 7)) / 4
    assert_staged(text, numbers.astype(element_type(element).dtype))


def test_a_cut_keeps_its_dimensions() -> None:
    text = """
    func.func @main(%x: tensor<4x4x5xf32>) -> tensor<5xf32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.slice %x [1:2, 0:4, 0:5] : (tensor<4x4x5xf32>) -> tensor<1x4x5xf32>
      %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0, 1]
        : (tensor<1x4x5xf32>, tensor<f32>) -> tensor<5xf32>
      %2 = stablehlo.reverse %1, dims = [0] : tensor<5xf32>
      %3 = stablehlo.multiply %2, %1 : tensor<5xf32>
      return %3 : tensor<5xf32>
    }"""
    assert len(stages(text)) == 1
    assert_staged(text, np.arange(80, dtype=np.float32).reshape(4, 4, 5))


def test_what_large_stages_compute_stays_there() -> None:
    text = """
    func.func @main(%x: tensor<8x1000xf32>) -> tensor<8x1000xf32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
        : (tensor<8x1000xf32>, tensor<f32>) -> tensor<8xf32>
      %q = stablehlo.multiply %s, %s : tensor<8xf32>
      %b = stablehlo.broadcast_in_dim %q, dims = [0] : (tensor<8xf32>) -> tensor<8x1000xf32>
      %0 = stablehlo.subtract %x, %b : tensor<8x1000xf32>
      return %0 : tensor<8x1000xf32>
    }"""
    assert len(stages(text)) == 1


def test_argmax_names_the_first_of_equal_elements() -> None:
    text = """
    func.func @main(%x: tensor<3x7xf32>) -> (tensor<3xf32>, tensor<3xi32>) {
      %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %n = stablehlo.iota dim = 1 : tensor<3x7xi32>
      %y = stablehlo.negate %x : tensor<3x7xf32>
      %0:2 = stablehlo.reduce(%y init: %low), (%n init: %zero) across dimensions = [1]
        : (tensor<3x7xf32>, tensor<3x7xi32>, tensor<f32>, tensor<i32>)
        -> (tensor<3xf32>, tensor<3xi32>)
        reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
          %gt = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %lt = stablehlo.compare LT, %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
          %tie = stablehlo.and %eq, %lt : tensor<i1>
          %first = stablehlo.or %gt, %tie : tensor<i1>
          %v = stablehlo.select %first, %a, %b : tensor<i1>, tensor<f32>
          %k = stablehlo.select %first, %i, %j : tensor<i1>, tensor<i32>
          stablehlo.return %v, %k : tensor<f32>, tensor<i32>
        }
      %1 = stablehlo.add %0#1, %0#1 : tensor<3xi32>
      %2 = stablehlo.negate %0#0 : tensor<3xf32>
      return %2, %1 : tensor<3xf32>, tensor<3xi32>
    }"""
    rng = np.random.default_rng(1)
    for _ in range(5):
        assert_staged(text, rng.integers(0, 3, (3, 7)).astype(np.float32))
