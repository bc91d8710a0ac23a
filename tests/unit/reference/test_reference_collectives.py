"""Grids of processes in the reference: groups, collectives, the host."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from reference_arrays import run

from shlo_tools import errors, grid, reference


def test_the_four_strategies() -> None:
    """The specification's worked examples."""
    assert grid.cross_replica([[0, 1], [2, 3]], 4, 2) == [
        [(0, 0), (1, 0)], [(0, 1), (1, 1)], [(2, 0), (3, 0)], [(2, 1), (3, 1)],
    ]  # fmt: skip
    assert grid.cross_partition([[0, 1]], 4, 2) == [
        [(0, 0), (0, 1)], [(1, 0), (1, 1)], [(2, 0), (2, 1)], [(3, 0), (3, 1)],
    ]  # fmt: skip
    assert grid.cross_replica_and_partition([[0, 1], [2, 3]], 4, 2) == [
        [(0, 0), (1, 0), (0, 1), (1, 1)], [(2, 0), (3, 0), (2, 1), (3, 1)],
    ]  # fmt: skip
    assert grid.flattened_ids([[0, 1, 2, 3], [4, 5, 6, 7]], 4, 2) == [
        [(0, 0), (0, 1), (1, 0), (1, 1)], [(2, 0), (2, 1), (3, 0), (3, 1)],
    ]  # fmt: skip


def test_groups_by_channel() -> None:
    groups = [[0, 1]]
    assert grid.groups_of(groups, 2, 2) == grid.cross_replica(groups, 2, 2)
    both = grid.groups_of(groups, 2, 2, channel_id=1)
    assert both == grid.cross_replica_and_partition(groups, 2, 2)
    flat = grid.groups_of([[3, 0], [1, -1]], 2, 2, channel_id=1, use_global_device_ids=True)
    assert flat == [[(1, 1), (0, 0)], [(0, 1)]]
    with pytest.raises(errors.ShloError, match="channel_id"):
        grid.groups_of(groups, 2, 2, use_global_device_ids=True)
    with pytest.raises(errors.ShloError, match="replica 5"):
        grid.cross_replica([[5]], 2, 1)
    assert grid.one_way_groups(groups, 2, 2, channel_id=1) == grid.cross_partition(groups, 2, 2)


def on_grid(body: str, arguments: Any, signature: str, **options: Any) -> Any:
    text = f"func.func @main{signature} {{\n{body}\n}}"
    return reference.interpret_grid(text, arguments, timeout=30, **options)


def test_the_order_of_a_group_is_the_order_of_its_values() -> None:
    body = """
      %r = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64,
        replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<1xi32>) -> tensor<2xi32>
      return %r : tensor<2xi32>"""
    results = on_grid(body, [[[[10]]], [[[20]]]], "(%x: tensor<1xi32>) -> tensor<2xi32>")
    assert results[0, 0].tolist() == results[1, 0].tolist() == [20, 10]


REDUCE_TO_ONE = """
  %r = "stablehlo.collective_reduce"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<1xi32>) -> tensor<1xi32>
  return %r : tensor<1xi32>"""


def test_collective_reduce_gives_to_the_first() -> None:
    results = on_grid(REDUCE_TO_ONE, [[[[10]]], [[[20]]]], "(%x: tensor<1xi32>) -> tensor<1xi32>")
    assert [results[0, 0].tolist(), results[1, 0].tolist()] == [[0], [30]]


def test_collective_reduce_of_quantized_numbers() -> None:
    """(10 - 3) / 2 + (20 - 3) / 2 is 12, held as 27; who is no root gets 0, held as 3."""
    attributes = "!quant.uniform<i8:f32, 0.5:3>"
    body = REDUCE_TO_ONE.replace("<i32>", f"<{attributes}>").replace("xi32>", f"x{attributes}>")
    signature = f"(%x: tensor<1x{attributes}>) -> tensor<1x{attributes}>"
    inputs = [[[np.array([10], np.int8)]], [[np.array([20], np.int8)]]]
    results = on_grid(body, inputs, signature)
    assert [results[0, 0].tolist(), results[1, 0].tolist()] == [[3], [27]]


def test_partitions_permute_on_a_channel() -> None:
    body = """
      %r = "stablehlo.collective_permute"(%x) {
        source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>,
        channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>
      } : (tensor<ui32>) -> tensor<ui32>
      return %r : tensor<ui32>"""
    signature = "(%x: tensor<ui32>) -> tensor<ui32>"
    results = on_grid(body, [[[1], [2]], [[3], [4]]], signature)
    assert [int(results[id]) for id in ((0, 0), (0, 1), (1, 0), (1, 1))] == [2, 1, 4, 3]


def test_one_process_alone() -> None:
    """In a grid of one every collective gives what went in."""
    body = """
      %r = "stablehlo.all_reduce"(%x) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
      }) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<i32>) -> tensor<i32>
      return %r : tensor<i32>"""
    assert run(body, 5, signature="(%x: tensor<i32>) -> tensor<i32>") == 5


def test_many_collectives_in_a_row() -> None:
    """A process that has not woken up yet is not taken for one that waits."""
    step = """
      %{n} = "stablehlo.all_to_all"(%{p}) {{split_dimension = 0 : i64, concat_dimension = 0 : i64,
        split_count = 4 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>
      }} : (tensor<4xi32>) -> tensor<4xi32>"""
    steps = "".join(step.format(n=n, p=n - 1) for n in range(1, 101))
    body = f"{steps}\nreturn %100 : tensor<4xi32>"
    rows = [[[[4 * r, 4 * r + 1, 4 * r + 2, 4 * r + 3]]] for r in range(4)]
    results = on_grid(body, rows, "(%0: tensor<4xi32>) -> tensor<4xi32>")
    # each exchange transposes the 4x4 matrix of values; a hundred leave it as it was
    assert [results[r, 0].tolist() for r in range(4)] == [row[0][0] for row in rows]


def test_a_missing_participant_is_an_error() -> None:
    body = f"""
      %0 = stablehlo.replica_id : tensor<ui32>
      %z = stablehlo.constant dense<0> : tensor<ui32>
      %first = stablehlo.compare EQ, %0, %z : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      %q = "stablehlo.if"(%first) ({{
        {
        REDUCE_TO_ONE.replace(
            "return %r : tensor<1xi32>", "stablehlo.return %r : tensor<1xi32>", 1
        ).replace("stablehlo.stablehlo.return", "stablehlo.return")
    }
      }}, {{ stablehlo.return %x : tensor<1xi32> }}) : (tensor<i1>) -> tensor<1xi32>
      return %q : tensor<1xi32>"""
    threads = threading.active_count()
    with pytest.raises(errors.ExecutionError, match=r"deadlock.*\(0, 0\).*collective_reduce"):
        on_grid(body, [[[[1]]], [[[2]]]], "(%x: tensor<1xi32>) -> tensor<1xi32>")
    assert threading.active_count() == threads


def test_the_host_feeds_and_is_fed() -> None:
    body = """
      %t = stablehlo.after_all : !stablehlo.token
      %r:2 = "stablehlo.recv"(%t) {is_host_transfer = true,
        channel_handle = #stablehlo.channel_handle<handle = 7, type = 3>
      } : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
      %s = "stablehlo.send"(%r#0, %r#1) {is_host_transfer = true,
        channel_handle = #stablehlo.channel_handle<handle = 8, type = 2>
      } : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
      %o = "stablehlo.outfeed"(%r#0, %s) {outfeed_config = ""}
        : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
      return"""
    inputs = {(0, 0): {7: [(np.asarray(42, np.int32),)]}}
    results = on_grid(body, [[[]]], "()", host=inputs)
    process = results.processes[0]
    assert process.to_host[8] == [(np.int32(42),)]
    assert process.outfeed == [(np.int32(42),)]
    with pytest.raises(errors.ExecutionError, match="host sends nothing"):
        on_grid(body, [[[]]], "()")
