"""Sizes as expressions: whatever is claimed of them holds for all values of their symbols."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shlo_tools import dims
from shlo_tools.dims import UNKNOWN, Dim, Size, Symbol, symbol

# Symbols with the values that their ranges and divisors allow (up to some number).
N = Symbol("n", minimum=1)
M = Symbol("m", minimum=0, maximum=5)
Q = Symbol("q", minimum=4, divisor=4)
Z = Symbol("z", minimum=None)
VALUES = {N: (1, 2, 3, 7), M: (0, 1, 4, 5), Q: (4, 8, 20), Z: (-5, 0, 3)}

BINARY: dict[str, tuple[Callable[[Any, Any], Any], Callable[[int, int], int]]] = {
    "+": (lambda a, b: a + b, lambda a, b: a + b),
    "-": (lambda a, b: a - b, lambda a, b: a - b),
    "*": (lambda a, b: a * b, lambda a, b: a * b),
    "//": (dims.floor_divided, lambda a, b: a // b),
    "ceil": (dims.ceiling_divided, lambda a, b: -(-a // b)),
    "%": (dims.remainder, lambda a, b: a % b),
    "max": (dims.maximum, max),
    "min": (dims.minimum, min),
}

_leaf = st.one_of(st.integers(-6, 6), st.sampled_from([N, M, Q, Z]))
_tree = st.recursive(
    _leaf, lambda inner: st.tuples(st.sampled_from(sorted(BINARY)), inner, inner), max_leaves=7
)


def _symbolic(tree: Any) -> Dim:
    if isinstance(tree, int):
        return tree
    if isinstance(tree, Symbol):
        return dims.of_symbol(tree)
    kind, a, b = tree
    result: Dim = BINARY[kind][0](_symbolic(a), _symbolic(b))
    return result


def _number(tree: Any, values: dict[Symbol, int]) -> int:
    if isinstance(tree, int):
        return tree
    if isinstance(tree, Symbol):
        return values[tree]
    kind, a, b = tree
    return BINARY[kind][1](_number(a, values), _number(b, values))


def _assignments() -> list[dict[Symbol, int]]:
    return [dict(zip(VALUES, row, strict=True)) for row in itertools.product(*VALUES.values())]


ASSIGNMENTS = _assignments()


@settings(max_examples=400, derandomize=True, deadline=None)
@given(_tree)
def test_expressions_keep_their_value(tree: Any) -> None:
    """For all values, unless the program divides by zero there."""
    size = _symbolic(tree)
    low, high = dims.bounds(size)
    step = dims.divisor(size)
    for values in ASSIGNMENTS:
        try:
            expected = _number(tree, values)
        except ZeroDivisionError:
            continue
        if size is UNKNOWN:
            continue
        assert dims.substituted(size, dict(values)) == expected
        assert low is None or low <= expected
        assert high is None or expected <= high
        assert expected % step == 0 if step else expected == 0


@settings(max_examples=400, derandomize=True, deadline=None)
@given(_tree, _tree)
def test_comparisons_hold_for_all_values(a: Any, b: Any) -> None:
    x, y = _symbolic(a), _symbolic(b)
    equal, at_most = dims.equal(x, y), dims.at_most(x, y)
    for values in ASSIGNMENTS:
        try:
            u, v = _number(a, values), _number(b, values)
        except ZeroDivisionError:
            continue
        assert equal is None or equal == (u == v)
        assert at_most is None or at_most == (u <= v)


n, m, q = (dims.of_symbol(s) for s in (N, M, Q))


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((2 * n + 4) // 2, n + 2),
        ((2 * n + 5) // 2, n + 2),
        (n * (m + 1) - n, n * m),
        ((q // 2) * 2, q),
        (q % 2, 0),
        ((n * m) // n, m),
        (dims.maximum(n, 1), n),
        (dims.minimum(m, 9), m),
        (dims.maximum(n, m), dims.maximum(m, n)),
        (n - n, 0),
        (dims.product([2, n, 3]), 6 * n),
        ((m + 12) // 6, 2 + m // 6),
        (m // 6, 0),
    ],
)
def test_one_value_has_one_form(size: Dim, expected: Dim) -> None:
    assert size == expected
    assert dims.equal(size, expected) is True


@pytest.mark.parametrize(
    ("a", "b", "equal", "at_most"),
    [
        (n, 0, False, False),
        (n, m, None, None),
        (m, 5, None, True),
        (2 * n, 5, False, None),
        (q, 6, False, None),
        (n, n + m, None, True),
        (n, UNKNOWN, None, None),
        (n + 1, n, False, False),
    ],
)
def test_what_is_known(a: Dim, b: Dim, equal: bool | None, at_most: bool | None) -> None:
    assert dims.equal(a, b) is equal
    assert dims.at_most(a, b) is at_most


def test_text() -> None:
    assert str(2 * n + 3) == "2 * n + 3"
    assert str(q // 2) == "q / 2"
    assert str((n + m) // 3 - 1) == "((n + m) // 3) - 1"
    assert str(dims.maximum(n, m)) == "max(m, n)"


def test_symbols_of_one_name_differ() -> None:
    assert symbol("d") != symbol("d")
    assert isinstance(symbol("d") - symbol("d"), Size)


def test_sizes_are_ordered_where_that_is_known() -> None:
    n, m = dims.symbol("n", minimum=1), dims.symbol("m", minimum=0, maximum=8)
    assert n > 0 and n >= 1 and not n < 1 and not n <= 0
    assert n > 0 and m < 9 and m <= 8 and n + 8 > m
    for compare in (operator.lt, operator.le, operator.gt, operator.ge):
        with pytest.raises(dims.UndecidedError, match="not known before run time"):
            compare(n, 5)
