"""Batch normalization: each feature's elements shifted and scaled to mean 0 and variance 1."""

from __future__ import annotations

from shlo_tools.constraints import every, meet_all, require, same, same_baseline
from shlo_tools.ops._attributes import F32
from shlo_tools.ops._op import op
from shlo_tools.ops.traits import Trait
from shlo_tools.types import Tensor


@op(traits=Trait.ARITHMETIC)
def batch_norm_inference(
    operand: Tensor,
    scale: Tensor,
    offset: Tensor,
    mean: Tensor,
    variance: Tensor,
    epsilon: F32,
    feature_index: int,
) -> Tensor:
    """``scale * (operand - mean) / sqrt(variance + epsilon) + offset``, per feature."""
    _per_feature(operand, feature_index, scale, offset, mean, variance)
    return operand.like()


@op(traits=Trait.ARITHMETIC)
def batch_norm_training(
    operand: Tensor, scale: Tensor, offset: Tensor, epsilon: F32, feature_index: int
) -> tuple[Tensor, Tensor, Tensor]:
    """The operand normalized by its own mean and (biased) variance, and those two."""
    statistics = _per_feature(operand, feature_index, scale, offset)
    return operand.like(), statistics, statistics


@op(traits=Trait.ARITHMETIC)
def batch_norm_grad(
    operand: Tensor,
    scale: Tensor,
    mean: Tensor,
    variance: Tensor,
    grad_output: Tensor,
    epsilon: F32,
    feature_index: int,
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients of ``batch_norm_training`` for its operand, scale and offset."""
    gradient = _per_feature(operand, feature_index, scale, mean, variance)
    return (
        meet_all([operand.like(), grad_output.like(element_type=operand.element_type)]),
        gradient,
        gradient,
    )


def _per_feature(operand: Tensor, feature_index: int, *vectors: Tensor) -> Tensor:
    """Check the common constraints; the most exact type of the per-feature tensors."""
    require("C1", 0 <= feature_index < operand.rank, f"dimension {feature_index}")
    element = operand.element_type
    require("I1", element.is_float or element.is_quantized, f"element type {element}")
    alike = all(same_baseline(vector.element_type, element) for vector in vectors)
    require("C2", alike, "element types differ")
    require("I2", all(vector.rank == 1 for vector in vectors), "a vector has not rank 1")
    features = operand.shape[feature_index]
    fits = every(same(vector.shape[0], features) for vector in vectors)
    require("C3", fits, f"a vector has not size {features}")
    rows = [vector.like(element_type=element) for vector in vectors]
    return meet_all([operand.like(shape=[features]), *rows])
