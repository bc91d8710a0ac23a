"""Rows shorter than vectors: lanes are rows, with results of rows and columns in every mixture."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pytest
from reduction_programs import numbers, tensor
from staged_programs import assert_staged

from shlo_tools import compile
from shlo_tools.passes.stages import lower_stages

# Few rows are walked along their columns; many are not, be they a multiple of lanes or not.
ROWS = [(7, 5), (301, 2), (257, 3), (40, 3), (96, 4), (999, 4)]
ROWS += [(512, 10), (1000, 16), (777, 33), (333, 47), (300, 65)]


def rows(shape: tuple[int, ...], element: str, returned: str) -> str:
    """A maximum of each row, a sum of what is left, and both used with the elements again."""
    whole, scalar = tensor(shape, element), tensor((), element)
    outer = tensor(shape[:-1], element)
    bias = tensor(shape[-1:], element)
    kept = ", ".join(map(str, range(len(shape) - 1)))
    last = len(shape) - 1
    types = {"%7": whole, "%4": outer, "%2": whole, "%8": outer}
    names = returned.split()
    return f"""
    func.func public @main(%x: {whole}, %b: {bias}) -> ({", ".join(types[n] for n in names)}) {{
      %least = stablehlo.constant dense<{"-9.0" if "f" in element else "-9"}> : {scalar}
      %two = stablehlo.constant dense<{"2.0" if "f" in element else "2"}> : {scalar}
      %twos = stablehlo.constant dense<{"2.0" if "f" in element else "2"}> : {whole}
      %y = stablehlo.broadcast_in_dim %b, dims = [{last}] : ({bias}) -> {whole}
      %z = stablehlo.add %x, %y : {whole}
      %0 = stablehlo.reduce(%z init: %least) applies stablehlo.maximum across dimensions = [{last}]
          : ({whole}, {scalar}) -> {outer}
      %1 = stablehlo.broadcast_in_dim %0, dims = [{kept}] : ({outer}) -> {whole}
      %2 = stablehlo.subtract %z, %1 : {whole}
      %3 = stablehlo.multiply %2, %twos : {whole}
      %4 = stablehlo.reduce(%3 init: %two) applies stablehlo.add across dimensions = [{last}]
          : ({whole}, {scalar}) -> {outer}
      %5 = stablehlo.broadcast_in_dim %4, dims = [{kept}] : ({outer}) -> {whole}
      %7 = stablehlo.subtract %3, %5 : {whole}
      %8 = stablehlo.multiply %4, %0 : {outer}
      return {returned.replace(" ", ", ")} : {", ".join(types[n] for n in names)}
    }}"""


@pytest.mark.parametrize("shape", [*ROWS, (5, 100, 9), (60, 2, 3, 4)], ids=str)
@pytest.mark.parametrize("element", ["f32", "f64", "i32", "i8"])
@pytest.mark.parametrize("returned", ["%7", "%7 %4", "%2 %8 %7", "%8"])
def test_short_rows(shape: tuple[int, ...], element: str, returned: str) -> None:
    text = rows(shape, element, returned)
    assert_staged(text, numbers(shape, element), numbers(shape[-1:], element))


@pytest.mark.parametrize("shape", ROWS, ids=str)
def test_short_rows_of_a_softmax(shape: tuple[int, int]) -> None:
    n, _ = shape
    whole, outer = tensor(shape, "f32"), tensor((n,), "f32")
    program = compile(f"""
    func.func public @main(%x: {whole}) -> {whole} {{
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.exponential %x : {whole}
      %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [1]
          : ({whole}, tensor<f32>) -> {outer}
      %2 = stablehlo.broadcast_in_dim %1, dims = [0] : ({outer}) -> {whole}
      %3 = stablehlo.divide %0, %2 : {whole}
      return %3 : {whole}
    }}""")
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    powers = np.exp(x.astype(np.float64))
    expected = powers / powers.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(program(x), expected, rtol=1e-5)


# What is read of %x and of %t, which lies the other way round, as many elements as %x.
VIEWS = {
    "transposed": "stablehlo.transpose %t, dims = [1, 0]",
    "reversed": "stablehlo.reverse %x, dims = [0, 1]",
    "joined": "stablehlo.concatenate %first, %last, dim = 1",
    "padded": "stablehlo.pad %middle, %least, low = [2, 1], high = [1, 0], interior = [0, 0]",
    "counted": "stablehlo.iota dim = 1",
    "broadcast": "stablehlo.broadcast_in_dim %row, dims = [1]",
}


@pytest.mark.parametrize("shape", [(32, 2), (33, 3), (256, 3), (301, 5), (100, 8)], ids=str)
@pytest.mark.parametrize("element", ["f32", "f64", "i32", "i8"])
@pytest.mark.parametrize("view", VIEWS)
def test_elementwise_ops_on_short_rows(shape: tuple[int, int], element: str, view: str) -> None:
    n, m = shape
    whole, turned = tensor(shape, element), tensor((m, n), element)
    first, last, row = tensor((n, 1), element), tensor((n, m - 1), element), tensor((m,), element)
    middle, scalar = tensor((n - 3, m - 1), element), tensor((), element)
    operands = {
        "transposed": f"({turned}) -> {whole}",
        "joined": f"({first}, {last}) -> {whole}",
        "padded": f"({middle}, {scalar}) -> {whole}",
        "broadcast": f"({row}) -> {whole}",
    }
    text = f"""
    func.func public @main(%x: {whole}, %t: {turned}) -> ({whole}, {whole}) {{
      %least = stablehlo.constant dense<{"3.0" if "f" in element else "3"}> : {scalar}
      %first = stablehlo.slice %x [0:{n}, {m - 1}:{m}] : ({whole}) -> {first}
      %last = stablehlo.slice %x [0:{n}, 0:{m - 1}] : ({whole}) -> {last}
      %middle = stablehlo.slice %x [1:{n - 2}, 1:{m}] : ({whole}) -> {middle}
      %one = stablehlo.slice %x [5:6, 0:{m}] : ({whole}) -> {tensor((1, m), element)}
      %row = stablehlo.reshape %one : ({tensor((1, m), element)}) -> {row}
      %0 = {VIEWS[view]} : {operands.get(view, whole)}
      %1 = stablehlo.transpose %t, dims = [1, 0] : ({turned}) -> {whole}
      %2 = stablehlo.add %0, %1 : {whole}
      %3 = stablehlo.subtract %2, %x : {whole}
      return %3, %2 : {whole}, {whole}
    }}"""
    assert_staged(text, numbers(shape, element), numbers((m, n), element, seed=1))


@pytest.mark.parametrize("shape", [*ROWS, (16, 33, 2)], ids=str)
@pytest.mark.parametrize("narrow", ["i1", "i8", "bf16", "f16"])
def test_narrow_results_beside_wide_ones(shape: tuple[int, ...], narrow: str) -> None:
    """They are no wider than bytes or halves of words, and lie between neighbours' as all do."""
    whole, outer = tensor(shape, "f32"), tensor(shape[:-1], "f32")
    small, least = tensor(shape, narrow), tensor(shape[:-1], narrow)
    kept, last = ", ".join(map(str, range(len(shape) - 1))), len(shape) - 1
    cut = (
        f"stablehlo.compare GT, %x, %2 : ({whole}, {whole}) -> {small}"
        if narrow == "i1"
        else f"stablehlo.convert %3 : ({whole}) -> {small}"
    )
    end = (
        f"stablehlo.compare GT, %1, %1 : ({outer}, {outer}) -> {least}"
        if narrow == "i1"
        else f"stablehlo.convert %1 : ({outer}) -> {least}"
    )
    text = f"""
    func.func public @main(%x: {whole}) -> ({small}, {whole}, {outer}, {least}, {small}) {{
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %1 = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [{last}]
          : ({whole}, tensor<f32>) -> {outer}
      %2 = stablehlo.broadcast_in_dim %1, dims = [{kept}] : ({outer}) -> {whole}
      %3 = stablehlo.subtract %x, %2 : {whole}
      %4 = {cut}
      %5 = {end}
      return %4, %3, %1, %5, %4 : {small}, {whole}, {outer}, {least}, {small}
    }}"""
    assert_staged(text, numbers(shape, "f32"))


@pytest.mark.parametrize("last", ["reshape", "add", "select"])
def test_columns_are_read_in_front_of_their_loop(last: str) -> None:
    """One number of each row, out of slices of slices, for all of its columns."""
    rows, whole = "tensor<300x16x1xf32>", "tensor<300x16x3xf32>"
    chosen = f"(tensor<300x16x3xi1>, {whole}, {whole}) -> {whole}"
    ends = {
        "reshape": f"stablehlo.reshape %2 : ({whole}) -> tensor<4800x3xf32>",
        "add": f"stablehlo.add %2, %2 : {whole}",
        "select": f"stablehlo.select %4, %2, %3 : {chosen}",
    }
    result = "tensor<4800x3xf32>" if last == "reshape" else whole
    text = f"""
    func.func public @main(%x: tensor<300x16x1x3xf32>, %y: tensor<300x48x1xf32>) -> {result} {{
      %0 = stablehlo.slice %y [0:300, 16:48, 0:1] : (tensor<300x48x1xf32>) -> tensor<300x32x1xf32>
      %1 = stablehlo.slice %0 [0:300, 0:16, 0:1] : (tensor<300x32x1xf32>) -> {rows}
      %2 = stablehlo.dot_general %x, %1, batching_dims = [0, 1] x [0, 1],
        contracting_dims = [2] x [2] : (tensor<300x16x1x3xf32>, {rows}) -> {whole}
      %3 = stablehlo.reshape %x : (tensor<300x16x1x3xf32>) -> {whole}
      %4 = stablehlo.compare LT, %2, %3 : ({whole}, {whole}) -> tensor<300x16x3xi1>
      %5 = {ends[last]}
      return %5 : {result}
    }}"""
    assert_staged(text, numbers((300, 16, 1, 3), "f32"), numbers((300, 48, 1), "f32"))


@pytest.mark.parametrize("columns", [5, 6, 9, 33])
@pytest.mark.parametrize("count", [40, 133])
def test_rows_of_what_is_gathered(columns: int, count: int) -> None:
    """Whether all of a few places are free: of each row, elements of a table of its own."""
    at, flags = f"tensor<3x{count}x{columns}xi32>", f"tensor<3x{count}x{columns}xi1>"
    text = f"""
    func.func @main(%t: tensor<3x64xi32>, %i: {at}, %m: {flags}) ->
        (tensor<3x{count}xi1>, tensor<3x{count}xi32>) {{
      %0 = stablehlo.reshape %i : ({at}) -> tensor<3x{count}x{columns}x1xi32>
      %1 = "stablehlo.gather"(%t, %0) <{{dimension_numbers = #stablehlo.gather<
          collapsed_slice_dims = [1], operand_batching_dims = [0],
          start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 3>,
          slice_sizes = array<i64: 1, 1>}}>
        : (tensor<3x64xi32>, tensor<3x{count}x{columns}x1xi32>) -> {at}
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %zeros = stablehlo.constant dense<0> : {at}
      %2 = stablehlo.compare EQ, %1, %zeros : ({at}, {at}) -> {flags}
      %3 = stablehlo.or %m, %2 : {flags}
      %true = stablehlo.constant dense<true> : tensor<i1>
      %4 = stablehlo.reduce(%3 init: %true) applies stablehlo.and across dimensions = [2]
        : ({flags}, tensor<i1>) -> tensor<3x{count}xi1>
      %5 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [2]
        : ({at}, tensor<i32>) -> tensor<3x{count}xi32>
      return %4, %5 : tensor<3x{count}xi1>, tensor<3x{count}xi32>
    }}"""
    random = np.random.default_rng(columns)
    table = random.integers(-1, 2, (3, 64)).astype(np.int32)
    places = random.integers(-3, 70, (3, count, columns)).astype(np.int32)
    assert_staged(text, table, places, random.integers(0, 2, places.shape) > 0)


@pytest.mark.parametrize("shape", [(490, 3), (301, 2), (128, 4)], ids=str)
def test_parts_joined_in_rows_that_are_summed(shape: tuple[int, int]) -> None:
    """Columns are written one by one, and each of what is summed is a result as well."""
    n, m = shape
    whole, first, rest = (tensor((n, k), "f32") for k in (m, 1, m - 1))
    text = f"""
    func.func @main(%x: {whole}) -> (tensor<{n}xf32>, {whole}) {{
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %first = stablehlo.slice %x [0:{n}, 0:1] : ({whole}) -> {first}
      %rest = stablehlo.slice %x [0:{n}, 1:{m}] : ({whole}) -> {rest}
      %0 = stablehlo.concatenate %rest, %first, dim = 1 : ({rest}, {first}) -> {whole}
      %1 = stablehlo.multiply %0, %x : {whole}
      %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1]
          : ({whole}, tensor<f32>) -> tensor<{n}xf32>
      return %2, %1 : tensor<{n}xf32>, {whole}
    }}"""
    assert_staged(text, numbers(shape, "f32"))


def test_code_is_the_same_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inputs that are turned are so in order: the same program finds its code in a cache."""
    whole, row = "tensor<300x20xf32>", "tensor<300xf32>"
    names = [f"%x{k}" for k in range(5)]
    sums = "\n".join(
        f"%s{k} = stablehlo.add %{'sx'[k == 1]}{k - 1}, %x{k} : {whole}" for k in range(1, 5)
    )
    text = f"""
    func.func @main({", ".join(f"{name}: {whole}" for name in names)}) -> {whole} {{
      {sums}
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.reduce(%s4 init: %zero) applies stablehlo.add across dimensions = [1]
        : ({whole}, tensor<f32>) -> {row}
      %1 = stablehlo.broadcast_in_dim %0, dims = [0] : ({row}) -> {whole}
      %2 = stablehlo.multiply %s2, %1 : {whole}
      return %2 : {whole}
    }}"""
    codes = set()
    for _ in range(8):
        monkeypatch.setattr(lower_stages, "_known", OrderedDict())
        codes.add(compile(text).ir("kernels"))
    assert len(codes) == 1
