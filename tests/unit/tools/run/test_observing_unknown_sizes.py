"""Probes, checks and comparisons of values whose sizes only run time knows, on both backends."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from shlo_run_command import output_of

import shlo_tools
from shlo_tools.errors import ExecutionError
from shlo_tools.probes.hits import Hit
from shlo_tools.reference import probes

X = np.array([[1, 2, 3], [4, 5, 6]], np.float32)

# In each round the carried value gets three more rows.
GROWING = """
func.func @main(%x: tensor<?x3xf32>, %n: tensor<i32>) -> tensor<?x3xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %c0, %v = %x) : tensor<i32>, tensor<?x3xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %c1 : tensor<i32>
    %l = stablehlo.log %v : tensor<?x3xf32>
    %w = stablehlo.concatenate %l, %x, dim = 0 : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    stablehlo.return %j, %w : tensor<i32>, tensor<?x3xf32>
  }
  return %r#1 : tensor<?x3xf32>
}
"""  # noqa: E501


@pytest.fixture(params=["native", "reference"])
def backend(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_probes_see_values_that_grow_in_a_loop(backend: Any) -> None:
    hits: list[Hit] = []
    run = shlo_tools.compile(GROWING, backend=backend, probe=hits.append, probe_ops="log|concat")
    run(X, np.array(2, np.int32))
    observed = [(hit.site.op.removeprefix("stablehlo."), hit.iteration) for hit in hits]
    assert observed == [("log", 0), ("concatenate", 0), ("log", 1), ("concatenate", 1)]
    first = np.log(X.astype(np.float64))
    values = [first, np.vstack([first, X])]
    np.testing.assert_allclose(hits[0].results[0], values[0], rtol=1e-6)
    np.testing.assert_allclose(hits[1].results[0], values[1], rtol=1e-6)
    assert [hit.results[0].shape for hit in hits] == [(2, 3), (4, 3), (4, 3), (6, 3)]
    assert [value.shape for value in hits[3].operands] == [(4, 3), (2, 3)]


def test_the_first_infinity_is_found_in_its_round(backend: Any) -> None:
    """log(1) = 0 in round 0, log(0) = -Inf in round 1, of row 0 and of no other."""
    run = shlo_tools.compile(GROWING, backend=backend, check_nans=True)
    with pytest.raises(ExecutionError, match=r"stablehlo.log .*made -Inf at \[0, 0\]") as caught:
        run(X, np.array(5, np.int32))
    assert "in iteration 1" in str(caught.value)


def test_probes_see_shapes(backend: Any) -> None:
    """An index is seen as i64."""
    text = """func.func @main(%x: tensor<?x3xf32>) -> tensor<2xi64> {
      %0 = shape.shape_of %x : tensor<?x3xf32> -> tensor<2xindex>
      %1 = arith.index_cast %0 : tensor<2xindex> to tensor<2xi64>
      return %1 : tensor<2xi64>
    }"""
    hits: list[Hit] = []
    shlo_tools.compile(text, backend=backend, probe=hits.append, probe_ops="shape_of")(X)
    assert hits[0].site.types[1] == "tensor<2xindex>"
    assert hits[0].results[0].tolist() == [2, 3]


# --- the check and interpreter dialects -----------------------------------------------------------
CHECKS = {
    "check.expect_eq %x, %y : tensor<?x3xf32>": 0.0,
    "check.expect_almost_eq %x, %y, tolerance = 0.5 : tensor<?x3xf32>": 0.25,
    "check.expect_close %x, %y, max_ulp_difference = 3 : tensor<?x3xf32>, tensor<?x3xf32>": 0.0,
}


@pytest.mark.parametrize("check", CHECKS)
def test_checks(check: str, backend: Any) -> None:
    text = f"""func.func @main(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>) {{
      {check}
      return
    }}"""
    run = shlo_tools.compile(text, backend=backend)
    name = check.partition(" ")[0]
    run(X, (X + np.float32(CHECKS[check])).astype(np.float32))
    with pytest.raises(ExecutionError, match=rf"{name}: element \[0, 0\] is 1.0, expected 2.0"):
        run(X, X + np.float32(1))
    with pytest.raises(
        ExecutionError, match=re.escape("tensor<2x3xf32> is compared with tensor<1x3xf32>")
    ):
        run(X, X[:1].copy())


def test_probes_of_the_interpreter_dialect(backend: Any, tmp_path: Path) -> None:
    text = """func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
      %0 = stablehlo.concatenate %x, %x, dim = 0
        : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
      %1 = interpreter.probe %0, probe_id = "p" : tensor<?x3xf32>
      check.expect_serialized_eq %1, probe_id = "p", iteration = 1 : tensor<?x3xf32>
      return %1 : tensor<?x3xf32>
    }"""
    run = shlo_tools.compile(text, backend=backend)
    with probes.writing(str(tmp_path)):
        run(X)
    assert np.array_equal(np.load(tmp_path / "probe1.npy"), np.vstack([X, X]))


# --- shlo-run -------------------------------------------------------------------------------------
TUPLES = """
func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = stablehlo.exponential %x : tensor<?x3xf32>
  %1 = stablehlo.concatenate %0, %x, dim = 0 : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %2 = stablehlo.tuple %1, %x : tuple<tensor<?x3xf32>, tensor<?x3xf32>>
  %3 = stablehlo.get_tuple_element %2[0] : (tuple<tensor<?x3xf32>, tensor<?x3xf32>>) -> tensor<?x3xf32>
  return %3 : tensor<?x3xf32>
}
"""  # noqa: E501


def test_every_value_is_compared(tmp_path: Path) -> None:
    model = tmp_path / "model.mlir"
    model.write_text(TUPLES)
    message = output_of(str(model), "--input=2x3xf32=[[1,2,3],[4,5,6]]", "--compare=reference")
    assert "5 values of 4 ops were compared" in message  # the tuple has two
