"""What ``ir`` and ``mlir`` read of attributes and types, and constants of any dialect."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from shlo_tools import dtypes, ir, mlir
from shlo_tools.mlir import Operation

PROGRAM = """
func.func @main(%x: tensor<2x3xf32> {a.b}, %y: tensor<2x2xf32>) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.concatenate %x, %x, dim = 1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  %2 = stablehlo.compare LE, %x, %x, TOTALORDER :
    (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %3 = "stablehlo.triangular_solve"(%y, %y) {left_side = true, lower = false, unit_diagonal = true,
    transpose_a = #stablehlo<transpose ADJOINT>, shlo.unit}
    : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}
"""


@pytest.fixture
def ops() -> Iterator[dict[str, Operation]]:
    with mlir.library_context():
        module = mlir.parse_module(PROGRAM)
        yield {op.name.partition(".")[2]: op for op in mlir.walk(module.operation)}


def test_numbers(ops: dict[str, Operation]) -> None:
    assert ir.integer_of(ops["concatenate"], "dimension") == 1
    assert ir.integer_of(ops["concatenate"], "nothing", -1) == -1
    assert ir.integers_of(ops["transpose"], "permutation") == [1, 0]
    assert ir.integers_of(ops["transpose"], "nothing", (7,)) == [7]
    with pytest.raises(KeyError):
        ir.integers_of(ops["transpose"], "nothing")


def test_words(ops: dict[str, Operation]) -> None:
    assert ir.enum_of(ops["compare"], "comparison_direction") == "LE"
    assert ir.enum_of(ops["compare"], "compare_type") == "TOTALORDER"
    assert ir.enum_of(ops["triangular_solve"], "transpose_a") == "ADJOINT"
    assert ir.enum_of(ops["compare"], "nothing") == ""


def test_flags(ops: dict[str, Operation]) -> None:
    names = ("left_side", "lower", "shlo.unit", "nothing")
    flags = [ir.flag_of(ops["triangular_solve"], name) for name in names]
    assert flags == [True, False, True, False]


def test_items(ops: dict[str, Operation]) -> None:
    assert [len(item) for item in ir.items_of(ops["func"], "arg_attrs")] == [1, 0]
    assert ir.items_of(ops["func"], "res_attrs") == []
    assert str(ir.type_of(ops["func"])) == "(tensor<2x3xf32>, tensor<2x2xf32>) -> ()"


@pytest.mark.parametrize(
    ("text", "dynamic", "dimensions"),
    [
        ("tensor<2x3xf32>", False, []),
        ("tensor<?x3x?xf32>", True, [0, 2]),
        ("tensor<?xf32, #stablehlo.bounds<4>>", True, [0]),
        ("tensor<*xf32>", False, []),
        ("memref<2x?xf32>", True, [1]),
        ("memref<2xf32, strided<[?], offset: ?>>", False, []),
        ("tuple<tensor<2xf32>, tuple<tensor<?xf32>>>", True, []),
        ("!stablehlo.token", False, []),
        ("index", False, []),
    ],
)
def test_unknown_sizes(text: str, dynamic: bool, dimensions: list[int]) -> None:
    with mlir.library_context():
        type = mlir.parse_type(text)
        assert mlir.is_dynamic(type) is dynamic
        assert mlir.unknown_dimensions(type) == dimensions


@pytest.mark.parametrize(
    ("text", "strided", "row_major"),
    [
        ("memref<2x3xf32>", False, True),
        ("memref<?x3xf32, 1>", False, True),
        ("memref<2x3xf32, strided<[6, 1]>>", True, False),
        ("memref<2x3xf32, affine_map<(d0, d1) -> (d1, d0)>>", False, False),
        ("tensor<2x3xf32>", False, False),
    ],
)
def test_layouts(text: str, strided: bool, row_major: bool) -> None:
    with mlir.library_context():
        type = mlir.parse_type(text)
        assert (mlir.is_strided(type), mlir.is_row_major(type)) == (strided, row_major)


def test_members_of_tuples() -> None:
    with mlir.library_context():
        pair = mlir.parse_type("tuple<tensor<2xf32>, index>")
        assert mlir.is_tuple(pair)
        assert [mlir.is_index(member) for member in mlir.members(pair)] == [False, True]
        assert not mlir.is_tuple(mlir.parse_type("index"))


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("stablehlo.constant dense<[1, 2]> : tensor<2xi32>", np.array([1, 2], np.int32)),
        ("stablehlo.constant dense<2.5> : tensor<3xf32>", np.full(3, 2.5, np.float32)),
        ("arith.constant dense<[3, 4]> : tensor<2xindex>", np.array([3, 4], np.int64)),
        ("arith.constant -7 : index", np.array(-7, np.int64)),
        ("arith.constant -7 : i8", np.array(-7, np.int8)),
        ("arith.constant true", np.array(True)),
        ("arith.constant 0x7FC00000 : f32", np.array(np.nan, np.float32)),
    ],
)
def test_constants(op: str, expected: dtypes.Array) -> None:
    with mlir.library_context():
        module = mlir.parse_module(f"func.func @main() {{ %0 = {op} return }}")
        value = mlir.walk(module.operation)[2].results[0]
        array = ir.constant_of(value)
    assert array is not None
    assert array.dtype == expected.dtype
    np.testing.assert_array_equal(array, expected)


def test_what_is_no_constant() -> None:
    with mlir.library_context():
        module = mlir.parse_module(
            "func.func @main(%x: index) { %0 = arith.addi %x, %x : index return }"
        )
        add = mlir.walk(module.operation)[2]
        assert ir.constant_of(add.results[0]) is None
        assert ir.constant_of(add.operands[0]) is None
