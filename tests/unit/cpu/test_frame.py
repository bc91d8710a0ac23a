"""The call frame: its layout, how calls are stopped, and how failing checks come out."""

from __future__ import annotations

import os
import signal
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from running import CHECKED, COUNT, child

import shlo_tools
from shlo_tools.codegen import frame as layout
from shlo_tools.cpu.frame import Frame
from shlo_tools.cpu.status import raise_for_status
from shlo_tools.cpu.watcher import watched
from shlo_tools.errors import ExecutionError, ExecutionTimeout


@pytest.fixture(scope="module")
def count() -> shlo_tools.Executable:
    return shlo_tools.compile(COUNT)


# --- the layout -----------------------------------------------------------------------------------
def test_fields_of_a_frame() -> None:
    """Eight bytes each, in order; what the host fills in is there before the first call."""
    assert layout.SIZE == 8 * len(layout.FIELDS) == layout.offset(layout.FIELDS[-1]) + 8
    assert len({layout.offset(name) for name in layout.FIELDS}) == len(layout.FIELDS)
    assert all(number < 0 for number in layout.STATUS.values())  # checks count from 1
    frame = Frame(4096, weights=1234)
    frame.reset()
    words = dict(zip(layout.FIELDS, frame.words, strict=True))
    assert words["version"] == layout.VERSION
    assert words["weights"] == 1234
    assert words["arena"] % 64 == 0 and words["arena_end"] - words["arena"] == 4096
    assert words["status"] == words["poll"] == 0
    raise_for_status(frame, [], None)  # 0: all is well


def test_a_frame_is_as_new_for_the_next_call() -> None:
    """Requests, the status and what is taken of the arena are forgotten."""
    frame = Frame(256, weights=0)
    frame.reset()
    fresh = list(frame.words)
    frame.ask(layout.POLL_CANCEL)
    for field in ("status", "arena"):
        frame.words[layout.FIELDS.index(field)] += 1
    frame.reset()
    assert list(frame.words) == fresh


# --- time-outs ------------------------------------------------------------------------------------
@pytest.mark.parametrize("timeout", [0.0, 0.2, 0.7])
def test_an_endless_loop_is_stopped_by_a_timeout(count: Any, timeout: float) -> None:
    """Within half a second of its time; the executable works as before."""
    start = time.monotonic()
    with pytest.raises(ExecutionTimeout, match=f"stopped after {timeout} seconds") as caught:
        count(-1, timeout=timeout)
    assert timeout <= time.monotonic() - start < timeout + 0.5
    assert isinstance(caught.value, TimeoutError) and isinstance(caught.value, ExecutionError)
    assert count(5) == 5


def test_a_timeout_that_is_not_reached_does_nothing(count: Any) -> None:
    assert count(1000, timeout=60) == 1000
    time.sleep(0.12)  # long enough for the watch to come by
    assert count(1000) == 1000


def test_timeouts_in_another_thread(count: Any) -> None:
    caught: list[BaseException] = []

    def run() -> None:
        try:
            count(-1, timeout=0.2)
        except ExecutionTimeout as error:
            caught.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert count(7) == 7  # while the other one runs
    thread.join(2)
    assert len(caught) == 1


# --- signals --------------------------------------------------------------------------------------
@contextmanager
def signalled(number: int, handler: Any, *, after: float) -> Iterator[None]:
    """Send this process a signal after some seconds, with ``handler`` installed."""
    before = signal.signal(number, handler)
    timer = threading.Timer(after, os.kill, (os.getpid(), number))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        signal.signal(number, before)


class Alarm(Exception):
    """Raised by a signal handler of these tests."""


def _raise_alarm(number: int, frame: Any) -> None:
    raise Alarm(f"signal {number}")


def test_the_exception_of_a_signal_handler_comes_out(count: Any) -> None:
    """With its message and a traceback that leads into the handler."""
    for _ in range(2):
        with signalled(signal.SIGUSR1, _raise_alarm, after=0.1):
            start = time.monotonic()
            with pytest.raises(Alarm, match=f"signal {int(signal.SIGUSR1)}") as caught:
                count(-1)
            assert time.monotonic() - start < 0.6
        assert caught.traceback[-1].name == "_raise_alarm"
        assert count(3) == 3


def test_a_handler_that_returns_does_not_stop_the_loop(count: Any) -> None:
    calls: list[int] = []
    handler = signalled(signal.SIGUSR1, lambda number, frame: calls.append(number), after=0.1)
    with handler, pytest.raises(ExecutionTimeout):
        count(-1, timeout=0.5)
    assert calls == [signal.SIGUSR1]


def test_a_nested_call_uses_a_frame_of_its_own(count: Any) -> None:
    """A signal handler calls the executable that it interrupts."""
    answers: list[int] = []
    handler = signalled(signal.SIGUSR1, lambda *_: answers.append(int(count(9))), after=0.1)
    with handler, pytest.raises(ExecutionTimeout):
        count(-1, timeout=0.5)
    assert answers == [9]


def test_ctrl_c_stops_an_endless_loop() -> None:
    """As KeyboardInterrupt, within half a second; the process goes on and can call again."""
    done = child(
        """
        import time
        import shlo_tools
        count = shlo_tools.compile(COUNT)
        assert count(2) == 2
        print("ready", flush=True)
        start = time.monotonic()
        try:
            count(-1)
        except KeyboardInterrupt:
            print("stopped", time.monotonic() - start < 0.3 + 0.5, int(count(4)))
        """,
        interrupt_after=0.3,
    )
    assert (done.stdout, done.returncode) == ("stopped True 4\n", 0), done.stderr


def test_ctrl_c_without_a_handler_ends_the_process_as_usual() -> None:
    done = child(
        """
        import shlo_tools
        count = shlo_tools.compile(COUNT)
        print("ready", flush=True)
        count(-1)
        """,
        interrupt_after=0.2,
    )
    assert done.returncode == -signal.SIGINT
    assert done.stderr.strip().endswith("KeyboardInterrupt")


def test_a_process_ends_while_another_thread_still_runs() -> None:
    """A daemon thread in an endless loop does not keep the interpreter from exiting."""
    done = child("""
        import threading, time
        import shlo_tools
        count = shlo_tools.compile(COUNT)
        threading.Thread(target=count, args=(-1,), daemon=True).start()
        time.sleep(0.2)
        print(int(count(6)))
    """)
    assert (done.stdout, done.returncode) == ("6\n", 0), done.stderr


def test_watching_keeps_no_frame_alive() -> None:
    """A frame holds memory, and through its host calls what users gave: it goes with its call."""
    alive = _watched_frame()
    _until(lambda: alive() is None)


def _watched_frame() -> weakref.ref[Frame]:
    frame = Frame(64, weights=0)
    frame.reset()
    with watched(frame, None):
        _until(lambda: bool(frame.words[layout.FIELDS.index("poll")]))  # the watch has come by
    return weakref.ref(frame)


def _until(holds: Callable[[], bool]) -> None:
    """Wait for what takes a moment; fail after 5 seconds."""
    end = time.monotonic() + 5
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


# --- checks that fail -----------------------------------------------------------------------------
@pytest.mark.parametrize("where", CHECKED)
def test_a_failing_check(where: str) -> None:
    """It raises with its message and place; the next calls are right, or fail again."""
    executable = shlo_tools.compile(CHECKED[where])
    for _ in range(3):
        assert executable(1, 100, 5) == 6
        with pytest.raises(ExecutionError, match="too large") as caught:
            executable(98, 100, 5) if "loop" in where else executable(100, 100, 5)
        [diagnostic] = caught.value.diagnostics
        assert (diagnostic.message, str(diagnostic.place)) == ("too large", "model.py:12:3")
        assert isinstance(caught.value, RuntimeError)
    assert executable(94, 100, 5) == 99


def test_the_first_of_several_failing_checks_is_reported() -> None:
    executable = shlo_tools.compile("""
      func.func @main(%a: tensor<i1>, %b: tensor<i1>) -> tensor<i1> {
        %0 = tensor.extract %a[] : tensor<i1>
        cf.assert %0, "first"
        %1 = tensor.extract %b[] : tensor<i1>
        cf.assert %1, "second"
        return %a : tensor<i1>
      }""")
    for inputs, message in (((False, False), "first"), ((True, False), "second")):
        with pytest.raises(ExecutionError, match=message):
            executable(*inputs)
    assert executable(True, True)
