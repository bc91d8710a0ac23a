"""Where the value of a symbol is found when the program runs."""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import dims, mlir
from shlo_tools.dims import Size, Symbol
from shlo_tools.dtypes import Kind, TensorType
from shlo_tools.mlir import Value
from shlo_tools.types import value_type

_CONSTANT = "jax.global_constant"  # marks arguments that are sizes


@dataclass(frozen=True)
class Extent:
    """The size of a value's dimension."""

    value: Value
    dimension: int


@dataclass(frozen=True)
class Element:
    """An element of an integer tensor, by its position in row-major order, or an index."""

    value: Value
    position: int


def extent(value: Value, dimension: int, bound: int | None) -> Size:
    """A symbol for a size of which nothing is known but its bound."""
    source = Extent(value, dimension)
    return dims.symbol(f"{_name(value)}.{dimension}", maximum=bound, source=source)


def element(value: Value, position: int) -> Size:
    """A symbol for an element of which nothing is known but what its type holds.

    Of an argument that its exporter calls a size, that much is known.
    """
    source = Element(value, position)
    least, most = _range(value)
    size = _size_name(value)
    name = size or f"{_name(value)}[{position}]"
    return dims.symbol(name, minimum=0 if size else least, maximum=most, source=source)


def is_size(symbol: Symbol) -> bool:
    """Whether a symbol is the size of something, and no number that may be any."""
    if symbol.minimum is None or symbol.minimum < 0:
        return False
    return isinstance(symbol.source, Extent) or not _is_unsigned(symbol.source.value)


def _is_unsigned(value: Value) -> bool:
    return str(value.type).rpartition("x")[2].removeprefix("tensor<").startswith("ui")


def _range(value: Value) -> tuple[int | None, int | None]:
    """What an element may be, as an index: 64 bits may say more than an index holds."""
    type = value_type(value.type)
    if not isinstance(type, TensorType) or type.element_type.bits >= 64:
        return None, None
    bits = type.element_type.bits
    if type.element_type.kind is Kind.SIGNED:
        return -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    return 0, (1 << bits) - 1


def _name(value: Value) -> str:
    """``arg0``, or the op that a value is a result of."""
    op = mlir.defining_op(value)
    if op is None:
        return f"arg{list(value.owner.arguments).index(value)}"
    return str(op.name).partition(".")[2]


def _size_name(value: Value) -> str:
    """What JAX calls the size that an argument holds, or ''."""
    if mlir.defining_op(value) is not None:
        return ""
    func = mlir.inner_operation(value.owner.owner)
    if func.name != "func.func" or "arg_attrs" not in func.attributes:
        return ""
    index = list(value.owner.arguments).index(value)
    attributes = func.attributes["arg_attrs"][index]
    return str(attributes[_CONSTANT].value) if _CONSTANT in attributes else ""
