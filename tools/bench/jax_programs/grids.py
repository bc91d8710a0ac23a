"""Equations and labels on grids, in loops: neighbours are read from shifted and padded tensors."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shlo_tools.tools.bench.jax_programs.registry import Array, Built, normal, program


@program("grids", odd=(75, 75))
def jacobi(generator: np.random.Generator, rows: int, columns: int) -> Built:
    """Poisson's equation around an obstacle, until 20 sweeps change little, or 15 times."""

    def solve(b: jax.Array, is_wall: jax.Array) -> tuple[jax.Array, ...]:
        def sweep(_: int, u: jax.Array) -> jax.Array:
            p = jnp.pad(u, 1)
            near = p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2]
            return jnp.where(is_wall, 0.0, 0.25 * (near + b / (rows + 1) ** 2))

        def sweeps(state: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
            u, _, count = state
            next = lax.fori_loop(0, 20, sweep, u)
            return next, jnp.max(jnp.abs(next - u)), count + 1

        def goes_on(state: tuple[jax.Array, ...]) -> jax.Array:
            return (state[1] > 1e-30) & (state[2] < 15)

        start = jnp.zeros_like(b), jnp.float32(1), 0
        solved: tuple[jax.Array, ...] = lax.while_loop(goes_on, sweeps, start)
        return solved

    is_wall = np.zeros((rows, columns), bool)
    is_wall[30:40, 20:50] = True
    return solve, (500 * normal(generator, rows, columns), is_wall)


@program("grids", odd=(90, 110))
def conjugate_gradients(generator: np.random.Generator, rows: int, columns: int) -> Built:
    """Diffusion whose coefficients vary, with a diagonal preconditioner."""

    def solve(k: jax.Array, b: jax.Array) -> jax.Array:
        down, right = (k[1:] + k[:-1]) / 2, (k[:, 1:] + k[:, :-1]) / 2

        def operator(u: jax.Array) -> jax.Array:
            y, x = down * (u[1:] - u[:-1]), right * (u[:, 1:] - u[:, :-1])
            div = jnp.pad(y, ((0, 1), (0, 0))) - jnp.pad(y, ((1, 0), (0, 0)))
            div += jnp.pad(x, ((0, 0), (0, 1))) - jnp.pad(x, ((0, 0), (1, 0)))
            return 0.1 * u - div

        solver = jax.scipy.sparse.linalg.cg
        x, _ = solver(operator, b, M=lambda v: v / (k + 4.0), tol=1e-4, maxiter=150)
        return x

    k = generator.uniform(0.5, 2, (rows, columns)).astype(np.float32)
    return solve, (k, normal(generator, rows, columns))


@program("grids", odd=(72, 88))
def connected_components(generator: np.random.Generator, rows: int, columns: int) -> Built:
    """Each pixel takes the least label near it, until no label changes."""
    none = rows * columns

    def spread(is_inside: jax.Array) -> tuple[jax.Array, ...]:
        def near(labels: jax.Array) -> jax.Array:
            p = jnp.pad(labels, 1, constant_values=none)
            vertical = jnp.minimum(p[2:, 1:-1], p[:-2, 1:-1])
            return jnp.minimum(vertical, jnp.minimum(p[1:-1, 2:], p[1:-1, :-2]))

        def step(state: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
            labels, _, count = state
            next = jnp.where(is_inside, jnp.minimum(labels, near(labels)), none)
            return next, jnp.any(next != labels), count + 1

        first = jnp.arange(none, dtype=jnp.int32).reshape(rows, columns)
        start = jnp.where(is_inside, first, none), jnp.bool_(True), 0
        labels, _, count = lax.while_loop(lambda state: state[1], step, start)
        return labels, count

    return spread, (generator.random((rows, columns)) < 0.55,)


@program("grids", pixels=(24, 32))
def flips(generator: np.random.Generator, count: int, size: int) -> Built:
    """Some images are mirrored, all are normalized, and a square of each is cut out."""

    def augment(images: jax.Array, is_flipped: jax.Array, corners: jax.Array) -> jax.Array:
        x = jnp.where(is_flipped[:, None, None, None], images[:, :, ::-1], images)
        place = jnp.arange(size)
        y_near = jnp.abs(place[None, :, None] - corners[:, 0, None, None]) < 5
        x_near = jnp.abs(place[None, None] - corners[:, 1, None, None]) < 5
        mean, deviation = jnp.array([0.49, 0.48, 0.45]), jnp.array([0.25, 0.24, 0.26])
        return jnp.where((y_near & x_near)[..., None], 0.0, (x - mean) / deviation)

    images: Array = generator.random((count, size, size, 3)).astype(np.float32)
    corners = generator.integers(0, size, (count, 2)).astype(np.int32)
    return augment, (images, generator.random(count) < 0.5, corners)


@program("grids", bytes=(128, 131))
def life(generator: np.random.Generator, rows: int, columns: int) -> Built:
    """A hundred generations of Conway's game, on a torus of bytes."""
    around = [(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if (y, x) != (0, 0)]

    def generation(_: int, cells: jax.Array) -> jax.Array:
        number = sum((jnp.roll(cells, place, (0, 1)) for place in around), jnp.zeros_like(cells))
        return ((number == 3) | ((number == 2) & (cells == 1))).astype(jnp.uint8)

    def generations(cells: jax.Array) -> jax.Array:
        last: jax.Array = lax.fori_loop(0, 100, generation, cells)
        return last

    return generations, (generator.integers(0, 2, (rows, columns)).astype(np.uint8),)
