"""Matrix products: square, tiny, odd, skinny, batched, transposed, of integers and complex."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

from shlo_tools.tools.bench.jax_programs.registry import Built, normal, program, weights


@program(
    "matmul",
    tiny4=(4, 4, 4),
    tiny16=(16, 16, 16),
    square64=(64, 64, 64),
    square256=(256, 256, 256),
    square512=(512, 512, 512),
    square1024=(1024, 1024, 1024),
    odd=(127, 255, 513),
    prime=(31, 67, 101),
    skinny_rows=(8, 1024, 1024),
    skinny_columns=(1024, 1024, 8),
    three_columns=(65536, 16, 3),
    skinny_sums=(1024, 8, 1024),
    long_sums=(16, 65536, 16),
    vector_matrix=(1, 1024, 1024),
    bf16=(256, 256, 256, ml_dtypes.bfloat16),
    f64=(256, 256, 256, np.float64),
)
def matmul(
    generator: np.random.Generator, m: int, k: int, n: int, dtype: Any = np.float32
) -> Built:
    operands = (normal(generator, m, k, dtype=dtype), normal(generator, k, n, dtype=dtype))
    return jnp.matmul, operands


@program("matmul", square=(1024, 1024), odd=(1001, 703))
def matvec(generator: np.random.Generator, m: int, k: int) -> Built:
    return jnp.matmul, (normal(generator, m, k), normal(generator, k))


@program(
    "matmul",
    lhs=("ki,kj->ij", (512, 384), (512, 256)),
    rhs=("ik,jk->ij", (384, 512), (256, 512)),
    result=("ik,kj->ji", (384, 512), (512, 256)),
)
def transposed_matmul(
    generator: np.random.Generator, formula: str, lhs: tuple[int, ...], rhs: tuple[int, ...]
) -> Built:
    def product(x: jax.Array, y: jax.Array) -> jax.Array:
        return jnp.einsum(formula, x, y)

    return product, (normal(generator, *lhs), normal(generator, *rhs))


@program(
    "matmul",
    small=("bij,bjk->bik", (64, 32, 32), (64, 32, 32)),
    tiny=("bij,bjk->bik", (1000, 3, 3), (1000, 3, 3)),
    four=("bij,bjk->bik", (5000, 4, 4), (5000, 4, 4)),
    scores=("bqhd,bkhd->bhqk", (4, 128, 8, 64), (4, 128, 8, 64)),
    values=("bhqk,bkhd->bqhd", (4, 8, 128, 128), (4, 128, 8, 64)),
)
def batched_matmul(
    generator: np.random.Generator, formula: str, lhs: tuple[int, ...], rhs: tuple[int, ...]
) -> Built:
    def product(x: jax.Array, y: jax.Array) -> jax.Array:
        return jnp.einsum(formula, x, y)

    return product, (normal(generator, *lhs), normal(generator, *rhs))


@program("matmul", gelu=(256, 512, 512))
def dense_layer(generator: np.random.Generator, m: int, k: int, n: int) -> Built:
    def layer(x: jax.Array, kernel: jax.Array, bias: jax.Array) -> jax.Array:
        return jax.nn.gelu(x @ kernel + bias)

    return layer, (normal(generator, m, k), weights(generator, k, n), normal(generator, n))


@program("matmul", square=(512, 512, 512), odd=(33, 768, 1000))
def integer_matmul(generator: np.random.Generator, m: int, k: int, n: int) -> Built:
    """Quantized activations by weights that lie by rows."""

    def product(x: jax.Array, y: jax.Array) -> jax.Array:
        return jnp.einsum("ik,jk->ij", x, y, preferred_element_type=jnp.int32)

    x, y = (generator.integers(-128, 128, shape).astype(np.int8) for shape in ((m, k), (n, k)))
    return product, (x, y)


@program("matmul", covariance=(24, 600), square=(200, 200))
def complex_matmul(generator: np.random.Generator, channels: int, count: int) -> Built:
    """A matrix by its adjoint."""

    def product(real: jax.Array, imag: jax.Array) -> jax.Array:
        x = jax.lax.complex(real, imag)
        return x @ x.conj().T / count

    return product, (normal(generator, channels, count), normal(generator, channels, count))
