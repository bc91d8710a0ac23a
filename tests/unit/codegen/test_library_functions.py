"""Functions of CHLO that kernels call: in every kind of stage, of every float that has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special  # type: ignore[import-untyped]
from staged_programs import staged

from shlo_tools import compile
from shlo_tools.dtypes import ELEMENT_TYPES

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "erf": special.erf,
    "erfc": special.erfc,
}
DIGITS = {"f16": 11, "bf16": 8, "f32": 24, "f64": 50}


def numbers(element: str, *shape: int) -> Any:
    x = np.random.default_rng(0).uniform(-3, 3, shape)
    return x.astype(ELEMENT_TYPES[element].dtype)


@pytest.mark.parametrize("element", DIGITS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_maps(function: str, element: str) -> None:
    type = f"tensor<3x67x{element}>"
    text = f"""func.func @main(%x: {type}) -> {type} {{
      %0 = chlo.{function} %x : {type} -> {type}
      return %0 : {type} }}"""
    x = numbers(element, 3, 67)
    result = staged(text)(x)
    expected = FUNCTIONS[function](x.astype(np.float64))
    np.testing.assert_allclose(
        result.astype(np.float64), expected, rtol=2.0 ** (1 - DIGITS[element])
    )


@pytest.mark.parametrize("function", FUNCTIONS)
def test_sums_of_rows(function: str) -> None:
    text = f"""func.func @main(%x: tensor<9x130xf32>) -> tensor<9xf32> {{
      %0 = chlo.{function} %x : tensor<9x130xf32> -> tensor<9x130xf32>
      %1 = stablehlo.constant dense<0.0> : tensor<f32>
      %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [1]
        : (tensor<9x130xf32>, tensor<f32>) -> tensor<9xf32>
      return %2 : tensor<9xf32> }}"""
    x = numbers("f32", 9, 130)
    expected = FUNCTIONS[function](x.astype(np.float64)).sum(1)
    np.testing.assert_allclose(staged(text)(x), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_loops_of_tiny_tensors(function: str) -> None:
    text = f"""func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {{
      %i = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %n = stablehlo.constant dense<4> : tensor<i32>
      %0:2 = stablehlo.while(%k = %i, %y = %x) : tensor<i32>, tensor<3xf32>
      cond {{
        %1 = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      }} do {{
        %1 = stablehlo.add %k, %one : tensor<i32>
        %2 = chlo.{function} %y : tensor<3xf32> -> tensor<3xf32>
        stablehlo.return %1, %2 : tensor<i32>, tensor<3xf32>
      }}
      return %0#1 : tensor<3xf32> }}"""
    x = numbers("f32", 3)
    expected = x.astype(np.float64)
    for _ in range(4):
        expected = FUNCTIONS[function](expected)
    np.testing.assert_allclose(staged(text)(x), expected, rtol=2e-6)


@pytest.mark.parametrize("type", ["tensor<?xf32>", "tensor<?xf64>"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_formulas_of_all_others(function: str, type: str) -> None:
    text = f"""func.func @main(%x: {type}) -> {type} {{
      %0 = chlo.{function} %x : {type} -> {type}
      return %0 : {type} }}"""
    x = numbers("f64" if "f64" in type else "f32", 5)
    result = compile(text)(x)
    np.testing.assert_allclose(result, FUNCTIONS[function](x.astype(np.float64)), rtol=3e-7)
