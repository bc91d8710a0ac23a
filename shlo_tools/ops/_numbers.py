"""Python numbers in the place of operands: scalar constants, broadcast where a tensor is wanted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from shlo_tools import ir, mlir
from shlo_tools.dtypes import Array, ElementType, TensorType, element_type, from_dtype
from shlo_tools.errors import ShloError
from shlo_tools.types import Tensor, constant_of, ssa

PythonNumber = bool | int | float | complex


def number_of_type(value: PythonNumber, element: ElementType) -> Array:
    """A number as a 0-dimensional array of an element type.

    Floats are rounded, as all of them are; nothing else is lost: no fraction, no imaginary part,
    no integer out of range, no float that overflows, vanishes or turns into NaN.

    Raises:
        ShloError: the element type does not hold the number.
    """
    if element.is_complex:
        part = element_type("f32" if element.bits == 64 else "f64")
        real, imaginary = (_rounded(v, part, value) for v in (value.real, value.imag))
        return np.array(complex(real, imaginary), element.dtype)
    if isinstance(value, complex):
        raise _lost(value, element, "it is a complex number")
    if element.is_float:
        return _rounded(value, element, value)
    if isinstance(value, float):
        raise _lost(value, element, "it is a float")
    low, high = _range(element)
    if not low <= value <= high:
        raise _lost(value, element, f"that holds {low} to {high}")
    return np.array(value, element.dtype)


def _range(element: ElementType) -> tuple[int, int]:
    if element.is_boolean:
        return 0, 1
    if element.name.startswith("ui"):
        return 0, (1 << element.bits) - 1
    return -(1 << (element.bits - 1)), (1 << (element.bits - 1)) - 1


def _rounded(value: float, element: ElementType, written: PythonNumber) -> Array:
    """The nearest float of a type, of the same class: finite, zero, infinite or NaN."""
    try:
        exact = float(value)
        with np.errstate(over="ignore"):
            rounded = np.array(exact, np.float64).astype(element.dtype)
    except OverflowError as error:
        raise _lost(written, element, "it is too large") from error
    result = float(rounded)
    classes = [(math.isfinite(x), math.isnan(x), x == 0, x < 0) for x in (exact, result)]
    if classes[0] != classes[1]:
        raise _lost(written, element, f"it would become {result}")
    return rounded


def _lost(value: PythonNumber, element: ElementType, reason: str) -> ShloError:
    return ShloError(
        f"{_shortened(value)} is no {element}: {reason}",
        hint="convert the tensor with ops.convert, or write a number of its type",
    )


def _shortened(value: PythonNumber) -> str:
    """A number as it is written; of one of many digits only how large it is."""
    if isinstance(value, int) and value.bit_length() > 256:
        return f"an integer of {value.bit_length()} bits"
    return repr(value)


def splat(scalar: Tensor, like: Tensor) -> Tensor:
    """A scalar in every place of a tensor's shape, also of one with unknown sizes."""
    type = like.type.with_element(scalar.element_type)
    if type.rank == 0:
        return scalar
    build, nowhere = ir.insertion(), mlir.i64_array_attr([])
    if type.is_static:
        name, operands = "stablehlo.broadcast_in_dim", [ssa(scalar)]
    else:
        name, operands = "stablehlo.dynamic_broadcast_in_dim", [ssa(scalar), _shape(build, like)]
    attributes = {"broadcast_dimensions": nowhere}
    return Tensor(type, build.value(name, operands, type.mlir(), attributes))


def _shape(build: ir.Build, tensor: Tensor) -> mlir.Value:
    """The sizes of a tensor as the program computes them."""
    i32 = element_type("i32")
    sizes = []
    for dimension in range(tensor.rank):
        size = build.value(
            "stablehlo.get_dimension_size",
            [ssa(tensor)],
            TensorType((), i32).mlir(),
            {"dimension": mlir.i64_attr(dimension)},
        )
        sizes.append(build.value("stablehlo.reshape", [size], TensorType((1,), i32).mlir()))
    type = TensorType((tensor.rank,), i32).mlir()
    return build.value("stablehlo.concatenate", sizes, type, {"dimension": mlir.i64_attr(0)})


def constant_like(value: PythonNumber, first: Tensor | None, *, scalar: bool) -> Tensor:
    """A Python number as an operand.

    It takes the element type of the first tensor operand and, where a full tensor is wanted, its
    shape. Without a tensor it is what numpy makes of it.
    """
    if first is None:
        array = np.asarray(value)
        try:
            element = from_dtype(array.dtype)
        except ShloError as error:
            raise ShloError(f"{_shortened(value)} is beyond all integer types") from error
        return constant_of(array, element)
    number = constant_of(number_of_type(value, first.element_type), first.element_type)
    return number if scalar else splat(number, first)


def list_like(values: Sequence[Any], first: Tensor | None) -> Tensor:
    """A list of Python numbers, or of such lists, as a constant of its own shape.

    It takes the element type of the first tensor operand; without one it is what numpy makes of
    it.

    Raises:
        ShloError: its rows differ in length, it holds something else than numbers, or one that
            the element type does not hold.
    """
    try:
        items = np.array(values, object if first is not None else None)
        numbers = items if first is None else np.array(values)
    except (ValueError, OverflowError) as error:
        raise ShloError(f"a list of numbers is wanted: {error}") from error
    if numbers.dtype == object or not all(
        isinstance(item, bool | int | float | complex | np.generic) for item in items.flat
    ):
        raise ShloError("a list of numbers is wanted, with rows of one length")
    if first is None:
        return constant_of(numbers)
    element = first.element_type
    exact = [number_of_type(_as_python(item), element) for item in items.flat]
    return constant_of(np.array(exact, element.dtype).reshape(items.shape), element)


def _as_python(number: Any) -> PythonNumber:
    value: PythonNumber = number.item() if isinstance(number, np.generic) else number
    return value
