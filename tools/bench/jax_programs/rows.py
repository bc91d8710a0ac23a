"""What reduces: sums, softmax, normalisations, argmax, cumulative sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

from shlo_tools.tools.bench.jax_programs.registry import Built, normal, program


@program(
    "softmax",
    wide=((128, 4096),),
    square=((1024, 1024),),
    odd=((333, 257),),
    narrow=((10_000, 10),),
    middle=((64, 128, 96), 1),
)
def softmax(generator: np.random.Generator, shape: tuple[int, ...], axis: int = -1) -> Built:
    def function(x: jax.Array) -> jax.Array:
        return jax.nn.softmax(x, axis=axis)

    return function, (normal(generator, *shape),)


@program("softmax")
def masked_attention(generator: np.random.Generator) -> Built:
    def function(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * q.shape[-1] ** -0.5
        mask = jnp.tril(jnp.ones((q.shape[1], q.shape[1]), bool))
        return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(jnp.where(mask, scores, -1e9)), v)

    q, k, v = (normal(generator, 2, 256, 8, 64) for _ in range(3))
    return function, (q, k, v)


@program(
    "layernorm",
    f32=((512, 768), np.float32),
    narrow=((8192, 64), np.float32),
    odd=((77, 1023), np.float32),
    bf16=((512, 768), ml_dtypes.bfloat16),
)
def layernorm(generator: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> Built:
    def function(x: jax.Array, scale: jax.Array, shift: jax.Array) -> jax.Array:
        centred = x - jnp.mean(x, axis=-1, keepdims=True)
        variance = jnp.mean(centred * centred, axis=-1, keepdims=True)
        return centred * jax.lax.rsqrt(variance + jnp.asarray(1e-5, x.dtype)) * scale + shift

    scale, shift = (normal(generator, shape[-1], dtype=dtype) for _ in range(2))
    return function, (normal(generator, *shape, dtype=dtype), scale, shift)


@program("layernorm", batch=((16, 32, 32, 64), (0, 1, 2)), image=((8, 32, 32, 32), (2, 3)))
def normalization(
    generator: np.random.Generator, shape: tuple[int, ...], axes: tuple[int, ...]
) -> Built:
    """Mean and variance over dimensions of images."""

    def function(x: jax.Array) -> jax.Array:
        centred = x - jnp.mean(x, axis=axes, keepdims=True)
        return centred * jax.lax.rsqrt(jnp.var(x, axis=axes, keepdims=True) + 1e-5)

    return function, (normal(generator, *shape),)


@program("layernorm")
def groupnorm(generator: np.random.Generator) -> Built:
    def function(x: jax.Array) -> jax.Array:
        groups = x.reshape(*x.shape[:-1], 8, -1)
        centred = groups - jnp.mean(groups, axis=(1, 2, 4), keepdims=True)
        variance = jnp.var(groups, axis=(1, 2, 4), keepdims=True)
        return (centred * jax.lax.rsqrt(variance + 1e-5)).reshape(x.shape)

    return function, (normal(generator, 8, 16, 16, 64),)


@program("layernorm")
def rmsnorm(generator: np.random.Generator) -> Built:
    def function(x: jax.Array, scale: jax.Array) -> jax.Array:
        return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6) * scale

    return function, (normal(generator, 256, 2048), normal(generator, 2048))


@program(
    "sums",
    rows=((1024, 1024), 1),
    columns=((1024, 1024), 0),
    all=((1024, 1024), None),
    middle=((64, 128, 96), 1),
    ends=((64, 128, 96), (0, 2)),
    short_rows=((100_000, 7), 1),
    odd_columns=((5_003, 13), 0),
    rows_f64=((512, 1024), 1, np.float64),
    rows_bf16=((1024, 1024), 1, ml_dtypes.bfloat16),
)
def sums(
    generator: np.random.Generator, shape: tuple[int, ...], axis: Any, dtype: Any = np.float32
) -> Built:
    def function(x: jax.Array) -> jax.Array:
        return jnp.sum(x, axis=axis)

    return function, (normal(generator, *shape, dtype=dtype),)


@program("sums", logsumexp=(jax.nn.logsumexp,), variance=(jnp.var,), maximum=(jnp.max,))
def row(generator: np.random.Generator, reduce: Callable[..., jax.Array]) -> Built:
    def function(x: jax.Array) -> jax.Array:
        return reduce(x, axis=1)

    return function, (normal(generator, 1024, 1000),)


@program("sums")
def deviation(generator: np.random.Generator) -> Built:
    """Of all elements."""
    return jnp.std, (normal(generator, 1_000_000),)


@program("sums")
def similarities(generator: np.random.Generator) -> Built:
    """Cosines of pairs of rows."""

    def function(x: jax.Array, y: jax.Array) -> jax.Array:
        lengths = jnp.linalg.norm(x, axis=-1) * jnp.linalg.norm(y, axis=-1)
        return jnp.sum(x * y, axis=-1) / lengths

    return function, (normal(generator, 4096, 128), normal(generator, 4096, 128))


@program("argmax", rows=((1024, 1000), 1), columns=((1024, 1000), 0), all=((1024, 1000), None))
def argmax(generator: np.random.Generator, shape: tuple[int, ...], axis: Any) -> Built:
    def function(x: jax.Array) -> jax.Array:
        return jnp.argmax(x, axis=axis)

    return function, (normal(generator, *shape),)


@program("cumsum", rows=((1024, 1024), 1), columns=((1024, 1024), 0), flat=((1_000_000,), 0))
def cumsum(generator: np.random.Generator, shape: tuple[int, ...], axis: int) -> Built:
    def function(x: jax.Array) -> jax.Array:
        return jnp.cumsum(x, axis=axis)

    return function, (normal(generator, *shape),)


@program("cumsum")
def cumulative_logsumexp(generator: np.random.Generator) -> Built:
    def function(x: jax.Array) -> jax.Array:
        return jax.lax.cumlogsumexp(x, axis=1)

    return function, (normal(generator, 256, 512),)
