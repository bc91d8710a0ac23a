"""Collectives of simulated grids, with the document's examples; alone they run natively."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xla_runs import check, module_of, on_replicas, refused

from shlo_tools.ops import Tensor, xla

A, B = np.array([1.0, 2.5], np.float32), np.array([3.0, 5.25], np.float32)
ROWS = [np.arange(8, dtype=np.int32) + 100 * replica for replica in range(4)]
PAIRS = [(0, 2), (1, 3)]


def same(results: list[Any], expected: list[Any]) -> None:
    for result, array in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, array)


def test_all_gather() -> None:
    joined = np.concatenate([A, B])
    same(on_replicas(lambda x: xla.AllGather(x, 0, 2), [[A], [B]]), [joined, joined])


def test_all_gather_in_groups() -> None:
    """The order within a group is that of the parts."""
    groups = [(2, 0), (1, 3)]
    got = on_replicas(lambda x: xla.AllGather(x, 0, 2, groups), [[row] for row in ROWS])
    first, second = (np.concatenate([ROWS[n] for n in group]) for group in groups)
    same(got, [first, second, first, second])


def test_all_gather_of_a_tuple() -> None:
    got = on_replicas(lambda x: xla.AllGather((x, xla.Neg(x)), 0, 2), [[A], [B]])
    for results in got:
        same(list(results), [np.concatenate([A, B]), -np.concatenate([A, B])])


def test_all_reduce() -> None:
    expected = np.array([4.0, 7.75], np.float32)
    same(on_replicas(lambda x: xla.AllReduce(x, xla.Add), [[A], [B]]), [expected, expected])
    same(on_replicas(xla.CrossReplicaSum, [[A], [B]]), [expected, expected])


def test_all_reduce_in_groups() -> None:
    rows = [[row] for row in ROWS]
    got = on_replicas(lambda x: xla.AllReduce(x, xla.Max, PAIRS), rows)
    same(got, [ROWS[2], ROWS[3], ROWS[2], ROWS[3]])


def test_all_reduce_of_a_tuple() -> None:
    """One op of several operands, and a tuple of as many results."""

    def main(x: Tensor) -> Any:
        return xla.AllReduce((x, xla.Neg(x)), xla.Add)

    for results in on_replicas(main, [[A], [B]]):
        same(list(results), [A + B, -(A + B)])
    assert str(module_of(main, "2xf32")).count("stablehlo.all_reduce") == 1


def test_cross_replica_sum_of_booleans_is_or() -> None:
    a, b = np.array([True, False, True]), np.array([True, False, False])
    same(on_replicas(xla.CrossReplicaSum, [[a], [b]]), [a | b, a | b])


def test_all_to_all() -> None:
    got = on_replicas(lambda x: xla.AllToAll(x, 0, 0, 4), [[row] for row in ROWS])
    same(got, [np.concatenate([row[2 * n : 2 * n + 2] for row in ROWS]) for n in range(4)])


def test_all_to_all_joins_in_the_order_of_the_group() -> None:
    groups = [(2, 0), (1, 3)]
    tables = [row.reshape(2, 4) for row in ROWS]

    def main(x: Tensor) -> Any:
        return xla.AllToAll(x, 1, 0, 2, groups)

    expected: dict[int, Any] = {}
    for group in groups:
        for place, replica in enumerate(group):
            columns = slice(2 * place, 2 * place + 2)
            expected[replica] = np.concatenate([tables[n][:, columns] for n in group])
    same(on_replicas(main, [[t] for t in tables]), [expected[n] for n in range(4)])


def test_collective_permute() -> None:
    """Who is no target gets zeros."""
    ring = [(0, 1), (1, 2), (2, 3)]
    got = on_replicas(lambda x: xla.CollectivePermute(x, ring), [[row] for row in ROWS])
    same(got, [np.zeros(8, np.int32), *ROWS[:3]])


def test_collective_broadcast() -> None:
    got = on_replicas(lambda x: xla.CollectiveBroadcast(x, [(2, 1)]), [[row] for row in ROWS])
    same(got, [np.zeros(8, np.int32), ROWS[2], ROWS[2], np.zeros(8, np.int32)])


def test_reduce_scatter() -> None:
    a, b = np.array([1.0, 2.25], np.float32), np.array([3.0, 5.25], np.float32)
    got = on_replicas(lambda x: xla.ReduceScatter(x, xla.Add, 0, 2), [[a], [b]])
    same(got, [[4.0], [7.5]])


def test_reduce_scatter_of_a_tuple_in_groups() -> None:
    def main(x: Tensor) -> Any:
        return xla.ReduceScatter((x, xla.Neg(x)), xla.Add, 0, 2, [(2, 0), (1, 3)])

    sums = [ROWS[0] + ROWS[2], ROWS[1] + ROWS[3]]
    parts = [sums[0][4:], sums[1][:4], sums[0][:4], sums[1][4:]]
    for results, part in zip(on_replicas(main, [[row] for row in ROWS]), parts, strict=True):
        same(list(results), [part, -part])


def test_replica_id() -> None:
    same(on_replicas(xla.ReplicaId, [[], [], []]), [0, 1, 2])


def test_channels_between_devices() -> None:
    functions = [
        lambda x: xla.AllGather(x, 0, 1, [(0,)], 5),
        lambda x: xla.AllReduce(x, xla.Add, [(0,)], 5),
        lambda x: xla.AllToAll(x, 0, 0, 1, [(0,)], 5),
        lambda x: xla.CollectiveBroadcast(x, [(0,)], 5),
        lambda x: xla.CollectivePermute(x, [(0, 0)], 5),
        lambda x: xla.ReduceScatter(x, xla.Add, 0, 1, [(0,)], 5),
    ]
    for function in functions:
        assert "channel_handle<handle = 5, type = 1>" in str(module_of(function, "4xf32"))
        check(function, (A,), A)  # alone, natively


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda x: xla.AllGather(x, 1, 2), "no dimension 1"),
        (lambda x: xla.AllGather(x, 0, 3, [(0, 1)]), "are not of 3 replicas each"),
        (lambda x: xla.AllReduce(x, xla.Add, [(0, 1), (1, 2)]), "repeat"),
        (lambda x: xla.AllReduce((x, xla.Gt(x, 0)), xla.Add), "types ['f32', 'i1']"),
        (lambda x: xla.AllReduce((), xla.Add), "there are no operands"),
        (lambda x: xla.AllToAll(x, 0, 0, 3), "C2"),
        (lambda x: xla.AllToAll(x, 0, 0, 0), "are not of 0 replicas"),
        (lambda x: xla.CollectivePermute(x, [(0, 1), (0, 2)]), "a source repeats"),
        (lambda x: xla.CollectivePermute(x, [(0, 1), (2, 1)]), "a target repeats"),
        (lambda x: xla.ReduceScatter(x, xla.Add, 0, 3), "has no 3 parts"),
        (lambda x: xla.ReduceScatter(x, xla.Add, 1, 2), "no dimension 1"),
    ],
)
def test_collectives_that_do_not_fit(function: Any, reason: str) -> None:
    assert reason in refused(function, "4xf32")
