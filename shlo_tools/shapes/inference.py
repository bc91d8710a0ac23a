"""Types of an op's results by its op function, remembered for ops that are alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from shlo_tools.constraints import Obligation, collecting
from shlo_tools.dims import UNKNOWN
from shlo_tools.dtypes import TensorType
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops import DESCRIPTIONS
from shlo_tools.ops import Value as Seen
from shlo_tools.ops._op import View, _read, results_of
from shlo_tools.shapes import contents, types
from shlo_tools.shapes.state import State
from shlo_tools.shapes.values import Contents
from shlo_tools.types import OtherType, Tensor, TupleType, ValueType


@dataclass(frozen=True)
class Result:
    """What is known of one result; None for contents that nobody follows."""

    type: ValueType
    contents: Contents | None = None


@dataclass(frozen=True)
class Inferred:
    """What an op's function says of it.

    Attributes:
        results: None where the op's types are none that rules compute with.
        obligations: what it demands and nothing proves.
    """

    results: tuple[Result, ...] | None
    obligations: tuple[Obligation, ...] = ()

    @cached_property
    def is_closed(self) -> bool:
        """Whether it says the same of every op that looks alike."""
        sizes = [
            dim
            for result in self.results or ()
            if isinstance(result.type, TensorType)
            for dim in (*result.type.shape, *(result.contents or ()))
        ]
        return not self.obligations and UNKNOWN not in sizes


class Alike:
    """What has been inferred of ops that are alike: of one name, attributes and types.

    Attributes:
        dependencies: positions of the operands whose contents the op's function asks for; None
            before it has been called.
        always: what the function says, where it asks for none.
        result: what it says of the op's one result then.
        inferred: what it says, by those contents.
        elements: of the result, by the contents of all operands.
    """

    __slots__ = ("always", "dependencies", "elements", "inferred", "result")

    def __init__(self) -> None:
        self.dependencies: tuple[int, ...] | None = None
        self.always: Inferred | None = None
        self.result: Result | None = None
        self.inferred: dict[tuple[Contents | None, ...], Inferred] = {}
        self.elements: dict[tuple[Contents | None, ...], Contents] = {}


class Inference:
    """Applies op functions to ops, and remembers what they say of ops that are alike."""

    def __init__(self, state: State) -> None:
        self._state = state

    def inferred(self, alike: Alike, op: Operation, operands: Sequence[Value]) -> Inferred:
        """The types of an op's results, and what it demands."""
        if alike.always is not None:
            return alike.always
        if alike.dependencies is not None:
            answer = alike.inferred.get(self._state.rows([operands[i] for i in alike.dependencies]))
            if answer is not None:
                return answer
        self._state.reads.clear()
        inferred = self._inferred(op)
        if inferred.is_closed:
            reads = self._state.reads
            alike.dependencies = tuple(i for i, v in enumerate(operands) if v in reads)
            if alike.dependencies:
                numbers = self._state.rows([operands[i] for i in alike.dependencies])
                alike.inferred[numbers] = inferred
            else:
                alike.always = inferred
                if inferred.results is not None and len(inferred.results) == 1:
                    alike.result = inferred.results[0]
        return inferred

    def elements(
        self, alike: Alike, op: Operation, rows: tuple[Contents | None, ...]
    ) -> Contents | None:
        """The elements of an op's one result, by those of its operands; numbers are remembered."""
        row = alike.elements.get(rows)
        if row is None:
            row = contents.of_value(op.results[0], self._state)
            if row is not None and all(isinstance(dim, int) for dim in row):
                alike.elements[rows] = row
        return row

    def _inferred(self, op: Operation) -> Inferred:
        state = self._state
        declared = [state.declared(result) for result in op.results]
        operand_types = [state.current(operand) for operand in op.operands]
        if any(isinstance(type, OtherType) for type in (*operand_types, *declared)):
            return Inferred(None)
        with collecting() as obligations:
            applied = _applied(op, state.view)
            results = []
            for type, value in zip(declared, applied, strict=True):
                found_in = value.contents if isinstance(value, Tensor) else None
                facts = None if found_in is None else tuple(found_in)
                results.append(Result(state.interned(_met(type, value.type)), facts))
        return Inferred(tuple(results), tuple(obligations))


def _applied(op: Operation, view: View) -> list[Seen]:
    """The results of an op's function, called with what is known of the operands."""
    description = DESCRIPTIONS[op.name]
    return results_of(description.rule(**_read(description, op, view)))


def _met(declared: ValueType, inferred: ValueType) -> ValueType:
    if isinstance(declared, TupleType) and isinstance(inferred, TupleType):
        pairs = zip(declared.members, inferred.members, strict=True)
        return TupleType(tuple(_met(a, b) for a, b in pairs))
    if not (isinstance(declared, TensorType) and isinstance(inferred, TensorType)):
        return inferred
    met = types.met(declared, inferred)
    types.check_sizes(met)
    return met
