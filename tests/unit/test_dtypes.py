"""Element types, tensor types, and constants to and from arrays.

What a constant holds is checked against MLIR's own reading of literals and against ml_dtypes;
round trips are compared bit by bit.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from dtype_arrays import DTYPES, every_type
from hypothesis import given
from hypothesis import strategies as st

from shlo_tools import dtypes, mlir
from shlo_tools.dtypes import ELEMENT_TYPES, UNKNOWN, ElementType, Kind, TensorType
from shlo_tools.errors import ShloError


# --- the table ------------------------------------------------------------------------------------
def test_the_table_is_complete() -> None:
    assert {*DTYPES, "index"} == set(ELEMENT_TYPES)


@every_type
def test_dtype_and_width(element: ElementType) -> None:
    assert element.dtype == np.dtype(DTYPES[element.name])
    assert dtypes.from_dtype(element.dtype) is element
    if element.is_float:
        limits: Any = ml_dtypes.finfo(element.dtype)  # type: ignore[no-untyped-call]
        assert element.bits == limits.bits
    elif element.is_integer:
        limits = ml_dtypes.iinfo(element.dtype)  # type: ignore[no-untyped-call]
        assert element.bits == limits.bits
        assert (limits.min < 0) == (element.kind is Kind.SIGNED)


@every_type
def test_mlir_knows_the_type(element: ElementType) -> None:
    with mlir.library_context():
        assert str(element.mlir()) == element.name
        assert dtypes.element_type(element.mlir()) is element


@pytest.mark.parametrize("name", ["i3", "i128", "tf32", "!quant.any<i8:f32>", ""])
def test_other_element_types_are_refused(name: str) -> None:
    with pytest.raises(ShloError, match="not supported"):
        dtypes.element_type(name)


@pytest.mark.parametrize("dtype", ["M8[s]", "O", "U3", np.dtype([("a", "i4")])])
def test_other_dtypes_are_refused(dtype: Any) -> None:
    with pytest.raises(ShloError, match="no element type"):
        dtypes.from_dtype(dtype)


def test_dtypes_of_either_byte_order_and_python_types() -> None:
    assert dtypes.from_dtype(">f4").name == "f32"
    assert dtypes.from_dtype(float).name == "f64"
    assert dtypes.from_dtype("bfloat16").name == "bf16"


# --- tensor types ---------------------------------------------------------------------------------
dims = st.one_of(st.just(UNKNOWN), st.integers(0, 2**40))


elements = st.sampled_from([ELEMENT_TYPES[name] for name in DTYPES])


@given(st.builds(TensorType, st.lists(dims, max_size=5).map(tuple), elements))
def test_tensor_types_print_and_parse(type: TensorType) -> None:
    assert dtypes.parse_tensor_type(str(type)) == type
    assert dtypes.parse_tensor_type(str(type)[len("tensor<") : -1]) == type
    with mlir.library_context():
        assert str(type.mlir()) == str(type)
        assert dtypes.tensor_type(type.mlir()) == type


def test_bounds_are_kept() -> None:
    text = "tensor<?x3xf32, #stablehlo.bounds<8, ?>>"
    with mlir.library_context():
        type = dtypes.tensor_type(mlir.parse_type(text))
        assert type.bounds == (8, None)
        assert str(type.mlir()) == str(type) == text
        assert dtypes.parse_tensor_type(str(type)) == type
        unbounded = dtypes.TensorType(type.shape, type.element_type, (None, None))
        assert str(unbounded.mlir()) == str(unbounded) == "tensor<?x3xf32>"


@pytest.mark.parametrize(
    "text", ["2x3", "x3xf32", "2x-1xf32", "tensor<*xf32>", "tensor<2xf32", "2x3xfoo", "", "f32x2"]
)
def test_what_is_no_tensor_type_is_refused(text: str) -> None:
    with pytest.raises(ShloError):
        dtypes.parse_tensor_type(text)


def test_sizes() -> None:
    type = dtypes.parse_tensor_type("2x3xcomplex<f64>")
    assert (type.rank, type.size, type.nbytes, type.is_static) == (2, 6, 96, True)
    dynamic = dtypes.parse_tensor_type("2x?xf32")
    assert not dynamic.is_static
    with pytest.raises(ShloError, match="unknown sizes"):
        assert dynamic.size
    assert dtypes.of_array(np.zeros((2, 0), ml_dtypes.bfloat16)) == TensorType(
        (2, 0), ELEMENT_TYPES["bf16"]
    )


def test_unknown_sizes_stay_unknown() -> None:
    results = [UNKNOWN + 1, 1 + UNKNOWN, UNKNOWN - 2, 2 - UNKNOWN, UNKNOWN * 3, 3 * UNKNOWN]
    results += [UNKNOWN // 2, 7 // UNKNOWN, UNKNOWN % 2, -UNKNOWN, UNKNOWN + UNKNOWN]
    assert all(result is UNKNOWN for result in results)


# --- quantized elements ---------------------------------------------------------------------------
QUANTIZED = [
    # MLIR's spelling, the arrays, the numbers, scales, zero points, least and largest integer
    ("4x!quant.uniform<i8:f32, 0.123456789012345:3>", "i8", "f32", (0.123456789012345,), (3,)),
    ("!quant.uniform<u4:bf16, 0.5>", "ui4", "bf16", (0.5,), (0,)),
    (
        "?x3x!quant.uniform<i16<-9:9>:f32:1, {0.1, 1.0e-30:-2, 3.0e+20:9}>",
        *("i16", "f32", (0.1, 1e-30, 3e20), (0, -2, 9)),
    ),
]


@pytest.mark.parametrize(("text", "storage", "expressed", "scales", "zero_points"), QUANTIZED)
def test_quantized_elements_are_read_as_mlir_reads_them(
    text: str, storage: str, expressed: str, scales: Any, zero_points: Any
) -> None:
    type = dtypes.parse_tensor_type(text)
    element = type.element_type
    assert isinstance(element, dtypes.QuantizedElementType)
    assert (element.storage.name, element.expressed.name) == (storage, expressed)
    assert (element.scales, element.zero_points) == (scales, zero_points)
    assert element.dtype == DTYPES[storage]
    assert type.storage_type == type.with_element(ELEMENT_TYPES[storage])
    assert type.expressed_type == type.with_element(ELEMENT_TYPES[expressed])
    with mlir.library_context():
        original = mlir.parse_type(f"tensor<{text}>")
        assert type.mlir() == original == mlir.parse_type(str(type))
        assert dtypes.tensor_type(original) == type
        official: Any = original
        array = official.element_type
        limits = (array.storage_type_min, array.storage_type_max)
    assert (element.storage_min, element.storage_max) == limits


@every_type
def test_integers_wrap_around_as_numpy_has_it(element: ElementType) -> None:
    if element.bits < 8 and element.is_integer:  # numpy has none
        numbers = range(1 << element.bits)
        wrapped = [element.wrapped(number - (5 << element.bits)) for number in numbers]
        half = 1 << (element.bits - 1)
        below = half if element.kind is Kind.SIGNED else 0
        assert wrapped == [n if not below or n < half else n - 2 * half for n in numbers]
    elif element.is_integer:
        numbers = np.array([2**62 + 300, -(2**63), -1, 0, 255, 1 << 31, -129], np.int64)
        expected = numbers.astype(element.dtype).tolist()
        assert [element.wrapped(number) for number in numbers.tolist()] == expected


def test_other_types_hold_themselves() -> None:
    type = dtypes.parse_tensor_type("2x3xf32")
    assert type.storage_type is type
    assert type.expressed_type is type


def test_scales_of_blocks_are_no_element_type() -> None:
    blocks = "tensor<2x4x!quant.uniform<i8:f32:{0:1, 1:2}, {{0.5,0.5},{0.25,1.0}}>>"
    with pytest.raises(ShloError, match="per tensor or per axis"):
        dtypes.parse_tensor_type(blocks)
    assert not dtypes.holds_elements(blocks)
    assert not dtypes.holds_elements("tensor<4x!quant.uniform<i5:f32, 0.5>>")
