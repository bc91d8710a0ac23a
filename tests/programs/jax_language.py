"""Parts of language models."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from inputs import dense, integers, normal, random_key
from jax import lax
from jax_registry import Built, program


def block_parameters(generator: np.random.Generator, width: int, inner: int) -> dict[str, Any]:
    """Parameters of one pre-norm transformer block."""
    return {
        "attention": {name: dense(generator, width, width) for name in ("q", "k", "v", "out")},
        "mlp": {"in": dense(generator, width, inner), "out": dense(generator, inner, width)},
        "norms": 1 + normal(generator, 2, width, scale=0.1),
    }


def apply_dense(layer: Any, x: jax.Array) -> jax.Array:
    """X @ w + b."""
    return x @ layer["w"] + layer["b"]


def layer_norm(scale: jax.Array, x: jax.Array) -> jax.Array:
    """Normalise the last dimension."""
    centred = x - jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.mean(centred**2, axis=-1, keepdims=True)
    return scale * centred * lax.rsqrt(variance + 1e-5)


def split_heads(x: jax.Array, heads: int) -> jax.Array:
    """[batch, time, width] -> [batch, heads, time, width / heads]."""
    batch, time, width = x.shape
    return x.reshape(batch, time, heads, width // heads).transpose(0, 2, 1, 3)


def attend(q: jax.Array, k: jax.Array, v: jax.Array, mask: jax.Array) -> jax.Array:
    """Attention over heads, which are merged again in the result."""
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / np.float32(np.sqrt(q.shape[-1]))
    weights = jax.nn.softmax(jnp.where(mask, scores, -1e30), axis=-1)
    mixed = jnp.einsum("bhqk,bhkd->bhqd", weights, v).transpose(0, 2, 1, 3)
    return mixed.reshape(*mixed.shape[:2], -1)


@program(
    rtol=2e-5,
    atol=4e-5,
    reason="f32 sums of up to 64 terms of order 1 through 10 layers",
    lowered=True,
)
def transformer_block(generator: np.random.Generator) -> Built:
    """A causal pre-norm block with exact GELU; its output and all its gradients.

    The gradient of the key bias is zero in exact arithmetic: only `atol` guards it.
    """

    def block(parameters: Any, x: jax.Array) -> jax.Array:
        attention, mlp = parameters["attention"], parameters["mlp"]
        normalised = layer_norm(parameters["norms"][0], x)
        q, k, v = (split_heads(apply_dense(attention[n], normalised), 4) for n in "qkv")
        mask = jnp.tril(jnp.ones((x.shape[1], x.shape[1]), bool))
        x = x + apply_dense(attention["out"], attend(q, k, v, mask))
        normalised = layer_norm(parameters["norms"][1], x)
        inner = jax.nn.gelu(apply_dense(mlp["in"], normalised), approximate=False)
        return x + apply_dense(mlp["out"], inner)

    def forward_and_backward(parameters: Any, x: jax.Array, cotangent: jax.Array) -> Any:
        output, pull_back = jax.vjp(block, parameters, x)
        return output, pull_back(cotangent)

    parameters = block_parameters(generator, 32, 64)
    return forward_and_backward, (
        parameters,
        normal(generator, 2, 8, 32),
        normal(generator, 2, 8, 32),
    )


@program(rtol=1e-5, atol=1e-5, reason="f32 sums of up to 32 terms of order 1 through two blocks")
def decoder_step(generator: np.random.Generator) -> Built:
    """One token through two blocks with a key-value cache, then top-k sampling."""
    batch, heads, length, width, vocabulary = 2, 2, 12, 16, 40

    def decode(
        parameters: Any, cache: Any, tokens: jax.Array, position: jax.Array, key: jax.Array
    ) -> Any:
        x = parameters["embedding"][tokens][:, None, :]
        x = x + lax.dynamic_slice_in_dim(parameters["positions"], position, 1)
        mask = jnp.arange(length) <= position
        new_cache = []
        for layer, (keys, values) in zip(parameters["blocks"], cache, strict=True):
            attention, mlp = layer["attention"], layer["mlp"]
            normalised = layer_norm(layer["norms"][0], x)
            q, k, v = (split_heads(apply_dense(attention[n], normalised), heads) for n in "qkv")
            keys = lax.dynamic_update_slice_in_dim(keys, k, position, axis=2)
            values = lax.dynamic_update_slice_in_dim(values, v, position, axis=2)
            x = x + apply_dense(attention["out"], attend(q, keys, values, mask))
            inner = jax.nn.silu(apply_dense(mlp["in"], layer_norm(layer["norms"][1], x)))
            x = x + apply_dense(mlp["out"], inner)
            new_cache.append((keys, values))
        logits = x[:, 0, :] @ parameters["embedding"].T
        best, candidates = lax.top_k(logits, 5)
        choice = jax.random.categorical(key, best / 0.8)
        sampled = jnp.take_along_axis(candidates, choice[:, None], axis=1)[:, 0]
        return sampled, candidates, best, new_cache

    shape = (batch, heads, length, width // heads)
    parameters = {
        "embedding": normal(generator, vocabulary, width),
        "positions": normal(generator, length, width, scale=0.3),
        "blocks": [block_parameters(generator, width, 32) for _ in range(2)],
    }
    cache = [(normal(generator, *shape), normal(generator, *shape)) for _ in range(2)]
    tokens = integers(generator, 0, vocabulary, batch)
    return decode, (parameters, cache, tokens, np.int32(7), random_key(generator))


@program(rtol=2e-6, atol=2e-6, reason="each gradient row sums at most 4 products of order 1")
def embedding_gradient(generator: np.random.Generator) -> Built:
    """Embedding lookup and its scatter-add gradient, with repeated and out-of-bounds indices."""

    def lookup(table: jax.Array, indices: jax.Array, weights: jax.Array) -> jax.Array:
        return jnp.sum(jnp.take(table, indices, axis=0, mode="clip") * weights, axis=1)

    def forward_and_backward(table: Any, indices: Any, weights: Any, cotangent: Any) -> Any:
        output, pull_back = jax.vjp(lambda t, w: lookup(t, indices, w), table, weights)
        return output, pull_back(cotangent)

    indices = np.array([[0, 3, 3, 19], [3, 25, -4, 7], [11, 7, 0, 2]], np.int32)
    arguments = (
        normal(generator, 20, 6),
        indices,
        normal(generator, 3, 4, 6),
        normal(generator, 3, 6),
    )
    return forward_and_backward, arguments
