"""Exported programs as Python source: running it gives the same program."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import ir, mlir, program

PROGRAMS = sorted(Path(__file__).parent.glob("*.mlir"))
RESOURCES = {path for path in PROGRAMS if "dense_resource<" in path.read_text()}


def lifted(source: str) -> Any:
    names: dict[str, Any] = {}
    exec(compile(source, "lifted.py", "exec", dont_inherit=True), names)
    return names["module"]


@pytest.mark.parametrize("path", sorted(set(PROGRAMS) - RESOURCES), ids=lambda path: path.stem)
def test_the_source_prints_as_the_program(path: Path) -> None:
    module = program.load(path)
    source = shlo_tools.to_python(module)
    with mlir.library_context():
        assert str(lifted(source)) == ir.printed(module.operation)


@pytest.mark.parametrize("path", sorted(set(PROGRAMS) - RESOURCES), ids=lambda path: path.stem)
def test_each_op_is_a_call_of_its_function(path: Path) -> None:
    """Only constants of arith, as torch-mlir writes them, are made by no function of their own."""
    source = shlo_tools.to_python(path)
    others = re.findall(r"operation\((\S+)", source)
    assert set(others) <= ({'"arith.constant",'} if path.stem.startswith("torch_") else set())


@pytest.mark.parametrize("path", sorted(RESOURCES), ids=lambda path: path.stem)
def test_resources_become_constants_of_the_same_values(path: Path) -> None:
    module = lifted(shlo_tools.to_python(path))
    assert "dense_resource" not in str(module)
    inputs = np.load(path.with_suffix(".npz"))
    arguments = [inputs[name] for name in inputs.files if name.startswith("arg")]
    for got, want in zip(
        _results(shlo_tools.run(module, *arguments)),
        _results(shlo_tools.run(path, *arguments)),
        strict=True,
    ):
        np.testing.assert_array_equal(got, want)


def _results(returned: Any) -> tuple[Any, ...]:
    return returned if isinstance(returned, tuple) else (returned,)
