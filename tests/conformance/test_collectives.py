"""Collectives of a program that runs alone, as process (0, 0) of a grid of 1 x 1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import reference
from shlo_tools.errors import ExecutionError, ShapeMismatchError, UnsupportedError

Array = np.ndarray[Any, Any]
T = "tensor<2x3xf32>"
X = np.array([[1, np.nan, -0.0], [np.inf, -3, 7]], np.float32)
ADD = """({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
})"""
OWN = "replica_groups = dense<0> : tensor<1x1xi64>"
NONE = "replica_groups = dense<> : tensor<0x0xi64>"
PADDED = "replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>"
CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
GLOBAL = f"{OWN}, {CHANNEL}, use_global_device_ids"


def _program(op: str, attributes: str, region: str = "", result: str = T) -> str:
    return f"""func.func @main(%x: {T}) -> {result} {{
      %0 = "stablehlo.{op}"(%x) {region} {{{attributes}}} : ({T}) -> {result}
      return %0 : {result}
    }}"""


def _check(text: str, expected: Array) -> None:
    """Natively and by the reference, NaN and the sign of zero included; inputs stay."""
    array = X.copy()
    array.flags.writeable = False
    for run in (shlo_tools.compile(text), reference.compile(text)):
        got = run(array)
        np.testing.assert_array_equal(got.view(np.int32), expected.view(np.int32))
        assert got.ctypes.data != array.ctypes.data


GROUPS = [OWN, NONE, f"{OWN}, {CHANNEL}", GLOBAL]
REDUCING = [
    ("all_gather", "all_gather_dim = 1 : i64", ""),
    ("all_reduce", "", ADD),
    ("reduce_scatter", "scatter_dimension = 0 : i64", ADD),
    ("collective_reduce", "", ADD),
]


@pytest.mark.parametrize("groups", GROUPS)
@pytest.mark.parametrize(("op", "attributes", "region"), REDUCING)
def test_a_group_of_one_keeps_its_operand(
    op: str, attributes: str, region: str, groups: str
) -> None:
    _check(_program(op, ", ".join(filter(None, (attributes, groups))), region), X)


@pytest.mark.parametrize("groups", [OWN, f"{OWN}, {CHANNEL}"])
@pytest.mark.parametrize("concat", [0, 1])
def test_all_to_all(groups: str, concat: int) -> None:
    attributes = f"split_dimension = 1 : i64, concat_dimension = {concat} : i64"
    _check(_program("all_to_all", f"{attributes}, split_count = 1 : i64, {groups}"), X)


@pytest.mark.parametrize(
    ("op", "attributes", "arrives"),
    [
        ("collective_broadcast", OWN, True),
        ("collective_broadcast", NONE, False),
        ("collective_permute", "source_target_pairs = dense<0> : tensor<1x2xi64>", True),
        ("collective_permute", "source_target_pairs = dense<> : tensor<0x2xi64>", False),
    ],
)
def test_a_process_that_nobody_sends_to_gets_zeros(op: str, attributes: str, arrives: bool) -> None:
    _check(_program(op, attributes), X if arrives else np.zeros_like(X))


def test_a_wider_computation_promotes() -> None:
    """C5: the element type of the result is that of the computation."""
    text = f"""func.func @main(%x: tensor<3xi8>) -> tensor<3xi32> {{
      %0 = "stablehlo.all_reduce"(%x) ({{
        ^bb0(%a: tensor<i32>, %b: tensor<i32>):
          %s = stablehlo.add %a, %b : tensor<i32>
          stablehlo.return %s : tensor<i32>
      }}) {{{OWN}}} : (tensor<3xi8>) -> tensor<3xi32>
      return %0 : tensor<3xi32>
    }}"""
    inputs = np.array([-128, 0, 127], np.int8)
    got = shlo_tools.compile(text)(inputs)
    assert got.dtype == np.int32
    np.testing.assert_array_equal(got, inputs.astype(np.int32))


def test_several_operands() -> None:
    text = f"""func.func @main(%x: {T}, %y: tensor<4xi8>) -> ({T}, tensor<4xi8>) {{
      %0:2 = "stablehlo.all_gather"(%x, %y) {{all_gather_dim = 0 : i64, {OWN}}}
          : ({T}, tensor<4xi8>) -> ({T}, tensor<4xi8>)
      return %0#0, %0#1 : {T}, tensor<4xi8>
    }}"""
    y = np.arange(4, dtype=np.int8)
    one, two = shlo_tools.compile(text)(X, y)
    np.testing.assert_array_equal(one, X)
    np.testing.assert_array_equal(two, y)


def test_roots_computed_at_run_time() -> None:
    text = f"""func.func @main(%x: {T}, %r: tensor<1xi32>) -> {T} {{
      %0 = "stablehlo.collective_reduce"(%x, %r) {ADD} {{{OWN}, has_dynamic_root}}
          : ({T}, tensor<1xi32>) -> {T}
      return %0 : {T}
    }}"""
    executable, peer = shlo_tools.compile(text), reference.compile(text)
    roots = np.zeros(1, np.int32)
    np.testing.assert_array_equal(executable(X, roots), X)
    np.testing.assert_array_equal(peer(X, roots), X)
    for root in (1, -1):
        with pytest.raises(ShapeMismatchError, match=r"collective_reduce.*roots"):
            executable(X, roots + root)
        with pytest.raises(ExecutionError, match="roots"):
            peer(X, roots + root)
    np.testing.assert_array_equal(executable(X, roots), X)


@pytest.mark.parametrize("op", ["replica_id", "partition_id"])
def test_ids(op: str) -> None:
    text = f"""func.func @main() -> tensor<ui32> {{
      %0 = stablehlo.{op} : tensor<ui32>
      return %0 : tensor<ui32>
    }}"""
    got = shlo_tools.compile(text)()
    assert got.dtype == np.uint32 and got.shape == () and got == 0
    assert reference.compile(text)() == 0


# --- refused --------------------------------------------------------------------------------------
OTHERS = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"
REFUSED = [
    ("all_gather", f"all_gather_dim = 1 : i64, {OTHERS}", "", "tensor<2x6xf32>"),
    ("all_reduce", OTHERS, ADD, T),
    ("all_reduce", f"{OTHERS}, {CHANNEL}, use_global_device_ids", ADD, T),
    ("reduce_scatter", f"scatter_dimension = 0 : i64, {OTHERS}", ADD, "tensor<1x3xf32>"),
    ("collective_reduce", OTHERS, ADD, T),
    (
        "all_to_all",
        f"split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, {OTHERS}",
        "",
        "tensor<1x6xf32>",
    ),
    ("collective_broadcast", OTHERS, "", T),
    ("collective_permute", "source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>", "", T),
]


@pytest.mark.parametrize(("op", "attributes", "region", "result"), REFUSED)
def test_other_processes_are_refused(op: str, attributes: str, region: str, result: str) -> None:
    """By name and place; compiling fails, not running."""
    with pytest.raises(UnsupportedError, match=rf"-:2:\d+:.*stablehlo\.{op} .*runs alone"):
        shlo_tools.compile(_program(op, attributes, region, result))


def test_results_of_a_larger_grid_are_refused() -> None:
    """Without groups a grid's size alone decides: here the types say it is not 1."""
    text = _program("all_gather", f"all_gather_dim = 1 : i64, {NONE}", "", "tensor<2x12xf32>")
    with pytest.raises(UnsupportedError, match="all_gather"):
        shlo_tools.compile(text)


def test_axes_of_a_mesh() -> None:
    axes = (
        "replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = "
        '[<name = "x", size = 1>]>, axes = [#stablehlo.axis_ref<name = "x">]>'
    )
    _check(_program("all_gather", f"all_gather_dim = 1 : i64, {axes}"), X)


TOKEN = "%t = stablehlo.create_token : !stablehlo.token"
HOST = "is_host_transfer = true, channel_handle = #stablehlo.channel_handle<handle = 1, type = "


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "infeed",
            f'%0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> ({T}, !stablehlo.token)',
        ),
        (
            "outfeed",
            f'%0 = "stablehlo.outfeed"(%x, %t) : ({T}, !stablehlo.token) -> !stablehlo.token',
        ),
        (
            "send",
            f'%0 = "stablehlo.send"(%x, %t) {{{HOST}2>}}'
            f" : ({T}, !stablehlo.token) -> !stablehlo.token",
        ),
        (
            "recv",
            f'%0:2 = "stablehlo.recv"(%t) {{{HOST}3>}}'
            f" : (!stablehlo.token) -> ({T}, !stablehlo.token)",
        ),
    ],
)
def test_transfers_are_refused(name: str, text: str) -> None:
    program = f"func.func @main(%x: {T}) -> {T} {{\n{TOKEN}\n{text}\nreturn %x : {T} }}"
    with pytest.raises(UnsupportedError, match=rf"-:3:\d+:.*stablehlo\.{name} "):
        shlo_tools.compile(program)
