"""Operands broadcast as XLA's document says, and in no other way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xla_runs import check, module_of, ran, refused

import shlo_tools
from shlo_tools.ops import Tensor, xla

M = np.arange(6, dtype=np.float32).reshape(2, 3)
ROW = np.array([10, 20, 30], np.float32)
COLUMN = np.array([[100], [200]], np.float32)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda m: xla.Sub(m, 1), M - 1),
        (lambda m: xla.Sub(1, m), 1 - M),
        (lambda m: xla.Sub(m, np.float32(1)), M - 1),
        (lambda m: xla.Sub(m, xla.ConstantR0(1, "f32")), M - 1),
        (lambda m: xla.Sub(m, [[10, 20, 30]]), M - ROW),
        (lambda m: xla.Sub(COLUMN, m), COLUMN - M),
        (lambda m: xla.Sub([[10, 20, 30]], COLUMN), ROW - COLUMN),
        (lambda m: xla.Sub(m, [10, 20, 30], (1,)), M - ROW),
        (lambda m: xla.Sub(m, [100, 200], (0,)), M - COLUMN),
        (lambda m: xla.Sub([100, 200], m, (0,)), COLUMN - M),
        (lambda m: xla.Sub(m, [7], (1,)), M - 7),
        (lambda m: xla.Sub(m, m, (0, 1)), M - M),
        (lambda m: xla.Sub(m, 1, ()), M - 1),
    ],
)
def test_shapes_are_made_equal(function: Any, expected: Any) -> None:
    check(function, (M,), expected.astype(np.float32))


def test_the_lower_rank_is_mapped_and_then_stretched() -> None:
    a = np.arange(8, dtype=np.int32).reshape(2, 4, 1)
    b = np.arange(12, dtype=np.int32).reshape(4, 3)
    check(lambda x, y: xla.Add(x, y, (1, 2)), (a, b), a + b)


def test_a_scalar_reaches_a_size_that_is_known_at_run_time() -> None:
    executable = shlo_tools.compile(module_of(lambda x: xla.Mul(x, 2), "?x3xf32"))
    np.testing.assert_array_equal(executable(M), M * 2)


def test_a_number_is_a_scalar_constant_that_is_broadcast() -> None:
    """A large array of one number would cost memory."""
    text = str(module_of(lambda x: xla.Add(x, 1), "1000xf32"))
    assert "stablehlo.constant dense<1.000000e+00> : tensor<f32>" in text
    assert "stablehlo.broadcast_in_dim" in text


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda m, r: xla.Add(m, r), "Add: tensor<2x3xf32> and tensor<3xf32> differ in rank"),
        (lambda m, r: xla.Add(m, m[:, :2]), "dimension 1 is 3 and 2"),
        (lambda m, r: xla.Add(m, r, (0,)), "dimension 0 is 2 and 3"),
        (lambda m, r: xla.Add(m, r, (2,)), "are not dimensions of tensor<2x3xf32>"),
        (lambda m, r: xla.Add(m, r, (-1,)), "are not dimensions of tensor<2x3xf32>"),
        (lambda m, r: xla.Add(m, r, (0, 1)), "are not one for each dimension of tensor<3xf32>"),
        (lambda m, r: xla.Add(m, m, (1, 0)), "of operands of one rank"),
        (lambda m, r: xla.Add(m, 1.5j), "is no f32"),
        (lambda m, r: xla.Add(m, "1"), "is no tensor"),
        (lambda m, r: xla.Add(m, [[1], [2, 3]]), "is no array"),
        (lambda m, r: xla.Add(m, [r, r]), "is no array"),
        (lambda m, r: xla.Add(m, xla.Tuple(r)), "is no tensor"),
        (lambda m, r: xla.Add(m, np.int32(1)), "differ"),
    ],
)
def test_what_does_not_broadcast(function: Any, reason: str) -> None:
    assert reason in refused(function, "2x3xf32", "3xf32")


def test_dimensions_out_of_order() -> None:
    def main(x: Tensor, y: Tensor) -> Tensor:
        return xla.Lt(x, y, (1, 0))

    assert "Lt: broadcast_dimensions [1, 0] are not in ascending" in refused(
        main, "2x2x2xf32", "2x2xf32"
    )


def test_a_size_that_is_known_at_run_time_is_not_reached_from_1() -> None:
    reason = refused(lambda x, y: xla.Add(x, y), "?x3xf32", "1x3xf32")
    assert "of unknown size" in reason
    assert "dynamic_broadcast_in_dim" in reason


def test_numbers_take_the_type_of_the_tensor() -> None:
    assert ran(lambda x: xla.Add(x, 1), np.array([1], np.uint8)).dtype == np.uint8
    assert "is no ui8" in refused(lambda x: xla.Add(x, 300), "1xui8")
