"""Calls by what they are called with: a function for each combination of types and sizes.

    call @f(%c2, %a) : (tensor<i32>, tensor<2xf32>)      call @f(%a)
    call @f(%c3, %b) : (tensor<i32>, tensor<3xf32>)  ->  call @f_0(%b)

The first call takes the function itself, later ones copies. The module keeps its form until
``settle``: what fails before leaves nothing behind but copies, which ``discard`` erases.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass

import numpy as np

from shlo_tools import dtypes, ir, mlir
from shlo_tools.errors import UnsupportedError
from shlo_tools.extend.targets import SHAPE_ASSERTION
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.ops import Trait, has_trait
from shlo_tools.passes.sizes import size_constants
from shlo_tools.shapes import Shapes
from shlo_tools.shapes.types import declared, without_symbols
from shlo_tools.types import ValueType

MOST = 10_000  # functions: calls in calls may ask for exponentially many

Numbers = tuple[int, ...]
_Key = tuple[str, tuple[ValueType, ...], tuple[tuple[int, Numbers], ...]]


@dataclass(frozen=True)
class _Instance:
    """A function made for what it is called with.

    Attributes:
        numbers: position of an argument -> the elements that it always has.
    """

    func: Operation
    numbers: dict[int, Numbers]


class RefinedCalls:
    """The functions of a module, and those made for what they are called with.

    Attributes:
        entries: functions that people call, where anything has unknown sizes: they are refined as
            they are declared.
        made: functions that others call.
        constants: what ``settle`` put in place of arguments.
    """

    def __init__(self, module: Operation) -> None:
        self._functions = ir.functions_by_name(module)
        self._plain = {n: f for n, f in self._functions.items() if not ir.is_declaration(f)}
        unknown: dict[Type, bool] = {}
        alone = len(self._plain) == 1
        self._summaries = {
            n: _summary(func, unknown, alone=alone) for n, func in self._plain.items()
        }
        called = {name for summary in self._summaries.values() for name in summary.calls}
        # Who calls a function of several blocks is not refined for it, nor it for who calls it.
        branching = {n for n, func in self._plain.items() if n in called and _has_branches(func)}
        self._fixed = branching.union(*(self._summaries[name].calls for name in branching))
        public = {name for name, func in self._plain.items() if _is_public(func)}
        self._kept = self._fixed | public | (set(self._plain) - called)
        self._by_key: dict[_Key, _Instance] = {}
        # By the call's address. A loop's body is visited until nothing changes: the last counts.
        self._callees: dict[int, tuple[Operation, _Instance]] = {}
        self.constants: list[Operation] = []
        self._copies: list[Operation] = []
        self._unused: list[Operation] = []
        self._depends: dict[str, bool] = {}
        self._open: list[str] = []
        kept = [name for name in self._plain if name in self._kept - branching]
        self.entries = [self._plain[n] for n in kept if self._depends_on_sizes(n)]
        self._in_use = set(kept)

    @property
    def instances(self) -> list[Operation]:
        return [instance.func for instance in self._by_key.values()]

    @property
    def calls(self) -> Container[int]:
        """The addresses of the calls of the functions that are made."""
        return self._callees

    # --- while shapes are found -------------------------------------------------------------------
    def visit(self, shapes: Shapes, call: Operation) -> None:
        """Find what a call's results are, by a function of what it is called with."""
        name = ir.called_name(call)
        func = self._plain.get(name)
        if func is None or name in self._fixed:
            return
        if not (self._depends_on_sizes(name) or self._summaries[name].may_return_sizes):
            return
        if name in self._open:
            path = " calls ".join(f"@{n}" for n in [*self._open[self._open.index(name) :], name])
            raise UnsupportedError(f"recursion: {path}", place=mlir.place_of(call.location))
        types = tuple(shapes.current(operand) for operand in call.operands)
        numbers = self._numbers(shapes, call)
        key = (name, tuple(without_symbols(type) for type in types), tuple(numbers.items()))
        instance = self._by_key.get(key)
        if instance is None:
            instance = self._by_key[key] = _Instance(self._function(func, call), numbers)
            block = instance.func.regions[0].blocks[0]
            for argument, type in zip(block.arguments, key[1], strict=True):
                shapes.bind(argument, type)
            for position, elements in numbers.items():
                shapes.bind_contents(block.arguments[position], elements)
            self._open.append(name)
            shapes.calls.summary(instance.func)
            self._open.pop()
        self._callees[mlir.address_of(call)] = call, instance
        shapes.calls.bind(call, instance.func)

    def _numbers(self, shapes: Shapes, call: Operation) -> dict[int, Numbers]:
        """Operands whose elements are known."""
        numbers = {}
        for position, operand in enumerate(call.operands):
            elements = shapes.current_contents(operand)
            if elements is None or not mlir.is_tensor(operand.type):
                continue
            if all(isinstance(element, int) for element in elements):
                numbers[position] = tuple(int(n) for n in elements if isinstance(n, int))
        return numbers

    def _depends_on_sizes(self, name: str) -> bool:
        """Whether anything in a function, or in what it calls, has an unknown size."""
        if name not in self._depends:
            self._depends[name] = False  # until known: recursion is refused elsewhere
            summary = self._summaries.get(name)
            self._depends[name] = summary is not None and (
                summary.has_sizes or any(map(self._depends_on_sizes, summary.calls))
            )
        return self._depends[name]

    def _function(self, func: Operation, call: Operation) -> Operation:
        name = ir.symbol_name(func)
        if name not in self._in_use and name not in self._kept:
            self._in_use.add(name)
            return func
        if len(self._copies) >= MOST:
            message = f"calls of @{name} and others ask for more than {MOST} functions"
            raise UnsupportedError(message, place=mlir.place_of(call.location))
        copy = mlir.inner_operation(func.clone(mlir.after(func)))
        number = 0
        while f"{name}_{number}" in self._functions:
            number += 1
        copy.attributes["sym_name"] = mlir.string_attr(f"{name}_{number}")
        copy.attributes["sym_visibility"] = mlir.string_attr("private")
        self._functions[f"{name}_{number}"] = copy
        self._copies.append(copy)
        return copy

    def discard(self) -> None:
        """Erase the copies."""
        for copy in self._copies:
            copy.erase()

    # --- once they are found ----------------------------------------------------------------------
    def settle(self, shapes: Shapes) -> None:
        """Have each call name its function; leading sizes that both know are no arguments any more.

        Other numbers stay arguments, as with the C++ pass, and so do all of a composite op, which
        stands for a function of its operands.
        """
        calls_of: dict[int, list[Operation]] = {
            id(instance): [] for instance in self._by_key.values()
        }
        for call, instance in self._callees.values():
            calls_of[id(instance)].append(call)
        for instance in self._by_key.values():
            calls = calls_of[id(instance)]
            self.constants += _become_constants(instance.func, instance.numbers)
            dropped = set() if any(c.name != "func.call" for c in calls) else _leading(instance)
            _drop_arguments(instance.func, dropped)
            for call in calls:
                _call_with(call, instance.func, dropped, shapes)
            if not calls:
                self._unused.append(instance.func)

    def erase_unused(self) -> None:
        """Erase functions made for what nothing is called with after all."""
        for func in self._unused:
            func.erase()


def _leading(instance: _Instance) -> set[int]:
    """Positions of the sizes that a function takes before anything but tokens."""
    positions = set()
    for position, argument in enumerate(instance.func.regions[0].blocks[0].arguments):
        if position in instance.numbers and dtypes.tensor_type(argument.type).rank == 0:
            positions.add(position)
        elif str(argument.type) != "!stablehlo.token" or positions:
            break
    return positions


@dataclass(frozen=True)
class _Summary:
    """What a function's types and ops say.

    Attributes:
        calls: names of functions that it calls.
        has_sizes: whether anything in it depends on sizes that are unknown.
        may_return_sizes: whether it returns small integer tensors.
    """

    calls: frozenset[str]
    has_sizes: bool
    may_return_sizes: bool


def _summary(func: Operation, unknown: dict[Type, bool], *, alone: bool) -> _Summary:
    """Read a function; one that is ``alone`` calls none, and so the first size says all."""
    inputs, results = ir.signature(func)
    calls, has_sizes = set(), any(map(mlir.is_dynamic, inputs))
    for op in _operations(func):
        if has_sizes and alone:
            break
        name = op.name
        if name in ("func.call", "stablehlo.composite"):
            calls.add(ir.called_name(op))
        elif name == "stablehlo.custom_call":
            has_sizes |= ir.text_of(op, "call_target_name") == SHAPE_ASSERTION
        has_sizes = has_sizes or has_trait(name, Trait.SIZES_AS_OPERANDS)
        for result in () if has_sizes else op.results:
            type = result.type
            if type not in unknown:
                unknown[type] = mlir.is_dynamic(type)
            has_sizes |= unknown[type]
    may_return_sizes = any(declared(type).is_followed for type in results)
    return _Summary(frozenset(calls), has_sizes, may_return_sizes)


def _operations(root: Operation) -> Iterator[Operation]:
    """The ops in the regions of an op, one by one: a walk finds all of them first."""
    for region in root.regions:
        for block in region.blocks:
            for view in block.operations:
                op = mlir.inner_operation(view)
                yield op
                if len(op.regions):
                    yield from _operations(op)


def _has_branches(func: Operation) -> bool:
    return len(list(func.regions[0].blocks)) > 1


def _is_public(func: Operation) -> bool:
    return ir.text_of(func, "sym_visibility") != "private"


def _become_constants(func: Operation, numbers: dict[int, Numbers]) -> list[Operation]:
    constants = []
    block = func.regions[0].blocks[0]
    build = Build(mlir.at_start(block), func.location)
    for position, elements in numbers.items():
        argument = block.arguments[position]
        if next(iter(argument.uses), None) is None:
            continue
        type = dtypes.tensor_type(argument.type)
        array = np.array(elements, object).astype(type.element_type.dtype)
        attribute = dtypes.to_attribute(array.reshape(type.static_shape), type.element_type)
        constants.append(build.op("stablehlo.constant", (), (argument.type,), {"value": attribute}))
        argument.replace_all_uses_with(constants[-1].results[0])
    return constants


def _drop_arguments(func: Operation, positions: set[int]) -> None:
    block = func.regions[0].blocks[0]
    for position in sorted(positions, reverse=True):
        block.erase_argument(position)
    if positions and "arg_attrs" in func.attributes:
        items = enumerate(ir.items_of(func, "arg_attrs"))
        kept = [item for position, item in items if position not in positions]
        func.attributes["arg_attrs"] = mlir.array_attr(kept)


def _call_with(call: Operation, func: Operation, dropped: set[int], shapes: Shapes) -> None:
    ir.set_called_name(call, ir.symbol_name(func))
    size_constants.replace_results(call, shapes)
    if not dropped:
        return
    kept: list[Value] = [v for p, v in enumerate(call.operands) if p not in dropped]
    build = Build(mlir.before(call), call.location)
    attributes = dict(call.attributes.items())
    new_call = build.op("func.call", kept, [result.type for result in call.results], attributes)
    for old, new in zip(call.results, new_call.results, strict=True):
        shapes.moved(old, new)
        old.replace_all_uses_with(new)
    call.erase()
