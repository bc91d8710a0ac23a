"""Differential equations, by Diffrax: neural, stiff, partial and stochastic ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import lineax
import numpy as np

from shlo_tools.tools.bench.jax_programs.registry import Array, Built, normal, program
from shlo_tools.tools.bench.library_programs.arguments import key

_FAMILY = "solvers"


def _neural_ode(width: int) -> tuple[Callable[..., jax.Array], Any, Array]:
    """How a batch of states moves, the field's parameters, and the times to look at."""
    network = eqx.nn.MLP(2, 2, width, 2, activation=jax.nn.softplus, key=key(1))
    parameters, layers = eqx.partition(network, eqx.is_array)

    def solve(parameters: Any, start: jax.Array, times: jax.Array) -> jax.Array:
        field = eqx.combine(parameters, layers)
        return diffrax.diffeqsolve(
            diffrax.ODETerm(lambda time, y, _: field(y)),
            diffrax.Dopri5(),
            *(times[0], times[-1], times[1] - times[0], start),
            saveat=diffrax.SaveAt(ts=times),
            stepsize_controller=diffrax.PIDController(rtol=1e-3, atol=1e-5),
            max_steps=256,
            throw=False,
        ).ys

    return jax.vmap(solve, (None, 0, None)), parameters, np.linspace(0, 2, 20, dtype=np.float32)


@program(_FAMILY)
def diffrax_neural_ode(generator: np.random.Generator) -> Built:
    """A small network in a loop of adaptive steps, as many as the slowest of 32 states needs."""
    solve, parameters, times = _neural_ode(64)
    return solve, (parameters, normal(generator, 32, 2), times)


@program(_FAMILY)
def diffrax_neural_ode_gradient(generator: np.random.Generator) -> Built:
    """The way back through a loop of adaptive steps, from states that it keeps."""
    solve, parameters, times = _neural_ode(32)

    def loss(parameters: Any, starts: Any, times: Any, targets: Any) -> jax.Array:
        return jnp.mean((solve(parameters, starts, times) - targets) ** 2)

    starts, targets = normal(generator, 8, 2), normal(generator, 8, 20, 2)
    return jax.value_and_grad(loss), (parameters, starts, times, targets)


@program(_FAMILY)
def diffrax_stiff_f64(generator: np.random.Generator) -> Built:
    """Robertson's reaction: implicit steps, each with small linear systems for Newton's method."""

    def field(time: Any, y: jax.Array, rates: jax.Array) -> jax.Array:
        slow, fast, middle = rates[0] * y[0], rates[1] * y[1] ** 2, rates[2] * y[1] * y[2]
        return jnp.stack([middle - slow, slow - fast - middle, fast])

    def solve(start: jax.Array, rates: jax.Array, times: jax.Array) -> jax.Array:
        return diffrax.diffeqsolve(
            diffrax.ODETerm(field),
            diffrax.Kvaerno5(),
            *(0.0, 100.0, 0.0002, start, rates),
            saveat=diffrax.SaveAt(ts=times),
            stepsize_controller=diffrax.PIDController(rtol=1e-8, atol=1e-8),
            throw=False,
        ).ys

    start, rates = np.array([1.0, 0.0, 0.0]), np.array([0.04, 3e7, 1e4])
    return solve, (start, rates, np.logspace(-4, 2, 7))


@program(_FAMILY)
def diffrax_reaction_diffusion(generator: np.random.Generator) -> Built:
    """Gray and Scott's patterns: 20 steps of stencils on a grid without borders."""

    def laplacian(u: jax.Array) -> jax.Array:
        shifts = [jnp.roll(u, by, axis) for by in (1, -1) for axis in (0, 1)]
        return sum(shifts, -4 * u)

    def field(time: Any, fields: Any, rates: jax.Array) -> Any:
        (u, v), (spread, feed, kill) = fields, rates
        reaction = u * v * v
        growth = spread * laplacian(u) - reaction + feed * (1 - u)
        return growth, spread / 2 * laplacian(v) + reaction - (feed + kill) * v

    def solve(u: jax.Array, v: jax.Array, rates: jax.Array) -> Any:
        return diffrax.diffeqsolve(
            diffrax.ODETerm(field),
            diffrax.Bosh3(),
            *(0.0, 20.0, 1.0, (u, v), rates),
            saveat=diffrax.SaveAt(t1=True),
            stepsize_controller=diffrax.ConstantStepSize(),
            throw=False,
        ).ys

    u, v = np.ones((96, 96), np.float32), np.abs(0.01 * normal(generator, 96, 96))
    u[40:56, 40:56], v[40:56, 40:56] = 0.5, 0.25
    return solve, (u, v, np.array([0.16, 0.035, 0.065], np.float32))


@program(_FAMILY)
def diffrax_stochastic(generator: np.random.Generator) -> Built:
    """Paths whose noise is bisected anew for each step, down to its time."""

    def solve(bits: jax.Array, start: jax.Array, rates: jax.Array) -> jax.Array:
        noise = diffrax.VirtualBrownianTree(0.0, 1.0, tol=1e-3, shape=(4,), key=bits)

        def diffusion(time: Any, y: jax.Array, rates: jax.Array) -> Any:
            return lineax.DiagonalLinearOperator(rates[2] * jnp.sqrt(jnp.abs(y) + 0.1))

        drift = diffrax.ODETerm(lambda time, y, rates: rates[0] * (rates[1] - y))
        return diffrax.diffeqsolve(
            diffrax.MultiTerm(drift, diffrax.ControlTerm(diffusion, noise)),
            diffrax.Heun(),
            *(0.0, 1.0, 0.02, start, rates),
            saveat=diffrax.SaveAt(ts=jnp.linspace(0, 1, 11)),
            max_steps=64,
            throw=False,
        ).ys

    keys, starts = jax.random.split(key(), 32), np.abs(normal(generator, 32, 4))
    rates = np.array([2.0, 1.0, 0.3], np.float32)
    return jax.vmap(solve, (0, 0, None)), (keys, starts, rates)
