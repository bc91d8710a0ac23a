"""XLA's typed FFI as a C library sees it: structures, and the functions that handlers call.

The layouts are those of version 0.3 (``xla/ffi/api/c_api.h`` of JAX 0.10). A handler takes a call
frame: operands, results, attributes, and a table of functions. It returns null or an error, which
it has made by one of these functions. Handlers that ask for what only XLA has (streams, states,
types of execution contexts) get an error that says so.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import threading
from collections.abc import Callable
from functools import cache
from typing import Any

VERSION = (0, 3)
METADATA_EXTENSION = 1
EXECUTE = 3  # the stage
UNIMPLEMENTED, RESOURCE_EXHAUSTED = 12, 8

_Pointer = ctypes.c_void_p
_Size = ctypes.c_size_t
_HEAD = (("struct_size", _Size), ("extension_start", _Pointer))


def _structure(name: str, *fields: tuple[str, Any]) -> Any:
    """A structure with the size and the extensions that all but a few begin with."""
    return type(name, (ctypes.Structure,), {"_fields_": (*_HEAD, *fields)})


# --- what a call hands over -----------------------------------------------------------------------
class ByteSpan(ctypes.Structure):
    _fields_ = (("ptr", _Pointer), ("len", _Size))


class Scalar(ctypes.Structure):
    _fields_ = (("dtype", ctypes.c_int), ("value", _Pointer))


class Array(ctypes.Structure):
    _fields_ = (("dtype", ctypes.c_int), ("size", _Size), ("data", _Pointer))


Buffer = _structure(
    "Buffer",
    *(("dtype", ctypes.c_int), ("data", _Pointer), ("rank", ctypes.c_int64), ("dims", _Pointer)),
)
Values = _structure(  # operands, or results
    "Values", ("size", ctypes.c_int64), ("types", _Pointer), ("values", _Pointer)
)
Attributes = _structure(
    "Attributes",
    *(("size", ctypes.c_int64), ("types", _Pointer), ("names", _Pointer), ("attrs", _Pointer)),
)
CallFrame = _structure(
    "CallFrame",
    *(("api", _Pointer), ("ctx", _Pointer), ("stage", ctypes.c_int)),
    *(("args", Values), ("rets", Values), ("attrs", Attributes), ("future", _Pointer)),
)
FRAME_SIZE = CallFrame.future.offset  # of the frame that XLA hands over, as handlers check

ApiVersion = _structure("ApiVersion", ("major", ctypes.c_int), ("minor", ctypes.c_int))


class Metadata(ctypes.Structure):
    _fields_ = (
        *(("struct_size", _Size), ("api_version", ApiVersion), ("traits", ctypes.c_uint32)),
        ("state_type_id", ctypes.c_int64),
    )


class MetadataExtension(ctypes.Structure):
    _fields_ = (
        *(("struct_size", _Size), ("type", ctypes.c_int), ("next", _Pointer)),
        ("metadata", _Pointer),
    )


def sized(structure: Any) -> Any:
    """A structure that says how large it is."""
    structure.struct_size = ctypes.sizeof(structure)
    return structure


# --- the functions --------------------------------------------------------------------------------
_Context = ("ctx", _Pointer)
_Span = ("name", ByteSpan)
_ARGUMENTS: dict[str, Any] = {  # in the order of the table
    "Error_Create": [("message", ctypes.c_char_p), ("code", ctypes.c_int)],
    "Error_GetMessage": [("error", _Pointer), ("message", _Pointer)],
    "Error_Destroy": [("error", _Pointer)],
    "Handler_Register": [_Span],
    "Stream_Get": [_Context, ("stream", _Pointer)],
    "Type_Register": [_Span],
    "ExecutionContext_Get": [_Context],
    "State_Set": [_Context],
    "State_Get": [_Context],
    "DeviceMemory_Allocate": [_Context, ("size", _Size), ("alignment", _Size), ("data", _Pointer)],
    "DeviceMemory_Free": [_Context, ("size", _Size), ("data", _Pointer)],
    "ThreadPool_Schedule": [_Context, ("task", _Pointer), ("data", _Pointer)],
    "ThreadPool_NumThreads": [_Context, ("num_threads", ctypes.POINTER(ctypes.c_int64))],
    "Future_Create": [("future", _Pointer)],
    "Future_SetAvailable": [("future", _Pointer)],
    "Future_SetError": [("future", _Pointer), ("error", _Pointer)],
    "RunId_Get": [_Context, ("run_id", ctypes.c_int64)],
    "DeviceOrdinal_Get": [_Context, ("device_ordinal", ctypes.c_int32)],
}
_Structures = {name: _structure(name, *fields) for name, fields in _ARGUMENTS.items()}
_Callbacks = {
    name: ctypes.CFUNCTYPE(_Pointer, ctypes.POINTER(structure))
    for name, structure in _Structures.items()
}
_Task = ctypes.CFUNCTYPE(None, _Pointer)

Api = _structure(
    "Api",
    *(("api_version", ApiVersion), ("internal_api", _Pointer)),
    *_Callbacks.items(),
)

_numbers = itertools.count(1)
_errors: dict[int, Any] = {}  # the "pointer" of an error -> its text as C has it
_memory: dict[int, Any] = {}  # address -> what keeps it


class _Future:
    """Completed by a handler's threads; ``error`` is the number of an error, or None."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.error: int | None = None


_futures: dict[int, _Future] = {}


def _error(message: bytes) -> int:
    number = next(_numbers)
    _errors[number] = ctypes.create_string_buffer(message)
    return number


def taken_error(number: int) -> str:
    """The text of an error, which is gone then."""
    text: bytes = _errors.pop(number).value
    return text.decode(errors="replace")


def awaited(number: int) -> str | None:
    """Wait until a future is complete; the text of its error, if it has one."""
    future = _futures[number]
    while not future.done.wait(0.05):  # so that Ctrl-C gets through
        pass
    del _futures[number]
    return None if future.error is None else taken_error(future.error)


def _create_error(args: Any) -> int:
    return _error(args.message or b"")


def _get_message(args: Any) -> None:
    args.message = ctypes.addressof(_errors[args.error])


def _destroy_error(args: Any) -> None:
    _errors.pop(args.error, None)


def _allocate(args: Any) -> int | None:
    alignment = max(1, args.alignment)
    try:
        memory = ctypes.create_string_buffer(args.size + alignment)
    except (MemoryError, OverflowError):
        return _error(b"the memory does not suffice")
    address = -(-ctypes.addressof(memory) // alignment) * alignment
    _memory[address] = memory
    args.data = address
    return None


def _free(args: Any) -> None:
    _memory.pop(args.data, None)


def _schedule(args: Any) -> None:
    """Every task has a thread of its own: tasks may wait for each other."""
    threading.Thread(target=_Task(args.task), args=(args.data,), daemon=True).start()


def _count_threads(args: Any) -> None:
    args.num_threads[0] = os.cpu_count() or 1


def _create_future(args: Any) -> None:
    args.future = number = next(_numbers)
    _futures[number] = _Future()


def _complete(args: Any) -> None:
    _futures[args.future].done.set()


def _fail(args: Any) -> None:
    future = _futures[args.future]
    future.error = args.error
    future.done.set()


def _identify_run(args: Any) -> None:
    args.run_id = 0


def _identify_device(args: Any) -> None:
    args.device_ordinal = 0


_FUNCTIONS: dict[str, Callable[[Any], int | None]] = {
    "Error_Create": _create_error,
    "Error_GetMessage": _get_message,
    "Error_Destroy": _destroy_error,
    "DeviceMemory_Allocate": _allocate,
    "DeviceMemory_Free": _free,
    "ThreadPool_Schedule": _schedule,
    "ThreadPool_NumThreads": _count_threads,
    "Future_Create": _create_future,
    "Future_SetAvailable": _complete,
    "Future_SetError": _fail,
    "RunId_Get": _identify_run,
    "DeviceOrdinal_Get": _identify_device,
}


def _refusing(name: str) -> Callable[[Any], int]:
    message = f"XLA_FFI_{name} needs XLA: there is none around this call".encode()
    return lambda args: _error(message)


@cache
def api() -> Any:
    """The table of functions."""
    table = sized(Api())
    table.api_version = sized(ApiVersion(major=VERSION[0], minor=VERSION[1]))
    for name, callback in _Callbacks.items():
        function = _FUNCTIONS.get(name) or _refusing(name)
        setattr(table, name, callback(lambda args, function=function: function(args[0])))
    return table
