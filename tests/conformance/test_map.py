"""map: a computation at every position."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from batch import check
from cases._case import snippet, type_of
from cases._tolerances import Ulps, difference

import shlo_tools
from shlo_tools import ops
from shlo_tools.builder import Module
from shlo_tools.errors import ConstraintError

REGION = """({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>):
    %c = stablehlo.convert %b : (tensor<i32>) -> tensor<f32>
    %d = stablehlo.multiply %a, %c : tensor<f32>
    %e = stablehlo.add %d, %in2 : tensor<f32>
    %f = stablehlo.compare GT, %e, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %f : tensor<i1>
})"""


@pytest.mark.parametrize("shape", [(), (5,), (3, 0), (2, 3, 4)])
def test_types_may_change(shape: tuple[int, ...]) -> None:
    """Operands of two types, a value from outside, a result of a third type."""
    random = np.random.default_rng(1)
    x = random.normal(size=shape).astype(np.float32)
    y = random.integers(-5, 5, shape, np.int32)
    outside = np.array(0.25, np.float32)
    expected = np.asarray(x * y + outside > x)
    dimensions = ", ".join(map(str, range(len(shape))))
    text = f'%out0 = "stablehlo.map"(%in0, %in1) <{{dimensions = array<i64{": " * bool(shape)}'
    text += f"{dimensions}>}}> {REGION} : ({type_of(x)}, {type_of(y)}) -> {type_of(expected)}"
    check([snippet(f"map {shape}", text, [x, y, outside], [expected])])


def test_builder() -> None:
    module = Module()

    @module.func("4x3xf32")
    def main(x: ops.Tensor) -> ops.Tensor:
        return ops.map([x, x], (0, 1), lambda a, b: ops.exponential(a) - b)

    x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)
    expected = np.exp(x.astype(np.float64)) - x
    assert difference(shlo_tools.compile(module)(x), expected, Ulps(4)) == ""


@pytest.mark.parametrize(("label", "dimensions"), [("C3", (1, 0)), ("C3", (0,))])
def test_constraints(label: str, dimensions: tuple[int, ...]) -> None:
    with pytest.raises(ConstraintError, match=rf"\({label}\)"):

        @Module().func("4x3xf32")
        def main(x: ops.Tensor) -> Any:
            return ops.map([x], dimensions, ops.negate)
