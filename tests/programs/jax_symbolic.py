"""Programs exported once for all sizes: dimensions are symbols, and constraints on them."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from inputs import dense, normal
from jax import lax
from jax_networks import convolve
from jax_registry import Built, Symbolic, program


@program(
    rtol=2e-6,
    atol=2e-6,
    reason="f32 sums of up to 16 terms of order 1",
    symbolic=Symbolic(
        arguments=["b, 6"],
        shapes=[[(1, 6)], [(33, 6)], [(200, 6)]],
        refused=[[(0, 6)]],
    ),
)
def symbolic_mlp(generator: np.random.Generator) -> Built:
    """A network with two layers on a batch of any size."""
    first, second = dense(generator, 6, 16), dense(generator, 16, 3)

    def network(x: jax.Array) -> jax.Array:
        hidden = jax.nn.gelu(x @ first["w"] + first["b"])
        return jax.nn.softmax(hidden @ second["w"] + second["b"])

    return network, (normal(generator, 5, 6),)


@program(
    rtol=2e-6,
    atol=2e-6,
    reason="f32 sums of up to 20 terms of order 1, of which weights sum to 1",
    symbolic=Symbolic(
        arguments=["b, s, 8"] * 3,
        shapes=[[(1, 1, 8)] * 3, [(3, 16, 8)] * 3, [(2, 17, 8)] * 3],
        refused=[[(2, 3, 8), (2, 4, 8), (2, 3, 8)], [(0, 1, 8)] * 3],
    ),
)
def symbolic_attention(generator: np.random.Generator) -> Built:
    """Causal attention of queries, keys and values: two sizes that all of them share."""

    def attention(query: jax.Array, key: jax.Array, value: jax.Array) -> jax.Array:
        scores = jnp.einsum("bqd,bkd->bqk", query, key) * 8**-0.5
        size = query.shape[1]
        causal = jnp.arange(size)[:, None] >= jnp.arange(size)[None, :]
        weights = jax.nn.softmax(jnp.where(causal, scores, -jnp.inf))
        return jnp.einsum("bqk,bkd->bqd", weights, value)

    return attention, tuple(normal(generator, 2, 5, 8) for _ in range(3))


@program(
    rtol=1e-6,
    atol=1e-6,
    reason="f32 sums of up to 10 terms of order 1",
    symbolic=Symbolic(
        arguments=["b, d"],
        constraints=["mod(d, 4) == 0"],
        shapes=[[(1, 4)], [(2, 40)]],
        refused=[[(2, 6)], [(2, 0)]],
    ),
)
def symbolic_heads(generator: np.random.Generator) -> Built:
    """A dimension that is known to split into four parts."""

    def split(x: jax.Array) -> jax.Array:
        return x.reshape(x.shape[0], 4, x.shape[1] // 4).sum(axis=2)

    return split, (normal(generator, 3, 8),)


@program(
    rtol=2e-6,
    atol=4e-6,
    reason="f32 sums of up to 54 terms of order 1",
    symbolic=Symbolic(
        arguments=["b, h, w, 2"],
        constraints=["h >= 4", "w >= 4"],
        shapes=[[(2, 8, 8, 2)], [(1, 4, 13, 2)], [(3, 9, 4, 2)]],
        refused=[[(1, 3, 8, 2)], [(1, 8, 1, 2)]],
    ),
)
def symbolic_convolution(generator: np.random.Generator) -> Built:
    """A strided convolution of images of any height and width, and its largest values."""
    weights = normal(generator, 3, 3, 2, 6, scale=0.3)

    def network(images: jax.Array) -> Any:
        x = jax.nn.relu(convolve(images, weights, stride=2))
        window, strides = (1, 2, 2, 1), (1, 1, 1, 1)
        return lax.reduce_window(x, -jnp.inf, lax.max, window, strides, "VALID"), x.mean((1, 2))

    return network, (normal(generator, 1, 7, 6, 2),)


@program(
    rtol=2e-6,
    atol=4e-6,
    reason="f32 sums of 4 terms of order 1, up to twelve steps deep",
    symbolic=Symbolic(
        arguments=["t, b, 4", "b, 4"],
        shapes=[[(1, 1, 4), (1, 4)], [(12, 3, 4), (3, 4)]],
        refused=[[(2, 3, 4), (4, 4)], [(0, 3, 4), (3, 4)]],
    ),
)
def symbolic_scan(generator: np.random.Generator) -> Built:
    """A recurrent network: any number of steps, any number of rows."""
    weights = normal(generator, 4, 4, scale=0.5)

    def recurrent(xs: jax.Array, state: jax.Array) -> Any:
        def step(state: jax.Array, x: jax.Array) -> tuple[jax.Array, jax.Array]:
            state = jnp.tanh(state @ weights + x)
            return state, state.sum(axis=1)

        return lax.scan(step, state, xs)

    return recurrent, (normal(generator, 4, 2, 4), normal(generator, 2, 4))


@program(
    rtol=2e-6,
    atol=4e-6,
    reason="f32 sums of up to 40 terms of order 1",
    symbolic=Symbolic(
        arguments=["n, 3"],
        constraints=["n >= 2"],
        shapes=[[(2, 3)], [(40, 3)]],
        refused=[[(1, 3)]],
    ),
)
def symbolic_order(generator: np.random.Generator) -> Built:
    """Orders, cumulative sums, random bits, a part of a sequence: all as long as the argument."""

    def ordered(x: jax.Array) -> Any:
        noise = jax.random.uniform(jax.random.key(1), x.shape)
        best, places = lax.top_k(x[:, 0], 2)
        rest = lax.dynamic_slice_in_dim(x, 1, x.shape[0] - 1)
        return jnp.sort(x, axis=0), jnp.cumsum(x, axis=0), best, places, rest, x.at[0].add(noise[1])

    return ordered, (normal(generator, 5, 3),)
