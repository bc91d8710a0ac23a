"""What CHLO's elementwise functions have in common: which operands they allow."""

from __future__ import annotations

from collections.abc import Callable

from shlo_tools.constraints import compatible, every, meet_all, require
from shlo_tools.dtypes import ElementType
from shlo_tools.ops._op import op
from shlo_tools.ops.traits import Trait
from shlo_tools.types import Tensor

function = op(dialect="chlo", traits=Trait.ELEMENTWISE)


def same_types(allowed: Callable[[ElementType], bool], *operands: Tensor) -> Tensor:
    """Operands of one type, which is the result's; ``allowed`` tells of its element type."""
    first = operands[0]
    require("I1", allowed(first.element_type), f"element type {first.element_type} is not allowed")
    alike = every(compatible(operand, first) for operand in operands[1:])
    types = " and ".join(str(operand.type) for operand in operands)
    require("C1", alike, f"operands differ in type: {types}")
    return meet_all(operands)


def real(*operands: Tensor) -> Tensor:
    return same_types(lambda element: element.is_float, *operands)


def number(operand: Tensor) -> Tensor:
    return same_types(lambda element: element.is_float or element.is_complex, operand)
