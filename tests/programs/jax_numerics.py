"""Numerical methods: iterations, integrators, transforms, sparse matrices."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from inputs import normal, uniform
from jax import lax
from jax.experimental import sparse
from jax_registry import Built, program


@program(rtol=1e-6, atol=0.0, reason="Newton's iteration corrects itself: a few ulp of the root")
def newton(generator: np.random.Generator) -> Built:
    """Cube roots of a vector by Newton's iteration, with a convergence test and a counter."""

    def cube_root(values: jax.Array) -> Any:
        def unconverged(state: Any) -> jax.Array:
            _, change, count = state
            return (jnp.max(change) > 1e-4) & (count < 50)

        def improve(state: Any) -> Any:
            root, _, count = state
            better = root - (root**3 - values) / (3 * root**2)
            return better, jnp.abs(better - root), count + 1

        start = (values, jnp.full_like(values, jnp.inf), jnp.int32(0))
        root, _, count = lax.while_loop(unconverged, improve, start)
        return root, count

    return cube_root, (uniform(generator, 0.5, 20.0, 12),)


@program(
    rtol=2e-5,
    atol=2e-5,
    reason="f32 noise in the error estimate moves the step sizes, hence the 1e-3 local error",
)
def ode_step(generator: np.random.Generator) -> Built:
    """Three van der Pol oscillators by Bogacki-Shampine with adaptive steps and rejection."""

    def slope(y: jax.Array) -> jax.Array:
        position, velocity = y
        return jnp.stack([velocity, 1.5 * (1 - position**2) * velocity - position])

    def attempt(y: jax.Array, k1: jax.Array, h: jax.Array) -> Any:
        k2 = slope(y + h / 2 * k1)
        k3 = slope(y + h * 3 / 4 * k2)
        new = y + h * (2 * k1 + 3 * k2 + 4 * k3) / 9
        k4 = slope(new)
        error = h * (-5 * k1 / 72 + k2 / 12 + k3 / 9 - k4 / 8)
        scale = 1e-3 + 1e-3 * jnp.maximum(jnp.abs(y), jnp.abs(new))
        return new, k4, jnp.sqrt(jnp.mean((error / scale) ** 2))

    def integrate(y: jax.Array, end: jax.Array) -> Any:
        def unfinished(state: Any) -> jax.Array:
            t, *_ = state
            return t < end

        def advance(state: Any) -> Any:
            t, h, y, k1, accepted, rejected = state
            h = jnp.minimum(h, end - t)
            new, k4, error = attempt(y, k1, h)
            factor = jnp.clip(0.9 * error ** (-1 / 3), 0.2, 5.0)
            return lax.cond(
                error <= 1.0,
                lambda: (t + h, h * factor, new, k4, accepted + 1, rejected),
                lambda: (t, h * factor, y, k1, accepted, rejected + 1),
            )

        zero = jnp.int32(0)
        start = (jnp.float32(0), jnp.float32(1.0), y, slope(y), zero, zero)
        t, _, y, _, accepted, rejected = lax.while_loop(unfinished, advance, start)
        return t, y, accepted, rejected

    return integrate, (normal(generator, 2, 3), np.float32(2.0))


@program(rtol=1e-5, atol=1e-5, reason="f32 butterflies of up to 40 terms of order 1 to 10")
def fft(generator: np.random.Generator) -> Built:
    """A circular convolution by real FFTs and a complex 2-d FFT with its inverse."""

    def transforms(signal: jax.Array, kernel: jax.Array, image: jax.Array) -> Any:
        convolved = jnp.fft.irfft(jnp.fft.rfft(signal) * jnp.fft.rfft(kernel), n=signal.shape[-1])
        spectrum = jnp.fft.fft2(image, norm="ortho")
        power = jnp.real(spectrum * jnp.conj(spectrum))
        return convolved, spectrum, jnp.fft.ifft2(spectrum * power, norm="ortho")

    image = normal(generator, 2, 5, 8) + 1j * normal(generator, 2, 5, 8)
    arguments = (normal(generator, 3, 24), normal(generator, 24), image.astype(np.complex64))
    return transforms, arguments


@program(
    rtol=2e-6,
    atol=2e-6,
    reason="f32 sums of at most 6 terms of order 1, twice",
    lowered=True,
)
def sparse_matvec(generator: np.random.Generator) -> Built:
    """A 10x12 matrix in coordinate (BCOO) and in row (BCSR) form times a vector and a matrix.

    BCSR is a custom call without compatibility guarantees.
    """
    rows, columns = 10, 12
    pattern = np.unique(generator.integers(0, rows * columns, 30))
    row, column = (index.astype(np.int32) for index in np.divmod(pattern, columns))
    starts = np.searchsorted(row, np.arange(rows + 1)).astype(np.int32)

    def products(data: Any, indices: Any, starts: Any, vector: jax.Array, matrix: jax.Array) -> Any:
        by_entry = sparse.BCOO((data, indices), shape=(rows, columns))
        by_row = sparse.BCSR((data, indices[:, 1], starts), shape=(rows, columns))
        return by_entry @ vector, by_entry.T @ (by_row @ vector), by_row @ matrix

    indices = np.stack([row, column], axis=1)
    vector, matrix = normal(generator, columns), normal(generator, columns, 3)
    return products, (normal(generator, len(pattern)), indices, starts, vector, matrix)
