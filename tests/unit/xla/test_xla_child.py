"""What happens around XLA's child process; another program plays its part."""

from __future__ import annotations

import importlib.util
import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import parallel
from shlo_tools.errors import (
    ArgumentError,
    ExecutionError,
    ExecutionTimeout,
    ShloError,
    UnsupportedError,
)
from shlo_tools.xla import executable

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX")

# Doubles its arguments; 0 kills it, and 9 keeps it busy.
CHILD = """
import os, time
import numpy as np
from shlo_tools import workers
from shlo_tools.errors import UnsupportedError

programs = {}

def compile(key, text, num_replicas):
    if "negate" in text:
        raise UnsupportedError("XLA refuses the program: no negations")
    programs[key] = text

def call(key, rows):
    if key not in programs:
        return None
    if rows[0][0][0] == 0:
        os.kill(os.getpid(), 11)
    if rows[0][0][0] == 9:
        time.sleep(60)
    return [[2 * array for array in row] for row in rows]

workers.serve({"compile": compile, "call": call})
"""
TWICE = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @open(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
func.func @negated(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
ONES = np.ones(2, np.float32)


@pytest.fixture(autouse=True)
def child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "child_of_the_test.py").write_text(CHILD)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(executable, "_WORKER", "child_of_the_test")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)


def test_it_is_called_as_any_executable_is() -> None:
    compiled = shlo_tools.compile(TWICE, backend="xla")
    np.testing.assert_array_equal(compiled([1, 2]), [2, 4])
    assert str(compiled.signature) == "(tensor<2xf32>) -> (tensor<2xf32>)"
    assert "stablehlo.add" in compiled.ir()
    with pytest.raises(ArgumentError, match="@main takes 1 argument, 0 given"):
        compiled()


def test_a_death_is_one_error_and_the_next_call_goes_to_another_child() -> None:
    compiled = shlo_tools.compile(TWICE, backend="xla")
    with pytest.raises(ExecutionError, match="process died of SIGSEGV while running @main"):
        compiled(np.zeros(2, np.float32))
    np.testing.assert_array_equal(compiled(ONES), [2, 2])


def test_a_death_between_calls_is_no_error() -> None:
    compiled = shlo_tools.compile(TWICE, backend="xla")
    child = executable.workers.worker_of("child_of_the_test", "1")
    os.kill(child._process.pid, signal.SIGKILL)
    child._process.wait()
    np.testing.assert_array_equal(compiled(ONES), [2, 2])


def test_time_is_limited() -> None:
    compiled = shlo_tools.compile(TWICE, backend="xla")
    with pytest.raises(ExecutionTimeout):
        compiled(9 * ONES, timeout=0.1)
    np.testing.assert_array_equal(compiled(ONES, timeout=60), [2, 2])


def test_the_time_of_one_call_is_not_that_of_calls_that_wait_for_it() -> None:
    compiled = shlo_tools.compile(TWICE, backend="xla")
    with ThreadPoolExecutor(3) as pool:
        late = pool.submit(compiled, 9 * ONES, timeout=2)
        _until(executable.workers.worker_of("child_of_the_test", "1")._lock.locked)
        others = [pool.submit(compiled, ONES) for _ in range(2)]
        with pytest.raises(ExecutionTimeout):
            late.result()
        for other in others:
            np.testing.assert_array_equal(other.result(), [2, 2])


def _until(holds: Callable[[], bool]) -> None:
    while not holds():
        time.sleep(0.01)


def test_a_grid_is_one_call() -> None:
    rows = [[ONES], [2 * ONES], [3 * ONES], [4 * ONES]]
    results = shlo_tools.run_spmd(TWICE, rows, num_replicas=2, num_partitions=2, backend="xla")
    assert [result.tolist() for result in results] == [[2, 2], [4, 4], [6, 6], [8, 8]]
    with pytest.raises(ArgumentError, match="arguments for 1 processes, and there are 2"):
        parallel.compile(TWICE, num_replicas=2, backend="xla")([[ONES]])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"function": "open"}, UnsupportedError, r"known sizes, and this one has tensor<\?xf32>"),
        ({"function": "negated"}, UnsupportedError, "no negations"),
        ({"function": "mian"}, ShloError, "no function @mian"),
        ({"check_nans": True}, ShloError, "XLA runs no probes and checks"),
        ({"probe": print}, ShloError, "XLA runs no probes and checks"),
    ],
)
def test_programs_that_xla_does_not_run(
    options: dict[str, Any], error: type[ShloError], message: str
) -> None:
    with pytest.raises(error, match=message):
        shlo_tools.compile(TWICE, backend="xla", **options)


def test_grids_that_xla_does_not_run() -> None:
    with pytest.raises(UnsupportedError, match="one function, not @main, @negated"):
        parallel.run_mpmd(TWICE, [[ONES], [ONES]], [["main", "negated"]], backend="xla")
    with pytest.raises(UnsupportedError, match="not over MPI"):
        parallel.compile(TWICE, num_replicas=2, backend="xla", transport="mpi")
    grid = parallel.compile(TWICE, num_replicas=2, backend="xla")
    with pytest.raises(UnsupportedError, match="given arguments alone"):
        grid([[ONES], [ONES]], infeed=[[], []])
    with pytest.raises(ExecutionError, match="by all 2 processes of a grid at once"):
        grid.executables[0](ONES)


def test_parts_of_arrays_are_for_several_devices() -> None:
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
      %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) : (tensor<4xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }"""
    with pytest.raises(UnsupportedError, match=r"run_spmd.* runs it"):
        shlo_tools.compile(text, backend="xla")


def test_without_jaxlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ShloError, match="needs jaxlib, which is not installed") as caught:
        shlo_tools.compile(TWICE, backend="xla")
    assert "shlo-tools[xla]" in caught.value.render()


def test_another_function_takes_the_place_of_main() -> None:
    compiled = executable.compile(TWICE.replace("@main", "@start"), function="start")
    assert "func.func @main(" in compiled._text
    called = (
        TWICE
        + """
    func.func @around(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = func.call @main(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }"""
    )
    with pytest.raises(UnsupportedError, match="@around cannot take its place"):
        executable.compile(called, function="around")
