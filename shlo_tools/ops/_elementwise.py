"""What elementwise ops have in common: traits, and which operands they allow."""

from __future__ import annotations

from collections.abc import Callable

from shlo_tools.constraints import every, meet_all, require, same_baseline, same_shape
from shlo_tools.dtypes import ElementType, Kind
from shlo_tools.ops.traits import Trait
from shlo_tools.types import Tensor

Allowed = Callable[[ElementType], bool]

FUNCTION = Trait.ELEMENTWISE | Trait.ARITHMETIC
EXACT = Trait.CORRECTLY_ROUNDED | Trait.COMPLEX_CORRECTLY_ROUNDED


def any_type(element: ElementType) -> bool:
    return element.kind is not Kind.INDEX


def number(element: ElementType) -> bool:
    return floating_or_complex(element) or element.is_integer


def signed(element: ElementType) -> bool:
    return floating_or_complex(element) or element.kind is Kind.SIGNED


def floating(element: ElementType) -> bool:
    return element.is_float or element.is_quantized


def floating_or_complex(element: ElementType) -> bool:
    return element.is_float or element.is_complex or element.is_quantized


def integer(element: ElementType) -> bool:
    return element.is_integer


def logical(element: ElementType) -> bool:
    return element.is_integer or element.is_boolean


def same_types(allowed: Allowed, *operands: Tensor) -> Tensor:
    """The rule of most elementwise ops: allowed element type, all operands of one type."""
    element = operands[0].element_type
    require("I1", allowed(element), f"element type {element} is not allowed")
    if len(operands) > 1:
        types = " and ".join(str(operand.type) for operand in operands)
        alike = every(
            same_baseline(operand.element_type, element)
            and same_shape(operand.shape, operands[0].shape)
            for operand in operands[1:]
        )
        require("C1", alike, f"operands differ in type: {types}")
    return meet_all([operand.like(element_type=element) for operand in operands])
