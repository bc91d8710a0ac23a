"""Kernels of reductions of any dimensions in one pass, and what is made of the sums.

All reductions of a stage have one shape and one choice of dimensions. Where a chunk sums up a
block only, it stores its sums, and a second kernel merges them and goes on from there.

Words of the context: addresses of the stage's inputs, then of its results, then of the sums of
blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shlo_tools.codegen.function import Function, Value
from shlo_tools.codegen.jobs import Context, Job, Place, StageCode, formula
from shlo_tools.codegen.stages.copies import numbers_of
from shlo_tools.codegen.stages.folds import sources_of
from shlo_tools.codegen.stages.nodes import (
    Extent,
    Node,
    NodeKind,
    Stage,
    UnsupportedStage,
    are_known,
)
from shlo_tools.codegen.stages.reading.elements import place_type
from shlo_tools.codegen.stages.reading.indices import (
    Component,
    Lanes,
    Linear,
    Mask,
    Scalar,
)
from shlo_tools.codegen.stages.reading.memory import Buffer
from shlo_tools.codegen.stages.reductions.places import Parts, PlacesKernel
from shlo_tools.codegen.stages.reductions.plain import Plain, plain
from shlo_tools.codegen.stages.reductions.sums import MERGED, State
from shlo_tools.codegen.stages.reductions.walks import HELD, STRIP
from shlo_tools.codegen.target import Target

_SOME = 4  # rows of a chunk that are worth lanes of their own


def lower(stage: Stage, target: Target) -> StageCode:
    """One kernel over chunks of elements, and one that merges their sums where there are blocks.

    Raises:
        UnsupportedStage: its reductions do not walk together.
    """
    own = ReductionKernel(stage.name, target, stage.arguments, stage.results)
    walk = own.walk
    code = StageCode()
    if walk.blocks != 1:
        code.temporaries = [
            formula(walk.blocks * walk.count * place_type(source.element).bytes)
            for node in own.reductions
            for source in sources_of(node)
        ]
    sums = [Place("temporary", number) for number in range(len(code.temporaries))]

    def add(
        name: str,
        chunks: Extent,
        write: Callable[[ReductionKernel], Function],
        general: Plain | None,
    ) -> None:
        inputs: Sequence[Node] = stage.arguments
        results: Sequence[Node] = stage.results
        places = stage.places
        if general is not None:
            inputs, results, places = general.inputs, general.results, general.places
        chosen = walk if general is None else general.walk
        kernel = ReductionKernel(name, target, inputs, results, chosen)
        kernel.lanes = own.lanes  # also where a kernel for any sizes cannot tell
        code.functions.append(write(kernel))
        code.functions[-1].is_general = general is not None
        words = kernel.last_words(code)
        if general is not None:
            words = numbers_of(kernel.function.words, general.sizes)
        code.contexts.append(Context((*places, *sums, *words)))
        code.jobs.append(Job(name, len(code.contexts) - 1, formula(chunks)))

    add(stage.name, walk.chunks, ReductionKernel.write, plain(stage, walk, own.lanes))
    if walk.blocks != 1:
        merged = -(-walk.count // MERGED)
        merging = plain(stage, walk, own.lanes, merges=True)
        add(f"{stage.name}.merge", merged, ReductionKernel.write_merging, merging)
    return code


class ReductionKernel(PlacesKernel):
    """Chunks of what is kept, and what lanes lie along.

    Attributes:
        sums_of_block: where sums of some rows are, until something is made of them in lanes.
        first_of_block: the first row of that.
    """

    sums_of_block: Sequence[Value] = ()
    first_of_block: Value

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
            if self._makes_more:
                self.loop(first, last, self.lanes, lambda start: self._in_block(start, last, one))
            else:
                self.loop(first, last, 1, one)
        return f

    @property
    def _makes_more(self) -> bool:
        """Whether more than some ops on integers is made of sums that come one by one."""
        computed = [node.element for node in self.above if node.kind is NodeKind.ELEMENTWISE]
        is_computed = any(element.is_float or element.is_complex for element in computed)
        walk = self.walk
        are_some = not are_known(walk.rows) or walk.rows >= _SOME
        return is_computed and are_some and walk.along == "reduced" and walk.blocks == 1

    def _in_block(self, start: Value, last: Value, one: Callable[[Value], None]) -> None:
        """Sums of as many rows as vectors have lanes; then, in lanes, what is made of them."""
        sources, end = self._sources(), self.function.minimum(start + self.lanes, last)
        rooms = [self.take_scratch(source.element, self.lanes) for source in sources]
        self.sums_of_block = [room for room in rooms if room is not None]
        self.first_of_block = start
        if len(self.sums_of_block) < len(rooms):
            raise UnsupportedStage("too many sums at once")
        self.loop(start, end, 1, one)
        lanes = Lanes(start, 1, self.level)
        mask = Mask(self.function.mask_below(end - start, self.lanes), self.level)
        here = Linear(Lanes(self.function.constant(0), 1, self.level))
        state = [
            self.load(source, Buffer(address), here, None)
            for source, address in zip(sources, self.sums_of_block, strict=True)
        ]
        self._store_results(state, lanes, mask)

    def _divided(self, value: Value, by: Extent) -> tuple[Value, Value | int]:
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
        elif walk.along == "kept" and walk.strip > HELD * self.lanes:
            if walk.is_unrolled:
                last, initial = self._end(), self._initial()
                self._each_vector(last, lambda lanes, mask: self._hold([(lanes, mask)], initial))
            else:
                self._by_strips()
        else:
            self._in_registers()

    # --- lanes along what is kept -----------------------------------------------------------------
    def _in_registers(self) -> None:
        """Some vectors of kept elements at a time, or a single element."""
        vectors: list[tuple[Component, Mask | None]] = [(0, None)]
        if self.walk.lane_group is not None:
            count = -(-self.walk.strip // self.lanes)
            vectors = [self._vector(self.start, number, count) for number in range(count)]
        self._hold(vectors, self._initial())

    def _hold(self, vectors: Sequence[tuple[Component, Mask | None]], initial: State) -> None:
        """Sums in vectors side by side, and what is made of them."""
        walk, group, width = self.walk, self.walk.lane_group, len(initial)

        def body(places: list[Parts], state: State) -> State:
            folded: State = []
            for number, (lanes, mask) in enumerate(vectors):
                part = state[number * width : (number + 1) * width]
                for parts in places:
                    here = parts if group is None else parts | {group: lanes}
                    part = self._fold(here, part, mask)
                folded += part
            return folded

        state = self._each(walk.reduced, body, initial * len(vectors), walk.unroll)
        for number, (lanes, mask) in enumerate(vectors):
            part = state[number * width : (number + 1) * width]
            self._finish(part, self._kept_place(lanes), mask)

    def _vector(self, start: Value | int, number: int, of: int) -> tuple[Lanes, Mask | None]:
        """A vector of kept elements, one of several in a chunk, and which lanes of it there are."""
        lanes = Lanes(self.function.constant(start) + number * self.lanes, 1, self.level)
        return lanes, self._below(self.walk.width, lanes, of * self.lanes)

    def _kept_place(self, lanes: Component) -> Component:
        return self.added(self.scaled(self.outer, self.walk.width), lanes)

    def _end(self) -> Value:
        """Where the strip ends."""
        last = self.function.constant(self.start) + self.walk.strip
        is_cut = self.walk.width % self.walk.strip != 0
        return self.function.minimum(last, self.walk.width) if is_cut else last

    def _each_vector(self, last: Value, body: Callable[[Lanes, Mask | None], None]) -> None:
        """Vectors in front of ``last``, of which some may have lanes behind the row's end."""
        walk, first = self.walk, self.start

        def one(base: Value) -> None:
            lanes = Lanes(base, 1, self.level)
            body(lanes, self._below(walk.width, lanes))

        is_cut = bool(walk.width % self.lanes != 0)
        if walk.is_whole:
            first = self._whole(first, last, self.lanes, is_cut)
            self._each_whole(first, body)
        if is_cut or not walk.is_whole:
            self.loop(first, last, self.lanes, one)

    def _each_whole(self, end: Value | int, body: Callable[[Lanes, Mask | None], None]) -> None:
        """Vectors in front of ``end``, with all lanes."""
        self.loop(self.start, end, self.lanes, lambda base: body(Lanes(base, 1, self.level), None))

    def _by_strips(self) -> None:
        """A row of sums in scratch memory, which rows of elements are added to."""
        walk, last, initial = self.walk, self._end(), self._initial()
        group = len(walk.groups) - 1
        sums: list[Value] = []
        sources = self._sources()
        for source in sources:
            room = walk.strip if are_known(walk.strip) else STRIP
            address = self.take_scratch(source.element, room + self.lanes)
            if address is None:
                raise UnsupportedStage("too many sums at once")
            sums.append(address)

        def near(lanes: Lanes) -> Linear:
            """Where sums of some columns are kept."""
            return Linear(Lanes(lanes.base - self.start, 1, lanes.level))

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
                here = [parts | {group: lanes} for parts in places]
                put(self._fold_several(here, lambda: get(lanes), mask), lanes)

            self._each_vector(last, one)
            return []

        self._each_whole(last, lambda lanes, _: put(initial, lanes))
        self._each(walk.reduced, rows, [], walk.unroll)
        self._each_vector(
            last, lambda lanes, mask: self._finish(get(lanes), self._kept_place(lanes), mask)
        )

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
                folded: State = []
                start = Lanes(base, 1, self.level)
                for k in range(unroll):
                    lanes = self.shifted(start, k * self.lanes)
                    part = list(state[k * width : (k + 1) * width])
                    folded += self._fold(parts | {group: lanes}, part, None)
                return folded

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
        if not self.sums_of_block or not isinstance(self.outer, Scalar):
            self._finish(scalars, self.outer, None)
            return
        place = Linear(Scalar(self.outer.value - self.first_of_block, self.outer.level))
        places = zip(self._sources(), self.sums_of_block, strict=True)
        for value, (source, address) in zip(scalars, places, strict=True):
            self._put(value, source, address, place, None)
