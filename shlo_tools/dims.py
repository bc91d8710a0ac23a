"""Sizes of tensors: numbers, expressions of sizes that are known at run time, or unknown.

A ``Size`` is a polynomial over symbols in a normal form, so that equal expressions are equal
objects: ``(2 * n + 4) // 2 == n + 2``. Symbols carry what is known of them, a range and a divisor,
from which comparisons answer yes, no, or unknown (None).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any


class Unknown:
    """A size of which nothing is known before run time. Arithmetic on it stays unknown."""

    def _same(self, *_: object) -> Unknown:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _same
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __neg__ = _same

    def __repr__(self) -> str:
        return "?"


UNKNOWN = Unknown()


class UndecidedError(Exception):
    """Which of two sizes is the greater is not known before run time."""


_serial = itertools.count()


@dataclass(frozen=True, eq=False)
class Symbol:
    """A size that is some number at run time; two symbols are never the same object's size.

    Attributes:
        name: what people call it.
        minimum: its least value, None where there is none.
        maximum: its greatest value, None where there is none.
        divisor: a number that divides it.
        source: where its value comes from, for those who compute it.
    """

    name: str
    minimum: int | None = 0
    maximum: int | None = None
    divisor: int = 1
    source: Any = None
    serial: int = field(default_factory=lambda: next(_serial))

    def with_known(self, **known: Any) -> Symbol:
        """A symbol for the same number of which more is known."""
        return replace(self, serial=next(_serial), **known)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Operation:
    """What no polynomial expresses: ``floordiv``, ``mod``, ``max`` or ``min`` of two sizes."""

    kind: str
    operands: tuple[Dim, Dim]

    @property
    def minimum(self) -> int | None:
        return self._range[0]

    @property
    def maximum(self) -> int | None:
        return self._range[1]

    @cached_property
    def _range(self) -> tuple[int | None, int | None]:
        return _RANGES[self.kind](*self.operands)

    @property
    def divisor(self) -> int:
        if self.kind in ("max", "min"):
            return math.gcd(*(divisor(operand) for operand in self.operands))
        return 1

    def __str__(self) -> str:
        lhs, rhs = self.operands
        if self.kind in ("max", "min"):
            return f"{self.kind}({lhs}, {rhs})"
        sign = {"floordiv": "//", "mod": "%"}[self.kind]
        return f"({_factor(lhs)} {sign} {_factor(rhs)})"


Atom = Symbol | Operation
Monomial = tuple[Atom, ...]  # sorted; () is the constant term
Coefficient = int | Fraction  # an int where it is one, which is added and multiplied in no time


@dataclass(frozen=True)
class Size:
    """A polynomial with rational coefficients whose values are integers."""

    terms: frozenset[tuple[Monomial, Coefficient]]

    def __add__(self, other: Any) -> Any:
        return _combined(self, other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _combined(self, other, -1)

    def __rsub__(self, other: Any) -> Any:
        return _combined(-self, other, 1)

    def __neg__(self) -> Any:
        return _of({monomial: -c for monomial, c in self.terms})

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Unknown):
            return other
        if isinstance(other, int):
            return _of({monomial: c * other for monomial, c in self.terms})
        if not isinstance(other, Size):
            return NotImplemented
        product: dict[Monomial, Coefficient] = {}
        for a, x in self.terms:
            for b, y in other.terms:
                monomial = tuple(sorted((*a, *b), key=_order)) if a and b else a or b
                product[monomial] = product.get(monomial, 0) + x * y
        return _of(product)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        return floor_divided(self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return floor_divided(other, self)

    def __le__(self, other: Any) -> bool:
        return _decided(at_most(self, other), f"{self} <= {other}")

    def __lt__(self, other: Any) -> bool:
        return _decided(at_most(self, other - 1), f"{self} < {other}")

    def __ge__(self, other: Any) -> bool:
        return _decided(at_most(other, self), f"{self} >= {other}")

    def __gt__(self, other: Any) -> bool:
        return _decided(at_most(other, self - 1), f"{self} > {other}")

    def __mod__(self, other: Any) -> Any:
        return remainder(self, other)

    def __rmod__(self, other: Any) -> Any:
        return remainder(other, self)

    @cached_property
    def sorted_terms(self) -> list[tuple[Monomial, Coefficient]]:
        """The terms in a fixed order, the constant last."""
        return sorted(self.terms, key=lambda t: (not t[0], [_order(a) for a in t[0]]))

    @cached_property
    def bounds(self) -> tuple[int | None, int | None]:
        """The least and the greatest value, each None where it is not known."""
        low: Coefficient | None = 0
        high: Coefficient | None = 0
        for monomial, coefficient in self.terms:
            ends = _scaled(_monomial_bounds(monomial), coefficient)
            low = None if low is None or ends[0] is None else low + ends[0]
            high = None if high is None or ends[1] is None else high + ends[1]
        return (
            None if low is None else math.ceil(low),
            None if high is None else math.floor(high),
        )

    def __str__(self) -> str:
        text = ""
        for monomial, coefficient in self.sorted_terms:
            sign = "-" if coefficient < 0 else "+"
            text += f" {sign} " if text else sign.replace("+", "")
            text += _term(monomial, coefficient if coefficient > 0 else -coefficient)
        return text

    __repr__ = __str__


Dim = int | Size | Unknown


def symbol(name: str, **known: Any) -> Size:
    """A new symbol as a size; ``known`` as for ``Symbol``."""
    return of_symbol(Symbol(name, **known))


def of_symbol(atom: Atom) -> Size:
    return Size(frozenset({((atom,), 1)}))


# --- arithmetic -----------------------------------------------------------------------------------
def _order(atom: Atom) -> tuple[int, str]:
    if isinstance(atom, Symbol):
        return atom.serial, ""
    return 1 << 62, str(atom)


def _terms(dim: int | Size) -> dict[Monomial, Coefficient]:
    return dict(dim.terms) if isinstance(dim, Size) else {(): dim}


def _of(terms: Mapping[Monomial, Coefficient]) -> Dim:
    """A number where no symbol is left."""
    kept = {m: c if isinstance(c, int) else _simplest(c) for m, c in terms.items() if c}
    if not kept:
        return 0
    number = kept.get(()) if len(kept) == 1 else None
    return number if isinstance(number, int) else Size(frozenset(kept.items()))


def _simplest(c: Fraction) -> Coefficient:
    return c.numerator if c.denominator == 1 else c


def _ratio(a: Coefficient, b: Coefficient) -> Coefficient:
    return _simplest(Fraction(a) / b)


def _combined(a: Size, b: Any, sign: int) -> Any:
    if isinstance(b, Unknown):
        return b
    if not isinstance(b, int | Size):
        return NotImplemented
    total = _terms(a)
    for monomial, coefficient in _terms(b).items():
        total[monomial] = total.get(monomial, 0) + sign * coefficient
    return _of(total)


def floor_divided(a: Dim, b: Dim) -> Dim:
    """``a // b``, rounded down."""
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return UNKNOWN
    if isinstance(a, int) and isinstance(b, int):
        return a // b if b else UNKNOWN
    if isinstance(b, Size):
        low, _ = bounds(b)
        exact = exact_quotient(a, b) if low is not None and low >= 1 else None
        return _operation("floordiv", a, b) if exact is None else exact
    if b <= 0:
        return floor_divided(-a, -b) if b else UNKNOWN
    parts = {m: _ratio(c, b) for m, c in _terms(a).items()}
    whole = {m: c for m, c in parts.items() if _is_whole(m, c)}
    rest = _of({m: c for m, c in _terms(a).items() if m not in whole})
    low, high = bounds(rest)
    if low is not None and high is not None and low // b == high // b:
        return _of(whole) + low // b
    return _of(whole) + _operation("floordiv", rest, b)


def _is_whole(monomial: Monomial, coefficient: Coefficient) -> bool:
    """Whether a term is an integer whatever its symbols are."""
    if isinstance(coefficient, int):
        return True
    divisors = math.prod(atom.divisor for atom in monomial)
    return (coefficient * divisors).denominator == 1


def exact_quotient(a: Dim, b: Dim) -> Dim | None:
    """The polynomial q with q * b == a, for a ``b`` of one term; where b is 0, so is a."""
    if isinstance(a, int) and isinstance(b, int):
        return a // b if b and a % b == 0 else None
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return None
    divisors = _terms(b)
    if len(divisors) != 1:
        return None
    ((by, coefficient),) = divisors.items()
    quotient: dict[Monomial, Coefficient] = {}
    for monomial, c in _terms(a).items():
        rest = list(monomial)
        for atom in by:
            if atom not in rest:
                return None
            rest.remove(atom)
        ratio = _ratio(c, coefficient)
        if not _is_whole(tuple(rest), ratio):
            return None
        quotient[tuple(rest)] = ratio
    return _of(quotient)


def ceiling_divided(a: Dim, b: Dim) -> Dim:
    """``a / b``, rounded up."""
    return -floor_divided(-a, b)


def remainder(a: Dim, b: Dim) -> Dim:
    """``a - b * (a // b)``."""
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return UNKNOWN
    if isinstance(a, int) and isinstance(b, int):
        return a % b if b else UNKNOWN
    quotient = floor_divided(a, b)
    exact = not any(isinstance(atom, Operation) for atom in atoms(quotient))
    return a - b * quotient if exact else _operation("mod", a, b)


def maximum(a: Dim, b: Dim) -> Dim:
    """The greater of two sizes."""
    return _chosen("max", a, b, at_most(a, b), at_most(b, a))


def minimum(a: Dim, b: Dim) -> Dim:
    """The lesser of two sizes."""
    return _chosen("min", a, b, at_most(b, a), at_most(a, b))


def _chosen(kind: str, a: Dim, b: Dim, take_b: bool | None, take_a: bool | None) -> Dim:
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return UNKNOWN
    if take_a:
        return a
    return b if take_b else _operation(kind, *sorted((a, b), key=str))


def _operation(kind: str, a: Dim, b: Dim) -> Size:
    return of_symbol(Operation(kind, (a, b)))


def scaled(dim: Dim, factor: Coefficient) -> Dim:
    """A size times a number; see ``is_whole`` for whether that is a size."""
    if isinstance(dim, Unknown):
        return dim
    return _of({monomial: c * factor for monomial, c in _terms(dim).items()})


def is_whole(dim: Dim) -> bool:
    """Whether each term is an integer whatever its symbols are."""
    if isinstance(dim, Size):
        return all(_is_whole(monomial, c) for monomial, c in dim.terms)
    return isinstance(dim, int)


def product(dims: Iterable[Dim]) -> Dim:
    """The number of elements of a shape."""
    total: Dim = 1
    for dim in dims:
        total = total * dim
    return total


# --- what is known --------------------------------------------------------------------------------
Bounds = tuple[int | None, int | None]


def bounds(dim: Dim) -> Bounds:
    """The least and the greatest value, each None where it is not known."""
    if isinstance(dim, int):
        return dim, dim
    return (None, None) if isinstance(dim, Unknown) else dim.bounds


def _scaled(
    ends: Bounds, coefficient: Coefficient
) -> tuple[Coefficient | None, Coefficient | None]:
    low, high = (None if end is None else end * coefficient for end in ends)
    return (high, low) if coefficient < 0 else (low, high)


def _monomial_bounds(monomial: Monomial) -> Bounds:
    ends: Bounds = (1, 1)
    for atom in monomial:
        ends = _product_bounds(ends, (atom.minimum, atom.maximum))
    return ends


def _product_bounds(a: Bounds, b: Bounds) -> Bounds:
    if None not in (*a, *b):
        corners = [x * y for x in a for y in b if x is not None and y is not None]
        return min(corners), max(corners)
    if a[0] is not None and b[0] is not None and a[0] >= 0 and b[0] >= 0:
        return a[0] * b[0], None
    return None, None


def _floordiv_range(a: Dim, b: Dim) -> Bounds:
    (low, high), (least, most) = bounds(a), bounds(b)
    if least is None or least < 1 or low is None or low < 0:
        if isinstance(b, int) and b > 0:
            return None if low is None else low // b, None if high is None else high // b
        return None, None
    return 0 if most is None else low // most, None if high is None else high // least


def _mod_range(a: Dim, b: Dim) -> Bounds:
    least, most = bounds(b)
    if least is None or least < 1:
        return None, None
    high = bounds(a)[1]
    limits = [end for end in (None if most is None else most - 1, high) if end is not None]
    low = bounds(a)[0]
    if low is None or low < 0:
        limits = limits[:1] if most is not None else []
    return 0, min(limits, default=None)


def _extremum_range(kind: Callable[..., int], loose: int) -> Callable[[Dim, Dim], Bounds]:
    """Bounds of max or min: the end number ``loose`` needs only one operand's."""

    def range_of(a: Dim, b: Dim) -> Bounds:
        ends: list[int | None] = []
        for end in (0, 1):
            known = [e for e in (bounds(a)[end], bounds(b)[end]) if e is not None]
            enough = len(known) == 2 or (end == loose and known)
            ends.append(kind(known) if enough else None)
        return ends[0], ends[1]

    return range_of


_RANGES: dict[str, Callable[[Dim, Dim], Bounds]] = {
    "floordiv": _floordiv_range,
    "mod": _mod_range,
    "max": _extremum_range(max, 0),
    "min": _extremum_range(min, 1),
}


def divisor(dim: Dim) -> int:
    """A number that divides a size whatever its symbols are; 0 for the size 0."""
    if isinstance(dim, int):
        return abs(dim)
    if isinstance(dim, Unknown):
        return 1
    factor = 0
    for monomial, coefficient in dim.terms:
        whole = coefficient * math.prod(atom.divisor for atom in monomial)
        factor = math.gcd(factor, int(whole) if whole.denominator == 1 else 1)
    return factor


def equal(a: Dim, b: Dim) -> bool | None:
    """Whether two sizes are the same: yes, no, or unknown."""
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return None
    apart = a - b
    if isinstance(apart, int):
        return apart == 0
    low, high = bounds(apart)
    if (low is not None and low > 0) or (high is not None and high < 0):
        return False
    constant = _terms(apart).get((), 0)
    step = divisor(apart - int(constant)) if constant.denominator == 1 else 1
    return False if step > 1 and int(constant) % step else None


def at_most(a: Dim, b: Dim) -> bool | None:
    """Whether ``a <= b``: yes, no, or unknown."""
    if isinstance(a, int) and isinstance(b, int):
        return a <= b
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return None
    apart = b - a
    low, high = bounds(apart)
    if low is not None and low >= 0:
        return True
    if high is not None and high < 0:
        return False
    lows = (bounds(least)[0] for least in _not_above(apart))
    return True if any(low is not None and low >= 0 for low in lows) else None


def _not_above(dim: Dim) -> Iterator[Dim]:
    """Expressions that a size is not below: with one of two numbers for the lesser or greater."""
    for monomial, coefficient in dim.terms if isinstance(dim, Size) else ():
        for atom in monomial if len(monomial) == 1 else ():
            if isinstance(atom, Operation) and atom.kind == ("max" if coefficient > 0 else "min"):
                rest = dim - scaled(of_symbol(atom), coefficient)
                for operand in atom.operands:
                    yield rest + scaled(operand, coefficient)


def _decided(answer: bool | None, question: str) -> bool:
    if answer is None:
        raise UndecidedError(f"{question} is not known before run time")
    return answer


def atoms(dim: Dim) -> list[Atom]:
    """The symbols and operations that a size is computed from directly."""
    if not isinstance(dim, Size):
        return []
    return list(dict.fromkeys(atom for monomial, _ in dim.sorted_terms for atom in monomial))


def symbols(dim: Dim) -> list[Symbol]:
    """All symbols that a size depends on."""
    all_symbols: dict[Symbol, None] = {}
    for atom in atoms(dim):
        if isinstance(atom, Symbol):
            all_symbols[atom] = None
        else:
            for operand in atom.operands:
                all_symbols.update(dict.fromkeys(symbols(operand)))
    return list(all_symbols)


def substituted(dim: Dim, values: Mapping[Symbol, Dim]) -> Dim:
    """The size with symbols replaced."""
    if not isinstance(dim, Size):
        return dim
    if len(dim.terms) == 1:  # mostly it is a symbol
        ((monomial, coefficient),) = dim.terms
        if len(monomial) == 1 and coefficient == 1 and isinstance(monomial[0], Symbol):
            return values.get(monomial[0], dim)
    if not any(s in values for s in symbols(dim)):
        return dim
    total: Dim = 0
    for monomial, coefficient in dim.sorted_terms:
        term: Dim = coefficient.numerator
        for atom in monomial:
            term = term * _substituted_atom(atom, values)
        # A fraction on the way: the denominator divides the sum that the term is part of.
        total = total + scaled(term, Fraction(1, coefficient.denominator))
    return total


def _substituted_atom(atom: Atom, values: Mapping[Symbol, Dim]) -> Dim:
    if isinstance(atom, Symbol):
        return values.get(atom, of_symbol(atom))
    a, b = (substituted(operand, values) for operand in atom.operands)
    return _EVALUATED[atom.kind](a, b)


_EVALUATED: dict[str, Callable[[Dim, Dim], Dim]] = {
    "floordiv": floor_divided,
    "mod": remainder,
    "max": maximum,
    "min": minimum,
}


# --- text -----------------------------------------------------------------------------------------
def _factor(dim: Dim) -> str:
    text = str(dim)
    return f"({text})" if " " in text else text


def _term(monomial: Monomial, coefficient: Coefficient) -> str:
    factors = [str(atom) for atom in monomial]
    if coefficient.numerator != 1 or not factors:
        factors.insert(0, str(coefficient.numerator))
    text = " * ".join(factors)
    return text if coefficient.denominator == 1 else f"{text} / {coefficient.denominator}"
