"""``bitcast_convert`` against numpy views; elements of part of a byte against their bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from batch import check, interpret, mismatch
from cases._case import Case, operation
from cases._tolerances import BITS

import shlo_tools
from shlo_tools.dtypes import ELEMENT_TYPES, ElementType
from shlo_tools.errors import ShloError

pytestmark = pytest.mark.usefixtures("unmapped_neighbours")

Array = np.ndarray[Any, Any]
PLAIN = [t for t in ELEMENT_TYPES.values() if t.name != "index"]
REAL = [t for t in PLAIN if not t.is_complex]


def _patterns(type: ElementType, count: int) -> list[int]:
    """Bit patterns of elements: all where they are few, else zeros, ones and noise."""
    if type.bits <= 8:
        return [(37 * i + 11) % (1 << type.bits) for i in range(count)]
    random = np.random.default_rng(type.bits)
    noise = [int.from_bytes(random.bytes(type.bits // 8), "little") for _ in range(count)]
    return [0, (1 << type.bits) - 1, *noise][:count]


def _array(patterns: list[int], type: ElementType, *shape: int) -> Array:
    """An array of the elements with these bits, each stored in whole bytes, low bits first."""
    raw = b"".join(pattern.to_bytes(type.dtype.itemsize, "little") for pattern in patterns)
    return np.frombuffer(raw, type.dtype).reshape(shape).copy()


def _case(source: ElementType, target: ElementType) -> Case:
    """Five elements of the wider type, from or to their parts."""
    wide, narrow = (source, target) if source.bits >= target.bits else (target, source)
    ratio = wide.bits // narrow.bits
    whole = _patterns(wide, 5)
    mask = (1 << narrow.bits) - 1
    parts = [(pattern >> (narrow.bits * i)) & mask for pattern in whole for i in range(ratio)]
    tail = [ratio] if wide.bits != narrow.bits else []
    arrays = _array(whole, wide, 5), _array(parts, narrow, 5, *tail)
    inputs, expected = arrays if source is wide else arrays[::-1]
    return operation("bitcast_convert", [inputs], expected, tolerance=BITS)


def _related(source: ElementType) -> list[ElementType]:
    """What it converts to: widths that divide each other, and complex only to complex."""
    alike = [t for t in PLAIN if t.is_complex == source.is_complex]
    return [t for t in alike if max(t.bits, source.bits) % min(t.bits, source.bits) == 0]


@pytest.mark.parametrize("source", PLAIN, ids=str)
def test_all_pairs(source: ElementType) -> None:
    check([_case(source, target) for target in _related(source)])


@pytest.mark.parametrize("source", [t for t in REAL if t.bits in (4, 8, 16)], ids=str)
def test_the_reference_agrees(source: ElementType) -> None:
    for target in _related(source):
        case = _case(source, target)
        assert case.expected and mismatch(case, interpret([case]), case.expected) == ""


def test_low_bits_come_first() -> None:
    """0x21 is the nibbles 1 and 2, the crumbs 1, 0, 2 and 0, the bits 1, 0, 0, 0, 0, 1, 0, 0."""
    byte = np.array([0x21], np.uint8)
    for name, parts in (("ui4", [1, 2]), ("ui2", [1, 0, 2, 0]), ("i1", [1, 0, 0, 0, 0, 1, 0, 0])):
        type = ELEMENT_TYPES[name]
        expected = _array(parts, type, 1, len(parts))
        check([operation("bitcast_convert", [byte], expected, tolerance=BITS)])
        check([operation("bitcast_convert", [expected], byte, tolerance=BITS)])


def test_the_example_of_the_specification() -> None:
    operand = np.array(0x0123456789ABCDEF, np.uint64).view(np.float64)
    parts = np.array([0xCDEF, 0x89AB, 0x4567, 0x0123], np.uint16)
    check([operation("bitcast_convert", [operand], parts.view(np.float16), tolerance=BITS)])
    check([operation("bitcast_convert", [parts.view(np.float16)], operand, tolerance=BITS)])


def test_complex_parts() -> None:
    """The real part in the low bits, each of its halves the low one first."""
    wide = np.array([[1.5 - 2j, np.pi + 1e300j]], np.complex128)
    parts = wide.view(np.complex64).reshape(1, 2, 2)
    check([operation("bitcast_convert", [wide], parts, tolerance=BITS)])
    check([operation("bitcast_convert", [parts], wide, tolerance=BITS)])


@pytest.mark.parametrize(("wide", "narrow"), [("i32", "i8"), ("f64", "f32"), ("i8", "i4")])
def test_nothing(wide: str, narrow: str) -> None:
    one, other = ELEMENT_TYPES[wide], ELEMENT_TYPES[narrow]
    empty = np.zeros((0, 3), one.dtype)
    parts = np.zeros((0, 3, one.bits // other.bits), other.dtype)
    check([operation("bitcast_convert", [empty], parts)])
    check([operation("bitcast_convert", [parts], empty)])


def test_inside_a_reduction() -> None:
    """A maximum of floats by their bits as integers, signs apart."""
    x = np.array([[1.5, 0.25, 7.0], [3.0, 2.0, 0.5]], np.float32)
    text = """func.func @main(%x: tensor<2x3xf32>) -> tensor<2xf32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.reduce(%x init: %zero) across dimensions = [1]
          : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
        reducer(%a: tensor<f32>, %b: tensor<f32>) {
          %1 = stablehlo.bitcast_convert %a : (tensor<f32>) -> tensor<ui32>
          %2 = stablehlo.bitcast_convert %b : (tensor<f32>) -> tensor<ui32>
          %3 = stablehlo.maximum %1, %2 : tensor<ui32>
          %4 = stablehlo.bitcast_convert %3 : (tensor<ui32>) -> tensor<f32>
          stablehlo.return %4 : tensor<f32>
        }
      return %0 : tensor<2xf32>
    }"""
    np.testing.assert_array_equal(shlo_tools.compile(text)(x), x.max(axis=1))


def test_parts_inside_a_reduction() -> None:
    """Ops on larger tensors inside: the bytes of a sum, joined again."""
    x = np.arange(6, dtype=np.int32).reshape(2, 3) * 100000
    text = """func.func @main(%x: tensor<2x3xi32>) -> tensor<2xi32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %0 = stablehlo.reduce(%x init: %zero) across dimensions = [1]
          : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
        reducer(%a: tensor<i32>, %b: tensor<i32>) {
          %1 = stablehlo.add %a, %b : tensor<i32>
          %2 = stablehlo.bitcast_convert %1 : (tensor<i32>) -> tensor<4xi8>
          %3 = stablehlo.bitcast_convert %2 : (tensor<4xi8>) -> tensor<i32>
          stablehlo.return %3 : tensor<i32>
        }
      return %0 : tensor<2xi32>
    }"""
    np.testing.assert_array_equal(shlo_tools.compile(text)(x), x.sum(axis=1))


def test_quantized_tensors_are_their_integers() -> None:
    quantized = "tensor<4x!quant.uniform<i8:f32, 0.5:3>>"
    text = f"""func.func @main(%x: tensor<4xui8>) -> tensor<4x2xi4> {{
      %0 = stablehlo.bitcast_convert %x : (tensor<4xui8>) -> {quantized}
      %1 = stablehlo.bitcast_convert %0 : ({quantized}) -> tensor<4x2xi4>
      return %1 : tensor<4x2xi4>
    }}"""
    x = np.array([0x21, 0xF0, 0x7F, 0x80], np.uint8)
    got = shlo_tools.compile(text)(x)
    expected = [[1, 2], [0, -1], [-1, 7], [0, -8]]
    np.testing.assert_array_equal(got.astype(np.int32), expected)


def test_complex_and_real_do_not_mix() -> None:
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<complex<f32>> {
      %0 = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<complex<f32>>
      return %0 : tensor<complex<f32>>
    }"""
    with pytest.raises(ShloError, match="real and complex"):
        shlo_tools.compile(text)
