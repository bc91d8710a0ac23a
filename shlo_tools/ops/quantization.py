"""Ops between numbers and the integers that stand for them."""

from __future__ import annotations

from shlo_tools.constraints import require, same_shape
from shlo_tools.ops._op import op
from shlo_tools.quantized_types import is_quantized, parse_quantized
from shlo_tools.types import OtherType, Tensor, Value


@op
def uniform_dequantize(operand: Value) -> Tensor:
    """(integer - zero point) * scale, as numbers of the expressed type."""
    require("I1", is_quantized(operand.type), f"{operand.type} is not quantized")
    return Tensor(parse_quantized(str(operand.type)).expressed_type)


@op
def uniform_quantize(operand: Value, result_type: OtherType) -> Value:
    """number / scale + zero point, clamped to the storage range and rounded to even.

    A quantized operand is dequantized first.
    """
    require("O1", is_quantized(result_type), f"{result_type} is not quantized")
    result = parse_quantized(str(result_type))
    if isinstance(operand, Tensor):
        given = operand.type
    else:
        given = parse_quantized(str(operand.type)).expressed_type
    require("C1", same_shape(given.shape, result.shape), f"{given} and {result_type} differ")
    expressed = given.element_type
    require("C2", expressed == result.expressed, f"{expressed} numbers for {result_type}")
    return Value(result_type)
