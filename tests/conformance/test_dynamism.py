"""Ops with run-time sizes and static result types: right where sizes fit, an error where not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases._case import type_of
from dynamic_ops import A, check_op, ints, program_of, refuse

import shlo_tools
from shlo_tools import reference
from shlo_tools.errors import ArgumentError, ConstraintError, ShapeMismatchError


# --- shapes ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64])
def test_reshape(dtype: Any) -> None:
    check_op("dynamic_reshape", [A, ints(2, 6, dtype=dtype)], A.reshape(2, 6))


def test_shapes_of_type_index() -> None:
    text = """func.func @main(%a: tensor<3x4xf32>, %r: tensor<i32>) -> tensor<2x6xf32> {
      %n = tensor.extract %r[] : tensor<i32>
      %i = arith.index_cast %n : i32 to index
      %six = arith.constant 6 : index
      %s = tensor.from_elements %i, %six : tensor<2xindex>
      %0 = stablehlo.dynamic_reshape %a, %s : (tensor<3x4xf32>, tensor<2xindex>) -> tensor<2x6xf32>
      return %0 : tensor<2x6xf32>
    }"""
    executable = shlo_tools.compile(text)
    np.testing.assert_array_equal(executable(A, np.int32(2)), A.reshape(2, 6))
    with pytest.raises(ShapeMismatchError, match=r"tensor<2x6xf32>.*: 2 is not .* = 3$"):
        executable(A, np.int32(3))


def test_reshape_to_a_scalar_has_an_empty_shape() -> None:
    one = np.array([[7.0]], np.float32)
    check_op("dynamic_reshape", [one, ints()], one.reshape(()))


def test_reshape_of_nothing() -> None:
    empty = np.zeros((0, 3), np.float32)
    check_op("dynamic_reshape", [empty, ints(5, 0)], empty.reshape(5, 0))


def test_reshape_refuses_other_sizes() -> None:
    """-1 stands for nothing; a product that is right does not make a shape right."""
    bad = [[A, ints(*s)] for s in ((6, 2), (-1, 6), (2, -6), (-2, -6), (0, 0), (2, 2**40))]
    refuse("dynamic_reshape", [A, ints(2, 6)], bad, "tensor<2x6xf32>")


def test_unsigned_sizes_do_not_wrap() -> None:
    """2^64 - 2 as an index of 64 bits would be -2, 254 of ui8 is not -2 either."""
    bad = [[A, np.array([254, 250], np.uint8)]]
    refuse("dynamic_reshape", [A, ints(2, 6, dtype=np.uint8)], bad, "tensor<2x6xf32>")
    bad = [[A, np.array([2**64 - 2, 6], np.uint64)]]
    refuse("dynamic_reshape", [A, ints(2, 6, dtype=np.uint64)], bad, "tensor<2x6xf32>")


def test_the_message_names_op_place_and_sizes() -> None:
    executable = shlo_tools.compile(
        program_of("dynamic_reshape", [A, ints(2, 6)], "tensor<2x6xf32>")
    )
    with pytest.raises(ShapeMismatchError) as raised:
        executable(A, ints(4, 3))
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.place is not None and diagnostic.place.line == 2
    assert "stablehlo.dynamic_reshape" in diagnostic.message
    assert "tensor<2x6xf32>" in diagnostic.message
    assert diagnostic.message.endswith(": 2 is not arg1[0] = 4")


def test_checks_of_equal_ops_report_their_own_places() -> None:
    t = "(tensor<3x4xf32>, tensor<2xi64>) -> tensor<2x6xf32>"
    executable = shlo_tools.compile(f"""
      func.func @main(%a: tensor<3x4xf32>, %s: tensor<2xi64>, %t: tensor<2xi64>)
          -> (tensor<2x6xf32>, tensor<2x6xf32>) {{
        %0 = stablehlo.dynamic_reshape %a, %s : {t}
        %1 = stablehlo.dynamic_reshape %a, %t : {t}
        return %0, %1 : tensor<2x6xf32>, tensor<2x6xf32>
      }}""")
    good, bad = ints(2, 6), ints(12, 1)
    for arguments, line in (((A, bad, good), 4), ((A, good, bad), 5), ((A, bad, bad), 4)):
        with pytest.raises(ShapeMismatchError, match=f"-:{line}:"):
            executable(*arguments)
    assert executable(A, good, good)[0].shape == (2, 6)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.complex64, np.uint8])
def test_iota(axis: int, dtype: Any) -> None:
    shape = ints(2, 3)
    expected = np.indices((2, 3))[axis].astype(dtype)
    text = program_of("dynamic_iota", [shape], type_of(expected), f"iota_dimension = {axis} : i64")
    np.testing.assert_array_equal(shlo_tools.compile(text)(shape), expected)


def test_iota_refuses_other_sizes() -> None:
    bad = [[ints(*s)] for s in ((3, 2), (2, -1), (-2, 3), (2, 2**62))]
    refuse("dynamic_iota", [ints(2, 3)], bad, "tensor<2x3xi32>", "iota_dimension = 1 : i64")


def test_broadcast() -> None:
    row = np.array([[1, 2, 3]], np.int64)  # the specification's example
    expected = np.broadcast_to(row[0][None, :, None], (2, 3, 2)).copy()
    axes = "broadcast_dimensions = array<i64: 2, 1>"
    check_op("dynamic_broadcast_in_dim", [row, ints(2, 3, 2)], expected, axes)
    known = ", known_expanding_dimensions = array<i64: 0>"
    known += ", known_nonexpanding_dimensions = array<i64: 1>"
    check_op("dynamic_broadcast_in_dim", [row, ints(2, 3, 2)], expected, axes + known)


def test_broadcast_refuses_other_sizes() -> None:
    row = np.ones((1, 3), np.float32)
    bad = [[row, ints(*s)] for s in ((3, 3), (2, 4), (1, 3), (-2, 3), (2, -3))]
    axes = "broadcast_dimensions = array<i64: 0, 1>"
    refuse("dynamic_broadcast_in_dim", [row, ints(2, 3)], bad, "tensor<2x3xf32>", axes)


def test_broadcast_of_a_dimension_that_was_said_not_to_expand() -> None:
    row = np.ones((1, 3), np.float32)
    attributes = "broadcast_dimensions = array<i64: 0, 1>"
    attributes += ", known_nonexpanding_dimensions = array<i64: 0>"
    text = program_of("dynamic_broadcast_in_dim", [row, ints(2, 3)], "tensor<2x3xf32>", attributes)
    for compile in (shlo_tools.compile, reference.compile):
        with pytest.raises(ConstraintError, match=r"-:2:.*dynamic_broadcast_in_dim.*dimension 0"):
            compile(text)  # its types tell
    text = text.replace("tensor<1x3xf32>", "tensor<?x3xf32>")
    executable = shlo_tools.compile(text)
    whole = np.ones((2, 3), np.float32)
    np.testing.assert_array_equal(executable(whole, ints(2, 3)), whole)
    with pytest.raises(ShapeMismatchError, match=r"-:2:.*dimension 0.*arg0\.0 = 1 is not 2$"):
        executable(row, ints(2, 3))


# --- sizes of dimensions --------------------------------------------------------------------------
@pytest.mark.parametrize("dimension", [0, 1])
def test_get_dimension_size(dimension: int) -> None:
    text = program_of("get_dimension_size", [A], "tensor<i32>", f"dimension = {dimension} : i64")
    got = shlo_tools.compile(text)(A)
    assert got.dtype == np.int32 and got == A.shape[dimension]


def test_set_dimension_size() -> None:
    check_op("set_dimension_size", [A, np.array(3, np.int32)], A[:, :3], "dimension = 1 : i64")
    check_op("set_dimension_size", [A, np.array(0, np.int32)], A[:0], "dimension = 0 : i64")
    bad = [[A, np.array(size, np.int32)] for size in (-1, 0, 2, 4, 2**31 - 1)]
    good = [A, np.array(3, np.int32)]
    refuse("set_dimension_size", good, bad, "tensor<3x3xf32>", "dimension = 1 : i64")


BOUNDED = "tensor<?x4xf32, #stablehlo.bounds<3, ?>>"


@pytest.mark.parametrize("rows", [3, 5])
def test_bounded_results(rows: int) -> None:
    """A bound is the largest size, whatever the operand would allow."""
    x = np.arange(rows * 4, dtype=np.float32).reshape(rows, 4)
    text = program_of(
        "set_dimension_size", [x, np.array(3, np.int32)], BOUNDED, "dimension = 0 : i64"
    )
    executable = shlo_tools.compile(text)
    for size in (3, 0, 1, 2):
        np.testing.assert_array_equal(executable(x, np.int32(size)), x[:size])
    for size in (-1, 4, 2**31 - 1):
        with pytest.raises(ShapeMismatchError, match=f"set_dimension_size.* = {size}\\b"):
            executable(x, np.int32(size))


def test_bounded_arguments() -> None:
    text = f"""func.func @main(%a: {BOUNDED}) -> ({BOUNDED}, tensor<i32>) {{
      %0 = stablehlo.add %a, %a : {BOUNDED}
      %n = stablehlo.get_dimension_size %0, dim = 0 : ({BOUNDED}) -> tensor<i32>
      return %0, %n : {BOUNDED}, tensor<i32>
    }}"""
    executable = shlo_tools.compile(text)
    for size in range(4):
        twice, count = executable(A[:size])
        np.testing.assert_array_equal(twice, A[:size] * 2)
        assert count == size
    with pytest.raises(ArgumentError, match=r"\(4, 4\)"):
        executable(np.zeros((4, 4), np.float32))


# --- where checks stand ---------------------------------------------------------------------------
def test_a_check_in_a_branch_not_taken_does_not_fail() -> None:
    executable = shlo_tools.compile("""
      func.func @main(%p: tensor<i1>, %a: tensor<6xf32>, %s: tensor<2xi64>) -> tensor<2x3xf32> {
        %0 = "stablehlo.if"(%p) ({
          %1 = stablehlo.dynamic_reshape %a, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<2x3xf32>
          stablehlo.return %1 : tensor<2x3xf32>
        }, {
          %2 = stablehlo.reshape %a : (tensor<6xf32>) -> tensor<2x3xf32>
          stablehlo.return %2 : tensor<2x3xf32>
        }) : (tensor<i1>) -> tensor<2x3xf32>
        return %0 : tensor<2x3xf32>
      }""")
    a, bad = np.arange(6, dtype=np.float32), ints(3, 2)
    np.testing.assert_array_equal(executable(False, a, bad), a.reshape(2, 3))
    with pytest.raises(ShapeMismatchError):
        executable(True, a, bad)
    np.testing.assert_array_equal(executable(True, a, ints(2, 3)), a.reshape(2, 3))


def test_a_check_in_a_loop_leaves_the_loop() -> None:
    """The sizes go wrong in the fourth iteration of an endless loop."""
    executable = shlo_tools.compile("""
      func.func @main(%a: tensor<6xi32>, %n: tensor<i32>) -> tensor<6xi32> {
        %0:2 = "stablehlo.while"(%a, %n) ({
        ^bb0(%x: tensor<6xi32>, %i: tensor<i32>):
          %true = stablehlo.constant dense<true> : tensor<i1>
          stablehlo.return %true : tensor<i1>
        }, {
        ^bb0(%x: tensor<6xi32>, %i: tensor<i32>):
          %one = stablehlo.constant dense<1> : tensor<i32>
          %six = stablehlo.constant dense<6> : tensor<i32>
          %j = stablehlo.add %i, %one : tensor<i32>
          %least = stablehlo.maximum %j, %six : tensor<i32>
          %s = stablehlo.reshape %least : (tensor<i32>) -> tensor<1xi32>
          %y = stablehlo.dynamic_reshape %x, %s : (tensor<6xi32>, tensor<1xi32>) -> tensor<6xi32>
          stablehlo.return %y, %j : tensor<6xi32>, tensor<i32>
        }) : (tensor<6xi32>, tensor<i32>) -> (tensor<6xi32>, tensor<i32>)
        return %0#0 : tensor<6xi32>
      }""")
    with pytest.raises(ShapeMismatchError, match=r"-:14:.*tensor<6xi32>.*: 6 is not .* = 7$"):
        executable(np.arange(6, dtype=np.int32), np.int32(3), timeout=20)
