"""What is true of every op of a name, whatever its types: declared in ``@op(traits=...)``.

MLIR's traits of these dialects are out of the bindings' reach; where one has the same meaning it
has the same name here.
"""

from __future__ import annotations

from enum import Flag, auto


class Trait(Flag):
    """A property of an op, promised where it is declared and unknown elsewhere."""

    NONE = 0

    ELEMENTWISE = auto()
    """A result's element is computed from the operands' elements at its position alone."""

    CORRECTLY_ROUNDED = auto()
    """Of real floats the result is the exact one, rounded once: everybody computes the same."""

    COMPLEX_CORRECTLY_ROUNDED = auto()
    """So are both parts of the result for complex operands."""

    COMMUTATIVE = auto()
    """``op(a, b)`` is ``op(b, a)``; for integers it is associative as well."""

    ARITHMETIC = auto()
    """It computes with the numbers that elements stand for: the spec's dequantize_op_quantize."""

    CONSTANT_LIKE = auto()
    """It has no operands, and its result is in an attribute."""

    REARRANGES = auto()
    """Every element of the result is one of the first operand."""

    JOINS = auto()
    """Every element of the result is one of an operand, here or in another process."""

    CARRIES = auto()
    """It hands on, orders or groups values of any type, and looks into none."""

    SIZES_AS_OPERANDS = auto()
    """Elements of an operand are sizes or positions that types must agree with."""

    COMMUNICATES = auto()
    """It exchanges values with the host or with other processes."""

    QUANTIZED = auto()
    """It takes tensors that are quantized per tensor, beside all arithmetic and movement."""

    QUANTIZED_PER_AXIS = auto()
    """It takes tensors that are quantized per axis as well."""

    STATEFUL = auto()
    """It moves on a state that others see: two of the same op may have different results."""

    EFFECTS = COMMUNICATES | STATEFUL
    """MLIR's memory effects: such an op is not erased, repeated or moved past another."""

    DATA_MOVEMENT = REARRANGES | JOINS
    """Elements change their place and nothing else."""

    TAKES_QUANTIZED = ARITHMETIC | DATA_MOVEMENT | CARRIES | QUANTIZED | QUANTIZED_PER_AXIS
    """It takes tensors that are quantized per tensor."""

    TAKES_PER_AXIS = CARRIES | QUANTIZED_PER_AXIS
    """It takes tensors that are quantized per axis."""
