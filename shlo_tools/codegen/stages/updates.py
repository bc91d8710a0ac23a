"""Results that are an operand but for a part: that part is written over a copy, or in place."""

from __future__ import annotations

import math

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.jobs import Place, StageCode
from shlo_tools.codegen.library import copying
from shlo_tools.codegen.stages.map_space import map_space, space
from shlo_tools.codegen.stages.nodes import (
    Extent,
    Node,
    NodeKind,
    Stage,
    UnsupportedStage,
    are_known,
)
from shlo_tools.codegen.stages.reading.elements import place_type
from shlo_tools.codegen.stages.reading.indices import Component, Lanes, Scalar, Split
from shlo_tools.codegen.stages.rows import RowKernel
from shlo_tools.codegen.target import Target

_LONG = 4096  # elements of a row, at least so many where all are neighbours


def lower(stage: Stage, target: Target) -> StageCode:
    """The operand, and then the update over it."""
    (result,) = stage.results
    code = StageCode()
    fill(code, stage, target, result.operands[0], 0)
    update = result.operands[1]
    if update.count:
        UpdateKernel(stage, target, result).add_to(code, stage.places)
    return code


def fill(code: StageCode, stage: Stage, target: Target, operand: Node, number: int) -> None:
    """Write an operand to where a result lies, unless it may lie there itself."""
    source, chain = operand, [operand]
    while source.kind is NodeKind.RESHAPE:
        source = source.operands[0]
        chain.append(source)
    where = Place("result", number)
    if source.kind is not NodeKind.INPUT:
        name = f"{stage.name}.operand{number}"
        walked = space(*map_space([operand]))
        words = (*stage.places[: len(stage.arguments)], where)
        kernel = RowKernel(name, target, stage.arguments, [operand], walked)
        kernel.add_to(code, words)
        return
    size = source.count * place_type(source.element).bytes
    is_read_once = all(_readers(stage, node) == 1 for node in chain)
    if is_read_once:
        code.in_place[number] = [source.number]
    fills = number if is_read_once else None
    copying.add(code, Place("argument", source.number), where, size, fills)


def _readers(stage: Stage, source: Node) -> int:
    """How often nodes of a stage read one of them."""
    nodes = stage.nodes
    return sum(node.operands.count(source) for node in nodes)


class UpdateKernel(RowKernel):
    """Rows of an update, each written to where it goes.

    A row is as long as elements of the update are neighbours in the result.
    """

    def __init__(self, stage: Stage, target: Target, result: Node) -> None:
        operand, update, *starts = result.operands
        self.node, self.starts = result, starts
        self.border = neighbours(update.shape, operand.shape)
        rows, columns = update.shape[: self.border], update.shape[self.border :]
        walked = space(math.prod(rows), math.prod(columns))
        super().__init__(stage.name, target, stage.arguments, [update], walked)

    def _place(self, node: Node, target: Value, index: Split) -> Value:
        def start() -> Value:
            return self._row_start(node, target)

        row, column = index.row, index.column
        if not isinstance(row, Scalar) or not isinstance(column, Lanes):
            raise UnsupportedStage("a row without vectors")
        first = self.once(row.level, "where the row goes", start)
        return first.at(column.base, place_type(node.element))

    def _row_start(self, update: Node, target: Value) -> Value:
        shape = self.node.shape
        outer = self.delinear(self.row, update.shape[: self.border])
        place: Component = 0
        steps = [math.prod(shape[d + 1 :]) for d in range(len(shape))]
        for d, (start, step) in enumerate(zip(self.starts, steps, strict=True)):
            first = self.clamped(start, (), None, shape[d] - update.shape[d])
            c = self.added(outer[d], first) if d < self.border else first
            place = self.added(place, self.scaled(c, step))
        if not isinstance(place, int | Scalar):
            raise UnsupportedStage("a row that goes to several places")
        number = place if isinstance(place, int) else place.value
        return target.at(number, place_type(update.element))


def neighbours(part: tuple[Extent, ...], whole: tuple[Extent, ...]) -> int:
    """The first of the dimensions along which a part of a tensor is one run of memory."""
    border = len(part)
    while border > 0:
        border -= 1
        is_long = are_known(*part[border:]) and math.prod(part[border:]) >= _LONG
        if is_long or part[border] != whole[border]:
            break
    return border
