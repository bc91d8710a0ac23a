"""Batch normalisation is the document's formulas, and its gradients are their slopes."""

from __future__ import annotations

from typing import Any

import numpy as np
from xla_runs import close, ran

from shlo_tools.ops import xla

RNG = np.random.default_rng(1)

X = RNG.normal(size=(5, 3, 4))
SCALE, OFFSET = RNG.normal(size=3), RNG.normal(size=3)
MEAN, VARIANCE = X.mean(axis=(0, 2)), X.var(axis=(0, 2))


def along(vector: Any) -> Any:
    return vector[None, :, None]


def test_batch_norm_inference_and_training() -> None:
    expected = (X - along(MEAN)) / np.sqrt(along(VARIANCE) + 0.5) * along(SCALE) + along(OFFSET)
    close(
        lambda *tensors: xla.BatchNormInference(*tensors, 0.5, 1),
        (X, SCALE, OFFSET, MEAN, VARIANCE),
        expected,
    )
    close(
        lambda *tensors: xla.BatchNormTraining(*tensors, 0.5, 1),
        (X, SCALE, OFFSET),
        (expected, MEAN, VARIANCE),
    )


def test_batch_norm_grad() -> None:
    """The gradients are those of the normalised array, by differences."""
    gradient = RNG.normal(size=X.shape)

    def loss(x: Any, scale: Any) -> Any:
        mean, variance = x.mean(axis=(0, 2)), x.var(axis=(0, 2))
        y = (x - along(mean)) / np.sqrt(along(variance) + 0.5) * along(scale)
        return (y * gradient).sum()

    got = ran(
        lambda *tensors: xla.BatchNormGrad(*tensors, 0.5, 1), X, SCALE, MEAN, VARIANCE, gradient
    )
    step = 1e-6
    for index in ((0, 0, 0), (3, 1, 2), (4, 2, 3)):
        moved = np.zeros_like(X)
        moved[index] = step
        slope = (loss(X + moved, SCALE) - loss(X - moved, SCALE)) / (2 * step)
        np.testing.assert_allclose(got[0][index], slope, rtol=1e-6, atol=1e-8)
    for feature in range(3):
        turned = np.zeros(3)
        turned[feature] = step
        slope = (loss(X, SCALE + turned) - loss(X, SCALE - turned)) / (2 * step)
        np.testing.assert_allclose(got[1][feature], slope, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(got[2], gradient.sum(axis=(0, 2)), rtol=1e-12)
