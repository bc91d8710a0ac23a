"""What learns: RLax and mctx, optimizers of Optax, flows of Distrax, transport by OTT."""

from __future__ import annotations

from functools import partial
from typing import Any

import distrax
import haiku as hk
import jax
import jax.numpy as jnp
import mctx
import numpy as np
import optax
import rlax
from ott.geometry.pointcloud import PointCloud
from ott.problems.linear.linear_problem import LinearProblem
from ott.solvers.linear.sinkhorn import Sinkhorn

from shlo_tools.tools.bench.jax_programs.registry import Built, integers, normal, program, weights
from shlo_tools.tools.bench.library_programs.arguments import key, trained

_FAMILY = "learning"


@program(_FAMILY)
def rlax_vtrace(generator: np.random.Generator) -> Built:
    """The gradient of an actor's and a critic's loss: a loop backwards over 64 steps of time."""
    steps, batch, actions = 64, 16, 6

    def loss(
        values: Any, logits: Any, behavior: Any, chosen: Any, rewards: Any, discounts: Any
    ) -> Any:
        ratios = jax.vmap(rlax.categorical_importance_sampling_ratios, 1, 1)
        trace = jax.vmap(partial(rlax.vtrace_td_error_and_advantage, lambda_=0.95), 1, 1)
        ratio = ratios(logits, behavior, chosen)
        errors, advantages, _ = trace(values[:-1], values[1:], rewards, discounts, ratio)
        ones = jnp.ones((steps, batch))
        policy = jax.vmap(rlax.policy_gradient_loss, 1)(logits, chosen, advantages, ones)
        entropy = jax.vmap(rlax.entropy_loss, 1)(logits, ones)
        return (policy + 0.5 * jnp.square(errors).mean(0) + 0.01 * entropy).mean()

    values, rewards = normal(generator, steps + 1, batch), normal(generator, steps, batch)
    logits, behavior = (normal(generator, steps, batch, actions) for _ in range(2))
    chosen = integers(generator, actions, steps, batch)
    discounts = np.float32(0.99) * (integers(generator, 10, steps, batch) > 0)
    arguments = (values, logits, behavior, chosen, rewards, discounts)
    return jax.value_and_grad(loss, (0, 1)), arguments


@program(_FAMILY)
def mctx_search(generator: np.random.Generator) -> Built:
    """Trees of 24 simulations for four games: loops in loops that read and write single nodes."""
    actions, games = 6, 4

    def dynamics(action: jax.Array, state: jax.Array) -> Any:
        state = jnp.concatenate([state, jax.nn.one_hot(action, actions)], -1)
        state = jnp.tanh(hk.nets.MLP((64, 32))(state))
        prior, value = (hk.nets.MLP((32, width))(state) for width in (actions, 1))
        return state, prior, value[:, 0], hk.Linear(1)(state)[:, 0]

    network, states = hk.without_apply_rng(hk.transform(dynamics)), normal(generator, games, 32)
    idle = np.zeros(games, np.int32)

    def simulate(parameters: Any, _: jax.Array, action: jax.Array, state: Any) -> Any:
        state, prior, value, reward = network.apply(parameters, action, state)
        gain = {"reward": reward, "discount": jnp.full(games, 0.97)}
        return mctx.RecurrentFnOutput(prior_logits=prior, value=value, **gain), state

    def function(parameters: Any, randomness: jax.Array, states: jax.Array) -> Any:
        _, prior, value, _ = network.apply(parameters, idle, states)
        root = mctx.RootFnOutput(prior_logits=prior, value=value, embedding=states)
        limits = {"num_simulations": 24, "max_num_considered_actions": 4}
        policy = mctx.gumbel_muzero_policy(parameters, randomness, root, simulate, **limits)
        tree = policy.search_tree
        return policy.action, policy.action_weights, tree.node_values, tree.node_visits

    return function, (trained(generator, network.init(key(), idle, states)), key(2), states)


def _update(generator: np.random.Generator, optimizer: Any) -> Built:
    def tree() -> Any:
        layers = [(weights(generator, 128, 128), normal(generator, 128)) for _ in range(4)]
        return {"embedding": normal(generator, 400, 128), "layers": layers}

    def step(parameters: Any, state: Any, gradients: Any) -> Any:
        updates, state = optimizer.update(gradients, state, parameters)
        return optax.apply_updates(parameters, updates), state

    parameters = tree()
    parameters, state = step(parameters, optimizer.init(parameters), tree())
    return step, (parameters, state, tree())


@program(_FAMILY)
def optax_adafactor(generator: np.random.Generator) -> Built:
    """Moments of rows and of columns instead of those of elements."""
    return _update(generator, optax.adafactor(1e-3, min_dim_size_to_factor=64))


@program(_FAMILY)
def optax_lamb(generator: np.random.Generator) -> Built:
    """Updates that are scaled by norms, each array's own."""
    return _update(generator, optax.lamb(1e-3, weight_decay=0.01))


@program(_FAMILY)
def distrax_splines_gradient(generator: np.random.Generator) -> Built:
    """The likelihood of points under three layers of splines, whose pieces a network chooses."""
    width, pieces = 8, 8
    shape = (width, 3 * pieces + 1)

    def likelihood(points: jax.Array) -> jax.Array:
        mask, layers = np.arange(width) % 2 == 0, []
        for _ in range(3):
            network = hk.Sequential([hk.nets.MLP((32, shape[0] * shape[1])), hk.Reshape(shape)])
            spline = partial(distrax.RationalQuadraticSpline, range_min=-3.0, range_max=3.0)
            layers.append(distrax.MaskedCoupling(mask, network, spline))
            mask = ~mask
        base = distrax.MultivariateNormalDiag(jnp.zeros(width), jnp.ones(width))
        flow = distrax.Transformed(base, distrax.Inverse(distrax.Chain(layers)))
        return flow.log_prob(points).mean()

    network, points = hk.without_apply_rng(hk.transform(likelihood)), normal(generator, 64, width)
    parameters = trained(generator, network.init(key(), points))
    return jax.value_and_grad(network.apply), (parameters, points)


@program(_FAMILY)
def ott_sinkhorn(generator: np.random.Generator) -> Built:
    """Transport between two clouds of points: a loop until it converges, by logarithms of sums."""

    def function(x: jax.Array, y: jax.Array) -> Any:
        solver = Sinkhorn(threshold=1e-3, max_iterations=200)
        transport = solver(LinearProblem(PointCloud(x, y, epsilon=0.5)))
        return transport.reg_ot_cost, transport.matrix, transport.n_iters

    return function, (normal(generator, 48, 4), normal(generator, 56, 4) + np.float32(0.5))
