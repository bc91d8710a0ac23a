"""Sizes that are expressions, computed where they are needed.

    2 * n + 1    ->    %n = tensor.dim %x, %c0 ; %a = arith.muli %n, %c2 ; arith.addi %a, %c1

A symbol's source says where its value is found. In a kernel, which is a function of its own, it is
one more argument.
"""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools import mlir
from shlo_tools.dims import Dim, Symbol
from shlo_tools.dtypes import Kind, TensorType, tensor_type
from shlo_tools.errors import PassError, UnsupportedError
from shlo_tools.ir import Conversion, Lowering
from shlo_tools.mlir import Block, Location, Value
from shlo_tools.passes.sizes import algebra
from shlo_tools.shapes import Element, Extent, Shapes

FAR = 1 << 62  # beyond all sizes; what stands for unsigned numbers that no index holds


class PassedSizes:
    """Sizes that a kernel turns out to need: its last arguments.

    Attributes:
        values: symbol -> argument, in the order of the arguments.
    """

    def __init__(self, block: Block, location: Location) -> None:
        self.values: dict[Symbol, Value] = {}
        self._block = block
        self._location = location

    def value(self, symbol: Symbol) -> Value:
        if symbol not in self.values:
            argument = self._block.add_argument(mlir.index_type(), self._location)
            self.values[symbol] = argument
        return self.values[symbol]


def follow(conversion: Conversion, shapes: Shapes) -> None:
    """Have rules ask ``shapes`` for the sizes and the elements of old tensors."""

    def type_of(value: Value) -> TensorType:
        type = shapes.type(value)
        return type if isinstance(type, TensorType) else tensor_type(value.type)

    def contents_of(value: Value) -> Sequence[Dim]:
        contents = shapes.contents(value)
        if contents is None:
            raise UnsupportedError(f"sizes in a {value.type} are not followed")
        return contents

    conversion.type_of = type_of
    conversion.contents_of = contents_of


def size_value(build: Lowering, size: Dim) -> Value:
    """A size as an index."""
    return algebra.computed(size, _Indices(build))


_OPERATIONS = {"floordiv": "floordivsi", "max": "maxsi", "min": "minsi"}


class _Indices(algebra.Algebra[Value]):
    def __init__(self, build: Lowering) -> None:
        self._build = build

    def number(self, value: int) -> Value:
        return self._build.index(value)

    def symbol(self, symbol: Symbol) -> Value:
        return symbol_value(self._build, symbol)

    def add(self, a: Value, b: Value) -> Value:
        return _binary(self._build, "addi", a, b)

    def multiply(self, a: Value, b: Value) -> Value:
        return _binary(self._build, "muli", a, b)

    def divide_exactly(self, a: Value, b: Value) -> Value:
        return _binary(self._build, "divsi", a, b)

    def operation(self, kind: str, a: Value, b: Value) -> Value:
        if kind != "mod":
            return _binary(self._build, _OPERATIONS[kind], a, b)
        quotient = _binary(self._build, "floordivsi", a, b)
        return _binary(self._build, "subi", a, self.multiply(quotient, b))


def symbol_value(build: Lowering, symbol: Symbol) -> Value:
    """What a symbol stands for, as an index."""
    if isinstance(build.passed, PassedSizes):
        return build.passed.value(symbol)
    source = symbol.source
    if not isinstance(source, Extent | Element):
        raise PassError(f"nothing tells the size {symbol}")
    lowered = build.lowered(source.value)
    if isinstance(lowered, tuple):
        raise PassError(f"the size {symbol} is that of a value of several parts")
    if isinstance(source, Extent):
        return build.value(
            "tensor.dim", (lowered, build.index(source.dimension)), mlir.index_type()
        )
    return _element(build, lowered, source)


def _element(build: Lowering, lowered: Value, source: Element) -> Value:
    if mlir.is_index(lowered.type):
        return lowered
    type = tensor_type(source.value.type)
    where = [build.index(at) for at in _unraveled(source.position, type.static_shape)]
    element = build.value("tensor.extract", (lowered, *where), lowered.type.element_type)
    if mlir.is_index(element.type):
        return element
    if type.element_type.kind is Kind.SIGNED:
        return build.value("arith.index_cast", (element,), mlir.index_type())
    index = build.value("arith.index_castui", (element,), mlir.index_type())
    if type.element_type.bits < 64:
        return index
    return _binary(build, "minui", index, build.index(FAR))  # 2^64 - 2 is no -2


def _unraveled(position: int, shape: Sequence[int]) -> list[int]:
    at = []
    for size in reversed(shape):
        at.append(position % size)
        position //= size
    return at[::-1]


def _binary(build: Lowering, name: str, a: Value, b: Value) -> Value:
    return build.value(f"arith.{name}", (a, b), mlir.index_type())
