"""Random numbers.

Source: XLA's operation semantics, "RngBitGenerator", "RngNormal" and "RngUniform".
"""

from __future__ import annotations

import numpy as np

from shlo_tools import ops
from shlo_tools.errors import ShloError
from shlo_tools.ops import RngAlgorithm, RngDistribution
from shlo_tools.ops.xla.arguments import xla_op
from shlo_tools.ops.xla.broadcasting import Operand, tensor_of
from shlo_tools.ops.xla.shapes import Shape, array_shape
from shlo_tools.types import Tensor

_ALGORITHMS = {
    "rng_default": RngAlgorithm.DEFAULT,
    "rng_three_fry": RngAlgorithm.THREE_FRY,
    "rng_philox": RngAlgorithm.PHILOX,
}


@xla_op
def RngNormal(mu: Operand, sigma: Operand, shape: Shape) -> Tensor:
    """Random numbers around a mean, with a standard deviation: ``rng NORMAL``.

    Args:
        mu: the mean, a scalar.
        sigma: the standard deviation, a scalar.
        shape: that of the result, of floats.

    Raises:
        ShloError: the element types differ or are no floats.
    """
    return _distributed(mu, sigma, shape, RngDistribution.NORMAL)


@xla_op
def RngUniform(a: Operand, b: Operand, shape: Shape) -> Tensor:
    """Random numbers from ``a`` up to below ``b``, all alike: ``rng UNIFORM``.

    Args:
        a: the lower limit, a scalar.
        b: the upper limit, a scalar; where it is not above ``a``, the result is open.
        shape: that of the result, of booleans, integers or floats.

    Raises:
        ShloError: the element types differ.
    """
    return _distributed(a, b, shape, RngDistribution.UNIFORM)


def _distributed(a: Operand, b: Operand, shape: Shape, distribution: RngDistribution) -> Tensor:
    type = array_shape(shape)
    low, high = (tensor_of(value, Tensor(type)) for value in (a, b))
    sizes = np.array(type.static_shape, np.int64)
    return ops.rng(low, high, sizes, distribution, type)


@xla_op
def RngBitGenerator(
    algorithm: RngAlgorithm | str, initial_state: Operand, shape: Shape
) -> tuple[Tensor, Tensor]:
    """Random bits that the state determines: ``rng_bit_generator``.

    Args:
        algorithm: ``DEFAULT``, ``THREE_FRY`` or ``PHILOX``, also as the document spells them,
            such as ``rng_three_fry``.
        initial_state: u64[2]; with Philox also u64[3].
        shape: that of the bits.

    Returns:
        The next state, and the bits.

    Raises:
        ShloError: there is no such algorithm, or the state is not one of its.
    """
    if isinstance(algorithm, str):
        names = {**RngAlgorithm.__members__, **_ALGORITHMS}
        if algorithm not in names:
            raise ShloError(f"{algorithm!r} is no algorithm", hint=", ".join(_ALGORITHMS))
        algorithm = names[algorithm]
    state, type = tensor_of(initial_state), array_shape(shape)
    return ops.rng_bit_generator(algorithm, state, [state.type, type])
