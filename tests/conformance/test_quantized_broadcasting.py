"""CHLO's broadcasting forms on quantized tensors: numpy stretches what the integers stand for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from batch import run

import shlo_tools
from shlo_tools.errors import ConstraintError, UnsupportedError, VerifyError

Array = np.ndarray[Any, Any]

HALVES, QUARTERS = "!quant.uniform<i8:f32, 0.5:3>", "!quant.uniform<i8:f32, 0.25:-1>"
COLUMNS = "!quant.uniform<i8:f32:1, {0.5:1, 0.25:2, 0.125:3}>"  # scales along dimension 1
ROW = "!quant.uniform<i8:f32:0, {0.5:1, 0.25:2, 0.125:3}>"
ONE = "!quant.uniform<i8:f32:1, {0.5:3}>"
COLUMN = {  # scale and zero point, shaped to stretch
    HALVES: (0.5, 3),
    QUARTERS: (0.25, -1),
    COLUMNS: (np.array([0.5, 0.25, 0.125]), np.array([1, 2, 3])),
    ROW: (np.array([0.5, 0.25, 0.125]), np.array([1, 2, 3])),
    ONE: (0.5, 3),
}


def numbers(integers: Array, element: str) -> Array:
    scale, zero_point = COLUMN[element]
    return np.asarray((integers.astype(np.float64) - zero_point) * scale)


def integers(values: Array, element: str) -> Array:
    """All scales are powers of two: nothing is rounded before this."""
    scale, zero_point = COLUMN[element]
    return np.asarray(np.rint(np.clip(values / scale + zero_point, -128, 127)), np.int8)


def form(name: str, types: Sequence[str], result: str, attributes: str = "") -> str:
    arguments = ", ".join(f"%a{i}: {type}" for i, type in enumerate(types))
    operands = ", ".join(f"%a{i}" for i in range(len(types)))
    return f"""func.func @main({arguments}) -> {result} {{
      %0 = "chlo.broadcast_{name}"({operands}) {{{attributes}}} : ({", ".join(types)}) -> {result}
      return %0 : {result}
    }}"""


def drawn(*shapes: tuple[int, ...]) -> list[Array]:
    random = np.random.default_rng(0)
    return [random.integers(-128, 128, shape).astype(np.int8) for shape in shapes]


# lhs, rhs, result: sizes in the program, sizes at run time, elements
SUMS = (
    (("2x3x", (2, 3), HALVES), ("3x", (3,), HALVES), ("2x3x", HALVES)),
    (("2x3x", (2, 3), HALVES), ("3x", (3,), QUARTERS), ("2x3x", HALVES)),
    (("2x1x", (2, 1), HALVES), ("1x3x", (1, 3), HALVES), ("2x3x", QUARTERS)),
    (("", (), HALVES), ("2x3x", (2, 3), HALVES), ("2x3x", HALVES)),
    (("2x3x", (2, 3), COLUMNS), ("2x3x", (2, 3), COLUMNS), ("2x3x", COLUMNS)),
    (("2x3x", (2, 3), COLUMNS), ("3x", (3,), ROW), ("2x3x", COLUMNS)),
    (("2x3x", (2, 3), COLUMNS), ("2x1x", (2, 1), ONE), ("2x3x", COLUMNS)),
    (("?x3x", (2, 3), HALVES), ("?x?x", (1, 3), HALVES), ("?x3x", HALVES)),
    (("?x3x", (1, 3), COLUMNS), ("?x3x", (4, 3), COLUMNS), ("?x3x", COLUMNS)),
)


@pytest.mark.parametrize(("lhs", "rhs", "result"), SUMS)
def test_sums(lhs: Any, rhs: Any, result: Any) -> None:
    x, y = drawn(lhs[1], rhs[1])
    text = form("add", [f"tensor<{s}{e}>" for s, _, e in (lhs, rhs)], f"tensor<{''.join(result)}>")
    expected = integers(numbers(x, lhs[2]) + numbers(y, rhs[2]), result[1])
    assert np.array_equal(run(text, x, y)[0], expected)
    assert np.array_equal(shlo_tools.interpret(text, x, y), expected)


FUNCTIONS: dict[str, Callable[[Array, Array], Array]] = {
    "divide": np.divide,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "multiply": np.multiply,
    "remainder": np.fmod,
    "subtract": np.subtract,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    x, y = drawn((5, 1), (7,))
    y[y == 3] = 4  # which would be zero
    text = form(name, [f"tensor<5x1x{HALVES}>", f"tensor<7x{HALVES}>"], f"tensor<5x7x{HALVES}>")
    exact = FUNCTIONS[name](numbers(x, HALVES).astype(np.float32), numbers(y, HALVES))
    expected = integers(exact.astype(np.float32), HALVES)
    assert np.array_equal(run(text, x, y)[0], expected)
    assert np.array_equal(shlo_tools.interpret(text, x, y), expected)


def test_the_operand_of_lower_rank_takes_the_named_dimensions() -> None:
    x, y = drawn((2, 3), (2,))
    types = [f"tensor<2x3x{HALVES}>", f"tensor<2x{HALVES}>"]
    text = form("add", types, f"tensor<2x3x{HALVES}>", "broadcast_dimensions = array<i64: 0>")
    expected = integers(numbers(x, HALVES) + numbers(y, HALVES)[:, None], HALVES)
    assert np.array_equal(run(text, x, y)[0], expected)


def test_comparison() -> None:
    x, y = drawn((5, 1), (7,))
    types = [f"tensor<5x1x{HALVES}>", f"tensor<7x{HALVES}>"]
    less = "comparison_direction = #chlo<comparison_direction LT>"
    text = form("compare", types, "tensor<5x7xi1>", less)
    assert np.array_equal(run(text, x, y)[0], x < y)


def test_selection() -> None:
    x, y = drawn((2, 3), ())
    mask = np.array([True, False, True])
    types = ["tensor<3xi1>", f"tensor<2x3x{HALVES}>", f"tensor<{HALVES}>"]
    text = form("select", types, f"tensor<2x3x{HALVES}>")
    assert np.array_equal(run(text, mask, x, y)[0], np.where(mask, x, y))


@pytest.mark.parametrize("name", ["next_after", "polygamma", "shift_left"])
def test_forms_without_a_plain_op_on_quantized_tensors_are_refused(name: str) -> None:
    type = f"tensor<2x{HALVES}>"
    with pytest.raises(ConstraintError, match=f"broadcast_{name}.*!quant.* is not allowed"):
        shlo_tools.compile(form(name, [type, type], type))


@pytest.mark.parametrize("name", ["multiply", "maximum"])
def test_only_sums_take_scales_per_axis(name: str) -> None:
    """As the plain ops do, whose verifier says so."""
    type = f"tensor<2x3x{COLUMNS}>"
    with pytest.raises(UnsupportedError, match=f"{name} takes tensors quantized as a whole only"):
        shlo_tools.compile(form(name, [type, type], type))
    plain = form(name, [type, type], type).replace("chlo.broadcast_", "stablehlo.")
    with pytest.raises(VerifyError, match="per-tensor integer quantized"):
        shlo_tools.load(plain)
