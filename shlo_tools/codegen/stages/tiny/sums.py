"""Sums of tiny tensors: products of matrices, and reductions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from shlo_tools.codegen.function import Function, Value
from shlo_tools.codegen.stages.folds import fold_of, is_neutral, sources_of, starts_of
from shlo_tools.codegen.stages.nodes import Node
from shlo_tools.codegen.stages.reading.elements import Parts
from shlo_tools.codegen.stages.tiny.numbering import Numbers
from shlo_tools.codegen.stages.tiny.picking import LARGEST, Picking
from shlo_tools.codegen.target import Target

_SHORT = 4  # sums of so many products are not made by halves


class TinySums(Picking):
    """Emits sums."""

    def __init__(self, function: Function, target: Target) -> None:
        super().__init__(function)
        self.target = target

    def dot(self, node: Node) -> Numbers:
        """Sums of products, one after the other or by halves; they start from 0."""
        sides = self._factors(node)
        lhs, rhs = sides
        total = self.number(0, node.element)
        if len(lhs) > _SHORT and lhs.size <= LARGEST:
            terms = self.numbered(self._products(sides), lhs.shape, node.element)

            def added(one: Sequence[Numbers], other: Sequence[Numbers]) -> list[Numbers]:
                value = self._plus(*self.alike(self.pick_alike([*one, *other])))
                return [self.numbered(value, one[0].shape, node.element)]

            start = self.numbered(total, (node.count,), node.element)
            return added([start], _halved([terms], added))[0].reshape(node.shape)
        for pair in zip(lhs, rhs, strict=True):
            total = self._products(pair, total)
        return self.numbered(total, node.shape, node.element)

    def _factors(self, node: Node) -> list[Numbers]:
        """Numbers of both sides' factors: a row for each product of a sum."""
        sides = []
        free = [
            [operand.shape[d] for d in dimensions]
            for operand, (_, _, dimensions) in zip(node.operands, node.contraction, strict=True)
        ]
        for number, operand in enumerate(node.operands):
            numbers, cast = self.of(operand), node.casts[number]
            if cast is not None and operand.count:
                value = cast(self, self.pick_alike([numbers]))
                numbers = self.numbered(value, operand.shape, node.element)
            batch, inner, outer = node.contraction[number]
            sizes = [operand.shape[d] for d in (*inner, *batch)]
            own = [[1] * len(part) if k != number else part for k, part in enumerate(free)]
            moved = numbers.transpose(*inner, *batch, *outer).reshape([*sizes, *own[0], *own[1]])
            whole = np.broadcast_to(moved, [*sizes, *free[0], *free[1]])
            sides.append(whole.reshape(math.prod(sizes[: len(inner)]), node.count))
        return sides

    def _products(self, factors: Sequence[Numbers], total: Value | None = None) -> Value:
        """Products of elements, added to others."""
        a, b = self.alike(self.pick_alike(factors))
        if not isinstance(a, Parts) or not isinstance(b, Parts):
            return self._product(a, b, total)
        real, imag = (total.real, total.imag) if isinstance(total, Parts) else (None, None)
        real = self._product(-a.imag, b.imag, self._product(a.real, b.real, real))
        return Parts(real, self._product(a.imag, b.real, self._product(a.real, b.imag, imag)))

    def _product(self, a: Value, b: Value, total: Value | None) -> Value:
        if total is None:
            return a * b
        a, b, total = self.alike([a, b, total])
        if self.target.fma and a.type.is_float:
            return self.function.fma(a, b, total)
        return total + a * b

    def _plus(self, a: Value, b: Value) -> Value:
        if isinstance(a, Parts) and isinstance(b, Parts):
            return Parts(a.real + b.real, a.imag + b.imag)
        return a + b

    def reduce(self, node: Node) -> list[Numbers]:
        """By halves where elements may meet in any order, else one after the other."""
        fold, sources, starts = fold_of(node), sources_of(node), starts_of(node)
        kept = [d for d in range(len(sources[0].shape)) if d not in node.dimensions]
        shape = [sources[0].shape[d] for d in kept]
        order, count = [*node.dimensions, *kept], math.prod(shape)
        parts = [self.of(source).transpose(order).reshape(-1, count) for source in sources]
        state: list[Numbers] = [np.full(count, self.of(start).item()) for start in starts]

        def folded(
            one: Sequence[Numbers], other: Sequence[Numbers], step: Any = fold.apply
        ) -> list[Numbers]:
            values = self.alike(self.pick_alike([*one, *other]))
            results = step(self, values[: len(one)], values[len(one) :])
            return [
                self.numbered(value, numbers.shape, source.element)
                for value, numbers, source in zip(results, one, sources, strict=True)
            ]

        if fold.has_any_order and node.reduced:
            total = _halved(parts, partial(folded, step=fold.merge))
            is_started = fold.neutral is not None and is_neutral(starts[0], fold)
            state = total if is_started else folded(state, total)
        else:
            for k in range(node.reduced):
                state = folded(state, [part[k] for part in parts])
        return [part.reshape(shape) for part in state]


def _halved(
    parts: list[Numbers],
    combine: Callable[[Sequence[Numbers], Sequence[Numbers]], list[Numbers]],
) -> list[Numbers]:
    """Rows of elements folded to one: its halves with each other, an odd one in the end."""
    rest: list[list[Numbers]] = []
    while (count := len(parts[0])) > 1:
        half = count // 2
        if count % 2:
            rest.append([part[-1] for part in parts])
        parts = combine([part[:half] for part in parts], [part[half : 2 * half] for part in parts])
    total = [part[0] for part in parts]
    for row in reversed(rest):
        total = combine(total, row)
    return total
