"""What kernels of reductions sum up: accumulators, sums of blocks, and what is made of them."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools.codegen.function import Function, Value
from shlo_tools.codegen.stages.folds import (
    Group,
    fold_of,
    groups_of,
    outcomes_of,
    sources_of,
)
from shlo_tools.codegen.stages.kernels import Kernel
from shlo_tools.codegen.stages.map_space import is_flat
from shlo_tools.codegen.stages.nodes import (
    Node,
    NodeKind,
    UnsupportedStage,
    are_known,
    below,
    is_one,
)
from shlo_tools.codegen.stages.reading.indices import (
    Component,
    Index,
    Lanes,
    Mask,
    Scalar,
    Split,
)
from shlo_tools.codegen.stages.reading.memory import Buffer
from shlo_tools.codegen.stages.reductions.walks import Walk, walk
from shlo_tools.codegen.target import Target

MERGED = 512  # results of a chunk that merges blocks

State = list[Value]


def are_independent(results: Sequence[Node]) -> bool:
    """Whether no reduction rests on another one."""
    reductions = _reductions(below(results))
    above = _above(reductions)
    return not any(source in above for node in reductions for source in sources_of(node))


def _reductions(nodes: Sequence[Node]) -> list[Node]:
    return [node for node in nodes if node.kind is NodeKind.REDUCE and node.reduced != 1]


def _above(reductions: Sequence[Node]) -> set[Node]:
    """What rests on reductions."""
    above: set[Node] = set()
    stack = list(reductions)
    while stack:
        node = stack.pop()
        if node not in above:
            above.add(node)
            stack += node.users
    return above


def _parts_of(node: Node) -> int:
    """Vectors of a value."""
    return 2 if node.element.is_complex else 1


class SumKernel(Kernel):
    """Reductions of one shape and of the same dimensions.

    Attributes:
        block: the number of a chunk's block.
    """

    block: Value | int = 0

    def __init__(
        self,
        name: str,
        target: Target,
        inputs: Sequence[Node],
        results: Sequence[Node],
        chosen: Walk | None = None,
    ) -> None:
        super().__init__(name, target, inputs, results)
        self.reductions = _reductions(self.nodes)
        if not self.reductions or not are_independent(results):
            raise UnsupportedStage("reductions of reductions")
        shapes = {
            (groups_of(source.shape, node.dimensions))
            for node in self.reductions
            for source in sources_of(node)
        }
        if len(shapes) != 1:
            raise UnsupportedStage("reductions of several shapes")
        self.above = _above(self.reductions)
        below_sums = [n for n in self.nodes if n not in self.above and n.kind is not NodeKind.INPUT]
        folds = [fold_of(node) for node in self.reductions]
        (groups,) = shapes
        self.any_order = any_order = all(fold.has_any_order for fold in folds)
        groups = self._in_lines(groups, any_order=any_order)
        size, is_reduced = groups[-1]
        if is_reduced and any_order:
            self.narrow(size)
        self.walk = chosen or walk(
            groups,
            self.lanes,
            any_order=any_order,
            length=sum(map(_parts_of, below_sums)) + sum(fold.length for fold in folds),
            sums=sum(map(_parts_of, self._sources())),
            bits=min((n.element.bits for n in self.nodes if n.kind is NodeKind.INPUT), default=32),
            masks=target.masks,
        )
        if self.walk.blocks != 1:
            self.function.first_word = self.words + len(self._sources())
        self.sizes = [size for size, _ in self.walk.groups]
        total = self.reductions[0].operands[0].count
        self.full = [n for n in self.results if n not in self.above and n.count == total]
        late = [n for n in self.results if n not in self.full]
        if any(n.count != self.walk.count for n in late) or (self.full and self._is_strided):
            raise UnsupportedStage("a result of another shape")
        # Values are read where the loops are, not by row and column.
        self.rows, self.columns = -1, 1

    @property
    def _is_strided(self) -> bool:
        return self.walk.along == "rows"

    def _in_lines(self, groups: tuple[Group, ...], *, any_order: bool) -> tuple[Group, ...]:
        """Groups of which the last one is a line, if what is read is not the same all along.

        Of a row that is repeated, say, all of one long group would be fetched lane by lane.
        """
        sources = self._sources()
        size, is_reduced = groups[-1]
        lines = {next((n for n in reversed(x.shape) if not is_one(n)), 1) for x in sources}
        if not are_known(size, *lines) or len(lines) > 1 or is_flat(sources):
            return groups
        (line,) = lines
        if line < self.lanes or size == line or size % line or (is_reduced and not any_order):
            return groups
        return (*groups[:-1], (size // line, is_reduced), (line, is_reduced))

    def _initial(self) -> State:
        scalar = self.walk.along == "nothing"
        return [v for node in self.reductions for v in self.initial(node, scalar=scalar)]

    def _below(self, count: Value | int, lanes: Lanes, step: int = 0) -> Mask | None:
        """Lanes below a number that may be no multiple of the step that vectors are taken by."""
        is_known = isinstance(count, int) or (self.walk.is_whole and not isinstance(count, Value))
        if is_known and count % (step or self.lanes) == 0:
            return None
        left = self.function.constant(count) - lanes.base
        return Mask(self.function.mask_below(left, self.lanes), lanes.level)

    def _merged(self, state: State, others: State, *, in_order: bool = False) -> State:
        """Accumulators of two parts as those of both; ``in_order`` where others lie behind."""
        merged: State = []
        for node in self.reductions:
            at = slice(len(merged), len(merged) + len(sources_of(node)))
            merged += self.folded(node, state[at], others[at], merges=not in_order)
        return merged

    def _store_full(self, node: Node, index: Split, mask: Mask | None) -> None:
        """A result that is no sum."""
        for result, target in zip(self.results, self.targets, strict=True):
            if result is node:
                self._put(self.read(node, index, mask), node, target, index, mask)

    def _finish(self, state: State, place: Component, mask: Mask | None) -> None:
        """Store what was summed up for some kept elements, or what is made of it."""
        if self.walk.blocks == 1:
            self._store_results(state, place, mask)
            return
        index = Split(Scalar(self.function.constant(self.block), 0), place, self.walk.count)
        for number, (value, source) in enumerate(zip(state, self._sources(), strict=True)):
            self._put(value, source, self._sums(number), index, mask)

    def _sums(self, number: int) -> Value:
        """Where sums of blocks lie."""
        return self.once(0, ("sums", number), lambda: self.word(self.words + number))

    def _put(self, value: Value, node: Node, start: Value, index: Index, mask: Mask | None) -> None:
        """Store elements of a node that lies from an address on."""
        address, has_lanes, _ = self._address(node, Buffer(start), index)
        if has_lanes:
            self.store(value, address, mask)
        else:
            self.store_scalar(value, address)

    def _store_results(self, state: State, place: Component, mask: Mask | None) -> None:
        """What is made of sums, at a place among the kept elements."""
        count = self.walk.count
        index = Split(0, place, count)
        for node in self.reductions:
            width = len(sources_of(node))
            part, state = self.with_start(node, state[:width]), state[width:]
            for outcome, number in outcomes_of(node).items():
                self.values[outcome, index] = part[number]
        self.rows, self.columns, self.row, self.column = 1, count, 0, place
        self.late = dict.fromkeys(self.above, self.level)
        for node, target in zip(self.results, self.targets, strict=True):
            if node not in self.full:
                self._put(self.read(node, index, mask), node, target, index, mask)
        self.rows, self.columns = -1, 1

    def _sources(self) -> list[Node]:
        """For each accumulator, what it takes in."""
        return [source for node in self.reductions for source in sources_of(node)]

    def write_merging(self) -> Function:
        """The kernel over results that merges the sums of blocks."""
        f, walk = self.function, self.walk
        start = f.arguments[1] * MERGED
        sums = [self.word(self.words + number) for number in range(len(self._sources()))]

        def one(base: Value) -> None:
            lanes = Lanes(base, 1, self.level)
            mask = self._below(walk.count, lanes)

            def block(number: Value, *state: Value) -> State:
                index = Split(Scalar(number, self.level), lanes, walk.count)
                values = [
                    self.load(source, Buffer(address), index, mask)
                    for address, source in zip(sums, self._sources(), strict=True)
                ]
                return self._merged(list(state), values)

            state = self.loop(0, walk.blocks, 1, block, self._initial())
            if walk.count == 1:
                self._store_results([self.first_lane(vector) for vector in state], 0, None)
            else:
                self._store_results(state, lanes, mask)

        self.loop(start, f.minimum(start + MERGED, walk.count), self.lanes, one)
        return f
