"""Binding what a caller passes to the types of a function: one way, whatever runs the program.

An array has a dtype, and has to have the wanted one. Python numbers have none: they take the
wanted one as numpy's ``same_kind`` has it (a boolean is a number, a number no boolean; an integer
is a float, a float no integer), and only if it can hold them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from shlo_tools import dtypes
from shlo_tools.calling.arrays import offered
from shlo_tools.calling.executable import Signature
from shlo_tools.dtypes import Array, ElementType, Kind, TensorType
from shlo_tools.errors import ArgumentError, ExecutionError, ShloError, UnsupportedError
from shlo_tools.types import TokenType, ValueType, array_type


class Parameters:
    """What a function takes, and the check that arguments fit."""

    def __init__(self, name: str, signature: Signature[ValueType]) -> None:
        self._name = name
        self._signature = signature
        self._types = [
            array_type(type) if isinstance(type, TensorType) else type for type in signature.inputs
        ]

    def bound(
        self, arguments: Sequence[Any], *, cast: bool, donated: Collection[int] = ()
    ) -> list[Any]:
        """The arguments as arrays: row-major, aligned, in native byte order; tokens as they are.

        Those that are ``donated`` are the caller's own, may be written, and overlap with no other.

        Raises:
            ArgumentError: they do not fit.
            UnsupportedError: the function takes something that nobody can pass.
        """
        types = self._types
        if len(arguments) != len(types):
            noun = "argument" if len(types) == 1 else "arguments"
            raise ArgumentError(
                f"@{self._name} takes {len(types)} {noun}, {len(arguments)} given",
                hint=f"its signature is {self._signature}",
            )
        try:
            arrays = [
                as_argument(argument, type, index, cast=cast)
                if isinstance(type, TensorType)
                else _other(argument, type, index)
                for index, (argument, type) in enumerate(zip(arguments, types, strict=True))
            ]
        except MemoryError:
            message = f"@{self._name}: the memory does not suffice for copies of the arguments"
            raise ExecutionError(message) from None
        if donated:
            check_donated(arguments, arrays, donated)
        return arrays


def check_donated(
    arguments: Sequence[Any], arrays: Sequence[Any], donated: Collection[int]
) -> None:
    """Raise ArgumentError unless a call may write donated arguments where their callers have them.

    Args:
        arrays: what the arguments are bound to, row-major.
    """
    for number in donated:
        array, value = arrays[number], arguments[number]
        if not isinstance(array, np.ndarray):
            continue  # a token
        if not isinstance(value, np.ndarray):
            raise _unwritable(number, f"{type(value).__name__} is no numpy array")
        if array is not value and array.size and not np.may_share_memory(array, value):
            reason = "it would have to be copied, to be row-major, aligned and of the wanted dtype"
            raise _unwritable(number, reason)
        if not value.flags.writeable:
            raise _unwritable(number, "it is read-only")
    _check_apart(arrays, donated)


def _check_apart(arrays: Sequence[Any], donated: Collection[int]) -> None:
    """Raise ArgumentError where a donated array shares memory with another one."""
    spans = []
    for number, array in enumerate(arrays):
        if isinstance(array, np.ndarray) and array.size:
            start = array.__array_interface__["data"][0]
            spans.append((start, start + array.nbytes, number))
    end, last = 0, -1  # of the arrays so far, where memory ends, and whose it is
    for start, stop, number in sorted(spans):
        if start < end and (number in donated or last in donated):
            one, other = (number, last) if number in donated else (last, number)
            raise _unwritable(one, f"it shares memory with argument {other}")
        end, last = max((end, last), (stop, number))


def _unwritable(number: int, reason: str) -> ArgumentError:
    message = f"argument {number} is donated, and cannot be written: {reason}"
    return ArgumentError(message, hint="donate a copy: numpy.array(x)")


def _other(value: Any, type: ValueType, index: int) -> Any:
    if not isinstance(type, TokenType):
        raise UnsupportedError(f"argument {index} is {type}, which cannot be passed")
    return value


def as_argument(value: Any, type: TensorType, index: int, *, cast: bool) -> Array:
    """What a caller passed, as an array that compiled code can read; no copy where none is needed.

    Raises:
        ArgumentError: it is no array, has masked elements, or another dtype, shape or byte order.
    """
    element = type.element_type
    array = offered(value, index)
    if not isinstance(array, np.ndarray):
        array = _from_python(array, element, index, cast=cast)
    elif array.dtype != element.dtype:
        array = _from_array(array, element, index, cast=cast)
    if array.shape != type.shape and not type.admits(array.shape):
        raise ArgumentError(f"argument {index}: shape {_shape(array.shape)} given, {type} wanted")
    flags = array.flags
    if flags.c_contiguous and flags.aligned:
        return array
    return array.copy(order="C")


def _shape(shape: Sequence[int]) -> str:
    return f"({', '.join(str(size) for size in shape)})"


# --- conversions ----------------------------------------------------------------------------------
_LEVELS = {Kind.BOOLEAN: 0, Kind.FLOAT: 2, Kind.COMPLEX: 3}
_INTEGER, _COMPLEX = 1, 3


def _level(element: ElementType) -> int:
    """Numbers of a level are numbers of those above it, too."""
    return _LEVELS.get(element.kind, _INTEGER)


def _from_array(array: Array, element: ElementType, index: int, *, cast: bool) -> Array:
    """An array of another dtype, where it may be converted."""
    try:
        own = dtypes.from_dtype(array.dtype)
    except ShloError:
        message = f"argument {index}: no tensor holds {array.dtype}; {element.dtype} wanted"
        raise ArgumentError(message) from None
    if cast:
        if _level(own) == _COMPLEX > _level(element):
            message = f"argument {index}: {array.dtype} given, {element.dtype} ({element}) wanted"
            raise ArgumentError(message, hint="x.real, x.imag or abs(x)")
        return _converted(array, element, index)
    if array.dtype.newbyteorder("=") == element.dtype:
        raise ArgumentError(
            f"argument {index}: {array.dtype.str} is in another byte order",
            hint=f"x.astype({element.dtype.name!r})",
        )
    raise ArgumentError(
        f"argument {index}: {array.dtype} given, {element.dtype} ({element}) wanted",
        hint=f"cast=True or x.astype({element.dtype.name!r})",
    )


def _from_python(value: Any, element: ElementType, index: int, *, cast: bool) -> Array:
    """Python numbers and lists of them as an array of the wanted dtype."""
    try:
        array = np.asarray(value)
        level = _level_of(array)
        if level is not None and level > _INTEGER == _level(element):
            # numpy makes floats of integers beyond 63 bits among smaller ones.
            objects = np.asarray(value, object)
            if _level_of(objects) == _INTEGER:
                array, level = objects, _INTEGER
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise ArgumentError(f"argument {index}: {error}") from error
    if not array.size:
        return array.astype(element.dtype)
    if level is None or level > (_COMPLEX - 1 if cast and level < _COMPLEX else _level(element)):
        raise ArgumentError(f"argument {index}: {array.dtype} values given, {element} wanted")
    return _converted(array, element, index)


def _level_of(array: Array) -> int | None:
    """The level of an array's numbers; None where it holds others. Large integers are objects."""
    if array.dtype == object:
        return _INTEGER if all(isinstance(item, int) for item in array.flat) else None
    try:
        return _level(dtypes.from_dtype(array.dtype))
    except ShloError:
        return None


def _converted(array: Array, element: ElementType, index: int) -> Array:
    """The values in another dtype, rounded; raises ArgumentError where it cannot hold one."""
    try:
        if array.dtype == object and _level(element) > _INTEGER:
            array = array.astype(np.float64)
        with np.errstate(all="ignore"):
            if _level(element) != _INTEGER:
                converted = array.astype(element.dtype)
                if element.is_boolean or _rounds(array, converted):
                    return converted
            elif _in_range(array, element):
                return array.astype(element.dtype)
    except OverflowError:  # an integer beyond all floats
        pass
    raise ArgumentError(f"argument {index}: values do not fit {element}")


def _in_range(array: Array, element: ElementType) -> bool:
    """Whether integers of a type hold numbers, without their fractions."""
    if not array.size:
        return True
    if array.dtype.isbuiltin != 1:  # ml_dtypes' narrow floats and integers
        array = array.astype(np.float64)
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        return False
    bits = element.bits - (element.kind is not Kind.UNSIGNED)
    low = 0 if element.kind is Kind.UNSIGNED else -(1 << bits)
    return low <= int(array.min()) and int(array.max()) < 1 << bits


def _rounds(array: Array, converted: Array) -> bool:
    """Whether floats are numbers rounded to them: none became infinite, NaN, or the largest."""
    limits: Any = ml_dtypes.finfo(converted.dtype)  # type: ignore[no-untyped-call]
    largest = float(limits.max) * (1 + float(limits.eps) / 2)
    exact, rounded = _parts(array), _parts(converted)
    same = (np.isnan(exact) == np.isnan(rounded)) & (np.isinf(exact) == np.isinf(rounded))
    return bool(np.all(same & (np.isinf(exact) | ~(np.abs(exact) > largest))))


def _parts(array: Array) -> Array:
    """Numbers in double precision, complex ones as pairs of them."""
    if array.dtype.kind == "c":
        return np.stack([array.real, array.imag]).astype(np.float64)
    return np.stack([array, np.zeros_like(array)]).astype(np.float64)
