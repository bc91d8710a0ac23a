"""How much memory calls take, and that values lie in results which are written later."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from shlo_tools import compile, interpret
from shlo_tools.errors import ExecutionError

MATRIX = "tensor<96x96xf32>"
BYTES = 4 * 96 * 96  # also those of a matrix that is packed for all blocks of rows


def product(x: str, y: str, result: str) -> str:
    return (
        f"{result} = stablehlo.dot_general {x}, {y}, contracting_dims = [1] x [0]"
        f" : ({MATRIX}, {MATRIX}) -> {MATRIX}"
    )


def program(body: str, results: str, arguments: int = 2) -> str:
    count = results.count("%")
    types = ", ".join([MATRIX] * count)
    names = ", ".join(f"%{'xyz'[k]}: {MATRIX}" for k in range(arguments))
    return f"func.func @main({names}) -> ({types}) {{\n{body}\nreturn {results} : {types}\n}}"


def check(text: str, *, temporaries: int) -> None:
    """A program takes so much, and computes what the reference does."""
    executable = compile(text)
    memory = executable.memory
    assert memory is not None
    count = len(executable.signature.results)
    assert (memory.temporaries, memory.results) == (temporaries, count * BYTES)
    rng = np.random.default_rng(0)
    arrays = [rng.integers(-2, 3, (96, 96)).astype(np.float32) for _ in executable.signature.inputs]
    results, expected = executable(*arrays), interpret(text, *arrays)
    for result, target in zip(np.atleast_3d(results), np.atleast_3d(expected), strict=True):
        np.testing.assert_array_equal(result, target)


def test_what_is_made_of_a_product_lies_where_the_product_does() -> None:
    body = f"{product('%x', '%y', '%0')}\n%1 = stablehlo.add %0, %x : {MATRIX}"
    check(program(body, "%1"), temporaries=0)


def test_a_matrix_by_a_vector_needs_nothing() -> None:
    text = """func.func @main(%x: tensor<512x512xf32>, %y: tensor<512xf32>) -> tensor<512xf32> {
      %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
        : (tensor<512x512xf32>, tensor<512xf32>) -> tensor<512xf32>
      return %0 : tensor<512xf32>
    }"""
    memory = compile(text).memory
    assert memory is not None
    assert (memory.temporaries, memory.results) == (0, 2048)


def test_the_transposition_of_a_product_is_how_it_is_stored() -> None:
    body = "\n".join(
        [
            product("%x", "%y", "%0"),
            f"%1 = stablehlo.transpose %0, dims = [1, 0] : ({MATRIX}) -> {MATRIX}",
            f"%2 = stablehlo.subtract %z, %1 : {MATRIX}",
        ]
    )
    executable = compile(program(body, "%2", 3))
    assert len(executable.stages) == 2  # type: ignore[attr-defined]
    check(program(body, "%2", 3), temporaries=BYTES)


def test_values_lie_in_results_that_come_later() -> None:
    body = "\n".join(
        [
            f"%0 = stablehlo.sine %x : {MATRIX}",
            product("%0", "%0", "%1"),
            product("%1", "%1", "%2"),
            product("%2", "%y", "%3"),
            f"%4 = stablehlo.transpose %y, dims = [1, 0] : ({MATRIX}) -> {MATRIX}",
        ]
    )
    memory = compile(program(body, "%3, %4")).memory
    assert memory is not None
    assert memory.temporaries <= 2 * BYTES


@pytest.mark.parametrize("size", [1, 7, 31, 33, 64, 100])
@pytest.mark.parametrize("element", ["f32", "f64"])
def test_products_of_narrow_matrices(size: int, element: str) -> None:
    shapes = (9, 40), (size, 40), (9, size)
    x, y, z = (f"tensor<{rows}x{columns}x{element}>" for rows, columns in shapes)
    text = f"""func.func @main(%x: {x}, %y: {y}, %z: {z}) -> ({z}, {z}) {{
      %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1] : ({x}, {y}) -> {z}
      %1 = stablehlo.multiply %0, %z : {z}
      %2 = stablehlo.subtract %z, %0 : {z}
      return %1, %2 : {z}, {z}
    }}"""
    rng = np.random.default_rng(size)
    dtype = np.float32 if element == "f32" else np.float64
    arrays = [rng.integers(-3, 4, s).astype(dtype) for s in shapes]
    for result, expected in zip(compile(text)(*arrays), interpret(text, *arrays), strict=True):
        np.testing.assert_array_equal(result, expected)


def test_sizes_that_are_unknown_take_who_knows_how_much() -> None:
    text = "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }"
    assert compile(text).memory is None
    assert compile(text, backend="reference").memory is None


def test_temporaries_larger_than_the_machine_are_refused_where_sizes_are_unknown() -> None:
    many = "4398046511104"

    def ordered(value: str, type: str, result: str) -> str:
        return f"""{result} = "stablehlo.sort"({value}) <{{dimension = 0 : i64}}> ({{
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        }}) : ({type}) -> {type}"""

    text = f"""func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<2xf32>) {{
      %0 = stablehlo.iota dim = 0 : tensor<{many}xf32>
      {ordered("%0", f"tensor<{many}xf32>", "%1")}
      %2 = stablehlo.slice %1 [7:9] : (tensor<{many}xf32>) -> tensor<2xf32>
      {ordered("%x", "tensor<?xf32>", "%3")}
      return %3, %2 : tensor<?xf32>, tensor<2xf32>
    }}"""
    with pytest.raises(ExecutionError, match="bytes are needed"):
        compile(text)(np.ones(3, np.float32), timeout=5)


def test_windows_larger_than_a_tensor_take_no_time() -> None:
    window = "array<i64: 794568949761, 3>, window_dilations = array<i64: 2, 1>"
    text = f"""func.func @main(%x: tensor<?x3xf64>) -> tensor<?x?xf64> {{
      %zero = stablehlo.constant dense<0.0> : tensor<f64>
      %0 = "stablehlo.reduce_window"(%x, %zero) <{{window_dimensions = {window}}}> ({{
      ^bb0(%a: tensor<f64>, %b: tensor<f64>):
        %1 = stablehlo.add %a, %b : tensor<f64>
        stablehlo.return %1 : tensor<f64>
      }}) : (tensor<?x3xf64>, tensor<f64>) -> tensor<?x?xf64>
      return %0 : tensor<?x?xf64>
    }}"""
    x = np.ones((4, 3))
    assert compile(text)(x, timeout=5).shape == interpret(text, x).shape == (0, 1)


FORKING = """
import os
from shlo_tools.cpu import memory
reserved = [memory.reserved_bytes(1) for _ in range(3)]
for block in reserved:
    block[:4096] = 1
child = os.fork()
if child == 0:
    os._exit(0 if reserved[2][7] == 1 else 1)
raise SystemExit(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_processes_with_addresses_in_reserve_fork() -> None:
    """Programs whose memory grows have more of them than the machine has memory for."""
    ended = subprocess.run(
        [sys.executable, "-c", FORKING], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 0, ended.stderr
