"""Ops on many small tensors as one loop over vectors of these.

A tensor has the batch as its first dimension; the others are of few elements, each of which is a
register whose lanes are tensors of the batch. Or each of few elements is a row: then the last
dimension belongs to the batch as well, and lanes are of one row. What only moves elements moves
their numbers and emits nothing. The last vector ends with the batch, or the row: it may compute
again what the one before did.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable

import numpy as np

from shlo_tools.codegen.function import I64, Function, Value
from shlo_tools.codegen.jobs import Context, Job, StageCode
from shlo_tools.codegen.stages.batched.memory import BatchMemory, Tensors, batch_lanes
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
    code.contexts.append(Context((*stage.places, kernel.batch, *kernel.last_words(code))))
    code.jobs.append(Job(stage.name, 0, -(-kernel.batch // kernel.chunk)))
    if kernel.line % kernel.lanes == 0:
        code.in_place = kernel.in_place()
    return code


class BatchedKernel(BatchMemory):
    """The kernel while it is written; the batch is a word of its context.

    Attributes:
        batch: the first dimension of what belongs to it.
        line: tensors beside each other: all of the batch, or those of a row.
        chunk: how much of the batch a chunk is.
    """

    own_words = 1

    def __init__(self, stage: Stage, target: Target) -> None:
        if stage.split is None:
            raise UnsupportedStage("a batch of unknown size")
        self.batch, self.inner = stage.split
        results = [self._as_batch(result) for result in stage.results]
        super().__init__(stage.name, target, stage.arguments, results)
        self.line: int = self.batch if self.inner == 1 else self.inner
        self.lanes = min(batch_lanes(self), 1 << (self.line.bit_length() - 1))
        work = self.inner * sum(self._small(n) for n in self.nodes if n.kind not in VIEWS)
        step = self.lanes if self.inner == 1 else 1
        self.chunk = max(1, _CHUNK // max(1, work) // step) * step
        self._tensors = Tensors(self.function.constant(0))
        self._numbers: dict[Node, Numbers] = {}
        self._elements: list[Callable[[], Value]] = []

    def write(self) -> Function:
        """The kernel over chunks of the batch."""
        f = self.function
        first = f.arguments[1] * self.chunk
        batch = self.word(self.words, I64)
        last, line = f.minimum(first + self.chunk, batch), batch if self.inner == 1 else self.inner

        def start(place: Value) -> Value:
            return f.minimum(place, line - self.lanes) if self.line % self.lanes else place

        def row(number: Value) -> None:
            self.loop(0, self.inner, self.lanes, lambda k: self._vector(Tensors(number, start(k))))

        if self.inner > 1:
            self.loop(first, last, 1, row)
        else:
            self.loop(first, last, self.lanes, lambda k: self._vector(Tensors(start(k))))
        return f

    def in_place(self) -> dict[int, list[int]]:
        """All of a vector is read before any is stored, and nothing of the others."""
        results = [(n.shape, place_type(n.element).bytes) for n in self.results]
        places: dict[int, list[int]] = {}
        for node in self.buffers:
            forms = [user for user in node.users if self._is_read_as(user)] or [node]
            shapes = {(n.shape, place_type(n.element).bytes) for n in forms}
            for number, result in enumerate(results):
                if shapes == {result} and self._is_batched(forms[0]):
                    places.setdefault(number, []).append(node.number)
        return places

    def _as_batch(self, result: Node) -> Node:
        """What has a result's elements in the same order, as a tensor of the batch."""
        while result.kind is NodeKind.RESHAPE and not self._is_batched(result):
            (result,) = result.operands
        return result

    def _is_read_as(self, node: Node) -> bool:
        """Whether a node is an input, as a tensor of the batch."""
        if node.kind is not NodeKind.RESHAPE or not self._is_batched(node):
            return False
        (source,) = node.operands
        return source.kind is NodeKind.INPUT and not self._is_batched(source)

    def _is_batched(self, node: Node) -> bool:
        is_first = node.shape[:1] == (self.batch,)
        return is_first and (self.inner == 1 or node.shape[1:][-1:] == (self.inner,))

    def _small(self, node: Node) -> int:
        """Elements of one tensor."""
        return math.prod(self._shape(node))

    def _shape(self, node: Node) -> tuple[int, ...]:
        """The shape of a batch of one."""
        if not self._is_batched(node):
            return node.shape
        return (1, *node.shape[1:]) if self.inner == 1 else (1, *node.shape[1:-1], 1)

    def _vector(self, tensors: Tensors) -> None:
        """A vector of tensors: all results are known before the first is stored."""
        self._numbers.clear()
        self._elements.clear()
        self._tensors = tensors
        for node in self.nodes:
            self._numbers[node] = self._of(node)
        values = [[self._elements[n]() for n in self._numbers[r].flat] for r in self.results]
        for node, target, registers in zip(self.results, self.targets, values, strict=True):
            self.store_batch(node, target, self._tensors, registers)

    def _new(self, elements: list[Callable[[], Value]], node: Node) -> Numbers:
        """Numbers of elements that are new."""
        first = len(self._elements)
        self._elements += elements
        return np.arange(first, len(self._elements), dtype=np.int64).reshape(self._shape(node))

    def _of(self, node: Node) -> Numbers:
        """The numbers of a node's elements."""
        kind = node.kind
        if kind is NodeKind.INPUT:
            return self._input(node)
        if self._is_read_as(node):
            return self._batch(node, *node.operands)
        operands = [self._numbers[operand] for operand in node.operands]
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
        if self._is_batched(node):
            return self._batch(node, node)
        if any(map(self._is_read_as, node.users)):
            return np.zeros(0, np.int64)  # nobody reads it as it is
        values: list[Callable[[], Value]] = []
        for place in range(node.count):
            at = self.buffers[node].address.at(place, place_type(node.element))
            value = self.load_at(at, node.element, None, has_lanes=False)
            values.append(lambda value=value: value)  # type: ignore[misc]
        return self._new(values, node)

    def _batch(self, node: Node, source: Node) -> Numbers:
        """The elements of a batch that lies where an input does."""
        address, tensors = self.buffers[source].address, self._tensors
        return self._new(self.load_batch(address, node, tensors, self._small(node)), node)

    def _counted(self, node: Node) -> Numbers:
        if node.rule is None:
            raise UnsupportedStage("an op without a rule")
        (dimension,) = node.dimensions
        f, shape = self.function, self._shape(node)
        if self._is_batched(node) and dimension in (0, len(node.shape) - (self.inner > 1)):
            first, in_row = self._tensors.first, self._tensors.in_row
            start = first if in_row is None or dimension == 0 else in_row
            if in_row is None or dimension:
                start = self.splat(start) + f.lane_numbers(I64.vector(self.lanes))
            new = self._new_scalar(node.rule(self, [start]))
            return np.broadcast_to(np.int64(new), shape)
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
