"""Images out of noise: a network of Flax that says what is noise, and the loop around it."""

from __future__ import annotations

from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np

from shlo_tools.tools.bench.jax_programs.registry import Built, normal, program
from shlo_tools.tools.bench.library_programs.arguments import key, trained

_FAMILY = "diffusion"


class _Block(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x: jax.Array, time: jax.Array) -> jax.Array:
        y = nn.Conv(self.width, (3, 3))(nn.swish(nn.GroupNorm(4)(x)))
        y = y + nn.Dense(self.width)(nn.swish(time))[:, None, None]
        y = nn.Conv(self.width, (3, 3))(nn.swish(nn.GroupNorm(4)(y)))
        return y + (x if x.shape[-1] == self.width else nn.Conv(self.width, (1, 1))(x))


class _Denoiser(nn.Module):
    @nn.compact
    def __call__(self, images: jax.Array, times: jax.Array) -> jax.Array:
        angles = jnp.exp(-jnp.log(1e4) * jnp.arange(16) / 16) * times[:, None]
        time = nn.Dense(64)(jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], -1))
        time = nn.Dense(64)(nn.swish(time))
        large = _Block(16)(nn.Conv(16, (3, 3))(images), time)
        small = _Block(32)(nn.avg_pool(large, (2, 2), (2, 2)), time)
        pixels = nn.GroupNorm(4)(small).reshape(small.shape[0], -1, 32)
        small = small + nn.MultiHeadDotProductAttention(2)(pixels, pixels).reshape(small.shape)
        x = jax.image.resize(small, (*large.shape[:3], 32), "nearest")
        x = _Block(16)(jnp.concatenate([x, large], -1), time)
        return nn.Conv(images.shape[-1], (3, 3))(nn.swish(nn.GroupNorm(4)(x)))


@program(_FAMILY)
def flax_denoising(generator: np.random.Generator) -> Built:
    """One step: normalized groups of channels, attention between pixels, the time in each block."""
    network, images = _Denoiser(), normal(generator, 2, 32, 32, 3)
    times = np.array([3, 700], np.float32)
    return network.apply, (trained(generator, network.init(key(), images, times)), images, times)


@program(_FAMILY)
def flax_sampling(generator: np.random.Generator) -> Built:
    """Ten steps as a loop, each with noise of its own."""
    network, steps, shape = _Denoiser(), 10, (2, 16, 16, 1)
    parameters = network.init(key(), np.zeros(shape), np.zeros(2))

    def function(parameters: Any, betas: jax.Array, start: jax.Array) -> Any:
        remaining = jnp.cumprod(1 - betas)

        def step(images: jax.Array, row: Any) -> tuple[jax.Array, jax.Array]:
            i, randomness = row
            noise = network.apply(parameters, images, jnp.full(2, i, jnp.float32))
            mean = images - betas[i] / jnp.sqrt(1 - remaining[i]) * noise
            mean = mean / jnp.sqrt(1 - betas[i])
            spread = jnp.where(i > 0, jnp.sqrt(betas[i]), 0.0)
            return mean + spread * jax.random.normal(randomness, shape), jnp.abs(mean).mean()

        keys = jax.random.split(start, steps + 1)
        rows = (jnp.arange(steps)[::-1], keys[1:])
        return jax.lax.scan(step, jax.random.normal(keys[0], shape), rows)

    betas = np.linspace(1e-4, 0.2, steps, dtype=np.float32)
    return function, (trained(generator, parameters), betas, key(3))
