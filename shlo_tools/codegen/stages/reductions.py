"""Kernels of reductions of any dimensions in one pass, and what is made of the sums.

All reductions of a stage have one shape and one choice of dimensions. Where a chunk sums up a
block only, it stores its sums, and a second kernel merges them and goes on from there.

Words of the context: addresses of the stage's inputs, then of its results, then of the sums of
blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shlo_tools.codegen.function import Function, Value
from shlo_tools.codegen.jobs import Context, Job, Place, StageCode
from shlo_tools.codegen.stages.elements import place_type
from shlo_tools.codegen.stages.folds import (
    fold_of,
    groups_of,
    outcomes_of,
    sources_of,
)
from shlo_tools.codegen.stages.indices import (
    Component,
    Index,
    Lanes,
    Linear,
    Mask,
    Scalar,
    Split,
    level_of,
)
from shlo_tools.codegen.stages.kernels import Kernel
from shlo_tools.codegen.stages.nodes import (
    Node,
    NodeKind,
    Stage,
    UnsupportedStage,
    below,
)
from shlo_tools.codegen.stages.memory import Buffer
from shlo_tools.codegen.stages.walks import walk
from shlo_tools.codegen.target import Target

_SHORT = 4  # vectors of sums that are held in registers
_MERGED = 512  # results of a chunk that merges blocks

State = list[Value]
Parts = dict[int, Component]  # where loops are, for each group of dimensions
Body = Callable[[list[Parts], State], State]


def lower(stage: Stage, target: Target) -> StageCode:
    """One kernel over chunks of elements, and one that merges their sums where there are blocks.

    Raises:
        UnsupportedStage: its reductions do not walk together.
    """
    kernel = ReductionKernel(stage.name, target, stage.arguments, stage.results)
    code = StageCode([kernel.write()], [Job(stage.name, 0, kernel.walk.chunks)])
    if kernel.walk.blocks > 1:
        code.temporaries = [
            kernel.walk.blocks * kernel.walk.count * place_type(source.element).bytes
            for node in kernel.reductions
            for source in sources_of(node)
        ]
        name = f"{stage.name}.merge"
        merge = ReductionKernel(name, target, stage.arguments, stage.results)
        code.functions.append(merge.write_merging())
        code.jobs.append(Job(name, 0, -(-kernel.walk.count // _MERGED)))
    sums = [Place("temporary", number) for number in range(len(code.temporaries))]
    code.contexts.append(Context((*stage.places, *sums)))
    return code


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


class ReductionKernel(Kernel):
    """Reductions of one shape and of the same dimensions."""

    def __init__(
        self, name: str, target: Target, inputs: Sequence[Node], results: Sequence[Node]
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
        self.walk = walk(
            shapes.pop(),
            self.lanes,
            any_order=all(fold.has_any_order for fold in folds),
            length=len(below_sums) + sum(fold.length for fold in folds),
        )
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

    def _initial(self) -> State:
        scalar = self.walk.along == "nothing"
        return [v for node in self.reductions for v in self.initial(node, scalar=scalar)]

    # --- chunks -----------------------------------------------------------------------------------
    def write(self) -> Function:
        """The kernel over chunks of elements."""
        f, walk = self.function, self.walk
        chunk, self.block = self._divided(f.arguments[1], walk.blocks)
        rows, strip = self._divided(chunk, walk.strips)
        self.start, first = strip * walk.strip, rows * walk.rows

        def one(row: Value) -> None:
            self._one(Scalar(row, self.level))

        if walk.outer == 1:
            self._one(0)
        else:
            last = f.minimum(f.constant(first) + walk.rows, walk.outer)
            self.loop(first, last, 1, one)
        return f

    def _divided(self, value: Value, by: int) -> tuple[Value, Value | int]:
        """Quotient and rest."""
        if by == 1:
            return value, 0
        quotient = value // by
        return quotient, value - quotient * by

    def _one(self, outer: Component) -> None:
        """One place among the kept elements, with all that lanes lie along."""
        walk = self.walk
        self.outer = outer
        self.parts: Parts = dict.fromkeys(range(len(walk.groups)), 0)
        place = outer
        for g in reversed(walk.kept[1:]):
            place, self.parts[g] = self.divided(place, self.sizes[g])
        if walk.kept:
            self.parts[walk.kept[0]] = place
        if walk.along == "reduced":
            self._across()
        elif walk.along == "kept" and walk.strip > _SHORT * self.lanes:
            self._by_strips()
        else:
            self._in_registers()

    def _range(self, group: int) -> tuple[Value | int, Value | int]:
        """The elements of a reduced group that a chunk folds."""
        size, block = self.sizes[group], self.walk.block
        if group != self.walk.blocked or self.walk.blocks == 1:
            return 0, size
        first = self.function.constant(self.block) * block
        last = first + block
        return first, last if size % block == 0 else self.function.minimum(last, size)

    # --- loops over what is reduced ---------------------------------------------------------------
    def _each(
        self,
        groups: Sequence[int],
        body: Body,
        state: State,
        unroll: int,
        parts: Parts | None = None,
    ) -> State:
        """Loops over groups; the last one gives several places at a time, and then the rest."""
        parts = self.parts if parts is None else parts
        if not groups:
            return body([parts], state)
        group, *inner = groups
        first, last = self._range(group)
        wanted, unroll = unroll, 1 if inner else unroll

        def steps(several: int) -> Callable[..., State]:
            def one(place: Value, *state: Value) -> State:
                here = Scalar(place, self.level)
                places = [parts | {group: self.shifted(here, k)} for k in range(several)]
                if inner:
                    return self._each(inner, body, list(state), wanted, places[0])
                return body(places, list(state))

            return one

        whole = self._whole(first, last, unroll, self._is_cut(group, unroll))
        if unroll > 1:
            state = self.loop(first, whole, unroll, steps(unroll), state)
            first = whole
        if unroll == 1 or self._is_cut(group, unroll):
            state = self.loop(first, last, 1, steps(1), state)
        return state

    def _is_cut(self, group: int, unroll: int) -> bool:
        """Whether a range of a group may be no multiple."""
        return self.sizes[group] % unroll != 0

    def _whole(self, first: Value | int, last: Value | int, step: int, is_cut: bool) -> Value | int:
        """Where the last whole step of a range ends."""
        if not is_cut or step == 1:
            return last
        if isinstance(first, int) and isinstance(last, int):
            return first + (last - first) // step * step
        count = last - first
        return first + self.function.constant(count) // step * step

    def _index(self, parts: Parts) -> Split:
        """Where the reduced tensors are read."""
        row: Component = 0
        for g, size in enumerate(self.sizes[:-1]):
            before, row = row, self.added(self.scaled(row, size), parts[g])
            if not isinstance(row, int):
                self._note_division(row, size, before, parts[g])
        return Split(row, parts[len(self.sizes) - 1], self.sizes[-1])

    def _note_division(self, place: Component, by: int, row: Component, rest: Component) -> None:
        """A place is known to be ``row * by + rest``: nobody has to divide it."""
        if by > 1:
            self.once(level_of(place), ("divide", place, by), lambda: (row, rest))

    def _fold(self, parts: Parts, state: State, mask: Mask | None) -> State:
        """Take the elements at a place into accumulators."""
        index = self._index(parts)
        for node in self.full:
            self._store_full(node, index, mask)
        made: State = []
        for node in self.reductions:
            sources = sources_of(node)
            values = [self.read(source, index, mask) for source in sources]
            made += self.folded(node, state[len(made) : len(made) + len(sources)], values)
        return made

    def _store_full(self, node: Node, index: Split, mask: Mask | None) -> None:
        """A result that is no sum."""
        for result, target in zip(self.results, self.targets, strict=True):
            if result is node:
                self._put(self.read(node, index, mask), node, target, index, mask)

    # --- lanes along what is kept -----------------------------------------------------------------
    def _in_registers(self) -> None:
        """Some vectors of kept elements at a time, or a single element."""
        walk, group, initial = self.walk, self.walk.lane_group, self._initial()
        vectors: list[tuple[Component, Mask | None]] = [(0, None)]
        if group is not None:
            count = -(-walk.strip // self.lanes)
            vectors = [self._vector(self.start, number) for number in range(count)]
        width = len(initial)

        def body(places: list[Parts], state: State) -> State:
            made: State = []
            for number, (lanes, mask) in enumerate(vectors):
                part = state[number * width : (number + 1) * width]
                for parts in places:
                    here = parts if group is None else parts | {group: lanes}
                    part = self._fold(here, part, mask)
                made += part
            return made

        state = self._each(walk.reduced, body, initial * len(vectors), walk.unroll)
        for number, (lanes, mask) in enumerate(vectors):
            part = state[number * width : (number + 1) * width]
            self._finish(part, self._kept_place(lanes), mask)

    def _vector(self, start: Value | int, number: int) -> tuple[Lanes, Mask | None]:
        """A vector of kept elements, and which lanes of it there are."""
        lanes = Lanes(self.function.constant(start) + number * self.lanes, 1, self.level)
        return lanes, self._below(self.walk.width, lanes)

    def _below(self, count: Value | int, lanes: Lanes) -> Mask | None:
        """Lanes below a number that may be no multiple of theirs."""
        if isinstance(count, int) and count % self.lanes == 0:
            return None
        left = self.function.constant(count) - lanes.base
        return Mask(self.function.mask_below(left, self.lanes), lanes.level)

    def _kept_place(self, lanes: Component) -> Component:
        return self.added(self.scaled(self.outer, self.walk.width), lanes)

    def _by_strips(self) -> None:
        """A row of sums in scratch memory, which rows of elements are added to."""
        f, walk = self.function, self.walk
        group = len(walk.groups) - 1
        last = self.function.constant(self.start) + walk.strip
        if walk.width % walk.strip:
            last = f.minimum(last, walk.width)
        elements = [source.element for source in self._sources()]
        sums: list[Value] = []
        for element in elements:
            address = self.take_scratch(element, walk.strip + self.lanes)
            if address is None:
                raise UnsupportedStage("too many sums at once")
            sums.append(address)
        sources = self._sources()

        def near(lanes: Lanes) -> Linear:
            """Where sums of some columns are kept."""
            return Linear(Lanes(lanes.base - self.start, 1, lanes.level))

        def each_vector(body: Callable[[Lanes, Mask | None], None]) -> None:
            def one(base: Value) -> None:
                lanes = Lanes(base, 1, self.level)
                body(lanes, self._below(walk.width, lanes))

            self.loop(self.start, last, self.lanes, one)

        def put(state: State, lanes: Lanes) -> None:
            for source, address, value in zip(sources, sums, state, strict=True):
                self._put(value, source, address, near(lanes), None)

        def get(lanes: Lanes) -> State:
            where = near(lanes)
            return [
                self.load(source, Buffer(address), where, None)
                for source, address in zip(sources, sums, strict=True)
            ]

        def rows(places: list[Parts], _: State) -> State:
            def one(lanes: Lanes, mask: Mask | None) -> None:
                state = get(lanes)
                for parts in places:
                    state = self._fold(parts | {group: lanes}, state, mask)
                put(state, lanes)

            each_vector(one)
            return []

        initial = self._initial()
        each_vector(lambda lanes, _: put(initial, lanes))
        self._each(walk.reduced, rows, [], walk.unroll)
        each_vector(lambda lanes, mask: self._finish(get(lanes), self._kept_place(lanes), mask))

    # --- lanes along what is reduced --------------------------------------------------------------
    def _across(self) -> None:
        """Vectors along the last group, several sums side by side; then their lanes."""
        walk, group = self.walk, len(self.sizes) - 1
        initial = self._initial()
        width, unroll = len(initial), walk.unroll
        step = unroll * self.lanes

        def pass_(places: list[Parts], state: State) -> State:
            (parts,) = places
            first, last = self._range(group)

            def several(base: Value, *state: Value) -> State:
                made: State = []
                start = Lanes(base, 1, self.level)
                for k in range(unroll):
                    lanes = self.shifted(start, k * self.lanes)
                    part = list(state[k * width : (k + 1) * width])
                    made += self._fold(parts | {group: lanes}, part, None)
                return made

            def rest(base: Value, *state: Value) -> State:
                lanes = Lanes(base, 1, self.level)
                mask = self._below(last, lanes) if self._is_cut(group, self.lanes) else None
                old = list(state[:width])
                new = self._fold(parts | {group: lanes}, old, mask)
                if mask is not None:
                    new = [self.select(mask.value, n, o) for n, o in zip(new, old, strict=True)]
                return [*new, *state[width:]]

            is_cut = self._is_cut(group, step)
            if unroll > 1:
                whole = self._whole(first, last, step, is_cut)
                state = self.loop(first, whole, step, several, state)
                first = whole
            if unroll == 1 or is_cut:
                state = self.loop(first, last, self.lanes, rest, state)
            return state

        state = self._each(walk.reduced, pass_, initial * unroll, 1)
        parts = [state[k * width : (k + 1) * width] for k in range(unroll)]
        total = parts[0]
        for part in parts[1:]:
            total = self._merged(total, part)
        scalars: State = []
        for node in self.reductions:
            count = len(sources_of(node))
            scalars += self.across_lanes(node, total[len(scalars) : len(scalars) + count])
        self._finish(scalars, self.outer, None)

    def _merged(self, state: State, others: State) -> State:
        """Accumulators of two parts as those of both."""
        made: State = []
        for node in self.reductions:
            at = slice(len(made), len(made) + len(sources_of(node)))
            made += self.folded(node, state[at], others[at], merges=True)
        return made

    # --- sums -------------------------------------------------------------------------------------
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
        start = f.arguments[1] * _MERGED
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
            self._store_results(state, lanes, mask)

        self.loop(start, f.minimum(start + _MERGED, walk.count), self.lanes, one)
        return f
