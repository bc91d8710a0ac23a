"""Dot products and convolutions by kernels, between views, elementwise ops and reductions."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from convolution_forms import CONVOLUTIONS, Shape
from staged_programs import assert_staged

from shlo_tools import compile

BF16 = ml_dtypes.bfloat16


def typed(shape: Shape, element: str = "f32") -> str:
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


def numbers(shape: Shape, seed: int, dtype: Any = np.float32) -> np.ndarray:
    """Small whole numbers: every sum is exact, in whatever order."""
    whole = np.random.default_rng([seed, *shape]).integers(-3, 4, (2, *shape))
    return (whole[0] + 1j * whole[1] if np.dtype(dtype).kind == "c" else whole[0]).astype(dtype)


def convolution(name: str, element: str = "f32") -> tuple[str, Shape, Shape, Shape]:
    """The op of a form, its operands' shapes and its result's."""
    lhs, rhs, result, layout, more = CONVOLUTIONS[name]
    for kind in ("feature", "batch"):
        if f"{kind}_group_count" not in more:
            more += f", {kind}_group_count = 1 : i64"
    more = more.strip(", ").replace("dense<1>", "dense<[[1, 1], [1, 1]]>")
    more = more.replace("dense<2>", "dense<[[2, 2], [2, 2]]>")
    more = more.replace("dense<3>", "dense<[[3, 3], [3, 3]]>")
    rows = f"tensor<{len(lhs) - 2}x2xi64>"
    more = more.replace(">, ", f"> : {rows}, ", 1) if "padding = dense" in more else more
    types = f"({typed(lhs, element)}, {typed(rhs, element)}) -> {typed(result, element)}"
    op = f'"stablehlo.convolution"(%x, %w) {{dimension_numbers = #stablehlo.conv<{layout}>, '
    return f"{op}{more}}} : {types}", lhs, rhs, result


@pytest.mark.parametrize("element", ["f32", "i8", "f64", "bf16", "complex<f64>"])
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_a_convolution(name: str, element: str) -> None:
    op, lhs, rhs, result = convolution(name, element)
    output = typed(result, element)
    dtype = {
        "f32": np.float32,
        "f64": np.float64,
        "i8": np.int8,
        "bf16": BF16,
        "complex<f64>": np.complex128,
    }[element]
    text = f"""
    func.func @main(%x: {typed(lhs, element)}, %w: {typed(rhs, element)}) -> {output} {{
      %0 = {op}
      return %0 : {output}
    }}"""
    assert_staged(text, numbers(lhs, 1, dtype), numbers(rhs, 2, dtype))


@pytest.mark.parametrize("name", ["plain", "channels first", "one feature", "kernel gradient"])
def test_a_convolution_of_what_is_reversed(name: str) -> None:
    """As correlations of ``scipy.signal`` are: rows and elements go backwards."""
    op, lhs, rhs, result = convolution(name)
    x, w, to = typed(lhs), typed(rhs), typed(result)
    for dims in ("1", "2", "0, 1, 2, 3"):
        text = f"""
        func.func @main(%a: {x}, %b: {w}) -> {to} {{
          %x = stablehlo.reverse %a, dims = [{dims}] : {x}
          %w = stablehlo.reverse %b, dims = [{dims}] : {w}
          %0 = {op}
          return %0 : {to}
        }}"""
        assert_staged(text, numbers(lhs, 1), numbers(rhs, 2))


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_a_convolution_between_other_ops(name: str) -> None:
    """What is multiplied is computed, and what is made goes on: bias, residual, maximum, sum."""
    op, lhs, rhs, result = convolution(name)
    x, w, to = typed(lhs), typed(rhs), typed(result)
    last = len(result) - 1
    sums = typed(result[:-1])
    text = f"""
    func.func @main(%a: {x}, %w: {w}, %bias: {typed(result[-1:])}, %r: {to}) -> ({to}, {sums}) {{
      %x = stablehlo.negate %a : {x}
      %0 = {op}
      %1 = stablehlo.broadcast_in_dim %bias, dims = [{last}] : ({typed(result[-1:])}) -> {to}
      %2 = stablehlo.add %0, %1 : {to}
      %3 = stablehlo.add %2, %r : {to}
      %zero = stablehlo.constant dense<0.0> : {to}
      %4 = stablehlo.maximum %3, %zero : {to}
      %start = stablehlo.constant dense<0.0> : tensor<f32>
      %5 = stablehlo.reduce(%4 init: %start) applies stablehlo.add across dimensions = [{last}]
        : ({to}, tensor<f32>) -> {sums}
      return %4, %5 : {to}, {sums}
    }}"""
    inputs = [numbers(shape, k) for k, shape in enumerate((lhs, rhs, result[-1:], result))]
    assert_staged(text, *inputs)


# lhs, rhs, batching and contracting dimensions of lhs and rhs
DOTS: dict[str, tuple[Shape, Shape, tuple[Shape, Shape, Shape, Shape]]] = {
    "matrices": ((65, 33), (33, 31), ((), (), (1,), (0,))),
    "matrix and vector": ((65, 33), (33,), ((), (), (1,), (0,))),
    "vector and matrix": ((33,), (33, 65), ((), (), (0,), (0,))),
    "vectors": ((65,), (65,), ((), (), (0,), (0,))),
    "contracted in parts": ((3, 65, 5), (5, 7, 3), ((), (), (0, 2), (2, 0))),
    "three batches": (
        (2, 3, 2, 7, 9),
        (3, 2, 9, 2, 33),
        ((0, 1, 2), (1, 0, 3), (4,), (2,)),
    ),
    "batch at the end": ((7, 9, 33), (9, 5, 33), ((2,), (2,), (1,), (0,))),
    "all contracted": ((2, 3, 65), (65, 3, 2), ((), (), (0, 1, 2), (2, 1, 0))),
    "nothing contracted": ((3, 2), (5, 3), ((), (), (), ())),
    "long": ((3, 3000), (3000, 5), ((), (), (1,), (0,))),
    "cut": ((19, 8200), (8200, 17), ((), (), (1,), (0,))),
    "many": ((70, 3, 5), (70, 5, 2), ((0,), (0,), (2,), (1,))),
    "rows of pixels": ((65, 33), (11, 65, 3), ((), (), (0,), (1,))),
    "rows of pixels, and few rows": ((65, 2), (11, 65, 7), ((), (), (0,), (1,))),
    "rows of few pixels": ((65, 9), (2, 65, 3), ((), (), (0,), (1,))),
    "images of pixels": ((2, 65, 9), (2, 5, 65, 3), ((0,), (0,), (1,), (2,))),
}


def dot(name: str, element: str, result_element: str = "") -> tuple[str, Shape, Shape, Shape]:
    lhs, rhs, (a_batch, b_batch, a_sum, b_sum) = DOTS[name]
    free = [[n for d, n in enumerate(s) if d not in (*b, *k)] for s, b, k in
            ((lhs, a_batch, a_sum), (rhs, b_batch, b_sum))]  # fmt: skip
    result = (*(lhs[d] for d in a_batch), *free[0], *free[1])
    names = ("lhs_batching", "rhs_batching", "lhs_contracting", "rhs_contracting")
    listed = zip(names, (a_batch, b_batch, a_sum, b_sum), strict=True)
    form = ", ".join(f"{n}_dimensions = {list(dims)}" for n, dims in listed if dims)
    output = typed(result, result_element or element)
    types = f"({typed(lhs, element)}, {typed(rhs, element)}) -> {output}"
    op = '"stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<'
    return f"{op}{form}>}} : {types}", lhs, rhs, result


TYPES = {
    "complex<f32>": np.complex64,
    "bf16": BF16,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "ui16": np.uint16,
    "i64": np.int64,
}


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("name", DOTS)
def test_a_product(name: str, element: str) -> None:
    op, lhs, rhs, result = dot(name, element)
    output = typed(result, element)
    text = f"""
    func.func @main(%x: {typed(lhs, element)}, %y: {typed(rhs, element)}) -> {output} {{
      %0 = {op}
      return %0 : {output}
    }}"""
    assert_staged(text, numbers(lhs, 1, TYPES[element]), numbers(rhs, 2, TYPES[element]))


@pytest.mark.parametrize(
    ("narrow", "wide"), [("i8", "i32"), ("ui16", "i64"), ("f32", "f64"), ("bf16", "f32")]
)
def test_a_wider_result(narrow: str, wide: str) -> None:
    for name in ("matrices", "three batches"):
        op, lhs, rhs, result = dot(name, narrow, wide)
        output = typed(result, wide)
        text = f"""
        func.func @main(%x: {typed(lhs, narrow)}, %y: {typed(rhs, narrow)}) -> {output} {{
          %0 = {op}
          return %0 : {output}
        }}"""
        assert_staged(text, numbers(lhs, 1, TYPES[narrow]), numbers(rhs, 2, TYPES[narrow]))


@pytest.mark.parametrize("name", DOTS)
def test_a_product_between_other_ops(name: str) -> None:
    """Operands are views and sums; the result is scaled, shifted and summed by rows."""
    op, lhs, rhs, result = dot(name, "f32")
    x, y, to = typed(lhs), typed(rhs), typed(result)
    turned = (*lhs[1:], lhs[0])
    order = [len(lhs) - 1, *range(len(lhs) - 1)]
    text = f"""
    func.func @main(%a: {typed(turned)}, %b: {y}, %r: {to}) -> {to} {{
      %x = stablehlo.transpose %a, dims = {order} : ({typed(turned)}) -> {x}
      %1 = stablehlo.reverse %b, dims = [0] : {y}
      %y = stablehlo.add %1, %b : {y}
      %2 = {op}
      %3 = stablehlo.subtract %2, %r : {to}
      %4 = stablehlo.multiply %3, %3 : {to}
      return %4 : {to}
    }}"""
    assert_staged(text, numbers(turned, 1), numbers(rhs, 2), numbers(result, 3))


# What is made of each column alone, of some of them, or of all of a row.
BEHIND = {
    "a bias": "%3 = stablehlo.add %0, %2 : {to}",
    "factors of rows": """%1 = stablehlo.broadcast_in_dim %s, dims = [0] : ({rows}) -> {to}
      %3 = stablehlo.multiply %1, %0 : {to}""",
    "the other end of the row": """%1 = stablehlo.reverse %0, dims = [1] : {to}
      %3 = stablehlo.subtract %1, %0 : {to}""",
    "sums of rows": """%z = stablehlo.constant dense<0.0> : tensor<f32>
      %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [1]
        : ({to}, tensor<f32>) -> {rows}
      %4 = stablehlo.broadcast_in_dim %1, dims = [0] : ({rows}) -> {to}
      %3 = stablehlo.subtract %0, %4 : {to}""",
}


@pytest.mark.parametrize("what", BEHIND)
@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("sizes", [(24, 40, 100), (128, 70, 333), (65, 48, 64), (1100, 48, 192)])
def test_what_is_made_of_a_wide_product(
    sizes: tuple[int, int, int], is_turned: bool, what: str
) -> None:
    """Chunks are columns of all rows; the argument that the results may lie in is added as well."""
    rows, inner, columns = sizes
    factor = (columns, inner) if is_turned else (inner, columns)
    to, of_rows, bias = typed((rows, columns)), typed((rows,)), typed((columns,))
    behind = BEHIND[what].format(to=to, rows=of_rows)
    text = f"""
    func.func @main(%x: {typed((rows, inner))}, %y: {typed(factor)}, %r: {to}, %s: {of_rows},
        %b: {bias}) -> ({to}, {to}) {{
      %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [{int(is_turned)}]
        : ({typed((rows, inner))}, {typed(factor)}) -> {to}
      %2 = stablehlo.broadcast_in_dim %b, dims = [1] : ({bias}) -> {to}
      {behind}
      %5 = stablehlo.add %3, %r : {to}
      return %3, %5 : {to}, {to}
    }}"""
    shapes = (rows, inner), factor, (rows, columns), (rows,), (columns,)
    assert_staged(text, *(numbers(shape, seed) for seed, shape in enumerate(shapes)))


@pytest.mark.parametrize(
    ("shape", "result"), [((0,), ()), ((3, 0), (3, 3)), ((2, 0, 2), (2, 2, 2, 2))]
)
def test_views_of_nothing(shape: Shape, result: Shape) -> None:
    """Sums over no elements are 0, though the views are made of dimensions that have some."""
    dimension = shape.index(0)
    view, types = typed(shape), f"({typed(shape)}, {typed(shape)}) -> {typed(result)}"
    text = f"""
    func.func @main(%x: tensor<3x4xf32>) -> {typed(result)} {{
      %0 = stablehlo.broadcast_in_dim %x, dims = [1, 2] : (tensor<3x4xf32>) -> tensor<0x3x4xf32>
      %1 = stablehlo.reshape %0 : (tensor<0x3x4xf32>) -> {view}
      %2 = stablehlo.dot_general %1, %1, contracting_dims = [{dimension}] x [{dimension}] : {types}
      return %2 : {typed(result)}
    }}"""
    assert_staged(text, numbers((3, 4), 0))


def test_a_constant_operand() -> None:
    """Ones times a matrix: sums of columns."""
    text = """
    func.func @main(%y: tensor<65x33xf32>) -> tensor<3x33xf32> {
      %x = stablehlo.constant dense<2.0> : tensor<3x65xf32>
      %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
        : (tensor<3x65xf32>, tensor<65x33xf32>) -> tensor<3x33xf32>
      return %0 : tensor<3x33xf32>
    }"""
    assert_staged(text, numbers((65, 33), 1))


@pytest.mark.parametrize("name", ["by lanes, channels first", "by lanes, of a long line"])
def test_threads_do_not_change_bits(name: str) -> None:
    op, lhs, rhs, result = convolution(name)
    to = typed(result)
    text = f"""
    func.func @main(%x: {typed(lhs)}, %w: {typed(rhs)}) -> {to} {{
      %0 = {op}
      return %0 : {to}
    }}"""
    random = np.random.default_rng(0)
    arrays = [random.standard_normal(shape).astype(np.float32) for shape in (lhs, rhs)]
    alone, *shared = [compile(text, threads=threads)(*arrays) for threads in (1, 2, 3)]
    for other in shared:
        np.testing.assert_array_equal(alone, other)
