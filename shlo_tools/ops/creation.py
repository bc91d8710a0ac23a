"""What users of numpy reach for first: tensors of one number, of numbers in order, and a choice.

Each is a few ops: a number everywhere is a scalar ``constant`` and its ``broadcast_in_dim``.
Element types are always said: ``"f32"``, ``np.float32``.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from shlo_tools import dtypes
from shlo_tools.dims import Dim
from shlo_tools.dtypes import ElementType, TensorType
from shlo_tools.errors import ShloError
from shlo_tools.ops._numbers import PythonNumber, number_of_type, splat
from shlo_tools.ops._op import operand_of
from shlo_tools.ops.data_movement import broadcast_in_dim, iota
from shlo_tools.ops.elementwise import add, multiply, select
from shlo_tools.types import Tensor, constant_of


def element_of(dtype: Any) -> ElementType:
    """An element type as people write it: ``"bf16"``, ``np.float32``, an ElementType.

    Raises:
        ShloError: it is none.
    """
    if isinstance(dtype, ElementType):
        return dtype
    if isinstance(dtype, str) and dtype in dtypes.ELEMENT_TYPES:
        return dtypes.element_type(dtype)
    try:
        return dtypes.from_dtype(np.dtype(dtype))
    except TypeError as error:
        raise ShloError(f"{dtype!r} is no element type", hint='write it as "f32"') from error


def full(shape: Sequence[int], value: PythonNumber | np.generic, dtype: Any) -> Tensor:
    """A number in every place of a shape.

    Raises:
        ShloError: the element type does not hold the number, or the shape is none.
    """
    element = element_of(dtype)
    number = value.item() if isinstance(value, np.generic) else value
    if not isinstance(number, bool | int | float | complex):
        raise ShloError(f"{value!r} is no number")
    scalar = constant_of(number_of_type(number, element), element)
    type = TensorType(_sizes(shape), element)
    return scalar if type.rank == 0 else broadcast_in_dim(scalar, (), type)


def zeros(shape: Sequence[int], dtype: Any) -> Tensor:
    """Zeros in every place of a shape."""
    return full(shape, 0, dtype)


def ones(shape: Sequence[int], dtype: Any) -> Tensor:
    """Ones in every place of a shape."""
    return full(shape, 1, dtype)


def arange(start: float, stop: float | None = None, step: float = 1, *, dtype: Any) -> Tensor:
    """``start``, ``start + step``, ... below ``stop``; from 0 where only one limit is said.

    Computed in the element type as ``iota * step + start``.

    Raises:
        ShloError: a step of 0, or a limit that is no real number.
    """
    first, last = (0, start) if stop is None else (start, stop)
    count = _count(first, last, step)
    element = element_of(dtype)
    numbers = iota(0, TensorType((count,), element))
    if step != 1:
        numbers = multiply(numbers, full((count,), step, element))
    return numbers if first == 0 else add(numbers, full((count,), first, element))


def _count(first: float, last: float, step: float) -> int:
    """How many numbers ``arange`` has."""
    if not all(isinstance(x, int | float) and math.isfinite(x) for x in (first, last, step)):
        raise ShloError(f"arange({first}, {last}, {step}): finite real numbers are wanted")
    if step == 0:
        raise ShloError("arange has a step of 0")
    return max(0, math.ceil((last - first) / step))


def where(condition: Any, x: Any, y: Any) -> Tensor:
    """``x`` where ``condition`` holds, else ``y``; shapes broadcast as numpy's do.

    A Python number has the element type of the other choice; one of them is a tensor or array.

    Raises:
        ShloError: shapes do not broadcast, or both choices are Python numbers.
    """
    typed = [v for v in (x, y) if isinstance(v, Tensor | np.ndarray | np.generic)]
    if not typed:
        raise ShloError(
            "where(condition, x, y) of two Python numbers says no element type",
            hint="write one as np.float32(1)",
        )
    pred = _tensor(condition, None)
    model = _tensor(typed[0], None)
    choices = [model if value is typed[0] else _tensor(value, model) for value in (x, y)]
    tensors = [pred, *choices]
    shape = _common_shape(tensors)
    return select(*(_broadcast_to(tensor, shape, tensors) for tensor in tensors))


def _tensor(value: Any, like: Tensor | None) -> Tensor:
    operand = operand_of(value, like, scalar=True)
    if not isinstance(operand, Tensor):
        raise ShloError(f"{operand} is no tensor")
    return operand


def _common_shape(tensors: Sequence[Tensor]) -> tuple[Dim, ...]:
    """The shape that all broadcast to; unknown sizes are those of equal shapes, or of scalars."""
    shapes = {tensor.shape for tensor in tensors if tensor.rank}
    if len(shapes) <= 1:
        return shapes.pop() if shapes else ()
    static = [tensor.type.static_shape for tensor in tensors]
    try:
        sizes: tuple[int, ...] = np.broadcast_shapes(*static)
    except ValueError as error:
        listed = ", ".join(str(tensor.type) for tensor in tensors)
        raise ShloError(f"shapes of {listed} do not broadcast") from error
    return sizes


def _broadcast_to(tensor: Tensor, shape: tuple[Dim, ...], others: Sequence[Tensor]) -> Tensor:
    if tensor.shape == shape:
        return tensor
    if tensor.rank == 0 and not all(isinstance(size, int) for size in shape):
        return splat(tensor, next(other for other in others if other.rank))
    axes = tuple(range(len(shape) - tensor.rank, len(shape)))
    return broadcast_in_dim(tensor, axes, tensor.type.with_shape(shape))


def _sizes(shape: Any) -> tuple[int, ...]:
    try:
        sizes = tuple(operator.index(size) for size in shape)
    except TypeError as error:
        raise ShloError(f"{shape!r} is no shape: a sequence of sizes is wanted") from error
    if any(size < 0 for size in sizes):
        raise ShloError(f"{shape!r} has negative sizes")
    return sizes
