"""Custom calls on tensors whose sizes are known at run time only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import reference
from shlo_tools.errors import ExecutionError, ShapeMismatchError

Array = np.ndarray[Any, Any]
Compile = Callable[[str], Callable[..., Any]]
BOTH = pytest.mark.parametrize("compile", [shlo_tools.compile, reference.compile])


pytestmark = pytest.mark.usefixtures("own_registry")


M = "tensor<?x3xf32>"
SHAPED = f"""func.func @main(%x: {M}, %n: tensor<2xi64>) -> {M} {{
  %0 = stablehlo.custom_call @test.sized(%x, %n)
    {{indices_of_shape_operands = dense<1> : tensor<1xi64>}} : ({M}, tensor<2xi64>) -> {M}
  return %0 : {M}
}}"""


def rows(count: int) -> Array:
    array = np.arange(count * 3, dtype=np.float32).reshape(count, 3)
    array.flags.writeable = False
    return array


def sizes(*numbers: int) -> Array:
    return np.array(numbers, np.int64)


@BOTH
def test_a_function_sees_the_sizes_of_its_call(compile: Compile) -> None:
    visited: list[tuple[int, ...]] = []

    @shlo_tools.custom_call("test.sized")
    def sized(x: Array, *, result_types: Sequence[Any]) -> Array:
        visited.append((len(x), *result_types[0].shape))
        return np.concatenate([x, x])[: result_types[0].shape[0]]

    run = compile(SHAPED)
    calls = [(2, 2), (2, 3), (0, 0), (5, 1), (1000, 2000), (2, 2)]
    for inputs, expected in calls:
        got = run(rows(inputs), sizes(expected, 3))
        np.testing.assert_array_equal(got, np.concatenate([rows(inputs)] * 2)[:expected])
    assert visited == [(inputs, expected, 3) for inputs, expected in calls]


def test_a_function_writes_memory_of_the_sizes_of_its_call() -> None:
    @shlo_tools.custom_call("test.sized")
    def sized(x: Array, *, outputs: Sequence[Array]) -> None:
        outputs[0][...] = x[: outputs[0].shape[0]] + 1

    run = shlo_tools.compile(SHAPED)
    for count in (4, 0, 1, 7):
        np.testing.assert_array_equal(run(rows(8), sizes(count, 3)), rows(count) + 1)


def test_wrong_sizes_are_told_and_forgotten() -> None:
    @shlo_tools.custom_call("test.sized")
    def sized(x: Array) -> Array:
        return x

    run = shlo_tools.compile(SHAPED)
    for _ in range(3):
        with pytest.raises(ExecutionError, match=r"shape \(2, 3\) as result 0.*tensor<4x3xf32>"):
            run(rows(2), sizes(4, 3))
        with pytest.raises(ShapeMismatchError, match=r"-:2:.*below 0.* = -1$"):
            run(rows(2), sizes(-1, 3))
        with pytest.raises(ShapeMismatchError, match=r"-:2:.*3 is not|is not 3"):
            run(rows(2), sizes(2, 4))
        np.testing.assert_array_equal(run(rows(2), sizes(2, 3)), rows(2))


@BOTH
def test_called_computations_of_any_size(compile: Compile) -> None:
    @shlo_tools.custom_call("test.sized")
    def sized(x: Array, *, called_computations: Sequence[Callable[[Array], Array]]) -> Array:
        (double,) = called_computations
        return double(x[::2].copy()).sum(axis=0) + double(x[1::2].copy()).sum(axis=0)

    run = compile(f"""func.func @main(%x: {M}) -> tensor<3xf32> {{
      %0 = stablehlo.custom_call @test.sized(%x) {{called_computations = [@double]}}
        : ({M}) -> tensor<3xf32>
      return %0 : tensor<3xf32>
    }}
    func.func private @double(%x: {M}) -> {M} {{
      %0 = stablehlo.add %x, %x : {M}
      return %0 : {M}
    }}""")
    for count in (0, 1, 5, 100):
        np.testing.assert_allclose(run(rows(count)), rows(count).sum(axis=0) * 2, rtol=1e-6)


@BOTH
def test_the_wrapper_of_a_refined_operand(compile: Compile) -> None:
    """What JAX puts around an argument whose sizes it refines is that argument."""
    run = compile(f"""func.func @main(%x: {M}, %n: tensor<2xi64>) -> {M} {{
      %0 = stablehlo.custom_call @stablehlo.shape_refinement_operand_wrapper(%x, %n)
        {{indices_of_shape_operands = dense<1> : tensor<1xi64>}} : ({M}, tensor<2xi64>) -> {M}
      return %0 : {M}
    }}""")
    np.testing.assert_array_equal(run(rows(4), sizes(4, 3)), rows(4))
