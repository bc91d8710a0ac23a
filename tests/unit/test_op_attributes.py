"""Attributes of ops: which are known, and how their values cross between MLIR and Python."""

from __future__ import annotations

from typing import Any

import pytest

from shlo_tools import builder, errors, mlir, ops, program
from shlo_tools.errors import ConstraintError
from shlo_tools.ops._op import read_arguments


def _only(module: mlir.Module, name: str) -> mlir.Operation:
    (found,) = (op for op in mlir.walk(module.operation) if op.name == f"stablehlo.{name}")
    return found


def _arguments(module: mlir.Module, name: str) -> dict[str, Any]:
    with mlir.library_context():
        return read_arguments(_only(module, name))


# --- strings --------------------------------------------------------------------------------------
@pytest.mark.parametrize("config", ["", "text", "é\0", b"\xff\x00", b"\x80 half of a letter"])
def test_a_config_is_text_or_bytes(config: str | bytes) -> None:
    """MLIR's strings are bytes; those that are no UTF-8 stay what they are."""
    module = builder.Module()

    @module.func()
    def main() -> None:
        ops.custom_call((), "f", (), backend_config=config)

    program.verify(module.module)
    assert _arguments(module.module, "custom_call")["backend_config"] == config


def test_a_name_that_is_no_text_is_an_error() -> None:
    module = program.load(r"""
      func.func @main() {
        "stablehlo.custom_call"() {call_target_name = "\FF"} : () -> ()
        return
      }""")
    with pytest.raises(ConstraintError, match=r'^-:3:9: .*custom_call: "\\FF" is no text'):
        program.verify(module)


# --- names ----------------------------------------------------------------------------------------
def test_only_attributes_that_nobody_reads_are_warned_of() -> None:
    """Functions of custom calls are given all attributes of the op, whatever their names."""
    module = program.load("""
      func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
        stablehlo.custom_call @f(%x) {indices = 1 : i64, error_message = "no"}
          : (tensor<2xf32>) -> ()
        %0 = stablehlo.negate %x {dimensionz = 1 : i64} : tensor<2xf32>
        return %0 : tensor<2xf32>
      }""")
    heard = errors.Collected()
    with errors.listening(heard):
        program.verify(module)
    (warned,) = heard.diagnostics
    assert "stablehlo.negate has no attribute 'dimensionz'" in warned.message
