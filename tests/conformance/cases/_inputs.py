"""Recipes for operands: edges of every element type, noise, numbers that sum without rounding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np

from cases._types import COMPLEX, FLOAT, SIGNED, dtype_of, is_quantized
from shlo_tools.dtypes import ELEMENT_TYPES

Array = np.ndarray[Any, Any]


def finfo(element: str) -> Any:
    """``ml_dtypes.finfo``, which knows the types of numpy too; it is untyped."""
    information: Any = ml_dtypes.finfo
    return information(dtype_of(element))


def random(element: str, seed: int = 0) -> np.random.Generator:
    return np.random.default_rng([seed, *element.encode()])


@cache
def edges(element: str) -> Array:
    """The values at which answers go wrong; all values of a type of at most 8 bits."""
    if is_quantized(element):
        return np.array([-128, -127, -4, -3, -2, 0, 1, 5, 13, 29, 61, 126, 127], np.int8)
    if element in COMPLEX:
        parts = [0.0, -0.0, 1.0, -1.0, 2.5, -0.75, 1e-30]
        return np.array([complex(a, b) for a, b in product(parts, parts)], dtype_of(element))
    if element == "i1":
        return np.array([False, True])
    row = ELEMENT_TYPES[element]
    if row.bits <= 8:
        return _all_values(element)
    return _float_edges(element) if element in FLOAT else _integer_edges(element)


def _all_values(element: str) -> Array:
    row = ELEMENT_TYPES[element]
    bits = np.arange(1 << row.bits, dtype=np.uint8)
    if element in FLOAT:
        return bits.view(row.dtype)
    low = -(1 << (row.bits - 1)) if element in SIGNED else 0
    return (np.arange(1 << row.bits) + low).astype(row.dtype)


def _integer_edges(element: str) -> Array:
    info = np.iinfo(dtype_of(element))
    low = {info.min, info.min + 1, info.min // 2, -3, -2, -1, 0, 1, 2, 3, 5, 7}
    high = {info.max, info.max - 1, info.max // 2, info.max // 2 + 1, info.bits, info.bits - 1}
    values = sorted(v for v in low | high if info.min <= v <= info.max)
    return np.array(values, dtype_of(element))


def _float_edges(element: str) -> Array:
    info = finfo(element)
    tiny, normal = float(info.smallest_subnormal), float(info.smallest_normal)
    largest, eps = float(info.max), float(info.eps)
    magnitudes = [0.0, tiny, normal - tiny, normal, 0.25, 0.5, 1.0 - eps / 2, 1.0, 1.0 + eps]
    magnitudes += [1.5, 2.0, 2.5, 3.0, 8.0, 1 / eps, largest / 2, largest, np.inf, np.nan]
    values = np.array(magnitudes).astype(dtype_of(element))
    return np.concatenate([values, -values])


def filled(values: Array, shape: Sequence[int], seed: int = 0) -> Array:
    """As many of the values as the shape holds: all in order, then random ones."""
    count = math.prod(shape)
    more = np.random.default_rng(seed).integers(0, len(values), max(0, count - len(values)))
    chosen = np.concatenate([values[:count], values[more]]) if count else values[:0]
    return chosen.reshape(tuple(shape))


def at_edges(element: str, shape: Sequence[int], seed: int = 0) -> Array:
    """Edges in random order."""
    values = np.random.default_rng([seed, 7]).permutation(edges(element))
    return filled(values, shape, seed)


def pairs(element: str, most: int = 4096) -> tuple[Array, Array]:
    """Every edge with every edge; a random part of them where they are more than ``most``."""
    values = edges(element)
    left, right = (grid.reshape(-1) for grid in np.meshgrid(values, values, indexing="ij"))
    if len(left) > most:
        chosen = np.random.default_rng(3).choice(len(left), most, replace=False)
        left, right = left[chosen], right[chosen]
    return left, right


def moderate(element: str, shape: Sequence[int], seed: int = 0) -> Array:
    """Random numbers of the size that people compute with, fractions among them."""
    generator, shape = random(element, seed), tuple(shape)
    if element == "i1":
        return np.asarray(generator.random(shape) < 0.5)
    if is_quantized(element):
        return generator.integers(-60, 60, shape).astype(np.int8)
    if element in COMPLEX:
        held = generator.normal(size=shape) + 1j * generator.normal(size=shape)
        return np.asarray(2 * held).astype(dtype_of(element))
    if element == "f8E8M0FNU":  # powers of two only
        return np.asarray(2.0 ** generator.integers(-4, 5, shape)).astype(dtype_of(element))
    if element in FLOAT:
        return np.asarray(generator.normal(size=shape)).astype(dtype_of(element))
    return small(element, shape, seed, 9)


def small(element: str, shape: Sequence[int], seed: int = 0, most: int = 3) -> Array:
    """Random small integers, whose sums and products no order rounds."""
    generator, shape = random(element, seed + 100), tuple(shape)
    row = ELEMENT_TYPES["i8" if is_quantized(element) else element]
    if element == "i1":
        return np.asarray(generator.random(shape) < 0.5)
    if element == "f8E8M0FNU":
        return np.asarray(2.0 ** generator.integers(0, 2, shape)).astype(row.dtype)
    if element in COMPLEX:
        parts = [generator.integers(-most, most + 1, shape) for _ in range(2)]
        return np.asarray(parts[0] + 1j * parts[1]).astype(row.dtype)
    low = 0 if element.startswith("ui") else -most
    high = most
    if row.is_integer and row.bits < 8:
        high = min(high, (1 << (row.bits - (element in SIGNED))) - 1)
        low = max(low, -(1 << (row.bits - 1)) if element in SIGNED else 0)
    return np.asarray(generator.integers(low, high + 1, shape)).astype(row.dtype)
