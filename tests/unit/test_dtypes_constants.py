"""Constants and resources: attributes to arrays and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from dtype_arrays import every_type

from shlo_tools import dtypes, mlir, program
from shlo_tools.dtypes import ELEMENT_TYPES, ElementType, Kind, TensorType
from shlo_tools.errors import ShloError

Array = np.ndarray[Any, Any]


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
    loaded: Any = program.parse(program.to_bytecode(module)).operation.attributes["test.value"]
    return loaded  # type: ignore[no-any-return]


# --- constants ------------------------------------------------------------------------------------
@every_type
def test_every_value_round_trips(element: ElementType) -> None:
    values = every_value(element)
    with mlir.library_context():
        attribute = dtypes.to_attribute(values)
        assert str(attribute.type) == f"tensor<{values.size}x{element}>"
        for loaded in (attribute, through_text(attribute), through_bytecode(attribute)):
            assert same_bits(dtypes.from_attribute(loaded), values, element)


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
    expected = np.array(values).astype(element.dtype)
    with mlir.library_context():
        listed = mlir.parse_attribute(f"dense<[{', '.join(literals)}]> : tensor<2x{element}>")
        assert same_bits(dtypes.from_attribute(listed), expected, element)
        assert listed == dtypes.to_attribute(expected)
        splat = mlir.parse_attribute(f"dense<{literals[0]}> : tensor<2x3x{element}>")
        full = np.full((2, 3), expected[0])
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
        for loaded in (attribute, through_text(attribute), through_bytecode(attribute)):
            assert same_bits(dtypes.from_attribute(loaded), empty, element)
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
        expected = dtypes.to_attribute(values)
        assert dtypes.to_attribute(np.asfortranarray(values)) == expected
        assert dtypes.to_attribute(np.repeat(values, 2, axis=1)[:, ::2]) == expected
        assert dtypes.to_attribute(values.astype(other_order)) == expected
        assert dtypes.to_attribute(values[::-1, ::-1]) == dtypes.to_attribute(
            np.ascontiguousarray(values[::-1, ::-1])
        )
        read_only = values.copy()
        read_only.flags.writeable = False
        assert dtypes.to_attribute(read_only) == expected


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
        attribute: Any = module.operation.attributes["test.value"]
        assert same_bits(dtypes.from_attribute(attribute), values, element)


def test_resources_survive_bytecode() -> None:
    values = np.arange(7, dtype=np.float32)
    module = program.load(_resource(ELEMENT_TYPES["f32"], values))
    again = program.load(program.to_bytecode(module))
    with mlir.library_context():
        attribute: Any = again.operation.attributes["test.value"]
        assert dtypes.from_attribute(attribute).tolist() == values.tolist()


def test_two_resources_are_not_mixed_up() -> None:
    """One name is the beginning of the other."""
    short, long = np.array([1, 2], np.int32), np.array([3, 4], np.int32)
    for name, values in (("w", short), ("w_1", long), ("with.dot", short)):
        quoted = f'"{name}"' if "." in name else name
        module = program.load(_resource(ELEMENT_TYPES["i32"], values, quoted))
        with mlir.library_context():
            attribute: Any = module.operation.attributes["test.value"]
            assert dtypes.from_attribute(attribute).tolist() == values.tolist()


def test_a_resource_without_data_is_explained() -> None:
    with mlir.library_context():
        attribute = mlir.parse_attribute("dense_resource<gone> : tensor<4xf32>")
        with pytest.raises(ShloError, match="no data"):
            dtypes.from_attribute(attribute)


def test_a_resource_of_the_wrong_size_is_refused() -> None:
    text = _resource(ELEMENT_TYPES["f32"], np.arange(4, dtype=np.float32)).replace("4xf32", "5xf32")
    module = program.load(text)
    with mlir.library_context():
        attribute: Any = module.operation.attributes["test.value"]
        with pytest.raises(ShloError, match="bytes"):
            dtypes.from_attribute(attribute)


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
