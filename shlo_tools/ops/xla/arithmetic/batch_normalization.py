"""Batch normalisation.

Source: XLA's operation semantics, "BatchNormGrad", "BatchNormInference" and "BatchNormTraining".
"""

from __future__ import annotations

from shlo_tools import ops
from shlo_tools.ops.xla.arguments import xla_op
from shlo_tools.ops.xla.broadcasting import Operand, tensors_of
from shlo_tools.types import Tensor


@xla_op
def BatchNormGrad(
    operand: Operand,
    scale: Operand,
    mean: Operand,
    variance: Operand,
    grad_output: Operand,
    epsilon: float,
    feature_index: int,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of ``BatchNormTraining``: ``batch_norm_grad``.

    Args:
        operand: what was normalised.
        scale: one for each feature, as are ``mean`` and ``variance``.
        mean: that of the operand's features.
        variance: that of the operand's features.
        grad_output: the gradient of the result, of the operand's shape.
        epsilon: what was added to the variance.
        feature_index: the dimension that counts features.

    Returns:
        Gradients of ``operand``, ``scale`` and ``offset``.

    Raises:
        ShloError: shapes or element types do not fit.
    """
    x, gamma, mu, sigma, gradient = tensors_of(operand, scale, mean, variance, grad_output)
    return ops.batch_norm_grad(x, gamma, mu, sigma, gradient, epsilon, feature_index)


@xla_op
def BatchNormInference(
    operand: Operand,
    scale: Operand,
    offset: Operand,
    mean: Operand,
    variance: Operand,
    epsilon: float,
    feature_index: int,
) -> Tensor:
    """An array normalised by a mean and a variance for each feature: ``batch_norm_inference``.

    Args:
        operand: the array.
        scale: one for each feature, as are the next three.
        offset: what is added at last.
        mean: what is subtracted.
        variance: by the root of which is divided.
        epsilon: what is added to the variance.
        feature_index: the dimension that counts features.

    Raises:
        ShloError: shapes or element types do not fit.
    """
    x, gamma, beta, mu, sigma = tensors_of(operand, scale, offset, mean, variance)
    return ops.batch_norm_inference(x, gamma, beta, mu, sigma, epsilon, feature_index)


@xla_op
def BatchNormTraining(
    operand: Operand, scale: Operand, offset: Operand, epsilon: float, feature_index: int
) -> tuple[Tensor, Tensor, Tensor]:
    """An array normalised by its own mean and variance: ``batch_norm_training``.

    Args:
        operand: the array.
        scale: one for each feature.
        offset: one for each feature.
        epsilon: what is added to the variance.
        feature_index: the dimension that counts features.

    Returns:
        The normalised array; mean and variance of each feature.

    Raises:
        ShloError: shapes or element types do not fit.
    """
    x, gamma, beta = tensors_of(operand, scale, offset)
    return ops.batch_norm_training(x, gamma, beta, epsilon, feature_index)
