"""Calls of handlers of XLA's typed FFI, ``api_version = 4``: a call frame for each call.

Operands and results are buffers: type, memory, sizes. The dictionary of ``backend_config`` is
handed over in the order of its names: numbers, arrays of numbers, text, and dictionaries.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from shlo_tools.dtypes import ElementType, from_dtype
from shlo_tools.extend import call_frames as ffi
from shlo_tools.extend.description import Call, Untyped

_ELEMENTS = {
    **{"i1": 1, "i8": 2, "i16": 3, "i32": 4, "i64": 5},
    **{"ui8": 6, "ui16": 7, "ui32": 8, "ui64": 9},
    **{"f16": 10, "f32": 11, "f64": 12, "bf16": 16, "complex<f32>": 15, "complex<f64>": 18},
    **{"f8E5M2": 19, "f8E3M4": 29, "f8E4M3": 28, "f8E4M3FN": 20, "f8E4M3B11FNUZ": 23},
    **{"f8E5M2FNUZ": 24, "f8E4M3FNUZ": 25, "f8E8M0FNU": 33},
}
_TOKEN = 17
_BUFFER = 1  # as operand and as result
_ARRAY, _DICTIONARY, _SCALAR, _STRING = 1, 2, 3, 4

Routine = Callable[[Any], int | None]
# Element type and shape, or None for a token; and an address.
Memory = tuple[tuple[ElementType, Sequence[int]] | None, int]


class _Packed:
    """C structures in the making, and what they point to."""

    def __init__(self) -> None:
        self.kept: list[Any] = []

    def pointer(self, structure: Any) -> int:
        self.kept.append(structure)
        return (
            structure.ctypes.data
            if isinstance(structure, np.ndarray)
            else ctypes.addressof(structure)
        )

    def table(self, addresses: Sequence[int]) -> int:
        return self.pointer((ctypes.c_void_p * max(1, len(addresses)))(*addresses))

    def kinds(self, kinds: Sequence[int]) -> int:
        return self.pointer((ctypes.c_int * max(1, len(kinds)))(*kinds))

    def values(self, memories: Sequence[Memory]) -> Any:
        """Operands or results."""
        buffers = [self.pointer(self._buffer(*memory)) for memory in memories]
        kinds = self.kinds([_BUFFER] * len(buffers))
        structure = ffi.Values(size=len(buffers), types=kinds, values=self.table(buffers))
        return ffi.sized(structure)

    def _buffer(self, type: tuple[ElementType, Sequence[int]] | None, address: int) -> Any:
        element, shape = type or (None, ())
        return ffi.sized(
            ffi.Buffer(
                dtype=_TOKEN if element is None else _ELEMENTS[element.name],
                data=address,
                rank=len(shape),
                dims=self.pointer(np.array([*shape, 0], np.int64)),
            )
        )

    def attributes(self, named: Mapping[str, Any]) -> Any:
        names = sorted(named)
        rows = [self._attribute(named[name]) for name in names]
        table = ffi.Attributes(
            size=len(names),
            types=self.kinds([kind for kind, _ in rows]),
            names=self.table([self.pointer(self._span(name.encode())) for name in names]),
            attrs=self.table([self.pointer(structure) for _, structure in rows]),
        )
        return ffi.sized(table)

    def _attribute(self, value: Any) -> tuple[int, Any]:
        if isinstance(value, Mapping):
            return _DICTIONARY, self.attributes(value)
        if isinstance(value, str | bytes):
            return _STRING, self._span(value.encode() if isinstance(value, str) else value)
        numbers = np.array(value, order="C")
        dtype = _ELEMENTS[from_dtype(numbers.dtype).name]
        data = self.pointer(numbers)
        if isinstance(value, np.ndarray):
            return _ARRAY, ffi.Array(dtype=dtype, size=numbers.size, data=data)
        return _SCALAR, ffi.Scalar(dtype=dtype, value=data)

    def _span(self, text: bytes) -> Any:
        return ffi.ByteSpan(ptr=self.pointer(ctypes.create_string_buffer(text)), len=len(text))


class Handler:
    """A handler, to be called with the memory of operands and of results.

    Raises:
        UnsupportedError: it is built for another version, or the call has what a frame cannot hold.
    """

    def __init__(self, call: Call, address: int) -> None:
        self._call = call
        self._routine: Routine = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(address)
        version, failure = _version(self._routine)
        if failure or version != ffi.VERSION:
            reason = failure or "it is built for version {}.{}".format(*version)
            raise call.unsupported(
                f"a handler of XLA's typed FFI: {reason}",
                "version {}.{} can be called; or register a Python function".format(*ffi.VERSION),
            )
        _check(call)
        self._packed = _Packed()
        self._attributes = self._packed.attributes(call.typed_config)

    def __call__(self, operands: Sequence[Memory], results: Sequence[Memory]) -> None:
        packed = _Packed()
        frame = _frame()
        frame.args, frame.rets = packed.values(operands), packed.values(results)
        frame.attrs = self._attributes
        error = self._routine(ctypes.addressof(frame))
        message = ffi.taken_error(error) if error else None
        if not error and frame.future:
            message = ffi.awaited(frame.future)
        if message is not None:
            raise self._call.error(f"failed: {message}")


def _frame() -> Any:
    frame = ffi.CallFrame(struct_size=ffi.FRAME_SIZE, stage=ffi.EXECUTE)
    frame.api = ctypes.addressof(ffi.api())
    return frame


def _version(routine: Routine) -> tuple[tuple[int, int], str]:
    """The version that a handler is built for, or why it does not say; as XLA asks for it."""
    metadata = ffi.sized(ffi.Metadata())
    metadata.api_version = ffi.sized(ffi.ApiVersion())
    extension = ffi.sized(ffi.MetadataExtension(type=ffi.METADATA_EXTENSION))
    extension.metadata = ctypes.addressof(metadata)
    packed = _Packed()
    frame = _frame()
    frame.args, frame.rets = packed.values(()), packed.values(())
    frame.attrs = packed.attributes({})
    frame.extension_start = ctypes.addressof(extension)
    error = routine(ctypes.addressof(frame))
    failure = ffi.taken_error(error) if error else ""
    return (metadata.api_version.major, metadata.api_version.minor), failure


def _check(call: Call) -> None:
    for type in (*call.input_types, *call.result_types):
        if type.element_type.name not in _ELEMENTS:
            raise call.unsupported(f"{type}: elements of less than a byte lie differently in XLA")
    for name, value in _flat(call.typed_config):
        if isinstance(value, Untyped):
            raise call.unsupported(f"attribute {name} = {value.text} has no form in call frames")


def _flat(named: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    for name, value in named.items():
        if isinstance(value, Mapping):
            yield from _flat(value)
        else:
            yield name, value
