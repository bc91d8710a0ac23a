"""Functions of one array, element by element.

Each takes a tensor, an array, a number or a list, gives an array of the same shape, and raises
ShloError where the element type is not one of the op's.

Source: XLA's operation semantics, "Element-wise unary functions".
"""

from __future__ import annotations

from shlo_tools import ops
from shlo_tools.ops.xla.arguments import xla_op
from shlo_tools.ops.xla.broadcasting import Operand, tensor_of
from shlo_tools.types import Tensor


@xla_op
def Abs(operand: Operand) -> Tensor:
    """``|x|``, of complex numbers a real one: ``abs``."""
    return ops.abs(tensor_of(operand))


@xla_op
def Ceil(operand: Operand) -> Tensor:
    """The next integer above, ``ceil``."""
    return ops.ceil(tensor_of(operand))


@xla_op
def Cos(operand: Operand) -> Tensor:
    """The cosine, ``cosine``."""
    return ops.cosine(tensor_of(operand))


@xla_op
def Exp(operand: Operand) -> Tensor:
    """``e^x``, ``exponential``."""
    return ops.exponential(tensor_of(operand))


@xla_op
def Floor(operand: Operand) -> Tensor:
    """The next integer below, ``floor``."""
    return ops.floor(tensor_of(operand))


@xla_op
def Imag(operand: Operand) -> Tensor:
    """The imaginary part, ``imag``; 0 of a real number."""
    return ops.imag(tensor_of(operand))


@xla_op
def IsFinite(operand: Operand) -> Tensor:
    """Whether a number is neither infinite nor NaN: ``is_finite``."""
    return ops.is_finite(tensor_of(operand))


@xla_op
def Log(operand: Operand) -> Tensor:
    """The natural logarithm, ``log``."""
    return ops.log(tensor_of(operand))


@xla_op
def LogicalNot(operand: Operand) -> Tensor:
    """Logical not of booleans, of integers that of their bits: ``not``."""
    return ops.not_(tensor_of(operand))


@xla_op
def Logistic(operand: Operand) -> Tensor:
    """``1 / (1 + e^-x)``, ``logistic``."""
    return ops.logistic(tensor_of(operand))


@xla_op
def PopulationCount(operand: Operand) -> Tensor:
    """The number of bits that are set, ``popcnt``."""
    return ops.popcnt(tensor_of(operand))


@xla_op
def Neg(operand: Operand) -> Tensor:
    """``-x``, ``negate``."""
    return ops.negate(tensor_of(operand))


@xla_op
def Real(operand: Operand) -> Tensor:
    """The real part, ``real``; of a real number the number."""
    return ops.real(tensor_of(operand))


@xla_op
def Rsqrt(operand: Operand) -> Tensor:
    """``1 / sqrt(x)``, ``rsqrt``."""
    return ops.rsqrt(tensor_of(operand))


@xla_op
def Sign(operand: Operand) -> Tensor:
    """-1, 0 or 1 with the sign of x, which -0 and NaN keep: ``sign``."""
    return ops.sign(tensor_of(operand))


@xla_op
def Sqrt(operand: Operand) -> Tensor:
    """The square root, ``sqrt``."""
    return ops.sqrt(tensor_of(operand))


@xla_op
def Cbrt(operand: Operand) -> Tensor:
    """The cubic root, ``cbrt``."""
    return ops.cbrt(tensor_of(operand))


@xla_op
def Tanh(operand: Operand) -> Tensor:
    """The hyperbolic tangent, ``tanh``."""
    return ops.tanh(tensor_of(operand))


@xla_op
def Round(operand: Operand) -> Tensor:
    """The nearest integer, of two that away from 0: ``round_nearest_afz``."""
    return ops.round_nearest_afz(tensor_of(operand))


@xla_op
def RoundNearestEven(operand: Operand) -> Tensor:
    """The nearest integer, of two the even one: ``round_nearest_even``."""
    return ops.round_nearest_even(tensor_of(operand))


@xla_op
def Not(operand: Operand) -> Tensor:
    """``LogicalNot`` by XlaBuilder's present name: ``not``."""
    return ops.not_(tensor_of(operand))


@xla_op
def Clz(operand: Operand) -> Tensor:
    """The number of zero bits above the highest one: ``count_leading_zeros``."""
    return ops.count_leading_zeros(tensor_of(operand))


@xla_op
def Sin(operand: Operand) -> Tensor:
    """The sine, ``sine``."""
    return ops.sine(tensor_of(operand))


@xla_op
def Tan(operand: Operand) -> Tensor:
    """The tangent, ``tan``."""
    return ops.tan(tensor_of(operand))


@xla_op
def Expm1(operand: Operand) -> Tensor:
    """``e^x - 1``, ``exponential_minus_one``."""
    return ops.exponential_minus_one(tensor_of(operand))


@xla_op
def Log1p(operand: Operand) -> Tensor:
    """``log(1 + x)``, ``log_plus_one``."""
    return ops.log_plus_one(tensor_of(operand))


@xla_op
def Erf(operand: Operand) -> Tensor:
    """The error function, ``chlo.erf``."""
    return ops.chlo.erf(tensor_of(operand))


@xla_op
def Conj(operand: Operand) -> Tensor:
    """The complex conjugate, ``chlo.conj``."""
    return ops.chlo.conj(tensor_of(operand))
