"""Training steps: plain SGD, Adam, mixed precision."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from inputs import dense, integers, normal, uniform
from jax_registry import Built, program


def two_layers(generator: np.random.Generator) -> dict[str, Any]:
    """Parameters of a 16-32-10 network."""
    return {"hidden": dense(generator, 16, 32), "output": dense(generator, 32, 10)}


def cross_entropy(parameters: Any, images: jax.Array, labels: jax.Array) -> jax.Array:
    """Mean cross-entropy of a tanh network."""
    hidden, output = parameters["hidden"], parameters["output"]
    activations = jnp.tanh(images @ hidden["w"] + hidden["b"])
    log_probabilities = jax.nn.log_softmax(activations @ output["w"] + output["b"])
    one_hot = jax.nn.one_hot(labels, log_probabilities.shape[-1], dtype=log_probabilities.dtype)
    return -jnp.mean(jnp.sum(one_hot * log_probabilities, axis=-1))


@program(rtol=2e-6, atol=3e-7, reason="f32 sums of at most 32 terms of order 1, two layers deep")
def mlp_step(generator: np.random.Generator) -> Built:
    """One SGD step on a batch of 8."""

    def step(parameters: Any, images: jax.Array, labels: jax.Array) -> Any:
        loss, gradient = jax.value_and_grad(cross_entropy)(parameters, images, labels)
        return jax.tree.map(lambda p, g: p - 0.1 * g, parameters, gradient), loss

    return step, (two_layers(generator), normal(generator, 8, 16), integers(generator, 0, 10, 8))


@program(rtol=2e-6, atol=3e-7, reason="as mlp_step; the division by sqrt(v) >= 0.1 adds a few ulp")
def adam_step(generator: np.random.Generator) -> Built:
    """One Adam step from moments that earlier steps have filled.

    Fresh moments would make every update +-1 times the learning rate, whatever the gradient:
    noise where the exact gradient is zero.
    """

    def step(state: Any, images: jax.Array, labels: jax.Array) -> Any:
        parameters, mean, square, count = state
        loss, gradient = jax.value_and_grad(cross_entropy)(parameters, images, labels)
        count = count + 1
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradient)
        square = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g**2, square, gradient)
        age = count.astype(jnp.float32)
        mean_scale, square_scale = 1 / (1 - 0.9**age), 1 / (1 - 0.999**age)

        def update(parameter: jax.Array, m: jax.Array, v: jax.Array) -> jax.Array:
            return parameter - 0.01 * m * mean_scale / (jnp.sqrt(v * square_scale) + 1e-8)

        return (jax.tree.map(update, parameters, mean, square), mean, square, count), loss

    parameters = two_layers(generator)
    mean = jax.tree.map(lambda p: normal(generator, *p.shape, scale=0.05), parameters)
    square = jax.tree.map(lambda p: uniform(generator, 0.01, 0.1, *p.shape), parameters)
    state = (parameters, mean, square, np.int32(7))
    return step, (state, normal(generator, 8, 16), integers(generator, 0, 10, 8))


@program(
    rtol=2e-2,
    atol=6e-3,
    reason="bf16 keeps 8 bits and fusions round in other places: three bf16 ulp of the gradients",
)
def mixed_precision_step(generator: np.random.Generator) -> Built:
    """bf16 forward and backward with a loss scale; f32 master weights, learning rate 1."""

    def step(parameters: Any, images: jax.Array, labels: jax.Array, scale: jax.Array) -> Any:
        def scaled_loss(half: Any) -> jax.Array:
            return cross_entropy(half, images, labels).astype(jnp.float32) * scale

        half = jax.tree.map(lambda p: p.astype(jnp.bfloat16), parameters)
        loss, gradient = jax.value_and_grad(scaled_loss)(half)
        unscaled = jax.tree.map(lambda g: g.astype(jnp.float32) / scale, gradient)
        finite = jnp.all(jnp.array([jnp.all(jnp.isfinite(g)) for g in jax.tree.leaves(unscaled)]))
        updated = jax.tree.map(lambda p, g: jnp.where(finite, p - g, p), parameters, unscaled)
        small = jax.tree.map(lambda g: g / scale.astype(jnp.bfloat16), gradient["output"])
        return updated, small, jnp.where(finite, scale, scale / 2), loss / scale

    images = normal(generator, 8, 16).astype(jnp.bfloat16)
    labels = integers(generator, 0, 10, 8)
    return step, (two_layers(generator), images, labels, np.float32(16.0))
