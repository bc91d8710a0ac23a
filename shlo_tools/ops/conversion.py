"""Ops that give elements another type, or the precision of one."""

from __future__ import annotations

from shlo_tools.constraints import meet_all, require, same, same_shape
from shlo_tools.dims import Dim
from shlo_tools.dtypes import TensorType
from shlo_tools.ops._attributes import I32
from shlo_tools.ops._elementwise import EXACT, FUNCTION, floating, same_types
from shlo_tools.ops._op import op
from shlo_tools.ops.traits import Trait
from shlo_tools.types import Tensor


@op(traits=Trait.QUANTIZED_PER_AXIS)
def bitcast_convert(operand: Tensor, result_type: TensorType) -> Tensor:
    """The same bits as another element type; a width ratio adds or drops the last dimension."""
    result = Tensor(result_type)
    require("C2", operand.element_type.is_complex == result.element_type.is_complex, "complex")
    have, want = operand.element_type.bits, result.element_type.bits
    shape: tuple[Dim, ...] = operand.shape
    if have > want:
        shape = (*shape, have // want)
    elif have < want:
        require("C1", operand.rank > 0, f"{operand.type} has no dimension to combine")
        require("C1", same(shape[-1], want // have), f"the last dimension is not {want // have}")
        shape = shape[:-1]
    require("C1", same_shape(shape, result.shape), "the sizes differ")
    return meet_all([result, result.like(shape=shape)])


@op(traits=Trait.ELEMENTWISE | EXACT)
def convert(operand: Tensor, result_type: TensorType) -> Tensor:
    """Each element as the nearest value of the result's element type.

    Floats to integers truncate and saturate, NaN becomes 0; anything nonzero is true.
    """
    result = Tensor(result_type)
    require("C1", same_shape(operand.shape, result.shape), "shapes differ")
    return meet_all([operand.like(element_type=result.element_type), result])


@op(traits=FUNCTION | Trait.CORRECTLY_ROUNDED)
def reduce_precision(operand: Tensor, exponent_bits: I32, mantissa_bits: I32) -> Tensor:
    """Round to a float format of that many exponent and mantissa bits, and back."""
    require("C2", exponent_bits >= 1, f"exponent_bits = {exponent_bits} is below 1")
    require("C3", mantissa_bits >= 0, f"mantissa_bits = {mantissa_bits} is negative")
    return same_types(floating, operand)
