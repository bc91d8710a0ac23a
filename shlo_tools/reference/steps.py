"""Programs as the reference executes them: plain Python, free of the bindings' objects.

Translating once keeps loops fast, and lets several threads run a program (the bindings' context
has one lock).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from shlo_tools.dtypes import TensorType
from shlo_tools.errors import Place
from shlo_tools.types import ValueType

if TYPE_CHECKING:
    from shlo_tools.reference.interpreter import Run

Environment = dict[int, Any]  # number of a value -> what it holds


class Evaluate(Protocol):
    """Computes the results of a step from its operands."""

    def __call__(self, run: Run, environment: Environment, operands: Sequence[Any]) -> Any: ...


@dataclass
class Step:
    """One op.

    Attributes:
        name: the op's full name.
        described: the op with its types, for messages.
        operands, results: numbers of values.
        callee: the function that it calls, for ``func.call``.
        elementwise: whether it may run on arrays where the program has scalars.
        released: numbers of values that nobody needs after it.
    """

    name: str
    described: str
    place: Place | None
    operands: tuple[int, ...]
    results: tuple[int, ...]
    result_types: tuple[ValueType, ...]
    evaluate: Evaluate | None = None
    callee: str | None = None
    elementwise: bool = False
    check: Callable[[Sequence[Any]], None] | None = None
    released: tuple[int, ...] = ()


@dataclass
class Body:
    """A region of one block, or the body of a function.

    Attributes:
        arguments: numbers of the block's arguments.
        yields: numbers of the values that it returns.
        uses: values of outer regions that it reads.
    """

    arguments: tuple[int, ...]
    argument_types: tuple[ValueType, ...]
    steps: list[Step] = field(default_factory=list)
    yields: tuple[int, ...] = ()
    yield_types: tuple[ValueType, ...] = ()
    elementwise: bool = False

    @property
    def is_scalar(self) -> bool:
        """Whether it computes with 0-dimensional tensors, and so may be lifted to arrays."""
        types = self.argument_types
        return bool(types) and all(isinstance(t, TensorType) and t.rank == 0 for t in types)

    @property
    def operation(self) -> str | None:
        """The op that it applies to its two arguments, where that is all it does."""
        if len(self.steps) != 1 or len(self.arguments) != 2:
            return None
        step = self.steps[0]
        both = sorted(step.operands) == sorted(self.arguments)
        return step.name if both and step.results == self.yields else None


@dataclass
class Function:
    """A function of a program."""

    name: str
    body: Body
    inputs: tuple[ValueType, ...]
    results: tuple[ValueType, ...]


@dataclass
class Program:
    """The functions of a module by name."""

    functions: dict[str, Function]
