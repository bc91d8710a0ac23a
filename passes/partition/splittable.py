"""Which ops on a few numbers for each of many can be taken apart, number by number."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from shlo_tools import dtypes, ir, mlir
from shlo_tools.dtypes import TensorType
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops import Trait, has_trait
from shlo_tools.passes.stages.regions import repeated_op

FEW = 16  # numbers of each
CUTS, JOINS = "stablehlo.slice", "stablehlo.concatenate"
_FOLDS = ("add", "multiply", "maximum", "minimum", "and", "or")


@dataclass(frozen=True)
class Layout:
    """Where a type has the dimension of the many: ``before`` and ``after`` elements around it."""

    type: TensorType
    dimension: int

    @property
    def before(self) -> int:
        return math.prod(self.type.static_shape[: self.dimension])

    @property
    def after(self) -> int:
        return math.prod(self.type.static_shape[self.dimension + 1 :])

    @property
    def few(self) -> tuple[int, ...]:
        """The other sizes."""
        shape = self.type.static_shape
        return (*shape[: self.dimension], *shape[self.dimension + 1 :])


class Family:
    """Values that have a number of vectors, and the ops on them that can be taken apart."""

    def __init__(self, many: int) -> None:
        self.many = many
        self._known: dict[mlir.Type, Layout | None] = {}

    def layout(self, value: Value) -> Layout | None:
        """How a value holds a few numbers for each of the many; None where it is another one."""
        if value.type not in self._known:
            self._known[value.type] = self._layout(value.type)
        return self._known[value.type]

    def _layout(self, mlir_type: mlir.Type) -> Layout | None:
        if not mlir.is_static_tensor(mlir_type) or "!" in mlir.spelling(mlir_type):
            return None
        type = dtypes.tensor_type(mlir_type)
        is_fit = type.static_shape.count(self.many) == 1 and type.size <= FEW * self.many
        return Layout(type, type.static_shape.index(self.many)) if is_fit else None

    def is_inside(self, op: Operation) -> bool:
        """Whether an op's result has the many in another dimension than its first."""
        layout = self.layout(op.results[0])
        return layout is not None and layout.before > 1

    def turns(self, op: Operation) -> bool:
        """Whether the many are in another dimension of an op's result than of its operand."""
        places = [self.layout(value) for value in (op.operands[0], op.results[0])]
        around = {place.before > 1 for place in places if place is not None}
        return op.name == "stablehlo.transpose" and len(around) == 2

    def has(self, op: Operation) -> bool:
        """Whether an op can be taken apart."""
        if len(op.results) != 1 or (result := self.layout(op.results[0])) is None:
            return False
        rule = _FITS.get(op.name)
        if rule is not None:
            return rule(self, op, result)
        same = [self.layout(operand) for operand in op.operands]
        shape = result.type.shape
        is_alike = all(one is not None and one.type.shape == shape for one in same)
        return bool(same) and is_alike and has_trait(op, Trait.ELEMENTWISE)


def _is_uncut(family: Family, op: Operation, result: Layout) -> bool:
    source = family.layout(op.operands[0])
    if source is None or source.dimension != result.dimension:
        return False
    return source.type.rank == result.type.rank


def _is_in_order(family: Family, op: Operation, result: Layout) -> bool:
    source = family.layout(op.operands[0])
    return source is not None and source.before == result.before


def _is_known(family: Family, op: Operation, result: Layout) -> bool:
    return family.layout(op.operands[0]) is not None


def _is_spread(family: Family, op: Operation, result: Layout) -> bool:
    (operand,) = op.operands
    source = family.layout(operand)
    if source is None:
        return mlir.is_static_tensor(operand.type) and not dtypes.tensor_type(operand.type).shape
    return ir.integers_of(op, "broadcast_dimensions")[source.dimension] == result.dimension


def _is_joined(family: Family, op: Operation, result: Layout) -> bool:
    sources = [family.layout(operand) for operand in op.operands]
    return ir.integer_of(op, "dimension") != result.dimension and all(
        source is not None and source.dimension == result.dimension for source in sources
    )


def _is_splat(family: Family, op: Operation, result: Layout) -> bool:
    return mlir.is_splat(op.attributes["value"])


def _is_folded(family: Family, op: Operation, result: Layout) -> bool:
    source = family.layout(op.operands[0]) if len(op.operands) == 2 else None
    if source is None or source.dimension in ir.integers_of(op, "dimensions"):
        return False
    is_plain = len(op.regions[0].blocks[0].operations) == 2
    return is_plain and repeated_op(op) in _FOLDS


_Fit = Callable[[Family, Operation, Layout], bool]
_FITS: dict[str, _Fit] = {
    "stablehlo.broadcast_in_dim": _is_spread,
    "stablehlo.concatenate": _is_joined,
    "stablehlo.constant": _is_splat,
    "stablehlo.reduce": _is_folded,
    "stablehlo.reshape": _is_in_order,
    "stablehlo.slice": _is_uncut,
    "stablehlo.transpose": _is_known,
}
