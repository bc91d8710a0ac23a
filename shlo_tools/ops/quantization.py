"""Ops between numbers and the integers that stand for them."""

from __future__ import annotations

from shlo_tools.constraints import meet_all, require, same_shape
from shlo_tools.dtypes import QuantizedElementType, TensorType
from shlo_tools.errors import ConstraintError
from shlo_tools.ops._op import op
from shlo_tools.ops.traits import Trait
from shlo_tools.types import Tensor


@op(traits=Trait.QUANTIZED_PER_AXIS)
def uniform_dequantize(operand: Tensor) -> Tensor:
    """(integer - zero point) * scale, as numbers of the expressed type."""
    require("I1", operand.element_type.is_quantized, f"{operand.type} is not quantized")
    return Tensor(operand.type.expressed_type)


@op(traits=Trait.QUANTIZED_PER_AXIS)
def uniform_quantize(operand: Tensor, result_type: TensorType) -> Tensor:
    """number / scale + zero point, clamped to the storage range and rounded to even.

    A quantized operand is dequantized first.
    """
    element = result_type.element_type if isinstance(result_type, TensorType) else None
    if not isinstance(element, QuantizedElementType):
        raise ConstraintError(f"(O1) {result_type} is not quantized")
    numbers = operand.type.expressed_type
    require("C1", same_shape(numbers.shape, result_type.shape), f"{numbers}, {result_type} differ")
    expressed = numbers.element_type
    require("C2", expressed == element.expressed, f"{expressed} numbers for {result_type}")
    return meet_all([operand.like(element_type=element), Tensor(result_type)])
