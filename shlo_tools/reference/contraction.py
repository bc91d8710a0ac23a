"""Ops that multiply and sum: dot products."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from shlo_tools import time_limit
from shlo_tools.dtypes import ELEMENT_TYPES, Array, ElementType, TensorType
from shlo_tools.errors import UnsupportedError
from shlo_tools.ops.contraction import DotAlgorithm, Precision
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.conversion import converted, with_precision
from shlo_tools.reference.rounding import element_of, rounded, sticky_single

MOST = 1 << 27  # multiplications between two looks at the time


@evaluates
def dot_general(
    lhs: Array,
    rhs: Array,
    lhs_batching_dimensions: Sequence[int] = (),
    rhs_batching_dimensions: Sequence[int] = (),
    lhs_contracting_dimensions: Sequence[int] = (),
    rhs_contracting_dimensions: Sequence[int] = (),
    precision_config: Sequence[Precision] | None = None,
    *,
    algorithm: DotAlgorithm | None = None,
    result_types: list[TensorType] | None = None,
) -> Array:
    """Operands are rounded as an algorithm says; sums are kept in f64, which is no less exact."""
    element = result_types[0].element_type if result_types else element_of(lhs)
    if algorithm is not None:
        lhs, rhs = _prepared(algorithm, lhs, rhs, element)
    lhs_free = _others(lhs, lhs_batching_dimensions, lhs_contracting_dimensions)
    rhs_free = _others(rhs, rhs_batching_dimensions, rhs_contracting_dimensions)
    batch = [lhs.shape[d] for d in lhs_batching_dimensions]
    depth = math.prod(lhs.shape[d] for d in lhs_contracting_dimensions)
    rows = [lhs.shape[d] for d in lhs_free]
    columns = [rhs.shape[d] for d in rhs_free]
    left = np.transpose(lhs, [*lhs_batching_dimensions, *lhs_free, *lhs_contracting_dimensions])
    right = np.transpose(rhs, [*rhs_batching_dimensions, *rhs_contracting_dimensions, *rhs_free])
    product = multiplied(
        left.reshape(math.prod(batch), math.prod(rows), depth),
        right.reshape(math.prod(batch), depth, math.prod(columns)),
        element if algorithm is None else ELEMENT_TYPES["f64"],
    )
    return converted(product.reshape([*batch, *rows, *columns]), element)


def _prepared(
    algorithm: DotAlgorithm, lhs: Array, rhs: Array, element: ElementType
) -> tuple[Array, Array]:
    """The operands rounded to an algorithm's types of precision."""
    if any(type.is_complex for type in (element_of(lhs), element_of(rhs), element)):
        raise UnsupportedError("an algorithm for complex numbers")
    left, right = algorithm.precisions
    return to_precision(lhs, left), to_precision(rhs, right)


def to_precision(operand: Array, name: str) -> Array:
    """Numbers rounded to a float type, or to ``tf32``: f32 with 10 bits of mantissa."""
    if name == "tf32":
        return with_precision(sticky_single(operand), exponent_bits=8, mantissa_bits=10)
    return converted(operand, ELEMENT_TYPES[name])


def _others(array: Array, *used: Sequence[int]) -> list[int]:
    used_dimensions = {d for dimensions in used for d in dimensions}
    return [d for d in range(array.ndim) if d not in used_dimensions]


def multiplied(lhs: Array, rhs: Array, element: ElementType) -> Array:
    """Matrix products [b, m, k] x [b, k, n], summed more exactly than ``element`` and rounded.

    Products and sums are those of ``element``: integers wrap in its width, and operands of
    another type are converted first.
    """
    if element.is_boolean:
        return np.asarray(_product(lhs, rhs))
    if element.is_integer:
        return _integers(converted(lhs, element), converted(rhs, element), element)
    wide: Any = np.complex128 if element.is_complex else np.float64
    with np.errstate(all="ignore"):
        sums = _product(_as(lhs, wide), _as(rhs, wide))
        return rounded(sums + 0.0, element.dtype)  # which they start from: -0 is none


def _product(lhs: Array, rhs: Array) -> Array:
    """``np.matmul``, some rows at a time: between them a time limit is heard."""
    batch, count, depth = lhs.shape
    rows = max(1, MOST // max(1, batch * depth * rhs.shape[-1]))
    parts = []
    for start in range(0, max(1, count), rows):
        time_limit.check()
        parts.append(np.matmul(lhs[:, start : start + rows], rhs))
    return np.concatenate(parts, axis=1) if len(parts) > 1 else parts[0]


def wide_element(element: ElementType) -> ElementType:
    """What sums of products are kept in: integers wrap, so that their own width will do."""
    if element.is_float:
        return ELEMENT_TYPES["f64"]
    return ELEMENT_TYPES["complex<f64>"] if element.is_complex else element


def _as(array: Array, dtype: Any) -> Array:
    return np.ascontiguousarray(array.astype(dtype))


def _integers(lhs: Array, rhs: Array, element: ElementType) -> Array:
    """Through float64 products where those are exact, which BLAS computes; else by numpy."""
    depth = lhs.shape[-1]
    if element.bits <= 8 and depth < 1 << 36:
        exact = _product(_as(lhs, np.float64), _as(rhs, np.float64))
        return rounded(exact.astype(np.int64), element.dtype)
    if element.bits <= 32 and depth < 1 << 20:
        # The low half is exact in a float64 sum; of the high half only low bits remain.
        low = _as(lhs, np.int64) & 0xFFFF
        high = _as(lhs, np.int64) >> 16
        right = _as(rhs, np.float64)
        parts = [_product(_as(part, np.float64), right) for part in (low, high)]
        if all(np.all(np.abs(part) < 2.0**53) for part in parts):
            whole = parts[0].astype(np.int64) + (parts[1].astype(np.int64) << 16)
            return rounded(whole, element.dtype)
    wide = np.int64 if element.bits < 64 else element.dtype
    with np.errstate(over="ignore"):
        return rounded(_product(lhs.astype(wide), rhs.astype(wide)), element.dtype)
