"""The operands that conformance cases run on: edges of every type, all against all, and noise."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np

from shlo_tools.dtypes import ELEMENT_TYPES

Array = np.ndarray[Any, Any]

SIGNED = ("i8", "i16", "i32", "i64")
UNSIGNED = ("ui8", "ui16", "ui32", "ui64")
INTEGERS = (*SIGNED, *UNSIGNED)
FLOATS = ("f16", "bf16", "f32", "f64")
COMPLEX = ("complex<f32>", "complex<f64>")
REAL = ("i1", *INTEGERS, *FLOATS)


def dtype(element: str) -> np.dtype[Any]:
    return ELEMENT_TYPES[element].dtype


def finfo(held: np.dtype[Any]) -> Any:
    """``ml_dtypes.finfo``, which knows the types of numpy too; it is untyped."""
    information: Any = ml_dtypes.finfo
    return information(held)


@cache
def edges(element: str) -> Array:
    """The values of an element type at which answers go wrong."""
    if element == "i1":
        return np.array([False, True])
    if element in COMPLEX:
        parts = [0.0, -0.0, 1.0, -1.0, 2.5, -0.75]
        return np.array([complex(a, b) for a, b in product(parts, parts)], dtype(element))
    if element in FLOATS:
        return _float_edges(element)
    info = np.iinfo(dtype(element))
    low = {info.min, info.min + 1, info.min // 2, -3, -2, -1, 0, 1, 2, 3, 5, 7}
    high = {info.max, info.max - 1, info.max // 2, info.max // 2 + 1, info.bits, info.bits - 1}
    values = sorted(v for v in low | high if info.min <= v <= info.max)
    return np.array(values, dtype(element))


def _float_edges(element: str) -> Array:
    info = finfo(dtype(element))
    tiny, normal = float(info.smallest_subnormal), float(info.smallest_normal)
    largest, eps = float(info.max), float(info.eps)
    magnitudes = [0.0, tiny, normal - tiny, normal, 0.25, 0.5, 1.0 - eps / 2, 1.0, 1.0 + eps]
    magnitudes += [1.5, 2.0, 2.5, 3.0, 1 / eps, largest / 2, largest, np.inf, np.nan]
    values = np.array(magnitudes).astype(dtype(element))
    return np.concatenate([values, -values])


@cache
def noise(element: str, count: int = 61, seed: int = 0) -> Array:
    """Random values of the whole range; the count is odd to leave a tail behind vectors."""
    random = np.random.default_rng([seed, *element.encode()])
    if element == "i1":
        return np.asarray(random.random(count) < 0.5)
    if element in COMPLEX:
        parts = random.normal(size=(2, count)) * 3
        return np.asarray(parts[0] + 1j * parts[1]).astype(dtype(element))
    if element in FLOATS:
        scale = 2.0 ** random.integers(-6, 7, count)
        return np.asarray(random.normal(size=count) * scale).astype(dtype(element))
    info = np.iinfo(dtype(element))
    return random.integers(info.min, info.max, count, dtype(element), endpoint=True)


@cache
def singles(element: str) -> Array:
    """Edges and noise."""
    return np.concatenate([edges(element), noise(element)])


@cache
def dense(element: str) -> Array:
    """All values of a 16-bit float; of a wider one random bit patterns and moderate numbers."""
    if element in ("f16", "bf16"):
        return np.arange(1 << 16, dtype=np.uint16).view(dtype(element))
    random = np.random.default_rng(5)
    bits = random.bytes(3000 * dtype(element).itemsize)
    moderate = np.concatenate([random.uniform(-1, 1, 1000), random.uniform(-120, 120, 2000)])
    parts = (edges(element), np.frombuffer(bits, dtype(element)), moderate.astype(dtype(element)))
    return np.concatenate(parts)


@cache
def pairs(element: str) -> tuple[Array, Array]:
    """Every edge with every edge, and noise with noise."""
    left, right = np.meshgrid(edges(element), edges(element), indexing="ij")
    first = np.concatenate([left.reshape(-1), noise(element)])
    return first, np.concatenate([right.reshape(-1), noise(element, seed=1)])


@cache
def triples(element: str) -> tuple[Array, Array, Array]:
    """Every combination of a few edges."""
    some = edges(element)
    if len(some) > 9:
        some = some[:: max(1, len(some) // 9)]
        if element in FLOATS:
            some = np.concatenate([some, np.array([np.nan, -0.0], dtype(element))])
    grids = np.meshgrid(some, some, some, indexing="ij")
    first, second, third = (grid.reshape(-1) for grid in grids)
    return first, second, third
