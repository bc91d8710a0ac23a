"""Batch normalization, by the specification's formulas with digits to spare."""

from __future__ import annotations

import numpy as np

from shlo_tools.dtypes import Array
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.rounding import extended, rounded


def _stretched(vector: Array, operand: Array, feature_index: int) -> Array:
    """One number per feature, shaped to stretch to the operand."""
    shape = [1] * operand.ndim
    shape[feature_index] = -1
    return vector.reshape(shape)


def _others(operand: Array, feature_index: int) -> tuple[int, ...]:
    return tuple(d for d in range(operand.ndim) if d != feature_index)


@evaluates
def batch_norm_inference(
    operand: Array,
    scale: Array,
    offset: Array,
    mean: Array,
    variance: Array,
    epsilon: float,
    feature_index: int,
) -> Array:
    return _normalized(
        operand, scale, offset, extended(mean), extended(variance), epsilon, feature_index
    )


def _normalized(
    operand: Array,
    scale: Array,
    offset: Array,
    mean: Array,
    variance: Array,
    epsilon: float,
    feature_index: int,
) -> Array:
    """The result of the inference form; ``mean`` and ``variance`` have digits to spare."""
    vectors = (extended(scale), extended(offset), mean, variance)
    scales, offsets, means, variances = (
        _stretched(vector, operand, feature_index) for vector in vectors
    )
    with np.errstate(all="ignore"):
        normalized = (extended(operand) - means) / np.sqrt(variances + epsilon)
        return rounded(normalized * scales + offsets, operand.dtype)


@evaluates
def batch_norm_training(
    operand: Array, scale: Array, offset: Array, epsilon: float, feature_index: int
) -> tuple[Array, Array, Array]:
    wide, others = extended(operand), _others(operand, feature_index)
    with np.errstate(all="ignore"):
        count = wide.dtype.type(np.prod([operand.shape[d] for d in others], dtype=np.int64))
        mean = wide.sum(axis=others) / count
        centered = wide - mean.reshape([-1 if d == feature_index else 1 for d in range(wide.ndim)])
        variance = (centered * centered).sum(axis=others) / count
        means, variances = rounded(mean, operand.dtype), rounded(variance, operand.dtype)
    output = _normalized(operand, scale, offset, mean, variance, epsilon, feature_index)
    return output, means, variances


@evaluates
def batch_norm_grad(
    operand: Array,
    scale: Array,
    mean: Array,
    variance: Array,
    grad_output: Array,
    epsilon: float,
    feature_index: int,
) -> tuple[Array, Array, Array]:
    scales, means, variances = (
        _stretched(extended(vector), operand, feature_index) for vector in (scale, mean, variance)
    )
    gradient, others = extended(grad_output), _others(operand, feature_index)
    with np.errstate(all="ignore"):
        centered = extended(operand) - means
        deviation = np.sqrt(variances + epsilon)
        count = gradient.dtype.type(np.prod([operand.shape[d] for d in others], dtype=np.int64))
        total = gradient.sum(axis=others, keepdims=True)
        moment = (gradient * centered).sum(axis=others, keepdims=True)
        rest = gradient * count - total - moment * centered / (variances + epsilon)
        grad_operand = scales / deviation / count * rest
        grad_scale = (gradient * centered / deviation).sum(axis=others)
    dtype = operand.dtype
    offset = rounded(total.reshape(-1), dtype)
    return rounded(grad_operand, dtype), rounded(grad_scale, dtype), offset
