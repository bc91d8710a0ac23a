"""Sizes that are expressions, computed by whatever adds and multiplies: one algorithm for all.

2 * n + 1    ->    add(multiply(n, 2), 1)
"""

from __future__ import annotations

import math
from functools import reduce
from typing import Protocol, TypeVar

from shlo_tools.dims import Atom, Dim, Monomial, Size, Symbol
from shlo_tools.errors import PassError

T = TypeVar("T")


class Algebra(Protocol[T]):
    """What computes with sizes. Division rounds toward negative infinity, as ``dims`` has it."""

    def number(self, value: int) -> T: ...

    def symbol(self, symbol: Symbol) -> T: ...

    def add(self, a: T, b: T) -> T: ...

    def multiply(self, a: T, b: T) -> T: ...

    def divide_exactly(self, a: T, b: T) -> T:
        """Of two numbers whose division leaves no rest."""
        ...

    def operation(self, kind: str, a: T, b: T) -> T:
        """``floordiv``, ``mod``, ``max`` or ``min``."""
        ...


def computed(size: Dim, algebra: Algebra[T]) -> T:
    """A size in an algebra.

    Raises:
        PassError: the size is not known.
    """
    if isinstance(size, int):
        return algebra.number(size)
    if not isinstance(size, Size):
        raise PassError("a size is not known where it is needed")
    denominator = math.lcm(*(coefficient.denominator for _, coefficient in size.terms))
    total: T | None = None
    for monomial, coefficient in size.sorted_terms:
        term = _term(monomial, int(coefficient * denominator), algebra)
        total = term if total is None else algebra.add(total, term)
    if total is None:
        return algebra.number(0)
    if denominator == 1:
        return total
    return algebra.divide_exactly(total, algebra.number(denominator))


def _term(monomial: Monomial, factor: int, algebra: Algebra[T]) -> T:
    values = [_atom(atom, algebra) for atom in monomial]
    if factor != 1 or not values:
        values.append(algebra.number(factor))
    return reduce(algebra.multiply, values)


def _atom(atom: Atom, algebra: Algebra[T]) -> T:
    if isinstance(atom, Symbol):
        return algebra.symbol(atom)
    a, b = (computed(operand, algebra) for operand in atom.operands)
    return algebra.operation(atom.kind, a, b)
