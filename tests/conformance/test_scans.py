"""reduce_window over every prefix or suffix of a dimension: cumulative sums and the like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from batch import check
from cases._case import snippet
from cases._tolerances import Ulps
from sliding import Sliding
from window_cases import FOLDS, attributes, case, numbers

pytestmark = pytest.mark.usefixtures("unmapped_neighbours")


def whole(shape: Sequence[int], dimension: int, *, forward: bool) -> Sliding:
    """Windows over every prefix (or suffix) of a dimension."""
    ones, edges = [1] * len(shape), [(0, 0)] * len(shape)
    size, rest = list(ones), shape[dimension] - 1
    size[dimension] = shape[dimension]
    edges[dimension] = (rest, 0) if forward else (0, rest)
    return Sliding(size, ones, edges, ones, ones)


@pytest.mark.parametrize("forward", [True, False], ids=["forward", "reverse"])
@pytest.mark.parametrize("init", ["neutral", "counted"])
def test_cumulative(forward: bool, init: str) -> None:
    """An init value that is not neutral is folded once for itself and once per cell of padding.

    It comes as an argument here, so that the neutral ones are constants in the next test only.
    """
    random = np.random.default_rng(11)
    cases = []
    for name, dimension in product(FOLDS, range(3)):
        x = numbers(random, "f64", (3, 5, 4))
        start = None if init == "neutral" else 2
        cases.append(case(name, x, whole(x.shape, dimension, forward=forward), start))
    check(cases)


CONSTANTS = (
    ("add", "0.0", "f32"),
    ("add", "0", "ui8"),
    ("multiply", "1", "i32"),
    ("maximum", "0xFF800000", "f32"),
    ("maximum", "-128", "i8"),
    ("minimum", "255", "ui8"),
    ("maximum", "5", "i32"),
    ("add", "3", "i32"),
)


@pytest.mark.parametrize("forward", [True, False], ids=["forward", "reverse"])
def test_cumulative_with_constants(forward: bool) -> None:
    """Neutral constants are recognised for what they are, others are not taken for them."""
    random = np.random.default_rng(12)
    cases = []
    for name, literal, element in CONSTANTS:
        x = np.abs(numbers(random, element, (3, 6)))
        value = -np.inf if literal.startswith("0xFF") else float(literal)
        result = case(name, x, whole(x.shape, 1, forward=forward), value)
        constant = f"%init = stablehlo.constant dense<{literal}> : tensor<{element}>\n"
        cases.append(replace(result, text=constant + result.text.replace("%in1)", "%init)")))
    check(cases)


def test_cumulative_with_a_body_of_many_ops() -> None:
    """log(exp(x) + exp(y)) as JAX writes cumlogsumexp."""
    x = np.linspace(-30, 30, 50).astype(np.float32)
    rng = np.random.default_rng(13)
    rng.shuffle(x)
    text = f"""%out0 = "stablehlo.reduce_window"(%in0, %in1) <{{
      {attributes(whole([50], 0, forward=True))}}}> ({{
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.maximum %a, %b : tensor<f32>
      %d = stablehlo.subtract %a, %b : tensor<f32>
      %n = stablehlo.abs %d : tensor<f32>
      %k = stablehlo.negate %n : tensor<f32>
      %e = stablehlo.exponential %k : tensor<f32>
      %l = stablehlo.log_plus_one %e : tensor<f32>
      %s = stablehlo.add %m, %l : tensor<f32>
      %nan = stablehlo.compare NE, %d, %d : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %sum = stablehlo.add %a, %b : tensor<f32>
      %r = stablehlo.select %nan, %sum, %s : tensor<i1>, tensor<f32>
      stablehlo.return %r : tensor<f32>
    }}) : (tensor<50xf32>, tensor<f32>) -> tensor<50xf32>"""
    expected = np.logaddexp.accumulate(x.astype(np.float64))
    init = np.array(-np.inf, np.float32)
    check(
        [
            snippet(
                "cumlogsumexp",
                text,
                [x, init],
                [expected],
                Ulps(16, 1e-5),
                ["tensor<50xf32>"],
            )
        ]
    )
