"""Passes of a plug-in that break IR in ways which end a process: each is one clear error.

Whatever fails here ends the whole test process.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import ir, mlir
from shlo_tools.errors import PassError
from shlo_tools.mlir import Operation
from shlo_tools.pipeline import registry
from shlo_tools.pipeline.registry import Pass

TEXT = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  %1 = stablehlo.multiply %0, %x : tensor<2xf32>
  return %1 : tensor<2xf32>
}
func.func private @other()"""

EDITS: dict[str, Callable[..., Any]] = {}


@dataclass(frozen=True)
class Edit(Pass):
    """Do something to the first function."""

    name = "edit-for-test"
    anchor = "any"
    what: str = ""

    def run(self, op: Operation) -> None:
        functions = [op] if op.name == "func.func" else ir.functions(op)
        add, multiply, _ = ir.children(functions[0])
        EDITS[self.what](op, functions[0], add, multiply)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    find = registry.find_pass
    monkeypatch.setattr(
        registry, "find_pass", lambda name: Edit if name == Edit.name else find(name)
    )


def ran(what: str, anchor: str = "{}") -> str:
    module = shlo_tools.load(TEXT)
    text = f"{Edit.name}{{what={what}}}"
    shlo_tools.Pipeline(f"builtin.module({anchor.format(text)})").run(module)
    return str(module)


REFUSED: list[tuple[str, Callable[..., Any], str]] = [
    ("erase", lambda module, func, add, multiply: add.erase(),
     r"-:3:\d+: .*stablehlo.add cannot be erased: stablehlo.multiply uses"),
    ("erase-view", lambda module, func, add, multiply: add.opview.erase(), "cannot be erased"),
    ("erase-module", lambda module, func, add, multiply: module.erase(), "the pass runs on it"),
    ("detach", lambda module, func, add, multiply: add.detach_from_parent(), "move_before"),
    ("erase-argument", lambda module, func, add, multiply: add.block.erase_argument(0),
     "func.func cannot be without its block argument: stablehlo.(add|multiply) uses"),
    ("erase-no-argument", lambda module, func, add, multiply: add.block.erase_argument(7),
     "has no block argument 7"),
    ("operand", lambda module, func, add, multiply:
     add.operands.__setitem__(2, add.operands[0]), "operand 2 is set of an op that has 2"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("what", "edit", "message"), [pytest.param(*row, id=row[0]) for row in REFUSED]
)
def test_what_would_end_the_process_is_an_error(
    what: str, edit: Callable[..., Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(EDITS, what, edit)
    with pytest.raises(PassError, match=message):
        ran(what)
    np.testing.assert_array_equal(shlo_tools.run(TEXT, np.ones(2, np.float32)), [2, 2])


def test_a_function_pass_erases_no_other_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pipeline has yet to visit it."""

    def erase(func: Any, _: Any, *ops: Any) -> None:
        ir.functions(mlir.inner_operation(func.parent))[-1].erase()

    monkeypatch.setitem(EDITS, "erase-other", erase)
    with pytest.raises(PassError, match="lies outside of the op that the pass runs on"):
        ran("erase-other", "func.func({})")


def test_what_is_right_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    def fold(module: Any, func: Any, add: Any, multiply: Any) -> None:
        x = func.regions[0].blocks[0].arguments[0]
        add.results[0].replace_all_uses_with(add.results[0])  # the bindings would never return
        multiply.operands[-2] = x
        add.erase()
        ir.functions(module)[-1].erase()

    monkeypatch.setitem(EDITS, "fold", fold)
    text = ran("fold")
    assert "stablehlo.multiply %arg0, %arg0" in text
    assert "add" not in text and "@other" not in text


def test_edits_are_the_bindings_own_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    operation, block, operands, _ = mlir.edited_classes()
    own = (operation.erase, block.erase_argument, operands.__setitem__)
    monkeypatch.setitem(EDITS, "nothing", lambda *ops: None)
    ran("nothing")
    assert own == (operation.erase, block.erase_argument, operands.__setitem__)
