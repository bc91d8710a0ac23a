"""The ``@op`` decorator, on the seven ops that are hardest for it.

One function per op is builder, result rule and verifier: reduce (variadic and a region), gather
(struct attribute), custom_call (everything optional), case (any number of regions), dot_general
(result element type), pad (arithmetic on dimensions), composite (a symbol).

Expected programs are written by hand after the examples of the StableHLO specification, expected
types follow from its constraints (the labels in parentheses).
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shlo_tools import ir, mlir, ops, program
from shlo_tools.builder import Module
from shlo_tools.errors import ConstraintError, ShloError, VerifyError
from shlo_tools.mlir import Operation
from shlo_tools.tools import generate_stubs
from shlo_tools.types import of_value

ROOT = Path(__file__).resolve().parents[3]


def add(a: Any, b: Any) -> Any:
    return ops.add(a, b)


def with_largest(a: Any, i: Any, b: Any, j: Any) -> Any:
    """Body of a variadic reduce: sums, and the largest of the integers."""
    return ops.add(a, b), ops.maximum(i, j)


GATHER: dict[str, Any] = {
    "offset_dims": (2, 3),
    "collapsed_slice_dims": (0,),
    "start_index_map": (1, 0),
    "index_vector_dim": 2,
    "slice_sizes": (1, 2, 2),
}
DOT: dict[str, Any] = {
    "lhs_batching_dimensions": (0,),
    "rhs_batching_dimensions": (0,),
    "lhs_contracting_dimensions": (2,),
    "rhs_contracting_dimensions": (1,),
}
PAD: dict[str, Any] = {
    "edge_padding_low": (0, 1),
    "edge_padding_high": (2, 1),
    "interior_padding": (1, 2),
}

# --- as builder -----------------------------------------------------------------------------------
# op -> argument types, builder call, and the function body that it stands for
BUILT: dict[str, tuple[tuple[str, ...], Callable[..., Any], str]] = {
    "reduce": (
        ("4x8xf32", "4x8xi32", "f32", "i32"),
        lambda x, i, x0, i0: ops.reduce((x, i), (x0, i0), (1,), with_largest),
        """
        %0:2 = "stablehlo.reduce"(%arg0, %arg1, %arg2, %arg3) ({
        ^bb0(%a: tensor<f32>, %i: tensor<i32>, %b: tensor<f32>, %j: tensor<i32>):
          %s = stablehlo.add %a, %b : tensor<f32>
          %m = stablehlo.maximum %i, %j : tensor<i32>
          stablehlo.return %s, %m : tensor<f32>, tensor<i32>
        }) {dimensions = array<i64: 1>} : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>,
                                           tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
        return %0#0, %0#1 : tensor<4xf32>, tensor<4xi32>""",
    ),
    "gather": (
        ("3x4x2xi32", "2x3x2xi64"),
        lambda operand, indices: ops.gather(operand, indices, **GATHER),
        """
        %0 = "stablehlo.gather"(%arg0, %arg1) {
          dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0],
                                                start_index_map = [1, 0], index_vector_dim = 2>,
          slice_sizes = array<i64: 1, 2, 2>, indices_are_sorted = false
        } : (tensor<3x4x2xi32>, tensor<2x3x2xi64>) -> tensor<2x3x2x2xi32>
        return %0 : tensor<2x3x2x2xi32>""",
    ),
    "custom_call": (
        ("f64",),
        lambda x: ops.custom_call(
            (x,), "foo", ("f64", "!stablehlo.token"), False, {"bar": [1, "b"]}, 4
        ),
        """
        %0:2 = "stablehlo.custom_call"(%arg0) {
          call_target_name = "foo", has_side_effect = false, backend_config = {bar = [1, "b"]},
          api_version = 4 : i32
        } : (tensor<f64>) -> (tensor<f64>, !stablehlo.token)
        return %0#0, %0#1 : tensor<f64>, !stablehlo.token""",
    ),
    "case": (
        ("i32", "2xi64"),
        lambda index, x: ops.case(index, [lambda: (x, x), lambda: (ops.negate(x), x)]),
        """
        %0:2 = "stablehlo.case"(%arg0) ({
          stablehlo.return %arg1, %arg1 : tensor<2xi64>, tensor<2xi64>
        }, {
          %n = stablehlo.negate %arg1 : tensor<2xi64>
          stablehlo.return %n, %arg1 : tensor<2xi64>, tensor<2xi64>
        }) : (tensor<i32>) -> (tensor<2xi64>, tensor<2xi64>)
        return %0#0, %0#1 : tensor<2xi64>, tensor<2xi64>""",
    ),
    "dot_general": (
        ("2x3x4xi8", "2x4x5xi8"),
        lambda lhs, rhs: ops.dot_general(
            lhs,
            rhs,
            **DOT,
            precision_config=["HIGH", ops.Precision.DEFAULT],
            result_type="2x3x5xi32",
        ),
        """
        %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0],
          contracting_dims = [2] x [1], precision = [HIGH, DEFAULT]
          : (tensor<2x3x4xi8>, tensor<2x4x5xi8>) -> tensor<2x3x5xi32>
        return %0 : tensor<2x3x5xi32>""",
    ),
    "pad": (
        ("2x3xi32",),
        lambda operand: ops.pad(operand, np.int32(7), **PAD),
        """
        %c = stablehlo.constant dense<7> : tensor<i32>
        %0 = "stablehlo.pad"(%arg0, %c) {
          edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 2, 1>,
          interior_padding = array<i64: 1, 2>
        } : (tensor<2x3xi32>, tensor<i32>) -> tensor<5x9xi32>
        return %0 : tensor<5x9xi32>""",
    ),
}


def _plain(types: tuple[str, ...]) -> str:
    return ", ".join(f"%arg{i}: tensor<{t}>" for i, t in enumerate(types))


@pytest.mark.parametrize("name", BUILT)
def test_builder_makes_the_op_of_the_specification(name: str) -> None:
    types, build, body = BUILT[name]
    module = Module()
    main = module.func(*types, name="main")(build)
    assert main.result_types is not None
    results = ", ".join(str(t) for t in main.result_types)
    wanted = f"func.func @main({_plain(types)}) -> ({results}) {{{body}\n}}"
    assert str(module) == str(program.load(wanted))


def test_composite_takes_a_function_of_the_module() -> None:
    module = Module()

    @module.func("f32", "f32")
    def _my_op(a: Any, b: Any) -> Any:
        return ops.add(a, b)

    @module.func("f32", "f32")
    def main(a: Any, b: Any) -> Any:
        return ops.composite((a, b), "my_namespace.my_op", _my_op, {"my_attribute": "my_value"}, 1)

    wanted = """
        func.func private @_my_op(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
          %0 = stablehlo.add %a, %b : tensor<f32>
          return %0 : tensor<f32>
        }
        func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
          %0 = "stablehlo.composite"(%a, %b) {
            name = "my_namespace.my_op", composite_attributes = {my_attribute = "my_value"},
            decomposition = @_my_op, version = 1 : i32
          } : (tensor<f32>, tensor<f32>) -> tensor<f32>
          return %0 : tensor<f32>
        }"""
    assert str(module) == str(program.load(wanted))


def test_custom_call_needs_no_more_than_a_name() -> None:
    """Every attribute but the target is optional, and one left out is not written."""
    module = Module()
    module.func(name="main")(lambda: ops.custom_call((), "foo", ()))
    wanted = "func.func @main() { stablehlo.custom_call @foo() : () -> ()\n return }"
    assert str(module) == str(program.load(wanted))


def _attempt(types: tuple[str, ...], build: Callable[..., Any]) -> Module:
    module = Module()
    module.func(*types, name="main")(build)
    return module


def test_numbers_and_arrays_are_operands() -> None:
    """A number takes the element type of the first tensor, an array keeps its own."""
    built = str(_attempt(("2xbf16",), lambda x: (x + 1, ops.multiply(2.5, x))))
    assert "dense<1.000000e+00> : tensor<bf16>" in built
    assert "dense<2.500000e+00> : tensor<bf16>" in built
    assert built.count("broadcast_in_dim") == 2
    with pytest.raises(ConstraintError, match="C1"):
        _attempt(("2xbf16",), lambda x: x / np.ones(2, np.float32))


def test_an_array_on_the_left_of_an_operator_is_an_operand() -> None:
    """numpy must leave the operation to the tensor instead of spreading it over its elements."""
    built = str(_attempt(("2xf32",), lambda x: np.array([1, 2], np.float32) - x))
    assert "stablehlo.subtract %cst, %arg0 : tensor<2xf32>" in built


# --- as refinement rule ---------------------------------------------------------------------------
# (op, declarations before it, arguments, op, types that follow from operands and attributes)
INFERRED: list[tuple[str, str, str, str, list[str]]] = [
    (
        "reduce",
        "",
        "%a: tensor<?x3x5xf32>, %b: tensor<4x?x5xi32>, %x: tensor<f32>, %y: tensor<i32>",
        """"stablehlo.reduce"(%a, %b, %x, %y) ({
        ^bb0(%p: tensor<f32>, %q: tensor<i32>, %r: tensor<f32>, %s: tensor<i32>):
          stablehlo.return %p, %q : tensor<f32>, tensor<i32>
        }) {dimensions = array<i64: 1>} : (tensor<?x3x5xf32>, tensor<4x?x5xi32>, tensor<f32>,
            tensor<i32>) -> (tensor<?x?xf32>, tensor<?x?xi32>)""",
        ["tensor<4x5xf32>", "tensor<4x5xi32>"],
    ),
    (
        "reduce, nothing known",
        "",
        "%a: tensor<?x3xf32>, %x: tensor<f32>",
        """stablehlo.reduce(%a init: %x) applies stablehlo.add across dimensions = [1]
           : (tensor<?x3xf32>, tensor<f32>) -> tensor<?xf32>""",
        ["tensor<?xf32>"],
    ),
    (
        "gather",
        "",
        "%o: tensor<3x?x2xi32>, %i: tensor<?x6x2xi64>",
        """"stablehlo.gather"(%o, %i) {
          dimension_numbers = #stablehlo.gather<offset_dims = [1, 3], collapsed_slice_dims = [0],
                                                start_index_map = [1, 0], index_vector_dim = 2>,
          slice_sizes = array<i64: 1, 4, 2>
        } : (tensor<3x?x2xi32>, tensor<?x6x2xi64>) -> tensor<?x?x?x?xi32>""",
        ["tensor<?x4x6x2xi32>"],  # offset sizes 4, 2 at axes 1, 3; batch sizes ?, 6 at 0, 2
    ),
    (
        "gather, batching",
        "",
        "%o: tensor<7x4x2xf32>, %i: tensor<7x5x1xi64>",
        """"stablehlo.gather"(%o, %i) {
          dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1],
            operand_batching_dims = [0], start_indices_batching_dims = [0],
            start_index_map = [1], index_vector_dim = 2>,
          slice_sizes = array<i64: 1, 1, 2>
        } : (tensor<7x4x2xf32>, tensor<7x5x1xi64>) -> tensor<?x?x?xf32>""",
        ["tensor<7x5x2xf32>"],
    ),
    (
        "custom_call",
        "",
        "%a: tensor<3xf32>",
        "stablehlo.custom_call @foo(%a) : (tensor<3xf32>) -> (tensor<?xf32>, !stablehlo.token)",
        ["tensor<?xf32>", "!stablehlo.token"],
    ),
    (
        "case",
        "",
        "%i: tensor<i32>, %a: tensor<?x4xf32>, %b: tensor<3x?xf32>",
        """"stablehlo.case"(%i) ({ stablehlo.return %a : tensor<?x4xf32> },
          { stablehlo.return %b : tensor<3x?xf32> }) : (tensor<i32>) -> tensor<?x?xf32>""",
        ["tensor<3x4xf32>"],  # (C3): the branches have one type
    ),
    (
        "dot_general",
        "",
        "%a: tensor<?x?x3xi8>, %b: tensor<2x?x5xi8>",
        """stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1]
           : (tensor<?x?x3xi8>, tensor<2x?x5xi8>) -> tensor<?x?x?xi32>""",
        ["tensor<2x?x5xi32>"],
    ),
    (
        "dot_general, known result",
        "",
        "%a: tensor<?x3xf32>, %b: tensor<3x?xf32>",
        """stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
           : (tensor<?x3xf32>, tensor<3x?xf32>) -> tensor<6x?xf32>""",
        ["tensor<6x?xf32>"],
    ),
    (
        "pad",
        "",
        "%a: tensor<?x3x0x5xi32>, %v: tensor<i32>",
        """"stablehlo.pad"(%a, %v) {
          edge_padding_low = array<i64: 0, 1, 2, -1>, edge_padding_high = array<i64: 2, 1, 0, -2>,
          interior_padding = array<i64: 1, 2, 9, 3>
        } : (tensor<?x3x0x5xi32>, tensor<i32>) -> tensor<?x?x?x?xi32>""",
        # (C4): 3 + 2*2 + 1 + 1, 0 + 0*9 + 2, 5 + 4*3 - 3
        ["tensor<?x9x2x14xi32>"],
    ),
    (
        "composite",
        """func.func private @impl(%a: tensor<?xf32>) -> (tensor<?xf32>, tensor<2xi1>) {
          %c = stablehlo.constant dense<true> : tensor<2xi1>
          return %a, %c : tensor<?xf32>, tensor<2xi1>
        }""",
        "%a: tensor<?xf32>",
        """stablehlo.composite "my.op" %a {decomposition = @impl}
           : (tensor<?xf32>) -> (tensor<?xf32>, tensor<2xi1>)""",
        ["tensor<?xf32>", "tensor<2xi1>"],
    ),
]


def _named(module: mlir.Module, name: str) -> Operation:
    """The op of that name in a module; the last one where there are several."""
    return [op for op in mlir.walk(module.operation) if op.name == f"stablehlo.{name}"][-1]


@pytest.mark.parametrize(("title", "before", "arguments", "text", "wanted"), INFERRED)
def test_inference_from_parsed_ir(
    title: str, before: str, arguments: str, text: str, wanted: list[str]
) -> None:
    results = f"%0:{len(wanted)} = "
    module = program.load(f"{before} func.func @main({arguments}) {{ {results}{text}\n return }}")
    with mlir.library_context():
        op = _named(module, title.split(",", maxsplit=1)[0])
        assert [str(type) for type in ops.infer(op)] == wanted
        ops.verify(op)


def test_inference_agrees_with_mlir_where_mlir_infers() -> None:
    """The result types that MLIR's own inference gives to static programs."""
    for name in ("gather", "pad", "case", "reduce"):
        types, _, body = BUILT[name]
        text = f"func.func @main({_plain(types)}) {{{body.rpartition('return')[0]} return }}"
        module = program.load(text)  # MLIR checks the written types against its inference
        with mlir.library_context():
            op = _named(module, name)
            assert [str(t) for t in ops.infer(op)] == [str(r.type) for r in op.results]


# --- as verifier ----------------------------------------------------------------------------------
def _gather(**changed: Any) -> Callable[..., Any]:
    return lambda operand, indices: ops.gather(operand, indices, **{**GATHER, **changed})


def _dot(**changed: Any) -> Callable[..., Any]:
    return lambda lhs, rhs: ops.dot_general(lhs, rhs, **{**DOT, **changed})


def _pad(**changed: Any) -> Callable[..., Any]:
    return lambda operand, value: ops.pad(operand, value, **{**PAD, **changed})


_GATHER_TYPES = ("3x4x2xi32", "2x3x2xi64")
_BATCHED_TYPES = ("3x4x2xi32", "3x5x2xi64")
_DOT_TYPES = ("2x3x4xf32", "2x4x5xf32")
_PAD_TYPES = ("2x3xi32", "i32")


def _batched(**changed: Any) -> Callable[..., Any]:
    valid: dict[str, Any] = {
        "offset_dims": (2,),
        "collapsed_slice_dims": (1,),
        "operand_batching_dims": (0,),
        "start_indices_batching_dims": (0,),
        "start_index_map": (1, 2),
        "index_vector_dim": 2,
        "slice_sizes": (1, 1, 2),
    }
    return lambda operand, indices: ops.gather(operand, indices, **{**valid, **changed})


# (op, label broken, argument types, builder call)
Violation = tuple[str, str, tuple[str, ...], Callable[..., Any]]
VIOLATIONS: list[Violation] = [
    (
        "reduce",
        "C1",
        ("2xf32", "3xf32", "f32", "f32"),
        lambda a, b, x, y: ops.reduce((a, b), (x, y), (0,), lambda p, q, r, s: (p, q)),
    ),
    ("reduce", "C2", ("2xf32", "f64"), lambda a, x: ops.reduce((a,), (x,), (0,), add)),
    ("reduce", "C3", ("2xf32", "f32"), lambda a, x: ops.reduce((a,), (x, x), (0,), add)),
    ("reduce", "C3", (), lambda: ops.reduce((), (), (), lambda: ())),
    ("reduce", "C4", ("2xf32", "f32"), lambda a, x: ops.reduce((a,), (x,), (1,), add)),
    ("reduce", "C4", ("2xf32", "f32"), lambda a, x: ops.reduce((a,), (x,), (-1,), add)),
    ("reduce", "C5", ("2x2xf32", "f32"), lambda a, x: ops.reduce((a,), (x,), (1, 1), add)),
    (
        "reduce",
        "C6",
        ("2xf32", "f32"),
        lambda a, x: ops.reduce((a,), (x,), (0,), lambda p, q: ops.compare(p, q, "LT")),
    ),
    ("reduce", "I2", ("2xf32", "1xf32"), lambda a, x: ops.reduce((a,), (x,), (0,), add)),
    ("gather", "C1", _GATHER_TYPES, _gather(offset_dims=(2,))),
    ("gather", "C2", _GATHER_TYPES, _gather(index_vector_dim=4)),
    ("gather", "C2", _GATHER_TYPES, _gather(index_vector_dim=-1)),
    ("gather", "C3", _GATHER_TYPES, _gather(start_index_map=(1,))),
    ("gather", "C4", _GATHER_TYPES, _gather(offset_dims=(3, 2))),
    ("gather", "C4", _GATHER_TYPES, _gather(offset_dims=(2, 2))),
    ("gather", "C5", _GATHER_TYPES, _gather(offset_dims=(2, 4))),
    ("gather", "C6", _GATHER_TYPES, _gather(collapsed_slice_dims=(0, 0), offset_dims=(2,))),
    (
        "gather",
        "C7",
        _GATHER_TYPES,
        _gather(collapsed_slice_dims=(1, 0), offset_dims=(2,), slice_sizes=(1, 1, 2)),
    ),
    ("gather", "C8", _GATHER_TYPES, _gather(collapsed_slice_dims=(3,))),
    ("gather", "C9", _GATHER_TYPES, _gather(slice_sizes=(2, 2, 2))),
    (
        "gather",
        "C10",
        ("3x5x2xi32", "5x3x1xi64"),
        _batched(
            operand_batching_dims=(1, 0),
            start_indices_batching_dims=(0, 1),
            collapsed_slice_dims=(),
            start_index_map=(2,),
        ),
    ),
    ("gather", "C11", _BATCHED_TYPES, _batched(operand_batching_dims=(3,))),
    ("gather", "C12", _BATCHED_TYPES, _batched(slice_sizes=(2, 1, 2))),
    (
        "gather",
        "C13",
        ("3x3x2xi32", "3x5x1xi64"),
        _batched(
            operand_batching_dims=(0, 1),
            start_indices_batching_dims=(0, 0),
            collapsed_slice_dims=(),
            start_index_map=(2,),
        ),
    ),
    ("gather", "C14", _BATCHED_TYPES, _batched(start_indices_batching_dims=(3,))),
    ("gather", "C15", ("2x4x2xi32", "3x5x2xi64"), _batched(start_indices_batching_dims=(2,))),
    ("gather", "C16", _BATCHED_TYPES, _batched(start_indices_batching_dims=())),
    ("gather", "C17", ("3x4x2xi32", "4x5x2xi64"), _batched()),
    ("gather", "C18", _BATCHED_TYPES, _batched(start_index_map=(0, 1))),
    ("gather", "C19", _BATCHED_TYPES, _batched(start_index_map=(2, 3))),
    ("gather", "C20", _GATHER_TYPES, _gather(slice_sizes=(1, 1))),
    ("gather", "C21", _GATHER_TYPES, _gather(slice_sizes=(1, 2, 3))),
    ("gather", "C21", _GATHER_TYPES, _gather(slice_sizes=(1, 2, -1))),
    ("gather", "I2", ("3x4x2xi32", "2x3x2xf32"), _gather()),
    ("case", "C1", ("i32",), lambda i: ops.case(i, [])),
    ("case", "C3", ("i32", "f32"), lambda i, x: ops.case(i, [lambda: i, lambda: x])),
    ("case", "C3", ("i32", "f32"), lambda i, x: ops.case(i, [lambda: x, lambda: (x, x)])),
    ("case", "I1", ("i64", "f32"), lambda i, x: ops.case(i, [lambda: x])),
    ("case", "I1", ("1xi32", "f32"), lambda i, x: ops.case(i, [lambda: x])),
    ("dot_general", "C1", _DOT_TYPES, _dot(rhs_batching_dimensions=())),
    ("dot_general", "C2", _DOT_TYPES, _dot(rhs_contracting_dimensions=())),
    ("dot_general", "C3", ("2x3x2xf32", "2x2x5xf32"), _dot(lhs_batching_dimensions=(2,))),
    ("dot_general", "C4", ("2x3x2xf32", "2x2x5xf32"), _dot(rhs_batching_dimensions=(1,))),
    ("dot_general", "C5", _DOT_TYPES, _dot(lhs_batching_dimensions=(3,))),
    ("dot_general", "C6", _DOT_TYPES, _dot(lhs_contracting_dimensions=(-1,))),
    ("dot_general", "C7", _DOT_TYPES, _dot(rhs_batching_dimensions=(-1,))),
    ("dot_general", "C8", _DOT_TYPES, _dot(rhs_contracting_dimensions=(3,))),
    ("dot_general", "C9", ("3x3x4xf32", "2x4x5xf32"), _dot()),
    ("dot_general", "C10", ("2x3x4xf32", "2x3x5xf32"), _dot()),
    ("dot_general", "C11", _DOT_TYPES, _dot(precision_config=["HIGH"])),
    ("dot_general", "C12", _DOT_TYPES, _dot(result_type="2x3x6xf32")),
    ("dot_general", "C13", ("2x3x4xf32", "2x4x5xf64"), _dot()),
    ("pad", "C1", ("2x3xi32", "i64"), _pad()),
    ("pad", "C2", _PAD_TYPES, _pad(edge_padding_low=(0,))),
    ("pad", "C2", _PAD_TYPES, _pad(interior_padding=(0, 0, 0))),
    ("pad", "C3", _PAD_TYPES, _pad(interior_padding=(-1, 0))),
    ("pad", "C4", _PAD_TYPES, _pad(edge_padding_low=(-9, 0))),
    ("pad", "I2", ("2x3xi32", "1xi32"), _pad()),
    ("composite", "C1", ("f32",), lambda x: ops.composite((x,), "op", "f", result_types=("f32",))),
]


def _titled(rows: list[Violation]) -> list[Any]:
    counts: dict[str, int] = {}
    titled = []
    for row in rows:
        title = f"{row[0]}-{row[1]}"
        counts[title] = counts.get(title, 0) + 1
        titled.append(pytest.param(*row, id=f"{title}-{counts[title]}"))
    return titled


@pytest.mark.parametrize(("name", "label", "types", "build"), _titled(VIOLATIONS))
def test_builder_cites_the_constraint(
    name: str, label: str, types: tuple[str, ...], build: Callable[..., Any]
) -> None:
    with pytest.raises(ConstraintError) as caught:
        _attempt(types, build)
    assert f"({label})" in str(caught.value)


# (op, attribute to overwrite, a value that is wrong, label)
CHANGED = [
    ("reduce", "dimensions", "array<i64: 2>", "C4"),
    ("reduce", "dimensions", "array<i64: 1, 1>", "C5"),
    ("gather", "slice_sizes", "array<i64: 1, 2, 5>", "C21"),
    ("gather", "dimension_numbers", "#stablehlo.gather<offset_dims = [2, 3], "
     "collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 9>", "C2"),
    ("dot_general", "dot_dimension_numbers", "#stablehlo.dot<lhs_contracting_dimensions = [2], "
     "rhs_contracting_dimensions = [2]>", "C10"),
    ("pad", "interior_padding", "array<i64: -1, 0>", "C3"),
    ("pad", "edge_padding_high", "array<i64: 1>", "C2"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "attribute", "value", "label"), CHANGED)
def test_verifier_cites_constraint_and_place(
    name: str, attribute: str, value: str, label: str
) -> None:
    types, _, body = BUILT[name]
    text = f"func.func @main({_plain(types)}) {{{body.rpartition('return')[0]} return }}"
    module = program.load(text)
    with mlir.library_context():
        op = _named(module, name)
        ops.verify(op)
        op.attributes[attribute] = mlir.parse_attribute(value)
        with pytest.raises(ConstraintError) as caught:
            ops.verify(op)
    first = caught.value.diagnostics[0]
    assert f"stablehlo.{name}: ({label})" in first.message
    line = next(i for i, t in enumerate(text.split("\n"), 1) if f"stablehlo.{name}" in t)
    assert first.place is not None
    assert first.place.line == line


def test_verifier_checks_the_symbol_of_a_composite() -> None:
    """MLIR checks symbols when it verifies the module; this is the op alone, after a change."""
    module = program.load("""
        func.func private @f(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }
        func.func private @other(%a: tensor<3xf32>) -> tensor<2xf32> {
          %0 = stablehlo.slice %a [0:2] : (tensor<3xf32>) -> tensor<2xf32>
          return %0 : tensor<2xf32>
        }
        func.func private @longer(%a: tensor<2xf32>) -> tensor<3xf32> {
          %0 = stablehlo.constant dense<0.0> : tensor<3xf32>
          return %0 : tensor<3xf32>
        }
        func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
          %0 = stablehlo.composite "my.op" %a {decomposition = @f}
               : (tensor<2xf32>) -> tensor<2xf32>
          return %0 : tensor<2xf32>
        }""")
    with mlir.library_context():
        op = _named(module, "composite")
        ops.verify(op)
        op.attributes["decomposition"] = mlir.symbol_attr("other")
        with pytest.raises(ConstraintError, match=r"\(C3\)"):
            ops.verify(op)
        op.attributes["decomposition"] = mlir.symbol_attr("longer")
        with pytest.raises(ConstraintError, match=r"tensor<2xf32>.*tensor<3xf32>"):
            ops.verify(op)
        op.attributes["decomposition"] = mlir.symbol_attr("f")
        op.attributes["name"] = mlir.string_attr("no namespace")
        with pytest.raises(ConstraintError, match=r"\(C1\)"):
            ops.verify(op)


# Programs that MLIR's own verifier accepts and the specification does not.
ACCEPTED_BY_MLIR = [
    ("dot_general", "C13", """func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf64>) {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
           : (tensor<2x3xf32>, tensor<3x2xf64>) -> tensor<2x2xf32>
      return
    }"""),
    ("dot_general", "C11", """func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [HIGH]
           : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
      return
    }"""),
]  # fmt: skip


@pytest.mark.parametrize(("name", "label", "text"), ACCEPTED_BY_MLIR)
def test_verify_finds_what_mlir_accepts(name: str, label: str, text: str) -> None:
    module = program.load(text)
    with pytest.raises(ConstraintError) as caught:
        program.verify(module)
    assert f"stablehlo.{name}: ({label})" in str(caught.value)


def test_reduce_may_promote() -> None:
    """(C6), (C8): the body may accumulate in a wider type, which is then the result's."""
    module = program.load("""
        func.func @main(%a: tensor<?x3xf16>, %x: tensor<f16>) -> tensor<?xf32> {
          %0 = "stablehlo.reduce"(%a, %x) ({
          ^bb0(%p: tensor<f32>, %q: tensor<f32>):
            %s = stablehlo.add %p, %q : tensor<f32>
            stablehlo.return %s : tensor<f32>
          }) {dimensions = array<i64: 1>} : (tensor<?x3xf16>, tensor<f16>) -> tensor<?xf32>
          return %0 : tensor<?xf32>
        }""")
    with mlir.library_context():
        op = _named(module, "reduce")
        assert [str(type) for type in ops.infer(op)] == ["tensor<?xf32>"]
    program.verify(module)


# --- mistakes of a user ---------------------------------------------------------------------------
loose: Any = ops  # mypy would find these mistakes first
MISTAKES: list[tuple[str, tuple[str, ...], Callable[..., Any], str]] = [
    ("misspelled parameter", ("f32",),
     lambda x: loose.transpose(x, permutaton=()), "permutation"),
    ("missing parameter", ("2xf32",), lambda x: loose.reduce((x,), (0,), (0,)), "body"),
    ("number for axes", ("2xf32",), lambda x: loose.reduce((x,), (0,), 0, add), "sequence"),
    ("float for axis", ("2xf32",), lambda x: loose.reduce((x,), (0,), (0.0,), add), "integer"),
    ("unknown enum", ("2xf32",), lambda x: loose.compare(x, x, "LESS"), "LT"),
    ("no region", ("2xf32",), lambda x: loose.reduce((x,), (0,), (0,), x), "function"),
    ("string operand", ("2xf32",), lambda x: loose.add(x, "1"), "tensor"),
    ("one tensor for several", ("2xf32",),
     lambda x: loose.reduce(x, (0,), (0,), add), "sequence"),
    ("no result type", ("2xf32",),
     lambda x: loose.custom_call((x,), "f", ("nonsense",)), "nonsense"),
    ("no type in MLIR", ("2xf32",), lambda x: loose.custom_call((x,), "f", ("!no",)), "!no"),
    ("number as name", ("2xf32",), lambda x: loose.custom_call((x,), 3, ()), "3"),
    ("word for yes", ("2xf32",), lambda x: loose.custom_call((x,), "f", (), "yes"), "yes"),
    ("object as config", ("2xf32",),
     lambda x: loose.custom_call((x,), "f", (), backend_config={"a": object()}), "object"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("types", "build", "said"), [pytest.param(*row[1:], id=row[0]) for row in MISTAKES]
)
def test_mistakes_are_explained(
    types: tuple[str, ...], build: Callable[..., Any], said: str
) -> None:
    with pytest.raises(ShloError, match=said):
        _attempt(types, build)


def test_building_outside_a_function_is_explained() -> None:
    with pytest.raises(ShloError, match="no function is being built"):
        ops.iota(0, "4xi32")


def test_an_error_in_a_region_leaves_the_module_usable() -> None:
    module = Module()
    with pytest.raises(ConstraintError, match="C6"):
        module.func("2xf32", name="main")(
            lambda x: ops.reduce((x,), (0.0,), (0,), lambda a, b: ops.compare(a, b, "EQ"))
        )
    module.func("2xf32", name="main")(lambda x: ops.reduce((x,), (0.0,), (0,), add))
    assert str(module).count("func.func") == 1


def test_module_verifies_what_was_built() -> None:
    """What no rule checks, MLIR's verifier does before the function is accepted."""
    with pytest.raises(VerifyError, match="backend_config"):
        _attempt(("f32",), lambda x: ops.custom_call((x,), "f", ("f32",), False, "text", 4))


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
    said = [text for text in mypy_says if f"wrong_{number}.py:5: error:" in text]
    assert len(said) == 1, line
    assert said[0].endswith(f"[{code}]")


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
            made = loose.negate(argument)
        end.operands[0] = made.value
        program.verify(module)
    assert "stablehlo.negate" in str(module)
