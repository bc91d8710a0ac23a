"""Arrays of every element type."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from shlo_tools.dtypes import ELEMENT_TYPES

# Every element type of a StableHLO tensor but quantized ones, and the dtype whose values it has.
DTYPES: dict[str, Any] = {
    "i1": np.bool_,
    "i2": ml_dtypes.int2,
    "i4": ml_dtypes.int4,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "ui2": ml_dtypes.uint2,
    "ui4": ml_dtypes.uint4,
    "ui8": np.uint8,
    "ui16": np.uint16,
    "ui32": np.uint32,
    "ui64": np.uint64,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn,
    "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "f8E3M4": ml_dtypes.float8_e3m4,
    "f8E4M3": ml_dtypes.float8_e4m3,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "complex<f32>": np.complex64,
    "complex<f64>": np.complex128,
}


TYPES = [pytest.param(ELEMENT_TYPES[name], id=name) for name in DTYPES]
every_type = pytest.mark.parametrize("element", TYPES)
