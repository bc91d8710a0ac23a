"""Flops and bytes of programs: as a person counts them, and as loops over all pairs do."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from shlo_tools import ir, mlir, program
from shlo_tools.errors import ShloError
from shlo_tools.program.costs import Costs, Counter, function_costs, op_costs
from shlo_tools.program.flops import _pairs


def costs(text: str, function: str = "main") -> Costs:
    return function_costs(program.load(text).operation, function)


def of_body(types: str, result: str, body: str) -> Costs:
    arguments = ", ".join(f"%{n}: {t}" for n, t in zip("abcd", types.split("; "), strict=False))
    return costs(f"func.func @main({arguments}) -> {result} {{\n{body}\nreturn %r : {result}\n}}")


def test_a_product_and_what_follows_it() -> None:
    """2 m n k for the product, one for each of the m n elements behind it."""
    counted = costs("""
func.func @main(%x: tensor<64x32xf32>, %y: tensor<32x16xf32>) -> tensor<64x16xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<64x32xf32>, tensor<32x16xf32>) -> tensor<64x16xf32>
  %1 = stablehlo.tanh %0 : tensor<64x16xf32>
  return %1 : tensor<64x16xf32>
}""")
    assert counted.flops.narrow == 2 * 64 * 32 * 16 + 64 * 16
    assert counted.flops.wide == 0 and not counted.flops.uncounted
    assert counted.bytes == 4 * (64 * 32 + 32 * 16 + 64 * 16)


@pytest.mark.parametrize(
    ("element", "narrow", "wide"),
    [
        ("f32", 2, 0),
        ("bf16", 2, 0),
        ("i64", 0, 2),
        ("f64", 0, 2),
        ("complex<f32>", 8, 0),
        ("complex<f64>", 0, 8),
    ],
)
def test_products_of_element_types(element: str, narrow: int, wide: int) -> None:
    """Complex numbers take four products and four sums each."""
    types = f"tensor<3x5x7x{element}>; tensor<3x7x2x{element}>"
    result = f"tensor<3x5x2x{element}>"
    counted = of_body(
        types,
        result,
        "%r = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1]"
        f" : ({types.replace(';', ',')}) -> {result}",
    )
    pairs = 3 * 5 * 2 * 7
    assert (counted.flops.narrow, counted.flops.wide) == (pairs * narrow, pairs * wide)


def test_pairs_are_those_that_a_loop_counts() -> None:
    """Elements meet places of windows where index arithmetic says so, in all small cases."""
    for size, window, low, high in itertools.product((0, 1, 4, 5), (1, 2, 3), (-1, 0, 2), (0, 1)):
        for base, apart, stride in itertools.product((1, 2, 3), (1, 2), (1, 2, 3)):
            extent = low + max((size - 1) * base + 1, 0) + high
            results = max((extent - ((window - 1) * apart + 1)) // stride + 1, 0)
            elements = {low + base * n for n in range(size)}
            expected = sum(
                r * stride + w * apart in elements for r in range(results) for w in range(window)
            )
            assert _pairs(size, window, results, low, (base, apart, stride)) == expected


def test_convolutions_leave_padding_out() -> None:
    """As many products as numpy's correlation of ones sums up: at the edges windows see less."""
    counted = of_body(
        "tensor<2x5x6x4xf32>; tensor<3x3x2x8xf32>",
        "tensor<2x5x6x8xf32>",
        """%r = stablehlo.convolution(%a, %b)
      dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {pad = [[1, 1], [1, 1]]}
      {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
    : (tensor<2x5x6x4xf32>, tensor<3x3x2x8xf32>) -> tensor<2x5x6x8xf32>""",
    )
    along = [np.convolve(np.ones(size), np.ones(3), "same").sum() for size in (5, 6)]
    assert counted.flops.total == 2 * (2 * 8 * 2) * along[0] * along[1]


def test_reductions_apply_their_body_between_elements() -> None:
    counted = of_body(
        "tensor<10x7xf32>; tensor<f32>",
        "tensor<7xf32>",
        "%r = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [0]"
        " : (tensor<10x7xf32>, tensor<f32>) -> tensor<7xf32>",
    )
    assert counted.flops.total == 9 * 7
    assert counted.bytes == 4 * (70 + 1 + 7)


@pytest.mark.parametrize(
    ("kind", "source", "result", "per_point"),
    [
        ("FFT", "tensor<3x16xcomplex<f32>>", "tensor<3x16xcomplex<f32>>", 5.0),
        ("RFFT", "tensor<3x16xf32>", "tensor<3x9xcomplex<f32>>", 2.5),
        ("IRFFT", "tensor<3x9xcomplex<f32>>", "tensor<3x16xf32>", 2.5),
    ],
)
def test_transforms_count_as_those_of_fftw(
    kind: str, source: str, result: str, per_point: float
) -> None:
    """5 n log2 n, and half of that where one side is real; log2 of 16 is 4."""
    counted = of_body(
        source,
        result,
        f"%r = stablehlo.fft %a, type = {kind}, length = [16] : ({source}) -> {result}",
    )
    assert counted.flops.total == 3 * per_point * 16 * 4


def loop(start: str, limit: str, direction: str, step: str, op: str = "add") -> str:
    return f"""
func.func @main(%x: tensor<8xf32>, %n: tensor<i32>) -> tensor<8xf32> {{
  %start = stablehlo.constant dense<{start}> : tensor<i32>
  %step = stablehlo.constant dense<{step}> : tensor<i32>
  %limit = stablehlo.constant dense<{limit}> : tensor<i32>
  %0:2 = stablehlo.while(%i = %start, %y = %x) : tensor<i32>, tensor<8xf32>
    cond {{
      %c = stablehlo.compare {direction}, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }} do {{
      %j = stablehlo.{op} %i, %step : tensor<i32>
      %z = stablehlo.sine %y : tensor<8xf32>
      stablehlo.return %j, %z : tensor<i32>, tensor<8xf32>
    }}
  return %0#1 : tensor<8xf32>
}}"""


@pytest.mark.parametrize(
    ("start", "limit", "direction", "step", "op", "numbers"),
    [
        ("0", "12", "LT", "1", "add", range(0, 12)),
        ("1", "12", "LE", "3", "add", range(1, 13, 3)),
        ("9", "0", "GT", "2", "subtract", range(9, 0, -2)),
        ("9", "0", "GE", "-3", "add", range(9, -1, -3)),
        ("4", "10", "NE", "2", "add", range(4, 10, 2)),
        ("7", "3", "LT", "1", "add", range(0)),
    ],
)
def test_loops_count_with_their_rounds(
    start: str, limit: str, direction: str, step: str, op: str, numbers: range
) -> None:
    counted = costs(loop(start, limit, direction, step, op))
    assert counted.flops.total == len(numbers) * (1 + 8) + len(numbers) + 1
    assert not counted.flops.uncounted


def test_a_loop_of_unknown_length_is_named() -> None:
    """What an argument decides, and what never reaches its limit, counts one round."""
    for text in (
        loop("0", "12", "LT", "1").replace(
            "stablehlo.compare LT, %i, %limit", "stablehlo.compare LT, %i, %n"
        ),
        loop("0", "12", "NE", "5"),
        loop("0", "12", "LT", "-1"),
    ):
        counted = costs(text)
        assert counted.flops.total == 1 + 1 + 8
        assert counted.flops.uncounted == {"rounds of stablehlo.while"}


def test_calls_branches_and_what_cannot_be_counted() -> None:
    text = """
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %0 = stablehlo.add %x, %w : tensor<4xf32>
  %1 = stablehlo.multiply %0, %one : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @main(%p: tensor<i1>, %x: tensor<4xf32>, %unused: tensor<99xf32>) -> tensor<4xf32> {
  %0 = call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "stablehlo.if"(%p) ({
    %a = stablehlo.sine %1 : tensor<4xf32>
    %b = stablehlo.sine %a : tensor<4xf32>
    stablehlo.return %b : tensor<4xf32>
  }, {
    %a = stablehlo.sine %1 : tensor<4xf32>
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  %3 = stablehlo.custom_call @mine(%2) : (tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}"""
    counted = costs(text)
    assert counted.flops.total == 2 * 8 + 4
    assert counted.flops.uncounted == {"stablehlo.custom_call @mine"}
    assert counted.bytes == 1 + 16 + 16 + 16  # predicate, argument, constant, result
    with pytest.raises(ShloError, match="no function @twic "):
        costs(text, "twic")


def test_arguments_count_with_what_is_picked_of_them() -> None:
    """A row of a large table is no reason to read all of it."""
    counted = of_body(
        "tensor<1000x8xf32>; tensor<i32>",
        "tensor<1x8xf32>",
        """%z = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.dynamic_slice %a, %b, %z, sizes = [1, 8]
    : (tensor<1000x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>""",
    )
    assert counted.bytes == 32 + 4 + 32


def test_unknown_sizes_are_an_error() -> None:
    with pytest.raises(ShloError, match="unknown sizes"):
        of_body("tensor<?xf32>", "tensor<?xf32>", "%r = stablehlo.sine %a : tensor<?xf32>")


def test_an_op_reads_each_operand_once() -> None:
    module = program.load("""
func.func @main(%x: tensor<6xf64>) -> tensor<6xf64> {
  %0 = stablehlo.multiply %x, %x : tensor<6xf64>
  return %0 : tensor<6xf64>
}""")
    functions = ir.functions_by_name(module.operation)
    product = mlir.walk(functions["main"])[1]
    counted = op_costs(product, Counter(functions))
    assert counted.flops.wide == 6 and counted.bytes == 2 * 48


# What moves values between processes, draws random numbers, or says in no attribute how much it is.
UNCOUNTED = {
    *("all_gather", "all_reduce", "all_to_all", "collective_broadcast", "collective_permute"),
    *("reduce_scatter", "collective_reduce", "cross-replica-sum", "async_start", "async_done"),
    *("infeed", "outfeed", "recv", "send", "rng", "rng_bit_generator", "custom_call"),
    *("dynamic_conv", "einsum", "unary_einsum"),
}


def test_every_op_of_stablehlo_is_counted_but_those_that_are_listed() -> None:
    """Each program of the lit tests of lowering either counts, or has sizes that are unknown."""
    names: set[str] = set()
    files = sorted(Path(__file__).parents[2].glob("lit/legalize-to-linalg/*.mlir"))
    assert len(files) > 80
    for text in itertools.chain.from_iterable(f.read_text().split("// -----") for f in files):
        module = program.load(text).operation
        for name, func in ir.functions_by_name(module).items():
            if ir.is_declaration(func) or ir.has_type(func, "?"):
                continue
            names |= function_costs(module, name).flops.uncounted
    ours = {name.partition(" @")[0] for name in names if name.startswith("stablehlo.")}
    assert ours <= {f"stablehlo.{name}" for name in UNCOUNTED}
