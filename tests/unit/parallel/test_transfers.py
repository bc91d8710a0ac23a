"""Channels, feeds and what goes on beside a process, natively as by the reference."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pytest

from shlo_tools import parallel
from shlo_tools.errors import ArgumentError, ExecutionError
from shlo_tools.processes import Grid, Process, run_processes

BACKENDS = pytest.mark.parametrize("backend", ["native", "reference"])
T = "tensor<3xf32>"


def channel(type: int, number: int = 1) -> str:
    handle = f"#stablehlo.channel_handle<handle = {number}, type = {type}>"
    return f"channel_handle = {handle}"


@BACKENDS
def test_values_of_a_channel_arrive_in_order(backend: Any) -> None:
    text = f"""
  func.func @sends(%a: {T}, %b: {T}) {{
    %t0 = stablehlo.create_token : !stablehlo.token
    %t1 = "stablehlo.send"(%a, %t0) {{{channel(1)}}} : ({T}, !stablehlo.token) -> !stablehlo.token
    %t2 = "stablehlo.send"(%b, %t1) {{{channel(1)}}} : ({T}, !stablehlo.token) -> !stablehlo.token
    return
  }}
  func.func @receives() -> ({T}, {T}) {{
    %t0 = stablehlo.create_token : !stablehlo.token
    %0:2 = "stablehlo.recv"(%t0) {{{channel(1)}}} : (!stablehlo.token) -> ({T}, !stablehlo.token)
    %1:2 = "stablehlo.recv"(%0#1) {{{channel(1)}}} : (!stablehlo.token) -> ({T}, !stablehlo.token)
    %2 = stablehlo.subtract %0#0, %1#0 : {T}
    return %0#0, %2 : {T}, {T}
  }}"""
    a, b = np.array([1, 2, 3], np.float32), np.array([1, 1, 1], np.float32)
    results = parallel.run_mpmd(text, [[a, b], []], [["sends"], ["receives"]], backend=backend)
    first, difference = results[1]
    assert first.tolist() == [1, 2, 3]
    assert difference.tolist() == [0, 1, 2]


@BACKENDS
def test_the_host_sends_and_gets(backend: Any) -> None:
    text = f"""
  func.func @main() {{
    %t0 = stablehlo.create_token : !stablehlo.token
    %0:2 = "stablehlo.recv"(%t0) {{{channel(3)}, is_host_transfer = true}}
      : (!stablehlo.token) -> ({T}, !stablehlo.token)
    %1 = stablehlo.add %0#0, %0#0 : {T}
    %t1 = "stablehlo.send"(%1, %0#1) {{{channel(2, 2)}, is_host_transfer = true}}
      : ({T}, !stablehlo.token) -> !stablehlo.token
    return
  }}"""
    numbers = [np.full(3, k, np.float32) for k in range(2)]
    sent = [{1: [(number,)]} for number in numbers]
    results = parallel.run_spmd(text, [[], []], from_host=sent, backend=backend)
    assert [r[2][0][0].tolist() for r in results.to_host] == [[0, 0, 0], [2, 2, 2]]


ECHO = f"""
  func.func @main() -> {T} {{
    %t0 = stablehlo.create_token : !stablehlo.token
    %0:2 = "stablehlo.recv"(%t0) {{{channel(3)}, is_host_transfer = true}}
      : (!stablehlo.token) -> ({T}, !stablehlo.token)
    %t1 = "stablehlo.send"(%0#0, %0#1) {{{channel(2, 2)}, is_host_transfer = true}}
      : ({T}, !stablehlo.token) -> !stablehlo.token
    %1:2 = "stablehlo.recv"(%t1) {{{channel(3)}, is_host_transfer = true}}
      : (!stablehlo.token) -> ({T}, !stablehlo.token)
    return %1#0 : {T}
  }}"""


@BACKENDS
def test_functions_of_the_host_answer(backend: Any) -> None:
    """What a process gets depends on what it sent before; each has functions of its own."""
    sent: list[list[Any]] = [[np.full(3, k, np.float32)] for k in range(2)]
    results = parallel.run_spmd(
        ECHO,
        [[], []],
        from_host=[{1: lambda own=own: (2 * own[-1] + 1,)} for own in sent],
        to_host=[{2: own.append} for own in sent],
        backend=backend,
    )
    assert [own[1].tolist() for own in sent] == [[1, 1, 1], [3, 3, 3]]
    assert [x.tolist() for x in results] == [[3, 3, 3], [7, 7, 7]]
    assert list(results.to_host) == [{}, {}]


@BACKENDS
def test_a_function_of_the_host_that_raises_ends_the_grid(backend: Any) -> None:
    def refuses(x: Any) -> None:
        raise KeyError("mine")

    sent = [{1: [(np.zeros(3, np.float32),)] * 2}] * 2
    listeners = [{}, {2: refuses}]
    with pytest.raises(KeyError, match="mine") as caught:
        parallel.run_spmd(ECHO, [[], []], from_host=sent, to_host=listeners, backend=backend)
    assert caught.value.__notes__ == ["in process (1, 0) of the grid"]
    with pytest.raises(ArgumentError, match="to_host for 1 processes, and there are 2"):
        parallel.run_spmd(ECHO, [[], []], to_host=[{}], backend=backend)


@BACKENDS
def test_feeds_are_queues_of_each_process(backend: Any) -> None:
    text = f"""
  func.func @main() {{
    %t0 = stablehlo.create_token : !stablehlo.token
    %0:2 = "stablehlo.infeed"(%t0) : (!stablehlo.token) -> ({T}, !stablehlo.token)
    %1:2 = "stablehlo.infeed"(%0#1) : (!stablehlo.token) -> ({T}, !stablehlo.token)
    %2 = stablehlo.subtract %0#0, %1#0 : {T}
    %t1 = "stablehlo.outfeed"(%2, %1#1) : ({T}, !stablehlo.token) -> !stablehlo.token
    %t2 = "stablehlo.outfeed"(%0#0, %t1) : ({T}, !stablehlo.token) -> !stablehlo.token
    return
  }}"""
    feeds = [[(np.full(3, 5 * k, np.float32),), (np.ones(3, np.float32),)] for k in range(2)]
    results = parallel.run_spmd(text, [[], []], infeed=feeds, backend=backend)
    for k, outfeed in enumerate(results.outfeeds):
        assert [values[0].tolist() for values in outfeed] == [[5 * k - 1] * 3, [5 * k] * 3]


@BACKENDS
def test_several_collectives_go_on_at_once(backend: Any) -> None:
    """The first to begin is the last to be waited for."""
    lines = [
        f"""%f{k} = "stablehlo.async_start"({operand}) ({{
    ^bb0(%x: {T}):
      %g = "stablehlo.all_gather"(%x) {{all_gather_dim = 0 : i64,
        replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : ({T}) -> tensor<6xf32>
      stablehlo.return %g : tensor<6xf32>
    }}) : ({T}) -> !stablehlo.future<tensor<6xf32>>"""
        for k, operand in enumerate(["%a", "%b", "%a"])
    ]
    lines += [
        f"""%r{k} = "stablehlo.async_done"(%f{k})
      : (!stablehlo.future<tensor<6xf32>>) -> tensor<6xf32>"""
        for k in (2, 1, 0)
    ]
    types = ", ".join(["tensor<6xf32>"] * 3)
    text = f"""func.func @main(%a: {T}) -> ({types}) {{
    %b = stablehlo.negate %a : {T}
    {chr(10).join(lines)}
    return %r0, %r1, %r2 : {types}
  }}"""
    rows = [[np.full(3, k + 1, np.float32)] for k in range(2)]
    for results in parallel.run_spmd(text, rows, backend=backend):
        for sign, result in zip((1, -1, 1), results, strict=True):
            assert result.tolist() == [sign] * 3 + [2 * sign] * 3


@BACKENDS
def test_a_collective_goes_on_beside_its_process(backend: Any) -> None:
    """What it gathers is what the operand was when it began, whatever is computed meanwhile."""
    text = f"""
  func.func @main(%a: {T}) -> (tensor<6xf32>, {T}) {{
    %f = "stablehlo.async_start"(%a) ({{
    ^bb0(%x: {T}):
      %g = "stablehlo.all_gather"(%x) {{all_gather_dim = 0 : i64,
        replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : ({T}) -> tensor<6xf32>
      stablehlo.return %g : tensor<6xf32>
    }}) : ({T}) -> !stablehlo.future<tensor<6xf32>>
    %b = stablehlo.cosine %a : {T}
    %c = stablehlo.multiply %b, %b : {T}
    %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<6xf32>>) -> tensor<6xf32>
    return %r, %c : tensor<6xf32>, {T}
  }}"""
    arrays = [np.arange(3, dtype=np.float32), np.arange(3, 6, dtype=np.float32)]
    for gathered, squares in parallel.run_spmd(text, [[x] for x in arrays], backend=backend):
        assert gathered.tolist() == [0, 1, 2, 3, 4, 5]
        assert np.all((squares >= 0) & (squares <= 1))


def test_nobody_waits_for_a_collective_before_it_is_done() -> None:
    """Two processes that begin a collective each, and then need what the other does afterwards."""
    text = f"""
  func.func @main(%a: {T}) -> (tensor<6xf32>, {T}) {{
    %f = "stablehlo.async_start"(%a) ({{
    ^bb0(%x: {T}):
      %g = "stablehlo.all_gather"(%x) {{all_gather_dim = 0 : i64,
        replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : ({T}) -> tensor<6xf32>
      stablehlo.return %g : tensor<6xf32>
    }}) : ({T}) -> !stablehlo.future<tensor<6xf32>>
    %b = "stablehlo.collective_permute"(%a) {{
      source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}} : ({T}) -> {T}
    %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<6xf32>>) -> tensor<6xf32>
    return %r, %b : tensor<6xf32>, {T}
  }}
  func.func @swapped(%a: {T}) -> (tensor<6xf32>, {T}) {{
    %b = "stablehlo.collective_permute"(%a) {{
      source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}} : ({T}) -> {T}
    %f = "stablehlo.async_start"(%a) ({{
    ^bb0(%x: {T}):
      %g = "stablehlo.all_gather"(%x) {{all_gather_dim = 0 : i64,
        replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : ({T}) -> tensor<6xf32>
      stablehlo.return %g : tensor<6xf32>
    }}) : ({T}) -> !stablehlo.future<tensor<6xf32>>
    %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<6xf32>>) -> tensor<6xf32>
    return %r, %b : tensor<6xf32>, {T}
  }}"""
    arrays = [np.arange(3, dtype=np.float32), np.arange(3, 6, dtype=np.float32)]
    rows = [[x] for x in arrays]
    results = parallel.run_mpmd(text, rows, [["main"], ["swapped"]], timeout=30)
    for k, (gathered, other) in enumerate(results):
        assert gathered.tolist() == [0, 1, 2, 3, 4, 5]
        np.testing.assert_array_equal(other, arrays[1 - k])


def test_who_waits_for_what_it_began_is_in_no_deadlock() -> None:
    """What ends last leaves the grid while its process waits for it, and nobody else runs."""

    def slowly(process: Process) -> list[Any]:
        return [process.finish(process.begin("sleep", partial(_slept, k))) for k in range(3)]

    assert run_processes([Process((0, 0), Grid(1, 1))], slowly) == [[0, 1, 2]]


def _slept(value: int) -> int:
    time.sleep(0.02)
    return value


def test_what_cannot_begin_leaves_the_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a rank of MPI would wait for its end."""
    process = Process((0, 0), Grid(1, 1))
    with monkeypatch.context() as patched:
        patched.setattr(ThreadPoolExecutor, "submit", _refused)
        with pytest.raises(ExecutionError, match="no thread"):
            process.begin("sleep", time.time)
    with pytest.raises(ExecutionError, match=r"process \(0, 0\) failed: no thread"):
        process.get("send", 1, (0, 0))


def _refused(*_: Any) -> None:
    raise RuntimeError("no thread")
