"""Models that are fitted: processes, chains, least squares, linear systems, evolution, splines."""

from __future__ import annotations

from typing import Any

import interpax
import jax
import jax.numpy as jnp
import jaxopt
import lineax
import numpy as np
import optimistix
import tinygp
from dynamax.hidden_markov_model import hmm_posterior_mode, hmm_smoother
from dynamax.linear_gaussian_ssm import LinearGaussianSSM, lgssm_smoother
from evosax.algorithms import CMA_ES

from shlo_tools.tools.bench.jax_programs.registry import Built, normal, program
from shlo_tools.tools.bench.library_programs.arguments import key

_FAMILY = "estimation"


@program(_FAMILY)
def tinygp_gradient(generator: np.random.Generator) -> Built:
    """The likelihood of a Gaussian process and its gradient: a Cholesky decomposition and back."""

    def loss(parameters: dict[str, jax.Array], x: jax.Array, y: jax.Array) -> jax.Array:
        sizes = {name: jnp.exp(value) for name, value in parameters.items()}
        rough = sizes["height"] * tinygp.kernels.Matern32(sizes["rough"])
        kernel = rough + tinygp.kernels.ExpSquared(sizes["smooth"])
        return -tinygp.GaussianProcess(kernel, x, diag=sizes["noise"]).log_probability(y)

    logarithms = {"height": 0.2, "rough": 0.1, "smooth": 0.0, "noise": -2.0}
    parameters = {name: np.float32(value) for name, value in logarithms.items()}
    x = np.sort(generator.uniform(0, 10, 200)).astype(np.float32)
    y = np.sin(x) + np.float32(0.1) * normal(generator, 200)
    return jax.value_and_grad(loss), (parameters, x, y)


@program(_FAMILY)
def dynamax_kalman_smoother(generator: np.random.Generator) -> Built:
    """200 steps forth and back, each with small linear systems."""
    noise = np.float32(0.05) * normal(generator, 6, 6)
    matrices = {
        "dynamics_weights": np.float32(0.9) * np.eye(6, dtype=np.float32) + noise,
        "emission_weights": normal(generator, 3, 6),
    }
    parameters, _ = LinearGaussianSSM(6, 3).initialize(key(), **matrices)

    def function(parameters: Any, emissions: jax.Array) -> Any:
        states = lgssm_smoother(parameters, emissions)
        return states.marginal_loglik, states.smoothed_means, states.smoothed_covariances

    return function, (parameters, normal(generator, 200, 3))


@program(_FAMILY)
def dynamax_hmm(generator: np.random.Generator) -> Built:
    """Loops over 500 steps: probabilities forth and back, and the likeliest path."""

    def function(start: jax.Array, moves: jax.Array, likelihoods: jax.Array) -> Any:
        states = hmm_smoother(start, moves, likelihoods)
        path = hmm_posterior_mode(start, moves, likelihoods)
        return states.marginal_loglik, states.smoothed_probs, states.trans_probs, path

    moves = generator.dirichlet(np.ones(24), 24).astype(np.float32)
    return function, (np.full(24, 1 / 24, np.float32), moves, normal(generator, 500, 24))


@program(_FAMILY)
def jaxopt_lbfgs(generator: np.random.Generator) -> Built:
    """A logistic regression: line searches in a loop that ends where it converges."""

    def loss(slope: jax.Array, points: jax.Array, labels: jax.Array) -> jax.Array:
        decay = 1e-2 * jnp.sum(slope**2)
        return jaxopt.objective.binary_logreg(slope, (points, labels)) + decay

    def function(slope: jax.Array, points: jax.Array, labels: jax.Array) -> jax.Array:
        solver = jaxopt.LBFGS(loss, maxiter=30, tol=1e-4, history_size=5)
        return solver.run(slope, points, labels).params

    points = normal(generator, 2000, 32)
    values = points @ normal(generator, 32) + normal(generator, 2000)
    return function, (np.zeros(32, np.float32), points, (values > 0).astype(np.int32))


@program(_FAMILY)
def optimistix_levenberg_marquardt(generator: np.random.Generator) -> Built:
    """Four parameters of a damped wave: a QR decomposition of a tall matrix for each step."""

    def wave(parameters: dict[str, jax.Array], times: Any) -> jax.Array:
        phase = parameters["frequency"] * times + parameters["phase"]
        return parameters["height"] * jnp.exp(-parameters["decay"] * times) * jnp.cos(phase)

    def function(parameters: Any, times: jax.Array, values: jax.Array) -> Any:
        solver = optimistix.LevenbergMarquardt(rtol=1e-4, atol=1e-4)
        return optimistix.least_squares(
            lambda parameters, _: wave(parameters, times) - values,
            solver,
            parameters,
            max_steps=64,
            throw=False,
        ).value

    guess = {"height": 1.5, "decay": 0.5, "frequency": 2.8, "phase": 0.0}
    parameters = {name: np.float32(value) for name, value in guess.items()}
    times = np.linspace(0, 5, 200, dtype=np.float32)
    clean = 2 * np.exp(-0.7 * times) * np.cos(3 * times + 0.3)
    return function, (parameters, times, clean + np.float32(0.05) * normal(generator, 200))


@program(_FAMILY)
def lineax_gmres_f64(generator: np.random.Generator) -> Built:
    """A linear system that is a function, solved from its Krylov space with restarts."""

    def function(diagonal: jax.Array, right: jax.Array) -> jax.Array:
        def product(x: jax.Array) -> jax.Array:
            return (4.2 + diagonal) * x - 1.5 * jnp.roll(x, 1) - 0.5 * jnp.roll(x, -1)

        operator = lineax.FunctionLinearOperator(product, jax.eval_shape(lambda: right))
        solver = lineax.GMRES(rtol=1e-8, atol=1e-8, restart=20)
        return lineax.linear_solve(operator, right, solver, throw=False).value

    return function, (generator.random(2000), normal(generator, 2000, dtype=np.float64))


@program(_FAMILY)
def evosax_generation(generator: np.random.Generator) -> Built:
    """A population of evolution strategies: samples, their order, and eigenvectors."""
    strategy = CMA_ES(population_size=32, solution=jnp.zeros(20))
    parameters = strategy.default_params

    def function(bits: jax.Array, state: Any, parameters: Any) -> Any:
        bits_before, bits_behind = jax.random.split(bits)
        points, state = strategy.ask(bits_before, state, parameters)
        waves = points**2 - 10 * jnp.cos(2 * jnp.pi * points)
        fitness = 200 + jnp.sum(waves, -1)
        state, _ = strategy.tell(bits_behind, points, fitness, state, parameters)
        return fitness, state.mean, state.std, state.C

    start, scales = normal(generator, 20), normal(generator, 20, 100)
    state = strategy.init(key(1), jnp.asarray(start), parameters)
    state = state.replace(C=scales @ scales.T / 100)
    return function, (key(), *jax.tree.map(jnp.asarray, (state, parameters)))


@program(_FAMILY)
def interpax_splines(generator: np.random.Generator) -> Built:
    """Three splines at 4000 places: where each is, by bisection, and gathers of coefficients."""

    def function(places: jax.Array, knots: jax.Array, values: jax.Array) -> Any:
        akima = interpax.Akima1DInterpolator(knots, values, check=False)
        cubic = interpax.CubicSpline(knots, values, check=False)
        monotonic = interpax.interp1d(places, knots, values, method="monotonic")
        return akima(places), cubic(places), monotonic

    knots = np.cumsum(generator.uniform(0.05, 0.15, 100)).astype(np.float32)
    places = np.linspace(knots[0], knots[-1], 4000, dtype=np.float32)
    return function, (places, knots, normal(generator, 100))
