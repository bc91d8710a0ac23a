"""Random numbers. Bits, integers and choices must be equal; only floats have a bound."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from inputs import normal, random_key
from jax import lax
from jax_registry import Built, program

EXACT = "integers only: equal"


@program(rtol=1e-6, atol=1e-7, reason="bits are exact; erf_inv is good to a few ulp", lowered=True)
def random_normal(generator: np.random.Generator) -> Built:
    """Uniform and normal numbers from a split key."""

    def sample(key: jax.Array) -> Any:
        first, second = jax.random.split(key)
        return jax.random.uniform(first, (3, 7)), jax.random.normal(second, (5, 9))

    return sample, (random_key(generator),)


@program(rtol=0.0, atol=0.0, reason=EXACT)
def random_categorical(generator: np.random.Generator) -> Built:
    """Choices from unnormalised logits by the Gumbel trick."""

    def sample(key: jax.Array, logits: jax.Array) -> Any:
        return jax.random.categorical(key, logits, axis=-1, shape=(20, 4))

    return sample, (random_key(generator), normal(generator, 4, 6))


@program(rtol=0.0, atol=0.0, reason=EXACT)
def random_permutation(generator: np.random.Generator) -> Built:
    """A permutation of indices and of the rows of a matrix, and bounded integers."""

    def sample(key: jax.Array, rows: jax.Array) -> Any:
        first, second, third = jax.random.split(key, 3)
        order = jax.random.permutation(first, 17)
        return order, jax.random.permutation(second, rows), jax.random.randint(third, (8,), -5, 100)

    return sample, (random_key(generator), np.arange(24, dtype=np.int32).reshape(8, 3))


@program(rtol=0.0, atol=0.0, reason=EXACT)
def random_bits(generator: np.random.Generator) -> Built:
    """Bits and new states of stablehlo.rng_bit_generator, by both algorithms that JAX names."""

    def sample(key: jax.Array) -> Any:
        algorithms = (lax.RandomAlgorithm.RNG_THREE_FRY, lax.RandomAlgorithm.RNG_PHILOX)
        return [
            lax.rng_bit_generator(key, (3, 5), dtype=dtype, algorithm=algorithm)
            for algorithm in algorithms
            for dtype in (jnp.uint32, jnp.uint8)
        ]

    return sample, (generator.integers(0, 2**32, 4, dtype=np.uint32),)
