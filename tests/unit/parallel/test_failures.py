"""What goes wrong in a grid ends all of it, with one error; nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
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
    VerifyError,
)
from shlo_tools.processes import threads

ENDLESS = """
  func.func @endless(%a: tensor<i32>) -> tensor<i32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.while(%i = %a) : tensor<i32>
    cond {
      %more = stablehlo.compare NE, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      stablehlo.return %i : tensor<i32>
    }
    return %0 : tensor<i32>
  }"""
ONE = [[np.int32(1)], [np.int32(1)]]
PAIR = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"


def gather(name: str, shape: str = "2xi32", groups: str = PAIR) -> str:
    whole = shape.replace("2x", "4x", 1)
    return f"""
  func.func @{name}(%a: tensor<{shape}>) -> tensor<{whole}> {{
    %0 = "stablehlo.all_gather"(%a) {{all_gather_dim = 0 : i64, {groups}}}
      : (tensor<{shape}>) -> tensor<{whole}>
    return %0 : tensor<{whole}>
  }}"""


def broadcast(name: str) -> str:
    return f"""
  func.func @{name}(%a: tensor<2xi32>) -> tensor<2xi32> {{
    %0 = "stablehlo.collective_broadcast"(%a) {{{PAIR}}}
      : (tensor<2xi32>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }}"""


TWO = [[np.array([1, 2], np.int32)]] * 2


@pytest.fixture(autouse=True)
def no_threads_are_left() -> Iterator[None]:
    """But such as wait for something to do."""
    before = set(threading.enumerate())
    yield
    assert threads.busy_count() == 0
    for thread in set(threading.enumerate()) - before:
        if not thread.name.startswith(("shlo-watch", "shlo-process")):
            thread.join(5)
            assert not thread.is_alive(), thread


@pytest.mark.parametrize("backend", ["native", "reference"])
def test_who_raises_ends_the_grid(backend: Any) -> None:
    """Those that wait for it, and those that compute; the exception is its own."""

    @shlo_tools.custom_call("tests.raises")
    def raises(x: Any) -> Any:
        time.sleep(0.05)
        raise KeyError("mine")

    text = f"""{gather("waits")}
  func.func @raises(%a: tensor<2xi32>) -> tensor<2xi32> {{
    %0 = stablehlo.custom_call @tests.raises(%a) {{has_side_effect = true}}
      : (tensor<2xi32>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }}"""
    with pytest.raises(KeyError, match="mine") as caught:
        parallel.run_mpmd(text, TWO, [["waits"], ["raises"]], backend=backend)
    assert caught.value.__notes__ == ["in process (1, 0) of the grid"]


def test_who_raises_ends_endless_loops() -> None:
    @shlo_tools.custom_call("tests.raises.scalar")
    def raises(x: Any) -> Any:
        time.sleep(0.05)
        raise ValueError("mine")

    text = f"""{ENDLESS}
  func.func @raises(%a: tensor<i32>) -> tensor<i32> {{
    %0 = stablehlo.custom_call @tests.raises.scalar(%a) {{has_side_effect = true}}
      : (tensor<i32>) -> tensor<i32>
    return %0 : tensor<i32>
  }}"""
    with pytest.raises(ValueError, match="mine"):
        parallel.run_mpmd(text, ONE, [["endless"], ["raises"]])


CHANNEL = f"{PAIR}, channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>"
NOTHING = "func.func @q(%a: tensor<2xi32>) -> tensor<2xi32> {return %a : tensor<2xi32>}"
FIRST = r"deadlock: process \(0, 0\) waits in all_gather"


@pytest.mark.parametrize("backend", ["native", "reference"])
@pytest.mark.parametrize(
    ("other", "message"),
    [
        (broadcast("q"), rf"{FIRST}.*process \(1, 0\) waits in collective_broadcast"),
        (gather("q", groups=CHANNEL), rf"{FIRST}.*process \(1, 0\) waits in all_gather"),
        (NOTHING, rf"{FIRST} for \[\(1, 0\)\]"),
    ],
)
def test_what_does_not_fit_together_is_reported(backend: Any, other: str, message: str) -> None:
    """Another op, another channel, nothing at all."""
    with pytest.raises(ExecutionError, match=message):
        parallel.run_mpmd(gather("p") + other, TWO, [["p"], ["q"]], backend=backend, timeout=20)


def test_other_types_are_reported() -> None:
    text = gather("p") + gather("q", "2xf32") + gather("r", "2x3xi32")
    floats = np.zeros(2, np.float32)
    with pytest.raises(ExecutionError, match=r"\(0, 0\) brings .*int32.*\(1, 0\).*float32"):
        parallel.run_mpmd(text, [TWO[0], [floats]], [["p"], ["q"]])
    with pytest.raises(ExecutionError, match=r"\(0, 0\) brings .*2 int32.*\(1, 0\).*2x3 int32"):
        parallel.run_mpmd(text, [TWO[0], [np.zeros((2, 3), np.int32)]], [["p"], ["r"]])


def test_groups_that_do_not_fit_the_grid_are_refused_when_compiled() -> None:
    with pytest.raises(VerifyError, match=r"-:3:.*there is no replica 1"):
        parallel.compile(gather("main"), num_replicas=1, num_partitions=2)
    with pytest.raises(VerifyError, match=r"process \(2, 0\) is in 0 of the groups"):
        parallel.compile(gather("main"), num_replicas=3)
    all_four = "replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>"
    with pytest.raises(VerifyError, match="4 processes of 2 in dimension 0 have 4"):
        parallel.compile(gather("main", groups=all_four), num_replicas=4)


def test_arguments_are_counted() -> None:
    compiled = parallel.compile(gather("main"), num_replicas=2)
    with pytest.raises(ArgumentError, match="arguments for 1 processes, and there are 2"):
        compiled(TWO[:1])
    with pytest.raises(ArgumentError, match="float64"):
        compiled([TWO[0], [np.zeros(2)]])
    with pytest.raises(ShloError, match="num_replicas=0"):
        parallel.compile(gather("main"), num_replicas=0)
    with pytest.raises(ShloError, match="functions"):
        parallel.compile(gather("main"), num_replicas=2, function=[["main"]])


def test_a_program_of_a_grid_says_so_when_it_is_called_alone() -> None:
    compiled = parallel.compile(gather("main"), num_replicas=2)
    with pytest.raises(ExecutionError, match="2 replicas of 1 partitions") as caught:
        compiled.executables[0](TWO[0][0])
    assert "run_spmd" in str(caught.value)


def test_timeout() -> None:
    """Of loops that compute, and of processes that wait for such."""
    with pytest.raises(ExecutionTimeout):
        parallel.run_spmd(ENDLESS, ONE, function="endless", timeout=0.2)
    text = ENDLESS + gather("waits")
    with pytest.raises(ExecutionTimeout):
        parallel.run_mpmd(text, [ONE[0], TWO[0]], [["endless"], ["waits"]], timeout=0.2)


def test_interrupt() -> None:
    """Ctrl-C ends processes that compute and such as wait, and leaves a usable interpreter."""
    script = f"""
import numpy as np
from shlo_tools import parallel
text = {(ENDLESS + gather("waits"))!r}
compiled = parallel.compile(text, num_replicas=2, function=[["endless"], ["waits"]])
print("running", flush=True)
try:
    compiled([[np.int32(1)], [np.zeros(2, np.int32)]])
except KeyboardInterrupt:
    results = parallel.run_spmd({gather("main")!r}, [[np.ones(2, np.int32)]] * 2)
    print("interrupted", len(results))
"""
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "running\n"
        time.sleep(0.3)
        os.kill(child.pid, signal.SIGINT)
        rest, _ = child.communicate(timeout=60)
    assert rest == "interrupted 2\n"


def test_the_next_call_knows_nothing_of_a_failed_one() -> None:
    compiled = parallel.compile(
        gather("p") + broadcast("q"), num_replicas=2, function=[["p"], ["q"]]
    )
    for _ in range(3):
        with pytest.raises(ExecutionError, match="deadlock"):
            compiled(TWO)
    whole = parallel.compile(gather("main"), num_replicas=2)
    assert [x.tolist() for x in whole(TWO)] == [[1, 2, 1, 2]] * 2
