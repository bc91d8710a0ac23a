"""Other element types and precisions.

Source: XLA's operation semantics, "BitcastConvertType", "ConvertElementType" and
"ReducePrecision".
"""

from __future__ import annotations

from shlo_tools import ops
from shlo_tools.dims import Dim
from shlo_tools.ops.xla.arguments import xla_op
from shlo_tools.ops.xla.broadcasting import Operand, tensor_of
from shlo_tools.ops.xla.shapes import PrimitiveType, primitive_type
from shlo_tools.types import Tensor


@xla_op
def BitcastConvertType(operand: Operand, new_element_type: PrimitiveType) -> Tensor:
    """The same bits as another element type: ``bitcast_convert``.

    Args:
        operand: the array.
        new_element_type: such as ``f32``; a narrower one adds a last dimension, a wider one
            takes the last dimension, which must hold just one element's bits.

    Raises:
        ShloError: the last dimension is another, or one of the types is complex.
    """
    tensor, element = tensor_of(operand), primitive_type(new_element_type)
    have, want = tensor.element_type.bits, element.bits
    shape: tuple[Dim, ...] = tensor.shape
    if have > want:
        shape = (*shape, have // want)
    elif have < want:
        shape = shape[:-1]
    return ops.bitcast_convert(tensor, tensor.type.with_shape(shape).with_element(element))


@xla_op
def ConvertElementType(operand: Operand, new_element_type: PrimitiveType) -> Tensor:
    """Each element as the nearest of another type: ``convert``.

    Raises:
        ShloError: there is no such element type.
    """
    tensor = tensor_of(operand)
    return ops.convert(tensor, tensor.type.with_element(primitive_type(new_element_type)))


@xla_op
def ReducePrecision(operand: Operand, exponent_bits: int, mantissa_bits: int) -> Tensor:
    """Floats rounded to a format of fewer bits, and back: ``reduce_precision``.

    The bits stand in the order of XlaBuilder, which is not that of the document's headline.

    Raises:
        ShloError: less than one exponent bit, less than no mantissa bits, or no floats.
    """
    return ops.reduce_precision(tensor_of(operand), exponent_bits, mantissa_bits)
