"""``einsum`` of sizes that only run time knows: numpy says what it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from batch import run
from test_deprecated import BINARY, UNARY

import shlo_tools
from shlo_tools.errors import ExecutionError, ShapeMismatchError

Array = np.ndarray[Any, Any]


def tensor(rank: int) -> str:
    return f"tensor<{'?x' * rank}f64>"


def program(config: str, operands: list[Array], result: str) -> str:
    types = [tensor(operand.ndim) for operand in operands]
    named = ", ".join(f"%a{i}: {type}" for i, type in enumerate(types))
    inputs = ", ".join(f"%a{i}" for i in range(len(types)))
    name = "einsum" if len(types) == 2 else "unary_einsum"
    return f"""func.func @main({named}) -> {result} {{
      %0 = "stablehlo.{name}"({inputs}) {{einsum_config = "{config}"}}
        : ({", ".join(types)}) -> {result}
      return %0 : {result}
    }}"""


def numbers(*shapes: tuple[int, ...]) -> list[Array]:
    random = np.random.default_rng(1)
    return [random.integers(-9, 9, shape).astype(np.float64) for shape in shapes]


def check(config: str, *shapes: tuple[int, ...]) -> None:
    operands = numbers(*shapes)
    expected = np.einsum(config, *operands)
    text = program(config, operands, tensor(expected.ndim))
    for computed in (run(text, *operands)[0], shlo_tools.interpret(text, *operands)):
        assert np.array_equal(computed, expected), (config, shapes)


@pytest.mark.parametrize(("config", "lhs", "rhs"), BINARY)
def test_of_two_operands(config: str, lhs: tuple[int, ...], rhs: tuple[int, ...]) -> None:
    check(config, lhs, rhs)


@pytest.mark.parametrize(("config", "shape"), [*UNARY])
def test_of_one_operand(config: str, shape: tuple[int, ...]) -> None:
    check(config, shape)


def test_a_label_that_repeats_in_the_result() -> None:
    """Values on a diagonal of zeros, which numpy has no text for."""
    (x,) = numbers((3,))
    text = program("i->ii", [x], tensor(2))
    assert np.array_equal(run(text, x)[0], np.diag(x))
    x = numbers((2, 3))[0]
    text = program("ij->jij", [x], tensor(3))
    expected = np.einsum("ij,jk->jik", x, np.eye(3))
    assert np.array_equal(run(text, x)[0], expected)


def test_sizes_that_the_result_knows() -> None:
    x, y = numbers((2, 3), (3, 4))
    text = program("ij,jk->ik", [x, y], "tensor<2x4xf64>")
    assert np.array_equal(run(text, x, y)[0], x @ y)
    with pytest.raises(ShapeMismatchError):
        run(text, x[:1].copy(), y)


@pytest.mark.parametrize(
    ("config", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (4, 5)]),
        ("bi,bi->bi", [(2, 3), (2, 4)]),
        ("ii->i", [(3, 4)]),
        ("ii->i", [(4, 3)]),
        ("ii->", [(1, 3)]),
        ("...i,...i->...i", [(2, 3), (4, 3)]),
    ],
)
def test_sizes_of_one_label_must_agree(config: str, shapes: list[tuple[int, ...]]) -> None:
    operands = numbers(*shapes)
    rank = len(config.partition("->")[2].replace("...", "."))
    text = program(config, operands, tensor(rank))
    with pytest.raises(ShapeMismatchError):
        run(text, *operands)
    with pytest.raises(ExecutionError):
        shlo_tools.interpret(text, *operands)
