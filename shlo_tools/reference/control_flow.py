"""Ops that choose, repeat or stand for a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from shlo_tools.dtypes import Array
from shlo_tools.reference._evaluates import evaluates
from shlo_tools.reference.reduction import Computation, results_of


@evaluates
def case(index: Array, branches: Sequence[Computation]) -> tuple[Any, ...]:
    number = int(index)
    last = len(branches) - 1
    return tuple(results_of(branches[number if 0 <= number <= last else last]()))


@evaluates
def composite(
    inputs: Sequence[Any],
    name: str,
    decomposition: Callable[..., Any],
    composite_attributes: Mapping[str, Any] | None = None,
    version: int | None = None,
) -> tuple[Any, ...]:
    return tuple(results_of(decomposition(*inputs)))


@evaluates
def if_(pred: Array, true_branch: Computation, false_branch: Computation) -> tuple[Any, ...]:
    return tuple(results_of(true_branch() if pred else false_branch()))


@evaluates
def while_(operand: Sequence[Any], cond: Computation, body: Computation) -> tuple[Any, ...]:
    values = list(operand)
    while results_of(cond(*values))[0]:
        values = results_of(body(*values))
    return tuple(values)
