"""Call frames on the host's side: their memory, who watches them, and what their status means."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from shlo_tools import mlir
from shlo_tools.codegen import frame as layout
from shlo_tools.codegen.manifest import Check
from shlo_tools.cpu.memory import aligned_bytes, reserved_bytes
from shlo_tools.errors import (
    Diagnostic,
    ExecutionError,
    ExecutionTimeout,
    ShapeMismatchError,
)

_INDEX = {name: i for i, name in enumerate(layout.FIELDS)}
_WATCH_SECONDS = 0.05


class Frame:
    """One frame with its arena; used by one call at a time."""

    def __init__(
        self,
        arena_bytes: int,
        weights: int,
        host_calls: Sequence[Callable[[int], None]] = (),
        *,
        grows: bool = False,
    ) -> None:
        self.words = (ctypes.c_int64 * len(layout.FIELDS))()
        self.address = ctypes.addressof(self.words)
        self.arena = reserved_bytes() if grows else aligned_bytes(arena_bytes)
        self._arena = self.arena.ctypes.data
        words = self.words
        words[_INDEX["version"]] = layout.VERSION
        words[_INDEX["arena_end"]] = self._arena + len(self.arena)
        words[_INDEX["callbacks"]] = _callbacks()
        words[_INDEX["weights"]] = weights
        calls: Sequence[Any] = host_calls
        self._host_calls = (ctypes.py_object * max(1, len(calls)))(*calls)
        words[_INDEX["host"]] = ctypes.addressof(self._host_calls)

    def reset(self) -> None:
        """Make the frame ready for a call."""
        self.words[_INDEX["status"]] = 0
        self.words[_INDEX["poll"]] = 0
        self.words[_INDEX["arena"]] = self._arena

    def ask(self, request: int) -> None:
        """Make the running call poll (``POLL_SIGNALS``) or stop (``POLL_CANCEL``)."""
        self.words[_INDEX["poll"]] = request

    def raise_for_status(self, checks: Sequence[Check], timeout: float | None) -> None:
        """Raise what the call's status stands for, if it failed."""
        status = self.words[_INDEX["status"]]
        if status == 0:
            return
        if status in (layout.STATUS["signal"], layout.STATUS["host"]):
            raise self._take_exception()
        if status == layout.STATUS["cancelled"]:
            raise ExecutionTimeout(f"stopped after {timeout} seconds")
        words = [self.words[_INDEX[field]] for field in ("word0", "word1")]
        raise _failed(checks[status - 1], words)

    def _take_exception(self) -> BaseException:
        """What Python code called from native code raised; its references are in the words."""
        type, value, trace = (self.words[_INDEX[field]] for field in ("word0", "word1", "word2"))
        exception: BaseException = ctypes.cast(value, ctypes.py_object).value
        if trace:
            exception = exception.with_traceback(ctypes.cast(trace, ctypes.py_object).value)
        for held in (type, value, trace):
            if held:
                ctypes.pythonapi.Py_DecRef(ctypes.cast(held, ctypes.py_object))
        return exception


def _failed(check: Check, words: Sequence[int]) -> ExecutionError:
    if check.is_of_sizes:
        text = check.message.format(*words)
        return ShapeMismatchError(Diagnostic("error", text, check.place))
    return ExecutionError(Diagnostic("error", check.message or "a check failed", check.place))


# --- what native code calls -----------------------------------------------------------------------
# Python is called from native code, not through ctypes callbacks: those swallow what is raised
# before their first line, and that is where a pending KeyboardInterrupt comes up. ``poll`` lets
# Python run its signal handlers; ``host`` calls one of the frame's Python objects with the address
# of a table. An exception stays in the frame.
_CALLBACKS = """
llvm.func @PyGILState_Ensure() -> i32
llvm.func @PyGILState_Release(i32)
llvm.func @PyErr_CheckSignals() -> i32
llvm.func @PyErr_Fetch(!llvm.ptr, !llvm.ptr, !llvm.ptr)
llvm.func @PyErr_NormalizeException(!llvm.ptr, !llvm.ptr, !llvm.ptr)
llvm.func @PyLong_FromVoidPtr(!llvm.ptr) -> !llvm.ptr
llvm.func @PyObject_CallOneArg(!llvm.ptr, !llvm.ptr) -> !llvm.ptr
llvm.func @Py_DecRef(!llvm.ptr)
llvm.func @fail(%frame: !llvm.ptr, %why: i64) {{
  %status = llvm.getelementptr %frame[{status}] : (!llvm.ptr) -> !llvm.ptr, i8
  %type = llvm.getelementptr %frame[{word0}] : (!llvm.ptr) -> !llvm.ptr, i8
  %value = llvm.getelementptr %frame[{word1}] : (!llvm.ptr) -> !llvm.ptr, i8
  %trace = llvm.getelementptr %frame[{word2}] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.call @PyErr_Fetch(%type, %value, %trace) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  llvm.call @PyErr_NormalizeException(%type, %value, %trace)
    : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  llvm.store volatile %why, %status : i64, !llvm.ptr
  llvm.return
}}
llvm.func @poll(%frame: !llvm.ptr) -> i64 {{
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %none = llvm.mlir.constant(0 : i32) : i32
  %cancel = llvm.mlir.constant({POLL_CANCEL} : i64) : i64
  %cancelled = llvm.mlir.constant({cancelled} : i64) : i64
  %exception = llvm.mlir.constant({signal} : i64) : i64
  %status = llvm.getelementptr %frame[{status}] : (!llvm.ptr) -> !llvm.ptr, i8
  %poll = llvm.getelementptr %frame[{poll}] : (!llvm.ptr) -> !llvm.ptr, i8
  %asked = llvm.load volatile %poll : !llvm.ptr -> i64
  llvm.store volatile %zero, %poll : i64, !llvm.ptr
  %gil = llvm.call @PyGILState_Ensure() : () -> i32
  %raised = llvm.call @PyErr_CheckSignals() : () -> i32
  %quiet = llvm.icmp "eq" %raised, %none : i32
  llvm.cond_br %quiet, ^released, ^fetch
^fetch:
  llvm.call @fail(%frame, %exception) : (!llvm.ptr, i64) -> ()
  llvm.call @PyGILState_Release(%gil) : (i32) -> ()
  llvm.return %one : i64
^released:
  llvm.call @PyGILState_Release(%gil) : (i32) -> ()
  %stop = llvm.icmp "eq" %asked, %cancel : i64
  llvm.cond_br %stop, ^stop, ^go
^stop:
  llvm.store volatile %cancelled, %status : i64, !llvm.ptr
  llvm.return %one : i64
^go:
  llvm.return %zero : i64
}}
llvm.func @host(%frame: !llvm.ptr, %number: i64, %table: !llvm.ptr) -> i64 {{
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %exception = llvm.mlir.constant({host_failed} : i64) : i64
  %field = llvm.getelementptr %frame[{host}] : (!llvm.ptr) -> !llvm.ptr, i8
  %calls = llvm.load %field : !llvm.ptr -> !llvm.ptr
  %entry = llvm.getelementptr %calls[%number] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %callable = llvm.load %entry : !llvm.ptr -> !llvm.ptr
  %gil = llvm.call @PyGILState_Ensure() : () -> i32
  %address = llvm.call @PyLong_FromVoidPtr(%table) : (!llvm.ptr) -> !llvm.ptr
  %result = llvm.call @PyObject_CallOneArg(%callable, %address)
    : (!llvm.ptr, !llvm.ptr) -> !llvm.ptr
  llvm.call @Py_DecRef(%address) : (!llvm.ptr) -> ()
  %raised = llvm.icmp "eq" %result, %null : !llvm.ptr
  llvm.cond_br %raised, ^fetch, ^done
^fetch:
  llvm.call @fail(%frame, %exception) : (!llvm.ptr, i64) -> ()
  llvm.call @PyGILState_Release(%gil) : (i32) -> ()
  llvm.return %one : i64
^done:
  llvm.call @Py_DecRef(%result) : (!llvm.ptr) -> ()
  llvm.call @PyGILState_Release(%gil) : (i32) -> ()
  llvm.return %zero : i64
}}
"""
_callback_table: list[Any] = []  # [engine, table]; made once per process


def _callbacks() -> int:
    """Address of the table of callbacks (``layout.CALLBACKS``)."""
    if not _callback_table:
        with mlir.library_context():  # behind its lock one thread makes the table
            if not _callback_table:
                _callback_table[:] = _made_callbacks()
    return ctypes.addressof(_callback_table[1])


def _made_callbacks() -> list[Any]:
    fields = ("status", "poll", "word0", "word1", "word2", "host")
    numbers = {field: layout.offset(field) for field in fields}
    numbers |= {name: layout.STATUS[name] for name in ("cancelled", "signal")}
    numbers |= {"host_failed": layout.STATUS["host"], "POLL_CANCEL": layout.POLL_CANCEL}
    engine = mlir.execution_engine(mlir.parse_module(_CALLBACKS.format(**numbers)), 0)
    addresses = [mlir.entry_address(engine, name) for name in layout.CALLBACKS]
    return [engine, (ctypes.c_int64 * len(addresses))(*addresses)]


# --- watching calls -------------------------------------------------------------------------------
class _Watch:
    """A thread that makes running calls poll for signals, and stops those past their time.

    It wakes every 50 ms while calls are running, and sleeps after a while without any.
    """

    def __init__(self) -> None:
        self.running: dict[Frame, float | None] = {}
        self.wake = threading.Event()
        self.thread: threading.Thread | None = None

    def start(self, frame: Frame, deadline: float | None) -> None:
        self.running[frame] = deadline
        if self.thread is None:
            self.thread = threading.Thread(target=self._loop, name="shlo-watch", daemon=True)
            self.thread.start()
        if not self.wake.is_set():
            self.wake.set()

    def stop(self, frame: Frame) -> None:
        del self.running[frame]

    def _loop(self) -> None:
        idle = 0
        while True:
            time.sleep(_WATCH_SECONDS)
            idle = 0 if self.running else idle + 1
            if idle > 20:
                self.wake.clear()
                if not self.running:  # a call may have started just before the clear
                    self.wake.wait()
                idle = 0
            self._ask()

    def _ask(self) -> None:
        """On its own, for the thread would keep the last frame alive while it sleeps."""
        now = time.monotonic()
        for frame, deadline in list(self.running.items()):
            late = deadline is not None and now > deadline
            frame.ask(layout.POLL_CANCEL if late else layout.POLL_SIGNALS)


_watch = _Watch()


def _after_fork() -> None:
    """The watching thread does not exist in a forked child; a new one starts on demand."""
    global _watch
    _watch = _Watch()


os.register_at_fork(after_in_child=_after_fork)


@contextmanager
def watched(frame: Frame, timeout: float | None) -> Iterator[None]:
    """Have ``frame`` polled while the block runs, and cancelled after ``timeout`` seconds."""
    watch = _watch
    watch.start(frame, None if timeout is None else time.monotonic() + timeout)
    try:
        yield
    finally:
        watch.stop(frame)
