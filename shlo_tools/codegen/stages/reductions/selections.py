"""select_and_scatter: windows tell where their elements were selected; updates are scattered there.

A reduction of windows selects pairs of an element and its place; the places lie in temporary
memory. Leading dimensions that windows have no part in are batches: places count inside of them,
and chunks of the scatter are theirs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from shlo_tools.codegen.function import Value
from shlo_tools.codegen.jobs import Place, StageCode, Word
from shlo_tools.codegen.stages import scatter
from shlo_tools.codegen.stages.folds import Fold, Windows
from shlo_tools.codegen.stages.nodes import Node, NodeKind, Region, Stage
from shlo_tools.codegen.stages.reading.elements import place_type
from shlo_tools.codegen.stages.reading.gather import IndexVectors
from shlo_tools.codegen.stages.reductions import windows
from shlo_tools.codegen.target import Target
from shlo_tools.dtypes import ELEMENT_TYPES

_NOWHERE = -1  # the place that a window of padding alone selects


@dataclass(frozen=True)
class Selection:
    """What a select_and_scatter repeats.

    Attributes:
        select: (an element, a later one) -> whether the first is kept.
        scatter: (current element, update) -> new element.
    """

    windows: Windows
    select: Region
    scatter: Region


def lower(stage: Stage, target: Target) -> StageCode:
    """The windows' places, and then a scatter to them.

    Raises:
        UnsupportedStage: windows that no kernel walks.
    """
    (node,) = stage.results
    operand, source, start = node.operands
    selection: Selection = node.attributes
    batches = _batches(operand.shape, source.shape, selection.windows)
    rank = 1 if math.prod(operand.shape[:batches]) > 1 else 0
    batch = [math.prod(operand.shape[:batches])] * rank
    places = _places(node, batches)
    lying = Node(NodeKind.INPUT, source.shape, places.element, number=len(stage.arguments))

    def flat(part: Node) -> Node:
        shape = (*batch, part.count // math.prod(batch))
        return Node(NodeKind.RESHAPE, shape, part.element, (part,))

    filled = Node(NodeKind.BROADCAST, node.shape, node.element, (start,))
    attributes = scatter.Updates(
        IndexVectors(
            windows=(),
            dropped=frozenset(range(rank + 1)),
            starts=(rank,),
            vector=rank + 1,
            batching=((0, 0),) * rank,
        ),
        selection.scatter,
    )
    operands = (flat(filled), flat(lying), flat(source))
    shape, element = operands[0].shape, node.element
    result = Node(NodeKind.SCATTER, shape, element, operands, attributes=attributes)

    code = StageCode(temporaries=[places.count * place_type(places.element).bytes])
    arguments = stage.arguments
    if source.count:
        name = f"{stage.name}.places"
        _append(code, windows.lower(Stage(name, "window", None, arguments, [places]), target), {})
    scattering = Stage(stage.name, "scatter", None, [*arguments, lying], [result])
    lies = Place("temporary", 0)
    others = {Place("argument", lying.number): lies, Place("result", 0): Place("result", 0)}
    _append(code, scatter.lower(scattering, target), others)
    return code


def _append(code: StageCode, part: StageCode, places: dict[Place, Place]) -> None:
    """Jobs of a part; what is the part's result is a temporary where ``places`` say nothing."""
    before = len(code.contexts)

    def moved(word: Word) -> Word:
        if not isinstance(word, Place):
            return word
        return places.get(word, Place("temporary", 0) if word.what == "result" else word)

    for context in part.contexts:
        code.contexts.append(replace(context, words=tuple(map(moved, context.words))))
    code.jobs += [replace(job, context=job.context + before) for job in part.jobs]
    code.functions += part.functions


def _batches(shape: Sequence[int], counts: Sequence[int], windows: Windows) -> int:
    """Leading dimensions in which every element is its own window."""
    for d, rows in enumerate(
        zip(shape, counts, windows.size, windows.stride, windows.low, strict=True)
    ):
        size, count, *window = rows
        if size != count or window != [1, 1, 0]:
            return d
    return len(shape)


def _places(node: Node, batches: int) -> Node:
    """For each window, where in its batch the element lies that it selects."""
    operand, source, _ = node.operands
    selection: Selection = node.attributes
    inner = operand.shape[batches:]
    count = math.prod(inner)
    element = ELEMENT_TYPES["i32" if count < 1 << 31 else "i64"]

    def number(_: object, values: Sequence[Value]) -> Value:
        (place,) = values
        return place.to("trunc", element.name) if element.bits < 64 else place

    def pick(reader: windows.WindowKernel, values: Sequence[Value]) -> list[Value]:
        best, place, other, here = values
        (keeps,) = reader.alike([*selection.select(reader, [best, other]), place])[:1]
        moves = (here >= 0) & ((place < 0) | ~keeps)
        return [reader.select(moves, other, best), reader.select(moves, here, place)]

    flat = Node(NodeKind.IOTA, (count,), element, dimensions=(0,), rule=number)
    box = Node(NodeKind.RESHAPE, inner, element, (flat,))
    dimensions = tuple(range(batches, len(operand.shape)))
    numbers = Node(NodeKind.BROADCAST, operand.shape, element, (box,), dimensions=dimensions)
    nowhere = Node(NodeKind.CONSTANT, (), element, value=_NOWHERE)
    first = Node(
        NodeKind.CONSTANT, (), operand.element, value=False if operand.element.is_boolean else 0
    )
    fold = Fold(pick, skips_padding=True, windows=selection.windows)
    pairs = Node(
        NodeKind.REDUCE_WINDOW,
        source.shape,
        operand.element,
        (operand, numbers, first, nowhere),
        attributes=fold,
    )
    return Node(NodeKind.RESULT, source.shape, element, (pairs,), number=1)
