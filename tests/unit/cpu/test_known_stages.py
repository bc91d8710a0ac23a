"""Equal stages are lowered once in a process, whichever programs they are of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from shlo_tools import compile, interpret
from shlo_tools.codegen.stages import lowering
from shlo_tools.codegen.stages.nodes import UnsupportedStage
from shlo_tools.cpu.machine_code import store
from shlo_tools.cpu.stages import kernels
from shlo_tools.passes.stages import lower_stages

X = "tensor<7x9600xf32>"  # columns so many that each layer is stages of its own


@pytest.fixture(autouse=True)
def lowered(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The kinds of stages that are lowered, in a process that knows none."""
    kinds: list[str] = []
    lower = lowering.lower

    def counted(stage: lowering.Stage, target: lowering.Target) -> lowering.StageCode:
        kinds.append(stage.kind)
        return lower(stage, target)

    monkeypatch.setattr(lowering, "lower", counted)
    monkeypatch.setattr(store, "read", lambda _: None)
    lower_stages._known.clear()
    yield kinds


def program(*names: str, values: str = "vw") -> str:
    """Layers: an elementwise op, and what the largest of a column leave of the rest."""
    lines, last = ["%zero = stablehlo.constant dense<0.0> : tensor<f32>"], "%x"
    for number, name in enumerate(names):
        one, row, whole, new = (f"%{part}{number}" for part in (*values, "b", "n"))
        lines += [
            f"{one} = stablehlo.{name} {last} : {X}",
            f"{row} = stablehlo.reduce({one} init: %zero) applies stablehlo.maximum across"
            f" dimensions = [0] : ({X}, tensor<f32>) -> tensor<9600xf32>",
            f"{whole} = stablehlo.broadcast_in_dim {row}, dims = [1] : (tensor<9600xf32>) -> {X}",
            f"{new} = stablehlo.subtract {one}, {whole} : {X}",
        ]
        last = new
    body = "\n".join(lines)
    return f"func.func @main(%x: {X}) -> {X} {{\n{body}\nreturn {last} : {X}\n}}"


def check(text: str) -> None:
    x = np.random.default_rng(0).standard_normal((7, 9600)).astype(np.float32)
    np.testing.assert_allclose(compile(text)(x), interpret(text, x), rtol=1e-5, atol=1e-5)


def test_a_program_is_lowered_once(lowered: list[str]) -> None:
    check(program("tanh", "cosine"))
    assert lowered
    count = len(lowered)
    for names in ("vw", "pq"):
        check(program("tanh", "cosine", values=names))
    assert len(lowered) == count


def test_a_program_with_known_layers_lowers_what_is_new(lowered: list[str]) -> None:
    check(program("tanh", "tanh", "tanh"))
    count = len(lowered)
    check(program("tanh", "tanh", "tanh", "tanh", "tanh"))
    assert len(lowered) == count
    check(program("tanh", "tanh", "sine"))
    assert count < len(lowered) <= count + 2


def test_machine_code_that_is_gone_is_made_again(
    lowered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    check(program("tanh"))
    count = len(lowered)
    monkeypatch.setattr(kernels, "_known", type(kernels._known)())
    check(program("tanh"))
    assert len(lowered) == 2 * count


def test_no_more_than_so_many_stages_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lower_stages, "_MOST", 3)
    for name in ("tanh", "sine", "cosine", "exponential", "sqrt"):
        compile(program(name))
        assert len(lower_stages._known) <= 3


def test_what_has_no_kernel_is_known_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []

    def refuse(stage: Any, target: Any) -> Any:
        names.append(stage.name)
        raise UnsupportedStage("no kernel today")

    monkeypatch.setattr(lowering, "lower", refuse)
    monkeypatch.setattr(lower_stages, "_known", type(lower_stages._known)())
    first, second = (compile(program("tanh")) for _ in range(2))
    assert set(first.plain.values()) == {"no kernel today"}  # type: ignore[attr-defined]
    assert first.plain == second.plain  # type: ignore[attr-defined]
    assert len(names) == len(first.plain)  # type: ignore[attr-defined]
