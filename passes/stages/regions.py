"""Regions of ops on scalars: what they compute, and in which orders a reduction may repeat them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np

from shlo_tools import dtypes, ir, mlir
from shlo_tools.codegen.function import Value
from shlo_tools.codegen.stages.folds import REPEATABLE, Extreme, Fold, neutral_number
from shlo_tools.codegen.stages.nodes import (
    Region,
    UnsupportedStage,
    constant_value,
)
from shlo_tools.codegen.stages.reading import elements
from shlo_tools.codegen.stages.reading.elements import Number
from shlo_tools.codegen.stages.reading.memory import Memory
from shlo_tools.dtypes import Array, ElementType
from shlo_tools.mlir import Operation
from shlo_tools.passes.legalize_to_linalg.elementwise import SCALARS
from shlo_tools.passes.stages.vectors import VectorEmit, as_held, as_number, elements_of

_OF_EXTREMES = 4  # instructions of the larger or smaller of floats, which regards NaN and zeros


def rule_of(op: Operation) -> Callable[[Memory, Sequence[Value]], Value]:
    """What an elementwise op computes."""
    scalar: Any = SCALARS[op.name]
    types = [dtypes.tensor_type(operand.type).element_type for operand in op.operands]
    ends = elements_of(op)

    def rule(reader: Memory, values: Sequence[Value]) -> Value:
        operands = map(as_number, values, types)
        return as_held(scalar(VectorEmit(op, reader, ends), *operands))

    return rule


def region(op: Operation, number: int = 0, results: int | None = None) -> Region:
    """What a region of an op computes, one elementwise op after another.

    Args:
        number: of the region.
        results: how many are asked for, the first ones; all by default.

    Raises:
        UnsupportedStage: it holds other ops, or uses values from around.
    """
    block, ops, end = _parts(op, number)
    outcomes = list(end.operands)[:results]
    ops, _ = _below(ops, outcomes)
    for inner in ops:
        if inner.name != "stablehlo.constant" and inner.name not in SCALARS:
            raise UnsupportedStage(f"{inner.name} in a region")
    if ir.captured(op):
        raise UnsupportedStage("a region that uses values from around")

    places = {argument: number for number, argument in enumerate(block.arguments)}
    steps: list[Callable[[Memory, list[Value]], Value]] = []
    for inner in ops:
        steps.append(_step(inner, [places[operand] for operand in inner.operands]))
        places[inner.results[0]] = len(places)
    returned = [places[value] for value in outcomes]

    def run(reader: Memory, arguments: Sequence[Value]) -> list[Value]:
        values = list(arguments)
        for step in steps:
            values.append(step(reader, values))
        return [values[place] for place in returned]

    return run


def _step(op: Operation, places: Sequence[int]) -> Callable[[Memory, list[Value]], Value]:
    """What an op makes of the values before it, which are counted."""
    if op.name == "stablehlo.constant":
        number, element = number_of(op)
        return lambda reader, values: elements.constant(reader.function, number, element)
    rule = rule_of(op)
    return lambda reader, values: rule(reader, reader.alike([values[p] for p in places]))


def _parts(op: Operation, number: int = 0) -> tuple[Any, list[Operation], Operation]:
    """The block of a region of an op, its ops, and the one that ends it."""
    block = op.regions[number].blocks[0]
    *ops, end = [mlir.inner_operation(view) for view in block.operations]
    return block, ops, end


def _below(
    ops: Sequence[Operation], values: Sequence[mlir.Value]
) -> tuple[list[Operation], set[mlir.Value]]:
    """The ops that values rest on, in order, and all values that they and these read."""
    sources, below = set(values), []
    for op in reversed(ops):
        if any(result in sources for result in op.results):
            sources.update(op.operands)
            below.append(op)
    return below[::-1], sources


def number_of(op: Operation) -> tuple[Number, ElementType]:
    """The number that a constant consists of.

    Raises:
        UnsupportedStage: there are several; those of stages are taken out before.
    """
    value = op.attributes["value"]
    elements_of = dtypes.splat_element if mlir.is_splat(value) else dtypes.from_attribute
    element = _element(op)
    number = constant_value(elements_of(value), element)
    if number is None:
        raise UnsupportedStage("a constant of several numbers")
    return number, element


def fold(op: Operation, starts: Sequence[Number | None], *, is_numbered: bool) -> Fold:
    """What a reduction repeats.

    Args:
        op: it, or another op whose region does the same.
        starts: what it starts from, where that is known.
        is_numbered: whether the second operand tells the order of the elements.

    Raises:
        UnsupportedStage: its region holds what kernels cannot do.
    """
    run = region(op)
    length = sum(_length(inner) for inner in _parts(op)[1])
    if len(starts) == 1:
        element = _element(op)
        name = repeated_op(op)
        neutral = neutral_number(name, element)
        return Fold(run, length, neutral=neutral, may_repeat=name in REPEATABLE)
    selection = _selection(op, starts) if is_numbered else None
    if selection is None or not selection.has_any_order:
        return Fold(run, length)
    return Fold(run, length, selects=True, extreme=_extreme(op, selection))


def _length(op: Operation) -> int:
    """How many instructions an op takes, about."""
    return _OF_EXTREMES if _chooses_floats(op) else 1


def keeps(op: Operation, start: Number | None) -> bool:
    """Whether a region makes of a number and itself that number, to the last bit."""
    if start is None or len(op.results) != 1:
        return False
    number = np.asarray(start, _element(op).dtype)
    result = _evaluated(op, number, number)
    return result is not None and result.tobytes() == number.tobytes()


def regroups(op: Operation, start: Number | None) -> bool:
    """Whether a region makes the same of three numbers whichever two of them meet first.

    That is tried on samples, up to rounding; ``start`` has to change nothing on either side.
    """
    element = _element(op)
    if start is None or len(op.results) != 1 or not element.is_float or element.bits < 32:
        return False
    random = np.random.default_rng(0)
    numbers = [start, 0, math.inf, -math.inf, *random.normal(0, 1, 4), *random.normal(0, 30, 4)]
    grid = np.meshgrid(*[np.array(numbers).astype(element.dtype)] * 3)
    a, b, c = (array.ravel() for array in grid)
    starts = np.full_like(a, start)
    pairs = _evaluated(op, np.concatenate([a, b, starts, a]), np.concatenate([b, c, a, starts]))
    if pairs is None:
        return False
    first, second, behind, before = np.split(pairs, 4)
    results = _evaluated(op, np.concatenate([first, a]), np.concatenate([c, second]))
    samples = np.array([a, b, c])
    scale = np.max(np.abs(samples), axis=0, where=np.isfinite(samples), initial=1)
    alike = [np.split(results, 2), (behind, a), (before, a)]
    return all(_is_close(one, other, scale) for one, other in alike)


def _is_close(one: Any, other: Any, scale: Array) -> bool:
    """Whether arrays are the same up to the rounding of numbers of a size."""
    with np.errstate(invalid="ignore"):
        near = np.abs(one - other) <= 16 * np.finfo(scale.dtype).eps * scale
    return bool((near | (one == other) | (np.isnan(one) & np.isnan(other))).all())


def _element(op: Operation) -> ElementType:
    return dtypes.tensor_type(op.results[0].type).element_type


def _evaluated(op: Operation, *arguments: Array) -> Any:
    """What a region makes of numbers; None where that is not known."""
    from shlo_tools.passes.fold.evaluation import by_elements  # loads the reference

    block, ops, end = _parts(op)
    values: dict[mlir.Value, Array] = dict(zip(block.arguments, arguments, strict=True))
    for inner in ops:
        if inner.name == "stablehlo.constant":
            constant = dtypes.from_attribute(inner.attributes["value"])
            value: Array | None = np.broadcast_to(constant, arguments[0].shape)
        else:
            value = by_elements(inner, [values[operand] for operand in inner.operands])
        if value is None:
            return None
        values[inner.results[0]] = value
    return values[end.operands[0]]


def repeated_op(op: Operation) -> str:
    """The name of the op that a reduction of one tensor repeats, '' where there is none such.

    Arguments may be widened in front of it, and the result narrowed behind it.
    """
    block, ops, end = _parts(op)
    widened: dict[mlir.Value, mlir.Value] = {}
    while ops and _is_widening(ops[0]):
        widened[ops[0].results[0]] = ops.pop(0).operands[0]
    if not ops or len(op.results) != 1:
        return ""
    first, *rest = ops
    operands = [widened.get(value, value) for value in first.operands]
    if len(operands) != 2 or set(operands) != set(block.arguments):
        return ""
    result = first.results[0]
    if widened:
        if len(rest) != 1 or rest[0].name != "stablehlo.convert" or rest[0].operands[0] != result:
            return ""
        result = rest.pop().results[0]
    return "" if rest or end.operands[0] != result else first.name.partition(".")[2]


def _is_widening(op: Operation) -> bool:
    """Whether an op makes wider floats of floats."""
    if op.name != "stablehlo.convert":
        return False
    types = (op.operands[0].type, op.results[0].type)
    old, new = (dtypes.tensor_type(type).element_type for type in types)
    return old.is_float and new.is_float and old.bits < new.bits


# --- selections -----------------------------------------------------------------------------------
_COMPARISONS = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "LT": np.less,
    "LE": np.less_equal,
    "GT": np.greater,
    "GE": np.greater_equal,
}
_ORDERINGS: dict[str, Any] = {
    "stablehlo.and": np.logical_and,
    "stablehlo.or": np.logical_or,
    "stablehlo.xor": np.logical_xor,
    "stablehlo.not": np.logical_not,
    "stablehlo.maximum": np.maximum,
    "stablehlo.minimum": np.minimum,
    "stablehlo.select": np.where,
}


@dataclass(frozen=True)
class _Selection:
    """Pairs of a value and a number, and what a region makes of any two of them.

    Attributes:
        pairs: values and numbers, what a reduction starts from in front.
        may_meet: which of them meet: elements have different numbers, and only what the reduction
            starts from may share one.
        outcomes: the pairs that are made of them.
    """

    pairs: Array
    may_meet: Array
    outcomes: Array

    @property
    def has_any_order(self) -> bool:
        """Whether one of both is kept, whichever way they meet, if smaller numbers go first."""
        one, other, either = *self._both, self._either
        is_first = _same(either, one)
        kept = is_first | _same(either, other)
        turned = _same(either, either.swapaxes(1, 2))
        started = _same(self.outcomes[:, 0], either[:, 0]).all()
        if not started or not ((kept & turned) | ~self.may_meet).all():
            return False
        places = np.arange(self.pairs.shape[1])
        choice = np.where(is_first, places[:, None], places)
        kinds = _same(one, other).argmax(axis=0).astype(np.uint8)[choice]  # of pairs that are alike
        grouped = kinds[choice] == kinds[:, choice]
        meet = self.may_meet[:, :, None] & self.may_meet[:, None] & self.may_meet
        return bool((grouped | ~meet).all())

    @property
    def takes_first(self) -> bool:
        """Whether the smaller number is kept of pairs of equal values."""
        one, other = self._both
        are_equal = (one[0] == other[0]) | (np.isnan(one[0]) & np.isnan(other[0]))
        is_least = self._either[1] == np.minimum(one[1], other[1])
        return bool((is_least | ~are_equal | ~self.may_meet).all())

    @property
    def _both(self) -> tuple[Array, Array]:
        return self.pairs[:, :, None], self.pairs[:, None, :]

    @cached_property
    def _either(self) -> Array:
        """What is made of them if the one with the smaller number goes first."""
        one, other = self._both
        return np.where(other[1] < one[1], self.outcomes.swapaxes(1, 2), self.outcomes)


def _extreme(op: Operation, selection: _Selection) -> Extreme | None:
    """What a selection chooses by values alone, and then by the least number, if it does."""
    block, ops, end = _parts(op)
    _, sources = _below(ops, [end.operands[0]])
    if not selection.takes_first or sources & {block.arguments[1], block.arguments[3]}:
        return None
    run = region(op, results=1)
    element = _element(op)

    def better(reader: Any, values: Sequence[Value]) -> list[Value]:
        return run(reader, [values[0], values[0], values[1], values[1]])

    def alike(reader: Any, values: Sequence[Value]) -> list[Value]:
        emit = VectorEmit(op, reader, (element, element))
        one, other = (as_number(value, element) for value in values)
        if not element.is_float:
            return [emit.compare_integers("eq", one, other)]
        are_nan = [emit.compare_floats("uno", value, value) for value in (one, other)]
        return [emit.compare_floats("oeq", one, other) | (are_nan[0] & are_nan[1])]

    return Extreme(better, alike)


def _selection(op: Operation, starts: Sequence[Number | None]) -> _Selection | None:
    """What a region makes of pairs, if it compares and chooses.

    That depends on the order of its operands alone: what holds for all orders that three pairs can
    have holds for all pairs.
    """
    value, number = starts[0], starts[1]
    if len(starts) != 2 or value is None or isinstance(value, complex) or not _is_integer(number):
        return None
    kinds = [dtypes.tensor_type(result.type).element_type for result in op.results]
    if kinds[0].is_boolean or not kinds[1].is_integer or kinds[1].is_boolean:
        return None
    values = [-2, -1, 0, 1, 2, value]
    values += [math.nan, math.inf, -math.inf, -0.0] if kinds[0].is_float else []
    numbers = sorted({0, 1, 2, *(max(0, number + k) for k in (-1, 0, 1))})
    pairs = np.array([(value, number), *itertools.product(values, numbers)], float).T
    may_meet = pairs[1, :, None] != pairs[1]
    may_meet[0], may_meet[:, 0] = True, True
    one, other = np.broadcast_arrays(pairs[:, :, None], pairs[:, None, :])
    try:
        return _Selection(pairs, may_meet, _applied(op, one, other))
    except UnsupportedStage:
        return None


def _is_integer(number: Number | None) -> TypeGuard[int]:
    return isinstance(number, int)


def _same(one: Array, other: Array) -> Array:
    """Whether pairs are the same; which of two zeros a region returns may depend on the order."""
    values = (one[0] == other[0]) | (np.isnan(one[0]) & np.isnan(other[0]))
    same: Array = values & (one[1] == other[1])
    return same


def _chooses_floats(op: Operation) -> bool:
    """Whether an op is the larger or smaller of floats, which is not one of both for zeros."""
    is_float = _element(op).is_float
    return is_float and op.name in ("stablehlo.maximum", "stablehlo.minimum")


def _applied(op: Operation, one: Array, other: Array) -> Array:
    """The pairs that a region makes of pairs."""
    block, ops, end = _parts(op)
    values: dict[mlir.Value, Array] = dict(zip(block.arguments, [*one, *other], strict=True))
    for inner in ops:
        operands = [values[value] for value in inner.operands]
        if inner.name == "stablehlo.constant":
            value = np.asarray(number_of(inner)[0], float)
        elif inner.name == "stablehlo.compare" and "TOTAL" not in str(inner.attributes):
            direction = str(inner.attributes["comparison_direction"]).split()[-1].rstrip(">")
            value = _COMPARISONS[direction](*operands)
        elif inner.name in _ORDERINGS and not _chooses_floats(inner):
            value = _ORDERINGS[inner.name](*operands)
        else:
            raise UnsupportedStage(f"{inner.name} in a selection")
        values[inner.results[0]] = value
    arrays = [np.broadcast_to(values[value], one[0].shape) for value in end.operands]
    return np.stack(arrays).astype(float)
