"""Elements as patterns of bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from shlo_tools.dtypes import Array, ElementType
from shlo_tools.reference.rounding import element_of


def unsigned(array: Array) -> Array:
    """The bits of each element as an unsigned integer of the element's storage."""
    bits = np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").reshape(array.shape)
    element = element_of(array)
    if element.bits < 8:
        bits = bits & np.uint8((1 << element.bits) - 1)
    return bits


def from_unsigned(bits: Array, dtype: np.dtype[Any]) -> Array:
    """Elements from their bits; the inverse of ``unsigned``."""
    return np.ascontiguousarray(bits).view(dtype).reshape(bits.shape)


def sign_bit(array: Array) -> Array:
    """Whether the top bit of each element is set, which is a sign in all types but f8E8M0FNU."""
    bits = unsigned(array)
    if element_of(array).name == "f8E8M0FNU":
        return np.zeros(bits.shape, np.bool_)
    top = bits.dtype.type(element_of(array).bits - 1)
    return np.asarray((bits >> top).astype(np.bool_))


def total_order(array: Array) -> Array:
    """Integers that compare as floats do in totalOrder: -NaN < -inf < ... < -0 < +0 < ... < NaN.

    The one NaN of a type without negative zero has its code, sign bit and all: it is a -NaN.
    """
    bits, name = unsigned(array), element_of(array).name
    if name == "f8E8M0FNU":
        return bits
    top = bits.dtype.type(1) << bits.dtype.type(element_of(array).bits - 1)
    every = top | (top - bits.dtype.type(1))
    keys = np.where(bits & top, bits ^ every, bits | top)
    if name.endswith("FNUZ"):
        return np.asarray(np.where(bits == top, -1, keys.astype(np.int16)))
    return np.asarray(keys)


def regrouped(array: Array, element: ElementType) -> Array:
    """The same bits cut into elements of another width, the lowest first (little-endian).

    A wider element takes the last dimension, a narrower one adds one.
    """
    old = element_of(array)
    if old.bits == element.bits >= 8:
        return np.ascontiguousarray(array).reshape(array.shape).view(element.dtype)
    if old.bits == element.bits:
        return (
            from_unsigned(unsigned(array), element.dtype)
            if array.size
            else _empty(array.shape, element)
        )
    if old.bits > element.bits:
        shape = (*array.shape, old.bits // element.bits)
    else:
        shape = array.shape[:-1]
    if 0 in shape:
        return _empty(shape, element)
    raw = np.ascontiguousarray(array).view(np.uint8).reshape(-1, array.dtype.itemsize)
    stream = np.unpackbits(raw, axis=1, bitorder="little")[:, : old.bits]
    groups = stream.reshape(-1, element.bits)
    packed = np.packbits(groups, axis=1, bitorder="little")
    return packed.reshape(-1).view(element.dtype).reshape(shape)


def _empty(shape: tuple[int, ...], element: ElementType) -> Array:
    return np.empty(shape, element.dtype)


def leading_zeros(array: Array) -> Array:
    """How many zero bits each integer has above its highest one."""
    width = element_of(array).bits
    rest = unsigned(array).astype(np.uint64)
    count = np.zeros(rest.shape, np.int64)
    for step in (32, 16, 8, 4, 2, 1):
        above = (rest >> np.uint64(step)) != 0
        count += np.where(above, step, 0)
        rest = np.where(above, rest >> np.uint64(step), rest)
    return np.asarray(np.where(unsigned(array) == 0, width, width - 1 - count))
