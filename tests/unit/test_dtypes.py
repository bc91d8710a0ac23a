"""Element types, tensor types, and constants to and from arrays.

What a constant holds is checked against MLIR's own reading of literals and against ml_dtypes;
round trips are compared bit by bit.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shlo_tools import dtypes, mlir, program
from shlo_tools.dtypes import ELEMENT_TYPES, UNKNOWN, ElementType, Kind, TensorType
from shlo_tools.errors import ShloError

Array = np.ndarray[Any, Any]

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


def every_value(element: ElementType) -> Array:
    """All bit patterns of a narrow type, a random sample of the others, NaNs included."""
    if element.is_boolean:
        return np.array([False, True, True])
    if element.bits <= 8:
        patterns = np.arange(2**element.bits, dtype=np.uint8)
        if element.kind is Kind.SIGNED:  # ml_dtypes wants sub-byte integers sign-extended
            patterns = ((patterns ^ (1 << element.bits - 1)) - (1 << element.bits - 1)).astype("u1")
        return patterns.view(element.dtype)
    if element.bits == 16:
        return np.arange(2**16, dtype=np.uint16).view(element.dtype)
    raw = np.random.default_rng(element.bits).integers(0, 256, 97 * element.bits // 8, np.uint8)
    return raw.view(element.dtype)


def same_bits(a: Array, b: Array, element: ElementType) -> bool:
    """Equal dtype, shape and bits; of sub-byte types only their own bits count."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    mask = (1 << element.bits) - 1 if element.bits < 8 else 255
    raw_a, raw_b = (np.ascontiguousarray(x).reshape(-1).view(np.uint8) & mask for x in (a, b))
    return bool(np.array_equal(raw_a, raw_b))


def through_text(attribute: mlir.Attribute) -> mlir.Attribute:
    return mlir.parse_attribute(str(attribute))


def through_bytecode(attribute: mlir.Attribute) -> mlir.Attribute:
    module = mlir.empty_module()
    module.operation.attributes["test.value"] = attribute
    read: Any = program.parse(program.to_bytecode(module)).operation.attributes["test.value"]
    return read  # type: ignore[no-any-return]


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


# --- constants ------------------------------------------------------------------------------------
@every_type
def test_every_value_round_trips(element: ElementType) -> None:
    values = every_value(element)
    with mlir.library_context():
        attribute = dtypes.to_attribute(values)
        assert str(attribute.type) == f"tensor<{values.size}x{element}>"
        for read in (attribute, through_text(attribute), through_bytecode(attribute)):
            assert same_bits(dtypes.from_attribute(read), values, element)


@every_type
def test_values_are_those_that_mlir_reads(element: ElementType) -> None:
    """The literal 1 is 1 in every type; a splat and a list of it are both read."""
    values: list[Any]
    if element.is_boolean:
        literals, values = ["true", "false"], [True, False]
    elif element.is_complex:
        literals, values = ["(1.0, -2.0)", "(0.5, 0.0)"], [1 - 2j, 0.5]
    elif element.is_float:
        literals, values = ["1.0", "2.0"], [1.0, 2.0]
    else:
        literals, values = ["1", "0"], [1, 0]
    wanted = np.array(values).astype(element.dtype)
    with mlir.library_context():
        listed = mlir.parse_attribute(f"dense<[{', '.join(literals)}]> : tensor<2x{element}>")
        assert same_bits(dtypes.from_attribute(listed), wanted, element)
        assert listed == dtypes.to_attribute(wanted)
        splat = mlir.parse_attribute(f"dense<{literals[0]}> : tensor<2x3x{element}>")
        full = np.full((2, 3), wanted[0])
        assert same_bits(dtypes.from_attribute(splat), full, element)
        assert splat == dtypes.to_attribute(full)


def test_signs_survive() -> None:
    """Signed values keep their sign and unsigned ones their top bit, at every width."""
    rows = {"i2": [-2, 1], "i4": [-8, 7], "i8": [-128, 127], "i16": [-(2**15), 1]}
    rows |= {"ui2": [3, 2], "ui4": [15, 8], "ui8": [255, 128], "ui64": [2**64 - 1, 2**63]}
    with mlir.library_context():
        for name, values in rows.items():
            text = f"dense<{values}> : tensor<2x{name}>"
            assert dtypes.from_attribute(mlir.parse_attribute(text)).tolist() == values
            array = np.array(values, ELEMENT_TYPES[name].dtype)
            assert str(dtypes.to_attribute(array)) == text


@every_type
@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0, 4)])
def test_nothing_round_trips(element: ElementType, shape: tuple[int, ...]) -> None:
    empty = np.zeros(shape, element.dtype)
    with mlir.library_context():
        attribute = dtypes.to_attribute(empty)
        for read in (attribute, through_text(attribute), through_bytecode(attribute)):
            assert same_bits(dtypes.from_attribute(read), empty, element)
        literal = mlir.parse_attribute(f"dense<> : {TensorType(shape, element)}")
        assert same_bits(dtypes.from_attribute(literal), empty, element)


@every_type
def test_a_scalar_round_trips(element: ElementType) -> None:
    one = np.ones((), element.dtype)
    with mlir.library_context():
        attribute = dtypes.to_attribute(one)
        assert str(attribute.type) == f"tensor<{element}>"
        assert same_bits(dtypes.from_attribute(attribute), one, element)


def test_layout_of_the_array_does_not_matter() -> None:
    values = np.arange(24, dtype=np.int32).reshape(4, 6)
    other_order = np.dtype(np.int32).newbyteorder()
    with mlir.library_context():
        wanted = dtypes.to_attribute(values)
        assert dtypes.to_attribute(np.asfortranarray(values)) == wanted
        assert dtypes.to_attribute(np.repeat(values, 2, axis=1)[:, ::2]) == wanted
        assert dtypes.to_attribute(values.astype(other_order)) == wanted
        assert dtypes.to_attribute(values[::-1, ::-1]) == dtypes.to_attribute(
            np.ascontiguousarray(values[::-1, ::-1])
        )
        read_only = values.copy()
        read_only.flags.writeable = False
        assert dtypes.to_attribute(read_only) == wanted


def test_what_is_read_is_a_copy() -> None:
    with mlir.library_context():
        attribute = mlir.parse_attribute("dense<[1, 2]> : tensor<2xi32>")
        first = dtypes.from_attribute(attribute)
        first[:] = 9
        assert dtypes.from_attribute(attribute).tolist() == [1, 2]


def test_a_given_element_type_converts() -> None:
    with mlir.library_context():
        attribute = dtypes.to_attribute(np.array([1.5, 2.5]), ELEMENT_TYPES["bf16"])
        assert str(attribute) == "dense<[1.500000e+00, 2.500000e+00]> : tensor<2xbf16>"


# --- resources ------------------------------------------------------------------------------------
def _resource(element: ElementType, values: Array, name: str = "big") -> str:
    """A program whose constant is a resource; the blob is the alignment, then the elements."""
    blob = (4).to_bytes(4, "little") + values.tobytes()
    type = f"tensor<{values.size}x{element}>"
    return f"""
        module attributes {{test.value = dense_resource<{name}> : {type}}} {{}}
        {{-# dialect_resources: {{ builtin: {{ {name}: "0x{blob.hex()}" }} }} #-}}
    """


@every_type
def test_resources_are_read(element: ElementType) -> None:
    values = every_value(element)[:50]
    module = program.load(_resource(element, values))
    with mlir.library_context():
        read: Any = module.operation.attributes["test.value"]
        assert same_bits(dtypes.from_attribute(read), values, element)


def test_resources_survive_bytecode() -> None:
    values = np.arange(7, dtype=np.float32)
    module = program.load(_resource(ELEMENT_TYPES["f32"], values))
    again = program.load(program.to_bytecode(module))
    with mlir.library_context():
        read: Any = again.operation.attributes["test.value"]
        assert dtypes.from_attribute(read).tolist() == values.tolist()


def test_two_resources_are_not_mixed_up() -> None:
    """One name is the beginning of the other."""
    short, long = np.array([1, 2], np.int32), np.array([3, 4], np.int32)
    for name, values in (("w", short), ("w_1", long), ("with.dot", short)):
        quoted = f'"{name}"' if "." in name else name
        module = program.load(_resource(ELEMENT_TYPES["i32"], values, quoted))
        with mlir.library_context():
            read: Any = module.operation.attributes["test.value"]
            assert dtypes.from_attribute(read).tolist() == values.tolist()


def test_a_resource_without_data_is_explained() -> None:
    with mlir.library_context():
        attribute = mlir.parse_attribute("dense_resource<gone> : tensor<4xf32>")
        with pytest.raises(ShloError, match="no data"):
            dtypes.from_attribute(attribute)


def test_a_resource_of_the_wrong_size_is_refused() -> None:
    text = _resource(ELEMENT_TYPES["f32"], np.arange(4, dtype=np.float32)).replace("4xf32", "5xf32")
    module = program.load(text)
    with mlir.library_context():
        read: Any = module.operation.attributes["test.value"]
        with pytest.raises(ShloError, match="bytes"):
            dtypes.from_attribute(read)


def test_sparse_attributes_are_read() -> None:
    texts = {
        "sparse<1, 5> : tensor<3xi32>": [0, 5, 0],
        "sparse<[[0, 1], [1, 0]], [2.5, -1.0]> : tensor<2x2xf32>": [[0, 2.5], [-1, 0]],
        "sparse<[[2], [0]], 7> : tensor<3xui8>": [7, 0, 7],
        "sparse<> : tensor<2xi8>": [0, 0],
    }
    with mlir.library_context():
        for text, values in texts.items():
            assert dtypes.from_attribute(mlir.parse_attribute(text)).tolist() == values


@pytest.mark.parametrize("text", ["array<i64: 1, 2>", '"word"'])
def test_what_is_not_dense_is_refused(text: str) -> None:
    with mlir.library_context(), pytest.raises(ShloError):
        dtypes.from_attribute(mlir.parse_attribute(text))


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
        held = official.element_type
        limits = (held.storage_type_min, held.storage_type_max)
    assert (element.storage_min, element.storage_max) == limits


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
