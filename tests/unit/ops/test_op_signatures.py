"""Signatures of op functions: for mypy, in the generated stub, in documentation."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from op_calls import loose

from shlo_tools import ir, mlir, ops, program
from shlo_tools.tools import generate_stubs
from shlo_tools.types import of_value

ROOT = Path(__file__).resolve().parents[3]


# --- types ----------------------------------------------------------------------------------------
TYPED = """
from typing import assert_type

import numpy as np

from shlo_tools import ops
from shlo_tools.builder import Module
from shlo_tools.ops import Tensor, Value

module = Module()


@module.func("4x8xf32")
def _double(x: Tensor) -> Tensor:
    return 2.0 * x


@module.func("4x8xf32", "i32", "f32")
def main(x: Tensor, index: Tensor, zero: Tensor) -> tuple[Tensor, ...]:
    def larger(a: Tensor, b: Tensor) -> Tensor:
        return ops.maximum(a, b)

    assert_type(ops.reduce((x,), (zero,), (1,), larger), tuple[Tensor, ...])
    (summed,) = ops.reduce([x], [0.0], dimensions=[1], body=lambda a, b: a + b)
    assert_type(ops.pad(x, np.float32(1), (0, 0), (1, 1), (0, 0)), Tensor)
    assert_type(ops.dot_general(x, x, (), (), (1,), (1,), ["HIGH", ops.Precision.DEFAULT]), Tensor)
    called = ops.custom_call((x,), "f", ["4xf32", (2, 3), "!stablehlo.token"])
    assert_type(called, tuple[Value, ...])
    rows = ops.gather(
        x, np.zeros((2, 1), np.int64), (1,), (0,), (), (), (0,), 1, slice_sizes=(1, 8)
    )
    ops.composite((x,), "my.op", _double, {"a": [1]}, version=2)
    (chosen,) = ops.case(index, [lambda: summed, lambda: (summed * 2.0,)])
    less = ops.compare(x, 0, "LT")
    ones = ops.constant(np.ones((4, 8), np.float32))
    assert_type(ops.chlo.erf(x), Tensor)
    assert_type(ops.chlo.broadcast_compare(x, 1.0, "GT"), Tensor)
    return rows, chosen, ops.select(less, x, ones), ops.complex(ones, x)
"""


WRONG = [
    ("ops.transpose(x, permutation=1)", "arg-type"),
    ("ops.pad(x, 0.0, (0,), (0,))", "call-arg"),
    ('ops.compare(x, x, "LESS")', "arg-type"),
    ("ops.reduce((x,), (0,), (0,), body=3)", "arg-type"),
    ('ops.add(x, "one")', "arg-type"),
    ("ops.add(x, x).no_such_thing", "attr-defined"),
]


@pytest.fixture(scope="module")
def mypy_says(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What ``mypy --strict`` says of the typed program and the wrong ones, in one run.

    Files are told by name: what mypy has in its cache it reports under an older path.
    """
    folder = tmp_path_factory.mktemp("typed")
    (folder / "typed.py").write_text(TYPED)
    for number, (line, _) in enumerate(WRONG):
        text = f"from shlo_tools import ops\n\n\ndef f(x: ops.Tensor) -> None:\n    {line}\n"
        (folder / f"wrong_{number}.py").write_text(text)
    sources = sorted(map(str, folder.iterdir()))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", *sources],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert not done.stderr, done.stderr
    return done.stdout.split("\n")


def test_a_typed_program_passes_mypy(mypy_says: list[str]) -> None:
    assert [line for line in mypy_says if "typed.py:" in line] == []


@pytest.mark.parametrize(("number", "line", "code"), [(n, *row) for n, row in enumerate(WRONG)])
def test_wrong_programs_fail_mypy(mypy_says: list[str], number: int, line: str, code: str) -> None:
    message = [text for text in mypy_says if f"wrong_{number}.py:5: error:" in text]
    assert len(message) == 1, line
    assert message[0].endswith(f"[{code}]")


def test_the_typed_program_builds() -> None:
    exec(compile(TYPED, "typed.py", "exec"), {})


# --- the stub -------------------------------------------------------------------------------------
def test_the_stubs_are_up_to_date() -> None:
    for path, text in generate_stubs.stubs().items():
        assert path.read_text() == text, "run python -m shlo_tools.tools.generate_stubs"


def test_the_stub_declares_what_the_package_offers() -> None:
    declared = generate_stubs.stablehlo_stub()
    assert len(ops.BUILDERS) > 60
    for name in ops.BUILDERS:
        assert f"\ndef {name}(" in declared
        assert callable(getattr(ops, name))
    for name in ops.DESCRIPTIONS:
        if name.startswith("chlo."):
            assert f"\ndef {name.removeprefix('chlo.')}(" in generate_stubs.chlo_stub()
    assert "    *,\n    slice_sizes: Sequence[int],\n" in declared  # keyword-only stays so
    assert "def while_(operand: Sequence[ValueLike], cond: RegionLike" in declared


def test_builders_keep_their_signature_and_documentation() -> None:
    """The decorated function is the public one: help() and completion read it."""
    import inspect

    assert list(inspect.signature(ops.pad).parameters) == [
        "operand",
        "padding_value",
        "edge_padding_low",
        "edge_padding_high",
        "interior_padding",
    ]
    assert "negative edges" in (ops.pad.__doc__ or "")
    assert ops.pad.__name__ == "pad"


def test_inserting_at_a_given_place() -> None:
    """Passes call the same builders: ``ir.inserting`` says where."""
    module = program.load(
        "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }"
    )
    with mlir.library_context():
        (func,) = ir.functions(module.operation)
        end = ir.terminator(func.regions[0].blocks[0])
        with ir.inserting(ir.Build(mlir.before(end), end.location)):
            argument = of_value(func.regions[0].blocks[0].arguments[0])
            result = loose.negate(argument)
        end.operands[0] = result.value
        program.verify(module)
    assert "stablehlo.negate" in str(module)
