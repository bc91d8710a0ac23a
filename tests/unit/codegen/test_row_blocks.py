"""Blocks of rows: what is made of what rows are reduced to is computed with rows as lanes."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from row_sum_programs import PROGRAMS
from staged_programs import NARROWER, assert_staged, staged
from test_merged_rows import RowProgram

from shlo_tools import compile
from shlo_tools.codegen.stages.row_blocks import RowBlockKernel

# Around whole blocks and whole vectors; a row is one vector, some, or too long for a block.
SHAPES = [(96, 64), (70, 100), (33, 130), (257, 49), (64, 64), (40, 520), (9, 96)]
DTYPES = {"f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16}
PRECISION = {"f32": 2e-5, "f64": 1e-12, "bf16": 4e-2}


class NumbersProgram(RowProgram):
    """Mostly computes numbers for each row, which matrices are made of again."""

    def _any(self) -> tuple[str, tuple[int, ...]]:
        numbers = [value for value in self.values if value[1] == self.inputs[2]][-3:]
        return numbers[self.random.integers(len(numbers))]

    def move(self) -> None:
        """An op on matrices, in place of elements that are elsewhere."""
        a, shape = self._whole()
        b, _ = self._whole()
        self._emit(f"subtract {a}, {b} : {self.type(shape)}", shape)
        self._limit()


@pytest.fixture
def blocks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows blocks of kernels have that are made meanwhile."""
    sizes: list[int] = []

    each_row = RowBlockKernel.each_row

    def spied(kernel: RowBlockKernel, *arguments: Any) -> None:
        sizes.append(kernel.block)
        each_row(kernel, *arguments)

    monkeypatch.setattr(RowBlockKernel, "each_row", spied)
    return sizes


def test_random_programs(blocks: list[int]) -> None:
    for rows, columns in SHAPES:
        for seed in range(8):
            for element in ("f32", "i32"):
                program = NumbersProgram(seed, element, rows, columns, 20)
                assert_staged(program.text(), *program.arrays())
    assert len(blocks) > 20
    assert len(set(blocks)) > 1


def drawn(rows: int, columns: int, element: str) -> np.ndarray:
    draw = np.random.default_rng(rows * columns)
    return np.asarray((3 * draw.standard_normal((rows, columns))).astype(DTYPES[element]))


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("element", DTYPES)
def test_functions_of_rows(name: str, element: str) -> None:
    program = PROGRAMS[name]
    for rows, columns in SHAPES:
        x = drawn(rows, columns, element)
        result = staged(program.text(rows, columns, element))(x)
        expected = program.expected(x.astype(np.float64))
        precision = PRECISION[element]
        np.testing.assert_allclose(
            np.asarray(result, np.float64), expected, rtol=precision, atol=precision
        )


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("element", ["f32", "f64"])
def test_functions_of_products(name: str, element: str, blocks: list[int]) -> None:
    program = PROGRAMS[name]
    for rows, inner, columns in [(96, 8, 64), (301, 5, 100), (1, 64, 64), (45, 700, 130)]:
        a, b = drawn(rows, inner, element), drawn(inner, columns, element) / 3
        result = staged(program.of_product(rows, inner, columns, element))(a, b)
        expected = program.expected(a.astype(np.float64) @ b.astype(np.float64))
        precision = 5 * PRECISION[element]
        np.testing.assert_allclose(result, expected, rtol=precision, atol=precision)
    assert bool(blocks) == (program.lines.count("reduce") > 1)


def test_long_computations_of_one_sum_have_blocks(blocks: list[int]) -> None:
    """bf16 is widened and rounded at each op; a row of f32 is scaled at once."""
    program = PROGRAMS["root mean square"]
    compile(program.text(101, 64, "f32"))
    assert not blocks
    compile(program.text(101, 64, "bf16"))
    assert blocks


@pytest.mark.parametrize("element", ["f32", "f64"])
def test_rows_of_infinities(element: str) -> None:
    """Numbers of a row are its own: what is not finite stays where it is."""
    rows, columns = 75, 70
    x = drawn(rows, columns, element)
    x[3] = -np.inf
    x[40, 69], x[41, 5], x[74, 2] = np.inf, np.nan, -np.inf
    result = np.asarray(
        compile(PROGRAMS["log of a sum of exponentials"].text(*x.shape, element))(x)
    )
    assert result[3] == -np.inf
    assert result[40] == np.inf
    assert np.isnan(result[41])
    x[[3, 40, 41]] = 0
    expected = PROGRAMS["log of a sum of exponentials"].expected(x.astype(np.float64))
    others = np.delete(np.arange(rows), [3, 40, 41])
    np.testing.assert_allclose(result[others], expected[others], rtol=1e-5)


UNKNOWN = """func.func public @main(%x: tensor<?x64xf32>) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %columns = stablehlo.constant dense<64> : tensor<1xi32>
  %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x64xf32>) -> tensor<i32>
  %rows = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
  %sizes = stablehlo.concatenate %rows, %columns, dim = 0
    : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %1 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<?x64xf32>, tensor<f32>) -> tensor<?xf32>
  %2 = stablehlo.tanh %1 : tensor<?xf32>
  %3 = stablehlo.dynamic_broadcast_in_dim %2, %sizes, dims = [0]
    : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x64xf32>
  %4 = stablehlo.subtract %x, %3 : tensor<?x64xf32>
  %5 = stablehlo.exponential %4 : tensor<?x64xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<?x64xf32>, tensor<f32>) -> tensor<?xf32>
  %7 = stablehlo.log %6 : tensor<?xf32>
  return %7 : tensor<?xf32>
}"""


def test_rows_that_run_time_counts(blocks: list[int]) -> None:
    executable = compile(UNKNOWN)
    assert blocks
    for rows in (0, 1, 31, 32, 33, 1000):
        x = drawn(rows, 64, "f32")
        y = x.astype(np.float64)
        expected = np.log(np.exp(y - np.tanh(y.sum(axis=1, keepdims=True))).sum(axis=1))
        np.testing.assert_allclose(executable(x), expected, rtol=2e-5)


_BITS = """
import sys
import numpy as np
import shlo_tools
random = np.random.default_rng(0)
for text in sys.argv[1:]:
    x = random.standard_normal((300, 100)).astype(np.float32)
    print(shlo_tools.compile(text)(x).tobytes().hex())
"""


def _child(**environment: str) -> list[np.ndarray]:
    """Results of all programs in a process of its own."""
    texts = [program.text(300, 100, "f32") for program in PROGRAMS.values()]
    lines = subprocess.run(
        [sys.executable, "-c", _BITS, *texts],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    return [np.frombuffer(bytes.fromhex(line), np.float32) for line in lines]


def test_the_number_of_threads_changes_no_bit() -> None:
    alone, shared = (_child(SHLO_NUM_THREADS=count, SHLO_SHARE_ALL="1") for count in ("1", "2"))
    for a, b in zip(alone, shared, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("target", NARROWER)
def test_other_processors(target: str) -> None:
    random = np.random.default_rng(0)
    for result, program in zip(_child(SHLO_TARGET=target), PROGRAMS.values(), strict=True):
        x = random.standard_normal((300, 100)).astype(np.float32)
        expected = program.expected(x.astype(np.float64)).reshape(-1)
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)
