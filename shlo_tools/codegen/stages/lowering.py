"""A stage's nodes become kernels and the jobs that run them: one function per kind of stage."""

from __future__ import annotations

import math
from collections.abc import Callable

from shlo_tools.codegen.jobs import Context, Job, Place, StageCode
from shlo_tools.codegen.library import copying
from shlo_tools.codegen.stages import (
    contractions,
    random,
    reductions,
    scatter,
    selections,
    sorting,
    sums,
    tiny,
    updates,
    windows,
)
from shlo_tools.codegen.stages.elements import place_type
from shlo_tools.codegen.stages.kernels import RowKernel
from shlo_tools.codegen.stages.map_space import map_space, space
from shlo_tools.codegen.stages.nodes import (
    Node,
    NodeKind,
    Stage,
    UnsupportedStage,
)
from shlo_tools.codegen.stages.short_rows import ShortRowKernel, is_short
from shlo_tools.codegen.stages.transposition import transposition_of
from shlo_tools.codegen.target import Target


def lower(stage: Stage, target: Target) -> StageCode:
    """Kernels and jobs of a stage.

    Raises:
        UnsupportedStage: kernels cannot compute it yet.
    """
    if all(node.count == 0 for node in stage.results):
        return StageCode()
    if stage.kind not in _KINDS:
        raise UnsupportedStage(f"stages of kind {stage.kind}")
    return _KINDS[stage.kind](stage, target)


def _map(stage: Stage, target: Target) -> StageCode:
    """Elementwise ops, and views that are stored."""
    if len(stage.results) == 1:
        (result,) = stage.results
        if result.kind is NodeKind.INPUT:
            return _copy(result)
        transposition = transposition_of(stage.results[0])
        if transposition is not None:
            code = StageCode()
            transposition.job(code, Place("result", 0))
            return code
    return _rows(stage, target)


def _copy(source: Node) -> StageCode:
    """An argument is the result."""
    size = source.count * place_type(source.element).bytes
    words = copying.context(Place("argument", source.number), Place("result", 0), size)
    return StageCode(jobs=[copying.job(0, size)], contexts=[words])


def _rows(stage: Stage, target: Target) -> StageCode:
    """A pass over rows, with reductions of their columns."""
    if stage.kind == "row" and _is_one_pass(stage):
        return reductions.lower(stage, target)
    walked = space(*(stage.split or map_space(stage.results)))
    kind = ShortRowKernel if is_short(stage, walked, target) else RowKernel
    kernel = kind(stage.name, target, stage.arguments, stage.results, walked)
    job = Job(stage.name, 0, kernel.space.chunks)
    code = StageCode([kernel.write()], [job], [Context(stage.places)])
    code.in_place = kernel.in_place()
    return code


def _is_one_pass(stage: Stage) -> bool:
    """Whether all results are sums of rows, or made of them."""
    rows = stage.split[0] if stage.split else -1
    is_narrow = all(node.count == rows for node in stage.results)
    return is_narrow and sums.are_independent(stage.results)


def _concatenation(stage: Stage, target: Target) -> StageCode:
    """Each operand is written to its part of the result."""
    (result,) = stage.results
    code = StageCode()
    (dimension,) = result.dimensions
    pitch = math.prod(result.shape[dimension:])
    outer = result.count // pitch
    start = 0
    for number, operand in enumerate(result.operands):
        width = operand.count // outer
        if width == 0:
            continue
        offset = start * place_type(result.element).bytes
        start += width
        words = stage.places[:-1]
        code.contexts.append(Context((*words, Place("result", 0, offset))))
        walked = space(outer, width)
        part = f"{stage.name}.{number}"
        kernel = RowKernel(part, target, stage.arguments, [operand], walked, pitch)
        code.functions.append(kernel.write())
        code.jobs.append(Job(part, len(code.contexts) - 1, kernel.space.chunks))
    return code


_KINDS: dict[str, Callable[[Stage, Target], StageCode]] = {
    "map": _map,
    "row": _rows,
    "reduction": reductions.lower,
    "concatenation": _concatenation,
    "contraction": contractions.lower,
    "random": random.lower,
    "scatter": scatter.lower,
    "selection": selections.lower,
    "sort": sorting.lower,
    "tiny": tiny.lower,
    "update": updates.lower,
    "window": windows.lower,
}
