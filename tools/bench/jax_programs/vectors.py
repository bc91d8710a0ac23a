"""Many small vectors side by side: geometry, rotations, particles."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shlo_tools.tools.bench.jax_programs.registry import Built, normal, program


def _product(p: jax.Array, q: jax.Array) -> jax.Array:
    """Of quaternions, the real part first."""
    a, b, c, d = jnp.split(p, 4, axis=-1)
    e, f, g, h = jnp.split(q, 4, axis=-1)
    parts = [
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    ]
    return jnp.concatenate(parts, axis=-1)


@program("vectors")
def quaternion_products(generator: np.random.Generator) -> Built:
    def function(p: jax.Array, q: jax.Array) -> jax.Array:
        product = _product(p, q)
        return product / jnp.linalg.norm(product, axis=-1, keepdims=True)

    return function, (normal(generator, 5000, 4), normal(generator, 5000, 4))


@program("vectors")
def quaternion_rotations(generator: np.random.Generator) -> Built:
    def function(p: jax.Array, x: jax.Array) -> jax.Array:
        point = jnp.concatenate([jnp.zeros_like(x[:, :1]), x], axis=-1)
        conjugate = p * jnp.array([1, -1, -1, -1], jnp.float32)
        return _product(_product(p, point), conjugate)[:, 1:]

    return function, (normal(generator, 3000, 4), normal(generator, 3000, 3))


@program("vectors")
def cross_products(generator: np.random.Generator) -> Built:
    def function(x: jax.Array, y: jax.Array) -> jax.Array:
        return jnp.cross(x, y) + jnp.cross(y, 2 * x)

    return function, (normal(generator, 4000, 3), normal(generator, 4000, 3))


@program("vectors")
def particles(generator: np.random.Generator) -> Built:
    """Steps of 64 bodies that attract each other."""

    def step(state: tuple[jax.Array, jax.Array], _: Any) -> tuple[Any, None]:
        x, v = state
        between = x[:, None, :] - x[None, :, :]
        squares = (between * between).sum(-1) + 0.01
        pull = -(between / (squares * jnp.sqrt(squares))[..., None]).sum(1)
        return (x + 0.01 * v, v + 0.01 * pull), None

    def function(x: jax.Array, v: jax.Array) -> Any:
        return lax.scan(step, (x, v), None, length=20)[0]

    return function, (normal(generator, 64, 3), normal(generator, 64, 3))


@program("vectors")
def double_pendulums(generator: np.random.Generator) -> Built:
    """Steps of 512 double pendulums of equal masses and lengths."""

    def slope(state: jax.Array) -> jax.Array:
        a, b, u, v = state
        d = a - b
        scale = 3 - jnp.cos(2 * d)
        pull = 3 * jnp.sin(a) + jnp.sin(a - 2 * b)
        first = -9.8 * pull - 2 * jnp.sin(d) * (v * v + u * u * jnp.cos(d))
        second = 2 * jnp.sin(d) * (2 * u * u + 19.6 * jnp.cos(a) + v * v * jnp.cos(d))
        return jnp.stack([u, v, first / scale, second / scale])

    def step(state: jax.Array, _: Any) -> tuple[jax.Array, None]:
        middle = state + 0.005 * slope(state)
        return state + 0.01 * slope(middle), None

    def function(state: jax.Array) -> jax.Array:
        return lax.scan(step, state, None, length=50)[0]

    return jax.vmap(function), (normal(generator, 512, 4),)
