"""Packing converts elements exactly, on every target."""

from __future__ import annotations

import ctypes

import ml_dtypes
import numpy as np
import pytest

from shlo_tools import mlir
from shlo_tools.codegen import target
from shlo_tools.codegen.function import F32, F64, I32, I64, Type
from shlo_tools.codegen.library import packing
from shlo_tools.codegen.target import Target
from shlo_tools.cpu.process_library import parts

ALL = np.arange(1 << 16, dtype=np.uint16)
CASES: list[tuple[str, Type, np.ndarray]] = [
    ("f16", F32, ALL.view(np.float16)),
    ("f16", F64, ALL.view(np.float16)),
    ("bf16", F32, ALL.view(ml_dtypes.bfloat16)),
    ("i16", I32, ALL.view(np.int16)),
    ("ui16", I64, ALL),
    ("i8", I32, np.arange(-128, 128).astype(np.int8)),
    ("i1", I32, np.arange(77) % 3 == 0),
    ("i64", I32, ALL.astype(np.int64) << 20),
]
TARGETS = [target.host(), Target("narrow", 16, 16, fma=False)]


@pytest.mark.parametrize("by", TARGETS, ids=lambda by: by.name)
@pytest.mark.parametrize(("source", "element", "values"), CASES, ids=lambda c: str(c)[:9])
def test_elements(by: Target, source: str, element: Type, values: np.ndarray) -> None:
    """Adjacent and apart, as rows and as columns."""
    functions = packing.functions(by, f"{source}_{element.element}")
    with mlir.library_context():
        _engine, addresses = parts.compiled(functions)
    numbers = [ctypes.c_int64] * 7
    address = addresses[packing.name(source, element)]
    types = [ctypes.c_void_p, ctypes.c_void_p, *numbers, ctypes.c_void_p, ctypes.c_int64]
    pack = ctypes.CFUNCTYPE(None, *types)(address)
    dtypes = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64}
    size, count = values.itemsize, len(values)
    for step in (1, 3):
        apart = np.repeat(values, step)
        packed = np.zeros(count, dtypes[element.element])
        axes = [[], [(count, step * size, 0, 0, 0)]]
        words = packing.view_words(axes, (1, 1, 1), 0, 0)
        view = (ctypes.c_int64 * len(words))(*words)
        pack(view, apart.ctypes.data, 0, 0, 0, 0, 1, 0, count, packed.ctypes.data, 0)
        np.testing.assert_array_equal(packed, values.astype(packed.dtype))


def test_what_is_outside_is_zero() -> None:
    """A run of two units of three numbers that begins a unit before the first element."""
    values = np.arange(1, 13, dtype=np.float32)
    packed = np.full(12, np.nan, np.float32)
    axes = [[(2, 24, 0, 0, 2)], [(6, 4, 0, 0, 0)]]
    words = packing.view_words(axes, (1, 1, 4), 3, 1)
    view = (ctypes.c_int64 * len(words))(*words)
    numbers = [ctypes.c_int64] * 7
    types = [ctypes.c_void_p, ctypes.c_void_p, *numbers, ctypes.c_void_p, ctypes.c_int64]
    pack = ctypes.CFUNCTYPE(None, *types)(parts.address(packing.name("f32", F32)))
    base = values.ctypes.data - 12
    pack(view, base, 0, 0, -1, 0, 2, 0, 6, packed.ctypes.data, 24)
    np.testing.assert_array_equal(packed, [0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
