"""Random numbers."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.constraints import Verdict, compatible, every, require, same
from shlo_tools.dtypes import TensorType
from shlo_tools.ops._attributes import AttributeEnum
from shlo_tools.ops._op import op
from shlo_tools.ops.dynamism import shaped, sizes_of
from shlo_tools.ops.traits import Trait
from shlo_tools.types import Scalar, Tensor


class RngDistribution(AttributeEnum):
    """How the numbers of ``rng`` are distributed."""

    UNIFORM = 1
    NORMAL = 2


class RngAlgorithm(AttributeEnum):
    """How ``rng_bit_generator`` makes bits; ``DEFAULT`` is ``PHILOX``, as on XLA:CPU."""

    DEFAULT = 0
    THREE_FRY = 1
    PHILOX = 2


@op(traits=Trait.SIZES_AS_OPERANDS | Trait.STATEFUL)
def rng(
    a: Scalar,
    b: Scalar,
    shape: Tensor,
    rng_distribution: RngDistribution,
    result_type: TensorType,
) -> Tensor:
    """Random numbers: from a up to below b, or around the mean a with standard deviation b.

    ``shape`` repeats the result's shape.
    """
    result = shaped("C3", result_type, sizes_of("C3", shape, result_type.rank))
    element = a.element_type
    require("I1", not element.is_complex, f"element type {element}")
    require("C1", b.element_type == element == result.element_type, "element types differ")
    normal = rng_distribution is RngDistribution.NORMAL
    require("C2", element.is_float or not normal, f"no normal distribution of {element}")
    return result


@op
def rng_bit_generator(
    rng_algorithm: RngAlgorithm, initial_state: Tensor, result_types: Sequence[TensorType]
) -> tuple[Tensor, Tensor]:
    """An updated state and random bits.

    The state is of two words of 64 bits, with Philox also of three: as ui64, or as other integers
    of 64 or 32 bits, of these the low half of a word first.
    ``result_types`` ends with the output's type; the state's type may stand before it.
    """
    element = initial_state.element_type
    words = (2,) if rng_algorithm is RngAlgorithm.THREE_FRY else (2, 3)
    message = f"{initial_state.type} is no state of {' or '.join(map(str, words))} words of ui64"
    require("I2", element.is_integer and element.bits in (32, 64), message)
    require("I2", initial_state.rank == 1, message)
    sizes = [count * 64 // element.bits for count in words]
    size = initial_state.shape[0]
    fits: Verdict = None
    if isinstance(size, int) or len(sizes) == 1:
        fits = size in sizes if isinstance(size, int) else same(size, sizes[0])
    require("C2", fits, message)
    require("O2", bool(result_types), "there is no result type")
    output = Tensor(result_types[-1])
    number = output.element_type.is_integer or output.element_type.is_float
    require("O2", number, f"the output is of type {output.element_type}")
    same_state = every(compatible(Tensor(type), initial_state) for type in result_types[:-1])
    require("C1", same_state, "the states' types differ")
    return initial_state.like(), output
