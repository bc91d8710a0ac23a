"""Arguments that are no such thing are refused by name, in every function alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xla_runs import check, refused

from shlo_tools.errors import ShloError
from shlo_tools.ops import Tensor, xla

loose: Any = xla  # called against its annotations


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda x: loose.Rev(x, None), "Rev: dimensions: a sequence of integers is wanted"),
        (lambda x: loose.Rev(x, "0"), "Rev: dimensions: a sequence of integers is wanted"),
        (lambda x: loose.Rev(x, [0.5]), "Rev: dimensions: an integer is wanted, not 0.5"),
        (lambda x: loose.Rev(x, [1 << 70]), "Rev: dimensions: 71 bits are more than the 64"),
        (lambda x: loose.Rev(x), "Rev: missing a required argument: 'dimensions'"),
        (lambda x: loose.Rev(x, axis=0), "Rev: missing a required argument"),
        (lambda x: loose.TopK(x, True), "TopK: k: an integer is wanted, not True"),
        (lambda x: loose.TopK(x, 1, 5), "TopK: largest: a bool is wanted, not 5"),
        (lambda x: loose.Reduce(x, 0, None, (0,)), "Reduce: computation: a computation is wanted"),
        (lambda x: loose.Reduce(x, 0, int, (0,)), "Reduce: computation: a computation is wanted"),
        (lambda x: loose.Conditional(True, x, 5, x, xla.Neg), "Conditional: a computation is"),
        (lambda x: loose.Conditional(1, None, [x]), "Conditional: a sequence of values is wanted"),
        (lambda x: loose.DotGeneral(x, x, 5), "dimension_numbers: a DotDimensionNumbers is wanted"),
        (lambda x: loose.Reshape(x, None), "Reshape: sizes: a sequence of integers is wanted"),
        (lambda x: loose.Concatenate(x, "0"), "Concatenate: operands: a sequence of operands"),
        (lambda x: loose.AllReduce(x, xla.Add, [(0,), (1, 2)]), "replica_groups: rows of one"),
        (lambda x: loose.ConvertElementType(x, 5), "ConvertElementType: 5 is no element type"),
        (lambda x: loose.Infeed(5), "Infeed: 5 is no shape"),
        (lambda x: loose.Iota("token"), "Iota: "),
        (lambda x: loose.Pad(x, 0, 5), "Pad: 5 is no PaddingConfig"),
        (lambda x: loose.Broadcast(x, (-1,)), "Broadcast: broadcast_sizes [-1]: a size is neg"),
        (lambda x: loose.Neg("x"), "Neg: 'x' is no tensor, array, list or number"),
        (lambda x: loose.Neg(["x"]), "Neg: ['x'] is no array of numbers"),
        (lambda x: loose.ConstantLiteral([1 << 70]), "is no array of numbers"),
    ],
)
def test_arguments_that_are_none(function: Any, reason: str) -> None:
    message = refused(function, "2x3xf32")
    assert reason in message
    assert "test_xla_arguments.py" in message


def test_errors_name_the_function_that_was_called() -> None:
    """Not one that it calls in turn, and in a computation the one that is called there."""
    assert "ConcatInDim: " in refused(lambda: loose.ConcatInDim(5, 0))

    def main(x: Tensor) -> Any:
        return xla.While(lambda y: True, lambda y: xla.Collapse(y, (1, 0)), x)

    message = refused(main, "2x3xf32")
    assert "Collapse: dimensions [1, 0]" in message
    assert "While" not in message


def test_numbers_of_numpy_are_integers() -> None:
    x = np.arange(6, dtype=np.int32).reshape(2, 3)
    check(lambda y: xla.Rev(y, np.array([1])), (x,), x[:, ::-1])
    check(lambda y: xla.Collapse(y, range(2)), (x,), x.ravel())


def test_outside_of_a_function() -> None:
    with pytest.raises(ShloError, match="no function is being built here"):
        xla.Add(1.0, 2.0)
