"""The walk that gives every value a type with sizes that are expressions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.constraints import Fact, Obligation, collecting
from shlo_tools.dims import UNKNOWN, Dim
from shlo_tools.dtypes import TensorType
from shlo_tools.errors import ConstraintError
from shlo_tools.mlir import Block, Operation, Region, Value
from shlo_tools.ops import Value as Seen
from shlo_tools.shapes import blocks, calls, contents, control_flow, custom_calls, sources, types
from shlo_tools.shapes.arithmetic import RULES
from shlo_tools.shapes.evaluation import FROM_FLOATS
from shlo_tools.shapes.inference import Inference, Inferred, Known
from shlo_tools.shapes.kinds import Kind, kind_of
from shlo_tools.shapes.knowledge import Knowledge
from shlo_tools.shapes.values import Contents, Values, listed
from shlo_tools.types import ValueType


@dataclass(frozen=True)
class Open:
    """What an op demands of sizes and nothing proves."""

    op: Operation
    obligation: Obligation


NEVER = Fact("==", 0, 1)  # what an op demands that cannot run

Visit = Callable[["Shapes", Operation], None]

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


class Shapes(Values):
    """Types and contents of values, as far as they are known.

    Args:
        call: visits calls in another way than by what the called function returns.

    Attributes:
        open: what the ops visited so far demand and nothing proves.
        knowledge: what earlier ops have checked, while a function is visited.
        integers: the ops visited so far that compute small integer tensors: their name, the op
            and its result.
        wrappers: the custom calls visited so far that only hide a type.
        failing: the ops visited so far that fail whenever they run; they may not run.
        others: names of the ops visited so far that have regions or no function of their own.
        ends: the last op of each function visited of one block, by the function's address.
        branches: the ends of blocks visited that branch to others.
        constants: elements of the constants that have been read.
        apart: branches visited so far that yield other types than their op has, loops that start
            with others, and for which results. As everything here by the op's address.
    """

    def __init__(self, call: Visit | None = None) -> None:
        super().__init__()
        self.open: list[Open] = []
        self.knowledge = Knowledge()
        self.integers: list[tuple[str, Operation, Value]] = []
        self.others: set[str] = set()
        self.ends: dict[int, Operation] = {}
        self.branches: list[Operation] = []
        self.constants: dict[mlir.Attribute, tuple[int, ...]] = {}
        self.wrappers: dict[int, Operation] = {}
        self.failing: dict[int, Operation] = {}
        self.apart: dict[int, tuple[Operation, list[int]]] = {}
        self.calls = calls.Calls(self)
        self._special = SPECIAL if call is None else SPECIAL | dict.fromkeys(calls.NAMES, call)
        self._optional = 0  # how many regions that may never run are being visited
        self._refuted: ConstraintError | None = None
        self._inference = Inference(self)
        self._known: dict[Hashable, Known] = {}

    # --- asking -----------------------------------------------------------------------------------
    def contents(self, value: Value) -> tuple[Dim, ...] | None:
        """The elements of a small integer tensor (or of an index); None for other values."""
        address = hash(value)
        if address not in self._contents:
            if not self.is_followed(value):
                return None
            # Asked in a region, what is known there must not be taken for known outside.
            inside, self.knowledge = self.knowledge, Knowledge()
            try:
                self._contents[address] = contents.of_value(value, self)
            finally:
                self.knowledge = inside
        return self._contents[address]

    def view(self, value: Value) -> Seen:
        """A value as op functions see operands, with what is known at the op being visited."""
        return self._inference.view(value)

    def current(self, value: Value) -> ValueType:
        """The type of a value, with what is known at the op being visited."""
        type = self.type(value)
        if not self.knowledge.values:
            return type
        known = self.knowledge.type(type)
        return type if known is type else self.interned(known)

    def current_contents(self, value: Value) -> tuple[Dim, ...] | None:
        """The elements of a value, with what is known at the op being visited."""
        held = self.contents(value)
        if held is None or not self.knowledge.values:
            return held
        return tuple(self.knowledge.size(dim) for dim in held)

    def rows(self, values: Iterable[Value]) -> tuple[Contents, ...]:
        """The elements of values, with what is known at the op being visited."""
        if self.knowledge.values:
            return tuple([self.current_contents(value) for value in values])
        held = self._contents
        return tuple([held[a] if (a := hash(v)) in held else self.contents(v) for v in values])

    # --- walking ----------------------------------------------------------------------------------
    def function(
        self, func: Operation, arguments: Sequence[ValueType] | None = None
    ) -> list[ValueType]:
        """Visit a function; returns the types of what it returns.

        Args:
            arguments: more exact types of its arguments.
        """
        region = func.regions[0]
        block = region.blocks[0]
        self.bind_arguments(block, arguments)
        outside, self.knowledge = self.knowledge, Knowledge()
        try:
            if len(region.blocks) > 1:
                return blocks.visit(self, region)
            end = self.block(block)
        finally:
            self.knowledge = outside
        self.ends[mlir.address_of(func)] = end
        return [self.type(value) for value in end.operands]

    def block(self, block: Block) -> Operation:
        """Visit the ops of a block; returns the last one, which MLIR finds by counting them.

        Raises:
            ConstraintError: sizes contradict each other; it names the op and both.
        """
        for view in block.operations:
            op: Operation = view.operation
            kind = kind_of(op.name)
            try:
                if kind.is_plain:
                    self._infer(op, kind)
                else:
                    self._visit(op, kind)
            except ConstraintError as error:
                self._contradicted(op, error)
        return op

    def region(self, region: Region) -> None:
        """Visit a region; what its ops check is known within it."""
        with self.knowledge.within():
            for block in region.blocks:
                self.block(block)

    @contextmanager
    def perhaps(self) -> Iterator[None]:
        """What is visited in the block may never run: what fails there is for run time to tell."""
        self._optional += 1
        try:
            yield
        finally:
            self._optional -= 1

    def _visit(self, op: Operation, kind: Kind) -> None:
        self.others.add(kind.name)
        special = self._special.get(kind.name)
        if special is not None:
            special(self, op)
            return
        count = len(self.integers)
        # A branch or a loop's body may never run.
        with self.perhaps() if kind.name.startswith("scf.") else nullcontext():
            for region in op.regions:
                self.region(region)
        del self.integers[count:]  # of computations nothing is folded: they are the op's
        if kind.is_described or kind.name in RULES:
            self._infer(op, kind, self._yielded(op))

    def _contradicted(self, op: Operation, error: ConstraintError) -> None:
        """An op that fails whenever it runs is an error, unless it may never run."""
        message = error.diagnostics[0].message
        if self._optional:
            self._forget_inside(op)
            self.open.append(Open(op, Obligation("never", (NEVER,), message)))
            self.failing[mlir.address_of(op)] = op
        elif self._refuted is not None:
            raise self._refuted from error
        elif error.diagnostics[0].place is not None:
            raise error
        else:
            place = mlir.place_of(op.location)
            raise ConstraintError(f"{op.name}: {message}", place=place) from error

    def refute(self, op: Operation, message: str) -> None:
        """An assertion fails before anything after it does: its message says more."""
        if not self._optional and self._refuted is None:
            self._refuted = ConstraintError(message, place=mlir.place_of(op.location))

    def _forget_inside(self, op: Operation) -> None:
        """Forget what has been found of an op's results and of all that is in it."""
        inside = {mlir.address_of(inner) for inner in mlir.walk(op)}
        self.open[:] = [o for o in self.open if mlir.address_of(o.op) not in inside]
        self.integers[:] = [i for i in self.integers if mlir.address_of(i[1]) not in inside]
        self._forget(op)

    def _forget(self, root: Operation) -> None:
        for op in mlir.walk(root):
            self.forget(op.results)
            self.forget(a for r in op.regions for b in r.blocks for a in b.arguments)
            for table in (self.wrappers, self.failing, self.apart):
                if table:
                    table.pop(mlir.address_of(op), None)

    def _yielded(self, op: Operation) -> tuple[Hashable, ...]:
        """What the regions of an op take and yield, as part of what it is known by."""
        values: list[Value] = []
        for region in op.regions:
            for block in region.blocks:
                values += block.arguments
                values += ir.terminator(block).operands
        return tuple([id(self.current(value)) for value in values])

    def _infer(self, op: Operation, kind: Kind, yielded: tuple[Hashable, ...] = ()) -> None:
        """Find the types of results by the op's function, and elements of small integer tensors.

        This is where refinement spends its time: on table look-ups and on what MLIR is asked.
        """
        types, static, learnt = self._types, self._static, self.knowledge.values
        operands, results = listed(op.operands), listed(op.results)
        settled, follows = kind.is_settled_by_types, False
        key: list[Hashable] = [kind.name]  # types are kept for good: they are known by id
        for value in operands:
            address = hash(value)
            type = static.get(address)
            if type is None:
                type = types.get(address) or self.type(value)
                settled = settled and address in static
                if learnt:
                    type = self.current(value)
            key.append(id(type))
        for value in results:
            declared = self._declared.get(hash(value.type)) or self.declaration(value)
            type, is_static, follows = declared
            address = hash(value)
            if is_static:
                static[address] = type
            else:
                settled = False
            key.append(id(type))
        follows = follows and len(results) == 1
        if settled and not follows:
            return
        if kind.attributes:
            held = op.attributes
            for name in kind.attributes:
                key.append(hash(held.get(name)))
        alike = (*key, yielded) if yielded else tuple(key)
        known = self._known.get(alike)
        if known is None:
            known = self._known[alike] = Known()
        if not settled and kind.is_described:
            result = known.result
            if result is None or learnt:
                self._bind_inferred(op, results, self._inference.inferred(known, op, operands))
            else:
                if address not in static:
                    types[address] = result.type
                    self._values[address] = value
                if result.contents is not None:
                    self._contents[address] = result.contents
        if follows:
            if address not in self._contents:
                rows = self.rows(operands)
                # Regions compute what they please, and rows do not tell one float from another.
                fresh = kind.has_regions or (kind.name in FROM_FLOATS and None in rows)
                like = Known() if fresh else known
                self._contents[address] = self._inference.elements(like, op, rows)
            self.integers.append((kind.name, op, value))

    def _bind_inferred(self, op: Operation, results: Sequence[Value], inferred: Inferred) -> None:
        if inferred.obligations:
            self.oblige(op, inferred.obligations)
        as_found = inferred.is_closed and not self.knowledge.values
        for value, result in zip(results, inferred.results or (), strict=False):
            address = hash(value)
            if address not in self._static:
                if as_found:
                    self._set_type(value, result.type)
                else:
                    self._set(value, result.type)
            if result.contents is not None:
                self._contents[address] = result.contents

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

    def _set(self, value: Value, type: ValueType) -> None:
        if isinstance(type, TensorType) and not type.is_static and UNKNOWN in type.shape:
            type = types.named(type, value)
        if self.knowledge.values:
            type = self.knowledge.type(type)
        self._set_type(value, self.interned(type))

    def bind_arguments(self, block: Block, types: Sequence[ValueType] | None) -> None:
        """Say what is known of a block's arguments."""
        for argument, type in zip(block.arguments, types or (), strict=bool(types)):
            self.bind(argument, type)

    def enter(self, block: Block, arguments: Sequence[ValueType]) -> None:
        """Visit a block that has been visited before with other arguments."""
        self.forget(block.arguments)
        for view in block.operations:
            self._forget(view.operation)
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
