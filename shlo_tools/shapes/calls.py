"""Calls: a function's results as expressions of its arguments' sizes and elements."""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import dims, ir, mlir
from shlo_tools.dims import UNKNOWN, Dim, Symbol
from shlo_tools.dtypes import TensorType
from shlo_tools.mlir import Operation, Value
from shlo_tools.shapes import sources
from shlo_tools.shapes.sources import Element
from shlo_tools.shapes.walk import Walk
from shlo_tools.types import TupleType, ValueType

NAMES = ("func.call", "stablehlo.composite")


@dataclass(frozen=True)
class Summary:
    """A function's results as expressions of its arguments' sizes.

    Attributes:
        returned: the values that it returns; empty where several blocks return.
    """

    func: Operation
    arguments: list[ValueType]
    results: list[ValueType]
    returned: list[Value]


class Calls:
    """Functions and their summaries."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._summaries: dict[int, Summary] = {}  # by the function's address
        self._functions: dict[str, Operation] | None = None

    def visit(self, op: Operation) -> None:
        """A call's results are what the function returns."""
        func = self.function_named(ir.called_name(op), op)
        if func is not None and not ir.is_declaration(func):
            self.bind(op, func)

    def function_named(self, name: str, near: Operation) -> Operation | None:
        """The function of a name in the module that an op is in."""
        if self._functions is None:
            module = near
            while module.parent is not None:
                module = mlir.inner_operation(module.parent)
            self._functions = ir.functions_by_name(module)
        return self._functions.get(name)

    def summary(self, func: Operation) -> Summary:
        """What a call of a function returns."""
        address = mlir.address_of(func)
        if address not in self._summaries:
            block = func.regions[0].blocks[0]
            arguments = [self._walk.type(argument) for argument in block.arguments]
            results = self._walk.function(func)
            end = self._walk.ends.get(address)
            returned = [] if end is None else list(end.operands)
            self._summaries[address] = Summary(func, arguments, results, returned)
        return self._summaries[address]

    def bind(self, op: Operation, func: Operation) -> None:
        """Bind the results of a call of a function."""
        walk, summary = self._walk, self.summary(func)
        caller = _Caller(walk, op, func, summary)
        for result, type in zip(op.results, summary.results, strict=True):
            walk.bind(result, caller.type(type))
        for result, value in zip(op.results, summary.returned, strict=False):
            inside = walk.contents(value)
            if inside is not None:
                elements = [caller.size(dim) for dim in inside]
                known = [
                    sources.element(result, i) if dim is UNKNOWN else dim
                    for i, dim in enumerate(elements)
                ]
                walk.bind_contents(result, known)


class _Caller:
    """What a callee's symbols are where it is called."""

    def __init__(self, walk: Walk, op: Operation, func: Operation, summary: Summary) -> None:
        self._walk = walk
        inside = func.regions[0].blocks[0].arguments
        operands = list(op.operands)
        self._operands = dict(zip(inside, operands, strict=True))
        self._known: dict[Symbol, Dim | None] = {}
        for own, operand in zip(summary.arguments, operands, strict=True):
            self._known.update(_bindings(own, walk.current(operand)))

    def type(self, type: ValueType) -> ValueType:
        """A callee's type; sizes that only the callee knows are unknown."""
        if isinstance(type, TupleType):
            return TupleType(tuple(self.type(member) for member in type.members))
        if not isinstance(type, TensorType) or type.is_static:
            return type
        shape = tuple(self.size(dim) for dim in type.shape)
        return TensorType(shape, type.element_type, type.bounds)

    def size(self, dim: Dim) -> Dim:
        values: dict[Symbol, Dim] = {}
        for symbol in dims.symbols(dim):
            value = self._value(symbol)
            if value is None:
                return UNKNOWN
            values[symbol] = value
        return dims.substituted(dim, values)

    def _value(self, symbol: Symbol) -> Dim | None:
        if symbol not in self._known:
            self._known[symbol] = self._element(symbol)
        return self._known[symbol]

    def _element(self, symbol: Symbol) -> Dim | None:
        """The caller's element for one of an argument of the callee."""
        source = symbol.source
        if not isinstance(source, Element) or source.value not in self._operands:
            return None
        elements = self._walk.current_contents(self._operands[source.value])
        return None if elements is None else elements[source.position]


def _bindings(inside: ValueType, outside: ValueType) -> dict[Symbol, Dim]:
    """Which sizes of a caller a callee's argument's symbols stand for."""
    if not (isinstance(inside, TensorType) and isinstance(outside, TensorType)):
        return {}
    return {
        atom: theirs
        for own, theirs in zip(inside.shape, outside.shape, strict=True)
        for atom in dims.atoms(own)
        if isinstance(atom, Symbol) and own == dims.of_symbol(atom)
    }
