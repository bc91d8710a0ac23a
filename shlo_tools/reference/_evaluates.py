"""``@evaluates``: one function per op computes its results from arrays.

Families are loaded when one of their ops is asked for: what folds sizes needs few of them, and all
take as long as compiling a small program.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, overload

from shlo_tools.dtypes import TensorType
from shlo_tools.mlir import Operation
from shlo_tools.ops._op import DESCRIPTIONS, with_operands

F = TypeVar("F", bound=Callable[..., Any])

_OPS, _MEANINGS = "shlo_tools.ops.", "shlo_tools.reference."  # have files of the same names


class _Evaluators(Mapping[str, Callable[..., Any]]):
    """The meanings of ops, by full name: ``stablehlo.transpose``."""

    def __init__(self) -> None:
        self._known: dict[str, Callable[..., Any]] = {}

    def register(self, name: str, function: Callable[..., Any]) -> None:
        self._known[name] = function

    def __getitem__(self, name: str) -> Callable[..., Any]:
        if name not in self._known:
            self._load(name)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        for name in DESCRIPTIONS:
            self._load(name)
        return iter(self._known)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _load(self, name: str) -> None:
        module = DESCRIPTIONS[name].module if name in DESCRIPTIONS else ""
        if module.startswith(_OPS):
            importlib.import_module(_MEANINGS + module.removeprefix(_OPS))


EVALUATORS = _Evaluators()


@overload
def evaluates(function: F) -> F: ...


@overload
def evaluates(*, dialect: str = ..., name: str | None = ...) -> Callable[[F], F]: ...


def evaluates(
    function: F | None = None, *, dialect: str = "stablehlo", name: str | None = None
) -> F | Callable[[F], F]:
    """Make a function the meaning of the op it is named after (``if_`` is ``stablehlo.if``).

    It takes what the op function of that name in ``shlo_tools.ops`` takes: arrays for operands,
    Python values for attributes, functions of arrays for regions. Where its signature names
    them it also gets ``result_types``, the ``TensorType`` of each result with every size known
    that the program tells; ``process``, the one of a grid that it runs in; ``place``, where the
    op is; ``call``, what a ``custom_call`` says; and ``run``, the execution. It returns one
    value, or a tuple of them; it never writes into its operands.
    """

    def register(function: F) -> F:
        EVALUATORS.register(f"{dialect}.{name or function.__name__.rstrip('_')}", function)
        return function

    return register if function is None else register(function)


@functools.cache
def keywords_of(function: Callable[..., Any]) -> frozenset[str]:
    """The names of a function's parameters."""
    return frozenset(inspect.signature(function).parameters)


def evaluated(
    op: Operation, operands: Iterable[Any], result_types: Sequence[TensorType], **regions: Any
) -> Any:
    """What the reference gives for an op on arrays: one value, or a tuple of them.

    Args:
        regions: functions of arrays for the op's regions, by their names in its signature.
    """
    evaluate = EVALUATORS[op.name]
    arguments = {**with_operands(op, iter(operands)), **regions, "result_types": result_types}
    offered = keywords_of(evaluate)
    return evaluate(**{name: value for name, value in arguments.items() if name in offered})
