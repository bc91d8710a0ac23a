"""What becomes one result is summed up in blocks, however long run time says that it is."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from shlo_tools import compile
from shlo_tools.cpu.stages.sized import SizedExecutable
from shlo_tools.errors import ExecutionError, ExecutionTimeout


def _sums(rank: int, dimensions: Sequence[int], dtype: str = "f32", fold: str = "add") -> str:
    """An array whose elements are their numbers along its first dimension, folded."""
    kept = "?x" * (rank - len(dimensions))
    source, result = f"tensor<{'?x' * rank}{dtype}>", f"tensor<{kept}{dtype}>"
    return f"""func.func @main(%sizes: tensor<{rank}xi64>, %start: tensor<{dtype}>) -> {result} {{
      %0 = stablehlo.dynamic_iota %sizes, dim = 0 : (tensor<{rank}xi64>) -> {source}
      %1 = stablehlo.reduce(%0 init: %start) applies stablehlo.{fold}
        across dimensions = {list(dimensions)} : ({source}, tensor<{dtype}>) -> {result}
      return %1 : {result}
    }}"""


def _in_kernels(text: str) -> SizedExecutable:
    executable = compile(text)
    assert isinstance(executable, SizedExecutable)
    assert not executable.late
    return executable


@pytest.mark.parametrize("fold", ["add", "maximum"])
@pytest.mark.parametrize("dtype", ["i32", "f32", "i8"])
@pytest.mark.parametrize(
    ("dimensions", "shapes"),
    [
        ((0,), [(0,), (1,), (77,), (65536,), (65537,), (200_003,)]),
        ((0, 1), [(0, 3), (3, 0), (2, 5), (300, 701), (65537, 2)]),
        ((0,), [(0, 3), (3, 0), (5, 37), (4096, 3), (4097, 40), (9001, 1)]),
        ((0, 2), [(0, 3, 2), (3, 0, 2), (3, 2, 0), (5, 3, 7), (900, 3, 100), (3, 2, 70_000)]),
        ((0, 1), [(4, 0, 5), (70, 90, 5), (1, 5000, 17)]),
    ],
)
def test_sums_of_any_length(
    dimensions: tuple[int, ...], shapes: Sequence[tuple[int, ...]], dtype: str, fold: str
) -> None:
    executable = _in_kernels(_sums(len(shapes[0]), dimensions, dtype, fold))
    for shape in shapes:
        column = np.arange(shape[0]).reshape((-1,) + (1,) * (len(shape) - 1))
        full = np.broadcast_to(column.astype({"i32": "i4", "f32": "f4", "i8": "i1"}[dtype]), shape)
        start = full.dtype.type(3)
        if fold == "add":
            exact = full.sum(dimensions, np.float64 if dtype == "f32" else full.dtype) + start
        else:
            exact = np.max(full, dimensions, initial=start)
        result = executable(np.array(shape, np.int64), start)
        np.testing.assert_allclose(result, exact, rtol=1e-4 if dtype == "f32" else 0)


@pytest.mark.parametrize(
    ("dimensions", "sizes"),
    [((0, 1), (2**20, 2**24)), ((0,), (2**40, 4)), ((0, 2), (2**20, 4, 2**22)), ((0,), (2**45,))],
)
def test_a_long_sum_is_stopped(dimensions: tuple[int, ...], sizes: tuple[int, ...]) -> None:
    executable = _in_kernels(_sums(len(sizes), dimensions))
    with pytest.raises(ExecutionTimeout):
        executable(np.array(sizes, np.int64), np.float32(0), timeout=0.1)


@pytest.mark.parametrize(
    ("dimensions", "sizes"),
    [
        ((0, 1), (2**32, 2**32)),
        ((0, 1), (2**31, 2**32)),
        ((0, 2), (2**31, 4, 2**32)),
        ((1,), (4, 2**61)),
    ],
)
def test_more_elements_than_are_counted(
    dimensions: tuple[int, ...], sizes: tuple[int, ...]
) -> None:
    """The product of sizes would wrap; nothing is said of memory that is not asked for."""
    assert math.prod(sizes) >= 2**63
    executable = compile(_sums(len(sizes), dimensions))
    with pytest.raises(ExecutionError):
        executable(np.array(sizes, np.int64), np.float32(0), timeout=5)
