"""Elements of every type in registers: what they are held as, and complex numbers by their parts.

Floats of 16 bits are held as their bits and become numbers in arithmetic alone: the processor's own
instructions for bf16 flush denormals, also where a value is only moved. Floats of 8 bits and less
are their codes. A condition is one bit of a register and a byte in memory, a complex number two
registers and two neighbours in memory.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shlo_tools.codegen.function import Function, Type, Value
from shlo_tools.codegen.stages.nodes import UnsupportedStage
from shlo_tools.dims import Size
from shlo_tools.dtypes import ELEMENT_TYPES, ElementType
from shlo_tools.element_types import signed

Number = bool | int | float | complex | Size


def register_type(element: ElementType) -> Type:
    """How elements are held in registers.

    Raises:
        UnsupportedStage: of complex numbers there are two (``part_of``).
    """
    if element.is_complex:
        raise UnsupportedStage(f"elements of type {element.name}")
    if element.is_float:
        return Type(element.name) if element.bits >= 32 else Type(f"i{max(8, element.bits)}")
    return Type(f"i{element.bits}")


def arithmetic_type(element: ElementType) -> Type:
    """What arithmetic on elements is done in."""
    return Type(element.name) if element.name in ("f16", "bf16") else register_type(element)


def memory_type(element: ElementType) -> Type:
    """How elements lie in memory: in whole bytes."""
    register = register_type(element)
    return register if register.bits >= 8 else Type("i8")


def place_type(element: ElementType) -> Type:
    """A type as wide as an element in memory, for the arithmetic of addresses."""
    return Type(f"i{element.bits}") if element.is_complex else memory_type(element)


def part_of(element: ElementType) -> ElementType:
    """The type of a complex number's real and imaginary part."""
    return ELEMENT_TYPES[f"f{element.bits // 2}"]


def widened(bits: Value) -> Value:
    """The f32 that a bf16 is, of its bits: they are the first ones of that."""
    return (bits.to("zext", "i32") << 16).to("bitcast", "f32")


class Parts(Value):
    """A complex number: values for its real and its imaginary part."""

    __slots__ = ("imag", "real")

    def __init__(self, real: Value, imag: Value) -> None:
        self.real, self.imag = real, imag
        self.function = real.function
        self.type = Type(f"complex<{real.type.element}>", real.type.lanes)

    @property
    def name(self) -> str:  # type: ignore[override]
        """Complex numbers are no value of one instruction."""
        raise UnsupportedStage("complex numbers")


def flattened(values: Sequence[Value]) -> list[Value]:
    """Values with complex ones taken apart."""
    flat: list[Value] = []
    for value in values:
        flat += [value.real, value.imag] if isinstance(value, Parts) else [value]
    return flat


def joined(flat: Sequence[Value], like: Sequence[Value]) -> list[Value]:
    """The values of which ``flattened`` has made others; ``like`` tells which were complex."""
    rest = iter(flat)
    return [
        Parts(next(rest), next(rest)) if isinstance(value, Parts) else next(rest) for value in like
    ]


def constant(f: Function, number: Number, element: ElementType, lanes: int = 0) -> Value:
    """A number as registers hold it, in every lane of a vector or as a scalar."""
    if isinstance(number, tuple):
        raise UnsupportedStage("a tensor of several sizes")
    if isinstance(number, Size):
        return f.constant(number, Type(register_type(element).element, lanes))
    if element.is_complex:
        whole, part = np.asarray(number).astype(element.dtype), part_of(element)
        halves = (half.reshape(-1)[0] for half in (whole.real, whole.imag))  # NaN as they are
        return Parts(*(constant(f, half, part, lanes) for half in halves))
    type = Type(register_type(element).element, lanes)
    if element.is_float and element.bits < 32:
        rounded = np.asarray(number).astype(element.dtype)
        value = f.constant(int(rounded.view(f"i{type.bytes}")), type)
        if element.name == "bf16":
            value.wide = f.constant(float(rounded.astype(np.float32)), Type("f32", lanes))
        return value
    if element.is_float:
        return f.constant(number, type)  # type: ignore[arg-type]
    if element.is_boolean:
        return f.constant(bool(number), type)
    return f.constant(signed(int(number), element.bits), type)  # type: ignore[arg-type]
