"""Programs of many ops, arguments and results compile, in time that grows with their number."""

from __future__ import annotations

import numpy as np

import shlo_tools

_TYPE = "tensor<40xf32>"


def test_values_that_are_read_twice_each() -> None:
    """The paths through such a program are as many as Fibonacci's numbers."""
    names = ("add", "maximum", "subtract")
    lines = [f"%v{i + 2} = stablehlo.{names[i % 3]} %v{i + 1}, %v{i} : {_TYPE}" for i in range(300)]
    text = "\n".join(
        [
            f"func.func @main(%v0: {_TYPE}, %v1: {_TYPE}) -> {_TYPE} {{",
            *lines,
            f"return %v301 : {_TYPE}",
            "}",
        ]
    )
    x, y = np.arange(40, dtype=np.float32), np.ones(40, np.float32)
    values = [x, y]
    functions = (np.add, np.maximum, np.subtract)
    with np.errstate(all="ignore"):
        for i in range(300):
            values.append(functions[i % 3](values[-1], values[-2]))
    np.testing.assert_array_equal(shlo_tools.compile(text)(x, y), values[-1])
