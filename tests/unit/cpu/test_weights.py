"""Large constants leave the program on every way to machine code, and the source keeps them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import mlir, program
from shlo_tools.cpu import weights
from shlo_tools.passes.instrument import Instrument
from shlo_tools.probes import probed
from shlo_tools.program import writing

ROWS = np.arange(2000, dtype=np.float32)
SMALL, LARGE = ROWS[:2], np.arange(40_000, dtype=np.float32)


def _text(values: Any, *, spelled: str, sizes: str = "?") -> str:
    """A vector added to each row: as attribute or resource, in front of unknown sizes or not."""
    n = values.size
    raw = values.tobytes().hex()
    constant = {"dense": f'dense<"0x{raw}">', "resource": "dense_resource<bias>"}[spelled]
    row, rows = f"tensor<{n}xf32>", f"tensor<{sizes}x{n}xf32>"
    text = f"""
      func.func @main(%x: {rows}) -> {rows} {{
        %b = stablehlo.constant {constant} : {row}
        %s = shape.shape_of %x : {rows} -> tensor<2xindex>
        %d = stablehlo.dynamic_broadcast_in_dim %b, %s, dims = [1]
          : ({row}, tensor<2xindex>) -> {rows}
        %r = stablehlo.add %x, %d : {rows}
        return %r : {rows}
      }}"""
    if spelled == "resource":
        text += f'\n{{-# dialect_resources: {{ builtin: {{ bias: "0x04000000{raw}" }} }} #-}}'
    return text


OPTIONS: list[dict[str, Any]] = [
    {},
    {"specialize": True},
    {"check_sizes": False},
    {"check_nans": True},
    {"backend": "reference"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("spelled", ["dense", "resource"])
@pytest.mark.parametrize("values", [SMALL, ROWS, LARGE], ids=["small", "medium", "large"])
def test_parameters_beside_unknown_sizes(
    values: Any, spelled: str, options: dict[str, Any]
) -> None:
    """As every PyTorch export with both has them; from text and from a module."""
    text = _text(values, spelled=spelled)
    module = program.load(text)
    before = program.to_bytecode(module)
    for source in (text, module):
        executable = shlo_tools.compile(source, **options)
        for rows in (1, 3):
            x = np.ones((rows, values.size), np.float32)
            np.testing.assert_array_equal(executable(x), x + values)
    assert program.to_bytecode(module) == before


def test_a_small_resource_is_a_constant_that_passes_read() -> None:
    raw = np.array([2, 3], np.int64).tobytes().hex()
    text = f"""
      func.func @main(%x: tensor<6xf32>) -> tensor<?x?xf32> {{
        %s = stablehlo.constant dense_resource<shape> : tensor<2xi64>
        %r = stablehlo.dynamic_reshape %x, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
        return %r : tensor<?x?xf32>
      }}
      {{-# dialect_resources: {{ builtin: {{ shape: "0x08000000{raw}" }} }} #-}}"""
    with mlir.library_context():
        module, branch = weights.detached(text)
    assert not branch and "dense<[2, 3]>" in str(module)
    assert shlo_tools.compile(text)(np.arange(6, dtype=np.float32)).shape == (2, 3)


def _foreign(text: str) -> Any:
    with mlir.at(mlir.new_context()):
        return program.parse(text)


@pytest.mark.parametrize("attribute", [program.load, _foreign, str], ids=["own", "foreign", "text"])
@pytest.mark.parametrize("spelled", ["dense", "resource"])
def test_constants_are_not_copied_through_bytecode(
    attribute: Callable[[str], Any], spelled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever moves to the library's context is small, and so is what is lowered."""
    source = attribute(_text(LARGE, spelled=spelled))
    to_bytecode = writing.to_bytecode
    before = "" if isinstance(source, str) else to_bytecode(source)
    written: list[int] = []

    def watched(module: mlir.Module) -> bytes:
        data = to_bytecode(module)
        written.append(len(data))
        return data

    monkeypatch.setattr(writing, "to_bytecode", watched)
    with mlir.library_context() as context:
        module, branch = weights.detached(source)
        assert module.operation.context == context
    assert [array.tolist() for array in branch] == [LARGE.tolist()]
    assert len(to_bytecode(module)) < 10_000
    assert all(size < 10_000 for size in written)
    probed.instrumented(source, Instrument(operands=True))
    assert all(size < 10_000 for size in written)
    assert isinstance(source, str) or to_bytecode(source) == before
