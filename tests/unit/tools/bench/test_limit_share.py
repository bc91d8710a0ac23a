"""Shares of a machine's limit: what they are of, and what is said where there is none."""

from __future__ import annotations

import math

import numpy as np
import pytest

from shlo_tools import program
from shlo_tools.tools.bench.least_time import counted, limit_of
from shlo_tools.tools.bench.limit_share import Limit, percent


def test_a_share_is_the_least_time_over_a_time() -> None:
    assert Limit(seconds=2.0).share(8.0) == 0.25
    assert Limit(seconds=2.0).share(None) is None
    assert Limit(reason="none").share(8.0) is None


@pytest.mark.parametrize(
    ("share", "text"),
    [(None, "-"), (0.25, "25 %"), (0.0123, "1.2 %"), (0.00034, "0.034 %"), (1.5, "150 %")],
)
def test_shares_in_tables(share: float | None, text: str) -> None:
    assert percent(share) == text


def test_open_sizes_are_those_of_arguments() -> None:
    """A product of sizes that types leave open: 2 m n k."""
    module = program.load("""
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<?x?xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}""")
    x, y = np.ones((3, 7), np.float32), np.ones((7, 5), np.float32)
    costs = counted(module, [x, y])
    assert costs.flops.total == 2 * 3 * 5 * 7
    assert costs.bytes == x.nbytes + y.nbytes + 4 * 3 * 5
    assert "?" in str(module)


def test_a_program_that_cannot_be_counted_says_why() -> None:
    """How many elements there are, data decides."""
    module = program.load("""
func.func @main(%n: tensor<1xi32>) -> tensor<?xi32> {
  %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}""")
    limit = limit_of(module, [np.asarray([3], np.int32)])
    assert limit.seconds is None and "unknown sizes" in limit.reason
    assert list(limit.notes()) == [f"there is no share of the limit: {limit.reason}"]


def test_a_limit_is_a_time() -> None:
    module = program.load("""
func.func @main(%x: tensor<1000xf64>) -> tensor<1000xf64> {
  %0 = stablehlo.custom_call @mine(%x) : (tensor<1000xf64>) -> tensor<1000xf64>
  return %0 : tensor<1000xf64>
}""")
    limit = limit_of(module, [np.ones(1000)])
    assert limit.seconds is not None and math.isfinite(limit.seconds) and limit.seconds > 0
    assert list(limit.notes()) == ["the limit leaves out stablehlo.custom_call @mine"]
