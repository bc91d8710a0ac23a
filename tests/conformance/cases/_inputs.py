"""Recipes for operands: edges of every element type, all against all, noise, whole numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from cases._types import COMPLEX, FLOAT, INTEGER, SIGNED, dtype_of, finfo, is_quantized
from shlo_tools.dtypes import ELEMENT_TYPES

Array = np.ndarray[Any, Any]


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
    """Of integers the edges come first: small shapes hold no more."""
    row = ELEMENT_TYPES[element]
    if element in FLOAT:
        return np.arange(1 << row.bits, dtype=np.uint8).view(row.dtype)
    first = _integer_edges(element).astype(int)
    low = -(1 << (row.bits - 1)) if element in SIGNED else 0
    return np.concatenate([first, np.setdiff1d(np.arange(1 << row.bits) + low, first)]).astype(
        row.dtype
    )


def _integer_edges(element: str) -> Array:
    bits = ELEMENT_TYPES[element].bits
    least = -(1 << (bits - 1)) if element in SIGNED else 0
    most = least + (1 << bits) - 1
    low = {least, least + 1, least // 2, -3, -2, -1, 0, 1, 2, 3, 5, 7}
    high = {most, most - 1, most // 2, most // 2 + 1, bits, bits - 1}
    values = sorted(v for v in low | high if least <= v <= most)
    return np.array(values).astype(dtype_of(element))


def _float_edges(element: str) -> Array:
    info = finfo(dtype_of(element))
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


@cache
def noise(element: str, count: int = 61, seed: int = 0) -> Array:
    """Random values of the whole range; the count is odd to leave a tail behind vectors."""
    generator = random(element, seed)
    if element == "i1":
        return np.asarray(generator.random(count) < 0.5)
    if element in COMPLEX:
        parts = generator.normal(size=(2, count)) * 3
        return np.asarray(parts[0] + 1j * parts[1]).astype(dtype_of(element))
    if element in FLOAT:
        scale = 2.0 ** generator.integers(-6, 7, count)
        return np.asarray(generator.normal(size=count) * scale).astype(dtype_of(element))
    info = np.iinfo(dtype_of(element))
    return generator.integers(info.min, info.max, count, dtype_of(element), endpoint=True)


@cache
def singles(element: str) -> Array:
    """Edges and noise."""
    return np.concatenate([edges(element), noise(element)])


@cache
def dense(element: str) -> Array:
    """All values of a 16-bit float; of a wider one random bit patterns and moderate numbers."""
    if element in ("f16", "bf16"):
        return np.arange(1 << 16, dtype=np.uint16).view(dtype_of(element))
    generator = np.random.default_rng(5)
    bits = generator.bytes(3000 * dtype_of(element).itemsize)
    near = np.concatenate([generator.uniform(-1, 1, 1000), generator.uniform(-120, 120, 2000)])
    parts = (edges(element), np.frombuffer(bits, dtype_of(element)), near.astype(dtype_of(element)))
    return np.concatenate(parts)


@cache
def pairs(element: str, most: int = 4096) -> tuple[Array, Array]:
    """Every edge with every edge, and noise with noise; of bytes some of all pairs of values."""
    values = edges(element)
    if len(values) ** 2 <= most:
        left, right = _all_pairs(values)
        if is_quantized(element) or ELEMENT_TYPES[element].bits <= 8:
            return left, right
        return (
            np.concatenate([left, noise(element)]),
            np.concatenate([right, noise(element, seed=1)]),
        )
    left, right = _all_pairs(values)
    chosen = np.random.default_rng(3).choice(len(left), most, replace=False)
    left, right = left[chosen], right[chosen]
    if element in INTEGER:
        ends = _all_pairs(_integer_edges(element))
        left, right = np.concatenate([ends[0], left]), np.concatenate([ends[1], right])
    return left, right


def _all_pairs(values: Array) -> tuple[Array, Array]:
    left, right = np.meshgrid(values, values, indexing="ij")
    return left.reshape(-1), right.reshape(-1)


@cache
def triples(element: str) -> tuple[Array, Array, Array]:
    """Every combination of a few edges."""
    some = _integer_edges(element) if element in INTEGER else edges(element)
    if len(some) > 9:
        some = some[:: max(1, len(some) // 9)]
        if element in FLOAT:
            some = np.concatenate([some, np.array([np.nan, -0.0], dtype_of(element))])
    first, second, third = (grid.reshape(-1) for grid in np.meshgrid(*[some] * 3, indexing="ij"))
    return first, second, third


def moderate(element: str, shape: Sequence[int], seed: int = 0) -> Array:
    """Random numbers of the size that people compute with, fractions among them."""
    generator, shape = random(element, seed), tuple(shape)
    if element == "i1":
        return np.asarray(generator.random(shape) < 0.5)
    if is_quantized(element):
        return generator.integers(-60, 60, shape).astype(np.int8)
    if element in COMPLEX:
        array = generator.normal(size=shape) + 1j * generator.normal(size=shape)
        return np.asarray(2 * array).astype(dtype_of(element))
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
