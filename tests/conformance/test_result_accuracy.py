"""``result_accuracy``: honoured where the stated bound keeps it, else refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from batch import check
from cases._case import operation
from cases._tolerances import Ulps

import shlo_tools
from shlo_tools.dtypes import ELEMENT_TYPES
from shlo_tools.errors import UnsupportedError

Array = np.ndarray[Any, Any]

FUNCTIONS: dict[str, Any] = {
    "cbrt": np.cbrt,
    "cosine": np.cos,
    "exponential": np.exp,
    "exponential_minus_one": np.expm1,
    "log": np.log,
    "log_plus_one": np.log1p,
    "logistic": lambda x: 1 / (1 + np.exp(-x)),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sine": np.sin,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
}
BOUNDS = {"f64": 4, "f32": 2, "f16": 1, "bf16": 1, "f8E5M2": 1}

INFINITY = "0x7FF0000000000000"  # as MLIR writes it


def accuracy(mode: str, **tolerance: float) -> str:
    written = {
        k: v if k == "ulps" else INFINITY if v == np.inf else f"{v:.17e}"
        for k, v in tolerance.items()
    }
    inputs = "".join(f"{name} = {value}, " for name, value in written.items())
    mode = f"mode = #stablehlo.result_accuracy_mode<{mode}>"
    return f"result_accuracy = #stablehlo.result_accuracy<{inputs}{mode}>"


def program(function: str, element: str, attribute: str) -> str:
    type = f"tensor<4x{element}>"
    return f"""func.func @main(%x: {type}) -> {type} {{
      %0 = "stablehlo.{function}"(%x) {{{attribute}}} : ({type}) -> {type}
      return %0 : {type}
    }}"""


def refusal(function: str, element: str, attribute: str) -> str:
    """The message with which a program is refused; '' if it is not."""
    try:
        shlo_tools.compile(program(function, element, attribute))
    except UnsupportedError as error:
        return str(error)
    return ""


def test_results_are_as_close_as_asked() -> None:
    """All functions, all types; what numpy computes in extended precision is taken as exact."""
    cases = []
    for element, ulps in BOUNDS.items():
        dtype = ELEMENT_TYPES[element].dtype
        x = np.random.default_rng(0).uniform(0.1, 3, 301).astype(dtype)
        for name, function in FUNCTIONS.items():
            exact = function(x.astype(np.longdouble))
            for attribute in (
                accuracy("TOLERANCE", ulps=ulps),
                accuracy("HIGHEST"),
                accuracy("DEFAULT"),
            ):
                result = f"tensor<301x{element}>"
                cases.append(
                    operation(
                        name,
                        [x],
                        exact,
                        attribute,
                        tolerance=Ulps(ulps),
                        result=result,
                    )
                )
    check(cases, together=60)


@pytest.mark.parametrize("element", ["f64", "f32"])
def test_more_than_the_bound_is_refused(element: str) -> None:
    bound = BOUNDS[element]
    refusals = refusal("tanh", element, accuracy("TOLERANCE", ulps=bound - 1))
    assert f"stablehlo.tanh (tensor<4x{element}>)" in refusals
    assert f"atol = 0, rtol = 0, ulps = {bound - 1}" in refusals
    assert f"the bound stated for {element} is {bound} ulp" in refusals


EPS = 2.0**-23  # of f32, whose bound is twice that


@pytest.mark.parametrize(
    ("function", "tolerance", "kept"),
    [
        ("exponential", {"ulps": 2}, True),
        ("exponential", {"ulps": 1}, False),
        ("exponential", {}, False),
        ("exponential", {"rtol": 2 * EPS}, True),
        ("exponential", {"rtol": 1.9 * EPS}, False),
        # Of a result near 2^128 the last place is 2^104.
        ("exponential", {"atol": 1e6}, False),
        ("exponential", {"atol": 1e32}, True),
        ("exponential", {"atol": np.inf}, True),
        ("sine", {"atol": 2 * EPS}, True),
        ("sine", {"atol": 1.9 * EPS}, False),
        ("exponential", {"atol": 1e-9, "ulps": 2}, True),
        ("exponential", {"rtol": 1e-9, "ulps": 1}, False),
    ],
)
def test_one_bound_that_is_kept_is_enough(
    function: str, tolerance: dict[str, float], kept: bool
) -> None:
    assert (refusal(function, "f32", accuracy("TOLERANCE", **tolerance)) == "") == kept


@pytest.mark.parametrize("element", ["f16", "bf16", "f8E5M2", "f4E2M1FN"])
def test_narrow_floats_are_counted_in_their_own_last_places(element: str) -> None:
    assert refusal("tanh", element, accuracy("TOLERANCE", ulps=1)) == ""
    refusals = refusal("tanh", element, accuracy("TOLERANCE", rtol=1e-6))
    assert f"the bound stated for {element} is 1 ulp" in refusals


def test_parts_of_complex_numbers_have_a_bound() -> None:
    assert refusal("tanh", "complex<f32>", accuracy("HIGHEST")) == ""
    assert refusal("tanh", "complex<f32>", accuracy("TOLERANCE", ulps=3)) == ""
    refusals = refusal("tanh", "complex<f32>", accuracy("TOLERANCE", ulps=2))
    assert "the bound stated for complex<f32> is 3 ulp" in refusals
    refusals = refusal("logistic", "complex<f32>", accuracy("TOLERANCE", ulps=100))
    assert "no bound is stated for a part's error" in refusals


def test_inside_the_region_of_another_op() -> None:
    scalar = "tensor<f32>"
    text = f"""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
      %0 = "stablehlo.map"(%x) ({{
        ^bb0(%a: {scalar}):
          %r = "stablehlo.log"(%a) {{{accuracy("TOLERANCE", ulps=1)}}} : ({scalar}) -> {scalar}
          stablehlo.return %r : {scalar}
      }}) {{dimensions = array<i64: 0>}} : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }}"""
    with pytest.raises(UnsupportedError, match=r"stablehlo\.log .*ulps = 1"):
        shlo_tools.compile(text)
