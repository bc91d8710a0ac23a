"""Formulas build what the checked builders of ops build, and refuse what these refuse."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from shlo_tools import builder, ops
from shlo_tools.errors import ShloError
from shlo_tools.ops import ComparisonDirection, Tensor
from shlo_tools.passes.normalize.legalize_chlo import formula as f
from shlo_tools.passes.normalize.legalize_chlo.formula import Term

Build = Callable[[Tensor, Tensor], Tensor]


def _text(build: Build, *types: str) -> str:
    module = builder.Module()

    @module.func(*types)
    def main(x: Tensor, y: Tensor) -> Tensor:
        return build(x, y)

    return str(module)


PAIRS: list[tuple[Build, Build]] = [
    (lambda x, y: (Term(x) + Term(y)).tensor, ops.add),
    (lambda x, y: (Term(x) - Term(y)).tensor, ops.subtract),
    (lambda x, y: (Term(x) * Term(y)).tensor, ops.multiply),
    (lambda x, y: (Term(x) / Term(y)).tensor, ops.divide),
    (lambda x, y: (-Term(x)).tensor, lambda x, y: ops.negate(x)),
    (
        lambda x, y: (Term(x) <= Term(y)).tensor,
        lambda x, y: ops.compare(x, y, ComparisonDirection.LE),
    ),
    (
        lambda x, y: f.is_nan(Term(x)).tensor,
        lambda x, y: ops.compare(x, x, ComparisonDirection.NE),
    ),
    (
        lambda x, y: f.select(Term(x) != Term(y), Term(x), Term(y)).tensor,
        lambda x, y: ops.select(ops.compare(x, y, ComparisonDirection.NE), x, y),
    ),
    (lambda x, y: f.expm1(Term(x)).tensor, lambda x, y: ops.exponential_minus_one(x)),
    (lambda x, y: f.is_finite(Term(x)).tensor, lambda x, y: ops.is_finite(x)),
]


@pytest.mark.parametrize("type", ["3xf32", "2x5xbf16", "f64", "0xf32", "?xf32"])
@pytest.mark.parametrize("pair", PAIRS)
def test_formulas_are_ops(pair: tuple[Build, Build], type: str) -> None:
    one, other = (_text(build, type, type) for build in pair)
    assert one == other


REFUSED: list[tuple[Build, list[str]]] = [
    (lambda x, y: (Term(x) + Term(y)).tensor, ["3xf32", "4xf32"]),
    (lambda x, y: (Term(x) * Term(y)).tensor, ["3xf32", "3xf64"]),
    (lambda x, y: (Term(x) < Term(y)).tensor, ["3xf32", "f32"]),
    (lambda x, y: f.select(Term(x), Term(y), Term(y)).tensor, ["4xi1", "3xf32"]),
    (lambda x, y: f.select(Term(x), Term(y), Term(y)).tensor, ["3xf32", "3xf32"]),
    (lambda x, y: f.exp(Term(x)).tensor, ["3xi32", "3xi32"]),
    (lambda x, y: (-Term(x)).tensor, ["3xi1", "3xi1"]),
]


@pytest.mark.parametrize(("build", "types"), REFUSED)
def test_operands_that_do_not_fit_are_refused(build: Build, types: list[str]) -> None:
    with pytest.raises(ShloError):
        _text(build, *types)
