"""Networks: forward, backward and a step of training."""

from __future__ import annotations

import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shlo_tools.tools.bench.jax_programs.images import convolve, max_pool
from shlo_tools.tools.bench.jax_programs.registry import (
    Built,
    integers,
    normal,
    program,
    weights,
)


def cross_entropy(logits: jax.Array, labels: jax.Array) -> jax.Array:
    """The mean over all labels."""
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], axis=-1)
    return -jnp.mean(picked)


@program("training", small=(32, 64), large=(128, 512))
def mlp_training(generator: np.random.Generator, batch: int, width: int) -> Built:
    """A step of gradient descent with momentum."""

    def loss(layers: Any, x: jax.Array, labels: jax.Array) -> jax.Array:
        for kernel, bias in layers[:-1]:
            x = jax.nn.relu(x @ kernel + bias)
        return cross_entropy(x @ layers[-1][0] + layers[-1][1], labels)

    def step(layers: Any, speeds: Any, x: jax.Array, labels: jax.Array) -> Any:
        value, gradients = jax.value_and_grad(loss)(layers, x, labels)
        speeds = jax.tree.map(lambda s, g: 0.9 * s + g, speeds, gradients)
        return value, jax.tree.map(lambda w, s: w - 0.1 * s, layers, speeds), speeds

    sizes = [width, width, width, 10]
    layers = [
        (weights(generator, a, b), np.zeros(b, np.float32)) for a, b in itertools.pairwise(sizes)
    ]
    speeds = [(np.zeros_like(kernel), np.zeros_like(bias)) for kernel, bias in layers]
    return step, (layers, speeds, normal(generator, batch, width), integers(generator, 10, batch))


def _layernorm(x: jax.Array, scale: jax.Array) -> jax.Array:
    centred = x - jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.mean(centred * centred, axis=-1, keepdims=True)
    return centred * lax.rsqrt(variance + 1e-5) * scale


def _block(layer: Any, x: jax.Array, heads: int) -> jax.Array:
    """Causal attention and an MLP, normalised before each."""
    batch, length, width = x.shape
    q, k, v = jnp.split(_layernorm(x, layer["n1"]) @ layer["qkv"], 3, axis=-1)
    q, k, v = (y.reshape(batch, length, heads, width // heads) for y in (q, k, v))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * (width // heads) ** -0.5
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v).reshape(x.shape)
    x = x + mixed @ layer["out"]
    return x + jax.nn.gelu(_layernorm(x, layer["n2"]) @ layer["up"]) @ layer["down"]


def _layers(generator: np.random.Generator, count: int, width: int) -> list[dict[str, Any]]:
    ones = np.ones(width, np.float32)
    return [
        {
            "qkv": weights(generator, width, 3 * width),
            "out": weights(generator, width, width),
            "up": weights(generator, width, 4 * width),
            "down": weights(generator, 4 * width, width),
            "n1": ones,
            "n2": ones,
        }
        for _ in range(count)
    ]


@program(
    "transformer", small=(2, 64, 64, 4, 2), large=(1, 256, 256, 8, 2), layers12=(1, 128, 256, 8, 12)
)
def transformer(
    generator: np.random.Generator, batch: int, length: int, width: int, heads: int, count: int
) -> Built:
    def function(layers: Any, x: jax.Array) -> jax.Array:
        for layer in layers:
            x = _block(layer, x, heads)
        return x

    return function, (_layers(generator, count, width), normal(generator, batch, length, width))


@program("transformer", small=(2, 64, 64, 4, 2), large=(1, 128, 256, 8, 4))
def transformer_training(
    generator: np.random.Generator, batch: int, length: int, width: int, heads: int, count: int
) -> Built:
    """Loss and gradients of a language model."""

    def loss(parameters: Any, ids: jax.Array) -> jax.Array:
        table, layers = parameters
        x = jnp.take(table, ids[:, :-1], axis=0)
        for layer in layers:
            x = _block(layer, x, heads)
        return cross_entropy(x @ table.T, ids[:, 1:])

    parameters = (weights(generator, 500, width), _layers(generator, count, width))
    return jax.value_and_grad(loss), (parameters, integers(generator, 500, batch, length + 1))


@program("transformer")
def decoder_step_cache(generator: np.random.Generator) -> Built:
    """One token through four layers, its keys and values entered into a cache."""
    width, heads, length = 256, 8, 512

    def step(layers: Any, cache: Any, x: jax.Array, position: jax.Array) -> Any:
        updated = []
        for layer, (keys, values) in zip(layers, cache, strict=True):
            q, k, v = jnp.split(_layernorm(x, layer["n1"]) @ layer["qkv"], 3, axis=-1)
            q, k, v = (y.reshape(1, heads, width // heads) for y in (q, k, v))
            keys = lax.dynamic_update_slice(keys, k, (position, 0, 0))
            values = lax.dynamic_update_slice(values, v, (position, 0, 0))
            scores = jnp.einsum("qhd,khd->hqk", q, keys) * (width // heads) ** -0.5
            scores = jnp.where(jnp.arange(length) <= position, scores, -1e9)
            mixed = jnp.einsum("hqk,khd->qhd", jax.nn.softmax(scores), values)
            x = x + mixed.reshape(1, width) @ layer["out"]
            x = x + jax.nn.gelu(_layernorm(x, layer["n2"]) @ layer["up"]) @ layer["down"]
            updated.append((keys, values))
        return x, updated

    shape = (length, heads, width // heads)
    cache = [(normal(generator, *shape), normal(generator, *shape)) for _ in range(4)]
    layers = _layers(generator, 4, width)
    return step, (layers, cache, normal(generator, 1, width), np.int32(300))


def _batch_norm(x: jax.Array, scale: jax.Array, shift: jax.Array) -> jax.Array:
    mean, variance = jnp.mean(x, axis=(0, 1, 2)), jnp.var(x, axis=(0, 1, 2))
    return scale * (x - mean) * lax.rsqrt(variance + 1e-5) + shift


# Channels and stride of each block.
_BLOCKS = ((32, 1), (32, 1), (64, 2), (64, 1), (128, 2), (128, 1))


def _resnet(parameters: Any, images: jax.Array) -> jax.Array:
    stem, blocks, dense = parameters
    x = max_pool(jax.nn.relu(_batch_norm(convolve(images, stem[0], 2), *stem[1:])))
    for (_, stride), (first, second, shortcut) in zip(_BLOCKS, blocks, strict=True):
        y = jax.nn.relu(_batch_norm(convolve(x, first[0], stride), *first[1:]))
        y = _batch_norm(convolve(y, second[0]), *second[1:])
        x = jax.nn.relu(y + (x if shortcut is None else convolve(x, shortcut, stride)))
    return jnp.mean(x, axis=(1, 2)) @ dense


def _convolution_parameters(generator: np.random.Generator, *shape: int) -> Any:
    ones, zeros = np.ones(shape[-1], np.float32), np.zeros(shape[-1], np.float32)
    return weights(generator, *shape), ones, zeros


def _resnet_parameters(generator: np.random.Generator) -> Any:
    channels, blocks = 32, []
    for outputs, _ in _BLOCKS:
        shortcut = None if outputs == channels else weights(generator, 1, 1, channels, outputs)
        first = _convolution_parameters(generator, 3, 3, channels, outputs)
        second = _convolution_parameters(generator, 3, 3, outputs, outputs)
        blocks.append((first, second, shortcut))
        channels = outputs
    stem = _convolution_parameters(generator, 7, 7, 3, 32)
    return stem, blocks, weights(generator, channels, 10)


@program("resnet")
def resnet(generator: np.random.Generator) -> Built:
    return _resnet, (_resnet_parameters(generator), normal(generator, 4, 96, 96, 3))


@program("resnet")
def resnet_training(generator: np.random.Generator) -> Built:
    def loss(parameters: Any, images: jax.Array, labels: jax.Array) -> jax.Array:
        return cross_entropy(_resnet(parameters, images), labels)

    images, labels = normal(generator, 4, 96, 96, 3), integers(generator, 10, 4)
    return jax.value_and_grad(loss), (_resnet_parameters(generator), images, labels)
