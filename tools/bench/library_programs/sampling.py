"""Samples of distributions and fits to them: BlackJAX and NumPyro."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import blackjax
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import NUTS, SVI, Trace_ELBO
from numpyro.infer.autoguide import AutoMultivariateNormal
from numpyro.infer.util import potential_energy

from shlo_tools.tools.bench.jax_programs.registry import Array, Built, normal, program
from shlo_tools.tools.bench.library_programs.arguments import key

_FAMILY = "sampling"


def _logistic(generator: np.random.Generator) -> tuple[Array, Array]:
    """500 points, and labels as a logistic model has them."""
    points, slope = normal(generator, 500, 16), normal(generator, 16)
    chances = 1 / (1 + np.exp(-points @ slope))
    return points, (generator.random(500) < chances).astype(np.float32)


def _logistic_density(points: jax.Array, labels: jax.Array) -> Callable[[jax.Array], jax.Array]:
    def density(slope: jax.Array) -> jax.Array:
        logits = points @ slope
        fit = labels * logits - jnp.logaddexp(0.0, logits)
        return jnp.sum(fit) - 0.5 * jnp.sum(slope**2)

    return density


@program(_FAMILY)
def blackjax_hmc(generator: np.random.Generator) -> Built:
    """A step of eight chains: ten gradients each, and accepted or not."""

    def step(keys: Any, slopes: Any, masses: Any, points: Any, labels: Any) -> Any:
        density = _logistic_density(points, labels)
        sampler = blackjax.hmc(density, 0.02, masses, num_integration_steps=10)
        chains, report = jax.vmap(sampler.step)(keys, jax.vmap(sampler.init)(slopes))
        return chains, report.acceptance_rate, report.is_accepted

    keys, slopes = jax.random.split(key(), 8), np.float32(0.1) * normal(generator, 8, 16)
    return step, (keys, slopes, np.ones(16, np.float32), *_logistic(generator))


@program(_FAMILY)
def blackjax_nuts(generator: np.random.Generator) -> Built:
    """A step whose path doubles until it turns back: loops in loops."""

    def step(bits: Any, slope: Any, masses: Any, points: Any, labels: Any) -> Any:
        density = _logistic_density(points, labels)
        sampler = blackjax.nuts(density, 0.01, masses, max_num_doublings=6)
        chain, report = sampler.step(bits, sampler.init(slope))
        return chain, report.num_integration_steps, report.acceptance_rate, report.energy

    slope = np.float32(0.1) * normal(generator, 16)
    return step, (key(), slope, np.ones(16, np.float32), *_logistic(generator))


@program(_FAMILY)
def blackjax_random_walk(generator: np.random.Generator) -> Built:
    """500 tiny steps in a loop, most of them random bits."""

    def density(z: jax.Array) -> jax.Array:
        return -jnp.sum((1 - z[:-1]) ** 2 + 5.0 * (z[1:] - z[:-1] ** 2) ** 2)

    def walk(bits: jax.Array, start: jax.Array, scale: jax.Array) -> Any:
        moves = blackjax.mcmc.random_walk.normal(scale)
        sampler = blackjax.additive_step_random_walk(density, moves)

        def step(chain: Any, bits: jax.Array) -> Any:
            chain, report = sampler.step(bits, chain)
            return chain, (chain.position, report.is_accepted)

        return jax.lax.scan(step, sampler.init(start), jax.random.split(bits, 500))

    return walk, (key(3), np.float32(0.1) * normal(generator, 4), np.full(4, 0.2, np.float32))


@program(_FAMILY)
def numpyro_gradient(generator: np.random.Generator) -> Built:
    """Potential energy of a model of schools, 20000 of them, and where it descends."""

    def model(errors: jax.Array, effects: jax.Array) -> None:
        mean = numpyro.sample("mean", dist.Normal(0, 5))
        spread = numpyro.sample("spread", dist.HalfCauchy(5))
        with numpyro.plate("schools", len(errors)):
            moved = dist.transforms.AffineTransform(mean, spread)
            prior = dist.TransformedDistribution(dist.StudentT(5.0, 0.0, 1.0), moved)
            school = numpyro.sample("school", prior)
            numpyro.sample("effect", dist.Normal(school, errors), obs=effects)

    def energy(parameters: Any, errors: jax.Array, effects: jax.Array) -> jax.Array:
        return potential_energy(model, (errors, effects), {}, parameters)

    parameters: dict[str, Any] = {"mean": np.float32(0.5), "spread": np.float32(0.3)}
    parameters["school"] = normal(generator, 20000)
    errors = generator.uniform(5, 15, 20000).astype(np.float32)
    return jax.value_and_grad(energy), (parameters, errors, 10 * normal(generator, 20000))


def _regression(points: jax.Array, values: jax.Array) -> None:
    slope = numpyro.sample("slope", dist.Normal(0, 1).expand([points.shape[1]]).to_event(1))
    offset = numpyro.sample("offset", dist.Normal(0, 5))
    noise = numpyro.sample("noise", dist.Exponential(1.0))
    with numpyro.plate("points", points.shape[0]):
        numpyro.sample("value", dist.Normal(points @ slope + offset, noise), obs=values)


def _line(generator: np.random.Generator, size: int) -> tuple[Array, Array]:
    """Points, and values as the regression has them."""
    points = normal(generator, size, 8)
    noise = np.float32(0.3) * normal(generator, size)
    return points, points @ normal(generator, 8) + noise


@program(_FAMILY)
def numpyro_nuts(generator: np.random.Generator) -> Built:
    """20 steps in a loop, whose paths double until they turn back."""
    points, values = _line(generator, 200)
    sampler = NUTS(_regression, step_size=0.02, max_tree_depth=6)

    def walk(chain: Any, points: jax.Array, values: jax.Array) -> Any:
        def step(chain: Any, _: None) -> Any:
            chain = sampler.sample(chain, (points, values), {})
            return chain, (chain.z, chain.potential_energy, chain.num_steps)

        return jax.lax.scan(step, chain, None, length=20)

    return walk, (sampler.init(key(), 0, None, (points, values), {}), points, values)


@program(_FAMILY)
def numpyro_svi(generator: np.random.Generator) -> Built:
    """A step of Adam for a normal distribution that is fitted by 16 samples."""
    points, values = _line(generator, 2000)
    guide = AutoMultivariateNormal(_regression)
    fit = SVI(_regression, guide, numpyro.optim.Adam(1e-2), Trace_ELBO(16))
    return fit.update, (fit.init(key(), points, values), points, values)
