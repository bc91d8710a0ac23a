"""Python numbers and lists as operands: of the element type that the operand needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import ops
from shlo_tools.builder import Module
from shlo_tools.errors import ShloError

X = np.arange(12, dtype=np.float32).reshape(3, 4)


def run(function: Callable[..., Any], *arguments: Any, types: list[str]) -> Any:
    module = Module()
    module.func(*types, name="main")(function)
    return shlo_tools.run(module, *arguments)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: ops.dynamic_slice(x, [1, 2], (2, 2)), X[1:3, 2:4]),
        (
            lambda x: ops.dynamic_update_slice(x, np.zeros((1, 2), np.float32), [2, 1]),
            np.where(np.isin(X, [9, 10]), 0, X),
        ),
        (lambda x: ops.dynamic_reshape(x, [2, 6], result_type="2x6xf32"), X.reshape(2, 6)),
        (lambda x: ops.select(True, x, -x), X),
        (lambda x: ops.select(x < 5, x, 5), np.minimum(X, 5)),
        (lambda x: ops.select(x < 5, 5, x), np.maximum(X, 5)),
        (lambda x: ops.if_(False, lambda: -x, lambda: x)[0], X),
        (lambda x: ops.case(1, [lambda: -x, lambda: x])[0], X),
        (lambda x: ops.clamp(2, x, 7.5), X.clip(2, 7.5)),
        (
            lambda x: ops.gather(
                x,
                [[2], [0]],
                offset_dims=[1],
                collapsed_slice_dims=[0],
                start_index_map=[0],
                index_vector_dim=1,
                slice_sizes=(1, 4),
            ),
            X[[2, 0]],
        ),
        (
            lambda x: ops.dynamic_pad(x, 0, [1, 0], [0, 0], [0, 0], result_type="4x4xf32"),
            np.pad(X, ((1, 0), (0, 0))),
        ),
    ],
)
def test_positions_and_conditions_are_no_floats(
    function: Callable[..., Any], expected: Any
) -> None:
    np.testing.assert_array_equal(run(function, X, types=["3x4xf32"]), expected)


def test_positions_are_like_those_that_are_tensors() -> None:
    """Start indices of one op are of one type."""
    result = run(lambda x, n: ops.dynamic_slice(x, [n, 0], (1, 4)), X, 2, types=["3x4xf32", "i64"])
    np.testing.assert_array_equal(result, X[2:])


def test_each_init_value_is_like_its_input() -> None:
    def main(x: Any, n: Any) -> Any:
        return ops.reduce([x, n], [0.5, 1], (0,), lambda a, b, c, d: (a + c, b * d))

    total, product = run(main, X[0], np.array([1, 2, 3, 4]), types=["4xf32", "4xi64"])
    assert (total, product, product.dtype) == (X[0].sum() + 0.5, 24, np.int64)


def test_a_fraction_is_no_position() -> None:
    with pytest.raises(ShloError, match=r"1.5 is no i32"):
        run(lambda x: ops.dynamic_slice(x, [1.5, 0], (1, 1)), X, types=["3x4xf32"])
