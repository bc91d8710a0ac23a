"""Ops on tensors of some dozen elements as one straight line of instructions, loops and branches.

Values are scalars and vectors (``registers``). An element is known by its number: the register, or
the place in memory, that it comes from, and where it lies there. What only moves elements
(slices, transpositions, concatenations, ...) moves their numbers and emits nothing; who computes
with them picks them.

The kernel is an entry point ``(frame, context)``; the context's words are the addresses of the
stage's arguments, then of its results. All tiny ones are read before the first result is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from shlo_tools.codegen.function import I64, POINTER, Function, Value
from shlo_tools.codegen.jobs import ENTRY_POINT, Context, Job, StageCode
from shlo_tools.codegen.library import pool
from shlo_tools.codegen.stages import updates
from shlo_tools.codegen.stages.folds import outcomes_of
from shlo_tools.codegen.stages.nodes import (
    CONTROL,
    Node,
    NodeKind,
    Regions,
    Rule,
    Stage,
    UnsupportedStage,
    below,
)
from shlo_tools.codegen.stages.reading.elements import flattened, joined, place_type
from shlo_tools.codegen.stages.tiny.grouping import grouped
from shlo_tools.codegen.stages.tiny.numbering import VIEWS, Numbers, moved, number_of
from shlo_tools.codegen.stages.tiny.picking import LARGEST
from shlo_tools.codegen.stages.tiny.places import TinyPlaces
from shlo_tools.codegen.stages.tiny.registers import LEAST, lanes_of
from shlo_tools.codegen.target import Target

_OVER = 8  # arguments that a result may lie over: of thousands, nobody needs to look at all


def lower(stage: Stage, target: Target) -> StageCode:
    """A stage of tiny tensors; large ones that its loops write row by row are filled before."""
    code = StageCode()
    by_size: dict[int, list[int]] = {}
    for number, node in enumerate(stage.arguments):
        by_size.setdefault(node.count * place_type(node.element).bytes, []).append(number)
    for number, result in enumerate(stage.results):
        if result.count > LARGEST:
            (loop,) = result.operands
            updates.fill(code, stage, target, loop.operands[result.number], number)
        else:
            size = result.count * place_type(result.element).bytes
            alike = by_size.get(size, [])
            some = range(number, number + min(len(alike), _OVER))
            code.in_place[number] = [alike[k % len(alike)] for k in some]
    function = TinyKernel(stage, target).write()
    code.functions.append(function)
    code.contexts.append(Context(stage.places))
    code.jobs.append(Job(function.name, len(code.contexts) - 1, ENTRY_POINT))
    return code


class TinyKernel(TinyPlaces):
    """The kernel while it is written."""

    def __init__(self, stage: Stage, target: Target) -> None:
        function = Function(stage.name, [POINTER, POINTER])
        super().__init__(function, target, function.arguments[0])
        self.stage, self.context = stage, function.arguments[1]

    def write(self) -> Function:
        """The whole function."""
        stage = self.stage
        for number, node in enumerate(stage.arguments):
            if node.users or node in stage.results:
                self.lies_at(node, self._place(number))
        results = list(enumerate(stage.results, len(stage.arguments)))
        for number, node in results:
            if node.count > LARGEST:
                self.lies_at(node, self._place(number))
        self._emit_below(stage.results)
        tiny = [(number, node) for number, node in results if 0 < node.count <= LARGEST]
        values = [self.value(node) for _, node in tiny]
        for value, (number, node) in zip(values, tiny, strict=True):
            self.store_run(value, self._place(number), node.count)
        return self.function

    def _place(self, number: int) -> Value:
        """The address of an argument or a result."""
        return self.fetch(self.context.at(8 * number), POINTER)

    # --- nodes ------------------------------------------------------------------------------------
    def _emit_below(self, results: Sequence[Node]) -> None:
        """Everything that nodes rest on, but for what is there."""
        nodes = [node for node in below(results, self.numbers) if node not in self.numbers]
        for group in grouped(nodes):
            if len(group) > 1:
                self._emit_together(group)
            elif group[0] not in self.numbers:
                self._emit(group[0])

    def _emit(self, node: Node) -> None:
        kind = node.kind
        if kind in CONTROL:
            self._control(node)
        elif kind is NodeKind.DYNAMIC_UPDATE_SLICE and node.count > LARGEST:
            self.write_slice(node)
        elif kind is NodeKind.RESULT or node.count > LARGEST:
            pass  # noted with the op; read where it is cut
        elif node.count == 0:
            self.numbers[node] = np.zeros(node.shape, np.int64)
        elif kind is NodeKind.REDUCE:
            results = self.reduce(node)
            self.numbers |= {n: results[number] for n, number in outcomes_of(node).items()}
        elif kind in VIEWS:
            self.numbers[node] = self._view(node)
        elif kind in _RULES:
            self.numbers[node] = _RULES[kind](self, node)
        else:
            raise UnsupportedStage(f"{kind.value} of tiny tensors")

    def _view(self, node: Node) -> Numbers:
        if node.operands[0].count <= LARGEST:
            return VIEWS[node.kind](node, *map(self.of, node.operands))
        places, shape = np.arange(node.count), node.shape
        while (source := self.known(("large", node))) is None:
            places, node = moved(node, places), node.operands[0]
        return number_of(source, places).reshape(shape)

    def _constant(self, node: Node) -> Numbers:
        return self.numbered(self.number(node.value, node.element), node.shape, node.element)

    def _iota(self, node: Node) -> Numbers:
        (dimension,) = node.dimensions
        places = np.indices(node.shape)[dimension].ravel().tolist()
        lanes = lanes_of(node.count)
        places += [0] * (lanes - len(places))
        numbers = self.function.constant(places if lanes else places[0], I64.vector(lanes))
        return self.numbered(_rule(node)(self, [numbers]), node.shape, node.element)

    def _elementwise(self, node: Node) -> Numbers:
        parts, calls = [self.of(operand) for operand in node.operands], self.calls
        value = _rule(node)(self, self.alike(self.pick_alike(parts)))
        numbers = self.numbered(value, node.shape, node.element)
        if value.type.lanes == LEAST and self.calls == calls:
            self.note_origin(numbers, _rule(node), parts)
        return numbers

    def _emit_together(self, nodes: Sequence[Node]) -> None:
        """Compute elements of several nodes of one rule as one vector."""
        operands = zip(*(node.operands for node in nodes), strict=True)
        parts = [np.concatenate([self.of(node).ravel() for node in alike]) for alike in operands]
        value = _rule(nodes[0])(self, self.alike(self.pick_alike(parts)))
        numbers = self.numbered(value, parts[0].shape, nodes[0].element)
        ends = np.cumsum([node.count for node in nodes])
        for node, own in zip(nodes, np.split(numbers, ends[:-1]), strict=True):
            self.numbers[node] = own.reshape(node.shape)

    # --- control flow -----------------------------------------------------------------------------
    def _control(self, node: Node) -> None:
        regions: Regions = node.attributes
        for operand in node.operands:
            if operand in self.numbers and operand.count:
                self.value(operand)  # in front of all regions
        run = self._while if node.kind is NodeKind.WHILE else self._branches
        outcomes = {n.number: n for n in node.users if n.kind is NodeKind.RESULT}
        for number, result in run(node, regions, outcomes).items():
            if number in outcomes:
                self.numbers[outcomes[number]] = result

    def _region(
        self, parameters: Sequence[Node], values: Sequence[Value], results: Sequence[Node]
    ) -> list[Value]:
        """Emit a region; its results, but for those that lie in memory."""
        self.enter()
        for parameter, value in zip(parameters, values, strict=True):
            self.numbers[parameter] = self.numbered(value, parameter.shape, parameter.element)
        self._emit_below(results)
        returned = [self.value(result) for result in results if result.count <= LARGEST]
        self.leave()
        return returned

    def _while(
        self, node: Node, regions: Regions, outcomes: Mapping[int, Node]
    ) -> dict[int, Numbers]:
        """What changes is carried in registers; each iteration asks whether to go on at all.

        Large tensors lie in memory, those that change where the result does.
        """
        f, operands = self.function, node.operands
        (before, inside), ((condition,), results) = regions.parameters, regions.results
        ends: dict[int, Numbers] = {}
        carried: list[int] = []
        for k, states in enumerate(zip(before, inside, strict=True)):
            is_changed = results[k] is not inside[k]
            if inside[k].count > LARGEST:
                source = self.large(outcomes[k] if is_changed else operands[k])
                for state in (*states, *([outcomes[k]] if k in outcomes else ())):
                    self.note(("large", state), source)
            elif is_changed:
                carried.append(k)
            else:
                ends[k] = self.of(operands[k])
                self.numbers |= dict.fromkeys(states, ends[k])
        starts = [self.value(operands[k]) for k in carried]

        def goes_on(*values: Value) -> Value:
            is_asked = pool.is_asked(f, self.frame)
            f.if_(is_asked, lambda: f.leave_if(pool.ask(f, self.frame) != 0), is_rare=True)
            states = [before[k] for k in carried]
            return self._region(states, joined(values, starts), [condition])[0]

        def step(*values: Value) -> list[Value]:
            states = [inside[k] for k in carried]
            changed = [result for k, result in enumerate(results) if k not in ends]
            return flattened(self._region(states, joined(values, starts), changed))

        around, self.iterations = self.iterations, max(self.iterations, regions.iterations)
        last = joined(f.while_(goes_on, step, flattened(starts)), starts)
        self.iterations = around
        for k, value in zip(carried, last, strict=True):
            ends[k] = self.numbered(value, inside[k].shape, inside[k].element)
        return ends

    def _branches(
        self, node: Node, regions: Regions, outcomes: Mapping[int, Node]
    ) -> dict[int, Numbers]:
        """``if`` by an i1, ``case`` by an index; the last region is for all others."""
        f, (index, *_) = self.function, node.operands
        chosen, nodes = self.value(index), regions.results[0]
        shapes: list[Value] = []

        def branch(number: int) -> list[Value]:
            def take() -> list[Value]:
                shapes[:] = self._region((), (), regions.results[number])
                return flattened(shapes)

            if number == len(regions.results) - 1:
                return take()
            is_here = chosen if node.kind is NodeKind.IF else chosen == number
            return f.if_(is_here, take, lambda: branch(number + 1))

        flat = branch(0)
        values = joined(flat, shapes)
        return {
            k: self.numbered(value, nodes[k].shape, nodes[k].element)
            for k, value in enumerate(values)
        }


_RULES: dict[NodeKind, Callable[[TinyKernel, Node], Numbers]] = {
    NodeKind.CONSTANT: TinyKernel._constant,
    NodeKind.DOT: TinyKernel.dot,
    NodeKind.DYNAMIC_SLICE: TinyKernel.dynamic_slice,
    NodeKind.DYNAMIC_UPDATE_SLICE: TinyKernel.dynamic_update_slice,
    NodeKind.ELEMENTWISE: TinyKernel._elementwise,
    NodeKind.GATHER: TinyKernel.gather,
    NodeKind.IOTA: TinyKernel._iota,
}


def _rule(node: Node) -> Rule:
    if node.rule is None:
        raise UnsupportedStage("an op without a rule")
    return node.rule
