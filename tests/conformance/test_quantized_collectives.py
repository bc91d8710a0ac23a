"""Collectives, deprecated ops and calls on quantized tensors, in a grid of one process.

Every result is known beforehand: this process has the whole, or zeros where nobody sends.
"""

from __future__ import annotations

import numpy as np
import pytest
from batch import run

import shlo_tools
from shlo_tools.errors import UnsupportedError

Q = "!quant.uniform<i8:f32, 0.5:3>"
WIDE = "!quant.uniform<i16:f32, 0.25:-1>"
X = np.array([-128, 127, 3, 0, 5], np.int8)

ONE = "replica_groups = dense<0> : tensor<1x1xi64>"
NOBODY = "replica_groups = dense<> : tensor<0x1xi64>"


def program(name: str, attributes: str, region: str = "", result: str = Q) -> str:
    return f"""func.func @main(%x: tensor<5x{Q}>) -> tensor<5x{result}> {{
      %0 = "stablehlo.{name}"(%x) <{{{attributes}}}> {region}
        : (tensor<5x{Q}>) -> tensor<5x{result}>
      return %0 : tensor<5x{result}>
    }}"""


def sums(element: str) -> str:
    scalar = f"tensor<{element}>"
    return f"""({{ ^bb0(%p: {scalar}, %q: {scalar}):
      %s = stablehlo.add %p, %q : {scalar}
      stablehlo.return %s : {scalar}
    }})"""


def both(text: str, *arguments: np.ndarray) -> list[np.ndarray]:
    return [run(text, *arguments)[0], shlo_tools.interpret(text, *arguments)]


WHOLE = (
    ("all_gather", f"all_gather_dim = 0 : i64, {ONE}", ""),
    (
        "all_to_all",
        f"split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 1 : i64, {ONE}",
        "",
    ),
    ("collective_broadcast", ONE, ""),
    ("collective_permute", "source_target_pairs = dense<0> : tensor<1x2xi64>", ""),
    ("all_reduce", ONE, sums(Q)),
    ("collective_reduce", ONE, sums(Q)),
    ("reduce_scatter", f"scatter_dimension = 0 : i64, {ONE}", sums(Q)),
    ("cross-replica-sum", ONE, ""),
)


@pytest.mark.parametrize(("name", "attributes", "region"), WHOLE)
def test_one_process_has_the_whole(name: str, attributes: str, region: str) -> None:
    for result in both(program(name, attributes, region), X):
        assert np.array_equal(result, X)


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("collective_broadcast", NOBODY),
        ("collective_permute", "source_target_pairs = dense<> : tensor<0x2xi64>"),
    ],
)
def test_who_gets_nothing_gets_what_stands_for_zero(name: str, attributes: str) -> None:
    for result in both(program(name, attributes), X):
        assert np.array_equal(result, np.full(5, 3, np.int8))


def test_elements_take_the_type_of_the_computation() -> None:
    """(x - 3) * 0.5 is ((x - 3) * 2 - 1) quarters above the zero point -1."""
    expected = (X.astype(np.int16) - 3) * 2 - 1
    for result in both(program("all_reduce", ONE, sums(WIDE), WIDE), X):
        assert result.dtype == np.int16
        assert np.array_equal(result, expected)


def test_futures_hold_quantized_tensors() -> None:
    text = f"""func.func @main(%x: tensor<5x{Q}>) -> tensor<2x{Q}> {{
      %f = "stablehlo.async_start"(%x) ({{
      ^bb0(%v: tensor<5x{Q}>):
        %s = stablehlo.slice %v [1:3] : (tensor<5x{Q}>) -> tensor<2x{Q}>
        stablehlo.return %s : tensor<2x{Q}>
      }}) : (tensor<5x{Q}>) -> !stablehlo.future<tensor<2x{Q}>>
      %0 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2x{Q}>>) -> tensor<2x{Q}>
      return %0 : tensor<2x{Q}>
    }}"""
    for result in both(text, X):
        assert np.array_equal(result, X[1:3])


# --- deprecated ops -------------------------------------------------------------------------------
@pytest.mark.parametrize("rows", ["4", "?"])
def test_index_selection(rows: str) -> None:
    x = np.arange(-6, 6, dtype=np.int8).reshape(4, 3)
    indices = np.array([3, 0, 9], np.int32)  # 9 is clamped
    text = f"""func.func @main(%x: tensor<{rows}x3x{Q}>, %i: tensor<3xi32>) -> tensor<3x3x{Q}> {{
      %0 = "stablehlo.torch_index_select"(%x, %i) {{dim = 0 : i64, batch_dims = 0 : i64}}
        : (tensor<{rows}x3x{Q}>, tensor<3xi32>) -> tensor<3x3x{Q}>
      return %0 : tensor<3x3x{Q}>
    }}"""
    for result in both(text, x, indices):
        assert np.array_equal(result, x[[3, 0, 3]])


@pytest.mark.parametrize("result", [Q, "f32"])
def test_einsum_sums_what_integers_stand_for(result: str) -> None:
    x = np.array([[1, 2, 3], [4, 5, 6]], np.int8)
    y = np.array([[3, 4], [5, 6], [7, -8]], np.int8)
    text = f"""func.func @main(%x: tensor<2x3x{Q}>, %y: tensor<3x2x{Q}>) -> tensor<2x2x{result}> {{
      %0 = stablehlo.einsum %x, %y, config = "ij,jk->ik"
        : (tensor<2x3x{Q}>, tensor<3x2x{Q}>) -> tensor<2x2x{result}>
      return %0 : tensor<2x2x{result}>
    }}"""
    numbers = ((x - 3) * 0.5) @ ((y - 3) * 0.5)
    expected = np.clip(np.rint(numbers / 0.5 + 3), -128, 127) if result == Q else numbers
    for computed in both(text, x, y):
        assert np.array_equal(computed, expected)


# --- calls that hand a tensor on ------------------------------------------------------------------
@pytest.mark.parametrize("target", ["Sharding", "stablehlo.shape_refinement_operand_wrapper"])
@pytest.mark.parametrize("result", [WIDE.replace("i16", "i8"), "i8", "!quant.uniform<i8:f32, 0.5>"])
def test_integers_are_not_handed_on_as_other_numbers(target: str, result: str) -> None:
    text = program("custom_call", f'call_target_name = "{target}"', result=result)
    with pytest.raises(UnsupportedError, match=f"{target}.*hands"):
        shlo_tools.compile(text)
    with pytest.raises(UnsupportedError, match=f"{target}.*hands"):
        shlo_tools.interpret(text, X)
    same = program("custom_call", f'call_target_name = "{target}"')
    for computed in both(same, X):
        assert np.array_equal(computed, X)
