"""``exe.ir(stage)``: what an executable was made from. Every text parses, and means the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools.calling.executable import Executable, Signature
from shlo_tools.errors import ShloError, UnsupportedError
from shlo_tools.interop import remote

PROGRAM = """
func.func @main(%x: tensor<SxF>, %y: tensor<SxF>) -> tensor<SxF> {
  %0 = chlo.broadcast_multiply %x, %y : (tensor<SxF>, tensor<SxF>) -> tensor<SxF>
  %1 = call @twice(%0) : (tensor<SxF>) -> tensor<SxF>
  return %1 : tensor<SxF>
}
func.func private @twice(%x: tensor<SxF>) -> tensor<SxF> {
  %0 = stablehlo.add %x, %x : tensor<SxF>
  return %0 : tensor<SxF>
}
"""
STATIC = PROGRAM.replace("SxF", "3xf32")
DYNAMIC = PROGRAM.replace("SxF", "?xf32")
X, Y = np.array([1, 2, 3], np.float32), np.array([4, 5, 6], np.float32)

# What has to stand in each, and what must not.
STAGES = {
    "stablehlo": ("chlo.broadcast_multiply", "llvm."),
    "normalized": ("stablehlo.multiply", "chlo."),
    "stages": ("@stage.0", "chlo."),
    "kernels": ("llvm.", "chlo."),
    "linalg": ("linalg.generic", "= stablehlo."),
    "llvm": ("llvm.func", "linalg."),
}


@pytest.mark.parametrize("program", [STATIC, DYNAMIC], ids=["static", "dynamic"])
@pytest.mark.parametrize("stage", STAGES)
def test_a_program_is_told_at_each_stage(stage: str, program: str) -> None:
    executable = shlo_tools.compile(program)
    text = executable.ir(stage)
    present, absent = STAGES[stage]
    assert present in text
    assert absent not in text
    shlo_tools.load(text)
    np.testing.assert_array_equal(executable(X, Y), 2 * X * Y)  # asking has changed nothing


@pytest.mark.parametrize("stage", ["stablehlo", "normalized", "stages", "linalg", "llvm"])
def test_what_is_told_computes_the_same(stage: str) -> None:
    text = shlo_tools.compile(STATIC).ir(stage)
    np.testing.assert_array_equal(shlo_tools.run(text, X, Y), 2 * X * Y)


@pytest.mark.parametrize(
    "options",
    [{"backend": "reference"}, {"specialize": True}, {"check_nans": True}],
    ids=lambda options: next(iter(options)),
)
def test_every_executable_knows_its_program(options: Any) -> None:
    assert "chlo.broadcast_multiply" in shlo_tools.compile(STATIC, **options).ir()


def test_an_executable_in_another_process_knows_its_program() -> None:
    executable = remote.compile(STATIC, backend="native")
    assert "@stage.0" in executable.ir("stages")
    with pytest.raises(ShloError, match="there is no stage 'stage'"):
        executable.ir("stage")


def test_it_is_the_program_that_was_compiled() -> None:
    """A module that is changed afterwards is another program."""
    module = shlo_tools.load(STATIC)
    executable = shlo_tools.compile(module)
    shlo_tools.Pipeline("builtin.module(shlo-legalize-chlo)").run(module)
    assert "chlo." not in str(module)
    assert "chlo." in executable.ir()


def test_unknown_stages_are_refused() -> None:
    executable = shlo_tools.compile(STATIC)
    with pytest.raises(ShloError, match="there is no stage 'stage'") as refused:
        executable.ir("stage")
    for word in ("did you mean 'stages'?", *STAGES):
        assert word in str(refused.value)
    lowered = shlo_tools.compile(executable.ir("llvm"))
    assert "llvm.func" in lowered.ir()
    with pytest.raises(ShloError, match=r"stages: stablehlo$"):
        lowered.ir("linalg")
    with pytest.raises(ShloError, match=r"stages: stablehlo$"):
        shlo_tools.compile(STATIC, backend="reference").ir("llvm")


def test_an_executable_without_a_program_says_so() -> None:
    class Own(Executable):
        name, signature = "f", Signature[Any]((), ())

        def _run(self, arguments: Any, cast: bool, timeout: float | None) -> Any:
            return []

    with pytest.raises(UnsupportedError, match="@f does not keep its program"):
        Own().ir()
