"""The walk that gives every value a type with sizes that are expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.dims import UNKNOWN, Dim
from shlo_tools.dtypes import TensorType
from shlo_tools.errors import ConstraintError
from shlo_tools.mlir import Block, Operation, Region, Value
from shlo_tools.ops import DESCRIPTIONS
from shlo_tools.ops import Value as Seen
from shlo_tools.ops._constraints import Obligation, collecting
from shlo_tools.ops._value import ValueType
from shlo_tools.shapes import calls, contents, control_flow, custom_calls, sources, types
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
    "stablehlo.case": control_flow.branches,
    "stablehlo.composite": calls.call,
    "stablehlo.custom_call": custom_calls.custom_call,
    "stablehlo.if": control_flow.branches,
    "stablehlo.while": control_flow.loop,
}


class Shapes:
    """Types and contents of values, as far as they are known.

    Args:
        call: visits calls in another way than by what the called function returns.

    Attributes:
        open: what the ops visited so far demand and nothing proves.
        knowledge: what earlier ops have checked, while a function is visited.
        integers: the ops visited so far that compute small integer tensors.
        wrappers: the custom calls visited so far that only hide a type.
    """

    def __init__(self, call: Visit | None = None) -> None:
        self.open: list[Open] = []
        self.knowledge = Knowledge()
        self.integers: dict[Operation, None] = {}
        self.wrappers: dict[Operation, None] = {}
        self.calls = calls.Calls(self)
        self._special = SPECIAL if call is None else SPECIAL | dict.fromkeys(calls.NAMES, call)
        self._types: dict[Value, ValueType] = {}
        self._contents: dict[Value, tuple[Dim, ...] | None] = {}
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
            self._contents[value] = contents.of_value(value, self)
        return self._contents[value]

    def view(self, value: Value) -> Seen:
        """A value as op functions see operands, with what is known at the op being visited."""
        return self._inference.view(value)

    def current(self, value: Value) -> ValueType:
        """The type of a value, with what is known at the op being visited."""
        type = self.type(value)
        known = self.knowledge.type(type)
        return type if known is type else self.interned(known)

    def current_contents(self, value: Value) -> tuple[Dim, ...] | None:
        """The elements of a value, with what is known at the op being visited."""
        held = self.contents(value)
        return None if held is None else tuple(self.knowledge.size(dim) for dim in held)

    def declared(self, value: Value) -> ValueType:
        """What a value's MLIR type says."""
        return self._declaration(value).type

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
        end = ir.terminator(block)
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
        special = self._special.get(name)
        try:
            if special is not None:
                special(self, op)
                return
            for region in op.regions:
                self.region(region)
            if name in DESCRIPTIONS:
                if not self._is_settled(op):
                    self._infer(op)
                if len(op.results) == 1 and self._declaration(op.results[0]).is_followed:
                    self.integers[op] = None
        except ConstraintError as error:
            if error.diagnostics[0].place is not None:
                raise
            message = f"{name}: {error.diagnostics[0].message}"
            raise ConstraintError(message, place=mlir.place_of(op.location)) from error

    def _infer(self, op: Operation) -> None:
        inferred = self._inference.of(op)
        if inferred.results is None:
            return
        if inferred.obligations:
            self.oblige(op, inferred.obligations)
        for value, result in zip(op.results, inferred.results, strict=True):
            self._set(value, result.type)
            if result.contents is not None:
                self._contents[value] = result.contents

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
        if isinstance(type, TensorType) and UNKNOWN in type.shape:
            type = types.named(type, value)
        self._types[value] = self.interned(self.knowledge.type(type))

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

    def _is_settled(self, op: Operation) -> bool:
        """Whether types say all there is to an op's sizes."""
        if op.name in SIZES_AS_OPERANDS:
            return False
        declaration = self._declaration
        return all(declaration(value).is_static for value in op.results) and all(
            declaration(value).is_static for value in op.operands
        )

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
