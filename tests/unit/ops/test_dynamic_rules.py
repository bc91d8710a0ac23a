"""Dynamic ops obey what their static forms do: one rule states both."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from shlo_tools import ops
from shlo_tools.builder import Module
from shlo_tools.errors import ConstraintError

LAYOUT: dict[str, Any] = {
    "input_batch_dimension": 0,
    "input_feature_dimension": 2,
    "input_spatial_dimensions": (1,),
    "kernel_input_feature_dimension": 1,
    "kernel_output_feature_dimension": 2,
    "kernel_spatial_dimensions": (0,),
    "output_batch_dimension": 0,
    "output_feature_dimension": 2,
    "output_spatial_dimensions": (1,),
}
PADDING = np.zeros((1, 2), np.int64)


def _convolved(padding: Any = PADDING, result: str = "1x2x1xf32", **changed: Any) -> None:
    def main(x: Any, k: Any) -> Any:
        return ops.dynamic_conv(x, k, padding, **(LAYOUT | changed), result_type=result)

    Module().func("1x4x1xf32", "3x1x1xf32", name="main")(main)


def test_a_convolution_that_is_right() -> None:
    _convolved()


@pytest.mark.parametrize(
    ("label", "changed"),
    [
        ("C2", {"window_strides": (1, 1)}),
        ("C3", {"window_strides": (0,)}),
        ("C4", {"padding": np.zeros((2, 2), np.int64)}),
        ("C6", {"lhs_dilation": (0,)}),
        ("C7", {"rhs_dilation": (1, 1)}),
        ("C9", {"window_reversal": (True, False)}),
        ("C10", {"batch_group_count": 2}),
        ("C11", {"feature_group_count": 0}),
        ("C13", {"input_spatial_dimensions": (2,)}),
        ("C18", {"kernel_spatial_dimensions": (1,)}),
        ("C20", {"output_spatial_dimensions": (0,)}),
        ("C26", {"result": "1x2xf32"}),
        ("C25", {"result": "1x2x3xf32"}),
    ],
)
def test_constraints_of_convolutions(label: str, changed: dict[str, Any]) -> None:
    with pytest.raises(ConstraintError, match=rf"dynamic_conv: \({label}\)"):
        _convolved(**changed)


GATHER: dict[str, Any] = {
    "offset_dims": (1,),
    "collapsed_slice_dims": (0,),
    "start_index_map": (0,),
    "index_vector_dim": 1,
}


@pytest.mark.parametrize(
    ("label", "changed"),
    [
        ("C1", {"offset_dims": (0, 1)}),
        ("C2", {"index_vector_dim": 3}),
        ("C3", {"start_index_map": (0, 1)}),
        ("C5", {"offset_dims": (2,)}),
        ("C7", {"collapsed_slice_dims": (2,)}),
        ("C10", {"start_index_map": (2,)}),
    ],
)
def test_gathers_cite_their_own_labels(label: str, changed: dict[str, Any]) -> None:
    def main(x: Any, at: Any, sizes: Any) -> Any:
        return ops.dynamic_gather(x, at, sizes, **(GATHER | changed), result_type="5x?xf32")

    with pytest.raises(ConstraintError, match=rf"dynamic_gather: \({label}\)"):
        Module().func("3x4xf32", "5x1xi64", "2xi64", name="main")(main)


@pytest.mark.parametrize(
    ("dynamic", "static", "own"),
    [
        ("dynamic_conv", "convolution", {"padding", "result_type"}),
        ("dynamic_gather", "gather", {"slice_sizes", "result_type"}),
    ],
)
def test_signatures_are_shared(dynamic: str, static: str, own: set[str]) -> None:
    rules = [ops.DESCRIPTIONS[f"stablehlo.{name}"] for name in (dynamic, static)]
    parameters, shared = (inspect.signature(rule.rule).parameters for rule in rules)
    assert set(parameters) == set(shared) | own
    for name in set(shared) - own:
        assert parameters[name].default == shared[name].default
