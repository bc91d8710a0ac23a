"""Functions of two arrays, element by element, which broadcast; see ``broadcasting``.

Each takes ``lhs`` and ``rhs`` of one element type, as tensors, arrays, numbers or lists, and
optionally ``broadcast_dimensions``; each raises ShloError where their shapes do not broadcast or
the element type is not one of the op's.

Source: XLA's operation semantics, "Element-wise binary arithmetic operations" and "Element-wise
comparison operations".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from shlo_tools import ops
from shlo_tools.ops import ComparisonDirection, ComparisonType
from shlo_tools.ops.xla.arguments import xla_op
from shlo_tools.ops.xla.broadcasting import Operand, broadcast
from shlo_tools.types import Tensor

Mapping: TypeAlias = Sequence[int] | None


def _built(
    build: Callable[[Tensor, Tensor], Tensor],
    lhs: Operand,
    rhs: Operand,
    broadcast_dimensions: Mapping,
) -> Tensor:
    return build(*broadcast(lhs, rhs, broadcast_dimensions))


def _compared(
    direction: ComparisonDirection,
    lhs: Operand,
    rhs: Operand,
    broadcast_dimensions: Mapping,
) -> Tensor:
    """A comparison; signed, unsigned or of floats as the element type is."""
    return ops.compare(*broadcast(lhs, rhs, broadcast_dimensions), direction)


def _ordered(
    direction: ComparisonDirection,
    lhs: Operand,
    rhs: Operand,
    broadcast_dimensions: Mapping,
) -> Tensor:
    """A comparison; of floats in their total order."""
    a, b = broadcast(lhs, rhs, broadcast_dimensions)
    total = ComparisonType.TOTALORDER if a.element_type.is_float else None
    return ops.compare(a, b, direction, total)


@xla_op
def Add(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """The sum, ``add``; of booleans, logical or."""
    return _built(ops.add, lhs, rhs, broadcast_dimensions)


@xla_op
def Sub(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """The difference ``lhs - rhs``, ``subtract``."""
    return _built(ops.subtract, lhs, rhs, broadcast_dimensions)


@xla_op
def Mul(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """The product, ``multiply``; of booleans, logical and."""
    return _built(ops.multiply, lhs, rhs, broadcast_dimensions)


@xla_op
def Div(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """The quotient ``lhs / rhs``, ``divide``; of integers it truncates."""
    return _built(ops.divide, lhs, rhs, broadcast_dimensions)


@xla_op
def Rem(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """The remainder of ``lhs / rhs``, ``remainder``, with the sign of ``lhs``."""
    return _built(ops.remainder, lhs, rhs, broadcast_dimensions)


@xla_op
def Max(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """The larger, ``maximum``; NaN where one is NaN."""
    return _built(ops.maximum, lhs, rhs, broadcast_dimensions)


@xla_op
def Min(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """The smaller, ``minimum``; NaN where one is NaN."""
    return _built(ops.minimum, lhs, rhs, broadcast_dimensions)


@xla_op
def LogicalAnd(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """Logical and of booleans, of integers that of their bits: ``and``."""
    return _built(ops.and_, lhs, rhs, broadcast_dimensions)


@xla_op
def LogicalOr(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """Logical or of booleans, of integers that of their bits: ``or``."""
    return _built(ops.or_, lhs, rhs, broadcast_dimensions)


@xla_op
def Eq(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """Whether ``lhs`` is equal to ``rhs``: ``compare EQ``."""
    return _compared(ComparisonDirection.EQ, lhs, rhs, broadcast_dimensions)


@xla_op
def Ne(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """Whether ``lhs`` differs from ``rhs``: ``compare NE``."""
    return _compared(ComparisonDirection.NE, lhs, rhs, broadcast_dimensions)


@xla_op
def Ge(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """Whether ``lhs`` is greater than or equal to ``rhs``: ``compare GE``."""
    return _compared(ComparisonDirection.GE, lhs, rhs, broadcast_dimensions)


@xla_op
def Gt(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """Whether ``lhs`` is greater than ``rhs``: ``compare GT``."""
    return _compared(ComparisonDirection.GT, lhs, rhs, broadcast_dimensions)


@xla_op
def Le(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """Whether ``lhs`` is less than or equal to ``rhs``: ``compare LE``."""
    return _compared(ComparisonDirection.LE, lhs, rhs, broadcast_dimensions)


@xla_op
def Lt(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """Whether ``lhs`` is less than ``rhs``: ``compare LT``."""
    return _compared(ComparisonDirection.LT, lhs, rhs, broadcast_dimensions)


@xla_op
def EqTotalOrder(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """As ``Eq``, with -NaN < -Inf < -0 < +0 < Inf < NaN: ``TOTALORDER``."""
    return _ordered(ComparisonDirection.EQ, lhs, rhs, broadcast_dimensions)


@xla_op
def NeTotalOrder(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """As ``Ne``, with -NaN < -Inf < -0 < +0 < Inf < NaN: ``TOTALORDER``."""
    return _ordered(ComparisonDirection.NE, lhs, rhs, broadcast_dimensions)


@xla_op
def GeTotalOrder(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """As ``Ge``, with -NaN < -Inf < -0 < +0 < Inf < NaN: ``TOTALORDER``."""
    return _ordered(ComparisonDirection.GE, lhs, rhs, broadcast_dimensions)


@xla_op
def GtTotalOrder(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """As ``Gt``, with -NaN < -Inf < -0 < +0 < Inf < NaN: ``TOTALORDER``."""
    return _ordered(ComparisonDirection.GT, lhs, rhs, broadcast_dimensions)


@xla_op
def LeTotalOrder(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """As ``Le``, with -NaN < -Inf < -0 < +0 < Inf < NaN: ``TOTALORDER``."""
    return _ordered(ComparisonDirection.LE, lhs, rhs, broadcast_dimensions)


@xla_op
def LtTotalOrder(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """As ``Lt``, with -NaN < -Inf < -0 < +0 < Inf < NaN: ``TOTALORDER``."""
    return _ordered(ComparisonDirection.LT, lhs, rhs, broadcast_dimensions)


@xla_op
def And(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """``LogicalAnd`` by XlaBuilder's present name: ``and``."""
    return _built(ops.and_, lhs, rhs, broadcast_dimensions)


@xla_op
def Or(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """``LogicalOr`` by XlaBuilder's present name: ``or``."""
    return _built(ops.or_, lhs, rhs, broadcast_dimensions)


@xla_op
def Xor(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """Exclusive or of booleans, of integers that of their bits: ``xor``."""
    return _built(ops.xor, lhs, rhs, broadcast_dimensions)


@xla_op
def ShiftLeft(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """Bits of ``lhs`` moved up by ``rhs`` places, ``shift_left``."""
    return _built(ops.shift_left, lhs, rhs, broadcast_dimensions)


@xla_op
def ShiftRightArithmetic(
    lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None
) -> Tensor:
    """Bits moved down, copies of the sign above: ``shift_right_arithmetic``."""
    return _built(ops.shift_right_arithmetic, lhs, rhs, broadcast_dimensions)


@xla_op
def ShiftRightLogical(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """Bits moved down, zeros above: ``shift_right_logical``."""
    return _built(ops.shift_right_logical, lhs, rhs, broadcast_dimensions)


@xla_op
def Pow(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """``lhs`` to the power of ``rhs``, ``power``."""
    return _built(ops.power, lhs, rhs, broadcast_dimensions)


@xla_op
def Atan2(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """The angle of the point (rhs, lhs), ``atan2``."""
    return _built(ops.atan2, lhs, rhs, broadcast_dimensions)


@xla_op
def Complex(lhs: Operand, rhs: Operand, broadcast_dimensions: Mapping = None) -> Tensor:
    """Complex numbers of real and imaginary parts, ``complex``."""
    return _built(ops.complex, lhs, rhs, broadcast_dimensions)
