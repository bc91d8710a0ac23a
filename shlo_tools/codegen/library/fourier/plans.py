"""Which passes compute a Fourier transform, and the factors that they multiply by.

A transform of n = r m numbers, s of them side by side, is a pass of radix r (Stockham's, which
sorts by itself): for p below m and q below s,

    y[q + s (r p + j)] = w(n)^(p j) sum over k of w(r)^(j k) x[q + s (p + k m)]

and then a transform of m numbers, s r of them side by side. Vectors go along q. Columns are side by
side from the start. A row is not: its first pass goes along p, with as many numbers in a transform
as a vector has lanes, and turns blocks of them in registers; then they are side by side.

Factors are computed in double precision; jobs' contexts name them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from shlo_tools.codegen.library.pool import SCRATCH_BYTES
from shlo_tools.codegen.target import Target
from shlo_tools.dtypes import Array

_PREFIX = "shlo_tools.fourier."  # how names of factors begin
_REALS: dict[int, np.dtype[Any]] = {32: np.dtype(np.float32), 64: np.dtype(np.float64)}
FINE = 1024  # turns are looked up in two steps, of which the second one has so many


@dataclass(frozen=True)
class Plan:
    """Passes of a transform.

    Attributes:
        bits: of a real number.
        lanes: of a vector.
        rows: whether the first pass, of radix ``lanes``, turns blocks of a row.
        radices: of the passes, in order: at least two.
    """

    bits: int
    lanes: int
    rows: bool
    radices: tuple[int, ...]

    @property
    def size(self) -> int:
        """Numbers of a transform."""
        return math.prod(self.radices)

    @property
    def vector_bytes(self) -> int:
        """Of a vector of real parts and one of imaginary parts."""
        return 2 * self.lanes * self.bits // 8

    @property
    def radix_set(self) -> int:
        """The largest prime that code has radices for: 2, or 7."""
        later = self.radices[1:] if self.rows else self.radices
        return 2 if all(radix in (2, 4, 8) for radix in later) else 7

    def code(self, kind: str) -> str:
        """How the part of the library for a kind of jobs is called."""
        return f"{kind}_f{self.bits}x{self.lanes}r{self.radix_set}"

    def factors(self) -> str:
        """The name of the passes' factors."""
        radices = "x".join(map(str, self.radices))
        return f"{_PREFIX}{'rows' if self.rows else 'columns'}.{self.bits}.{self.lanes}.{radices}"

    def steps(self) -> Iterator[tuple[int, int, int, int]]:
        """Of passes behind the first: radix, m, vectors side by side, offset of its factors."""
        left, beside = self.size, 1
        offset = 0
        for number, radix in enumerate(self.radices):
            left //= radix
            if number:
                yield radix, left, beside, offset * self.bits // 8
            if number == 0 and self.rows:
                offset += self.blocks * (radix - 1) * 2 * self.lanes
            else:
                offset += left * (radix - 1) * 2
                beside *= radix

    @property
    def blocks(self) -> int:
        """Vectors along p of a row's first pass."""
        return -(-self.size // self.lanes // self.lanes)


def row_plan(target: Target, bits: int, size: int) -> Plan | None:
    """The passes for a row that lies in one piece; None where there are none."""
    for lanes in _lanes(target, bits):
        rest, left = divmod(size, lanes)
        if left or rest < lanes or not _fits(bits, size):
            continue
        radices = _radices(rest)
        if radices is not None:
            return Plan(bits, lanes, True, (lanes, *radices))
    return None


def column_plan(target: Target, bits: int, size: int, columns: int) -> Plan | None:
    """The passes for columns side by side; None where there are none."""
    radices = _radices(size)
    if radices is None or len(radices) < 2:
        return None
    possible = [lanes for lanes in _lanes(target, bits) if _fits(bits, size * lanes)]
    filled = [lanes for lanes in possible if lanes <= columns]
    for lanes in (*filled, *possible[-1:]):
        return Plan(bits, lanes, False, radices)
    return None


def long_plans(target: Target, bits: int, size: int) -> tuple[Plan, Plan] | None:
    """The plans of a long row as a matrix: for its columns, and then for its rows."""
    lanes = target.lanes(bits)
    for first in range(math.isqrt(size) // lanes * lanes, 0, -lanes):
        second = size // first
        if first * second == size and second % lanes == 0:
            plans = [column_plan(target, bits, n, lanes) for n in (second, first)]
            outer, inner = plans
            if outer is None or inner is None:
                return None
            return (outer, inner) if outer.lanes == inner.lanes == lanes else None
    return None


def _lanes(target: Target, bits: int) -> list[int]:
    most = min(target.lanes(bits), 16)
    return [lanes for lanes in (most, most // 2, most // 4) if lanes > 1]


def _fits(bits: int, numbers: int) -> bool:
    """Whether scratch memory holds so many complex numbers twice."""
    return 2 * numbers * 2 * bits // 8 <= SCRATCH_BYTES


@cache
def _radices(size: int) -> tuple[int, ...] | None:
    """Radices whose product is a positive size, in order; None where it has other primes."""
    radices = []
    for prime in (7, 5, 3):
        while size % prime == 0:
            radices.append(prime)
            size //= prime
    if size & (size - 1):
        return None
    twos = size.bit_length() - 1
    eights = twos // 3
    if twos % 3 == 1 and eights:  # two fours, not an eight and a two
        eights -= 1
    left = twos - 3 * eights
    radices += [8] * eights + [4] * (left // 2) + [2] * (left % 2)
    return tuple(sorted(radices))


# --- factors --------------------------------------------------------------------------------------
def halves(plan: Plan) -> str:
    """The name of the factors that make a transform of real numbers from one of half its length."""
    return f"{_PREFIX}halves.{plan.bits}.{plan.lanes}.{plan.size}"


def turns(plan: Plan, size: int) -> str:
    """The name of a long row's factors, for columns by one plan."""
    return f"{_PREFIX}turns.{plan.bits}.{plan.lanes}.{plan.size}.{size}"


def is_name(name: str) -> bool:
    """Whether a name is one of factors."""
    return name.startswith(_PREFIX)


def factors_of(name: str) -> Array:
    """What a name stands for, as bytes."""
    return _made(name).ravel().view(np.uint8)


def _made(name: str) -> Array:
    kind, bits, lanes, *numbers = name.removeprefix(_PREFIX).split(".")
    real, width = _REALS[int(bits)], int(lanes)
    if kind in ("rows", "columns"):
        radices = tuple(int(radix) for radix in numbers[0].split("x"))
        passes = _passes(Plan(int(bits), width, kind == "rows", radices))
        return np.asarray(passes.astype(real))
    sizes = [int(number) for number in numbers]
    return _halves(real, width, *sizes) if kind == "halves" else _turns(real, width, *sizes)


def _unit(turns: Array, count: int) -> Array:
    """exp(-2 pi i turns / count), with exact quarters."""
    quarter, rest = np.divmod(4 * (turns % count), count)
    angle = rest * (-math.pi / 2 / count)
    exact = np.array([1, -1j, -1, 1j])
    return np.asarray(exact[quarter] * (np.cos(angle) + 1j * np.sin(angle)))


def _parts(numbers: Array) -> Array:
    """Complex numbers along the last dimension as real parts, and then imaginary ones."""
    return np.stack([numbers.real, numbers.imag], axis=-2)


def _passes(plan: Plan) -> Array:
    """For a row's first pass vectors along p, for others numbers: all j of one p together."""
    tables = []
    left = plan.size
    for number, radix in enumerate(plan.radices[:-1]):
        count, left = left, left // radix
        powers = np.arange(1, radix)
        if number == 0 and plan.rows:
            starts = np.minimum(np.arange(plan.blocks) * plan.lanes, left - plan.lanes)
            places = starts[:, None, None] + np.arange(plan.lanes)
            tables.append(_parts(_unit(places * powers[:, None], count)))
        else:
            places = np.arange(left)[:, None]
            numbers = _unit(places * powers, count)
            tables.append(np.stack([numbers.real, numbers.imag], axis=-1))
    return np.concatenate([part.ravel() for part in tables])


def _halves(real: np.dtype[Any], lanes: int, size: int) -> Array:
    """-i/2 exp(-pi i k / size) for all k, in vectors."""
    numbers = _unit(np.arange(size), 2 * size)
    factors = (numbers.imag - 1j * numbers.real) / 2
    return _parts(factors.reshape(-1, lanes)).astype(real)


def _turns(real: np.dtype[Any], lanes: int, rows: int, size: int) -> Array:
    """Coarse and fine turns in double precision, then w(size)^(k l) for each row k and lane l."""
    coarse = _unit(np.arange(0, size, FINE), size)
    fine = _unit(np.arange(FINE), size)
    near = _parts(_unit(np.arange(rows)[:, None] * np.arange(lanes), size)).astype(real)
    far = np.concatenate([coarse, fine]).view(np.float64)
    return np.frombuffer(far.tobytes() + near.tobytes(), np.uint8)


def turns_offsets(size: int) -> tuple[int, int]:
    """Bytes in front of the fine turns, and of those of lanes."""
    coarse = -(-size // FINE)
    return 16 * coarse, 16 * (coarse + FINE)
