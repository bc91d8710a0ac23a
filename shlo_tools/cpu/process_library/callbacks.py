"""How native code calls Python.

Not through ctypes callbacks: those swallow what is raised before their first line, and that is
where a pending KeyboardInterrupt comes up. ``poll`` lets Python run its signal handlers; ``host``
calls one of the frame's Python objects with the address of a table. An exception stays in the
frame.
"""

from __future__ import annotations

import ctypes
from typing import Any

from shlo_tools import mlir
from shlo_tools.codegen import frame as layout
from shlo_tools.cpu.process_library.parts import keep, text_code

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
_table: list[Any] = []  # [machine code, table]; made once per process


def callback_table() -> int:
    """Address of the table of callbacks (``layout.CALLBACKS``)."""
    if not _table:
        with mlir.library_context():  # behind its lock one thread makes the table
            if not _table:
                _table[:] = _compiled()
                keep(_table[:])
    return ctypes.addressof(_table[1])


def _compiled() -> list[Any]:
    fields = ("status", "poll", "word0", "word1", "word2", "host")
    numbers = {field: layout.offset(field) for field in fields}
    numbers |= {name: layout.STATUS[name] for name in ("cancelled", "signal")}
    numbers |= {"host_failed": layout.STATUS["host"], "POLL_CANCEL": layout.POLL_CANCEL}
    code = text_code(_CALLBACKS.format(**numbers), layout.CALLBACKS)
    addresses = [code.addresses[name] for name in layout.CALLBACKS]
    return [code, (ctypes.c_int64 * len(addresses))(*addresses)]
