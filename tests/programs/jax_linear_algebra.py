"""Factorizations, which JAX exports as LAPACK calls.

Factors are unique only up to signs and order, so each program returns what does not depend on
them. Matrices are well conditioned: an f32 solution keeps all but about two digits.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from inputs import normal, uniform
from jax import lax
from jax_registry import Built, program
from recording import Array

SOLVE = "backward stable f32 solution of systems with condition numbers below 50"


def positive_definite(generator: np.random.Generator, *shape: int) -> Array:
    """Symmetric matrices with eigenvalues from 1 to about 5."""
    factor = normal(generator, *shape, scale=shape[-1] ** -0.5)
    return factor @ np.swapaxes(factor, -1, -2) + np.eye(shape[-1], dtype=np.float32)


@program(rtol=4e-6, atol=4e-6, reason=SOLVE)
def cholesky_solve(generator: np.random.Generator) -> Built:
    """The log density of a Gaussian, its gradient, and a batched solve."""

    def log_density(covariance: jax.Array, x: jax.Array) -> jax.Array:
        factor = jnp.linalg.cholesky(covariance)
        whitened = lax.linalg.triangular_solve(factor, x, left_side=True, lower=True)
        return -0.5 * jnp.sum(whitened**2) - jnp.sum(jnp.log(jnp.diagonal(factor)))

    def solve(covariance: jax.Array, x: jax.Array, batch: jax.Array, right: jax.Array) -> Any:
        value, gradient = jax.value_and_grad(log_density, argnums=(0, 1))(covariance, x)
        factor = jax.scipy.linalg.cho_factor(batch, lower=True)
        return value, gradient, jax.scipy.linalg.cho_solve(factor, right)

    arguments = (
        positive_definite(generator, 6, 6),
        normal(generator, 6, 1),
        positive_definite(generator, 3, 4, 4),
        normal(generator, 3, 4, 2),
    )
    return solve, arguments


@program(rtol=4e-6, atol=4e-6, reason=SOLVE)
def lu_solve(generator: np.random.Generator) -> Built:
    """Solution, inverse and determinant of a general matrix, whose rows get swapped."""

    def solve(matrix: jax.Array, right: jax.Array) -> Any:
        return jnp.linalg.solve(matrix, right), jnp.linalg.inv(matrix), jnp.linalg.det(matrix)

    matrix = positive_definite(generator, 5, 5)[::-1].copy()
    return solve, (matrix, normal(generator, 5, 2))


@program(rtol=4e-6, atol=4e-6, reason=SOLVE)
def qr_least_squares(generator: np.random.Generator) -> Built:
    """Least squares by QR, and the projection on the column space."""

    def fit(matrix: jax.Array, right: jax.Array) -> Any:
        q, r = jnp.linalg.qr(matrix)
        return jax.scipy.linalg.solve_triangular(r, q.T @ right), q @ q.T

    return fit, (normal(generator, 9, 4), normal(generator, 9))


@program(rtol=5e-6, atol=5e-6, reason="eigenvalues of order 1 in f32; their functions are smooth")
def eigh_function(generator: np.random.Generator) -> Built:
    """Eigenvalues and the logarithm of a symmetric matrix."""

    def logarithm(matrix: jax.Array) -> Any:
        values, vectors = jnp.linalg.eigh(matrix)
        return values, (vectors * jnp.log(values)) @ vectors.T

    return logarithm, (positive_definite(generator, 6, 6),)


@program(rtol=4e-6, atol=4e-6, reason=SOLVE)
def svd_pseudoinverse(generator: np.random.Generator) -> Built:
    """Singular values and the pseudoinverse of a wide matrix."""

    def invert(matrix: jax.Array) -> Any:
        u, values, v = jnp.linalg.svd(matrix, full_matrices=False)
        return values, (v.T / values) @ u.T

    return invert, (normal(generator, 4, 9),)


@program(rtol=4e-6, atol=4e-6, reason=SOLVE)
def tridiagonal_solve(generator: np.random.Generator) -> Built:
    """A diagonally dominant tridiagonal system."""
    lower, upper = uniform(generator, -1, 1, 10), uniform(generator, -1, 1, 10)
    lower[0] = upper[-1] = 0
    arguments = (lower, uniform(generator, 2.5, 3.5, 10), upper, normal(generator, 10, 2))
    return lax.linalg.tridiagonal_solve, arguments
