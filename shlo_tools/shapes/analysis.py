"""The walk that gives every value a type with sizes that are expressions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.dims import UNKNOWN, Dim
from shlo_tools.dtypes import TensorType
from shlo_tools.errors import ConstraintError
from shlo_tools.mlir import Block, Operation, Region, Value
from shlo_tools.ops import DESCRIPTIONS
from shlo_tools.ops import Value as Seen
from shlo_tools.ops._constraints import Obligation, collecting
from shlo_tools.ops._op import Role
from shlo_tools.ops._value import ValueType
from shlo_tools.shapes import calls, contents, control_flow, custom_calls, sources, types
from shlo_tools.shapes.arithmetic import RULES
from shlo_tools.shapes.inference import Inference
from shlo_tools.shapes.knowledge import Knowledge


@dataclass(frozen=True)
class Open:
    """What an op demands of sizes and nothing proves."""

    op: Operation
    obligation: Obligation


Visit = Callable[["Shapes", Operation], None]

# Ops that demand something of the elements of their operands.
SIZES_AS_OPERANDS = frozenset(
    f"stablehlo.{name}"
    for name in (
        "dynamic_broadcast_in_dim",
        "dynamic_conv",
        "dynamic_gather",
        "dynamic_iota",
        "dynamic_pad",
        "dynamic_reshape",
        "real_dynamic_slice",
        "rng",
        "set_dimension_size",
    )
)

SPECIAL: dict[str, Visit] = {
    "func.call": calls.call,
    "stablehlo.async_done": control_flow.async_done,
    "stablehlo.async_start": control_flow.async_start,
    "stablehlo.case": control_flow.branches,
    "stablehlo.composite": calls.call,
    "stablehlo.custom_call": custom_calls.custom_call,
    "stablehlo.if": control_flow.branches,
    "stablehlo.while": control_flow.loop,
    "tensor.cast": control_flow.cast,
}
PLAIN = frozenset(  # ops without regions
    name
    for name, description in DESCRIPTIONS.items()
    if not any(p.role in (Role.REGION, Role.REGIONS) for p in description.parameters)
)
WITHOUT_ATTRIBUTES = frozenset(
    name for name, description in DESCRIPTIONS.items() if not description.attribute_names
)


class Shapes:
    """Types and contents of values, as far as they are known.

    Args:
        call: visits calls in another way than by what the called function returns.

    Attributes:
        open: what the ops visited so far demand and nothing proves.
        knowledge: what earlier ops have checked, while a function is visited.
        integers: the ops visited so far that compute small integer tensors.
        wrappers: the custom calls visited so far that only hide a type.
        others: names of the ops visited so far that have regions or no function of their own.
        constants: elements of the constants that have been read.
        apart: branches visited so far that yield other types than their op has, loops that start
            with others, and for which results.
    """

    def __init__(self, call: Visit | None = None) -> None:
        self.open: list[Open] = []
        self.knowledge = Knowledge()
        self.integers: list[Operation] = []
        self.others: set[str] = set()
        self.constants: dict[mlir.Attribute, tuple[int, ...]] = {}
        self.wrappers: dict[Operation, None] = {}
        self.apart: dict[Operation, list[int]] = {}
        self.calls = calls.Calls(self)
        self._special = SPECIAL if call is None else SPECIAL | dict.fromkeys(calls.NAMES, call)
        self._types: dict[Value, ValueType] = {}
        self._contents: dict[Value, tuple[Dim, ...] | None] = {}
        self._alike: dict[Hashable, tuple[Dim, ...]] = {}
        self._declared: dict[mlir.Type, types.Declared] = {}
        self._interned: dict[ValueType, ValueType] = {}
        self._inference = Inference(self)

    # --- asking -----------------------------------------------------------------------------------
    def type(self, value: Value) -> ValueType:
        """The type of a value; sizes that nothing tells are symbols."""
        found = self._types.get(value)
        if found is None:
            found, is_static, _ = self._declaration(value)
            if not is_static:
                found = self._types[value] = self.interned(types.named(found, value))
        return found

    def contents(self, value: Value) -> tuple[Dim, ...] | None:
        """The elements of a small integer tensor (or of an index); None for other values."""
        if value not in self._contents:
            # Asked in a region, what is known there must not be taken for known outside.
            inside, self.knowledge = self.knowledge, Knowledge()
            try:
                self._contents[value] = contents.of_value(value, self)
            finally:
                self.knowledge = inside
        return self._contents[value]

    def view(self, value: Value) -> Seen:
        """A value as op functions see operands, with what is known at the op being visited."""
        return self._inference.view(value)

    def current(self, value: Value) -> ValueType:
        """The type of a value, with what is known at the op being visited."""
        type = self.type(value)
        if self.knowledge.is_empty:
            return type
        known = self.knowledge.type(type)
        return type if known is type else self.interned(known)

    def current_contents(self, value: Value) -> tuple[Dim, ...] | None:
        """The elements of a value, with what is known at the op being visited."""
        held = self.contents(value)
        if held is None or self.knowledge.is_empty:
            return held
        return tuple(self.knowledge.size(dim) for dim in held)

    def declared(self, value: Value) -> ValueType:
        """What a value's MLIR type says."""
        return self._declaration(value).type

    def is_static(self, value: Value) -> bool:
        """Whether nothing in a value's MLIR type is unknown."""
        return self._declaration(value).is_static

    def is_followed(self, value: Value) -> bool:
        """Whether a value may be a small integer tensor."""
        return self._declaration(value).is_followed

    def moved(self, old: Value, new: Value) -> None:
        """Know of a value what was known of another, which it replaces."""
        if old in self._types:
            self._types[new] = self._types.pop(old)
        if old in self._contents:
            self._contents[new] = self._contents.pop(old)

    def refined(self) -> dict[Value, ValueType]:
        """The values whose MLIR types say less than what is known."""
        return self._types

    def interned(self, type: ValueType) -> ValueType:
        """One object for equal types, so that ops of equal types are known to be alike."""
        return self._interned.setdefault(type, type)

    def _declaration(self, value: Value) -> types.Declared:
        type = value.type
        found = self._declared.get(type)
        if found is None:
            read = types.declared(type)
            found = read._replace(type=self.interned(read.type))
            self._declared[type] = found
        return found

    # --- walking ----------------------------------------------------------------------------------
    def function(
        self, func: Operation, arguments: Sequence[ValueType] | None = None
    ) -> list[ValueType]:
        """Visit a function; returns the types of what it returns.

        Args:
            arguments: more exact types of its arguments.
        """
        block = func.regions[0].blocks[0]
        self.bind_arguments(block, arguments)
        outside, self.knowledge = self.knowledge, Knowledge()
        try:
            for block in func.regions[0].blocks:
                with self.knowledge.within():  # blocks that branch to each other: no order is known
                    self.block(block)
        finally:
            self.knowledge = outside
        end = block.operations[-1]
        return [self.type(value) for value in end.operands]

    def block(self, block: Block) -> None:
        for view in block.operations:
            self.visit(mlir.inner_operation(view))

    def region(self, region: Region) -> None:
        """Visit a region; what its ops check is known within it."""
        with self.knowledge.within():
            for block in region.blocks:
                self.block(block)

    def visit(self, op: Operation) -> None:
        """Find the types of an op's results, and what it demands.

        Raises:
            ConstraintError: sizes contradict each other; it names the op and both.
        """
        name = op.name
        try:
            special = self._special.get(name)
            if special is not None:
                self.others.add(name)
                special(self, op)
            elif name in PLAIN:
                self._infer(op, name, ())
            else:
                self.others.add(name)
                count = len(self.integers)
                for region in op.regions:
                    self.region(region)
                del self.integers[count:]  # of computations nothing is folded: they are the op's
                if name in DESCRIPTIONS or name in RULES:
                    self._infer(op, name, self._yielded(op))
        except ConstraintError as error:
            if error.diagnostics[0].place is not None:
                raise
            message = f"{name}: {error.diagnostics[0].message}"
            raise ConstraintError(message, place=mlir.place_of(op.location)) from error

    def _yielded(self, op: Operation) -> tuple[Hashable, ...]:
        """What the regions of an op take and yield, as part of what it is known by."""
        values: list[Value] = []
        for region in op.regions:
            for block in region.blocks:
                values += block.arguments
                values += ir.terminator(block).operands
        return tuple([id(self.current(value)) for value in values])

    def _infer(self, op: Operation, name: str, yielded: tuple[Hashable, ...]) -> None:
        """Find the types of results by the op's function, and elements of small integer tensors."""
        operands, results = list(op.operands), list(op.results)
        types, nothing_learnt = self._types, self.knowledge.is_empty
        settled = name not in SIZES_AS_OPERANDS
        alike: list[Hashable] = [name, yielded]  # types are kept for good: they are known by id
        for value in operands:
            type = types.get(value)
            if type is None:
                type, is_static, _ = self._declaration(value)
                if not is_static:
                    type, settled = self.type(value), False
            else:
                settled = False
            alike.append(id(type if nothing_learnt else self.current(value)))
        for value in results:
            declared = self._declaration(value)
            settled = settled and declared.is_static
            alike.append(id(declared.type))
        if name not in WITHOUT_ATTRIBUTES:
            alike += op.attributes.items()
        key = tuple(alike)
        if not settled and name in DESCRIPTIONS:
            inferred = self._inference.of(op, operands, key)
            if inferred.obligations:
                self.oblige(op, inferred.obligations)
            for value, result in zip(results, inferred.results or (), strict=False):
                if nothing_learnt and inferred.is_closed:
                    types[value] = result.type
                else:
                    self._set(value, result.type)
                if result.contents is not None:
                    self._contents[value] = result.contents
        if len(results) == 1 and declared.is_followed:
            self.integers.append(op)
            if results[0] not in self._contents:
                self._contents[results[0]] = self._computed(op, operands, key)

    def _computed(
        self, op: Operation, operands: list[Value], alike: Hashable
    ) -> tuple[Dim, ...] | None:
        """The elements of a result, remembered for ops that are alike."""
        value = op.results[0]
        rows = tuple([self.current_contents(operand) for operand in operands])
        key = (alike, rows)
        found = self._alike.get(key)
        if found is None:
            found = contents.of_value(value, self)
            if found is not None and all(isinstance(dim, int) for dim in found):
                self._alike[key] = found
        return found

    def oblige(self, op: Operation, obligations: Sequence[Obligation]) -> None:
        """Note what an op demands; once it is checked, it is known."""
        for obligation in obligations:
            if not self.knowledge.proves(obligation):
                self.open.append(Open(op, obligation))
        for obligation in obligations:
            self.knowledge.learn(obligation.facts)

    def bind(self, value: Value, type: ValueType) -> None:
        """Say what is known of a value's type besides what it declares."""
        declared = self.declared(value)
        if isinstance(declared, TensorType) and isinstance(type, TensorType):
            with collecting() as found:
                type = types.met(declared, type)
            types.check_sizes(type)
            op = mlir.defining_op(value)
            if op is not None and found:
                self.oblige(op, found)
        self._set(value, type)

    def bind_contents(self, value: Value, elements: Sequence[Dim]) -> None:
        """Say what the elements of a small integer tensor are."""
        self._contents[value] = tuple(elements)

    def _set(self, value: Value, type: ValueType) -> None:
        if isinstance(type, TensorType) and not type.is_static and UNKNOWN in type.shape:
            type = types.named(type, value)
        if not self.knowledge.is_empty:
            type = self.knowledge.type(type)
        self._types[value] = self._interned.setdefault(type, type)

    def bind_arguments(self, block: Block, types: Sequence[ValueType] | None) -> None:
        """Say what is known of a block's arguments."""
        for argument, type in zip(block.arguments, types or (), strict=bool(types)):
            self.bind(argument, type)

    def enter(self, block: Block, arguments: Sequence[ValueType]) -> None:
        """Visit a block that has been visited before with other arguments."""
        for argument in block.arguments:
            self._contents.pop(argument, None)
        for view in block.operations:
            for op in mlir.walk(mlir.inner_operation(view)):
                inner = (a for r in op.regions for b in r.blocks for a in b.arguments)
                for value in (*op.results, *inner):
                    self._contents.pop(value, None)
                    self._types.pop(value, None)
        self.bind_arguments(block, arguments)
        self.block(block)

    def element(self, value: Value, position: int) -> Dim:
        """A symbol for an element that nothing tells."""
        return sources.element(value, position)

    # --- calls ------------------------------------------------------------------------------------
    def bind_call(self, call: Operation, func: Operation) -> None:
        """Find the types of a call's results: what the function returns for such arguments."""
        self.calls.bind(call, func)

    def summary(self, func: Operation) -> calls.Summary:
        """What a call of a function returns."""
        return self.calls.summary(func)
