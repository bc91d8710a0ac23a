"""Ops on many small tensors as one loop over vectors of these.

A tensor has the batch as its first dimension; the others are of few elements, each of which is a
register whose lanes are tensors of the batch. What only moves elements moves their numbers and
emits nothing. The last vector ends with the batch: it may compute again what the one before did.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable

import numpy as np

from shlo_tools.codegen.function import I64, Function, Value
from shlo_tools.codegen.jobs import Context, Job, StageCode
from shlo_tools.codegen.stages.batched.memory import BatchMemory, batch_lanes
from shlo_tools.codegen.stages.folds import sources_of
from shlo_tools.codegen.stages.nodes import Node, NodeKind, Stage, UnsupportedStage
from shlo_tools.codegen.stages.reading.elements import constant, place_type
from shlo_tools.codegen.stages.tiny.numbering import VIEWS, Numbers
from shlo_tools.codegen.target import Target

_CHUNK = 16 * 1024  # elements that a chunk computes, about


def lower(stage: Stage, target: Target) -> StageCode:
    """A stage of small tensors of a batch."""
    kernel = BatchedKernel(stage, target)
    code = StageCode()
    code.functions.append(kernel.write())
    code.contexts.append(Context((*stage.places, *kernel.last_words(code))))
    code.jobs.append(Job(stage.name, 0, -(-kernel.batch // kernel.chunk)))
    if kernel.batch % kernel.lanes == 0:
        code.in_place = kernel.in_place()
    return code


class BatchedKernel(BatchMemory):
    """The kernel while it is written.

    Attributes:
        batch: tensors.
        chunk: tensors of a chunk.
    """

    def __init__(self, stage: Stage, target: Target) -> None:
        super().__init__(stage.name, target, stage.arguments, stage.results)
        if stage.split is None:
            raise UnsupportedStage("a batch of unknown size")
        self.batch: int = stage.split[0]
        self.lanes = batch_lanes(self)
        if self.batch < self.lanes:
            raise UnsupportedStage("a batch of less than a vector")
        work = sum(self._small(n) for n in self.nodes if n.kind not in VIEWS)
        self.chunk = max(1, _CHUNK // max(1, work) // self.lanes) * self.lanes
        self._numbers: dict[Node, Numbers] = {}
        self._elements: list[Callable[[], Value]] = []

    def write(self) -> Function:
        """The kernel over chunks of the batch."""
        f = self.function
        first = f.arguments[1] * self.chunk
        last = f.minimum(first + self.chunk, self.batch)

        def some(start: Value) -> None:
            if self.batch % self.lanes:
                start = f.minimum(start, self.batch - self.lanes)
            self._vector(start)

        self.loop(first, last, self.lanes, some)
        return f

    def in_place(self) -> dict[int, list[int]]:
        """All of a vector is read before any is stored, and nothing of the others."""
        sizes = [(n.shape, place_type(n.element).bytes) for n in self.results]
        places: dict[int, list[int]] = {}
        for node in self.buffers:
            for number, size in enumerate(sizes):
                is_alike = (node.shape, place_type(node.element).bytes) == size
                if is_alike and self._is_batched(node):
                    places.setdefault(number, []).append(node.number)
        return places

    def _is_batched(self, node: Node) -> bool:
        return node.shape[:1] == (self.batch,)

    def _small(self, node: Node) -> int:
        """Elements of one tensor."""
        return math.prod(self._shape(node))

    def _shape(self, node: Node) -> tuple[int, ...]:
        """The shape of a batch of one."""
        return (1, *node.shape[1:]) if self._is_batched(node) else node.shape

    def _vector(self, first: Value) -> None:
        """A vector of tensors: all results are known before the first is stored."""
        self._numbers.clear()
        self._elements.clear()
        self._first = first
        for node in self.nodes:
            self._numbers[node] = self._of(node)
        values = [[self._elements[n]() for n in self._numbers[r].flat] for r in self.results]
        for node, target, registers in zip(self.results, self.targets, values, strict=True):
            self.store_batch(node, target, first, registers)

    def _new(self, elements: list[Callable[[], Value]], node: Node) -> Numbers:
        """Numbers of elements that are new."""
        first = len(self._elements)
        self._elements += elements
        return np.arange(first, len(self._elements), dtype=np.int64).reshape(self._shape(node))

    def _of(self, node: Node) -> Numbers:
        """The numbers of a node's elements."""
        kind = node.kind
        operands = [self._numbers[operand] for operand in node.operands]
        if kind is NodeKind.INPUT:
            return self._input(node)
        if kind is NodeKind.CONSTANT:
            value = constant(self.function, node.value, node.element)
            return np.full(self._shape(node), self._new_scalar(value), np.int64)
        if kind in VIEWS:
            small = copy.copy(node)
            small.shape = self._shape(node)
            return VIEWS[kind](small, *operands)
        rules = {
            NodeKind.IOTA: self._counted,
            NodeKind.ELEMENTWISE: self._computed,
            NodeKind.REDUCE: self._reduce,
            NodeKind.DOT: self._dot,
        }
        if kind not in rules:
            raise UnsupportedStage(f"{kind.value} of a batch")
        return rules[kind](node, *operands)

    def _new_scalar(self, value: Value) -> int:
        self._elements.append(lambda: value)
        return len(self._elements) - 1

    def _input(self, node: Node) -> Numbers:
        count = self._small(node)
        if self._is_batched(node):
            return self._new(self.load_batch(node, self._first, count), node)
        values: list[Callable[[], Value]] = []
        for place in range(count):
            at = self.buffers[node].address.at(place, place_type(node.element))
            value = self.load_at(at, node.element, None, has_lanes=False)
            values.append(lambda value=value: value)  # type: ignore[misc]
        return self._new(values, node)

    def _counted(self, node: Node) -> Numbers:
        if node.rule is None:
            raise UnsupportedStage("an op without a rule")
        (dimension,) = node.dimensions
        f, shape = self.function, self._shape(node)
        if dimension == 0 and self._is_batched(node):
            lanes = f.lane_numbers(I64.vector(self.lanes))
            value = node.rule(self, [self.splat(self._first) + lanes])
            return np.full(shape, self._new_scalar(value), np.int64)
        rule = node.rule
        scalars = [self._new_scalar(rule(self, [f.constant(k)])) for k in range(shape[dimension])]
        numbers: Numbers = np.array(scalars, np.int64)[np.indices(shape)[dimension]]
        return numbers

    def _computed(self, node: Node, *operands: Numbers) -> Numbers:
        if node.rule is None:
            raise UnsupportedStage("an op without a rule")
        shape, known = self._shape(node), dict[tuple[int, ...], int]()
        parts = [np.broadcast_to(part, shape).flat for part in operands]
        numbers: list[int] = []
        for key in zip(*parts, strict=True):
            if key not in known:
                values = self.alike([self._elements[number]() for number in key])
                known[key] = self._new_scalar(node.rule(self, values))
            numbers.append(known[key])
        return np.array(numbers, np.int64).reshape(shape)

    def _reduce(self, node: Node, *operands: Numbers) -> Numbers:
        """One element after the other."""
        if len(sources_of(node)) > 1:
            raise UnsupportedStage("a reduction of several tensors of a batch")
        source, start = operands
        kept = [d for d in range(source.ndim) if d not in node.dimensions]
        rows = source.transpose(*kept, *node.dimensions).reshape(-1, node.reduced)
        (first,) = (self._elements[number]() for number in start.flat)
        numbers: list[int] = []
        for row in rows:
            values = [self._elements[number]() for number in row]
            state = [first]
            for value in values:
                state = self.folded(node, state, [value])
            numbers.append(self._new_scalar(state[0]))
        return np.array(numbers, np.int64).reshape(self._shape(node))

    def _dot(self, node: Node, *operands: Numbers) -> Numbers:
        """Sums of products, one after the other."""
        sides: list[Numbers] = []
        for numbers, (batch, inner, outer) in zip(operands, node.contraction, strict=True):
            sizes = [math.prod(numbers.shape[d] for d in part) for part in (batch, outer, inner)]
            sides.append(numbers.transpose(*batch, *outer, *inner).reshape(sizes))
        lhs, rhs = sides
        results: list[int] = []
        for k, i, j in np.ndindex(lhs.shape[0], lhs.shape[1], rhs.shape[1]):
            total: Value | None = None
            for pair in zip(lhs[k, i], rhs[k, j], strict=True):
                a, b = (self._factor(node, side, number) for side, number in enumerate(pair))
                total = self._product(a, b, total)
            if total is None:
                total = constant(self.function, 0, node.element)
            results.append(self._new_scalar(total))
        return np.array(results, np.int64).reshape(self._shape(node))

    def _factor(self, node: Node, side: int, number: int) -> Value:
        value, cast = self._elements[number](), node.casts[side]
        return value if cast is None else cast(self, [value])

    def _product(self, a: Value, b: Value, total: Value | None) -> Value:
        if total is None:
            a, b = self.alike([a, b])
            return a * b
        a, b, total = self.alike([a, b, total])
        if self.target.fma and a.type.is_float:
            return self.function.fma(a, b, total)
        return total + a * b
