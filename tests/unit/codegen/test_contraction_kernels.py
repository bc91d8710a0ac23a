"""Dot products and convolutions by kernels, between views, elementwise ops and reductions."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from staged_programs import assert_staged

BF16 = ml_dtypes.bfloat16
NHWC, NCHW = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]"
KERNEL_GRADIENT = "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]"
Shape = tuple[int, ...]


def typed(shape: Shape, element: str = "f32") -> str:
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


def numbers(shape: Shape, seed: int, dtype: Any = np.float32) -> np.ndarray:
    """Small whole numbers: every sum is exact, in whatever order."""
    whole = np.random.default_rng([seed, *shape]).integers(-3, 4, (2, *shape))
    return (whole[0] + 1j * whole[1] if np.dtype(dtype).kind == "c" else whole[0]).astype(dtype)


_WIDE = "padding = dense<[[5, 3], [7, 5]]>"
# lhs, rhs, result, dimension numbers, attributes
CONVOLUTIONS: dict[str, tuple[Shape, Shape, Shape, str, str]] = {
    "plain": ((2, 9, 11, 16), (3, 3, 16, 40), (2, 9, 11, 40), NHWC, "padding = dense<1>"),
    "no padding": ((1, 5, 33, 3), (3, 3, 3, 7), (1, 3, 31, 7), NHWC, ""),
    "channels first": ((2, 7, 9, 13), (35, 7, 3, 3), (2, 35, 9, 13), NCHW, "padding = dense<1>"),
    "one feature": ((2, 9, 11, 5), (3, 3, 5, 1), (2, 9, 11, 1), NHWC, "padding = dense<1>"),
    "three features": ((1, 9, 70, 3), (3, 3, 3, 16), (1, 9, 70, 16), NHWC, "padding = dense<1>"),
    "three features, to five": (
        *((2, 13, 70, 3), (5, 3, 3, 5), (2, 7, 36, 5), NHWC),
        "padding = dense<2>, window_strides = array<i64: 2, 2>",
    ),
    "three features, windows apart": (
        *((1, 9, 70, 3), (3, 3, 3, 12), (1, 9, 70, 12), NHWC),
        "padding = dense<2>, rhs_dilation = array<i64: 2, 2>",
    ),
    "mostly padding": ((2, 3, 2, 3), (3, 3, 3, 16), (2, 9, 12, 16), NHWC, _WIDE),
    "strided": (
        *((2, 9, 11, 16), (3, 3, 16, 40), (2, 5, 6, 40), NHWC),
        "padding = dense<1>, window_strides = array<i64: 2, 2>",
    ),
    "strided, channels first": (
        *((2, 3, 15, 17), (9, 3, 7, 7), (2, 9, 8, 9), NCHW),
        "padding = dense<3>, window_strides = array<i64: 2, 2>",
    ),
    "few features": (
        *((1, 20, 22, 3), (7, 7, 3, 33), (1, 10, 11, 33), NHWC),
        "padding = dense<3>, window_strides = array<i64: 2, 2>",
    ),
    "windows apart": (
        *((1, 9, 9, 5), (3, 3, 5, 6), (1, 9, 9, 6), NHWC),
        "padding = dense<2>, rhs_dilation = array<i64: 2, 2>",
    ),
    "of one element": ((2, 7, 9, 33), (1, 1, 33, 65), (2, 7, 9, 65), NHWC, ""),
    "of one element, strided": (
        *((2, 7, 9, 33), (1, 1, 33, 17), (2, 4, 5, 17), NHWC),
        "window_strides = array<i64: 2, 2>",
    ),
    "input gradient": (
        *((2, 5, 6, 40), (3, 3, 16, 40), (2, 10, 12, 16)),
        "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]",
        "padding = dense<[[1, 2], [2, 1]]>, lhs_dilation = array<i64: 2, 2>",
    ),
    "input gradient, channels first": (
        *((2, 9, 5, 6), (9, 7, 3, 3), (2, 7, 10, 12)),
        "[b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1]",
        "padding = dense<[[1, 2], [2, 1]]>, lhs_dilation = array<i64: 2, 2>",
    ),
    "kernel gradient": (
        *((2, 9, 11, 20), (2, 9, 11, 24), (3, 3, 20, 24), KERNEL_GRADIENT),
        "padding = dense<1>",
    ),
    "kernel gradient, few channels": (
        *((2, 9, 11, 3), (2, 5, 6, 33), (3, 3, 3, 33), KERNEL_GRADIENT),
        "padding = dense<1>, rhs_dilation = array<i64: 2, 2>",
    ),
    "deep": ((1, 4, 4, 600), (3, 3, 600, 9), (1, 4, 4, 9), NHWC, "padding = dense<1>"),
    "deep, channels first": (
        *((1, 300, 4, 4), (9, 300, 3, 3), (1, 9, 4, 4), NCHW),
        "padding = dense<1>",
    ),
    "grouped": (
        *((2, 5, 7, 12), (3, 3, 4, 9), (2, 5, 7, 9), NHWC),
        "padding = dense<1>, feature_group_count = 3 : i64",
    ),
    "depthwise": (
        *((2, 9, 11, 35), (3, 3, 1, 35), (2, 9, 11, 35), NHWC),
        "padding = dense<1>, feature_group_count = 35 : i64",
    ),
    "depthwise, strided": (
        *((2, 9, 11, 128), (3, 3, 1, 128), (2, 5, 6, 128), NHWC),
        "padding = dense<1>, window_strides = array<i64: 2, 2>, feature_group_count = 128 : i64",
    ),
    "depthwise, several outputs": (
        *((2, 5, 7, 12), (3, 3, 1, 24), (2, 5, 7, 24), NHWC),
        "padding = dense<1>, feature_group_count = 12 : i64",
    ),
    "depthwise input gradient": (
        *((2, 5, 6, 33), (3, 3, 1, 33), (2, 10, 12, 33), NHWC),
        "padding = dense<[[1, 2], [2, 1]]>, lhs_dilation = array<i64: 2, 2>, "
        "window_reversal = array<i1: true, true>, feature_group_count = 33 : i64",
    ),
    "depthwise kernel gradient": (
        *((2, 9, 11, 33), (2, 9, 11, 33), (3, 3, 1, 33), KERNEL_GRADIENT),
        "padding = dense<1>, batch_group_count = 33 : i64",
    ),
    "along one dimension": (
        *((3, 40, 5), (4, 5, 6), (3, 37, 6)),
        "[b, 0, f]x[0, i, o]->[b, 0, f]",
        "",
    ),
    "depthwise along one dimension": (
        *((3, 40, 37), (4, 1, 37), (3, 40, 37)),
        "[b, 0, f]x[0, i, o]->[b, 0, f]",
        "padding = dense<[[3, 0]]>, feature_group_count = 37 : i64",
    ),
    "along three dimensions": (
        *((2, 4, 5, 6, 3), (2, 3, 2, 3, 9), (2, 4, 5, 6, 9)),
        "[b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f]",
        "padding = dense<[[1, 0], [1, 1], [0, 1]]>",
    ),
}


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
