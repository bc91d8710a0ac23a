"""Kernels of stages: functions ``(context, chunk, scratch)`` whose loops read nodes and store them.

Words of the context: addresses of the stage's inputs, then of its results, then what a kernel of
a contraction needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from shlo_tools.codegen.function import POINTER, Function, Type, Value
from shlo_tools.codegen.jobs import Place, StageCode, Word, formula
from shlo_tools.codegen.library.pool import JOB, SCRATCH_BYTES
from shlo_tools.codegen.stages.folds import fold_of, is_neutral, sources_of, starts_of
from shlo_tools.codegen.stages.nodes import (
    Extent,
    Node,
    are_known,
    below,
)
from shlo_tools.codegen.stages.reading.elements import Parts, constant, place_type
from shlo_tools.codegen.stages.reading.memory import Buffer
from shlo_tools.codegen.stages.reading.reader import Reader
from shlo_tools.codegen.target import Target
from shlo_tools.dtypes import ElementType, Kind

_NARROWEST = 4  # lanes


def lanes_for(target: Target, nodes: Sequence[Node]) -> int:
    """Two registers of 32-bit elements, or two of 64-bit ones where there are any.

    Four of 32 bits where elements have fewer: with a rounding behind each, ops of bf16 are chains
    of instructions that a processor only fills with others beside them.
    """
    widest = max((node.element.bits for node in nodes), default=32)
    if widest <= 16:
        return 4 * target.lanes(32)
    return 2 * target.lanes(64 if widest >= 64 else 32)


class Kernel(Reader):
    """One kernel while it is written.

    Attributes:
        own_words: of the context, between where results lie and sizes.
        rooms: bytes of temporaries, where run time tells how many.
    """

    own_words = 0

    def __init__(
        self, name: str, target: Target, inputs: Sequence[Node], results: Sequence[Node]
    ) -> None:
        self.nodes = below(results)
        super().__init__(Function(name, JOB), lanes_for(target, self.nodes))
        self.target = target
        self.results = list(results)
        self.late, self.values = {}, {}
        self.words = len(inputs) + len(results)
        f = self.function
        f.first_word = self.words + self.own_words
        self.rooms: list[Extent] = []
        self.buffers = {
            node: Buffer(self.word(place))
            for place, node in enumerate(inputs)
            if node.users or node in results
        }
        self.targets = [self.word(len(inputs) + k) for k in range(len(results))]
        self.scratch, self.scratch_used = f.arguments[2], 0

    def narrow(self, columns: Extent) -> None:
        """Have vectors no longer than so many elements need: the others' lanes would be idle."""
        if are_known(columns) and columns < self.lanes:
            self.lanes = max(_NARROWEST, 1 << (columns - 1).bit_length())

    def last_words(self, code: StageCode) -> tuple[Word, ...]:
        """The last words of the context: sizes, and room, which is added to the stage's code."""
        first = len(code.temporaries)
        code.temporaries += map(formula, self.rooms)
        return tuple(
            Place("temporary", first + key) if isinstance(key, int) else formula(key)
            for key in self.function.words
        )

    def word(self, place: int, type: Type = POINTER) -> Value:
        """A word of the context."""
        f = self.function
        return f.load(f.arguments[0].at(8 * place), type)

    # --- parts that loops are made of -------------------------------------------------------------
    def take_scratch(self, element: ElementType, count: int) -> Value | None:
        """Room in the thread's scratch memory, if there is any left."""
        size = -(-count * place_type(element).bytes // 64) * 64
        if self.scratch_used + size > SCRATCH_BYTES:
            return None
        address = self.scratch.at(self.scratch_used)
        self.scratch_used += size
        return address

    def folded(
        self, node: Node, state: Sequence[Value], values: Sequence[Value], *, merges: bool = False
    ) -> list[Value]:
        """One step of a reduction; ``merges`` where the values do not follow what was folded."""
        fold = fold_of(node)
        operands = self.alike([*state, *values])
        state, values = operands[: len(state)], operands[len(state) :]
        folded = (fold.merge if merges else fold.apply)(self, state, values)
        return [
            self.splat(m) if s.type.lanes and not m.type.lanes else m
            for m, s in zip(folded, state, strict=True)
        ]

    def initial(self, node: Node, *, scalar: bool = False) -> list[Value]:
        """Accumulators that have seen nothing, or what the reduction starts from alone."""
        neutral = fold_of(node).neutral
        if neutral is not None:
            lanes = 0 if scalar else self.lanes
            return [constant(self.function, neutral, node.element, lanes)]
        starts = [self.read(start, (), None) for start in starts_of(node)]
        return starts if scalar else [self.splat(start) for start in starts]

    def with_start(self, node: Node, state: Sequence[Value]) -> list[Value]:
        """Accumulators, and what the reduction starts from where that is not in them yet."""
        fold, (start, *_) = fold_of(node), starts_of(node)
        if fold.neutral is None or is_neutral(start, fold):
            return list(state)
        return self.folded(node, self.alike([self.read(start, (), None), *state])[:1], state)

    def across_lanes(self, node: Node, state: Sequence[Value]) -> list[Value]:
        """A reduction of the lanes of vectors to scalars, by halves: always in the same order."""
        fold = fold_of(node)
        if fold.extreme is None:
            return self._by_halves(state, partial(fold.merge, self))
        values, numbers = state
        better = fold.extreme.better
        (best,) = self._by_halves([values], lambda low, high: better(self, [*low, *high]))
        (has_best,) = fold.extreme.alike(self, [values, self.splat(best)])
        kind, most = "umin", -1
        if sources_of(node)[1].element.kind is Kind.SIGNED:
            kind, most = "smin", (1 << (numbers.type.bits - 1)) - 1
        others = self.function.constant(most, numbers.type)
        return [best, self.function.reduce(kind, self.select(has_best, numbers, others))]

    def _by_halves(
        self, state: Sequence[Value], merge: Callable[[list[Value], list[Value]], list[Value]]
    ) -> list[Value]:
        width = self.lanes
        while width > 1:
            width //= 2
            low = [self.lanes_of(v, v, range(width)) for v in state]
            high = [self.lanes_of(v, v, range(width, 2 * width)) for v in state]
            state = merge(low, high)
        return [self.first_lane(vector) for vector in state]

    def first_lane(self, vector: Value) -> Value:
        if isinstance(vector, Parts):
            return Parts(self.first_lane(vector.real), self.first_lane(vector.imag))
        return self.function.extract(vector, 0)

    def lanes_of(self, a: Value, b: Value, lanes: Sequence[int]) -> Value:
        """Lanes of two vectors, counted through both."""
        if isinstance(a, Parts) and isinstance(b, Parts):
            return Parts(self.lanes_of(a.real, b.real, lanes), self.lanes_of(a.imag, b.imag, lanes))
        return self.function.shuffle(a, b, lanes)
