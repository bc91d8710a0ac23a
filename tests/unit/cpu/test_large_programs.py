"""Programs of many ops, arguments and results compile, in time that grows with their number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import shlo_tools
from shlo_tools import Executable

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


def _compiled(arguments: int, lines: Sequence[str], *results: str) -> Executable:
    named = ", ".join(f"%a{i}: {_TYPE}" for i in range(arguments))
    types = ", ".join([_TYPE] * len(results))
    end = f"return {', '.join(results)} : {types}"
    body = "\n".join([*lines, end])
    return shlo_tools.compile(f"func.func @main({named}) -> ({types}) {{\n{body}\n}}")


def test_more_ops_than_a_kernel_takes() -> None:
    lines = [
        f"%v{i + 1} = stablehlo.add {'%a0' if i == 0 else f'%v{i}'}, %a1 : {_TYPE}"
        for i in range(1000)
    ]
    x, y = np.zeros(40, np.float32), np.arange(40, dtype=np.float32)
    executable = _compiled(2, lines, "%v1000", "%v256", "%v257")
    for result, count in zip(executable(x, y), (1000, 256, 257), strict=True):
        np.testing.assert_array_equal(result, count * y)


def test_views_of_views() -> None:
    lines = [
        f"%v{i + 1} = stablehlo.reverse {'%a0' if i == 0 else f'%v{i}'}, dims = [0] : {_TYPE}"
        for i in range(1501)
    ]
    lines += [f"%w = stablehlo.add %v1501, %v1500 : {_TYPE}"]
    x = np.arange(40, dtype=np.float32)
    np.testing.assert_array_equal(_compiled(1, lines, "%w")(x), x[::-1] + x)


def test_constants_of_constants() -> None:
    lines = [f"%v0 = stablehlo.constant dense<1.0> : {_TYPE}"]
    lines += [f"%v{i + 1} = stablehlo.add %v{i}, %v{max(0, i - 1)} : {_TYPE}" for i in range(30)]
    lines += [f"%w{i} = stablehlo.multiply %v{i}, %a0 : {_TYPE}" for i in range(31)]
    numbers = [1.0, 2.0]
    while len(numbers) < 31:
        numbers.append(numbers[-1] + numbers[-2])
    results = _compiled(1, lines, *(f"%w{i}" for i in range(31)))(np.full(40, 3, np.float32))
    assert [result[7] for result in results] == [3 * number for number in numbers]


def test_many_arguments_and_results() -> None:
    lines = [f"%v{i} = stablehlo.add %a{i}, %a{(i + 1) % 1000} : {_TYPE}" for i in range(1000)]
    arguments = [np.full(40, i, np.float32) for i in range(1000)]
    results = _compiled(1000, lines, *(f"%v{i}" for i in range(1000)))(*arguments)
    assert [result[39] for result in results] == [i + (i + 1) % 1000 for i in range(1000)]
