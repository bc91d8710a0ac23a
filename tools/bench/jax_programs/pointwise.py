"""Elementwise chains, and random numbers, which are elementwise in their counters."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

from shlo_tools.tools.bench.jax_programs.registry import Built, integers, normal, program


@program(
    "elementwise",
    f32=(1_000_000, np.float32),
    small=(1_000, np.float32),
    odd=(100_003, np.float32),
    bf16=(1_000_000, ml_dtypes.bfloat16),
    f64=(1_000_000, np.float64),
)
def chain(generator: np.random.Generator, size: int, dtype: Any) -> Built:
    """Functions and arithmetic in turns."""

    def function(x: jax.Array, y: jax.Array) -> jax.Array:
        z = jnp.tanh(x) * y + jnp.log1p(x * x)
        return jnp.exp(-z * z) - jnp.sin(y) / (1 + jnp.abs(x))

    return function, (normal(generator, size, dtype=dtype), normal(generator, size, dtype=dtype))


@program("elementwise", f32=(4_000_000, np.float32), bf16=(4_000_000, ml_dtypes.bfloat16))
def saxpy(generator: np.random.Generator, size: int, dtype: Any) -> Built:
    def function(x: jax.Array, y: jax.Array) -> jax.Array:
        return x * jnp.asarray(0.5, x.dtype) + y

    return function, (normal(generator, size, dtype=dtype), normal(generator, size, dtype=dtype))


@program("elementwise", f32=(1024, 1024))
def gelu(generator: np.random.Generator, rows: int, columns: int) -> Built:
    def function(x: jax.Array, bias: jax.Array) -> jax.Array:
        return jax.nn.gelu(x + bias, approximate=False)

    return function, (normal(generator, rows, columns), normal(generator, columns))


@program("elementwise", i32=(1_000_000,))
def bit_mixing(generator: np.random.Generator, size: int) -> Built:
    def function(x: jax.Array, y: jax.Array) -> jax.Array:
        z = jnp.where((x ^ y) & 1 == 0, x * 5 + y, x - (y << 3))
        return z // 7 + z % 13

    return function, (integers(generator, 1 << 20, size), integers(generator, 1 << 20, size))


@program("random", million=(1_000_000,), thousand=(1_000,))
def random_normals(generator: np.random.Generator, size: int) -> Built:
    def function(key: jax.Array) -> jax.Array:
        return jax.random.normal(key, (size,))

    return function, (generator.integers(0, 2**32, 2, dtype=np.uint32),)


@program("random")
def random_uniforms(generator: np.random.Generator) -> Built:
    def function(key: jax.Array) -> jax.Array:
        return jax.random.uniform(key, (1000, 1000))

    return function, (generator.integers(0, 2**32, 2, dtype=np.uint32),)


@program("random")
def dropout(generator: np.random.Generator) -> Built:
    def function(key: jax.Array, x: jax.Array) -> jax.Array:
        return jnp.where(jax.random.bernoulli(key, 0.9, x.shape), x / 0.9, 0)

    key = generator.integers(0, 2**32, 2, dtype=np.uint32)
    return function, (key, normal(generator, 256, 1024))
