"""Whether programs are read, compiled and run here: each step with its time, until one fails."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import shlo_tools
from shlo_tools import mlir
from shlo_tools.cpu.machine_code import store
from shlo_tools.errors import ShloError
from shlo_tools.tools.isolation import Channel

# A layer of a network: a product, a bias for each row, a function, a sum.
PROGRAM = """
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<16xf32>) -> tensor<4x16xf32>
  %2 = stablehlo.add %0, %1 : tensor<4x16xf32>
  %3 = stablehlo.tanh %2 : tensor<4x16xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}
"""


def versions() -> dict[str, Any]:
    """What MLIR tells of itself, and where machine code is kept."""
    stablehlo = mlir.stablehlo_version()
    return {
        "MLIR": mlir.mlir_version().removeprefix("MLIR"),
        "StableHLO": stablehlo,
        "VHLO": stablehlo,  # artifacts are of the version that the dialect has
        "cache": store.contents(),
    }


def run(channel: Channel) -> list[dict[str, Any]]:
    """Read, compile and run a small program, and compare with the reference.

    Returns:
        A row per step: its name, seconds, and the problem, empty where there is none.
    """
    rows: list[dict[str, Any]] = []

    def step(name: str, work: Callable[[], Any]) -> Any:
        channel.tell(f"in the self-test: {name}")
        start, problem, value = time.perf_counter(), "", None
        try:
            value = work()
        except ShloError as error:
            problem = error.render()
        seconds = round(time.perf_counter() - start, 3)
        rows.append({"step": name, "seconds": seconds, "problem": problem})
        return value

    module = step("read a program", lambda: shlo_tools.load(PROGRAM))
    if module is None:
        return rows
    executable = step("compile it", lambda: shlo_tools.compile(module))
    if executable is None:
        return rows
    random = np.random.default_rng(0)
    shapes = [(4, 8), (8, 16), (16,)]
    arguments = [random.standard_normal(shape).astype(np.float32) for shape in shapes]
    native = step("run it", lambda: executable(*arguments))
    reference = step("run the reference", lambda: shlo_tools.interpret(module, *arguments))
    if native is not None and reference is not None:
        step("compare them", lambda: _compare(native, reference))
    return rows


def _compare(native: Any, reference: Any) -> None:
    """Raise ShloError where results are further apart than rounding explains."""
    if not np.allclose(native, reference, rtol=1e-5, atol=1e-5):
        raise ShloError(f"native code gives {native}, the reference {reference}")
