"""Tensors of other libraries by DLPack, in types that numpy has and in those that it has not.

The producer is written out with ctypes: what libraries of the kind of PyTorch give, bit by bit.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import shlo_tools
from shlo_tools.calling import dlpack
from shlo_tools.errors import ArgumentError

Array = np.ndarray[Any, Any]

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_alive = 0  # capsules


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _destroyed(capsule: int) -> None:
    global _alive
    _alive -= 1


class Tensor:
    """A tensor as libraries have them.

    Args:
        array: where the bytes are.
        code: DLPack's type code.
        versioned: whether it knows the newer capsule.
    """

    def __init__(
        self,
        array: Array,
        code: int,
        *,
        versioned: bool = False,
        device: int = 1,
        bits: int | None = None,
        lanes: int = 1,
        compact: bool = False,
    ) -> None:
        self.array, self.versioned, self.device = array, versioned, device
        itemsize = array.dtype.itemsize
        rank = array.ndim
        self._shape = (ctypes.c_int64 * rank)(*array.shape)
        self._strides = (ctypes.c_int64 * rank)(*(step // itemsize for step in array.strides))
        self._tensor = dlpack.Tensor(
            array.ctypes.data - 16,  # as views of larger tensors do
            device,
            0,
            rank,
            code,
            bits or 8 * itemsize,
            lanes,
            self._shape,
            None if compact else self._strides,
            16,
        )
        self._managed: Any = self._tensor
        if versioned:
            self._managed = dlpack.Versioned(1, 1, None, None, 0, self._tensor)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device, 0

    def __dlpack__(self, **options: Any) -> Any:
        if options and not self.versioned:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        name = b"dltensor_versioned" if self.versioned else b"dltensor"
        global _alive
        _alive += 1
        destructor = ctypes.cast(_destroyed, ctypes.c_void_p)
        return _new_capsule(ctypes.addressof(self._managed), name, destructor)


class Unknown(Tensor):
    """One that numpy cannot have: ``torch.Tensor`` answers alike for bfloat16."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        raise TypeError("Got unsupported ScalarType BFloat16")


VALUES = [[1.5, -2.0, 0.5], [0.25, 4.0, -1.0]]
TYPES = [
    ("f32", np.float32, 2),
    ("f64", np.float64, 2),
    ("f16", np.float16, 2),
    ("i8", np.int8, 0),
    ("i64", np.int64, 0),
    ("ui32", np.uint32, 1),
    ("i1", np.bool_, 6),
    ("complex<f32>", np.complex64, 5),
    ("bf16", ml_dtypes.bfloat16, 4),
    ("f8E3M4", ml_dtypes.float8_e3m4, 7),
    ("f8E4M3", ml_dtypes.float8_e4m3, 8),
    ("f8E4M3B11FNUZ", ml_dtypes.float8_e4m3b11fnuz, 9),
    ("f8E4M3FN", ml_dtypes.float8_e4m3fn, 10),
    ("f8E4M3FNUZ", ml_dtypes.float8_e4m3fnuz, 11),
    ("f8E5M2", ml_dtypes.float8_e5m2, 12),
    ("f8E5M2FNUZ", ml_dtypes.float8_e5m2fnuz, 13),
    ("f8E8M0FNU", ml_dtypes.float8_e8m0fnu, 14),
]


def identity(type: str, shape: str = "2x3x") -> shlo_tools.Executable:
    tensor = f"tensor<{shape}{type}>"
    return shlo_tools.compile(
        f"func.func @main(%a: {tensor}) -> {tensor} {{ return %a : {tensor} }}"
    )


@pytest.mark.parametrize("kind", [Tensor, Unknown])
@pytest.mark.parametrize("versioned", [False, True])
def test_every_type_comes_through(kind: type[Tensor], versioned: bool) -> None:
    for name, dtype, code in TYPES:
        values = np.abs(VALUES) if name[0] == "u" or name == "f8E8M0FNU" else VALUES
        array = np.array(values).astype(dtype)
        result = identity(name)(kind(array, code, versioned=versioned))
        assert result.dtype == array.dtype, name
        assert result.tobytes() == array.tobytes(), name


def test_both_backends_read_the_memory_of_the_tensor() -> None:
    array = np.array(VALUES).astype(ml_dtypes.bfloat16)
    text = """func.func @main(%a: tensor<2x3xbf16>) -> tensor<2x3xbf16> {
      %0 = stablehlo.add %a, %a : tensor<2x3xbf16>
      return %0 : tensor<2x3xbf16> }"""
    for backend in ("native", "reference"):
        tensor = Unknown(array, 4)
        options: Any = {"backend": backend}
        result = shlo_tools.compile(text, **options)(tensor)
        assert result.astype(float).tolist() == (np.array(VALUES) * 2).tolist()
        assert array.astype(float).tolist() == VALUES


def test_layouts() -> None:
    """Compact ones without strides, transposed and reversed ones, empty ones and scalars."""
    base = np.arange(24, dtype=np.float32).reshape(4, 6)
    for array in (base.T, base[::2, 1::3], base[::-1], base[:0], base[:1, :1].reshape(())):
        observed = dlpack.array(Tensor(array, 2))
        assert observed.shape == array.shape
        np.testing.assert_array_equal(observed, array)
    np.testing.assert_array_equal(dlpack.array(Tensor(base, 2, compact=True)), base)


def test_the_memory_lives_as_long_as_the_array_and_is_not_written() -> None:
    gc.collect()
    tensor, before = Tensor(np.ones(4, np.float32), 2), _alive
    observed = dlpack.array(tensor)[1:]
    gc.collect()
    assert _alive == before + 1 and np.shares_memory(observed, tensor.array)
    with pytest.raises(ValueError, match="read-only"):
        observed[0] = 2
    del observed
    gc.collect()
    assert _alive == before


ONES = np.ones((2, 3), np.float32)
REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: Tensor(ONES, 2, device=2), "on another device: copy it to the CPU"),
    (lambda: Tensor(ONES, 3), "no element type holds DLPack's code 3, 32 bits"),
    (lambda: Tensor(ONES, 2, lanes=4), "4 lanes"),
    (lambda: Tensor(ONES, 17, bits=4), "code 17, 4 bits"),
    (lambda: Tensor(ONES, 4, bits=16), "bfloat16 given, float32"),
    (lambda: Tensor(ONES[:1], 2), r"shape \(1, 3\) given"),
]


@pytest.mark.parametrize(("make", "message"), REFUSED)
def test_what_cannot_be_read_is_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=f"argument 0: .*{message}"):
        identity("f32")(make())


def test_what_is_no_capsule_is_refused() -> None:
    class Wrong:
        def __dlpack__(self, **options: Any) -> Any:
            return 3

    with pytest.raises(ArgumentError, match="no DLPack capsule"):
        identity("f32")(Wrong())
