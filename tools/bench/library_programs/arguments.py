"""What programs of libraries are called with."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from shlo_tools.tools.bench.jax_programs.registry import Array, normal


def key(number: int = 0) -> jax.Array:
    """What random numbers are made from, as raw bits."""
    return jax.random.PRNGKey(number)


def trained(generator: np.random.Generator, parameters: Any) -> Any:
    """Parameters as they may be after some steps: none is 0 or 1 any more."""

    def moved(leaf: Any) -> Array:
        array = np.asarray(leaf)
        if array.dtype.kind != "f":
            return array
        return array + normal(generator, *array.shape, dtype=array.dtype) * array.dtype.type(0.02)

    return jax.tree.map(moved, parameters)
