"""Convolutional, recurrent and graph networks with their gradients."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from inputs import dense, integers, normal, uniform
from jax import lax
from jax_registry import Built, program


def convolution(generator: np.random.Generator, size: int, inputs: int, outputs: int) -> Any:
    """HWIO weights that keep the scale of their inputs."""
    return normal(generator, size, size, inputs, outputs, scale=(size * size * inputs) ** -0.5)


def convolve(x: jax.Array, weights: jax.Array, stride: int = 1) -> jax.Array:
    """A convolution of NHWC images with SAME padding."""
    layout = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(x, weights, (stride, stride), "SAME", dimension_numbers=layout)


def max_pool(x: jax.Array) -> jax.Array:
    """Overlapping 3x3 windows with stride 2."""
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")


def batch_norm(norm: Any, x: jax.Array) -> Any:
    """Normalise by the statistics of the batch; also return the new running statistics."""
    mean, variance = jnp.mean(x, axis=(0, 1, 2)), jnp.var(x, axis=(0, 1, 2))
    running = (0.9 * norm["mean"] + 0.1 * mean, 0.9 * norm["variance"] + 0.1 * variance)
    return norm["scale"] * (x - mean) * lax.rsqrt(variance + 1e-5) + norm["shift"], running


def norm_parameters(generator: np.random.Generator, channels: int) -> dict[str, Any]:
    """Scale, shift and running statistics of a batch norm."""
    return {
        "scale": uniform(generator, 0.5, 1.5, channels),
        "shift": normal(generator, channels, scale=0.3),
        "mean": normal(generator, channels, scale=0.1),
        "variance": uniform(generator, 0.5, 1.5, channels),
    }


@program(
    rtol=1e-5,
    atol=5e-6,
    reason="f32 sums of up to 512 terms through three batch norms, whose gradients cancel",
)
def resnet_step(generator: np.random.Generator) -> Built:
    """A ResNet with one strided block: loss, running statistics, gradients."""

    def network(weights: Any, norms: Any, images: jax.Array, labels: jax.Array) -> Any:
        x, stem = batch_norm(norms["stem"], convolve(images, weights["stem"]))
        x = max_pool(jax.nn.relu(x))
        y, first = batch_norm(norms["first"], convolve(x, weights["first"], stride=2))
        y, second = batch_norm(norms["second"], convolve(jax.nn.relu(y), weights["second"]))
        x = jax.nn.relu(y + convolve(x, weights["shortcut"], stride=2))
        logits = jnp.mean(x, axis=(1, 2)) @ weights["dense"]["w"] + weights["dense"]["b"]
        picked = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
        return -jnp.mean(picked), (stem, first, second)

    def step(weights: Any, norms: Any, images: jax.Array, labels: jax.Array) -> Any:
        return jax.value_and_grad(network, has_aux=True)(weights, norms, images, labels)

    weights = {
        "stem": convolution(generator, 3, 3, 6),
        "first": convolution(generator, 3, 6, 8),
        "second": convolution(generator, 3, 8, 8),
        "shortcut": convolution(generator, 1, 6, 8),
        "dense": dense(generator, 8, 5),
    }
    channels = {"stem": 6, "first": 8, "second": 8}
    norms = {name: norm_parameters(generator, count) for name, count in channels.items()}
    return step, (weights, norms, normal(generator, 2, 16, 16, 3), integers(generator, 0, 5, 2))


@program(rtol=2e-6, atol=2e-6, reason="f32 sums of up to 8 terms of order 1, six steps deep")
def lstm_gradient(generator: np.random.Generator) -> Built:
    """An LSTM over six time steps by lax.scan: loss and gradients."""
    inputs, hidden, batch, time = 5, 8, 3, 6

    def cell(parameters: Any, state: Any, x: jax.Array) -> Any:
        h, c = state
        gates = x @ parameters["input"] + h @ parameters["recurrent"] + parameters["bias"]
        i, f, g, o = jnp.split(gates, 4, axis=-1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    def loss(parameters: Any, sequence: jax.Array, targets: jax.Array) -> Any:
        start = jnp.zeros((batch, hidden)), jnp.zeros((batch, hidden))
        state, outputs = lax.scan(lambda s, x: cell(parameters, s, x), start, sequence)
        return jnp.mean((outputs - targets) ** 2), state

    parameters = {
        "input": normal(generator, inputs, 4 * hidden, scale=0.4),
        "recurrent": normal(generator, hidden, 4 * hidden, scale=0.3),
        "bias": normal(generator, 4 * hidden, scale=0.1),
    }
    sequence, targets = (
        normal(generator, time, batch, inputs),
        normal(generator, time, batch, hidden),
    )
    return jax.value_and_grad(loss, has_aux=True), (parameters, sequence, targets)


@program(rtol=3e-6, atol=3e-6, reason="f32 sums of at most 12 terms of order 1 through two layers")
def graph_convolution(generator: np.random.Generator) -> Built:
    """Two graph convolutions by segment_sum, mean pooling by graph: output and gradients."""
    nodes, edges, graphs = 12, 30, 3

    def propagate(x: jax.Array, senders: jax.Array, receivers: jax.Array) -> jax.Array:
        degree = jax.ops.segment_sum(jnp.ones(edges), receivers, num_segments=nodes) + 1
        norm = lax.rsqrt(degree)
        messages = (x * norm[:, None])[senders]
        gathered = jax.ops.segment_sum(messages, receivers, num_segments=nodes)
        return gathered * norm[:, None] + x / degree[:, None]

    def network(weights: Any, x: jax.Array, senders: Any, receivers: Any, graph: Any) -> jax.Array:
        x = jax.nn.elu(propagate(x @ weights[0], senders, receivers))
        x = propagate(x @ weights[1], senders, receivers)
        total = jax.ops.segment_sum(x, graph, num_segments=graphs, indices_are_sorted=True)
        largest = jax.ops.segment_max(x, graph, num_segments=graphs, indices_are_sorted=True)
        return total / 4 + largest

    def forward_and_backward(
        weights: Any, x: Any, senders: Any, receivers: Any, graph: Any, g: Any
    ) -> Any:
        output, pull_back = jax.vjp(
            lambda w, x: network(w, x, senders, receivers, graph), weights, x
        )
        return output, pull_back(g)

    weights = (normal(generator, 6, 8, scale=0.4), normal(generator, 8, 4, scale=0.4))
    topology = integers(generator, 0, nodes, edges), integers(generator, 0, nodes, edges)
    graph = np.repeat(np.arange(graphs, dtype=np.int32), nodes // graphs)
    arguments = (
        weights,
        normal(generator, nodes, 6),
        *topology,
        graph,
        normal(generator, graphs, 4),
    )
    return forward_and_backward, arguments
