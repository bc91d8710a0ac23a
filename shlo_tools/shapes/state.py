"""What is known at a point of a program: types and elements of values, and what ops demand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from shlo_tools import mlir
from shlo_tools.constraints import Obligation, collecting
from shlo_tools.dims import UNKNOWN, Dim
from shlo_tools.dtypes import TensorType
from shlo_tools.errors import ConstraintError
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops import Value as Seen
from shlo_tools.shapes import types
from shlo_tools.shapes.knowledge import Knowledge
from shlo_tools.shapes.values import Contents, Values
from shlo_tools.types import Tensor, ValueType


@dataclass(frozen=True)
class Unproven:
    """What an op demands of sizes and nothing proves."""

    op: Operation
    obligation: Obligation


class State(Values):
    """Types and contents of values, as far as they are known.

    Args:
        compute: the elements of a value whose elements are followed, from its op and its operands.

    Attributes:
        unproven: what the ops visited so far demand and nothing proves.
        knowledge: what earlier ops have checked, while a function is visited.
        constants: elements of the constants that have been read.
        wrappers: the custom calls visited so far that only hide a type, by the op's address.
        reads: the values whose elements op functions have read.
    """

    def __init__(self, compute: Callable[[Value, State], Contents | None]) -> None:
        super().__init__()
        self.unproven: list[Unproven] = []
        self.knowledge = Knowledge()
        self.constants: dict[mlir.Attribute, tuple[int, ...]] = {}
        self.wrappers: dict[int, Operation] = {}
        self.reads: dict[Value, None] = {}
        self._compute = compute
        self._optional = 0  # how many regions that may never run are being visited
        self._refuted: ConstraintError | None = None

    # --- asking -----------------------------------------------------------------------------------
    def contents(self, value: Value) -> Contents | None:
        """The elements of a small integer tensor (or of an index); None for other values."""
        address = hash(value)
        if address not in self._contents:
            if not self.is_followed(value):
                return None
            # Asked in a region, what is known there must not be taken for known outside.
            inside, self.knowledge = self.knowledge, Knowledge()
            try:
                self._contents[address] = self._compute(value, self)
            finally:
                self.knowledge = inside
        return self._contents[address]

    def current(self, value: Value) -> ValueType:
        """The type of a value, with what is known at the op being visited."""
        type = self.type(value)
        if not self.knowledge.values:
            return type
        known = self.knowledge.type(type)
        return type if known is type else self.interned(known)

    def current_contents(self, value: Value) -> Contents | None:
        """The elements of a value, with what is known at the op being visited."""
        elements = self.contents(value)
        if elements is None or not self.knowledge.values:
            return elements
        return tuple(self.knowledge.size(dim) for dim in elements)

    def rows(self, values: Iterable[Value]) -> tuple[Contents | None, ...]:
        """The elements of values, with what is known at the op being visited."""
        if self.knowledge.values:
            return tuple([self.current_contents(value) for value in values])
        rows = self._contents
        return tuple([rows[a] if (a := hash(v)) in rows else self.contents(v) for v in values])

    def numbers(self, value: Value) -> list[int] | None:
        """The elements of a value where all of them are numbers."""
        elements = self.current_contents(value)
        numbers = [dim for dim in elements or () if isinstance(dim, int)]
        return numbers if elements is not None and len(numbers) == len(elements) else None

    def view(self, value: Value) -> Seen:
        """A value as op functions see operands, with what is known at the op being visited."""
        type = self.current(value)
        return _Followed(type, value, self) if isinstance(type, TensorType) else Seen(type, value)

    # --- telling ----------------------------------------------------------------------------------
    def bind(self, value: Value, type: ValueType) -> None:
        """Say what is known of a value's type besides what it declares."""
        declared = self.declared(value)
        if isinstance(declared, TensorType) and isinstance(type, TensorType):
            with collecting() as obligations:
                type = types.met(declared, type)
            types.check_sizes(type)
            op = mlir.defining_op(value)
            if op is not None and obligations:
                self.oblige(op, obligations)
        self._set(value, type)

    def _set(self, value: Value, type: ValueType) -> None:
        if isinstance(type, TensorType) and not type.is_static and UNKNOWN in type.shape:
            type = types.named(type, value)
        if self.knowledge.values:
            type = self.knowledge.type(type)
        self._set_type(value, self.interned(type))

    def oblige(self, op: Operation, obligations: Sequence[Obligation]) -> None:
        """Note what an op demands; once it is checked, it is known."""
        for obligation in obligations:
            if not self.knowledge.proves(obligation):
                self.unproven.append(Unproven(op, obligation))
        for obligation in obligations:
            self.knowledge.learn(obligation.facts)

    def refute(self, op: Operation, message: str) -> None:
        """An assertion fails before anything after it does: its message says more."""
        if not self._optional and self._refuted is None:
            self._refuted = ConstraintError(message, place=mlir.place_of(op.location))


class _Followed(Tensor):
    """A tensor whose elements are looked for only when a rule asks for them."""

    def __init__(self, type: TensorType, value: Value, state: State) -> None:
        super().__init__(type, value)
        self._state = state

    @property
    def contents(self) -> Sequence[Dim] | None:
        if self.value is None:
            return None
        self._state.reads[self.value] = None
        return self._state.current_contents(self.value)
