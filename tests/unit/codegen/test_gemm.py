"""Matrix products of the process library: all sizes, strides and ways, within their buffers."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Sequence
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from guarded import guarded

from shlo_tools.codegen import target
from shlo_tools.codegen.function import F32, F64, I32, Type
from shlo_tools.codegen.jobs import Word
from shlo_tools.codegen.library import pool
from shlo_tools.codegen.library.contractions import gemm, gemm_plan
from shlo_tools.cpu.process_library import parts

TYPES = {"f32": (F32, np.float32), "f64": (F64, np.float64)}
# Of B and of sums, where those differ.
MIXED = {
    "bf16": (ml_dtypes.bfloat16, F32, np.float32),
    "f16": (np.float16, F32, np.float32),
    "i8": (np.int8, I32, np.int32),
    "ui8": (np.uint8, I32, np.int32),
    "f32": (np.float32, F64, np.float64),
}


def multiply(
    element: Type,
    a: np.ndarray,
    b: np.ndarray,
    c: np.ndarray,
    source: str = "",
    *,
    packs: bool = False,
) -> bool:
    """C = A B for [batch, rows, columns] views; whether it is computed in this way."""
    (batch, rows, inner), columns = a.shape, b.shape[2]
    words: dict[str, Word] = {
        **{"A": a.ctypes.data, "B": b.ctypes.data, "C": c.ctypes.data},
        **{
            "M": rows,
            "N": columns,
            "K": inner,
            "outer": 1,
            "inner": batch,
            "A0": 0,
            "B0": 0,
            "C0": 0,
        },
        **{"a_row": a.strides[1], "a_k": a.strides[2], "b_k": b.strides[1], "b_n": b.strides[2]},
        **{"c_row": c.strides[1], "A1": a.strides[0], "B1": b.strides[0], "C1": c.strides[0]},
    }
    cut, _ = gemm_plan.parts_of(
        {name: word for name, word in words.items() if isinstance(word, int)}, packs=packs
    )
    nothing = np.nan if c.dtype.kind == "f" else 77
    sums = guarded(np.full((cut, rows, columns), nothing, c.dtype), at_end=True)
    if cut > 1:
        words |= {"C": sums.ctypes.data, "c_row": sums.strides[1]}
    plan = gemm_plan.plan(target.host(), element, words, source, packs=packs)
    if source and not plan.may_convert:
        return False
    packed = guarded(np.zeros(plan.room, np.uint8), at_end=True)
    context = plan.context(packed.ctypes.data)
    if plan.packs:
        run(element, "pack", context, plan.packs, source)
    run(element, plan.way, context, plan.chunks, source)
    if plan.is_own:  # what chunks pack for themselves is the same
        alone = c.copy()
        c[...] = nothing
        run(element, plan.way, plan.context(0), plan.chunks, source)
        np.testing.assert_array_equal(c, alone)
    if cut > 1:
        added = [sums.ctypes.data, c.ctypes.data, rows, columns, *c.strides[1:], cut]
        run(element, "add", added, rows)
    return True


def run(element: Type, part: str, words: Sequence[Word], chunks: int, source: str = "") -> None:
    """Chunks of a function of the library, the last one first."""
    context = (ctypes.c_int64 * len(words))(*words)
    address = parts.address(gemm.name(element, part, source))
    job = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)(address)
    for chunk in reversed(range(chunks)):
        job(ctypes.addressof(context), chunk, scratch().ctypes.data)


@cache
def scratch() -> np.ndarray:
    """What chunks work on, with what the last ones have left there."""
    return guarded(np.zeros(pool.SCRATCH_BYTES, np.uint8), at_end=True)


def check(
    name: str, shape: tuple[int, ...], ta: bool, tb: bool, at_end: bool, *, packs: bool = False
) -> None:
    element, dtype = TYPES[name]
    batch, rows, inner, columns = shape
    random = np.random.default_rng(hash(shape) % 1000)
    a: Any = random.standard_normal((batch, inner, rows) if ta else (batch, rows, inner))
    b: Any = random.standard_normal((batch, columns, inner) if tb else (batch, inner, columns))
    a, b = (guarded(matrix.astype(dtype), at_end=at_end) for matrix in (a, b))
    a, b = (a.transpose(0, 2, 1) if ta else a), (b.transpose(0, 2, 1) if tb else b)
    c = guarded(np.full((batch, rows, columns), np.nan, dtype), at_end=at_end)
    multiply(element, a, b, c, packs=packs)
    wide = [matrix.astype(np.float64) for matrix in (a, b)]
    bound = 4 * (inner + 1) * np.finfo(dtype).eps * (np.abs(wide[0]) @ np.abs(wide[1]))
    assert (np.abs(c - wide[0] @ wide[1]) <= bound).all()


SIZES = [
    *itertools.product([1], [1, 3, 7, 8, 9, 65], [0, 1, 17, 64], [1, 15, 33, 300]),
    *[(3, 5, 9, 40), (5, 70, 33, 65), (2, 64, 1100, 32), (1, 67, 1100, 32), (1, 130, 20, 8)],
    *[(70, 3, 3, 3), (67, 9, 2, 5), (1000, 8, 1, 1)],  # several matrices are a chunk
    *[(1, rows, 4099, columns) for rows, columns in ((1, 90), (8, 9), (17, 16), (67, 33))],
    *[(1, 1, 300_007, 1), (1, 16, 20_000, 3)],
    *[(1, rows, 4099, columns) for rows, columns in ((16, 300), (17, 300), (40, 257))],
    *[(1, 70, 8, 1000), (2, 131, 5, 203)],  # few terms: rows go by all columns
    # Panels by all rows: several blocks of K, columns and terms that are left, several matrices.
    *[(1, 24, 1100, 200), (2, 128, 65, 100), (1, 65, 300, 90), (9, 16, 20, 66), (1, 200, 600, 35)],
    *[(1, rows, 1100, 100) for rows in (2, 3, 4, 5)],
    *[(3, 5, 700, 70), (2, 6, 90, 200)],
]


@pytest.mark.parametrize("at_end", [False, True])
@pytest.mark.parametrize(("ta", "tb"), list(itertools.product([False, True], repeat=2)))
@pytest.mark.parametrize("name", TYPES)
def test_products(name: str, ta: bool, tb: bool, at_end: bool) -> None:
    """Right, and no access outside the matrices."""
    for shape in SIZES:
        check(name, shape, ta, tb, at_end)


@pytest.mark.parametrize("at_end", [False, True])
@pytest.mark.parametrize("name", TYPES)
def test_products_whose_second_factor_may_be_kept(name: str, at_end: bool) -> None:
    """Packed, although few rows would read it where it lies."""
    for rows in (1, 5, 6, 8, 9, 12, 15, 16):
        for inner, columns in ((33, 90), (700, 300), (4099, 300)):
            check(name, (1, rows, inner, columns), False, False, at_end, packs=True)


# Few rows, so that B is read where it lies or packed by chunks; enough columns and terms for both.
FEW_ROWS = [
    *itertools.product([1], [1, 2, 3, 5, 7, 8, 19], [0, 1, 65], [1, 9, 70, 300]),
    *[(1, 2, 1100, 70), (2, 5, 1030, 130), (1, 7, 2100, 333), (3, 33, 1100, 200), (1, 3, 4100, 40)],
    (1, 3, 2100, 4100),  # far more than caches keep
]


@pytest.mark.parametrize("tb", [False, True])
@pytest.mark.parametrize("name", MIXED)
def test_products_that_convert(name: str, tb: bool) -> None:
    """B has elements of another type; numbers are whole, so sums are exact in every order."""
    dtype, element, wide = MIXED[name]
    ways = 0
    for shape in FEW_ROWS:
        batch, rows, inner, columns = shape
        random = np.random.default_rng(sum(shape))
        a = random.integers(-3, 4, (batch, rows, inner)).astype(wide)
        b = random.integers(0, 4, (batch, columns, inner) if tb else (batch, inner, columns))
        b = guarded(b.astype(dtype), at_end=True)
        b = b.transpose(0, 2, 1) if tb else b
        c = guarded(np.full((batch, rows, columns), 77, wide), at_end=True)
        if multiply(element, guarded(a, at_end=True), b, c, name):
            np.testing.assert_array_equal(c, a.astype(np.int64) @ b.astype(np.int64))
            ways += 1
    assert ways > len(FEW_ROWS) / 2
