"""Functions of JAX that are exported by name; whoever only names them does not import JAX."""

from typing import Any

import jax
import jax.numpy as jnp


def layer(parameters: dict[str, Any], x: Any, scale: float = 1.0) -> dict[str, Any]:
    """Two results, of arguments in a dictionary."""
    y = jnp.tanh(x @ parameters["w"] + parameters["b"]) * scale
    return {"total": y.sum(), "out": y}


class Model:
    @staticmethod
    def doubled(x: Any) -> Any:
        return 2 * x


def power(x: Any, exponent: int) -> Any:
    return jnp.stack([x] * exponent).prod(0)


@jax.jit
def first(x: Any, y: Any) -> Any:
    """Does not use its second argument."""
    return jnp.sort(x)


def failing(x: Any) -> Any:
    raise ValueError("not with me")
