"""Quantized tensors: integers that stand for (integer - zero point) * scale.

Ops on them compute with the numbers they stand for and quantize the results, except for those
that only move elements, which move the integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shlo_tools.dtypes import Array, QuantizedElementType, TensorType
from shlo_tools.errors import UnsupportedError
from shlo_tools.ops import Trait, has_trait
from shlo_tools.quantized_types import quantized_element
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.bits import regrouped
from shlo_tools.reference.conversion import convert
from shlo_tools.reference.elementwise import add as plus
from shlo_tools.reference.elementwise import clamp, divide, multiply
from shlo_tools.reference.functions import round_nearest_even
from shlo_tools.reference.rounding import rounded
from shlo_tools.reference.steps import Environment, Evaluate
from shlo_tools.types import ValueType, array_type


@dataclass(frozen=True)
class QuantizedArray:
    """A quantized tensor: its integers, and how to read them."""

    storage: Array
    type: QuantizedElementType

    @property
    def shape(self) -> tuple[int, ...]:
        shape: tuple[int, ...] = self.storage.shape
        return shape

    @property
    def ndim(self) -> int:
        return self.storage.ndim


def _along(values: Sequence[float], type: QuantizedElementType, dtype: Any, rank: int) -> Array:
    """One parameter per index of the quantized dimension, shaped to stretch."""
    if type.axis is None:
        return np.asarray(values[0]).astype(dtype)
    shape = [1] * rank
    shape[type.axis] = -1
    return np.asarray(values).astype(dtype).reshape(shape)


def dequantize(x: QuantizedArray) -> Array:
    """The numbers that the integers stand for. The difference is taken without wrapping."""
    type = x.type
    zero_points = _along(type.zero_points, type, np.int64, x.ndim)
    difference = x.storage.astype(np.int64) - zero_points
    expressed = convert(difference, result_types=[TensorType((), type.expressed)])
    return multiply(expressed, _along(type.scales, type, type.expressed.dtype, x.ndim))


def quantize(x: Array, type: QuantizedElementType) -> QuantizedArray:
    """The nearest integers, ties to even; NaN becomes 0."""
    dtype = type.expressed.dtype
    scaled = divide(x, _along(type.scales, type, dtype, x.ndim))
    with np.errstate(over="ignore"):  # what an expressed type of few bits cannot hold is Inf
        zero_points = _along(type.zero_points, type, dtype, x.ndim)
        low, high = (np.asarray(b).astype(dtype) for b in (type.storage_min, type.storage_max))
    shifted = plus(scaled, zero_points)
    whole = round_nearest_even(clamp(low, shifted, high))
    return QuantizedArray(convert(whole, result_types=[TensorType((), type.storage)]), type)


@evaluates
def uniform_dequantize(operand: QuantizedArray) -> Array:
    return dequantize(operand)


@evaluates
def uniform_quantize(
    operand: Array | QuantizedArray, *, result_types: list[ValueType]
) -> QuantizedArray:
    numbers = dequantize(operand) if isinstance(operand, QuantizedArray) else operand
    return quantize(numbers, _element(result_types[0]))


# --- other ops on quantized tensors ---------------------------------------------------------------
# They take quantized values as they are, beside those that carry any.
_TAKING = (
    "collective_broadcast collective_permute composite custom_call uniform_dequantize "
    "uniform_quantize"
)
# Ops that answer for arrays as they do for scalars.
_AT_ONCE = Trait.ELEMENTWISE | Trait.CONSTANT_LIKE
# They apply regions of quantized scalars.
_WITH_REGIONS = (
    "all_reduce collective_reduce map reduce reduce_scatter reduce_window scatter "
    "select_and_scatter sort"
)


def on_quantized(
    call: Any, types: Sequence[ValueType], result_types: Sequence[ValueType]
) -> Evaluate:
    """The evaluation of an op with quantized operands or results."""
    name = call.name.removeprefix("stablehlo.")
    if has_trait(call.name, Trait.CARRIES) or name in _TAKING.split():
        return _with(call, call)
    if name == "bitcast_convert":
        return _with(call, _bitcast(result_types[0]))
    if name == "constant":
        return _with(call, _literals(call, result_types[0]))
    if has_trait(call.name, Trait.DATA_MOVEMENT) or name == "get_dimension_size":
        return _with(call, _on_storage(call, result_types, [None] * len(types)))
    if name == "chlo.scan":
        if misread := _misread(call, types, result_types):
            return _with(call, _refusing(misread))
        return _with(call, _on_storage(call, result_types, [None] * len(types), _OnWholes))
    if name == "collective_reduce":
        call.constants["zeros"] = [_zero(type) for type in result_types]
    if name in _WITH_REGIONS.split():
        return _with(call, _on_storage(call, result_types, _destination_types(call, name)))
    return _with(call, _on_numbers(call, result_types))


class _with:
    """An evaluation that still tells which regions and functions the op has."""

    def __init__(self, call: Any, evaluate: Evaluate) -> None:
        self.name, self.bodies, self.called = call.name, call.bodies, call.called
        self._evaluate = evaluate

    def __call__(self, run: Any, environment: Environment, operands: Sequence[Any]) -> Any:
        return self._evaluate(run, environment, operands)


def _bitcast(result_type: ValueType) -> Evaluate:
    def evaluate(run: Any, environment: Environment, operands: Sequence[Any]) -> Any:
        operand = operands[0]
        bits = operand.storage if isinstance(operand, QuantizedArray) else operand
        type = quantized_element(result_type)
        words = regrouped(bits, array_type(result_type).element_type)
        return words if type is None else QuantizedArray(words, type)

    return evaluate


def _literals(call: Any, result_type: ValueType) -> Evaluate:
    """The integers of a constant; those of unsigned storage are spelled as signed ones."""
    type = _element(result_type)
    constant = QuantizedArray(regrouped(call.constants["value"], type.storage), type)
    return lambda run, environment, operands: constant


def _element(type: ValueType) -> QuantizedElementType:
    """How a value that is known to be quantized is read."""
    element = quantized_element(type)
    if element is None:
        raise UnsupportedError(f"{type} is not quantized")
    return element


def _expressed(type: ValueType) -> ValueType:
    return type.expressed_type if isinstance(type, TensorType) else type


def _storage(type: ValueType) -> ValueType:
    return type.storage_type if isinstance(type, TensorType) else type


def _listed(computed: Any) -> list[Any]:
    return list(computed) if isinstance(computed, tuple | list) else [computed]


def _on_numbers(call: Any, result_types: Sequence[ValueType]) -> Evaluate:
    """dequantize_op_quantize, and hybrid_dequantize_then_op."""
    if "result_types" in call.constants:
        call.constants["result_types"] = [_expressed(type) for type in result_types]
    elements = [quantized_element(type) for type in result_types]

    def evaluate(run: Any, environment: Environment, operands: Sequence[Any]) -> Any:
        numbers = [dequantize(x) if isinstance(x, QuantizedArray) else x for x in operands]
        computed = _listed(call(run, environment, numbers))
        return [
            value if element is None else quantize(value, element)
            for value, element in zip(computed, elements, strict=True)
        ]

    return evaluate


def _on_storage(
    call: Any,
    result_types: Sequence[ValueType],
    quantizations: Sequence[QuantizedElementType | None],
    as_function: type[_OnStorage] | None = None,
) -> Evaluate:
    if "result_types" in call.constants:
        call.constants["result_types"] = [_storage(type) for type in result_types]
    elements = [quantized_element(type) for type in result_types]

    def evaluate(run: Any, environment: Environment, operands: Sequence[Any]) -> Any:
        stored = [_restored(x, type) for x, type in zip(operands, quantizations, strict=True)]
        wrap = as_function or _OnStorage
        wrapped = {
            name: [wrap(region) for region in computation]
            if isinstance(computation, list)
            else wrap(computation)
            for name, computation in call.regions_in(run, environment).items()
        }
        computed = _listed(call.with_regions(run, stored, wrapped))
        return [
            value if element is None else QuantizedArray(value, element)
            for value, element in zip(computed, elements, strict=True)
        ]

    return evaluate


def _zero(type: ValueType) -> Array:
    """What stands for 0 in a tensor."""
    element = quantized_element(type)
    if element is not None:
        return quantize(np.zeros((), element.expressed.dtype), element).storage
    return rounded(np.zeros(()), array_type(type).element_type.dtype)  # NaN in a type without zero


def _destination_types(call: Any, name: str) -> list[QuantizedElementType | None]:
    """For each operand how the op's computation reads it; it may be wider than what is given."""
    body_types = [_computation_types(body) for body in call.bodies]
    count = len(body_types[-1]) // 2
    match name:
        case "reduce" | "reduce_window":
            return body_types[0]
        case "scatter":
            return [*body_types[0][:count], None, *body_types[0][count:]]
        case "select_and_scatter":
            return [body_types[0][0], body_types[1][0], body_types[1][0]]
        case "sort":
            return body_types[0][::2]
        case "map":
            return body_types[0]
        case _:  # a collective: one computation for all of its operands
            operands = sum(1 if length is None else length for _, length in call.groups)
            return body_types[0][:1] * operands


def _computation_types(body: Any) -> list[QuantizedElementType | None]:
    return [quantized_element(type) for type in body.argument_types]


def _restored(x: Any, type: QuantizedElementType | None) -> Any:
    """The integers, those of the wanted type where an operand has another scale."""
    if not isinstance(x, QuantizedArray):
        return x
    if type is None or x.type == type:
        return x.storage
    return quantize(dequantize(x), type).storage


class _OnStorage:
    """A region of quantized scalars as a function of their integers, scalars or arrays of them."""

    def __init__(self, region: Any) -> None:
        self._region = region
        self._elements = [quantized_element(type) for type in region.body.argument_types]
        self._at_once = all(
            (has_trait(step.name, _AT_ONCE) or step.name == "stablehlo.uniform_quantize")
            and all(quantized_element(type) for type in step.result_types)
            for step in region.body.steps
        )

    def __call__(self, *arguments: Any) -> tuple[Any, ...]:
        shape = np.broadcast_shapes(*(np.shape(argument) for argument in arguments))
        if not shape:
            return self._applied(arguments)
        rows = [np.broadcast_to(argument, shape) for argument in arguments]
        if self._at_once:
            return tuple(np.broadcast_to(result, shape) for result in self._applied(rows))
        results = [self._applied([row[at] for row in rows]) for at in np.ndindex(shape)]
        if not results:
            return tuple(np.empty(shape, dtype) for dtype in self._dtypes())
        return tuple(np.asarray(column).reshape(shape) for column in zip(*results, strict=True))

    def _applied(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
        numbers = [
            np.asarray(argument)
            if element is None
            else QuantizedArray(np.asarray(argument), element)
            for argument, element in zip(arguments, self._elements, strict=True)
        ]
        results = self._region(*numbers)
        return tuple(r.storage if isinstance(r, QuantizedArray) else r for r in results)

    def _dtypes(self) -> list[Any]:
        return [array_type(type).element_type.dtype for type in self._region.body.yield_types]


class _OnWholes(_OnStorage):
    """A region of quantized tensors, which it takes as they are."""

    def __call__(self, *arguments: Any) -> tuple[Any, ...]:
        return self._applied(arguments)


def _misread(call: Any, types: Sequence[ValueType], result_types: Sequence[ValueType]) -> str:
    """What a scan would carry on as other numbers; '' where there is nothing."""
    carries = call.groups[1][1]
    (body,) = call.bodies
    rows = [
        *zip(types, body.argument_types, strict=True),
        *zip(body.yield_types, result_types, strict=True),
        *zip(
            types[len(types) - carries :], result_types[len(result_types) - carries :], strict=True
        ),
    ]
    for source, target in rows:
        if quantized_element(source) != quantized_element(target):
            return f"{source} is carried as {target}"
    return ""


def _refusing(reason: str) -> Evaluate:
    def evaluate(run: Any, environment: Environment, operands: Sequence[Any]) -> Any:
        raise UnsupportedError(reason)

    return evaluate
