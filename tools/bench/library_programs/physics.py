"""Molecules, rigid bodies and their poses: JAX MD, Brax, MuJoCo and jaxlie."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import jaxlie
import mujoco
import numpy as np
from brax import envs
from brax.positional import pipeline
from jax_md import energy, quantity, simulate, space
from mujoco import mjx

from shlo_tools.tools.bench.jax_programs.registry import Array, Built, normal, program
from shlo_tools.tools.bench.library_programs.arguments import key

_FAMILY = "physics"
_BODIES = """
<mujoco><option timestep="0.01"/>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 1">
      <freejoint/><geom type="capsule" size=".1 .2"/>
      <body pos="0 0 .3">
        <joint type="hinge" axis="0 1 0" name="hip" damping=".1"/>
        <geom type="capsule" size=".05" fromto="0 0 0 0 0 .4"/>
        <body pos="0 0 .4">
          <joint type="hinge" axis="1 0 0" name="knee" damping=".1"/>
          <geom type="sphere" size=".08"/>
        </body>
      </body>
    </body>
    <body pos=".6 0 .25"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
  </worldbody>
  <actuator><motor joint="hip"/><motor joint="knee"/></actuator>
</mujoco>
"""


def _lattice(generator: np.random.Generator, side: int) -> tuple[Array, np.float32]:
    """Particles near the points of a cubic lattice, and the size of the box."""
    points = np.stack(np.meshgrid(*[np.arange(side)] * 3), -1).reshape(-1, 3)
    noise = np.float32(0.05) * normal(generator, *points.shape)
    return np.float32(1.2) * (points + 0.5).astype(np.float32) + noise, np.float32(1.2 * side)


@program(_FAMILY)
def jax_md_forces(generator: np.random.Generator) -> Built:
    """Lennard-Jones energy and forces of all pairs of particles."""
    positions, box = _lattice(generator, 6)
    displacement, _ = space.periodic(box)
    potential = energy.lennard_jones_pair(displacement)

    def function(positions: jax.Array) -> Any:
        return potential(positions), quantity.force(potential)(positions)

    return function, (positions,)


@program(_FAMILY)
def jax_md_steps(generator: np.random.Generator) -> Built:
    """Five steps at a temperature: forces of neighbors, whose list is built anew if need be."""
    positions, box = _lattice(generator, 8)
    displacement, shift = space.periodic(box)
    list_neighbors, potential = energy.lennard_jones_neighbor_list(displacement, box)
    neighbors = list_neighbors.allocate(jnp.asarray(positions), extra_capacity=6)
    start, step = simulate.nvt_nose_hoover(potential, shift, 2e-3, 0.8)

    def function(particles: Any, neighbors: Any) -> Any:
        def body(_: Any, carry: Any) -> Any:
            particles, neighbors = carry
            neighbors = neighbors.update(particles.position)
            return step(particles, neighbor=neighbors), neighbors

        particles, neighbors = jax.lax.fori_loop(0, 5, body, (particles, neighbors))
        return particles.position, particles.momentum, neighbors.did_buffer_overflow

    return function, (start(key(), jnp.asarray(positions), neighbor=neighbors), neighbors)


@program(_FAMILY)
def brax_step(generator: np.random.Generator) -> Built:
    """An ant moves: thousands of operations on a few numbers each."""
    ant = envs.get_environment("ant", backend="positional")
    bodies = jax.jit(ant.reset)(key()).pipeline_state

    def step(bodies: Any, action: jax.Array) -> Any:
        return pipeline.step(ant.sys, bodies, action)

    return step, (bodies, np.float32(0.3) * normal(generator, ant.action_size))


@program(_FAMILY)
def mjx_step(generator: np.random.Generator) -> Built:
    """Four worlds with joints and contacts, whose forces a loop of Newton's method looks for."""
    model = mujoco.MjModel.from_xml_string(_BODIES)
    world = mjx.put_model(model, impl="jax")

    def step(positions: jax.Array, velocities: jax.Array, controls: jax.Array) -> Any:
        bodies = mjx.make_data(model, impl="jax")
        bodies = bodies.replace(qpos=positions, qvel=velocities, ctrl=controls)
        bodies = mjx.step(world, bodies)
        return bodies.qpos, bodies.qvel, bodies.qacc, bodies.xpos

    positions = np.tile(model.qpos0.astype(np.float32), (4, 1))
    velocities = np.float32(0.1) * normal(generator, 4, model.nv)
    controls = np.float32(0.1) * normal(generator, 4, model.nu)
    return jax.vmap(step), (positions, velocities, controls)


@program(_FAMILY)
def jaxlie_poses(generator: np.random.Generator) -> Built:
    """2048 pairs of rigid motions: quaternions, with cases for small angles."""

    def function(one: jax.Array, other: jax.Array, point: jax.Array) -> Any:
        start, end = jaxlie.SE3.exp(one), jaxlie.SE3.exp(other)
        motion = start.inverse() @ end
        return motion.log(), motion.adjoint(), end @ point, start.rotation().as_matrix()

    twists = np.float32(0.5) * normal(generator, 2, 2048, 6)
    return jax.vmap(function), (*twists, normal(generator, 2048, 3))
