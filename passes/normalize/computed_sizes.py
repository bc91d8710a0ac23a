"""Sizes that are expressions, computed by ops of StableHLO.

    2 * n + 1    ->    %n = stablehlo.get_dimension_size %x, dim = 0 ; stablehlo.multiply ; ...

Each is a tensor of one i32, as operands that are shapes are made of.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from shlo_tools import dims, ops
from shlo_tools.dims import Dim, Monomial, Size, Symbol
from shlo_tools.errors import PassError
from shlo_tools.ops import ComparisonDirection, Tensor

Told = Callable[[Symbol], Tensor]  # what a symbol stands for


def computed(size: Dim, told: Told) -> Tensor:
    """A size as a tensor of one number."""
    if isinstance(size, int):
        return _number(size)
    if not isinstance(size, Size):
        raise PassError("a size is not known where it is needed")
    denominator = math.lcm(*(c.denominator for _, c in size.terms))
    total: Tensor | None = None
    for monomial, coefficient in size.sorted_terms:
        term = _term(monomial, int(coefficient * denominator), told)
        total = term if total is None else ops.add(total, term)
    if total is None:
        return _number(0)
    return total if denominator == 1 else ops.divide(total, _number(denominator))  # no rest


def _term(monomial: Monomial, factor: int, told: Told) -> Tensor:
    values = [_atom(atom, told) for atom in monomial]
    if factor != 1 or not values:
        values.append(_number(factor))
    product = values[0]
    for value in values[1:]:
        product = ops.multiply(product, value)
    return product


def _atom(atom: dims.Atom, told: Told) -> Tensor:
    if isinstance(atom, Symbol):
        return told(atom)
    a, b = (computed(operand, told) for operand in atom.operands)
    match atom.kind:
        case "max":
            return ops.maximum(a, b)
        case "min":
            return ops.minimum(a, b)
    rest = ops.remainder(a, b)  # with the sign of a, where that of b is wanted
    other_side = ops.compare(ops.multiply(rest, b), _number(0), ComparisonDirection.LT)
    positive = ops.select(other_side, ops.add(rest, b), rest)
    return positive if atom.kind == "mod" else ops.divide(ops.subtract(a, positive), b)


def _number(value: int) -> Tensor:
    return ops.constant(np.asarray([value], np.int32))
