"""``chlo.scan``, ``ragged_dot`` and ``top_k`` where only run time knows sizes.

Expected values are numpy's loops; what the reference says must agree.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import test_ragged_dot
from batch import mismatch, run
from cases._case import Array, Case, program

import shlo_tools
from shlo_tools.errors import ShapeMismatchError, UnsupportedError


def unknown(text: str) -> str:
    """All sizes of all tensors left open."""
    return re.sub(r"tensor<((?:\d+x)+)", lambda match: f"tensor<{'?x' * match[1].count('x')}", text)


# --- ragged_dot -----------------------------------------------------------------------------------
CASES = [
    "test_rows_meet_the_matrix_of_their_group",
    "test_rows_in_batches",
    "test_sums_over_each_group",
    "test_sums_in_batches",
    "test_ragged_batches_change_nothing",
]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("sizes", [test_ragged_dot.SIZES, test_ragged_dot.BATCHED_SIZES])
def test_ragged_products(name: str, sizes: Array, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cases of known sizes, without their sizes."""
    calls: list[Case] = []
    monkeypatch.setattr(test_ragged_dot, "check", calls.extend)
    test: Any = getattr(test_ragged_dot, name)
    if "batches" in name and name != CASES[-1]:
        test(sizes)
    else:
        test()
    assert calls
    for case in calls:
        results = run(unknown(program([case])), *(item.array for item in case.inputs))
        assert case.expected and mismatch(case, results, case.expected) == ""


def test_as_many_groups_as_matrices() -> None:
    x, matrices = np.ones((4, 3), np.float32), np.ones((2, 3, 5), np.float32)
    numbers = "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], "
    numbers += "lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]"
    text = f"""func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?x?xf32>, %n: tensor<?xi32>)
        -> tensor<?x?xf32> {{
      %0 = "chlo.ragged_dot"(%x, %y, %n) {{
        ragged_dot_dimension_numbers = #chlo.ragged_dot<{numbers}>}}
        : (tensor<?x?xf32>, tensor<?x?x?xf32>, tensor<?xi32>) -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    }}"""
    expected = np.vstack([np.full((3, 5), 3, np.float32), np.zeros((1, 5), np.float32)])
    assert np.array_equal(run(text, x, matrices, np.array([1, 2], np.int32))[0], expected)
    for sizes in ([4], [1, 2, 1]):
        with pytest.raises(ShapeMismatchError):
            run(text, x, matrices, np.array(sizes, np.int32))


# --- scan -----------------------------------------------------------------------------------------
def sums(inputs: str, carry: str, output: str, *, dimension: int, reverse: bool) -> str:
    """Running sums, of which every output slice holds two copies beside each other."""
    piece = carry
    pair = re.sub(r"\d+x(?=f64)", "?x", carry)
    return f"""func.func @main(%x: {inputs}, %c: {carry}) -> ({output}, {carry}) {{
      %0, %1 = "chlo.scan"(%x, %c) <{{dimension = {dimension} : i64,
          is_reverse = {str(reverse).lower()},
          operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}}> ({{
        ^bb0(%a: {piece}, %b: {piece}):
          %s = stablehlo.add %b, %a : {piece}
          %d = stablehlo.concatenate %s, %s, dim = 0 : ({piece}, {piece}) -> {pair}
          stablehlo.return %d, %s : {pair}, {piece}
        }}) : ({inputs}, {carry}) -> ({output}, {carry})
      return %0, %1 : {output}, {carry}
    }}"""


def expected(x: Array, c: Array, dimension: int, *, reverse: bool) -> tuple[Array, Array]:
    rows = []
    steps = range(x.shape[dimension])
    for step in reversed(steps) if reverse else steps:
        c = c + np.take(x, step, axis=dimension)
        rows.append(np.concatenate([c, c], 0))
    if reverse:
        rows.reverse()
    shape = [*c.shape]
    shape[0] *= 2
    shape.insert(dimension, 0)
    return np.stack(rows, dimension) if rows else np.empty(shape), c


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    ("shape", "dimension"), [((4, 3), 0), ((4, 3), 1), ((0, 3), 0), ((1, 2, 3), 2), ((2, 0), 0)]
)
@pytest.mark.parametrize("known", [False, True], ids=["unknown steps", "known steps"])
def test_scans(shape: tuple[int, ...], dimension: int, reverse: bool, known: bool) -> None:
    random = np.random.default_rng(0)
    x = random.integers(-9, 9, shape).astype(np.float64)
    c = np.ones([n for d, n in enumerate(shape) if d != dimension])
    sizes = ["?"] * len(shape)
    sizes[dimension] = str(shape[dimension]) if known else "?"
    inputs = f"tensor<{'x'.join(sizes)}xf64>"
    carry = f"tensor<{'?x' * c.ndim}f64>"
    text = sums(inputs, carry, inputs, dimension=dimension, reverse=reverse)
    target = expected(x, c, dimension, reverse=reverse)
    for computed in (run(text, x, c), shlo_tools.interpret(text, x, c)):
        for one, other in zip(computed, target, strict=True):
            assert one.shape == other.shape
            assert np.array_equal(one, other)


def test_two_inputs_have_as_many_steps() -> None:
    text = """func.func @main(%x: tensor<?xf64>, %y: tensor<?xf64>, %c: tensor<f64>)
        -> tensor<f64> {
      %0 = "chlo.scan"(%x, %y, %c) <{dimension = 0 : i64,
          operandSegmentSizes = array<i32: 2, 1>, resultSegmentSizes = array<i32: 0, 1>}> ({
        ^bb0(%a: tensor<f64>, %b: tensor<f64>, %d: tensor<f64>):
          %p = stablehlo.multiply %a, %b : tensor<f64>
          %s = stablehlo.add %d, %p : tensor<f64>
          stablehlo.return %s : tensor<f64>
        }) : (tensor<?xf64>, tensor<?xf64>, tensor<f64>) -> tensor<f64>
      return %0 : tensor<f64>
    }"""
    x, y = np.arange(5.0), np.arange(5.0) + 2
    assert run(text, x, y, np.array(1.0))[0] == 1 + x @ y
    for other in (y[:4], np.arange(6.0)):
        with pytest.raises(ShapeMismatchError):
            run(text, x, other.copy(), np.array(1.0))


def test_sizes_that_only_the_body_knows_are_refused() -> None:
    text = """func.func @main(%x: tensor<?xf64>, %n: tensor<1xi32>) -> tensor<?x?xf64> {
      %0, %1 = "chlo.scan"(%x, %n) <{dimension = 0 : i64,
          operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
        ^bb0(%a: tensor<f64>, %b: tensor<1xi32>):
          %d = stablehlo.dynamic_broadcast_in_dim %a, %b, dims = []
            : (tensor<f64>, tensor<1xi32>) -> tensor<?xf64>
          stablehlo.return %d, %b : tensor<?xf64>, tensor<1xi32>
        }) : (tensor<?xf64>, tensor<1xi32>) -> (tensor<?x?xf64>, tensor<1xi32>)
      return %0 : tensor<?x?xf64>
    }"""
    with pytest.raises(UnsupportedError, match="its body alone knows the size"):
        shlo_tools.compile(text)


# --- top_k ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("result", ["?x2", "2x?", "?x?", "2x2"])
@pytest.mark.parametrize("operand", ["2x?", "?x4", "?x?"])
def test_the_largest_elements(operand: str, result: str) -> None:
    x = np.array([[3, 1, 2, 5], [9, 8, 1, 7]], np.float32)
    types = [f"tensor<{result}x{element}>" for element in ("f32", "i32")]
    text = f"""func.func @main(%x: tensor<{operand}xf32>) -> ({", ".join(types)}) {{
      %0, %1 = chlo.top_k(%x, k = 2) : tensor<{operand}xf32> -> ({", ".join(types)})
      return %0, %1 : {", ".join(types)}
    }}"""
    for values, places in (run(text, x), shlo_tools.interpret(text, x)):
        assert np.array_equal(values, [[5, 3], [9, 8]])
        assert np.array_equal(places, [[3, 0], [0, 1]])
