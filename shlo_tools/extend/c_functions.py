"""C functions as custom_call targets, called as XLA calls them on CPUs.

The op's ``api_version``, or the one given when registering, tells the signature:

    1, API_VERSION_ORIGINAL:
        void f(void *out, const void **in)
    2, API_VERSION_STATUS_RETURNING:
        void f(void *out, const void **in, Status *status)
    3, API_VERSION_STATUS_RETURNING_UNIFIED:
        void f(void *out, const void **in, const char *opaque, size_t opaque_len, Status *status)

``in`` has a pointer for each operand, tuples spread out, tokens included. ``out`` is the memory
of the result; where there are several, or it is a tuple, a table of pointers like ``in``. Arrays
lie in memory as ``operand_layouts`` and ``result_layouts`` say; an element takes whole bytes. A
result that ``output_operand_aliases`` names starts as a copy of its operand, and both pointers
are that copy. ``opaque`` is the text of ``backend_config``.

A function fails by writing a message to the status, which is zeros before:

    typedef struct { const char *message; size_t length; uint64_t reserved[6]; } Status;

That is also what ``XlaCustomCallStatusSetFailure`` writes where it was built with libstdc++.

Version 4, API_VERSION_TYPED_FFI, is XLA's protocol of call frames, ``Error *f(CallFrame *frame)``:
see ``typed_calls``. It has to be told when registering, so that no other function is called so.
Version 0 names no signature.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any

from shlo_tools.errors import ShloError

VERSIONS = {
    0: "API_VERSION_UNSPECIFIED",
    1: "API_VERSION_ORIGINAL",
    2: "API_VERSION_STATUS_RETURNING",
    3: "API_VERSION_STATUS_RETURNING_UNIFIED",
    4: "API_VERSION_TYPED_FFI",
}
CALLABLE_VERSIONS = (1, 2, 3, 4)

_POINTER = ctypes.c_void_p
_FUNCTION_POINTER = ctypes.CFUNCTYPE(None).__mro__[1]  # what all function pointers are
_ARGUMENTS = {
    1: (_POINTER, _POINTER),
    2: (_POINTER, _POINTER, _POINTER),
    3: (_POINTER, _POINTER, ctypes.c_char_p, ctypes.c_size_t, _POINTER),
    4: (_POINTER,),
}


class Status(ctypes.Structure):
    """What a function is given to tell of a failure."""

    _fields_ = (
        ("message", ctypes.c_void_p),
        ("length", ctypes.c_size_t),
        ("reserved", ctypes.c_uint64 * 6),
    )

    def failure(self) -> str | None:
        """The message, if the function failed."""
        if not self.message:
            return None
        return ctypes.string_at(self.message, self.length).decode(errors="replace")


@dataclass(frozen=True)
class CFunction:
    """A C function.

    Attributes:
        api_version: its signature; None: the one that the op names.
        owner: what keeps its code in memory.
    """

    address: int
    api_version: int | None = None
    owner: Any = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"the C function at {self.address:#x}"


def is_c_function(value: object) -> bool:
    """Whether a value is a function pointer of ctypes or a capsule."""
    return isinstance(value, _FUNCTION_POINTER) or type(value).__name__ == "PyCapsule"


def c_function(value: Any, api_version: int | None) -> CFunction:
    """A C function given by its address, as a function pointer of ctypes or as a capsule.

    Raises:
        ShloError: it is none of these, is null, or has a signature that is not known.
    """
    if api_version is not None and api_version not in CALLABLE_VERSIONS:
        name = VERSIONS.get(api_version, "unknown")
        raise ShloError(
            f"C functions of api_version {api_version} ({name}) cannot be called",
            hint="1 to 4 can: see shlo_tools.extend.c_functions",
        )
    address = _address(value)
    if not address:
        raise ShloError(f"{value!r} is no address of a C function")
    return CFunction(address, api_version, value)


def _address(value: Any) -> int:
    if isinstance(value, int):
        return value
    if isinstance(value, _FUNCTION_POINTER):
        return _void_pointer(value).value or 0
    if type(value).__name__ != "PyCapsule":
        return 0
    name, pointer = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return pointer(value, name(value)) or 0


def _void_pointer(value: Any) -> ctypes.c_void_p:
    return ctypes.cast(value, ctypes.c_void_p)


def code(function: CFunction, version: int) -> Any:
    """The function as ctypes calls it; it runs without the interpreter's lock."""
    routine: Any = ctypes.CFUNCTYPE(None, *_ARGUMENTS[version])(function.address)
    routine.owner = function.owner  # the code is there as long as the routine
    return routine
