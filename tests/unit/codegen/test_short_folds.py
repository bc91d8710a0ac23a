"""Reductions of a few elements: exactly what the reference computes, of random shapes and types."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest
from staged_programs import NARROWER, assert_passes, assert_staged, staged

from shlo_tools import interpret

DTYPES = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "i32": np.int32,
    "i8": np.int8,
    "i1": np.bool_,
}
STARTS = {"add": 0, "multiply": 1, "maximum": -100, "minimum": 100, "and": 1, "or": 0}


def tensor(shape: list[int], element: str) -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def start(name: str, element: str) -> str:
    number = STARTS[name]
    if element == "i1":
        return "true" if number == 1 else "false"
    return f"{float(number)}" if "f" in element else f"{number}"


def numbers(rng: np.random.Generator, shape: list[int], element: str) -> np.ndarray:
    """Small integers, whose sums and products every type has; floats also have -0.0 and NaN."""
    array = rng.integers(-2, 3, shape)
    if element == "i1":
        return array > 0
    array = array.astype(DTYPES[element])
    if "f" in element:
        array = np.where(rng.random(shape) < 0.1, -array, array)
        array = np.where(rng.random(shape) < 0.001, np.nan, array).astype(DTYPES[element])
    return array


@pytest.mark.parametrize("seed", range(40))
def test_random_reductions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    element = str(rng.choice(list(DTYPES)))
    logical = element == "i1"
    name = str(rng.choice(["and", "or"] if logical else ["add", "multiply", "maximum", "minimum"]))
    count, inner = int(rng.integers(2, 6)), [int(rng.integers(1, 9)) for _ in range(seed % 2 + 1)]
    outer = -(-17000 // (count * math.prod(inner))) + int(rng.integers(0, 40))
    shape = [outer, count, *inner]
    whole, result, scalar = (
        tensor(shape, element),
        tensor([outer, *inner], element),
        f"tensor<{element}>",
    )
    before = {"add": "negate", "multiply": "abs"}.get(name, "") if element[0] in "fbi" else ""
    text = f"""
    func.func @main(%x: {whole}, %y: {result}) -> {result} {{
      %start = stablehlo.constant dense<{start(name, element)}> : {scalar}
      %0 = stablehlo.{before or ("not" if logical else "negate")} %x : {whole}
      %1 = stablehlo.reduce(%0 init: %start) applies stablehlo.{name} across dimensions = [1]
        : ({whole}, {scalar}) -> {result}
      %2 = stablehlo.{"xor" if logical else "subtract"} %1, %y : {result}
      return %2 : {result}
    }}"""
    x, y = numbers(rng, shape, element), numbers(rng, [outer, *inner], element)
    assert_staged(text, x, y)


ARGMAX = """
    func.func @main(%x: {whole}) -> ({result}, {places}) {{
      %least = stablehlo.constant dense<{least}> : tensor<{element}>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %place = stablehlo.iota dim = {dim} : {all}
      %0:2 = stablehlo.reduce(%x init: %least), (%place init: %zero) across dimensions = [{dim}]
        : ({whole}, {all}, tensor<{element}>, tensor<i32>) -> ({result}, {places})
       reducer(%a: tensor<{element}>, %b: tensor<{element}>)
              (%i: tensor<i32>, %j: tensor<i32>) {{
        %1 = stablehlo.compare GT, %a, %b : (tensor<{element}>, tensor<{element}>) -> tensor<i1>
        %2 = stablehlo.compare EQ, %a, %b : (tensor<{element}>, tensor<{element}>) -> tensor<i1>
        %3 = stablehlo.compare LT, %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %4 = stablehlo.and %2, %3 : tensor<i1>
        %5 = stablehlo.or %1, %4 : tensor<i1>
        %6 = stablehlo.select %1, %a, %b : tensor<i1>, tensor<{element}>
        %7 = stablehlo.select %5, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %6, %7 : tensor<{element}>, tensor<i32>
      }}
      return %0#0, %0#1 : {result}, {places}
    }}"""


@pytest.mark.parametrize("element", ["f32", "f64", "i32", "bf16"])
@pytest.mark.parametrize("shape", [[6000, 3], [5000, 2, 3], [4, 5000], [3000, 4, 1, 2], [4000, 6]])
def test_places_of_the_largest(element: str, shape: list[int]) -> None:
    dim = 0 if shape[0] == 4 else 1
    rest = [size for d, size in enumerate(shape) if d != dim]
    least = "-1000" if element == "i32" else "-1000.0"
    types = {"whole": tensor(shape, element), "all": tensor(shape, "i32")}
    types |= {"result": tensor(rest, element), "places": tensor(rest, "i32")}
    text = ARGMAX.format(**types, element=element, least=least, dim=dim)
    x = np.random.default_rng(len(shape)).integers(-2, 3, shape).astype(DTYPES[element])
    values, places = interpret(text, x)
    np.testing.assert_array_equal(np.asarray(places), np.argmax(x, dim))
    assert_staged(text, x, expected=[values, places])


def sum_of_middle(shape: list[int], element: str) -> str:
    whole, result = tensor(shape, element), tensor([shape[0], shape[2]], element)
    return f"""
    func.func @main(%x: {whole}) -> {result} {{
      %zero = stablehlo.constant dense<0.0> : tensor<{element}>
      %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
        : ({whole}, tensor<{element}>) -> {result}
      return %0 : {result}
    }}"""


def test_zeros_keep_the_sign_of_the_start() -> None:
    """-0.0 + -0.0 is -0.0, but a sum begins with 0.0."""
    shape = [5000, 2, 2]
    result = staged(sum_of_middle(shape, "f32"))(np.full(shape, -0.0, np.float32))
    assert not np.signbit(result).any()


def test_sums_of_narrow_floats_are_rounded_once() -> None:
    shape = [3000, 4, 2]
    x = np.random.default_rng(0).standard_normal(shape).astype(ml_dtypes.bfloat16)
    exact = x.astype(np.float32).sum(1, dtype=np.float32).astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(staged(sum_of_middle(shape, "bf16"))(x), exact)


@pytest.mark.parametrize("name", NARROWER)
def test_narrower_registers(name: str) -> None:
    assert_passes(__file__, name)
