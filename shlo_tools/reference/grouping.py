"""Ops that group values or order them, and compute nothing."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

from shlo_tools.reference._evaluates import evaluates


class _Token:
    """The value of every token: it only orders."""

    def __repr__(self) -> str:
        return "token"


TOKEN = _Token()


@evaluates
def after_all(inputs: Sequence[Any] = ()) -> Any:
    return TOKEN


@evaluates
def create_token() -> Any:
    return TOKEN


@evaluates
def get_tuple_element(operand: builtins.tuple[Any, ...], index: int) -> Any:
    return [operand[index]]


@evaluates
def optimization_barrier(operand: Sequence[Any]) -> builtins.tuple[Any, ...]:
    return (*operand,)


@evaluates
def tuple_(val: Sequence[Any]) -> list[Any]:
    return [(*val,)]
