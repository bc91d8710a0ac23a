"""Between integers and the numbers that they stand for, as StableHLO ops.

``dequantize`` and ``quantize`` are the specification's, with one difference: the zero point is
subtracted in a wider integer, because 127 - (-128) does not fit into i8.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from shlo_tools import ops
from shlo_tools.dtypes import Array, ElementType, QuantizedElementType, element_type
from shlo_tools.ops import Tensor
from shlo_tools.passes.normalize.legalize_chlo.formula import constant
from shlo_tools.passes.normalize.shape_operands import spread


def dequantize(stored: Tensor, type: QuantizedElementType) -> Tensor:
    """(integer - zero point) * scale."""
    if any(type.zero_points):
        wide = element_type("i64" if type.storage.bits > 16 else "i32")
        zero_points = np.asarray(type.zero_points).astype(wide.dtype)
        stored = _converted(stored, wide)
        stored = stored - _spread(zero_points, type.axis, stored)
    numbers = _converted(stored, type.expressed)
    scales = np.asarray(type.scales).astype(type.expressed.dtype)
    return numbers * _spread(scales, type.axis, numbers)


def quantize(numbers: Tensor, type: QuantizedElementType) -> Tensor:
    """number / scale + zero point, clamped to the storage range, rounded to even."""
    dtype = type.expressed.dtype
    scales = np.asarray(type.scales).astype(dtype)
    shifted = numbers / _spread(scales, type.axis, numbers)
    if any(type.zero_points):
        with np.errstate(over="ignore"):
            zero_points = np.asarray(type.zero_points).astype(dtype)
        shifted = shifted + _spread(zero_points, type.axis, numbers)
    with np.errstate(over="ignore"):  # a bound beyond the expressed type's range bounds nothing
        low, high = (
            ops.constant(np.asarray(bound).astype(dtype))
            for bound in (type.storage_min, type.storage_max)
        )
    whole = ops.round_nearest_even(ops.clamp(low, shifted, high))
    return ops.convert(whole, numbers.type.with_element(type.storage))


def round_trips(type: QuantizedElementType) -> bool:
    """Whether quantizing what was dequantized is certain to give every integer back.

    Integers then also compare as their numbers do. The product and the quotient with a scale
    and the sum with a zero point are each off by half a unit in the last place; together that
    stays below one half, as rounding needs, if numbers are three bits more precise than
    integers. Denormal products are exact, as multiples of a denormal scale. None may overflow.
    """
    finfo: Any = ml_dtypes.finfo
    limits = finfo(type.expressed.dtype)
    bits = type.storage.bits
    return (
        type.storage_max - type.storage_min == (1 << bits) - 1
        and bits + 3 <= limits.nmant + 1
        and max(type.scales) * 2.0**bits <= float(limits.max)
    )


def _converted(operand: Tensor, element: ElementType) -> Tensor:
    if operand.element_type == element:
        return operand
    return ops.convert(operand, operand.type.with_element(element))


def _spread(values: Array, axis: int | None, like: Tensor) -> Tensor:
    """One value, or one per index of ``axis``, as a tensor of the shape of ``like``."""
    type = like.type
    if axis is None and type.is_static:
        return constant(values[0], type).tensor
    parameters = ops.constant(values[0] if axis is None else values)
    if axis is not None and type.is_static and type.rank == 1:
        return parameters
    return spread(parameters, [] if axis is None else [axis], like)
