"""What element types are in C, as arrays of results and arguments hold them."""

from __future__ import annotations

from shlo_tools.dtypes import TensorType
from shlo_tools.element_types import Kind

_FLOATS = {"f32": "float", "f64": "double"}


def element(type: TensorType) -> str:
    """The C type of an array's elements.

    Narrow floats are their bits in unsigned integers, and booleans bytes of 0 or 1. Integers of
    fewer than eight bits take a byte each. A complex number is two floats.
    """
    one = type.element_type
    if one.kind is Kind.COMPLEX:
        return "double" if one.bits == 128 else "float"
    if str(one) in _FLOATS:
        return _FLOATS[str(one)]
    bits = 8 * one.dtype.itemsize
    is_signed = one.kind is Kind.SIGNED
    return f"{'' if is_signed else 'u'}int{bits}_t"


def is_pair(type: TensorType) -> bool:
    """Whether each element is two numbers of ``element``."""
    return type.element_type.kind is Kind.COMPLEX
