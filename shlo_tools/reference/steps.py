"""Programs as the reference executes them: plain Python, free of the bindings' objects.

Translating once keeps loops fast, and lets several threads run a program (the bindings' context
has one lock).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from shlo_tools.dtypes import ADDRESSES, TensorType
from shlo_tools.errors import Place
from shlo_tools.extend import CustomCall
from shlo_tools.processes import Process
from shlo_tools.types import ValueType

Environment = dict[int, Any]  # number of a value -> what it holds


class Evaluate(Protocol):
    """Computes the results of a step from its operands."""

    def __call__(
        self, run: Execution, environment: Environment, operands: Sequence[Any]
    ) -> Any: ...


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

    @cached_property
    def too_large(self) -> int:
        """The bytes of a result that no machine has addresses for; 0 where there is none."""
        known = (t for t in self.result_types if isinstance(t, TensorType) and t.is_static)
        largest = max((type.nbytes for type in known), default=0)
        return largest if largest > ADDRESSES else 0


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
        return bool(types) and all(
            isinstance(t, TensorType) and t.rank == 0 and not t.element_type.is_quantized
            for t in types
        )

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


Observer = Callable[[Step, Sequence[Any], Sequence[Any]], None]


class Execution(Protocol):
    """One execution of a program in one process, as steps see it.

    Attributes:
        observe: is told of every step, with its operands and results.
        deadline: value of ``time.monotonic`` at which to stop.
        custom_calls: functions for custom_call targets, before the registered ones.
        leaving: the error on its way out, which names its step already, or is that of a custom
            call's function: it leaves as it is.
    """

    program: Program
    process: Process
    observe: Observer | None
    deadline: float | None
    custom_calls: Mapping[str, CustomCall]
    leaving: Exception | None

    def call(self, name: str, arguments: Sequence[Any]) -> list[Any]:
        """The results of a function."""
        ...

    def run(
        self,
        body: Body,
        environment: Environment,
        arguments: Sequence[Any],
        *,
        lifted: bool = False,
    ) -> list[Any]:
        """Execute a body; ``lifted`` runs the computation of scalars on arrays."""
        ...
