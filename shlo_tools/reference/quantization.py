"""Quantized tensors: integers that stand for (integer - zero point) * scale.

Ops on them compute with the numbers they stand for and quantize the results, except for those
that only move elements, which move the integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shlo_tools.dtypes import Array, TensorType
from shlo_tools.ops._quantized import QuantizedType, is_quantized, parse_quantized
from shlo_tools.ops._value import ValueType
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.bits import regrouped
from shlo_tools.reference.elementwise import add as plus
from shlo_tools.reference.elementwise import clamp, convert, divide, multiply, round_nearest_even
from shlo_tools.reference.steps import Environment, Evaluate


@dataclass(frozen=True)
class QuantizedArray:
    """A quantized tensor: its integers, and how to read them. ``type`` has no meaning for shape."""

    storage: Array
    type: QuantizedType

    @property
    def shape(self) -> tuple[int, ...]:
        shape: tuple[int, ...] = self.storage.shape
        return shape

    @property
    def ndim(self) -> int:
        return self.storage.ndim


def _along(values: Sequence[float], type: QuantizedType, dtype: Any, rank: int) -> Array:
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


def quantize(x: Array, type: QuantizedType) -> QuantizedArray:
    """The nearest integers, ties to even; NaN becomes 0."""
    dtype = type.expressed.dtype
    scaled = divide(x, _along(type.scales, type, dtype, x.ndim))
    shifted = plus(scaled, _along(type.zero_points, type, dtype, x.ndim))
    low, high = np.asarray(type.storage_min, dtype), np.asarray(type.storage_max, dtype)
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
    return quantize(numbers, parse_quantized(str(result_types[0])))


# --- other ops on quantized tensors ---------------------------------------------------------------
# They hand their operands on as they are.
_CARRIERS = (
    "after_all case collective_broadcast collective_permute composite custom_call "
    "get_tuple_element if infeed optimization_barrier outfeed recv send tuple uniform_dequantize "
    "uniform_quantize while async_start async_done"
)
# They place integers, whatever those stand for, as long as all are read alike.
_MOVERS = (
    "all_gather all_to_all broadcast_in_dim concatenate dynamic_broadcast_in_dim dynamic_gather "
    "dynamic_pad dynamic_reshape dynamic_slice dynamic_update_slice gather get_dimension_size pad "
    "real_dynamic_slice reshape reverse set_dimension_size slice transpose"
)
# They apply regions of quantized scalars.
_WITH_REGIONS = "all_reduce map reduce reduce_scatter reduce_window scatter select_and_scatter sort"


def on_quantized(
    call: Any, types: Sequence[ValueType], result_types: Sequence[ValueType]
) -> Evaluate:
    """The evaluation of an op with quantized operands or results."""
    name = call.name.removeprefix("stablehlo.")
    if name in _CARRIERS.split():
        return _with(call, call)
    if name == "bitcast_convert":
        return _with(call, _bitcast(result_types[0]))
    if name in (*_MOVERS.split(), *_WITH_REGIONS.split()):
        return _with(call, _on_storage(call, result_types))
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
        if not is_quantized(result_type):
            return regrouped(bits, _tensor(result_type).element_type)
        type = parse_quantized(str(result_type))
        return QuantizedArray(regrouped(bits, type.storage), type)

    return evaluate


def _tensor(type: ValueType) -> TensorType:
    return parse_quantized(str(type)).expressed_type if is_quantized(type) else _plain(type)


def _plain(type: Any) -> TensorType:
    found: TensorType = type
    return found


def _listed(computed: Any) -> list[Any]:
    return list(computed) if isinstance(computed, tuple | list) else [computed]


def _on_numbers(call: Any, result_types: Sequence[ValueType]) -> Evaluate:
    """dequantize_op_quantize, and hybrid_dequantize_then_op."""
    if "result_types" in call.constants:
        call.constants["result_types"] = [_tensor(type) for type in result_types]

    def evaluate(run: Any, environment: Environment, operands: Sequence[Any]) -> Any:
        numbers = [dequantize(x) if isinstance(x, QuantizedArray) else x for x in operands]
        computed = _listed(call(run, environment, numbers))
        return [
            quantize(value, parse_quantized(str(type))) if is_quantized(type) else value
            for value, type in zip(computed, result_types, strict=True)
        ]

    return evaluate


def _on_storage(call: Any, result_types: Sequence[ValueType]) -> Evaluate:
    if "result_types" in call.constants:
        call.constants["result_types"] = [
            parse_quantized(str(type)).storage_type if is_quantized(type) else type
            for type in result_types
        ]
    alike = _read_alike(result_types)

    def evaluate(run: Any, environment: Environment, operands: Sequence[Any]) -> Any:
        stored = [_restored(x, alike) for x in operands]
        wrapped = {
            name: [_OnStorage(region) for region in held]
            if isinstance(held, list)
            else _OnStorage(held)
            for name, held in call.regions_in(run, environment).items()
        }
        computed = _listed(call.with_regions(run, stored, wrapped))
        return [
            QuantizedArray(value, parse_quantized(str(type))) if is_quantized(type) else value
            for value, type in zip(computed, result_types, strict=True)
        ]

    return evaluate


def _read_alike(result_types: Sequence[ValueType]) -> QuantizedType | None:
    """How all quantized operands must be read for their integers to be moved."""
    found = [parse_quantized(str(type)) for type in result_types if is_quantized(type)]
    return found[0] if len(found) == 1 and found[0].axis is None else None


def _restored(x: Any, wanted: QuantizedType | None) -> Any:
    """The integers, those of the wanted type where an operand has another scale."""
    if not isinstance(x, QuantizedArray):
        return x
    if wanted is None or x.type.parameters == wanted.parameters or x.type.axis is not None:
        return x.storage
    return quantize(dequantize(x), wanted).storage


class _OnStorage:
    """A region of quantized scalars as a function of their integers."""

    def __init__(self, region: Any) -> None:
        self._region = region
        self._types = [str(type) for type in self._region.body.argument_types]

    def __call__(self, *arguments: Any) -> tuple[Any, ...]:
        given = [
            QuantizedArray(argument, parse_quantized(type)) if is_quantized(type) else argument
            for argument, type in zip(arguments, self._types, strict=True)
        ]
        results = self._region(*given)
        return tuple(r.storage if isinstance(r, QuantizedArray) else r for r in results)
