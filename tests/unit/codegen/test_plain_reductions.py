"""Plain reductions: kernels that know no sizes, which all programs share."""

from __future__ import annotations

from collections.abc import Sequence

import ml_dtypes
import numpy as np
import pytest
from reduction_programs import kept, numbers, tensor
from staged_programs import assert_staged, staged

from shlo_tools import compile, interpret
from shlo_tools.codegen import shared_kernels

# Shapes that are walked in other ways: rows, columns, both, in blocks, with what is left over.
SHAPES = [
    ((7,), [0]),
    ((300_000,), [0]),
    ((1024, 96), [1]),
    ((100, 97), [1]),
    ((3001, 5), [1]),
    ((1000, 7), [1]),
    ((333, 9), [1]),
    ((700, 12), [1]),
    ((40, 5, 7), [0, 2]),
    ((4, 300, 32, 10), [1, 3]),
    ((3, 70_001), [1]),
    ((64, 128), [0]),
    ((5000, 77), [0]),
    ((3, 20_000), [0]),
    ((2000, 20_001), [0]),
    ((9, 5, 64), [1]),
    ((64, 7, 129), [1]),
    ((6, 40, 3), [0, 2]),
    ((3, 4, 5, 6), [0, 2]),
    ((3, 4, 5, 6), [1, 3]),
    ((2, 3, 5, 700), [0, 2]),
]
STARTS = {"add": "0.0", "maximum": "0xFF800000", "minimum": "0x7F800000"}


def plain(shape: Sequence[int], dimensions: Sequence[int], op: str, start: str) -> str:
    """A reduction of an argument."""
    whole, result = tensor(shape, "f32"), tensor(kept(shape, dimensions), "f32")
    return f"""
    func.func public @main(%x: {whole}) -> {result} {{
      %start = stablehlo.constant dense<{start}> : tensor<f32>
      %0 = stablehlo.reduce(%x init: %start) applies stablehlo.{op}
        across dimensions = {list(dimensions)} : ({whole}, tensor<f32>) -> {result}
      return %0 : {result}
    }}"""


def kernels(text: str) -> set[str]:
    """The names of a program's kernels."""
    codes = staged(text)._planned.program.codes.values()
    return {job.function for code in codes for job in code.jobs}


@pytest.mark.parametrize(("shape", "dimensions"), SHAPES, ids=str)
@pytest.mark.parametrize("op", STARTS)
def test_plain_reductions(shape: tuple[int, ...], dimensions: list[int], op: str) -> None:
    assert_staged(plain(shape, dimensions, op, STARTS[op]), numbers(shape, "f32"))


@pytest.mark.parametrize(
    ("shape", "other", "dimensions"),
    [((1024, 96), (2048, 96), [1]), ((640, 256), (1280, 512), [0]), ((8, 9, 64), (3, 9, 64), [1])],
    ids=str,
)
def test_programs_of_other_sizes_share_kernels(
    shape: Sequence[int], other: Sequence[int], dimensions: Sequence[int]
) -> None:
    first, second = (kernels(plain(s, dimensions, "add", "0.0")) for s in (shape, other))
    assert first == second
    assert all(name.startswith(shared_kernels.GENERAL) for name in first)


def test_what_divides_sizes_tells_kernels_apart() -> None:
    """Loops over what is left over cost time where nothing is."""
    assert kernels(plain((64, 128), [1], "add", "0.0")) != kernels(
        plain((64, 127), [1], "add", "0.0")
    )


def computed(shape: Sequence[int], dimensions: Sequence[int], ops: str, op: str) -> str:
    """A reduction of ``%r``, which some ops make of ``%x`` and ``%y``."""
    whole, result = tensor(shape, "f32"), tensor(kept(shape, dimensions), "f32")
    return f"""
    func.func public @main(%x: {whole}, %y: {whole}) -> {result} {{
      %start = stablehlo.constant dense<{STARTS[op]}> : tensor<f32>
      {ops.replace("TYPE", whole)}
      %0 = stablehlo.reduce(%r init: %start) applies stablehlo.{op}
        across dimensions = {list(dimensions)} : ({whole}, tensor<f32>) -> {result}
      return %0 : {result}
    }}"""


FEW_OPS = {
    "square": "%r = stablehlo.multiply %x, %x : TYPE",
    "product": "%r = stablehlo.multiply %y, %x : TYPE",
    "distance": "%d = stablehlo.subtract %x, %y : TYPE %r = stablehlo.abs %d : TYPE",
    "squared distance": "%d = stablehlo.subtract %x, %y : TYPE"
    " %r = stablehlo.multiply %d, %d : TYPE",
}


@pytest.mark.parametrize(("shape", "dimensions"), SHAPES, ids=str)
@pytest.mark.parametrize(
    ("ops", "op"), [("product", "add"), ("distance", "maximum"), ("squared distance", "add")]
)
def test_few_ops_in_front(shape: tuple[int, ...], dimensions: list[int], ops: str, op: str) -> None:
    x, y = numbers(shape, "f32"), numbers(shape, "f32")[::-1].copy()
    assert_staged(computed(shape, dimensions, FEW_OPS[ops], op), x, y)


@pytest.mark.parametrize("ops", FEW_OPS)
def test_few_ops_in_front_are_shared(ops: str) -> None:
    first, second = (
        kernels(computed((rows, 96), [1], FEW_OPS[ops], "add")) for rows in (1024, 2048)
    )
    assert first == second
    assert all(name.startswith(shared_kernels.GENERAL) for name in first)


@pytest.mark.parametrize(
    "ops",
    [
        "%p = stablehlo.multiply %x, %x : TYPE %q = stablehlo.multiply %p, %x : TYPE"
        " %r = stablehlo.add %q, %y : TYPE",
        "%c = stablehlo.constant dense<3.0> : TYPE %r = stablehlo.multiply %x, %c : TYPE",
    ],
    ids=["ops", "numbers"],
)
def test_what_programs_compute_is_their_own(ops: str) -> None:
    text = computed((64, 128), [1], ops, "add")
    assert not any(name.startswith(shared_kernels.GENERAL) for name in kernels(text))


def test_reshapes_in_front_move_nothing() -> None:
    text = """
    func.func public @main(%x: tensor<64x1000xbf16>, %y: tensor<64x50x20xf32>) -> tensor<64xf32> {
      %start = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.convert %x : (tensor<64x1000xbf16>) -> tensor<64x1000xf32>
      %1 = stablehlo.reshape %y : (tensor<64x50x20xf32>) -> tensor<64x1000xf32>
      %2 = stablehlo.multiply %0, %1 : tensor<64x1000xf32>
      %3 = stablehlo.reduce(%2 init: %start) applies stablehlo.add across dimensions = [1]
        : (tensor<64x1000xf32>, tensor<f32>) -> tensor<64xf32>
      return %3 : tensor<64xf32>
    }"""
    x = np.random.default_rng(1).integers(-2, 3, (64, 1000)).astype(ml_dtypes.bfloat16)
    y = np.random.default_rng(2).integers(-2, 3, (64, 50, 20)).astype(np.float32)
    np.testing.assert_array_equal(compile(text)(x, y), interpret(text, x, y))


def test_conversions_around_a_sum_belong_to_it() -> None:
    text = """
    func.func public @main(%x: tensor<64x1000xbf16>) -> tensor<64xbf16> {
      %start = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.convert %x : (tensor<64x1000xbf16>) -> tensor<64x1000xf32>
      %1 = stablehlo.reduce(%0 init: %start) applies stablehlo.add across dimensions = [1]
        : (tensor<64x1000xf32>, tensor<f32>) -> tensor<64xf32>
      %2 = stablehlo.convert %1 : (tensor<64xf32>) -> tensor<64xbf16>
      return %2 : tensor<64xbf16>
    }"""
    assert all(name.startswith(shared_kernels.GENERAL) for name in kernels(text))
    x = np.random.default_rng(1).integers(-2, 3, (64, 1000)).astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(compile(text)(x), interpret(text, x))


@pytest.mark.parametrize("start", ["0.0", "-0.0", "2.5"])
def test_starts(start: str) -> None:
    """Sums of nothing but zeros have the sign of zero that the start gives them."""
    text = plain((3, 40), [1], "add", start)
    x = np.full((3, 40), -0.0, np.float32)
    result, expected = compile(text)(x), interpret(text, x)
    np.testing.assert_array_equal(np.signbit(result), np.signbit(expected))
    np.testing.assert_array_equal(result, expected)
