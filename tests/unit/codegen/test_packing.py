"""Packing converts elements exactly, on every target."""

from __future__ import annotations

import ctypes

import ml_dtypes
import numpy as np
import pytest
from guarded import guarded

from shlo_tools import mlir
from shlo_tools.codegen import target
from shlo_tools.codegen.function import F32, F64, I32, I64, Type
from shlo_tools.codegen.library.contractions import packing
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


@pytest.mark.parametrize("by", TARGETS, ids=lambda by: by.name)
@pytest.mark.parametrize("seed", range(12))
def test_windows_of_images(by: Target, seed: int) -> None:
    """Rows of windows over padded images, some of them and some of their elements at a time."""
    random = np.random.default_rng(seed)
    channels, stride, dilation = (int(random.integers(1, end)) for end in (23, 4, 3))
    height, width, taps = int(random.integers(1, 6)), int(random.integers(1, 30)), (2, 3)
    low, most = random.integers(0, 5, 2), random.integers(0, 5, 2)
    high = (most[0] + 2, most[1] + 4)
    image = random.standard_normal((height, width, channels)).astype(np.float32)
    padded = np.pad(image, [(low[0], high[0]), (low[1], high[1]), (0, 0)])
    counts = [
        (size - (t - 1) * dilation - 1) // stride + 1
        for size, t in zip(padded.shape, taps, strict=False)
    ]
    expected = np.stack(
        [
            padded[y * stride :, x * stride :][::dilation, ::dilation][: taps[0], : taps[1]].ravel()
            for y in range(counts[0])
            for x in range(counts[1])
        ]
    )

    far, near = width * channels * 4, channels * 4  # bytes of an image's row, and of a pixel
    outs = [
        (counts[0], stride * far, 0, stride, 0),
        (counts[1], stride * near, 0, 0, stride),
    ]
    line = (taps[0], dilation * far, 0, dilation, 0)
    if dilation == 1:
        inner = [line, (taps[1] * channels, 4, 0, 0, 0)]
        words = packing.view_words([outs, inner], (1, height, width), channels, 1)
    else:
        inner = [line, (taps[1], dilation * near, 0, 0, dilation), (channels, 4, 0, 0, 0)]
        words = packing.view_words([outs, inner], (1, height, width), 0, 0)
    view = (ctypes.c_int64 * len(words))(*words)
    with mlir.library_context():
        _engine, addresses = parts.compiled(packing.functions(by, "f32_f32"))
    numbers = [ctypes.c_int64] * 7
    types = [ctypes.c_void_p, ctypes.c_void_p, *numbers, ctypes.c_void_p, ctypes.c_int64]
    pack = ctypes.CFUNCTYPE(None, *types)(addresses[packing.name("f32", F32)])

    rows, depth = expected.shape
    first, begin = int(random.integers(rows)), int(random.integers(depth))
    for q, p in (
        ((0, rows), (0, depth)),
        ((first, rows), (begin, depth)),
        ((0, first), (0, begin)),
    ):
        q_count, p_count = q[1] - q[0], p[1] - p[0]
        pitch = p_count + int(random.choice([0, 1, 40]))
        packed = guarded(np.full((q_count + 1, pitch), 7, np.float32), at_end=True)
        there = guarded(image, at_end=bool(seed % 2))
        corner = there.ctypes.data - int(low[0]) * far - int(low[1]) * near
        where = [0, -int(low[0]), -int(low[1]), *q, *p]
        pack(view, corner, *where, packed[1:].ctypes.data, 4 * pitch)
        np.testing.assert_array_equal(packed[1:, :p_count], expected[q[0] : q[1], p[0] : p[1]])
        assert (packed[0] == 7).all()


@pytest.mark.parametrize("by", TARGETS, ids=lambda by: by.name)
@pytest.mark.parametrize("source", ["bf16", "f16", "i8", "f32"])
def test_columns_that_become_rows(by: Target, source: str) -> None:
    """What is adjacent down the columns of a block: whole tiles, and less than one."""
    dtypes = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "i8": np.int8, "f32": np.float32}
    element = I32 if source == "i8" else F32
    with mlir.library_context():
        _engine, addresses = parts.compiled(packing.functions(by, f"{source}_{element.element}"))
    numbers = [ctypes.c_int64] * 7
    types = [ctypes.c_void_p, ctypes.c_void_p, *numbers, ctypes.c_void_p, ctypes.c_int64]
    pack = ctypes.CFUNCTYPE(None, *types)(addresses[packing.name(source, element)])
    random = np.random.default_rng(1)
    for columns, rows in ((32, 48), (17, 16), (16, 100), (3, 40), (40, 3), (33, 33), (1, 1)):
        matrix = random.integers(-99, 99, (columns, rows)).astype(dtypes[source])
        size = matrix.itemsize
        axes = [[(rows, size, 0, 0, 0)], [(columns, rows * size, 0, 0, 0)]]
        words = packing.view_words(axes, (1, 1, 1), 0, 0)
        view = (ctypes.c_int64 * len(words))(*words)
        turned = matrix.T.astype({"i32": np.int32, "f32": np.float32}[element.element])
        low = int(random.integers(rows))
        for q, p in (((0, rows), (0, columns)), ((low, rows), (columns // 2, columns))):
            pitch = p[1] - p[0] + 5
            packed = guarded(np.full((q[1] - q[0] + 1, pitch), 7, turned.dtype), at_end=True)
            there = guarded(matrix, at_end=True)
            to = packed[1:].ctypes.data
            pack(view, there.ctypes.data, 0, 0, 0, *q, *p, to, pitch * turned.itemsize)
            got = packed[1:, : p[1] - p[0]]
            np.testing.assert_array_equal(got, turned[q[0] : q[1], p[0] : p[1]])
            assert (packed[0] == 7).all()
