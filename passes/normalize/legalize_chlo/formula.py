"""A notation for formulas on tensors: operators and functions that build StableHLO ops.

    y = select(abs(x) < 1.0, x + x * polynomial(table, x * x), sign(x) * tail(abs(x)))

Python numbers become splat constants of the other operand's type, so nothing is as large as the
tensor it stands for.

Formulas are hundreds of ops. Where operands are plainly of one type their ops are made as they are;
all others go through the checks of ``shlo_tools.ops``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from shlo_tools import ir, mlir, ops
from shlo_tools.codegen.library.maths.series import Ratio
from shlo_tools.dtypes import ElementType, TensorType, element_type
from shlo_tools.mlir import Attribute
from shlo_tools.operators import Operators
from shlo_tools.ops import ComparisonDirection, Tensor
from shlo_tools.passes.normalize.shape_operands import ssa

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
        tensors = [self.lifted(operand).tensor for operand in operands]
        if name in ComparisonDirection.__members__ and _are_alike(tensors):
            return _compared(ComparisonDirection[name], tensors)
        if name in _OF_FLOATS and self.element_type.is_float and _are_alike(tensors):
            return _built(f"stablehlo.{name}", tensors, tensors[0].type)
        return Term(_OPERATORS[name](*tensors))


def _are_alike(tensors: Sequence[Tensor]) -> bool:
    """Whether tensors have one type, of plain numbers and static shape."""
    type = tensors[0].type
    is_plain = type.is_static and not type.element_type.is_quantized
    return is_plain and all(tensor.type == type for tensor in tensors[1:])


def _built(
    name: str,
    operands: Sequence[Tensor],
    type: TensorType,
    attributes: Mapping[str, Attribute] | None = None,
) -> Term:
    """An op whose constraints are known to hold."""
    values = [ssa(operand) for operand in operands]
    like = values[-1].type if type == operands[-1].type else type.mlir()
    return Term(Tensor(type, ir.insertion().value(name, values, like, attributes)))


def _compared(direction: ComparisonDirection, operands: Sequence[Tensor]) -> Term:
    """A comparison of tensors that are alike."""
    attribute = mlir.parse_attribute(f"#stablehlo<comparison_direction {direction.name}>")
    type = operands[0].type.with_element(element_type("i1"))
    return _built("stablehlo.compare", operands, type, {"comparison_direction": attribute})


def _comparison(direction: ComparisonDirection) -> Callable[[Tensor, Tensor], Tensor]:
    return lambda lhs, rhs: ops.compare(lhs, rhs, direction)


_OF_FLOATS = ("add", "subtract", "multiply", "divide", "negate")  # named as their ops


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
    **{direction.name: _comparison(direction) for direction in ComparisonDirection},
}


def constant(value: complex | np.generic, type: TensorType) -> Term:
    """``stablehlo.constant`` with one value everywhere."""
    one = np.asarray(value).astype(type.element_type.dtype).tobytes() if type.size else b""
    if type.element_type.bits < 8:
        one = bytes(byte & ((1 << type.element_type.bits) - 1) for byte in one)
    built = type.mlir()
    attribute = mlir.dense_from_bytes(np.frombuffer(one, np.uint8), built)
    result = ir.insertion().value("stablehlo.constant", (), built, {"value": attribute})
    return Term(Tensor(type, result))


# --- functions ------------------------------------------------------------------------------------
def _function(build: Callable[[Tensor], Tensor]) -> Callable[[Term], Term]:
    name = f"stablehlo.{build.__name__}"

    def function(operand: Term) -> Term:
        tensor = operand.tensor
        if operand.element_type.is_float and _are_alike([tensor]):
            return _built(name, [tensor], tensor.type)
        return Term(build(tensor))

    return function


abs = _function(ops.abs)
cos = _function(ops.cosine)
exp = _function(ops.exponential)
expm1 = _function(ops.exponential_minus_one)
floor = _function(ops.floor)
log = _function(ops.log)
log1p = _function(ops.log_plus_one)
sign = _function(ops.sign)
sin = _function(ops.sine)
sqrt = _function(ops.sqrt)
tan = _function(ops.tan)


def is_finite(operand: Term) -> Term:
    """Neither infinite nor NaN."""
    return Term(ops.is_finite(operand.tensor))


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
    parts = [on_true.tensor, on_false.tensor]
    if _are_alike(parts) and mask.type == on_true.type.with_element(element_type("i1")):
        return _built("stablehlo.select", [mask.tensor, *parts], on_true.type)
    return Term(ops.select(mask.tensor, on_true.tensor, on_false.tensor))


def _both(a: Operand, b: Operand) -> tuple[Term, Term]:
    if isinstance(a, Term):
        return a, a.lifted(b)
    if isinstance(b, Term):
        return b.lifted(a), b
    raise TypeError(f"neither {a!r} nor {b!r} is a tensor")


def is_nan(operand: Term) -> Term:
    """NaN differs from itself."""
    return operand.operate("NE", operand, operand)


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


def polynomial(coefficients: Sequence[float], x: Term) -> Term:
    """c[0] + c[1] x + c[2] x^2 + ..., by Horner's rule."""
    value = x.constant(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        value = value * x + coefficient
    return value


def ratio(table: Ratio, x: Term) -> Term:
    """The rational function of a table at ``x``."""
    return polynomial(table.numerator, x) / polynomial(table.denominator, x)
