"""Constants, parameters and element types."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xla_runs import check, ran, refused

from shlo_tools.ops import xla

# The document's array of Collapse and Reshape.
V = np.array(
    [
        [[row + column, row + column + 1, row + column + 2] for column in (0, 5)]
        for row in (10, 20, 30, 40)
    ],
    np.float32,
)
M = np.arange(12, dtype=np.float32).reshape(4, 3)


# --- constants ------------------------------------------------------------------------------------
@pytest.mark.parametrize("dimension", [0, 1])
@pytest.mark.parametrize("shape", ["s32[4,8]", "4x8xi32"])
def test_iota(dimension: int, shape: str) -> None:
    check(lambda: xla.Iota(shape, dimension), (), np.indices((4, 8))[dimension].astype(np.int32))


def test_iota_of_floats() -> None:
    check(lambda: xla.Iota("f32[5]"), (), np.arange(5, dtype=np.float32))
    assert "C1" in refused(lambda: xla.Iota("f32[5]", 1))


def test_constants() -> None:
    check(lambda: xla.ConstantR0(2.5, "f32"), (), np.float32(2.5))
    check(lambda: xla.ConstantR1([1, 2], "u8"), (), np.array([1, 2], np.uint8))
    check(lambda: xla.ConstantR2([[1, 2]], "bf16"), (), np.array([[1, 2]], ml_dtypes.bfloat16))
    check(lambda: xla.ConstantLiteral(V), (), V)
    check(lambda: xla.ConstantLiteral([[True]]), (), np.array([[True]]))
    assert "has rank 1" in refused(lambda: xla.ConstantR0([1]))
    assert "has rank 0" in refused(lambda: xla.ConstantR2(1))
    assert "is no i32" in refused(lambda: xla.ConstantR1([1.5], "s32"))


def test_parameters() -> None:
    check(lambda x, y: xla.Sub(xla.Parameter(1, "f32[4,3]", "y"), x), (M, M * 3), M * 2)
    assert "no argument 1 of 1" in refused(lambda x: xla.Parameter(1, "f32[]"), "f32")
    assert "is tensor<f32>, not" in refused(lambda x: xla.Parameter(0, "s32[]"), "f32")


# --- element types --------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("s8", np.int8),
        ("i8", np.int8),
        ("u64", np.uint64),
        ("ui64", np.uint64),
        ("F16", np.float16),
        ("bf16", ml_dtypes.bfloat16),
        ("f8e4m3fn", ml_dtypes.float8_e4m3fn),
        ("c64", np.complex64),
        ("complex<f64>", np.complex128),
        ("pred", np.bool_),
    ],
)
def test_convert_element_type(name: str, dtype: Any) -> None:
    a = np.array([0, 1, 2], np.int32)
    check(lambda x: xla.ConvertElementType(x, name), (a,), a.astype(dtype))


def test_an_element_type_of_no_name() -> None:
    assert "s7" in refused(lambda x: xla.ConvertElementType(x, "s7"), "3xf32")
    assert "element type f " in refused(lambda: xla.Iota("f[3]"))


def test_bitcast_convert_type() -> None:
    bits = np.array([0x3F800000, 0x40490FDB], np.uint32)
    check(lambda x: xla.BitcastConvertType(x, "f32"), (bits,), bits.view(np.float32))
    check(lambda x: xla.BitcastConvertType(x, "u8"), (bits,), bits.view(np.uint8).reshape(2, 4))
    halves = bits.view(np.uint16).reshape(2, 2)
    check(lambda x: xla.BitcastConvertType(x, "u32"), (halves,), bits)
    assert "C1" in refused(lambda x: xla.BitcastConvertType(x, "u32"), "3xui8")
    assert "C1" in refused(lambda x: xla.BitcastConvertType(x, "u32"), "ui8")


def test_reduce_precision() -> None:
    x = np.array([1 / 3, 1e30, 65504.0, np.nan], np.float32)
    with np.errstate(over="ignore"):
        expected = x.astype(np.float16).astype(np.float32)
    got = ran(lambda a: xla.ReducePrecision(a, 5, 10), x)
    np.testing.assert_array_equal(got, expected)
    assert "C2" in refused(lambda a: xla.ReducePrecision(a, 0, 10), "3xf32")
