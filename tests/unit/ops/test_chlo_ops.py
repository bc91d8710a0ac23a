"""``ops.chlo``: every registered CHLO op is a function that builds it, infers and verifies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from shlo_tools import Module, dtypes, errors, mlir, ops, program, verify
from shlo_tools.ops import chlo

REAL = (
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "bessel_i1e",
    "conj",
    "cosh",
    "digamma",
    "erf",
    "erf_inv",
    "erfc",
    "is_inf",
    "is_neg_inf",
    "is_pos_inf",
    "lgamma",
    "sinh",
    "square",
    "tan",
)


def build(body: Callable[..., Any], *types: str) -> str:
    """The text of a program with this body, verified by the dialect and by the op functions."""
    module = Module()
    module.func(*types, name="main")(body)
    verify(module.module)
    return str(module)


def test_every_registered_op_is_a_function() -> None:
    names = [name for name in mlir.registered_op_names() if name.startswith("chlo.")]
    assert len(names) >= 50
    for name in [*names, "chlo._asin_acos_kernel"]:
        assert name in ops.DESCRIPTIONS
        assert callable(getattr(chlo, name.removeprefix("chlo.")))


def test_names_shared_with_stablehlo_stay_apart() -> None:
    assert "stablehlo.tan" in build(lambda x: ops.tan(x), "4xf32")
    assert "chlo.tan" in build(lambda x: chlo.tan(x), "4xf32")
    assert "chlo.constant dense" in build(lambda: chlo.constant(np.ones(3, np.float32)))


@pytest.mark.parametrize("name", REAL)
def test_functions_of_one_operand(name: str) -> None:
    result = "i1" if name.startswith("is_") else "f32"
    text = build(getattr(chlo, name), "2x3xf32")
    assert f"chlo.{name} %arg0 : tensor<2x3xf32> -> tensor<2x3x{result}>" in text


@pytest.mark.parametrize("name", ["next_after", "polygamma", "zeta", "mulhi"])
def test_functions_of_two_operands(name: str) -> None:
    element = "ui8" if name == "mulhi" else "bf16"
    text = build(getattr(chlo, name), f"4x{element}", f"4x{element}")
    assert f"-> tensor<4x{element}>" in text


NUMBERS = (np.float32(1.5), np.int8(-3), np.uint8(200), np.bool_(True), np.complex64(1.5 - 2j))


@pytest.mark.parametrize("value", NUMBERS)
def test_constant_like_keeps_the_number(value: Any) -> None:
    module = program.load(build(lambda x: chlo.constant_like(x, value), "2xf32"))
    (matching,) = [op for op in mlir.walk(module.operation) if op.name == "chlo.constant_like"]
    with mlir.library_context():
        assert str(ops.infer(matching)[0]) == f"tensor<2x{dtypes.from_dtype(value.dtype)}>"
        array = ops._op._read(ops.DESCRIPTIONS[matching.name], matching)["value"]
    assert array.dtype == value.dtype and array == value


# --- broadcasting ---------------------------------------------------------------------------------
STRETCHED: tuple[tuple[str, str, list[int] | None, str], ...] = (
    ("2x3xf32", "3xf32", None, "2x3xf32"),
    ("3xf32", "2x3xf32", None, "2x3xf32"),
    ("2x1xf32", "1x3xf32", None, "2x3xf32"),
    ("2x3xf32", "2xf32", [0], "2x3xf32"),
    ("?x3xf32", "2x1xf32", None, "2x3xf32"),
    ("?x3xf32", "1x3xf32", None, "?x3xf32"),
    ("f32", "2xf32", [], "2xf32"),
)


@pytest.mark.parametrize(("lhs", "rhs", "dimensions", "result"), STRETCHED)
def test_shapes_stretch(lhs: str, rhs: str, dimensions: list[int] | None, result: str) -> None:
    text = build(lambda x, y: chlo.broadcast_add(x, y, dimensions), lhs, rhs)
    assert f"-> tensor<{result}>\n" in text


def test_attributes_are_of_their_own_dialect() -> None:
    less, floats = ops.ComparisonDirection.LT, ops.ComparisonType.FLOAT
    text = build(lambda x, y: chlo.broadcast_compare(x, y, less, floats), "2xf32", "f32")
    assert "#chlo<comparison_direction LT>" in text and "#chlo<comparison_type FLOAT>" in text
    text = build(chlo.broadcast_select, "i1", "2x3xf32", "3xf32")
    assert "(tensor<i1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>" in text
    text = build(chlo.broadcast_complex, "2xf64", "f64")
    assert "-> tensor<2xcomplex<f64>>" in text


# --- along dimensions -----------------------------------------------------------------------------
def test_top_k() -> None:
    text = build(lambda x: chlo.top_k(x, 2), "4x?xf32")
    assert "-> (tensor<4x2xf32>, tensor<4x2xi32>)" in text


def test_scan() -> None:
    """Results come in two groups, and the op gets the sizes of both."""

    def body(x: Any, init: Any) -> Any:
        outputs, carries = chlo.scan([x], [init], 1, body=lambda row, carry: (row, row + carry))
        assert (len(outputs), len(carries)) == (1, 1)
        return (*outputs, *carries)

    text = build(body, "8x3xf32", "8xf32")
    assert "chlo.scan(%arg0) inits (%arg1) dimension=1" in text
    assert "(tensor<8x3xf32>, tensor<8xf32>) -> (tensor<8x3xf32>, tensor<8xf32>)" in text


def test_scan_counts_its_steps_where_there_is_no_input() -> None:
    def body(init: Any) -> Any:
        outputs, _ = chlo.scan([], [init], 0, body=lambda carry: (carry, carry), scan_dim_size=5)
        return outputs

    assert "-> (tensor<5x3xf32>, tensor<3xf32>)" in build(body, "3xf32")


RAGGED: tuple[tuple[str, str, tuple[list[int], ...], str], ...] = (
    # lhs, rhs, lhs and rhs batching and contracting, ragged, groups, result
    ("8x3xf32", "4x3x5xf32", ([], [], [1], [1], [0], [0]), "8x5xf32"),
    ("2x8x3xf32", "4x2x3x5xf32", ([0], [1], [2], [2], [1], [0]), "2x8x5xf32"),
    ("8x3xf32", "8x5xf32", ([], [], [0], [0], [0], []), "4x3x5xf32"),
    ("6x8x3xf32", "6x3x5xf32", ([0], [0], [2], [1], [0], []), "6x8x5xf32"),
)


@pytest.mark.parametrize(("lhs", "rhs", "axes", "result"), RAGGED)
def test_ragged_dot(lhs: str, rhs: str, axes: tuple[list[int], ...], result: str) -> None:
    a, b, c, d, ragged, groups = axes
    text = build(
        lambda x, y, sizes: chlo.ragged_dot(x, y, sizes, a, b, c, d, ragged, groups),
        *(lhs, rhs, "4xi32"),
    )
    assert f"-> tensor<{result}>" in text


# --- constraints ----------------------------------------------------------------------------------
WRONG: tuple[tuple[Callable[..., Any], tuple[str, ...], str], ...] = (
    (chlo.erf, ("4xi32",), "I1"),
    (chlo.mulhi, ("4xf32", "4xf32"), "I1"),
    (chlo.zeta, ("4xf32", "5xf32"), "C1"),
    (chlo.broadcast_add, ("2xf32", "3xf32"), "C1"),
    (chlo.broadcast_add, ("2xf32", "2xf64"), "C1"),
    (lambda x, y: chlo.broadcast_add(x, y, [2]), ("2x3xf32", "3xf32"), "C2"),
    (chlo.broadcast_and, ("2xf32", "2xf32"), "I1"),
    (chlo.broadcast_select, ("2xi8", "2xf32", "2xf32"), "I1"),
    (lambda x: chlo.top_k(x, 5), ("4xf32",), "C2"),
    (lambda x: chlo.top_k(x, 1), ("f32",), "C1"),
    (lambda x: chlo.scan([x], [], 2, body=lambda row: row), ("4x3xf32",), "C1"),
    (lambda x: chlo.scan([], [x], 0, body=lambda carry: carry), ("3xf32",), "C2"),
    (lambda x, y: chlo.scan([x], [y], 0, body=lambda a, b: (a, a)), ("4x3xf32", "f32"), "C3"),
    (lambda x, y, g: chlo.ragged_dot(x, y, g), ("8x3xf32", "4x3x5xf32", "4xi32"), "C1"),
    (
        lambda x, y, g: chlo.ragged_dot(x, y, g, [], [], [1], [1], [0], [0]),
        ("8x3xf32", "4x3x5xf32", "7xi32"),
        "C5",
    ),
)


@pytest.mark.parametrize(("body", "types", "label"), WRONG)
def test_constraints(body: Callable[..., Any], types: tuple[str, ...], label: str) -> None:
    with pytest.raises(errors.ConstraintError, match=rf"\({label}\)"):
        build(body, *types)
