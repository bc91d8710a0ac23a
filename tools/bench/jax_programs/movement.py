"""What moves data: transposes, gathers, scatters, slices, sorts."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

from shlo_tools.tools.bench.jax_programs.registry import Built, integers, normal, program


@program(
    "transpose",
    square=((1024, 1024), (1, 0)),
    odd=((1001, 703), (1, 0)),
    thin=((100_000, 3), (1, 0)),
    heads=((8, 128, 12, 64), (0, 2, 1, 3)),
    channels=((16, 56, 56, 64), (0, 3, 1, 2)),
    reverse=((64, 65, 66), (2, 1, 0)),
    pixels=((2, 3, 32, 4, 32, 4), (0, 1, 3, 5, 2, 4)),
    mixed=((32, 2, 32, 8, 8, 16), (5, 0, 1, 3, 2, 4)),
    f64=((1024, 1024), (1, 0), np.float64),
    bf16=((1024, 1024), (1, 0), ml_dtypes.bfloat16),
)
def transpose(
    generator: np.random.Generator,
    shape: tuple[int, ...],
    permutation: tuple[int, ...],
    dtype: Any = np.float32,
) -> Built:
    def function(x: jax.Array) -> jax.Array:
        return jnp.transpose(x, permutation)

    return function, (normal(generator, *shape, dtype=dtype),)


@program("transpose")
def transpose_in_chain(generator: np.random.Generator) -> Built:
    def function(x: jax.Array, y: jax.Array) -> jax.Array:
        return jnp.tanh(x.T) * 2 + y

    return function, (normal(generator, 700, 900), normal(generator, 900, 700))


@program("transpose")
def concatenation(generator: np.random.Generator) -> Built:
    def function(x: jax.Array, y: jax.Array) -> jax.Array:
        joined = jnp.concatenate([x[:, ::2], jnp.pad(y, ((0, 0), (1, 2)))], axis=1)
        return joined[:, ::-1] * 3

    return function, (normal(generator, 512, 1024), normal(generator, 512, 509))


@program("embedding", wide=(512, 4096), narrow=(16, 100_000))
def gather(generator: np.random.Generator, width: int, count: int) -> Built:
    def function(table: jax.Array, ids: jax.Array) -> jax.Array:
        return jnp.take(table, ids, axis=0)

    return function, (normal(generator, 10_000, width), integers(generator, 10_000, count))


@program("embedding")
def take_along_rows(generator: np.random.Generator) -> Built:
    def function(x: jax.Array, ids: jax.Array) -> jax.Array:
        return jnp.take_along_axis(x, ids, axis=1)

    return function, (normal(generator, 512, 1000), integers(generator, 1000, 512, 100))


@program("embedding", wide=(512, 4096), narrow=(16, 100_000))
def scatter_add(generator: np.random.Generator, width: int, count: int) -> Built:
    def function(table: jax.Array, ids: jax.Array, rows: jax.Array) -> jax.Array:
        return table.at[ids].add(rows)

    table, ids = normal(generator, 10_000, width), integers(generator, 10_000, count)
    return function, (table, ids, normal(generator, count, width))


@program("embedding")
def segment_sums(generator: np.random.Generator) -> Built:
    """Rows added up by labels in any order."""

    def function(x: jax.Array, labels: jax.Array) -> jax.Array:
        return jax.ops.segment_sum(x, labels, 100)

    return function, (normal(generator, 20_000, 16), integers(generator, 100, 20_000))


@program("embedding")
def embedding_training(generator: np.random.Generator) -> Built:
    """The gradient of a table through a gather is a scatter."""

    def loss(table: jax.Array, ids: jax.Array, targets: jax.Array) -> jax.Array:
        return jnp.mean((jnp.take(table, ids, axis=0) - targets) ** 2)

    ids = integers(generator, 5_000, 1024)
    return jax.grad(loss), (normal(generator, 5_000, 128), ids, normal(generator, 1024, 128))


@program("sort", flat=((100_000,),), rows=((1000, 128),), long_rows=((64, 5000),))
def sort(generator: np.random.Generator, shape: tuple[int, ...]) -> Built:
    def function(x: jax.Array) -> jax.Array:
        return jnp.sort(x, axis=-1)

    return function, (normal(generator, *shape),)


@program("sort", flat=((100_000,),), columns=((512, 256), 0))
def argsort(generator: np.random.Generator, shape: tuple[int, ...], axis: int = -1) -> Built:
    def function(x: jax.Array) -> jax.Array:
        return jnp.argsort(x, axis=axis)

    return function, (normal(generator, *shape),)


@program("sort")
def top_values(generator: np.random.Generator) -> Built:
    def function(x: jax.Array) -> Any:
        return jax.lax.top_k(x, 10)

    return function, (normal(generator, 256, 5000),)
