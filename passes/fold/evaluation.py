"""The results of one op on constants, by the reference.

Exact are: moving data, integers, comparisons and choices, and the operations that IEEE 754 rounds
correctly. Everything else may differ in the last place from what the program would compute.

An array that repeats one element takes the memory of one, whatever its size.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shlo_tools import mlir
from shlo_tools.dtypes import Array, TensorType
from shlo_tools.errors import ShloError
from shlo_tools.mlir import Operation
from shlo_tools.ops import Trait, has_trait, names_with
from shlo_tools.passes.simplify.values import LIMIT, is_splat, static
from shlo_tools.reference import EVALUATORS
from shlo_tools.reference._evaluates import evaluated as reference_value
from shlo_tools.reference.rounding import element_of


class Limits(NamedTuple):
    """What is folded.

    Attributes:
        elements: the largest result, unless all its elements are the same.
        operand_elements: the largest operand, in the same way.
        inexact: fold what is not correctly rounded as well.
    """

    elements: int = LIMIT
    operand_elements: int = LIMIT
    inexact: bool = False


def _named(names: str) -> frozenset[str]:
    return frozenset(f"stablehlo.{name}" for name in names.split())


_BY_NAME = _named("bitcast_convert dynamic_iota iota reduce")

FOLDED = _BY_NAME | frozenset(
    name
    for name in names_with(Trait.ELEMENTWISE | Trait.DATA_MOVEMENT)
    if name.startswith("stablehlo.") and not has_trait(name, Trait.EFFECTS)
)

# Cheaper than their results where those are large.
SPREADING = _named("broadcast broadcast_in_dim dynamic_broadcast_in_dim dynamic_iota iota")


def evaluated(op: Operation, operands: Sequence[Array], limits: Limits) -> Array | None:
    """The result of an op of one result; None where it is not to be folded."""
    result = static(op.results[0]) if len(op.results) == 1 else None
    if op.name not in FOLDED or result is None or not _is_exact_enough(op, operands, limits):
        return None
    one = _repeated(op, operands, result)
    if one is not None:
        return np.broadcast_to(one.reshape(()), result.static_shape)
    if result.size > limits.elements:
        return None
    if any(array.size > limits.operand_elements for array in operands):
        return None
    return _computed(op, operands, result)


def by_elements(op: Operation, operands: Sequence[Array]) -> Array | None:
    """What an op on scalars makes of each element of arrays; None where it is no such op."""
    result = static(op.results[0]) if len(op.results) == 1 else None
    if result is None or not operands or not has_trait(op, Trait.ELEMENTWISE):
        return None
    return _computed(op, operands, result.with_shape(operands[0].shape))


def _is_exact_enough(op: Operation, operands: Sequence[Array], limits: Limits) -> bool:
    if limits.inexact:
        return True
    if op.name == "stablehlo.reduce":
        return _is_whole(operands[0])
    if not has_trait(op, Trait.ELEMENTWISE) or _is_whole(operands[0]):
        return True
    is_complex = element_of(operands[0]).is_complex
    rounded = Trait.COMPLEX_CORRECTLY_ROUNDED if is_complex else Trait.CORRECTLY_ROUNDED
    return has_trait(op, rounded)


def _is_whole(array: Array) -> bool:
    element = element_of(array)
    return element.is_integer or element.is_boolean


def _repeated(op: Operation, operands: Sequence[Array], result: TensorType) -> Array | None:
    """The one element that the result repeats, where that shows without computing it all."""
    if not operands or not result.size or not is_splat(operands[0]):
        return None
    ones = [array.reshape(-1)[:1] for array in operands if is_splat(array)]
    if has_trait(op, Trait.REARRANGES):
        return ones[0]
    if len(ones) < len(operands):
        return None
    if has_trait(op, Trait.ELEMENTWISE):
        return _computed(op, ones, result.with_shape([1]))
    if op.name in ("stablehlo.concatenate", "stablehlo.pad"):
        same = all(one.tobytes() == ones[0].tobytes() for one in ones)
        return ones[0] if same else None
    return None


def _computed(op: Operation, operands: Sequence[Array], result: TensorType) -> Array | None:
    """What the reference gives; None where that is an error, which the program shall meet."""
    regions: dict[str, _Monoid] = {}
    if op.regions:
        body = _monoid(op)
        if body is None:
            return None
        regions["body"] = body
    try:
        computed = reference_value(op, operands, [result], **regions)
    except ShloError:
        return None
    if isinstance(computed, tuple):
        (computed,) = computed
    array = np.asarray(computed)
    as_declared = array.shape == result.static_shape and array.dtype == result.element_type.dtype
    return array if as_declared else None


class _Monoid:
    """The computation of a reduction that is one op of its two arguments."""

    def __init__(self, operation: str) -> None:
        self.operation = operation

    def __call__(self, lhs: Array, rhs: Array) -> Array:
        computed: Array = EVALUATORS[self.operation](lhs, rhs)
        return computed


def _monoid(op: Operation) -> _Monoid | None:
    """A reduction's computation, if integers may meet it in any order and keep their type."""
    block = op.regions[0].blocks[0]
    body = [mlir.inner_operation(inner) for inner in block.operations]
    if len(body) != 2 or not has_trait(body[0], Trait.COMMUTATIVE):
        return None
    if {*body[0].operands} != {*block.arguments} or body[1].operands[0] != body[0].results[0]:
        return None
    elements = {type and type.element_type for type in map(static, (*op.operands, *op.results))}
    declared = static(block.arguments[0])
    if declared is None or elements != {declared.element_type}:
        return None
    return _Monoid(body[0].name)
