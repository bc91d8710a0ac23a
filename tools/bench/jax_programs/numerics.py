"""FFT, linear algebra and loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shlo_tools.tools.bench.jax_programs.registry import Built, normal, program, weights


@program(
    "fft",
    rows=(jnp.fft.fft, (256, 1024)),
    real=(jnp.fft.rfft, (256, 1024)),
    plane=(jnp.fft.fft2, (256, 256)),
    odd=(jnp.fft.fft, (100, 1000)),
    inverse=(jnp.fft.ifft, (64, 4096)),
)
def fft(
    generator: np.random.Generator, transform: Callable[[jax.Array], Any], shape: tuple[int, ...]
) -> Built:
    x = normal(generator, *shape)
    if transform is jnp.fft.rfft:
        return transform, (x,)
    return transform, ((x + 1j * normal(generator, *shape)).astype(np.complex64),)


def _definite(generator: np.random.Generator, *shape: int) -> Any:
    x = normal(generator, *shape)
    return x @ np.swapaxes(x, -1, -2) / shape[-1] + np.eye(shape[-1], dtype=np.float32)


@program("linear algebra", one=((256, 256),), batch=((100, 16, 16),))
def cholesky(generator: np.random.Generator, shape: tuple[int, ...]) -> Built:
    def function(x: jax.Array) -> jax.Array:
        return lax.linalg.cholesky(x, symmetrize_input=False)

    return function, (_definite(generator, *shape),)


@program("linear algebra", one=((256, 256), 64), batch=((100, 16, 16), 1))
def triangular_solve(generator: np.random.Generator, shape: tuple[int, ...], count: int) -> Built:
    def function(x: jax.Array, y: jax.Array) -> jax.Array:
        return lax.linalg.triangular_solve(x, y, left_side=True, lower=True)

    lower = np.tril(_definite(generator, *shape)) + 2 * np.eye(shape[-1], dtype=np.float32)
    return function, (lower, normal(generator, *shape[:-1], count))


@program("linear algebra", small=(1000, 3), middle=(100, 12))
def inverse(generator: np.random.Generator, count: int, size: int) -> Built:
    return jnp.linalg.inv, (_definite(generator, count, size, size),)


@program("linear algebra")
def normal_equations(generator: np.random.Generator) -> Built:
    def function(x: jax.Array, y: jax.Array) -> jax.Array:
        gram = x.T @ x + 0.1 * jnp.eye(x.shape[1])
        factor = lax.linalg.cholesky(gram)
        middle = lax.linalg.triangular_solve(factor, x.T @ y, left_side=True, lower=True)
        return lax.linalg.triangular_solve(
            factor, middle, left_side=True, lower=True, transpose_a=True
        )

    return function, (normal(generator, 1000, 64), normal(generator, 1000, 4))


@program("loops", small=(64, 8, 32), large=(128, 32, 128))
def rnn_scan(generator: np.random.Generator, steps: int, batch: int, width: int) -> Built:
    def function(xs: jax.Array, state: jax.Array, u: jax.Array, w: jax.Array) -> Any:
        def step(state: jax.Array, x: jax.Array) -> tuple[jax.Array, jax.Array]:
            state = jnp.tanh(x @ u + state @ w)
            return state, state

        return lax.scan(step, state, xs)

    xs, state = normal(generator, steps, batch, width), normal(generator, batch, width)
    return function, (xs, state, weights(generator, width, width), weights(generator, width, width))


@program("loops")
def lstm_training(generator: np.random.Generator) -> Built:
    """The gradient of a loop stacks what its steps computed and walks it backwards."""

    def loss(kernel: jax.Array, xs: jax.Array) -> jax.Array:
        def step(carry: Any, x: jax.Array) -> tuple[Any, jax.Array]:
            h, c = carry
            i, f, g, o = jnp.split(jnp.concatenate([x, h], 1) @ kernel, 4, axis=1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zeros = jnp.zeros((xs.shape[1], 64))
        return jnp.mean(lax.scan(step, (zeros, zeros), xs)[1] ** 2)

    return jax.value_and_grad(loss), (weights(generator, 128, 256), normal(generator, 32, 16, 64))


@program("loops")
def scalar_while(generator: np.random.Generator) -> Built:
    """A thousand steps of a logistic map, which is over when its value says so."""

    def function(x: jax.Array) -> Any:
        def go_on(state: Any) -> Any:
            return (state[1] < 1000) & (state[0] > -1)

        def step(state: Any) -> Any:
            return 3.6 * state[0] * (1 - state[0]), state[1] + 1

        return lax.while_loop(go_on, step, (x, jnp.int32(0)))

    return function, (np.float32(0.3),)


@program("loops")
def pendulum(generator: np.random.Generator) -> Built:
    """Runge-Kutta steps of a vector of two."""

    def function(state: jax.Array) -> jax.Array:
        def slope(y: jax.Array) -> jax.Array:
            return jnp.stack([y[1], -jnp.sin(y[0]) - 0.1 * y[1]])

        def step(_: Any, y: jax.Array) -> jax.Array:
            a = slope(y)
            b = slope(y + 0.005 * a)
            c = slope(y + 0.005 * b)
            d = slope(y + 0.01 * c)
            return y + 0.01 / 6 * (a + 2 * b + 2 * c + d)

        return lax.fori_loop(0, 500, step, state)

    return function, (normal(generator, 2),)


@program("loops", one=((3,),), batch=((256, 3),))
def lorenz(generator: np.random.Generator, shape: tuple[int, ...]) -> Built:
    """Runge-Kutta steps of one vector of three, or of many side by side; all of them are kept."""

    def slope(y: jax.Array) -> jax.Array:
        a, b, c = y
        return jnp.stack([10 * (b - a), a * (28 - c) - b, a * b - 8 / 3 * c])

    def step(y: jax.Array, _: Any) -> tuple[jax.Array, jax.Array]:
        a = slope(y)
        b = slope(y + 0.005 * a)
        c = slope(y + 0.005 * b)
        d = slope(y + 0.01 * c)
        y = y + 0.01 / 6 * (a + 2 * b + 2 * c + d)
        return y, y

    def function(start: jax.Array) -> jax.Array:
        return lax.scan(step, start, None, length=100)[1]

    return function if len(shape) == 1 else jax.vmap(function), (normal(generator, *shape),)


@program("loops")
def game_of_life(generator: np.random.Generator) -> Built:
    """Generations of a torus."""

    def step(_: Any, cells: jax.Array) -> jax.Array:
        near = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]
        alive = sum(jnp.roll(cells, shift, axis=(0, 1)) for shift in near)
        return ((alive == 3) | ((cells == 1) & (alive == 2))).astype(cells.dtype)

    def function(cells: jax.Array) -> jax.Array:
        return lax.fori_loop(0, 10, step, cells)

    return function, (generator.integers(0, 2, (128, 128)).astype(np.int32),)


@program("loops")
def diffusion(generator: np.random.Generator) -> Built:
    """Explicit steps of the heat equation; nothing flows across the edges."""

    def step(heat: jax.Array, _: Any) -> tuple[jax.Array, None]:
        x = jnp.pad(heat, 1, mode="edge")
        near = x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2]
        return heat + 0.1 * (near - 4 * heat), None

    def function(heat: jax.Array) -> jax.Array:
        return lax.scan(step, heat, None, length=20)[0]

    return function, (normal(generator, 256, 256),)


@program("loops")
def waves(generator: np.random.Generator) -> Built:
    """Leapfrog steps of the wave equation on a torus: each reads two earlier ones."""

    def step(state: Any, _: Any) -> tuple[Any, None]:
        now, before = state
        near = sum(jnp.roll(now, shift, axis) for shift in (-1, 1) for axis in (0, 1))
        return (2 * now - before + 0.1 * (near - 4 * now), now), None

    def function(now: jax.Array, before: jax.Array) -> Any:
        return lax.scan(step, (now, before), None, length=20)[0]

    return function, (normal(generator, 512, 512), normal(generator, 512, 512))


@program("loops", line=((1 << 18,),), flat=((1 << 20,),), rows=((64, 1000),))
def associative_scan(generator: np.random.Generator, shape: tuple[int, ...]) -> Built:
    """Running sums as a tree of slices, in logarithmically many steps."""

    def function(x: jax.Array) -> Any:
        return lax.associative_scan(jnp.add, x, axis=len(shape) - 1)

    return function, (normal(generator, *shape),)


@program("loops")
def linear_recurrence(generator: np.random.Generator) -> Built:
    """States of 64 channels over 1024 steps, as layers of state spaces compute them at once."""

    def together(first: Any, second: Any) -> tuple[jax.Array, jax.Array]:
        return first[0] * second[0], second[0] * first[1] + second[1]

    def function(decay: jax.Array, inputs: jax.Array) -> jax.Array:
        return lax.associative_scan(together, (jax.nn.sigmoid(decay), inputs))[1]

    return function, (normal(generator, 1024, 64), normal(generator, 1024, 64))


@program("linear algebra")
def second_derivatives(generator: np.random.Generator) -> Built:
    """The Hessian of a function of twenty numbers."""

    def function(x: jax.Array) -> jax.Array:
        return jnp.sum(jnp.sin(x) * x**2) * jnp.sum(x)

    return jax.hessian(function), (normal(generator, 20),)


@program("loops")
def power_iteration(generator: np.random.Generator) -> Built:
    def function(matrix: jax.Array, x: jax.Array) -> jax.Array:
        def step(_: Any, x: jax.Array) -> jax.Array:
            y = matrix @ x
            return y / jnp.linalg.norm(y)

        return lax.fori_loop(0, 50, step, x)

    return function, (_definite(generator, 200, 200), normal(generator, 200))


@program("loops", odd=(120, 256))
def proximal_gradient(generator: np.random.Generator, rows: int, columns: int) -> Built:
    """Accelerated steps towards a sparse solution of a linear system (FISTA)."""

    def solve(a: jax.Array, b: jax.Array) -> tuple[jax.Array, jax.Array]:
        rate = 10 / jnp.sum(a**2)
        State = tuple[jax.Array, jax.Array, jax.Array]

        def step(state: State, _: Any) -> tuple[State, jax.Array]:
            x, z, t = state
            u = z - rate * a.T @ (a @ z - b)
            next = jnp.sign(u) * jnp.maximum(jnp.abs(u) - 0.05 * rate, 0)
            next_t = (1 + jnp.sqrt(1 + 4 * t * t)) / 2
            moved = next + (t - 1) / next_t * (next - x)
            return (next, moved, next_t), jnp.sum(jnp.abs(next))

        start = jnp.zeros(columns), jnp.zeros(columns), jnp.float32(1)
        (x, _, _), norms = lax.scan(step, start, None, 60)
        return x, norms

    return solve, (0.09 * normal(generator, rows, columns), normal(generator, rows))
