"""What is known of tensors of integers that count places: along which dimensions they differ.

    %0 = stablehlo.iota dim = 0 : tensor<8xi64>
    %1 = stablehlo.add %0, %two : tensor<8xi64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<8xi64>) -> tensor<4x8xi64>

are ``2 + place`` along dimension 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from shlo_tools import dtypes, ir, mlir
from shlo_tools.dtypes import TensorType
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops import Trait, has_trait
from shlo_tools.passes.simplify.values import long_dims, moved_dims, splat

_STEPS = 16  # ops behind each other that are looked at
_BITS = 32  # of integers that count sizes without wrapping, at least


@dataclass(frozen=True)
class Numbers:
    """What is known of a static tensor.

    Attributes:
        dims: the dimensions along which elements may differ.
        start, step: elements are ``start + step * place`` in the one of ``dims``, or ``start``
            where there is none, all modulo 2 to the power of their bits; None where nobody knows.
    """

    dims: frozenset[int]
    start: int | None = None
    step: int = 0

    @property
    def is_zero(self) -> bool:
        return not self.dims and self.start == 0

    @property
    def is_place(self) -> bool:
        """Whether elements are their places in a dimension."""
        return len(self.dims) == 1 and (self.start, self.step) == (0, 1)

    def moved(self, places: Mapping[int, int]) -> Numbers:
        """The same where dimensions have other numbers."""
        return Numbers(frozenset(places[d] for d in self.dims), self.start, self.step)


class Counting:
    """Looks at values, each once."""

    def __init__(self) -> None:
        self._known: dict[Value, Numbers] = {}
        self._steps = _STEPS

    def numbers(self, value: Value) -> Numbers:
        """What the ops that make a static tensor say of its elements."""
        if value not in self._known:
            self._steps -= 1
            self._known[value] = self._numbers(value, dtypes.tensor_type(value.type))
            self._steps += 1
        return self._known[value]

    def _numbers(self, value: Value, type: TensorType) -> Numbers:
        number = splat(value)
        if number is not None:
            return Numbers(frozenset(), int(number) if _is_wide(type) else None)
        every = frozenset(long_dims(value))
        op = mlir.defining_op(value)
        if op is None or not self._steps:
            return Numbers(every)
        rule = _RULES.get(op.name)
        if rule is not None:
            return rule(op, type, self) or Numbers(every)
        if not has_trait(op, Trait.ELEMENTWISE) or len(op.results) != 1:
            return Numbers(every)
        return Numbers(frozenset().union(*(self.numbers(v).dims for v in op.operands)))


# --- rules ----------------------------------------------------------------------------------------
Rule = Callable[[Operation, TensorType, Counting], Numbers | None]


def _is_wide(type: TensorType) -> bool:
    return type.element_type.is_integer and type.element_type.bits >= _BITS


def _iota(op: Operation, type: TensorType, known: Counting) -> Numbers | None:
    dim = ir.integer_of(op, "iota_dimension")
    if not _is_wide(type):
        return None
    if type.static_shape[dim] == 1:
        return Numbers(frozenset(), 0)
    return Numbers(frozenset([dim]), 0, 1)


def _view(op: Operation, type: TensorType, known: Counting) -> Numbers | None:
    places = moved_dims(op)
    return None if places is None else known.numbers(op.operands[0]).moved(places)


def _convert(op: Operation, type: TensorType, known: Counting) -> Numbers | None:
    """Places and zeros are what they are in any type that has room for sizes."""
    numbers = known.numbers(op.operands[0])
    if _is_wide(type) and (numbers.is_place or numbers.is_zero):
        return numbers
    return Numbers(numbers.dims)


def _sum(sign: int) -> Rule:
    def rule(op: Operation, type: TensorType, known: Counting) -> Numbers | None:
        one, other = (known.numbers(operand) for operand in op.operands)
        dims = one.dims | other.dims
        if one.start is None or other.start is None or len(dims) > 1:
            return Numbers(dims)
        return Numbers(dims, one.start + sign * other.start, one.step + sign * other.step)

    return rule


def _product(op: Operation, type: TensorType, known: Counting) -> Numbers | None:
    one, other = (known.numbers(operand) for operand in op.operands)
    dims = one.dims | other.dims
    if one.start is None or other.start is None or (one.dims and other.dims):
        return Numbers(dims)
    step = one.step * other.start + other.step * one.start
    return Numbers(dims, one.start * other.start, step)


_RULES: dict[str, Rule] = {
    "stablehlo.add": _sum(1),
    "stablehlo.broadcast_in_dim": _view,
    "stablehlo.convert": _convert,
    "stablehlo.iota": _iota,
    "stablehlo.multiply": _product,
    "stablehlo.reshape": _view,
    "stablehlo.subtract": _sum(-1),
}
