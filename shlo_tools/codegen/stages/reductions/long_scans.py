"""Kernels of scans along few long rows, which threads take in parts.

What lies before a part is the totals of all parts before it, folded in their order. Parts are of
one length whatever threads there are, and so are the bits of results. A chunk scans a part. It
looks back for the last part that is scanned; of those behind that one, it sums up what nobody has
summed up yet. A thread that goes from part to part finds the one before scanned, and reads each
element once. One that begins somewhere in a row first sums up what lies before: others do the
same with theirs, so that all totals are there when each has read its own. Nobody waits for anybody:
two threads may sum up the same part, and write the same bits.

Words of the context: addresses of the stage's inputs, then of its results, then of the parts'
states, behind which lies what is known of them.
"""

from __future__ import annotations

from shlo_tools.codegen.function import I64, Function, Value
from shlo_tools.codegen.jobs import Context, Job, Place, StageCode
from shlo_tools.codegen.library import copying
from shlo_tools.codegen.stages.nodes import Node, Stage
from shlo_tools.codegen.stages.reading.elements import place_type
from shlo_tools.codegen.stages.reading.indices import Lanes, Linear, Scalar
from shlo_tools.codegen.stages.reading.memory import Buffer
from shlo_tools.codegen.stages.reductions.scans import Scan, ScanKernel
from shlo_tools.codegen.target import Target

_LONG = 128 * 1024  # elements of a row that is worth parts
_PART = 16 * 1024  # elements
_PARTS = 256  # of a row, at most
_ENOUGH = 8  # rows that keep threads busy

# States of a part.
_SUMMED = 1  # its total is known
_SCANNED = 2  # what lies before it is known as well, or what lies before the next one


def is_long(node: Node, scan: Scan) -> bool:
    """Whether rows are long and few, and their elements may be regrouped."""
    length = node.shape[scan.dimension]
    is_last = node.shape[scan.dimension + 1 :].count(1) == len(node.shape) - scan.dimension - 1
    return is_last and not scan.in_order and length >= _LONG and node.count // length < _ENOUGH


def lower(stage: Stage, target: Target, node: Node, scan: Scan) -> StageCode:
    """A kernel over parts of rows, whose states are cleared first."""
    kernel = LongScanKernel(stage, target, node, scan)
    code = StageCode([kernel.write()])
    where = Place("temporary", 0)
    cleared = Context((0,) * (kernel.chunks + 1))
    code.contexts = [Context((*stage.places, where)), cleared]
    code.temporaries = [kernel.room]
    copying.add(code, Place("context", 1), where, 8 * len(cleared.words))
    code.jobs.append(Job(stage.name, 0, kernel.chunks))
    return code


class LongScanKernel(ScanKernel):
    """Scans along rows of several chunks.

    Attributes:
        room: bytes for what is known of all parts.
        has_ends: whether what was scanned last is all that lies before the next part: integers may
            be added in any order. Of other parts what lies before them is kept, and their total.
    """

    own_words = 1

    def __init__(self, stage: Stage, target: Target, node: Node, scan: Scan) -> None:
        super().__init__(stage, target, node, scan)
        self.has_ends = not (node.element.is_float or node.element.is_complex)
        self.part = max(_PART, -(-self.length // _PARTS // _PART) * _PART)
        self.parts = -(-self.whole // self.part)
        self.chunks = self.outer * self.parts
        states = 8 * (self.chunks + 1)
        befores = self.chunks * place_type(node.element).bytes
        self.room = states + befores * (1 + self.lanes)
        self.states = self.word(self.words)
        # What lies before parts, or behind them, and totals, in lanes that are not summed up yet.
        self.befores = Buffer(self.states.at(states))
        self.totals = Buffer(self.states.at(states + befores))

    def write(self) -> Function:
        """The kernel over parts."""
        f = self.function
        number = f.arguments[1]
        row = number // self.parts
        first = row * self.parts
        unknown = self._look_back(number, row, first)
        known = f.maximum(unknown - 1, first)
        start = self.first_lane(self.start)
        before = self.load(self.node, self.befores, self._one(known), None)
        before = self.select(unknown == first, start, before)
        known = unknown if self.has_ends else known

        def take(part: Value, before: Value) -> list[Value]:
            total = self.load(self.node, self.totals, self._lanes(part), None)
            return [self._combined(before, *self.across_lanes(self.node, [total]))]

        (before,) = self.loop(known, number, 1, take, [before])
        self._scan(number, row, before)
        return f

    def _state(self, number: Value) -> Value:
        """Where the state of a part lies; in front of the first one there is another word."""
        return self.states.at(number + 1, I64)

    def _one(self, number: Value) -> Linear:
        return Linear(Scalar(number, self.level))

    def _lanes(self, number: Value) -> Linear:
        return Linear(Lanes(number * self.lanes, 1, self.level))

    def _look_back(self, number: Value, row: Value, first: Value) -> Value:
        """The part behind the last one that is scanned; from it on there are all totals."""
        f = self.function

        def before(part: Value) -> list[Value]:
            """The part, and one state of the one before it: others go on meanwhile."""
            return [part, f.load_atomic(self._state(part - 1))]

        def is_open(part: Value, state: Value) -> Value:
            return (part > first) & (state != _SCANNED)

        def look(part: Value, state: Value) -> list[Value]:
            f.if_(state == 0, lambda: self._sum_up(part - 1, row))
            return before(part - 1)

        unknown, _ = f.while_(is_open, look, before(number))
        self.forget(0)  # what was computed there is not there in any case
        return unknown

    def _steps(self, number: Value, row: Value) -> tuple[Value, Value]:
        """The elements of a part, in the order of the scan."""
        f = self.function
        start = (number - row * self.parts) * self.part
        end = start + self.part
        return start, end if self.whole % self.part == 0 else f.minimum(end, self.whole)

    def _sum_up(self, number: Value, row: Value) -> None:
        """Have the total of a part."""

        def one(step: Value, total: Value) -> list[Value]:
            value, _, _ = self._elements(Scalar(row, 0), step)
            return self.folded(self.node, [total], [value])

        steps = self._steps(number, row)
        totals = self.loop(*steps, self.lanes, one, self.initial(self.node))
        self._note(number, totals, _SUMMED)

    def _scan(self, number: Value, row: Value, before: Value) -> None:
        """Scan a part, and have its total beside, in the same order as alone."""

        def one(step: Value, before: Value, *totals: Value) -> list[Value]:
            value, index, mask = self._elements(Scalar(row, 0), step)
            sums = [self.folded(self.node, [total], [value])[0] for total in totals]
            return [self._vector(value, index, mask, before), *sums]

        carry = [self.splat(before), *([] if self.has_ends else self.initial(self.node))]
        last, *totals = self.loop(*self._steps(number, row), self.lanes, one, carry)
        address, _, _ = self._address(self.node, self.befores, self._one(number))
        self.store_scalar(self.first_lane(last) if self.has_ends else before, address)
        self._note(number, totals, _SCANNED)

    def _note(self, number: Value, totals: list[Value], state: int) -> None:
        """Let others know the total of a part, if it is known, and that something is."""
        address, _, _ = self._address(self.node, self.totals, self._lanes(number))
        for total in totals:
            self.store(total, address, None)
        self.function.store_atomic(state, self._state(number))
