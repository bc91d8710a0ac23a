"""Random inputs of the recorded programs."""

from typing import Any

import numpy as np
from recording import Array


def normal(generator: np.random.Generator, *shape: int, scale: float = 1.0) -> Array:
    """Normal float32 values with standard deviation `scale`."""
    return (scale * generator.standard_normal(shape)).astype(np.float32)


def uniform(generator: np.random.Generator, low: float, high: float, *shape: int) -> Array:
    """Uniform float32 values between `low` and `high`."""
    return generator.uniform(low, high, shape).astype(np.float32)


def integers(generator: np.random.Generator, low: int, high: int, *shape: int) -> Array:
    """Uniform int32 values, `high` excluded."""
    return generator.integers(low, high, shape).astype(np.int32)


def random_key(generator: np.random.Generator) -> Array:
    """A raw threefry key: two uint32 words."""
    return generator.integers(0, 2**32, 2, dtype=np.uint32)


def dense(generator: np.random.Generator, inputs: int, outputs: int) -> dict[str, Any]:
    """Weights and bias of a dense layer that keeps the scale of its inputs."""
    weights = normal(generator, inputs, outputs, scale=inputs**-0.5)
    return {"w": weights, "b": normal(generator, outputs, scale=0.1)}
