"""Values that a computation starts from: its parameters and constants.

The document has no section on them; its examples use them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shlo_tools import ir
from shlo_tools.dtypes import TensorType
from shlo_tools.errors import ShloError
from shlo_tools.ops.xla.arguments import xla_op
from shlo_tools.ops.xla.broadcasting import Operand, tensor_of
from shlo_tools.ops.xla.computations import Result
from shlo_tools.ops.xla.shapes import AnyShape, PrimitiveType, primitive_type, value_shape
from shlo_tools.types import Tensor, of_value


@xla_op
def Parameter(parameter_number: int, shape: AnyShape, name: str = "") -> Result:
    """An argument of the computation that is being built.

    Python functions get their arguments as parameters; this is another way to them.

    Args:
        parameter_number: which one, from 0.
        shape: its type, which is checked.
        name: for the reader only.

    Raises:
        ShloError: there is no such argument, or it is of another type.
    """
    arguments = ir.insertion().at.block.arguments
    if not 0 <= parameter_number < len(arguments):
        raise ShloError(f"no argument {parameter_number} of {len(arguments)}")
    value, type = of_value(arguments[parameter_number]), value_shape(shape)
    if value.type != type:
        raise ShloError(f"argument {parameter_number} is {value.type}, not {type}")
    return value


@xla_op
def ConstantLiteral(literal: Operand, element_type: PrimitiveType | None = None) -> Tensor:
    """A constant of any rank: ``constant``.

    Args:
        literal: an array, a number, or lists of numbers.
        element_type: of numbers and lists; without it, what numpy gives them.

    Raises:
        ShloError: a number is none of the element type.
    """
    if element_type is None:
        return tensor_of(literal)
    return tensor_of(literal, Tensor(TensorType((), primitive_type(element_type))))


@xla_op
def ConstantR0(value: Any, element_type: PrimitiveType | None = None) -> Tensor:
    """A constant scalar; see ``ConstantLiteral``.

    Raises:
        ShloError: it is no scalar, or none of the element type.
    """
    return _of_rank(0, value, element_type)


@xla_op
def ConstantR1(
    values: Sequence[Any] | np.ndarray[Any, Any], element_type: PrimitiveType | None = None
) -> Tensor:
    """A constant vector; see ``ConstantLiteral``.

    Raises:
        ShloError: it is no vector, or a number is none of the element type.
    """
    return _of_rank(1, values, element_type)


@xla_op
def ConstantR2(
    values: Sequence[Sequence[Any]] | np.ndarray[Any, Any],
    element_type: PrimitiveType | None = None,
) -> Tensor:
    """A constant matrix; see ``ConstantLiteral``.

    Raises:
        ShloError: it is no matrix, or a number is none of the element type.
    """
    return _of_rank(2, values, element_type)


def _of_rank(rank: int, values: Any, element_type: PrimitiveType | None) -> Tensor:
    tensor = ConstantLiteral(values, element_type)
    if tensor.rank != rank:
        raise ShloError(f"{values!r} has rank {tensor.rank}")
    return tensor
