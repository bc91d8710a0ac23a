"""A stage's nodes become kernels and the jobs that run them: one function per kind of stage."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from shlo_tools.codegen.jobs import Place, StageCode, formula
from shlo_tools.codegen.library import copying
from shlo_tools.codegen.stages import random, scatter, updates
from shlo_tools.codegen.stages.batched import straight_line as batched
from shlo_tools.codegen.stages.columns import ColumnKernel
from shlo_tools.codegen.stages.contractions import contraction
from shlo_tools.codegen.stages.flat import FlatKernel
from shlo_tools.codegen.stages.joined_rows import JoinedRowKernel, are_narrow
from shlo_tools.codegen.stages.kernels import lanes_for
from shlo_tools.codegen.stages.lined_rows import LinedRowKernel, width_of_lines
from shlo_tools.codegen.stages.map_space import LEAST_ROW, Space, is_flat, map_space, space
from shlo_tools.codegen.stages.merged_dimensions import merged
from shlo_tools.codegen.stages.moved_runs import moved_runs
from shlo_tools.codegen.stages.nodes import (
    Extent,
    Node,
    NodeKind,
    Stage,
    UnsupportedStage,
    are_known,
)
from shlo_tools.codegen.stages.reading.elements import place_type
from shlo_tools.codegen.stages.reductions import reduction, selections, sums, windows
from shlo_tools.codegen.stages.row_blocks import RowBlockKernel, rows_of_block
from shlo_tools.codegen.stages.rows import RowKernel
from shlo_tools.codegen.stages.short_lines import ShortLineKernel, crosses_lines, line_of
from shlo_tools.codegen.stages.short_rows import ShortRowKernel, is_short
from shlo_tools.codegen.stages.sorts import sorting
from shlo_tools.codegen.stages.tiny import straight_line
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
    if stage.kind not in _SIZED and not stage.is_static:
        raise UnsupportedStage(f"stages of kind {stage.kind} and unknown sizes")
    return _KINDS[stage.kind](stage, target)


def _map(stage: Stage, target: Target) -> StageCode:
    """Elementwise ops, and views that are stored."""
    if not stage.is_static:
        is_row = map_space(stage.results)[0] == 1
        if stage.kind == "map" and (is_row or is_flat(stage.results)):
            kernel = FlatKernel(stage.name, target, stage.arguments, stage.results)
            return _one_pass(stage, kernel)
    elif len(stage.results) == 1:
        (result,) = stage.results
        if result.kind is NodeKind.INPUT:
            return _copy(result)
        transposition = transposition_of(stage.results[0])
        if transposition is not None:
            code = StageCode()
            transposition.job(code, Place("result", 0))
            return code
        runs = moved_runs(stage.results[0])
        if runs is not None:
            code = StageCode()
            runs.add_to(code, stage.name)
            return code
    return _rows(stage, target)


def _copy(source: Node) -> StageCode:
    """An argument is the result."""
    size = source.count * place_type(source.element).bytes
    code = StageCode()
    copying.add(code, Place("argument", source.number), Place("result", 0), size)
    return code


def _rows(stage: Stage, target: Target) -> StageCode:
    """A pass over rows, with reductions of their columns."""
    if stage.is_static:
        stage = merged(stage, lanes_for(target, stage.nodes))
    walked = space(*(stage.split or map_space(stage.results)))
    folds_once = stage.kind == "row" and _is_one_pass(stage) and _has_blocks(stage)
    line = line_of(stage, walked, target)
    if line and crosses_lines(stage.nodes, walked):
        folds_once = False
    are_short = is_short(stage, walked, target, folds_once=folds_once)
    if folds_once and not are_short:
        return reduction.lower(stage, target)
    parts = stage.name, target, stage.arguments, stage.results, walked
    if are_short and line:
        return _one_pass(stage, ShortLineKernel(*parts, line))
    if are_short:
        return _one_pass(stage, ShortRowKernel(*parts))
    if block := rows_of_block(stage, walked, target):
        return _one_pass(stage, RowBlockKernel(*parts, block))
    if width := width_of_lines(stage, walked, target):
        return _one_pass(stage, LinedRowKernel(*parts, width=width))
    return _one_pass(stage, RowKernel(*parts))


def _one_pass(stage: Stage, kernel: RowKernel) -> StageCode:
    """One job of one kernel."""
    code = StageCode()
    kernel.add_to(code, stage.places)
    code.in_place = kernel.in_place()
    return code


def _is_one_pass(stage: Stage) -> bool:
    """Whether all results are sums of rows, or made of them."""
    rows = stage.split[0] if stage.split else -1
    is_narrow = all(node.count == rows for node in stage.results)
    return is_narrow and sums.are_independent(stage.results)


def _has_blocks(stage: Stage) -> bool:
    """Whether reductions know how to cut their rows; a pass over several rows cuts none."""
    return stage.is_static or (stage.split is not None and stage.split[0] == 1)


def _reduction(stage: Stage, target: Target) -> StageCode:
    """Sums of any dimensions, unless nobody asks for them."""
    if any(n.kind is NodeKind.REDUCE and n.reduced != 1 for n in stage.nodes):
        return reduction.lower(stage, target)
    return _map(replace(stage, kind="map", split=None), target)


def _columns(stage: Stage, target: Target) -> StageCode:
    """Passes over columns, unless nobody asks for what they are reduced to."""
    if any(n.kind is NodeKind.REDUCE and n.reduced != 1 for n in stage.nodes):
        return _one_pass(stage, ColumnKernel(target, stage))
    return _map(replace(stage, kind="map", split=None), target)


def _concatenation(stage: Stage, target: Target) -> StageCode:
    """Each operand is written to its part of the result, or copied; narrow ones go together."""
    (result,) = stage.results
    code = StageCode()
    (dimension,) = result.dimensions
    pitch = math.prod(result.shape[dimension:])
    outer = math.prod(result.shape[:dimension])
    whole = space(outer, pitch)
    if are_narrow(stage, whole, target):
        joined = JoinedRowKernel(stage.name, target, stage.arguments, [result], whole)
        return _one_pass(stage, joined)
    start: Extent = 0
    for number, operand in enumerate(result.operands):
        width = math.prod(operand.shape[dimension:])
        if width == 0:
            continue
        size = place_type(result.element).bytes
        where = Place("result", 0, formula(start * size))
        start += width
        if outer == 1 and operand.kind is NodeKind.INPUT:
            copying.add(code, Place("argument", operand.number), where, width * size)
            continue
        walked, apart = _rows_of_part(operand, outer, width, pitch)
        part = f"{stage.name}.{number}"
        kernel = RowKernel(part, target, stage.arguments, [operand], walked, apart)
        kernel.add_to(code, (*stage.places[:-1], where))
    return code


def _rows_of_part(
    operand: Node, outer: Extent, width: Extent, pitch: Extent
) -> tuple[Space, Extent]:
    """How a part of a concatenation is walked, and how far apart its rows lie in the result.

    A part in one piece has the rows that its own dimensions give: along one long row, vectors of
    what is sliced from a matrix would be fetched element by element.
    """
    if outer == 1 and are_known(width):
        rows, columns = map_space([operand])
        if are_known(columns) and columns >= LEAST_ROW:
            return space(rows, columns), columns
    return space(outer, width), pitch


# Kinds whose kernels take sizes that run time tells.
_SIZED = {"map", "row", "concatenation", "contraction", "reduction", "update"}
_KINDS: dict[str, Callable[[Stage, Target], StageCode]] = {
    "batched": batched.lower,
    "column": _columns,
    "map": _map,
    "row": _rows,
    "reduction": _reduction,
    "concatenation": _concatenation,
    "contraction": contraction.lower,
    "random": random.lower,
    "scatter": scatter.lower,
    "selection": selections.lower,
    "sort": sorting.lower,
    "tiny": straight_line.lower,
    "update": updates.lower,
    "window": windows.lower,
}
