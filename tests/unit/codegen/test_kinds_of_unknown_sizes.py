"""Element types, numbered reductions and views of products, of sizes that run time tells."""

from __future__ import annotations

import numpy as np
import pytest
from unknown_sizes import SHAPE, SIZES

from shlo_tools import compile, interpret
from shlo_tools.cpu.stages.sized import SizedExecutable
from shlo_tools.dtypes import ELEMENT_TYPES
from shlo_tools.errors import ShapeMismatchError


@pytest.mark.parametrize("name", ["f64", "i32", "i8", "ui16", "bf16", "complex<f32>", "i1"])
def test_elements_are_moved_and_computed_with(name: str) -> None:
    """Parts behind each other along a dimension of unknown size, doubled and transposed."""
    double = "or" if name == "i1" else "add"
    matrix = f"tensor<?x?x{name}>"
    executable = compile(f"""func.func @main(%x: {matrix}, %y: {matrix}) -> ({matrix}, {matrix}) {{
      %0 = stablehlo.concatenate %x, %y, dim = 0 : ({matrix}, {matrix}) -> {matrix}
      %1 = stablehlo.{double} %0, %0 : {matrix}
      %2 = stablehlo.transpose %0, dims = [1, 0] : ({matrix}) -> {matrix}
      return %1, %2 : {matrix}, {matrix}
    }}""")
    assert isinstance(executable, SizedExecutable)
    draw = np.random.default_rng(0)
    dtype = ELEMENT_TYPES[name].dtype
    for rows, columns, others in ((0, 3, 2), (3, 5, 0), (7, 33, 2), (65, 31, 40), (2, 0, 3)):
        x, y = (draw.integers(0, 50, (k, columns)).astype(dtype) for k in (rows, others))
        joined = np.concatenate([x, y])
        doubled, turned = executable(x, y)
        np.testing.assert_array_equal(doubled, joined | joined if name == "i1" else joined + joined)
        np.testing.assert_array_equal(turned, joined.T)
    with pytest.raises(ShapeMismatchError):
        executable(x[:, :1].reshape(2, 0), np.zeros((2, 1), dtype))


def test_the_place_of_the_largest() -> None:
    text = f"""func.func @main(%x: tensor<?x?xf32>) -> tensor<?xi32> {{
      {SHAPE}
      %i = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi32>) -> tensor<?x?xi32>
      %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %0:2 = stablehlo.reduce(%x init: %low), (%i init: %zero) across dimensions = [1]
        : (tensor<?x?xf32>, tensor<?x?xi32>, tensor<f32>, tensor<i32>)
        -> (tensor<?xf32>, tensor<?xi32>)
       reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {{
        %g = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %e = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %l = stablehlo.compare LT, %c, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %h = stablehlo.and %e, %l : tensor<i1>
        %p = stablehlo.or %g, %h : tensor<i1>
        %v = stablehlo.select %g, %a, %b : tensor<i1>, tensor<f32>
        %w = stablehlo.select %p, %c, %d : tensor<i1>, tensor<i32>
        stablehlo.return %v, %w : tensor<f32>, tensor<i32>
      }}
      return %0#1 : tensor<?xi32>
    }}"""
    executable = compile(text)
    assert isinstance(executable, SizedExecutable)
    draw = np.random.default_rng(0)
    for n, m in ((3, 5), (1, 1), (33, 65), (0, 4), (70, 200)):
        x = np.round(2 * draw.normal(size=(n, m))).astype(np.float32)
        np.testing.assert_array_equal(executable(x), x.argmax(axis=1))


def test_views_of_unknown_sizes_are_multiplied() -> None:
    """Heads are moved behind the sequence and become columns of one matrix."""
    text = """func.func @main(%x: tensor<?x4x?xf32>, %w: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4x?xf32>) -> tensor<i32>
      %m = stablehlo.get_dimension_size %x, dim = 2 : (tensor<?x4x?xf32>) -> tensor<i32>
      %four = stablehlo.constant dense<4> : tensor<i32>
      %m4 = stablehlo.multiply %m, %four : tensor<i32>
      %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %m1 = stablehlo.reshape %m4 : (tensor<i32>) -> tensor<1xi32>
      %s = stablehlo.concatenate %n1, %m1, dim = 0
        : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %t = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<?x4x?xf32>) -> tensor<?x?x4xf32>
      %0 = stablehlo.dynamic_reshape %t, %s : (tensor<?x?x4xf32>, tensor<2xi32>) -> tensor<?x?xf32>
      %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0]
        : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
      return %1 : tensor<?x?xf32>
    }"""
    executable = compile(text)
    assert isinstance(executable, SizedExecutable)
    draw = np.random.default_rng(0)
    for n in SIZES:
        for m, k in ((1, 1), (5, 2), (16, 65), (0, 3), (3, 0)):
            x = draw.integers(-3, 4, (n, 4, m)).astype(np.float32)
            w = draw.integers(-3, 4, (4 * m, k)).astype(np.float32)
            np.testing.assert_array_equal(executable(x, w), interpret(text, x, w))
    with pytest.raises(ShapeMismatchError):
        executable(x, np.zeros((11, 2), np.float32))
