"""Elements of constants, and what functions of them are, as StableHLO's folder computes them.

It computes in the exact format and rounds to nearest even; functions of floats are the C
library's of doubles, rounded. Arrays that repeat one element take the memory of one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from shlo_tools import dtypes, mlir
from shlo_tools.dtypes import Array, ElementType, TensorType
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.simplify.values import is_splat
from shlo_tools.reference import EVALUATORS
from shlo_tools.reference.rounding import element_of, rounded, wrapped

_CONSTANTS = ("stablehlo.constant", "arith.constant", "chlo.constant")

Computed = Callable[[Sequence[Array]], Array | None]


def elements(value: Value) -> Array | None:
    """What a constant holds; None of anything else."""
    op = mlir.defining_op(value)
    if op is None or op.name not in _CONSTANTS or not mlir.is_tensor(value.type):
        return None
    attribute = op.attributes["value"]
    if not mlir.is_dense(attribute) or not _is_number(value):
        return None
    if mlir.is_splat(attribute):
        return np.broadcast_to(dtypes.splat_element(attribute), tuple(value.type.shape))
    return dtypes.from_attribute(attribute)


def _is_number(value: Value) -> bool:
    spelling = mlir.spelling(value.type)
    return "!" not in spelling and not spelling.endswith(("xindex>", "<index>"))


def splat_of(value: Value) -> Array | None:
    """The one element that a constant repeats, as an array without dimensions."""
    array = elements(value)
    return None if array is None or not is_splat(array) else array.reshape(-1)[:1].reshape(())


def all_alike(array: Array) -> Array:
    """The same array, of one element in memory if all elements are the same."""
    if not array.size or is_splat(array):
        return array
    flat = np.ascontiguousarray(array).reshape(-1)
    raw = flat.view(np.uint8).reshape(array.size, -1)
    return np.broadcast_to(flat[0], array.shape) if (raw == raw[0]).all() else array


def elementwise(compute: Computed, operands: Sequence[Array]) -> Array | None:
    """The function of arrays of one shape, by one element where each repeats one."""
    if operands[0].size and all(map(is_splat, operands)):
        ones = [array.reshape(-1)[:1] for array in operands]
        result = compute(ones)
        return None if result is None else np.broadcast_to(result[0], operands[0].shape)
    return compute(operands)


# --- functions ------------------------------------------------------------------------------------
def by_reference(name: str) -> Computed:
    """The function that the reference has for an op, which is exact or rounded once."""

    def compute(operands: Sequence[Array]) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(EVALUATORS[name](*operands))

    return compute


def on_bits(of_bits: Callable[..., Array], name: str) -> Computed:
    """The reference's function, but of i1 the one that integers of one bit have."""
    general = by_reference(name)

    def compute(operands: Sequence[Array]) -> Array | None:
        return of_bits(*operands) if element_of(operands[0]).is_boolean else general(operands)

    return compute


def undivided_by_zero(name: str, of_bits: Callable[..., Array]) -> Computed:
    """Division or its remainder; of integers None where a divisor is 0."""
    general = on_bits(of_bits, name)

    def compute(operands: Sequence[Array]) -> Array | None:
        element = element_of(operands[1])
        if (element.is_integer or element.is_boolean) and not np.all(operands[1] != 0):
            return None
        return general(operands)

    return compute


def sign(operands: Sequence[Array]) -> Array | None:
    """-1, 0 or 1; None of NaNs and of unsigned integers. Zero of either sign gives 0."""
    (operand,) = operands
    element = element_of(operand)
    if element.is_float:
        if np.isnan(operand.astype(np.float64)).any():
            return None
        return np.sign(operand.astype(np.float64) + 0.0).astype(operand.dtype)
    return None if _is_unsigned(element) else by_reference("stablehlo.sign")(operands)


def by_libm(function: Callable[[float], float], *, least: float = -math.inf) -> Computed:
    """A function of doubles; None where an element is below ``least``."""

    def compute(operands: Sequence[Array]) -> Array | None:
        (operand,) = operands
        wide = operand.astype(np.float64)
        if (wide < least).any():
            return None
        results = [_called(function, x) for x in wide.reshape(-1).tolist()]
        return rounded(np.array(results, np.float64).reshape(operand.shape), operand.dtype)

    return compute


def _called(function: Callable[[float], float], x: float) -> float:
    """What C gives; Python raises where that is infinite or no number."""
    try:
        return function(x)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.nan


def logistic(x: float) -> float:
    """1 / (1 + e^-x)"""
    try:
        return 1.0 / (1.0 + math.exp(-x))
    except OverflowError:
        return 0.0


def rsqrt(x: float) -> float:
    """1 / sqrt(x)"""
    return 1.0 / math.sqrt(x)


# --- convert --------------------------------------------------------------------------------------
def converted(operand: Array, element: ElementType) -> Array | None:
    """Elements in another type; None where a float is no number that an integer can be."""
    source = element_of(operand)
    if element.is_boolean:
        return np.asarray(operand.astype(bool) if source.is_boolean else operand != 0)
    if not element.is_float:
        if source.is_float:
            return _truncated(operand, element)
        wide = operand.astype(np.uint64 if _is_unsigned(source) else np.int64)
        return wrapped(wide.astype(np.int64), element)
    with np.errstate(all="ignore"):
        result_type = TensorType(tuple(operand.shape), element)
        return np.asarray(EVALUATORS["stablehlo.convert"](operand, result_types=[result_type]))


def _truncated(operand: Array, element: ElementType) -> Array | None:
    wide = operand.astype(np.float64)
    if not np.isfinite(wide).all() or (np.signbit(wide) & (wide == 0)).any():
        return None
    whole = np.trunc(wide)
    least = 0 if _is_unsigned(element) else -(2 ** (element.bits - 1))
    greatest = 2 ** (element.bits if _is_unsigned(element) else element.bits - 1)
    if (whole < least).any() or (whole >= greatest).any():
        return None
    integers = whole.astype(np.uint64 if _is_unsigned(element) else np.int64)
    return wrapped(integers.astype(np.int64), element)


def _is_unsigned(element: ElementType) -> bool:
    return element.is_boolean or element.name.startswith("ui")


def operands_of(op: Operation) -> list[Array] | None:
    """The elements of all operands of an op; None where one is no constant."""
    arrays = []
    for value in op.operands:
        array = elements(value)
        if array is None:
            return None
        arrays.append(array)
    return arrays
