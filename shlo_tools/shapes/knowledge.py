"""What is known of sizes at a point of a program, once earlier ops have checked theirs.

After an op that demands ``n == m`` the two are one size; after ``shape_assertion`` of
``n % 4 == 0`` a quarter of n has no remainder. What is learnt in a region holds in it only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from shlo_tools import dims
from shlo_tools.constraints import Fact, Obligation
from shlo_tools.dims import Dim, Operation, Size, Symbol
from shlo_tools.dtypes import TensorType
from shlo_tools.types import TupleType, ValueType

_FAR = 1 << 59  # limits beyond it say nothing that helps


class Knowledge:
    """Facts that hold from here on, as values of symbols and as ranges and divisors of theirs.

    Attributes:
        values: of symbols; while there are none, types are as they were found.
    """

    def __init__(self) -> None:
        self.values: dict[Symbol, Dim] = {}
        self._facts: set[Fact] = set()
        self._learnt: list[Symbol | Fact] = []  # in order, to be forgotten when a region ends

    @contextmanager
    def within(self) -> Iterator[None]:
        """What is learnt in the block is forgotten after it."""
        count = len(self._learnt)
        try:
            yield
        finally:
            while len(self._learnt) > count:
                item = self._learnt.pop()
                if isinstance(item, Symbol):
                    del self.values[item]
                else:
                    self._facts.discard(item)

    def copy(self) -> Knowledge:
        """What is known now, unchanged by what is learnt or forgotten later."""
        knowledge = Knowledge()
        knowledge.values = dict(self.values)
        return knowledge

    # --- asking -----------------------------------------------------------------------------------
    def size(self, dim: Dim) -> Dim:
        """A size with what is known of its symbols by now."""
        if not self.values:
            return dim
        while isinstance(dim, Size):
            known = dims.substituted(dim, self.values)
            if known == dim:
                break
            dim = known
        return dim

    def type(self, type: ValueType) -> ValueType:
        """A type with such sizes."""
        if not self.values:
            return type
        if isinstance(type, TupleType):
            return TupleType(tuple(self.type(member) for member in type.members))
        if not isinstance(type, TensorType) or type.is_static:
            return type
        return replace(type, shape=tuple(self.size(dim) for dim in type.shape))

    def proves(self, obligation: Obligation) -> bool:
        """Whether the same has been demanded before."""
        return all(fact in self._facts for fact in obligation.facts)

    # --- learning ---------------------------------------------------------------------------------
    def learn(self, facts: Iterable[Fact]) -> None:
        """Take facts for true that the program has checked."""
        for fact in facts:
            if fact not in self._facts:
                self._facts.add(fact)
                self._learnt.append(fact)
            a, b = self.size(fact.a), self.size(fact.b)
            if fact.relation == "==":
                self._equal(a, b)
            elif fact.relation == "<=":
                self._at_most(a, b)

    def _equal(self, a: Dim, b: Dim) -> None:
        multiple = _multiple_of(a - b) or _multiple_of(b - a)
        solved = None if multiple else _solved(a - b)
        if multiple is not None:
            symbol, divisor = multiple
            self._sharpen(symbol, divisor=math.lcm(symbol.divisor, divisor))
        elif solved is not None:
            self._set(*solved)

    def _at_most(self, a: Dim, b: Dim) -> None:
        """Of a side that is a symbol and a number, the range gets narrower."""
        (least, _), (_, most) = dims.bounds(a), dims.bounds(b)
        low, high = _plain(a), _plain(b)
        if low is not None and most is not None and most < _FAR:
            symbol, offset = low
            if symbol.maximum is None or most - offset < symbol.maximum:
                self._sharpen(symbol, maximum=most - offset)
        if high is not None and least is not None and least > -_FAR:
            symbol, offset = high
            if symbol.minimum is None or least - offset > symbol.minimum:
                self._sharpen(symbol, minimum=least - offset)

    def _sharpen(self, symbol: Symbol, **known: Any) -> None:
        if any(getattr(symbol, name) != value for name, value in known.items()):
            self._set(symbol, dims.of_symbol(symbol.with_known(**known)))

    def _set(self, symbol: Symbol, value: Dim) -> None:
        self.values[symbol] = value
        self._learnt.append(symbol)


def _plain(dim: Dim) -> tuple[Symbol, int] | None:
    """The symbol and the number that a size is the sum of."""
    symbols = dims.atoms(dim)
    if len(symbols) != 1 or not isinstance(symbols[0], Symbol):
        return None
    rest = dim - dims.of_symbol(symbols[0])
    return (symbols[0], rest) if isinstance(rest, int) else None


def _multiple_of(dim: Dim) -> tuple[Symbol, int] | None:
    """Of ``s % 4``, which is 0: s and 4."""
    atoms = dims.atoms(dim)
    if len(atoms) != 1 or not isinstance(atoms[0], Operation) or dim != dims.of_symbol(atoms[0]):
        return None
    whole, divisor = atoms[0].operands
    inside = dims.atoms(whole)
    if atoms[0].kind != "mod" or not isinstance(divisor, int) or len(inside) != 1:
        return None
    symbol = inside[0]
    plain = isinstance(symbol, Symbol) and whole == dims.of_symbol(symbol)
    return (symbol, divisor) if plain and isinstance(symbol, Symbol) else None


@dataclass(frozen=True)
class _Solution:
    """``symbol == value``, and whether the value's range says all that the symbol's does."""

    symbol: Symbol
    value: Dim

    @property
    def rank(self) -> tuple[bool, int]:
        low, high = dims.bounds(self.value)
        keeps = (
            (self.symbol.minimum is None or (low is not None and low >= self.symbol.minimum))
            and (self.symbol.maximum is None or (high is not None and high <= self.symbol.maximum))
            and dims.divisor(self.value) % self.symbol.divisor == 0
        )
        return keeps, self.symbol.serial


def _solved(difference: Dim) -> tuple[Symbol, Dim] | None:
    """A symbol and its value where a size is 0; the latest symbol, as far as nothing is lost."""
    if not isinstance(difference, Size):
        return None
    solutions = []
    for monomial, coefficient in difference.terms:
        if len(monomial) != 1 or not isinstance(monomial[0], Symbol):
            continue
        symbol = monomial[0]
        rest = difference - dims.scaled(dims.of_symbol(symbol), coefficient)
        value = dims.scaled(-rest, Fraction(1) / coefficient)
        if symbol not in dims.symbols(rest) and dims.is_whole(value):
            solutions.append(_Solution(symbol, value))
    best = max(solutions, key=lambda solution: solution.rank, default=None)
    return None if best is None else (best.symbol, best.value)
