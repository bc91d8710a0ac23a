"""Who stops a call stops no other one, whatever its frame serves next."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

import shlo_tools
from shlo_tools.codegen import frame as layout
from shlo_tools.cpu import watcher
from shlo_tools.cpu.frame import Frame
from shlo_tools.cpu.watcher import watched

LOOP = """
func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  CALL
  %0 = stablehlo.while(%i = %m) : tensor<i32>
  cond {
    %more = stablehlo.compare NE, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.subtract %i, %one : tensor<i32>
    stablehlo.return %next : tensor<i32>
  }
  return %0 : tensor<i32>
}"""
WAITS = """%m = stablehlo.custom_call @tests.waits.for.stops(%n) {has_side_effect = true}
    : (tensor<i32>) -> tensor<i32>"""
LINALG = """
  %e = tensor.extract %n[] : tensor<i32>
  %least = arith.constant -1 : i32
  %fits = arith.cmpi sgt, %e, %least : i32
  cf.assert %fits, "negative"
"""


@pytest.mark.parametrize("way", ["StagedExecutable", "NativeExecutable"])
def test_the_next_call_of_a_frame_goes_on(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One ends while it is being stopped; before the request is there, another thread calls."""
    events = {name: threading.Event() for name in ("begins", "ends", "begins again", "is asked")}
    calls = iter([("begins", "ends"), ("begins again", "is asked")])

    @shlo_tools.custom_call("tests.waits.for.stops")
    def waits(x: Any) -> Any:
        begins, ends = next(calls)
        events[begins].set()
        assert events[ends].wait(20)
        return x

    before = LINALG if way == "NativeExecutable" else ""
    executable = shlo_tools.compile(LOOP.replace("CALL", before + WAITS))
    assert (type(executable).__name__ == "NativeExecutable") == (way == "NativeExecutable")
    pool = ThreadPoolExecutor(2)
    first = pool.submit(lambda: int(executable(100_000)))
    assert events["begins"].wait(20)
    threads = [call[1] for call in watcher._watch.running.values()]
    second: list[Future[int]] = []
    ask, is_first = Frame.ask, iter([True])  # the watching thread asks as well

    def ask_late(frame: Frame, request: int) -> None:
        if request == layout.POLL_CANCEL and next(is_first, False):
            events["ends"].set()
            assert first.result(20) == 0
            second.append(pool.submit(lambda: int(executable(100_000))))
            assert events["begins again"].wait(20)
        ask(frame, request)

    monkeypatch.setattr(Frame, "ask", ask_late)
    watcher.cancel(threads)
    events["is asked"].set()
    assert second[0].result(20) == 0
    pool.shutdown()
    assert not watcher._watch.running
    assert not watcher._watch.stopped


def test_a_call_that_has_ended_is_not_stopped() -> None:
    """Somebody looked at what runs while it ran."""
    frame = Frame(64, weights=0)
    watch = watcher._watch
    with watched(frame, None):
        [(name, call)] = [(n, c) for n, c in watch.running.items() if c[0] is frame]
    frame.reset()
    watch.stop(name, call)
    assert frame["poll"] != layout.POLL_CANCEL
    assert not frame.is_claimed
    assert name not in watch.running
    assert name not in watch.stopped


STRESS = """
import sys, threading, time
import shlo_tools
from shlo_tools.cpu import watcher
from shlo_tools.errors import ExecutionTimeout

sys.setswitchinterval(1e-6)
executable = shlo_tools.compile(TEXT)
end, wrong = time.monotonic() + 2, []

def counts():
    while time.monotonic() < end and not wrong:
        try:
            assert int(executable(2000)) == 0
        except BaseException as error:
            wrong.append(repr(error))

def is_stopped():
    threads = [threading.get_ident()]
    while time.monotonic() < end:
        stopper = threading.Thread(target=lambda: watcher.cancel(threads))
        stopper.start()
        try:
            executable(2000)
        except ExecutionTimeout:
            pass
        stopper.join()

threads = [threading.Thread(target=body) for body in (counts, counts, is_stopped, is_stopped)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(wrong, len(watcher._watch.running), len(watcher._watch.stopped))
"""


def test_calls_that_are_stopped_beside_others() -> None:
    text = LOOP.replace("CALL", "%m = stablehlo.add %n, %zero : tensor<i32>")
    script = STRESS.replace("TEXT", repr(text))
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=100
    )
    assert (done.stdout, done.returncode) == ("[] 0 0\n", 0), done.stderr
