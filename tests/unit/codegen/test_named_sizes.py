"""Expressions of sizes: as text, as ``dims.Size``, and their values."""

from __future__ import annotations

import pytest

from shlo_tools import dims
from shlo_tools.codegen.named_sizes import dim, evaluated, shape, shape_text
from shlo_tools.errors import ShloError

TEXTS = ("s0", "4 * s0 + s1", "(s0 // 4)", "(s0 % 4)", "max(s0 - 2, 0)", "min(1, s1)", "-s0 + 7")


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_spelled_is_read(text: str) -> None:
    size = dim(text)
    assert dim(str(size)) == size
    assert shape(shape_text([size, 3])) == (size, 3)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("sizes", [(0, 0), (1, 5), (33, 2), (8, 64)])
def test_expressions_have_the_values_of_sizes(text: str, sizes: tuple[int, int]) -> None:
    values = {dims.symbols(dim(f"s{k}"))[0]: size for k, size in enumerate(sizes)}
    names = {f"s{k}": size for k, size in enumerate(sizes)}
    assert evaluated(text, names) == dims.substituted(dim(text), values)


def test_fractions_are_exact() -> None:
    """(n * n + n) / 2 is a whole number, its terms are none."""
    text = "s0 * s0 / 2 + s0 / 2"
    large = 2**31 - 1
    assert evaluated(text, {"s0": large}) == large * (large + 1) // 2


def test_equal_expressions_are_equal() -> None:
    assert dim("2 * s0 * s1") == dim("s1 * 2 * s0")
    assert dim("s0") != dim("s1")


@pytest.mark.parametrize(
    "text", ["__import__('os')", "s0.real", "s0 ** 9", "'a' * 9", "[s0]", "open(s0)", "s0 +", "1.5"]
)
def test_nothing_but_arithmetic_is_read(text: str) -> None:
    with pytest.raises(ShloError, match="is no size"):
        evaluated(text, {"s0": 1})
    with pytest.raises(ShloError, match="is no size"):
        dim(text)
