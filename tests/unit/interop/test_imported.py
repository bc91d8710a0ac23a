"""Programs of other frameworks, without any of them."""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path

import numpy as np
import pytest

import shlo_tools
from shlo_tools import program
from shlo_tools.errors import ShloError
from shlo_tools.interop.imported import ImportedProgram, Leaf

TEXT = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}"""
X = np.arange(3, dtype=np.float32)


@pytest.fixture
def imported() -> ImportedProgram:
    artifact = program.to_bytecode(shlo_tools.load(TEXT))
    arguments, results = (Leaf("args[0]", "float32[3]"),), (Leaf("result", "float32[3]"),)
    return ImportedProgram("doubled", artifact, arguments, results)


def test_it_is_taken_as_a_program(imported: ImportedProgram) -> None:
    np.testing.assert_array_equal(shlo_tools.compile(imported)(X), 2 * X)
    np.testing.assert_array_equal(shlo_tools.run(imported, X), 2 * X)
    np.testing.assert_array_equal(shlo_tools.interpret(imported, X), 2 * X)
    assert str(imported.module) == str(shlo_tools.load(TEXT))


def test_it_says_what_it_takes(imported: ImportedProgram) -> None:
    assert str(imported).splitlines() == [
        "@doubled, for 1 device",
        "  args[0]: float32[3]",
        "  -> result: float32[3]",
    ]


def test_it_is_saved_as_text_or_as_it_is(imported: ImportedProgram, tmp_path: Path) -> None:
    imported.save(tmp_path / "x.mlir")
    imported.save(tmp_path / "x.mlirbc")
    assert "stablehlo.add" in (tmp_path / "x.mlir").read_text()
    assert (tmp_path / "x.mlirbc").read_bytes() == imported.artifact
    for name in ("x.mlir", "x.mlirbc"):
        np.testing.assert_array_equal(shlo_tools.run(tmp_path / name, X), 2 * X)


@pytest.mark.parametrize(
    ("shape", "spelled"),
    [("n, 4", "n, 4"), ((2, 3), "2, 3"), (("n", 4, "2*n"), "n, 4, 2*n"), ((), "")],
)
def test_types_of_arrays_are_spelled_alike(shape: str | tuple[int, ...], spelled: str) -> None:
    assert shlo_tools.ArrayType(shape).spelled == spelled


@pytest.mark.skipif(importlib.util.find_spec("jax") is not None, reason="JAX is installed")
def test_without_jax_there_is_a_line_that_installs_it() -> None:
    with pytest.raises(ShloError, match="needs JAX, which is not installed") as caught:
        shlo_tools.from_jax("some_module:function", X)
    assert "pip install jax" in caught.value.render()


def test_functions_that_no_other_process_can_import_are_refused() -> None:
    """MLIR is loaded here, so that JAX has to be elsewhere."""
    for function in (lambda x: x, functools.partial(max, 1)):
        with pytest.raises(ShloError, match="cannot be imported there by a name"):
            shlo_tools.from_jax(function, X)


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="PyTorch is installed")
def test_without_pytorch_there_is_a_line_that_installs_it() -> None:
    with pytest.raises(ShloError, match="needs PyTorch, which is not installed") as caught:
        shlo_tools.from_torch(object())
    assert "pip install torch" in caught.value.render()
