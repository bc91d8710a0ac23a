"""Plain reductions of values and their places: the greatest or the least, and where it is."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import numpy as np
import pytest
from reduction_programs import FIRST, JAX, LAST, SELECTED, TORCH, extreme, selected, selection
from staged_programs import assert_staged, staged

from shlo_tools.codegen import shared_kernels

REGIONS = {"jax": JAX, "torch": TORCH, "last": LAST, "first": FIRST}
# Shapes that are walked in other ways: rows, columns, both, in blocks, with what is left over.
SHAPES = [
    *(((7,), 0), ((100_001,), 0), ((64, 96), 1), ((33, 97), 1), ((301, 5), 1), ((3, 20_001), 1)),
    *(((64, 128), 0), ((900, 77), 0), ((3, 2000), 0), ((9, 5, 64), 1), ((6, 7, 129), 1)),
    *(((5, 40, 3), 1), ((40, 3, 20), 0), ((4, 3, 50), 2), ((1, 60), 1), ((60, 1), 0)),
]


def kernels(text: str) -> list[str]:
    """The names of a program's kernels."""
    codes = staged(text)._planned.program.codes.values()
    return [job.function for code in codes for job in code.jobs]


def is_plain(text: str) -> bool:
    """Whether a program's kernels say nothing of it."""
    return all(name.startswith(shared_kernels.GENERAL) for name in kernels(text))


def values(shape: Sequence[int], element: str, seed: int = 0) -> np.ndarray:
    """Few different numbers, so that many are equal; zeros of both signs and NaN of floats."""
    generator = np.random.default_rng(seed)
    numbers = generator.integers(0, 7, shape).astype(SELECTED[element])
    if element not in ("f32", "f64", "bf16", "f16"):
        return numbers
    numbers = numbers - np.asarray(3, numbers.dtype)
    numbers[generator.random(shape) < 0.3] *= np.asarray(-0.0, numbers.dtype)
    numbers[generator.random(shape) < 0.02] = np.nan
    return numbers


@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize(("shape", "dimension"), SHAPES, ids=str)
def test_shapes(shape: tuple[int, ...], dimension: int, region: str) -> None:
    text = selection(shape, dimension, "f32", REGIONS[region])
    assert is_plain(text) or shape in ((301, 5), (7,))  # rows of one vector are the program's own
    x = values(shape, "f32")
    assert_staged(text, x, expected=selected(x, dimension, REGIONS[region]))


@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize("element", ["f64", "bf16", "f16", "i8", "ui8", "i64"])
@pytest.mark.parametrize("dimension", [0, 1])
def test_elements(element: str, dimension: int, region: str) -> None:
    text = selection((45, 101), dimension, element, REGIONS[region])
    assert is_plain(text)
    assert_staged(text, values((45, 101), element))


@pytest.mark.parametrize("number", ["i64", "ui8", "i8", "ui16"])
@pytest.mark.parametrize("region", REGIONS)
def test_types_of_places(number: str, region: str) -> None:
    for shape, dimension in (((20, 120), 1), ((120, 20), 0)):
        text = selection(shape, dimension, "f32", REGIONS[region], number)
        assert is_plain(text)
        assert_staged(text, values(shape, "f32"))


@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize("value", [np.nan, -np.inf, np.inf, -0.0])
def test_rows_of_one_value(region: str, value: float) -> None:
    for shape, dimension in (((5, 130), 1), ((130, 70), 0), ((40_000,), 0)):
        text = selection(shape, dimension, "f32", REGIONS[region])
        whole = np.full(shape, value, np.float32)
        assert_staged(text, whole, expected=selected(whole, dimension, REGIONS[region]))
        whole.flat[77] = np.nan
        assert_staged(text, whole, expected=selected(whole, dimension, REGIONS[region]))


@pytest.mark.parametrize("start", [("2.0", "50"), ("1.5", "0"), ("0x7FC00000", "3"), ("0.0", "-1")])
@pytest.mark.parametrize("region", REGIONS)
def test_starts(start: tuple[str, str], region: str) -> None:
    """What a reduction starts from may be the greatest, or NaN, and have any number."""
    for shape, dimension in (((9, 130), 1), ((130, 40), 0), ((40_000,), 0)):
        text = selection(shape, dimension, "f32", REGIONS[region], start=start)
        whole = values(shape, "f32")
        whole[np.isnan(whole)] = 1
        value = np.nan if start[0] == "0x7FC00000" else float(start[0])
        expected = selected(whole, dimension, REGIONS[region], start=(value, int(start[1])))
        assert_staged(text, whole, expected=expected)


@pytest.mark.parametrize("returned", [(0,), (1,), (0, 1), (1, 0)])
@pytest.mark.parametrize(("shape", "dimension"), [((30, 100), 1), ((100, 30), 0), ((90_000,), 0)])
def test_either_result(returned: Sequence[int], shape: tuple[int, ...], dimension: int) -> None:
    text = selection(shape, dimension, "f32", JAX, returned=returned)
    assert is_plain(text)
    x = values(shape, "f32")
    both = selected(x, dimension, JAX)
    assert_staged(text, x, expected=[both[k] for k in returned])


@pytest.mark.parametrize(
    ("shape", "other", "dimension"),
    [
        *(((64, 1000), (128, 3000), 1), ((640, 256), (1280, 512), 0)),
        *(((8, 9, 64), (3, 11, 64), 1), ((320_000,), (640_000,), 0)),
    ],
    ids=str,
)
@pytest.mark.parametrize("returned", [(1,), (0, 1)])
def test_programs_of_other_sizes_share_kernels(
    shape: Sequence[int], other: Sequence[int], dimension: int, returned: Sequence[int]
) -> None:
    first, second = (
        kernels(selection(s, dimension, "f32", JAX, returned=returned)) for s in (shape, other)
    )
    assert first == second
    assert all(name.startswith(shared_kernels.GENERAL) for name in first)


def test_conversions_around_a_selection() -> None:
    region = JAX.replace("<T>", "<f32>").replace("<N>", "<i32>")
    text = f"""
    func.func public @main(%x: tensor<40x300xbf16>) -> (tensor<40xf64>, tensor<40xi64>) {{
      %least = stablehlo.constant dense<{extreme("f32")}> : tensor<f32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %places = stablehlo.iota dim = 1 : tensor<40x300xi32>
      %wide = stablehlo.convert %x : (tensor<40x300xbf16>) -> tensor<40x300xf32>
      %r:2 = stablehlo.reduce(%wide init: %least), (%places init: %zero) across dimensions = [1]
          : (tensor<40x300xf32>, tensor<40x300xi32>, tensor<f32>, tensor<i32>)
          -> (tensor<40xf32>, tensor<40xi32>)
       reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>) {{{region}
      }}
      %value = stablehlo.convert %r#0 : (tensor<40xf32>) -> tensor<40xf64>
      %place = stablehlo.convert %r#1 : (tensor<40xi32>) -> tensor<40xi64>
      return %value, %place : tensor<40xf64>, tensor<40xi64>
    }}"""
    assert_staged(text, values((40, 300), "bf16"))


def test_places_in_a_vector_that_is_spread() -> None:
    """Places that one vector counts for all rows, of an argument of another shape."""
    region = JAX.replace("<T>", "<f32>").replace("<N>", "<i32>")
    text = f"""
    func.func public @main(%x: tensor<600x50xf32>) -> tensor<100xi32> {{
      %least = stablehlo.constant dense<{extreme("f32")}> : tensor<f32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %count = stablehlo.iota dim = 0 : tensor<300xi32>
      %places = stablehlo.broadcast_in_dim %count, dims = [1]
          : (tensor<300xi32>) -> tensor<100x300xi32>
      %rows = stablehlo.reshape %x : (tensor<600x50xf32>) -> tensor<100x300xf32>
      %r:2 = stablehlo.reduce(%rows init: %least), (%places init: %zero)
          across dimensions = [1]
          : (tensor<100x300xf32>, tensor<100x300xi32>, tensor<f32>, tensor<i32>)
          -> (tensor<100xf32>, tensor<100xi32>)
       reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>) {{{region}
      }}
      return %r#1 : tensor<100xi32>
    }}"""
    assert is_plain(text)
    assert_staged(text, values((600, 50), "f32"))


def test_places_along_another_dimension_are_the_programs_own() -> None:
    """Places that do not count what is reduced are no order of it."""
    text = selection((30, 100), 1, "f32", JAX).replace("iota dim = 1", "iota dim = 0")
    assert not is_plain(text)
    assert_staged(text, values((30, 100), "f32"))


@pytest.mark.parametrize("region", REGIONS)
def test_places_that_begin_again(region: str) -> None:
    """Not all of 300 places have a number of their own of 8 bits, which could tell their order."""
    text = selection((6, 300), 1, "f32", REGIONS[region], "i8")
    assert_staged(text, values((6, 300), "f32"))


RULES = {
    "value": ["GT", "GE", "LT", "LE"],
    "nan": ["%a, %a", "%c, %c", ""],
    "tie": ["LT", "LE", "GT", "GE", "NE", ""],
}


def chosen(value: str, nan: str, tie: str) -> str:
    """A region that compares values, regards NaN or not, and maybe numbers of equal values."""
    same = "(tensor<T>, tensor<T>) -> tensor<i1>"
    is_nan = f"stablehlo.compare NE, {nan} : {same}" if nan else "stablehlo.constant dense<0> : T"
    is_nan = is_nan.replace("dense<0> : T", "dense<false> : tensor<i1>")
    order = f"stablehlo.compare {tie}, %b, %d : (tensor<N>, tensor<N>) -> tensor<i1>"
    order = order if tie else "stablehlo.constant dense<false> : tensor<i1>"
    return f"""
  %0 = stablehlo.compare {value}, %a, %c : {same}
  %1 = {is_nan}
  %2 = stablehlo.or %0, %1 : tensor<i1>
  %3 = stablehlo.compare EQ, %a, %c : {same}
  %4 = {order}
  %5 = stablehlo.and %3, %4 : tensor<i1>
  %6 = stablehlo.or %2, %5 : tensor<i1>
  %7 = stablehlo.select %2, %a, %c : tensor<i1>, tensor<T>
  %8 = stablehlo.select %6, %b, %d : tensor<i1>, tensor<N>
  stablehlo.return %7, %8 : tensor<T>, tensor<N>"""


@pytest.mark.parametrize("rule", [*itertools.product(*RULES.values())], ids=str)
def test_any_rule(rule: tuple[str, str, str]) -> None:
    """Whatever a region says of NaN and of equal values, the order of the elements is kept."""
    generator = random.Random(str(rule))
    shape, dimension = generator.choice([((3, 150), 1), ((150, 40), 0), ((5, 60, 7), 1)])
    bounds = [extreme("f32"), extreme("f32", is_least=False), "1.0"]
    start = generator.choice(bounds), generator.choice(["0", "-1", "1000"])
    element = generator.choice(["f32", "f32", "bf16"])
    if element == "bf16":
        start = "1.0", start[1]
    text = selection(shape, dimension, element, chosen(*rule), start=start)
    assert is_plain(text)
    assert_staged(text, values(shape, element, generator.randrange(99)))
