"""The ``@op`` decorator as verifier: constraints by the specification's labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from op_calls import BUILT, DOT, GATHER, PAD, add, argument_list, attempt, op_named

from shlo_tools import mlir, ops, program
from shlo_tools.errors import ConstraintError


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
    ("dot", "C3", ("3x3xi32", "?x3xf32"), lambda a, b: ops.dot(a, b)),
    ("all_gather", "C6", (), lambda: ops.all_gather((), 0, [[0]], result_types=["2xf32"])),
    ("all_gather", "C6", ("2xf32",), lambda a: ops.all_gather((a,), 0, [[0]], result_types=[])),
    (
        "all_gather",
        "C6",
        ("2x3xf32",),
        lambda a: ops.all_gather((a,), 1, [[0]], result_types=["3xf32"]),
    ),
    (
        "rng_bit_generator",
        "O2",
        ("2xui64",),
        lambda a: ops.rng_bit_generator("DEFAULT", a, result_types=[]),
    ),
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
        attempt(types, build)
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
    text = f"func.func @main({argument_list(types)}) {{{body.rpartition('return')[0]} return }}"
    module = program.load(text)
    with mlir.library_context():
        op = op_named(module, name)
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
        op = op_named(module, "composite")
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
        op = op_named(module, "reduce")
        assert [str(type) for type in ops.infer(op)] == ["tensor<?xf32>"]
    program.verify(module)
