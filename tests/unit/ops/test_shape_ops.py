"""Ops of the shape dialect compute numpy's shapes when the program runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import ops
from shlo_tools.builder import Module
from shlo_tools.errors import ShloError
from shlo_tools.ops import shape


def run(function: Callable[..., Any], types: list[str], *arguments: Any) -> Any:
    module = Module()
    module.func(*types, name="main")(function)
    return shlo_tools.run(module, *arguments)


X = np.zeros((2, 3, 4), np.float32)
COLUMN = np.arange(4, dtype=np.float32)


def filled(size: Any) -> Any:
    """Ones of a shape that is computed: what shows which it is."""
    rank = size.shape[0]
    return ops.dynamic_broadcast_in_dim(np.float32(1), size, (), result_type="?x" * rank + "f32")


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (shape.shape_of, X.shape),
        (lambda x: shape.broadcast(shape.shape_of(x), shape.const_shape([3, 1])), (2, 3, 4)),
        (lambda x: shape.concat(shape.shape_of(x), shape.const_shape([5])), (2, 3, 4, 5)),
        (lambda x: shape.from_extents(shape.num_elements(shape.shape_of(x))), (24,)),
        (
            lambda x: shape.from_extents(
                shape.get_extent(shape.shape_of(x), 2), shape.get_extent(shape.shape_of(x), 0)
            ),
            (4, 2),
        ),
    ],
    ids=["shape_of", "broadcast", "concat", "num_elements", "get_extent"],
)
def test_sizes_are_numpys(size: Callable[..., Any], expected: tuple[int, ...]) -> None:
    assert run(lambda x: filled(size(x)), ["?x?x?xf32"], X).shape == expected


def test_a_bias_of_unknown_size_is_broadcast() -> None:
    def main(x: Any, bias: Any) -> Any:
        size = shape.broadcast(shape.shape_of(x), shape.shape_of(bias))
        return x + ops.dynamic_broadcast_in_dim(bias, size, (2,), result_type=x.type)

    result = run(main, ["?x?x?xf32", "?xf32"], X, COLUMN)
    np.testing.assert_array_equal(result, X + COLUMN)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda x: shape.shape_of(3), "no tensor"),
        (lambda x: shape.num_elements(x), "no shape"),
        (lambda x: shape.broadcast(shape.shape_of(x)), "two shapes"),
        (lambda x: shape.const_shape([-1]), "no sizes"),
        (lambda x: shape.const_shape(["a"]), "no sizes"),
        (lambda x: shape.get_extent(shape.shape_of(x), 1), "no dimension 1"),
        (lambda x: shape.get_extent(shape.shape_of(x), -1), "no dimension -1"),
    ],
)
def test_mistakes_are_explained(function: Callable[..., Any], reason: str) -> None:
    module = Module()
    with pytest.raises(ShloError, match=reason):
        module.func("?xf32", name="main")(function)
