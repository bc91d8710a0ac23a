"""What the status of a call frame means: errors that end calls."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from shlo_tools.codegen import frame as layout
from shlo_tools.codegen.manifest import Check
from shlo_tools.cpu.frame import Frame
from shlo_tools.errors import (
    Diagnostic,
    ExecutionError,
    ExecutionTimeout,
    ShapeMismatchError,
)


def raise_for_status(frame: Frame, checks: Sequence[Check], timeout: float | None) -> None:
    """Raise what the status of a frame's call stands for, if it failed."""
    status = frame["status"]
    if status == 0:
        return
    if status in (layout.STATUS["signal"], layout.STATUS["host"]):
        raise _exception(frame)
    if status == layout.STATUS["cancelled"]:
        raise ExecutionTimeout(f"stopped after {timeout} seconds")
    if status == layout.STATUS["forked"]:
        raise ExecutionError(
            "the process was forked by a signal's handler while its threads computed",
            hint="only the parent has the results; calls of threads=1 go on in the child as well",
        )
    raise _failed(checks[status - 1], [frame["word0"], frame["word1"]])


def _exception(frame: Frame) -> BaseException:
    """What Python code called from native code raised; its references are in the words."""
    words = _, value, trace = [frame[f"word{number}"] for number in range(3)]
    exception: BaseException = ctypes.cast(value, ctypes.py_object).value
    if trace:
        exception = exception.with_traceback(ctypes.cast(trace, ctypes.py_object).value)
    for word in words:
        if word:
            ctypes.pythonapi.Py_DecRef(ctypes.cast(word, ctypes.py_object))
    return exception


def _failed(check: Check, words: Sequence[int]) -> ExecutionError:
    if check.is_of_sizes:
        text = check.message.format(*words)
        return ShapeMismatchError(Diagnostic("error", text, check.place))
    return ExecutionError(Diagnostic("error", check.message or "a check failed", check.place))
