"""Networks for images: Flax, Equinox, Haiku and Hugging Face's Transformers; training by Optax."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import flax.linen as nn
import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np
import optax
from transformers import (
    FlaxResNetForImageClassification,
    FlaxViTForImageClassification,
    ResNetConfig,
    ViTConfig,
)

from shlo_tools.tools.bench.jax_programs.registry import Built, integers, normal, program
from shlo_tools.tools.bench.library_programs.arguments import key, trained

_FAMILY = "vision"


def _residual_network(channels: tuple[int, ...]) -> Any:
    def forward(images: jax.Array, is_training: bool) -> jax.Array:
        network = hk.nets.ResNet(
            blocks_per_group=(1, 1, 1, 1),
            num_classes=10,
            bottleneck=False,
            channels_per_group=channels,
            use_projection=(False, True, True, True),
            initial_conv_config={"kernel_shape": 3, "stride": 1, "output_channels": channels[0]},
        )
        return network(images, is_training)

    return hk.transform_with_state(forward)


@program(_FAMILY)
def haiku_resnet(generator: np.random.Generator) -> Built:
    """Four images through a residual network with batch normalization."""
    network, images = _residual_network((16, 32, 64, 128)), normal(generator, 4, 32, 32, 3)
    parameters, state = network.init(key(), images, True)

    def function(parameters: Any, state: Any, images: jax.Array) -> jax.Array:
        return network.apply(parameters, state, None, images, False)[0]

    return function, (trained(generator, parameters), state, images)


@program(_FAMILY)
def haiku_resnet_training(generator: np.random.Generator) -> Built:
    """A step of gradient descent with momentum, clipped gradients and decaying weights."""
    network, images = _residual_network((8, 16, 32, 64)), normal(generator, 4, 32, 32, 3)
    parameters, state = network.init(key(), images, True)
    parameters = trained(generator, parameters)
    descent = optax.sgd(optax.cosine_decay_schedule(0.1, 1000), momentum=0.9, nesterov=True)
    optimizer = optax.chain(
        optax.clip_by_global_norm(1.0), optax.add_decayed_weights(1e-4), descent
    )

    def step(parameters: Any, state: Any, moments: Any, images: Any, labels: Any) -> Any:
        def loss(parameters: Any) -> Any:
            logits, after = network.apply(parameters, state, None, images, True)
            losses = optax.softmax_cross_entropy_with_integer_labels(logits, labels)
            return losses.mean(), after

        (value, after), gradients = jax.value_and_grad(loss, has_aux=True)(parameters)
        updates, moments = optimizer.update(gradients, moments, parameters)
        return value, optax.apply_updates(parameters, updates), after, moments

    moments = optimizer.init(parameters)
    return step, (parameters, state, moments, images, integers(generator, 10, 4))


@program(_FAMILY)
def haiku_mobilenet(generator: np.random.Generator) -> Built:
    """Depthwise convolutions."""

    def forward(images: jax.Array, is_training: bool) -> jax.Array:
        sizes = {"strides": (1, 2, 1, 2, 1), "channels": (16, 32, 32, 64, 64)}
        return hk.nets.MobileNetV1(num_classes=10, **sizes)(images, is_training)

    network, images = hk.transform_with_state(forward), normal(generator, 2, 64, 64, 3)
    parameters, state = network.init(key(), images, True)

    def function(parameters: Any, state: Any, images: jax.Array) -> jax.Array:
        return network.apply(parameters, state, None, images, False)[0]

    return function, (trained(generator, parameters), state, images)


class _ConvNextBlock(nn.Module):
    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        width = x.shape[-1]
        y = nn.LayerNorm()(nn.Conv(width, (7, 7), feature_group_count=width)(x))
        y = nn.Dense(width)(nn.gelu(nn.Dense(4 * width)(y), approximate=False))
        return x + self.param("scale", nn.initializers.constant(0.1), (width,)) * y


class _ConvNext(nn.Module):
    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        x = nn.LayerNorm()(nn.Conv(24, (4, 4), (4, 4))(x))
        for width in (24, 48, 96):
            if width > 24:
                x = nn.Conv(width, (2, 2), (2, 2))(nn.LayerNorm()(x))
            x = _ConvNextBlock()(_ConvNextBlock()(x))
        return nn.Dense(10)(nn.LayerNorm()(x.mean((1, 2))))


@program(_FAMILY)
def flax_convnext(generator: np.random.Generator) -> Built:
    """Wide depthwise convolutions, normalization of channels and erf."""
    network, images = _ConvNext(), normal(generator, 2, 64, 64, 3)
    return network.apply, (trained(generator, network.init(key(), images)), images)


@program(_FAMILY)
def flax_segmentation(generator: np.random.Generator) -> Built:
    """A network that goes down to small images, and up again with what it had on the way."""

    class Network(nn.Module):
        @nn.compact
        def __call__(self, x: jax.Array) -> jax.Array:
            kept = []
            for width in (8, 16, 32):
                x = nn.BatchNorm(use_running_average=True)(nn.Conv(width, (3, 3))(x))
                kept.append(nn.relu(x))
                x = nn.max_pool(kept[-1], (2, 2), (2, 2))
            for width in (32, 16, 8):
                x = nn.ConvTranspose(width, (2, 2), (2, 2))(x)
                x = nn.relu(nn.Conv(width, (3, 3))(jnp.concatenate([kept.pop(), x], -1)))
            return nn.softmax(nn.Conv(4, (1, 1))(x))

    network, images = Network(), normal(generator, 1, 64, 64, 3)
    return network.apply, (trained(generator, network.init(key(), images)), images)


@program(_FAMILY)
def equinox_convolutions_training(generator: np.random.Generator) -> Built:
    """A step of Lion for a small network whose layers see one image each."""
    keys = jax.random.split(key(), 3)
    layers = [
        eqx.nn.Conv2d(1, 8, 3, padding=1, key=keys[0]),
        eqx.nn.Lambda(jax.nn.silu),
        eqx.nn.MaxPool2d(2, 2),
        eqx.nn.GroupNorm(4, 8),
        eqx.nn.Conv2d(8, 16, 3, padding=1, key=keys[1]),
        eqx.nn.AvgPool2d(2, 2),
        eqx.nn.Lambda(jnp.ravel),
        eqx.nn.Linear(784, 10, key=keys[2]),
    ]
    parameters, network = eqx.partition(eqx.nn.Sequential(layers), eqx.is_inexact_array)
    parameters, optimizer = trained(generator, parameters), optax.lion(1e-3)

    def step(parameters: Any, moments: Any, images: jax.Array, labels: jax.Array) -> Any:
        def loss(parameters: Any) -> jax.Array:
            logits = jax.vmap(eqx.combine(parameters, network))(images)
            return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

        value, gradients = jax.value_and_grad(loss)(parameters)
        updates, moments = optimizer.update(gradients, moments, parameters)
        return value, optax.apply_updates(parameters, updates), moments

    images, labels = normal(generator, 8, 1, 28, 28), integers(generator, 10, 8)
    return step, (parameters, optimizer.init(parameters), images, labels)


@program(_FAMILY)
def transformers_resnet(generator: np.random.Generator) -> Built:
    """Blocks with a bottleneck."""
    sizes = {"embedding_size": 16, "hidden_sizes": [32, 64, 96, 128], "depths": [1, 1, 1, 1]}
    model = FlaxResNetForImageClassification(ResNetConfig(**sizes), input_shape=(1, 64, 64, 3))

    def function(parameters: Any, images: jax.Array) -> jax.Array:
        return model(images, params=parameters, train=False).logits

    return function, (trained(generator, model.params), normal(generator, 2, 3, 64, 64))


@program(_FAMILY)
def transformers_vit(generator: np.random.Generator) -> Built:
    """A transformer over patches."""
    sizes = {"hidden_size": 96, "num_hidden_layers": 4, "num_attention_heads": 4}
    patches = {"intermediate_size": 384, "image_size": 32, "patch_size": 4}
    model = FlaxViTForImageClassification(ViTConfig(**sizes, **patches))

    def function(parameters: Any, images: jax.Array) -> jax.Array:
        return model(images, params=parameters).logits

    return function, (trained(generator, model.params), normal(generator, 2, 3, 32, 32))
