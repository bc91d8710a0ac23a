"""Kernels of reductions: any dimensions and sizes, in blocks, with what is made of the sums."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pytest
from reduction_programs import JAX, TORCH, TYPES, kept, numbers, selection, tensor
from staged_programs import assert_staged

from shlo_tools import compile, interpret
from shlo_tools.dtypes import ELEMENT_TYPES

SHAPES = [
    ((5,), [0]),
    ((100_000,), [0]),
    ((1, 1), [0]),
    ((33, 7), [0]),
    ((33, 7), [1]),
    ((65, 31), [1]),
    ((7000, 3), [0]),
    ((1000, 3), [1]),
    ((3000, 200), [0]),
    ((3, 70_000), [1]),
    ((200, 300), [0, 1]),
    ((4, 50, 65), [1]),
    ((4, 50, 65), [0, 2]),
    ((8, 16, 7, 7), [0, 2, 3]),
    ((8, 7, 7, 33), [0, 1, 2]),
    ((2, 300, 100), [0, 2]),
    ((3, 10, 2, 5, 7), [1, 3]),
    ((3, 10, 2, 5, 7), [0, 2, 4]),
    ((0, 4), [0]),
    ((0, 300), [0]),
    ((3, 0, 300), [1]),
    ((4, 0), [1]),
]


def reduction(shape: Sequence[int], dimensions: Sequence[int], element: str, op: str) -> str:
    """A reduction between elementwise ops, from an argument."""
    whole, result, scalar = (tensor(s, element) for s in (shape, kept(shape, dimensions), ()))
    return f"""
    func.func public @main(%x: {whole}, %start: {scalar}, %y: {result}) -> ({result}, {whole}) {{
      %0 = stablehlo.add %x, %x : {whole}
      %1 = stablehlo.reduce(%0 init: %start) applies stablehlo.{op} across dimensions = {dimensions}
        : ({whole}, {scalar}) -> {result}
      %2 = stablehlo.subtract %y, %1 : {result}
      return %2, %0 : {result}, {whole}
    }}"""


@pytest.mark.parametrize(("shape", "dimensions"), SHAPES, ids=str)
@pytest.mark.parametrize("element", TYPES)
def test_sums(shape: tuple[int, ...], dimensions: list[int], element: str) -> None:
    text = reduction(shape, dimensions, element, "add")
    inputs = [numbers(s, element) for s in (shape, (), kept(shape, dimensions))]
    assert_staged(text, *inputs)


@pytest.mark.parametrize(("shape", "dimensions"), SHAPES, ids=str)
def test_sums_that_keep_their_dimensions(shape: tuple[int, ...], dimensions: list[int]) -> None:
    """As means do: what is made of the sums has them as dimensions of one element."""
    alone = [1 if d in dimensions else size for d, size in enumerate(shape)]
    whole, result, flat = (tensor(s, "f32") for s in (shape, kept(shape, dimensions), alone))
    places = [d for d in range(len(shape)) if d not in dimensions]
    text = f"""
    func.func public @main(%x: {whole}) -> ({flat}, {whole}) {{
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %two = stablehlo.constant dense<2.0> : {flat}
      %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = {dimensions}
        : ({whole}, tensor<f32>) -> {result}
      %1 = stablehlo.broadcast_in_dim %0, dims = {places} : ({result}) -> {flat}
      %2 = stablehlo.multiply %1, %two : {flat}
      %3 = stablehlo.broadcast_in_dim %2, dims = {list(range(len(shape)))} : ({flat}) -> {whole}
      %4 = stablehlo.subtract %x, %3 : {whole}
      return %2, %4 : {flat}, {whole}
    }}"""
    assert_staged(text, numbers(shape, "f32"))


@pytest.mark.parametrize(("shape", "dimensions"), SHAPES[3:18:3], ids=str)
@pytest.mark.parametrize("op", ["maximum", "minimum", "multiply"])
def test_other_ops(shape: tuple[int, ...], dimensions: list[int], op: str) -> None:
    random = np.random.default_rng(1)
    whole = np.where(random.random(shape) < 0.5, 0.5, 1).astype(np.float32)
    whole[random.random(shape) < 0.01] = np.nan
    inputs = [whole, np.float32(2), numbers(kept(shape, dimensions), "f32")]
    assert_staged(reduction(shape, dimensions, "f32", op), *inputs)


@pytest.mark.parametrize("op", ["and", "or", "xor"])
@pytest.mark.parametrize("dimensions", [[0], [1], [0, 1]])
def test_conditions(op: str, dimensions: list[int]) -> None:
    whole, result = (tensor(s, "i1") for s in ((40, 37), kept((40, 37), dimensions)))
    text = f"""
    func.func public @main(%x: {whole}, %start: tensor<i1>) -> {result} {{
      %0 = stablehlo.reduce(%x init: %start) applies stablehlo.{op} across dimensions = {dimensions}
        : ({whole}, tensor<i1>) -> {result}
      return %0 : {result}
    }}"""
    random = np.random.default_rng(2)
    assert_staged(text, random.random((40, 37)) < 0.03, np.array(False))
    assert_staged(text, random.random((40, 37)) < 0.97, np.array(True))


@pytest.mark.parametrize("region", [JAX, TORCH], ids=["jax", "torch"])
@pytest.mark.parametrize("element", ["f32", "i32"])
@pytest.mark.parametrize(
    ("shape", "dimension"),
    [
        *(((1,), 0), ((5,), 0), ((3000,), 0), ((33, 70), 0), ((33, 70), 1), ((33, 5), 1)),
        *(((4, 50, 64), 1), ((4, 700), 1), ((3, 1), 1), ((2, 3, 65), 0)),
    ],
    ids=str,
)
def test_largest_with_place(
    shape: tuple[int, ...], dimension: int, element: str, region: str
) -> None:
    random = np.random.default_rng(3)
    whole = random.integers(-9, 9, shape).astype(TYPES[element])
    text = selection(shape, dimension, element, region)
    assert_staged(text, whole)
    if element == "f32":
        whole[random.random(shape) < 0.05] = np.nan
        assert_staged(text, whole)
        assert_staged(text, np.full(shape, -np.inf, np.float32))


def test_several_values_that_do_not_choose() -> None:
    """Two sums that depend on each other: the elements' order is kept."""
    text = """
    func.func public @main(%x: tensor<40x37xf32>, %s: tensor<f32>, %t: tensor<f32>)
        -> (tensor<40xf32>, tensor<40xf32>) {
      %r:2 = stablehlo.reduce(%x init: %s), (%x init: %t) across dimensions = [1]
          : (tensor<40x37xf32>, tensor<40x37xf32>, tensor<f32>, tensor<f32>)
          -> (tensor<40xf32>, tensor<40xf32>)
       reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<f32>, %d: tensor<f32>) {
        %0 = stablehlo.add %a, %c : tensor<f32>
        %1 = stablehlo.subtract %d, %b : tensor<f32>
        %2 = stablehlo.maximum %1, %0 : tensor<f32>
        stablehlo.return %0, %2 : tensor<f32>, tensor<f32>
      }
      return %r#0, %r#1 : tensor<40xf32>, tensor<40xf32>
    }"""
    assert_staged(text, numbers((40, 37), "f32"), np.float32(1), np.float32(2))


@pytest.mark.parametrize("rows", [40, 96, 160, 224, 352])
@pytest.mark.parametrize("dimension", [0, 1])
def test_vectors_that_a_chunk_has_too_many_of(rows: int, dimension: int) -> None:
    """The last chunk of sums may have fewer vectors than the others, all of them whole."""
    shape, kept = ((37, rows), 1) if dimension == 0 else ((rows, 37), 0)
    source, result = ("x".join(map(str, size)) for size in (shape, (shape[kept],)))
    text = f"""
    func.func public @main(%x: tensor<{source}xf32>, %s: tensor<f32>, %t: tensor<f32>)
        -> (tensor<{result}xf32>, tensor<{result}xf32>) {{
      %r:2 = stablehlo.reduce(%x init: %s), (%x init: %t) across dimensions = [{dimension}]
          : (tensor<{source}xf32>, tensor<{source}xf32>, tensor<f32>, tensor<f32>)
          -> (tensor<{result}xf32>, tensor<{result}xf32>)
       reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<f32>, %d: tensor<f32>) {{
        %0 = stablehlo.add %a, %c : tensor<f32>
        %1 = stablehlo.subtract %d, %b : tensor<f32>
        stablehlo.return %0, %1 : tensor<f32>, tensor<f32>
      }}
      return %r#0, %r#1 : tensor<{result}xf32>, tensor<{result}xf32>
    }}"""
    assert_staged(text, numbers(shape, "f32"), np.float32(1), np.float32(2))


@pytest.mark.parametrize("element", ["f16", "bf16"])
@pytest.mark.parametrize("results", [(0,), (1,), (0, 1, 2)])
@pytest.mark.parametrize(
    ("shape", "dimensions"),
    [
        *(((1100, 33), [0]), ((1100, 33), [1]), ((1100, 33), [0, 1]), ((2, 600, 40), [1])),
        *(((300, 40, 2), [0, 1]), ((3, 700), [1]), ((400, 5), [1]), ((2, 3, 4, 300), [1, 3])),
    ],
)
def test_sums_are_rounded_once(
    shape: tuple[int, ...], dimensions: list[int], results: tuple[int, ...], element: str
) -> None:
    """Rounded at every step, a sum of bf16 stands still at 256: 256 + 1 is 256."""
    whole, reduced = tensor(shape, element), tensor(kept(shape, dimensions), element)
    rest = [d for d in range(len(shape)) if d not in dimensions]
    types = [reduced, whole, whole]
    ends = ", ".join(("%1", "%3", "%0")[k] for k in results)
    signature = ", ".join(types[k] for k in results)
    text = f"""
    func.func @main(%x: {whole}) -> ({signature}) {{
      %z = stablehlo.constant dense<-0.0> : tensor<{element}>
      %0 = stablehlo.abs %x : {whole}
      %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = {dimensions}
        : ({whole}, tensor<{element}>) -> {reduced}
      %2 = stablehlo.broadcast_in_dim %1, dims = {rest} : ({reduced}) -> {whole}
      %3 = stablehlo.subtract %2, %0 : {whole}
      return {ends} : {signature}
    }}"""
    eighths = np.random.default_rng(0).integers(-9, 10, shape) / 8  # which f32 adds exactly
    assert_staged(text, eighths.astype(ELEMENT_TYPES[element].dtype))


PROGRAM = """
import hashlib, numpy as np
from shlo_tools import compile
x = np.random.default_rng(0).standard_normal((300, 2000), dtype=np.float32)
for dimensions, result in (([0], "2000xf32"), ([1], "300xf32"), ([0, 1], "f32")):
    text = f'''func.func public @main(%x: tensor<300x2000xf32>) -> tensor<{result}> {{
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = {dimensions}
        : (tensor<300x2000xf32>, tensor<f32>) -> tensor<{result}>
      return %0 : tensor<{result}>
    }}'''
    print(hashlib.sha256(np.asarray(compile(text)(x)).tobytes()).hexdigest())
"""


def test_results_do_not_depend_on_the_number_of_threads() -> None:
    outputs = set()
    for threads in ("1", "2", "3"):
        run = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "SHLO_NUM_THREADS": threads},
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, run.stderr
        outputs.add(run.stdout)
    assert len(outputs) == 1


@pytest.mark.parametrize(
    ("op", "number"),
    [
        *(("maximum", "0xFF800000"), ("minimum", "0x7F800000"), ("add", "0x80000000")),
        *(("add", "0.0"), ("multiply", "1.0"), ("maximum", "0.0")),
    ],
)
def test_numbers_that_change_nothing(op: str, number: str) -> None:
    """To the last bit, which sign a zero has as well: x + 0 is another number for x = -0."""
    text = f"""
    func.func @main(%x: tensor<7xf32>) -> (tensor<7xf32>, tensor<7xf32>) {{
      %0 = stablehlo.constant dense<{number}> : tensor<7xf32>
      %1 = stablehlo.{op} %0, %x : tensor<7xf32>
      %2 = stablehlo.{op} %x, %0 : tensor<7xf32>
      return %1, %2 : tensor<7xf32>, tensor<7xf32>
    }}"""
    x = np.array([-0.0, 0.0, np.nan, np.inf, -np.inf, 1.5, -2.5], np.float32)
    expected = interpret(text, x)
    for result, target in zip(compile(text)(x), expected, strict=True):
        np.testing.assert_array_equal(result, target)
        np.testing.assert_array_equal(np.signbit(result), np.signbit(target))


@pytest.mark.parametrize("start", ["-3.0", "5.0", "-0.0"])
@pytest.mark.parametrize("element", ["f16", "bf16", "f32"])
def test_what_sums_start_from(element: str, start: str) -> None:
    """Where sums are wider than their elements, so is the number that they start from."""
    source, windows = f"tensor<20x9x{element}>", f"tensor<20x9x{element}>"
    results = f"(tensor<{element}>, tensor<9x{element}>, {windows})"
    text = f"""func.func @main(%x: {source}) -> {results} {{
      %start = stablehlo.constant dense<{start}> : tensor<{element}>
      %0 = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0, 1]
        : ({source}, tensor<{element}>) -> tensor<{element}>
      %1 = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0]
        : ({source}, tensor<{element}>) -> tensor<9x{element}>
      %2 = "stablehlo.reduce_window"(%x, %start) ({{
        ^bb0(%a: tensor<{element}>, %b: tensor<{element}>):
          %3 = stablehlo.add %a, %b : tensor<{element}>
          stablehlo.return %3 : tensor<{element}>
      }}) {{
        window_dimensions = array<i64: 3, 3>,
        padding = dense<1> : tensor<2x2xi64>
      }} : ({source}, tensor<{element}>) -> {windows}
      return %0, %1, %2 : tensor<{element}>, tensor<9x{element}>, {windows}
    }}"""
    numbers = np.random.default_rng(0).integers(-2, 3, (20, 9))
    assert_staged(text, numbers.astype(ELEMENT_TYPES[element].dtype))
