"""Networks on graphs: Jraph with Haiku, trained by Optax, and e3nn with Flax."""

from __future__ import annotations

from typing import Any

import e3nn_jax as e3nn
import flax.linen as nn
import haiku as hk
import jax
import jax.numpy as jnp
import jraph
import numpy as np
import optax

from shlo_tools.tools.bench.jax_programs.registry import Built, integers, normal, program
from shlo_tools.tools.bench.library_programs.arguments import key, trained

_FAMILY = "graphs"


def _three_graphs(generator: np.random.Generator) -> Any:
    nodes, edges = np.array([12, 10, 18], np.int32), np.array([40, 30, 50], np.int32)
    firsts, sizes = np.repeat(np.cumsum(nodes) - nodes, edges), np.repeat(nodes, edges)
    senders, receivers = ((firsts + generator.integers(0, sizes)).astype(np.int32) for _ in "sr")
    return jraph.GraphsTuple(
        nodes=normal(generator, nodes.sum(), 16),
        edges=normal(generator, edges.sum(), 8),
        senders=senders,
        receivers=receivers,
        globals=normal(generator, 3, 4),
        n_node=nodes,
        n_edge=edges,
    )


@program(_FAMILY)
def jraph_training(generator: np.random.Generator) -> Built:
    """A step of Adam for three graphs of different sizes: sums over edges and over nodes."""

    def layer(width: int) -> Any:
        layers = [hk.nets.MLP((32, width)), hk.LayerNorm(-1, True, True)]
        return jraph.concatenated_args(hk.Sequential(layers))

    def forward(graph: Any) -> jax.Array:
        for _ in range(3):
            graph = jraph.GraphNetwork(layer(32), layer(32), layer(16))(graph)
        return hk.Linear(1)(graph.globals)[:, 0]

    network, graph = hk.without_apply_rng(hk.transform(forward)), _three_graphs(generator)
    parameters, optimizer = trained(generator, network.init(key(), graph)), optax.adam(1e-3)

    def step(parameters: Any, moments: Any, graph: Any, labels: jax.Array) -> Any:
        def loss(parameters: Any) -> jax.Array:
            return jnp.square(network.apply(parameters, graph) - labels).mean()

        value, gradients = jax.value_and_grad(loss)(parameters)
        updates, moments = optimizer.update(gradients, moments)
        return value, optax.apply_updates(parameters, updates), moments

    return step, (parameters, optimizer.init(parameters), graph, normal(generator, 3))


class _Energy(nn.Module):
    @nn.compact
    def __call__(self, positions: Any, features: Any, senders: Any, receivers: Any) -> jax.Array:
        features = e3nn.IrrepsArray("8x0e + 4x1o", features)
        edges = e3nn.IrrepsArray("1o", positions[senders] - positions[receivers])
        directions = e3nn.spherical_harmonics("0e + 1o + 2e", edges, True)
        irreps = ("0e", "1o", "2e")
        messages = e3nn.tensor_product(features[senders], directions, filter_ir_out=irreps)
        lengths = jnp.linalg.norm(edges.array, axis=-1)
        radial = e3nn.bessel(lengths, 6, 3.0) * e3nn.poly_envelope(3, 3)(lengths / 3.0)[:, None]
        scales = nn.Dense(messages.irreps.num_irreps)(nn.silu(nn.Dense(32)(radial)))
        nodes = positions.shape[0]
        x = e3nn.scatter_sum(messages * scales, dst=receivers, output_size=nodes) / 4.0
        x = e3nn.gate(e3nn.flax.Linear("16x0e + 12x0e + 8x1o + 4x2e")(x))
        return e3nn.flax.Linear("0e")(x).array.sum()


@program(_FAMILY)
def e3nn_messages(generator: np.random.Generator) -> Built:
    """Forces on 24 atoms: products of what turns with space, in many small pieces."""
    network, atoms = _Energy(), 24
    features, positions = normal(generator, atoms, 20), normal(generator, atoms, 3)
    senders = integers(generator, atoms, 96)
    receivers = (senders + 1 + integers(generator, atoms - 1, 96)) % atoms

    def energy(positions: Any, parameters: Any, *others: Any) -> jax.Array:
        return network.apply(parameters, positions, *others)

    others = (features, senders, receivers)
    parameters = trained(generator, network.init(key(), positions, *others))
    return jax.value_and_grad(energy), (positions, parameters, *others)
