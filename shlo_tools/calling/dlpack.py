"""Tensors of other libraries by DLPack, also in types that numpy itself does not have.

``numpy.from_dlpack`` knows neither bfloat16 nor the floats of 8 bits and less, in which models are
exported. The structures are those of ``dlpack.h``; the memory is shared, and lives as long as
the array.
"""

from __future__ import annotations

import ctypes
from typing import Any

import ml_dtypes
import numpy as np

Array = np.ndarray[Any, Any]

_CPU = (1, 3, 11, 13)  # memory of the host, also where a device may read it
_VERSION = (1, 0)

# By type code and bits. Floats of less than 8 bits come packed, several in a byte: not read.
_DTYPES: dict[tuple[int, int], Any] = {
    **{(0, bits): f"i{bits // 8}" for bits in (8, 16, 32, 64)},
    **{(1, bits): f"u{bits // 8}" for bits in (8, 16, 32, 64)},
    **{(2, bits): f"f{bits // 8}" for bits in (16, 32, 64)},
    **{(5, bits): f"c{bits // 8}" for bits in (64, 128)},
    (4, 16): ml_dtypes.bfloat16,
    (6, 8): np.bool_,
    (7, 8): ml_dtypes.float8_e3m4,
    (8, 8): ml_dtypes.float8_e4m3,
    (9, 8): ml_dtypes.float8_e4m3b11fnuz,
    (10, 8): ml_dtypes.float8_e4m3fn,
    (11, 8): ml_dtypes.float8_e4m3fnuz,
    (12, 8): ml_dtypes.float8_e5m2,
    (13, 8): ml_dtypes.float8_e5m2fnuz,
    (14, 8): ml_dtypes.float8_e8m0fnu,
}


class Tensor(ctypes.Structure):
    """``DLTensor``."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Versioned(ctypes.Structure):
    """``DLManagedTensorVersioned``."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]


def array(producer: Any) -> Array:
    """A read-only array over the memory of an object that has ``__dlpack__``.

    Raises:
        BufferError: the memory is on another device, or of a type that no array holds.
        TypeError, RuntimeError, ValueError: what the producer raises.
    """
    device = getattr(producer, "__dlpack_device__", None)
    kind = int(device()[0]) if device is not None else 1
    if kind not in _CPU:
        raise BufferError("its memory is on another device: copy it to the CPU")
    try:
        capsule = producer.__dlpack__(max_version=_VERSION)
    except TypeError:  # an older producer, which does not know of versions
        capsule = producer.__dlpack__()
    return _view(_tensor(capsule), capsule)


def _tensor(capsule: Any) -> Tensor:
    if _is_valid(capsule, b"dltensor_versioned"):
        managed = Versioned.from_address(_pointer(capsule, b"dltensor_versioned"))
        if managed.major != _VERSION[0]:
            raise BufferError(f"DLPack version {managed.major} is not known")
        tensor: Tensor = managed.tensor
        return tensor
    if _is_valid(capsule, b"dltensor"):
        return Tensor.from_address(_pointer(capsule, b"dltensor"))
    raise BufferError("__dlpack__ returned no DLPack capsule")


def _view(tensor: Tensor, capsule: Any) -> Array:
    dtype = _DTYPES.get((tensor.code, tensor.bits))
    if dtype is None or tensor.lanes != 1:
        kind = f"code {tensor.code}, {tensor.bits} bits, {tensor.lanes} lanes"
        raise BufferError(f"no element type holds DLPack's {kind}")
    dtype = np.dtype(dtype)
    shape = tuple(tensor.shape[d] for d in range(tensor.ndim))
    strides = None
    if tensor.strides:
        strides = tuple(tensor.strides[d] * dtype.itemsize for d in range(tensor.ndim))
    return np.asarray(_Memory(tensor, shape, strides, dtype, capsule)).view(dtype)


class _Memory:
    """A tensor's memory, which numpy asks for; keeps the capsule, whose destructor frees it."""

    def __init__(
        self,
        tensor: Tensor,
        shape: tuple[int, ...],
        strides: tuple[int, ...] | None,
        dtype: np.dtype[Any],
        capsule: Any,
    ) -> None:
        self.capsule = capsule
        self.__array_interface__ = {
            "data": ((tensor.data or 0) + tensor.byte_offset, True),  # read-only
            "shape": shape,
            "strides": strides,
            "typestr": f"|V{dtype.itemsize}",
            "version": 3,
        }
