"""The ``algorithm`` of a dot product: what its operands are rounded to, and what sums are kept in.

Types of precision are independent of those of operands and result. An algorithm of several
primitive operations (``bf16_6x``, ``tf32_3x``) emulates f32 by parts of operands, where hardware
has no f32 products: here f32 is computed with itself, as XLA:CPU does, which is no less exact.
``allow_imprecise_accumulation`` allows what is not needed. Which algorithms exist is verified.
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools.dtypes import ElementType, element_type, tensor_type
from shlo_tools.ir import raise_unsupported
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops._attributes import codec
from shlo_tools.ops.contraction import DotAlgorithm
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar, round_to_tf32
from shlo_tools.passes.legalize_to_linalg.elementwise import F32, Emit

TF32 = "tf32"


@dataclass(frozen=True)
class Algorithm:
    """How a dot product computes.

    Attributes:
        precisions: what lhs and rhs are rounded to: element types, or ``tf32``.
        accumulation: the least precise type that sums may have.
    """

    precisions: tuple[str, str]
    accumulation: ElementType


def algorithm_of(op: Operation) -> Algorithm | None:
    """The algorithm that a dot product asks for, if any.

    Raises:
        UnsupportedError: it asks for one on complex numbers.
    """
    if "algorithm" not in op.attributes:
        return None
    if any(tensor_type(v.type).element_type.is_complex for v in (*op.operands, *op.results)):
        raise_unsupported([op], "an algorithm for complex numbers")
    algorithm: DotAlgorithm = codec(DotAlgorithm).decode(op.attributes["algorithm"])
    return Algorithm(algorithm.precisions, _exact(algorithm.accumulation_type))


def _exact(name: str) -> ElementType:
    """The element type that holds a type of precision."""
    return F32 if name == TF32 else element_type(name)


def rounded_operand(
    e: Emit, value: Value, source: ElementType, precision: str, target: ElementType
) -> Value:
    """An element of type ``source`` rounded to a type of precision, as ``target``."""
    if precision == TF32:
        return cast_scalar(e, round_to_tf32(e, value, source), F32, target)
    middle = element_type(precision)
    return cast_scalar(e, cast_scalar(e, value, source, middle), middle, target)
