"""Functions of one bf16: natively, of every operand the result is the nearest bf16."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from scipy import special  # type: ignore[import-untyped]

import shlo_tools

pytestmark = pytest.mark.usefixtures("unmapped_neighbours")

NEAREST: dict[str, Callable[[Any], Any]] = {
    "chlo.erf": special.erf,
    "chlo.erfc": special.erfc,
    "stablehlo.cosine": np.cos,
    "stablehlo.exponential": np.exp,
    "stablehlo.exponential_minus_one": np.expm1,
    "stablehlo.log": np.log,
    "stablehlo.log_plus_one": np.log1p,
    "stablehlo.logistic": lambda x: np.where(x < 0, np.exp(x), 1) / (1 + np.exp(-np.abs(x))),
    "stablehlo.sine": np.sin,
    "stablehlo.tanh": np.tanh,
}


@pytest.mark.parametrize("name", NEAREST)
def test_every_operand(name: str) -> None:
    type = "tensor<65536xbf16>"
    program = shlo_tools.compile(f"""
        func.func @main(%x: {type}) -> {type} {{
          %y = "{name}"(%x) : ({type}) -> {type}
          return %y : {type}
        }}""")
    x = np.arange(65536, dtype=np.uint16).view(ml_dtypes.bfloat16)
    with np.errstate(all="ignore"):
        expected = NEAREST[name](x.astype(np.float64)).astype(ml_dtypes.bfloat16)
    number = ~np.isnan(expected)
    actual = np.asarray(program(x))
    np.testing.assert_array_equal(np.isnan(actual), ~number)
    np.testing.assert_array_equal(actual[number].view(np.int16), expected[number].view(np.int16))
