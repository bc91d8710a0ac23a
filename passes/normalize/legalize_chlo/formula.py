"""A notation for formulas on tensors: operators and functions that build StableHLO ops.

    y = select(abs(x) < 1.0, x + x * polynomial(table, x * x), sign(x) * tail(abs(x)))

Python numbers become splat constants of the other operand's type, so nothing is as large as the
tensor it stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from shlo_tools import ir, mlir, ops
from shlo_tools.dtypes import ElementType, TensorType, element_type
from shlo_tools.operators import Operators
from shlo_tools.ops import ComparisonDirection, Tensor

Operand: TypeAlias = "Term | bool | int | float"


class Term(Operators["bool | int | float"]):
    """A tensor of static shape in a formula.

    ``<`` and its like are ``compare``, ``&``, ``|`` and ``~`` are logical on booleans and bitwise
    on integers, ``>>`` fills with zeros.
    """

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor

    @property
    def type(self) -> TensorType:
        return self.tensor.type

    @property
    def element_type(self) -> ElementType:
        return self.tensor.element_type

    def constant(self, value: complex | np.generic) -> Term:
        """``value`` in every element of this tensor's type."""
        return constant(value, self.type)

    def lifted(self, other: Operand) -> Term:
        """``other`` as a term of this type."""
        return other if isinstance(other, Term) else self.constant(other)

    def operate(self, name: str, *operands: Operand) -> Term:
        """See ``Operators``."""
        return Term(_OPERATORS[name](*(self.lifted(operand).tensor for operand in operands)))


def _compared(direction: ComparisonDirection) -> Callable[[Tensor, Tensor], Tensor]:
    return lambda lhs, rhs: ops.compare(lhs, rhs, direction)


_OPERATORS: dict[str, Callable[..., Tensor]] = {
    "add": ops.add,
    "subtract": ops.subtract,
    "multiply": ops.multiply,
    "divide": ops.divide,
    "and": ops.and_,
    "or": ops.or_,
    "xor": ops.xor,
    "shift_right": ops.shift_right_logical,
    "negate": ops.negate,
    "not": ops.not_,
    **{direction.name: _compared(direction) for direction in ComparisonDirection},
}


def constant(value: complex | np.generic, type: TensorType) -> Term:
    """``stablehlo.constant`` with one value everywhere."""
    one = np.asarray(value).astype(type.element_type.dtype).tobytes() if type.size else b""
    built = type.mlir()
    if type.element_type.bits < 8:
        one = bytes(byte & ((1 << type.element_type.bits) - 1) for byte in one)
    attribute = mlir.dense_from_bytes(np.frombuffer(one, np.uint8), built)
    result = ir.insertion().value("stablehlo.constant", (), built, {"value": attribute})
    return Term(Tensor(type, result))


# --- functions ------------------------------------------------------------------------------------
def _function(build: Callable[[Tensor], Tensor]) -> Callable[[Term], Term]:
    return lambda operand: Term(build(operand.tensor))


abs = _function(ops.abs)
cos = _function(ops.cosine)
exp = _function(ops.exponential)
expm1 = _function(ops.exponential_minus_one)
floor = _function(ops.floor)
is_finite = _function(ops.is_finite)
log = _function(ops.log)
log1p = _function(ops.log_plus_one)
sign = _function(ops.sign)
sin = _function(ops.sine)
sqrt = _function(ops.sqrt)
tan = _function(ops.tan)


def atan2(y: Operand, x: Operand) -> Term:
    """Angle of the point (x, y)."""
    y, x = _both(y, x)
    return Term(ops.atan2(y.tensor, x.tensor))


def maximum(a: Operand, b: Operand) -> Term:
    """The larger one; NaN wins."""
    a, b = _both(a, b)
    return Term(ops.maximum(a.tensor, b.tensor))


def minimum(a: Operand, b: Operand) -> Term:
    """The smaller one; NaN wins."""
    a, b = _both(a, b)
    return Term(ops.minimum(a.tensor, b.tensor))


def power(base: Operand, exponent: Operand) -> Term:
    """``base`` to the power of ``exponent``."""
    base, exponent = _both(base, exponent)
    return Term(ops.power(base.tensor, exponent.tensor))


def select(mask: Term, on_true: Operand, on_false: Operand) -> Term:
    """``on_true`` where ``mask`` holds, else ``on_false``."""
    on_true, on_false = _both(on_true, on_false)
    return Term(ops.select(mask.tensor, on_true.tensor, on_false.tensor))


def _both(a: Operand, b: Operand) -> tuple[Term, Term]:
    if isinstance(a, Term):
        return a, a.lifted(b)
    if isinstance(b, Term):
        return b.lifted(a), b
    raise TypeError(f"neither {a!r} nor {b!r} is a tensor")


def is_nan(operand: Term) -> Term:
    """NaN differs from itself."""
    return Term(ops.compare(operand.tensor, operand.tensor, ComparisonDirection.NE))


def convert(operand: Term, to: ElementType | str) -> Term:
    """The values as another element type."""
    target = element_type(to) if isinstance(to, str) else to
    if operand.element_type == target:
        return operand
    return Term(ops.convert(operand.tensor, operand.type.with_element(target)))


def bitcast(operand: Term, to: ElementType | str) -> Term:
    """The bits as another element type of the same width."""
    target = element_type(to) if isinstance(to, str) else to
    return Term(ops.bitcast_convert(operand.tensor, operand.type.with_element(target)))


def copysign(magnitude: Operand, signed: Term) -> Term:
    """``magnitude`` (not negative) with the sign bit of ``signed``, zeros and NaN included."""
    bits = signed.element_type.bits
    mask = bitcast(signed, f"ui{bits}") & (1 << (bits - 1))
    unsigned = bitcast(signed.lifted(magnitude), f"ui{bits}")
    return bitcast(unsigned | mask, signed.element_type)


class Ratio(NamedTuple):
    """Coefficients of a rational function, constant terms first."""

    numerator: Sequence[float]
    denominator: Sequence[float]


def polynomial(coefficients: Sequence[float], x: Term) -> Term:
    """c[0] + c[1] x + c[2] x^2 + ..., by Horner's rule."""
    value = x.constant(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        value = value * x + coefficient
    return value


def ratio(table: Ratio, x: Term) -> Term:
    """The rational function of a table at ``x``."""
    return polynomial(table.numerator, x) / polynomial(table.denominator, x)
