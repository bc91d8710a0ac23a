"""One algorithm computes sizes in every algebra; here in that of Python's integers."""

from __future__ import annotations

import pytest

from shlo_tools import dims
from shlo_tools.dims import Symbol
from shlo_tools.passes.sizes.algebra import Algebra, computed

OPERATIONS = {
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "max": max,
    "min": min,
}


class Integers(Algebra[int]):
    """Numbers for symbols, by name."""

    def __init__(self, **values: int) -> None:
        self.values = values

    def number(self, value: int) -> int:
        return value

    def symbol(self, symbol: Symbol) -> int:
        return self.values[symbol.name]

    def add(self, a: int, b: int) -> int:
        return a + b

    def multiply(self, a: int, b: int) -> int:
        return a * b

    def divide_exactly(self, a: int, b: int) -> int:
        assert a % b == 0
        return a // b

    def operation(self, kind: str, a: int, b: int) -> int:
        return int(OPERATIONS[kind](a, b))


@pytest.mark.parametrize("n", [0, 1, 5, 12])
def test_sizes_of_integers(n: int) -> None:
    size, other = dims.symbol("n"), dims.symbol("m")
    algebra = Integers(n=n, m=3)
    assert computed(7, algebra) == 7
    assert computed(2 * size + 1, algebra) == 2 * n + 1
    assert computed(size * other - 4 * other, algebra) == 3 * n - 12
    assert computed(dims.floor_divided(size * (size - 1), 2), algebra) == n * (n - 1) // 2
    assert computed(dims.floor_divided(size - 7, 4), algebra) == (n - 7) // 4
    assert computed(dims.remainder(size - 7, 4), algebra) == (n - 7) % 4
    assert computed(dims.maximum(size - 2, other), algebra) == max(n - 2, 3)
    assert computed(dims.minimum(size - 2, other), algebra) == min(n - 2, 3)
