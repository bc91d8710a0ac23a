"""Convolutions with their gradients, and pooling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shlo_tools.tools.bench.jax_programs.registry import Built, normal, program, weights

_NHWC = ("NHWC", "HWIO", "NHWC")
_NCHW = ("NCHW", "OIHW", "NCHW")


def convolve(
    x: jax.Array, kernel: jax.Array, stride: int = 1, groups: int = 1, layout: Any = _NHWC
) -> jax.Array:
    """A convolution with SAME padding."""
    return lax.conv_general_dilated(
        x, kernel, (stride, stride), "SAME", dimension_numbers=layout, feature_group_count=groups
    )


# Batch, size, input channels, output channels, window, stride, groups.
_SHAPES: dict[str, tuple[int, ...]] = {
    "56x56x64": (1, 56, 64, 64, 3),
    "28x28x128": (1, 28, 128, 128, 3),
    "14x14x256": (1, 14, 256, 256, 3),
    "7x7x512": (1, 7, 512, 512, 3),
    "1x1": (1, 28, 256, 128, 1),
    "stride2": (1, 56, 64, 128, 3, 2),
    "1x1_stride2": (1, 56, 64, 128, 1, 2),
    "7x7_stride2": (1, 224, 3, 64, 7, 2),
    "batch": (16, 16, 32, 32, 3),
    "depthwise": (4, 56, 64, 64, 3, 1, 64),
    "grouped": (2, 28, 64, 64, 3, 1, 4),
}


@program("convolution", **_SHAPES)
def convolution(
    generator: np.random.Generator,
    batch: int,
    size: int,
    inputs: int,
    outputs: int,
    window: int,
    stride: int = 1,
    groups: int = 1,
) -> Built:
    def function(x: jax.Array, kernel: jax.Array) -> jax.Array:
        return convolve(x, kernel, stride, groups)

    kernel = weights(generator, window, window, inputs // groups, outputs)
    return function, (normal(generator, batch, size, size, inputs), kernel)


@program("convolution")
def convolution_channels_first(generator: np.random.Generator) -> Built:
    def function(x: jax.Array, kernel: jax.Array) -> jax.Array:
        return convolve(x, kernel, layout=_NCHW)

    return function, (normal(generator, 1, 64, 56, 56), normal(generator, 64, 64, 3, 3) / 24)


@program("convolution")
def convolution_1d(generator: np.random.Generator) -> Built:
    def function(x: jax.Array, kernel: jax.Array) -> jax.Array:
        return lax.conv_general_dilated(
            x, kernel, (1,), "SAME", rhs_dilation=(2,), dimension_numbers=("NWC", "WIO", "NWC")
        )

    return function, (normal(generator, 4, 1024, 64), weights(generator, 3, 64, 64))


@program("convolution", by_input=(0,), by_kernel=(1,), both=((0, 1),), strided=((0, 1), 2))
def convolution_gradient(generator: np.random.Generator, by: Any, stride: int = 1) -> Built:
    def loss(x: jax.Array, kernel: jax.Array) -> jax.Array:
        return jnp.sum(convolve(x, kernel, stride) ** 2)

    x, kernel = normal(generator, 4, 28, 28, 64), weights(generator, 3, 3, 64, 64)
    return jax.grad(loss, argnums=by), (x, kernel)


@program("convolution")
def depthwise_gradient(generator: np.random.Generator) -> Built:
    def loss(x: jax.Array, kernel: jax.Array) -> jax.Array:
        return jnp.sum(convolve(x, kernel, groups=32) ** 2)

    x, kernel = normal(generator, 2, 28, 28, 32), normal(generator, 3, 3, 1, 32)
    return jax.grad(loss, argnums=(0, 1)), (x, kernel)


def max_pool(x: jax.Array) -> jax.Array:
    """Overlapping 3x3 windows with stride 2."""
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")


def mean_pool(x: jax.Array) -> jax.Array:
    """2x2 windows side by side."""
    return lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4


def max_pool_gradient(x: jax.Array) -> jax.Array:
    """Each window's gradient goes to its maximum."""
    return jax.grad(lambda x: jnp.sum(max_pool(x) ** 2))(x)


@program("pooling", max=(max_pool,), mean=(mean_pool,), max_gradient=(max_pool_gradient,))
def pooling(generator: np.random.Generator, pool: Callable[[jax.Array], jax.Array]) -> Built:
    return pool, (normal(generator, 4, 56, 56, 64),)
