"""Sizes that are expressions, computed by ops of StableHLO.

    2 * n + 1    ->    %n = stablehlo.get_dimension_size %x, dim = 0 ; stablehlo.multiply ; ...

Each is a tensor of one i32, as operands that are shapes are made of.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shlo_tools import ops
from shlo_tools.dims import Dim, Symbol
from shlo_tools.ops import ComparisonDirection, Tensor
from shlo_tools.passes.sizes import algebra

Told = Callable[[Symbol], Tensor]  # what a symbol stands for


def computed(size: Dim, tensor_of: Told) -> Tensor:
    """A size as a tensor of one number."""
    return algebra.computed(size, _Tensors(tensor_of))


class _Tensors(algebra.Algebra[Tensor]):
    def __init__(self, tensor_of: Told) -> None:
        self._tensor_of = tensor_of

    def number(self, value: int) -> Tensor:
        return ops.constant(np.asarray([value], np.int32))

    def symbol(self, symbol: Symbol) -> Tensor:
        return self._tensor_of(symbol)

    def add(self, a: Tensor, b: Tensor) -> Tensor:
        return ops.add(a, b)

    def multiply(self, a: Tensor, b: Tensor) -> Tensor:
        return ops.multiply(a, b)

    def divide_exactly(self, a: Tensor, b: Tensor) -> Tensor:
        return ops.divide(a, b)

    def operation(self, kind: str, a: Tensor, b: Tensor) -> Tensor:
        match kind:
            case "max":
                return ops.maximum(a, b)
            case "min":
                return ops.minimum(a, b)
        rest = ops.remainder(a, b)  # with the sign of a, where that of b is wanted
        zero = self.number(0)
        other_side = ops.compare(ops.multiply(rest, b), zero, ComparisonDirection.LT)
        positive = ops.select(other_side, ops.add(rest, b), rest)
        return positive if kind == "mod" else ops.divide(ops.subtract(a, positive), b)
