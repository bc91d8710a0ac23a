"""Functions that `jax.jit(f).lower(x)` leaves as CHLO ops."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from inputs import integers, uniform
from jax import lax
from jax_registry import Built, program

# Arguments stay away from zeros of the functions, where a relative bound means nothing.
ELEMENTS = 24


@program(rtol=1e-6, atol=0.0, reason="each function is good to a few f32 ulp", lowered=True)
def inverse_functions(generator: np.random.Generator) -> Built:
    """Inverse and hyperbolic functions, squares and the next float."""

    def evaluate(inside: jax.Array, positive: jax.Array) -> Any:
        above_one = 1 + positive
        return {
            "acos": lax.acos(inside),
            "asin": lax.asin(inside),
            "atan": lax.atan(positive),
            "acosh": lax.acosh(above_one),
            "asinh": lax.asinh(positive),
            "atanh": lax.atanh(inside),
            "cosh": lax.cosh(positive),
            "sinh": lax.sinh(positive),
            "square": lax.square(positive),
            "next_after": lax.nextafter(positive, above_one),
        }

    inside = uniform(generator, 0.1, 0.9, ELEMENTS) * generator.choice([-1, 1], ELEMENTS)
    return evaluate, (inside.astype(np.float32), uniform(generator, 0.1, 4.0, ELEMENTS))


@program(rtol=5e-6, atol=0.0, reason="approximations in f32 are good to about 20 ulp", lowered=True)
def special_functions(generator: np.random.Generator) -> Built:
    """Error, gamma, zeta and Bessel functions."""

    def evaluate(inside: jax.Array, positive: jax.Array) -> Any:
        above_one = 1.5 + positive
        return {
            "erf": lax.erf(inside),
            "erfc": lax.erfc(positive),
            "erf_inv": lax.erf_inv(inside),
            "lgamma": lax.lgamma(2 + above_one),
            "digamma": lax.digamma(above_one),
            "zeta": lax.zeta(above_one, positive),
            "polygamma": lax.polygamma(jnp.ones_like(positive), positive),
            "bessel_i1e": lax.bessel_i1e(positive),
        }

    inside = uniform(generator, 0.1, 0.9, ELEMENTS) * generator.choice([-1, 1], ELEMENTS)
    return evaluate, (inside.astype(np.float32), uniform(generator, 0.3, 3.0, ELEMENTS))


@program(rtol=0.0, atol=0.0, reason="values are only moved: equal", lowered=True)
def top_k(generator: np.random.Generator) -> Built:
    """The largest values of each row and where they were; ties go to the lower index."""

    def largest(scores: jax.Array, votes: jax.Array) -> Any:
        return lax.top_k(scores, 4), lax.top_k(votes, 5)

    scores = generator.permutation(45).astype(np.int32).reshape(3, 15)
    votes = integers(generator, 0, 3, 2, 9)
    return largest, (scores, votes)
