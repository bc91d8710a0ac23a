"""Which stage computes each op: one walk forward, greedy.

An op joins the latest stage among those that its operands come from, if it sees the same rows
there; else it opens a stage. Stages are numbered in order, so that no circle can arise. Cheap ops
(views, constants, what is computed of these alone) are computed again by every stage that reads
them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from shlo_tools import ir
from shlo_tools.codegen.stages.folds import REGROUPED, Group, groups_of
from shlo_tools.codegen.stages.nodes import Extent, are_known
from shlo_tools.passes.partition.graph import (
    CONTRACTIONS,
    DEAR,
    NOT_ELEMENTWISE,
    SOURCES,
    VIEWS,
    Graph,
    Op,
    Stage,
    is_first_of_sorted,
)
from shlo_tools.passes.partition.kinds import ALONE, STAYING
from shlo_tools.passes.partition.merging import merge
from shlo_tools.passes.partition.places import is_in_memory, keeps_places, where
from shlo_tools.passes.partition.sinking import MEMBERS, sink
from shlo_tools.passes.stages.read_contraction import sums_of
from shlo_tools.passes.stages.regions import repeated_op

_PARTS = 3  # parts of a concatenation that are read side by side
_LARGE = 4096  # elements of a transposition that is worth a pass of its own
_ROW = 16  # elements of a row that is read as one, wherever it lies
_VECTORS = 32  # adjacent elements that products are stored by
# Cheap ops that rest on each other: each stage that reads the last one has copies of all.
_DEPTH = 24
_FEW, _LONG = 8, 64 * 1024  # rows, and elements of a row, that are not left to one thread each


def choose(graph: Graph) -> list[Stage]:
    """Give each op of a graph a stage or make it cheap; the stages in order."""
    stages: list[Stage] = []
    for op in graph.ops:
        _place(op, stages)
    for operand in graph.returned:
        if isinstance(operand, Op):
            _store_view(operand, stages)
    sink(stages)
    return merge(stages)


def _place(op: Op, stages: list[Stage]) -> None:
    if op.name == "result":
        (whole,) = op.inner
        op.stage, op.place = whole.stage, "none"
        return
    if op.type is None:
        kind = _kind_alone(op)
        if kind in ("control", "op", "host"):
            _store_operands(op, kind, stages)
        _join(op, _open(stages, kind), "none")
        return
    inner = op.inner
    all_constant = len(inner) == len(op.operands)
    for operand in inner:
        all_constant = all_constant and operand.is_constant
        if operand.is_cheap and operand.depth > op.depth:
            op.depth = operand.depth
    op.depth += 1
    may_be_cheap = op.depth <= _DEPTH
    if is_first_of_sorted(op):
        (source,) = op.inner
        if source.stage is not None:
            _join(op, source.stage, "none")
            return
    if op.name in SOURCES or (all_constant and may_be_cheap and _is_light(op)):
        op.is_constant = op.is_cheap = True
        return
    if op.name == "transpose" and (product := _product_under(op)):
        _join(op, product, "none")
    elif op.name in VIEWS or (_is_rotation(op) and _is_read_by_rows(op)):
        is_moved = _is_moved_once(op)
        if may_be_cheap and not is_moved:
            op.is_cheap = True
        else:  # nothing joins what is moved
            _join(op, _open(stages, "map", op.count), "none" if is_moved else "full")
    elif op.name in CONTRACTIONS:
        stage = _open(stages, "contraction", op.count)
        _split_product(op, stage)
        _join(op, stage, "full")
    elif op.name == "concatenate" and _is_read_elementwise(op):
        _join(op, _open(stages, "map", op.count), "full")
    elif op.name in ALONE:
        if ALONE[op.name] == "host":
            _store_operands(op, "host", stages)
        place = "full" if op.name == "reduce_window" and not _may_scan(op) else "none"
        _join(op, _open(stages, ALONE[op.name], op.count), place)
    elif op.name in ("pad", "gather"):
        _join(op, _open(stages, "map", op.count), "full")
    elif op.name == "reduce" and _reduced(op) != 1:
        _place_reduction(op, stages)
    else:
        _place_elementwise(op, stages)


def _kind_alone(op: Op) -> str:
    """The kind of the stage of an op of several results."""
    if op.name != "reduce":
        return "control" if op.name in STAYING else ALONE.get(op.name, "op")
    groups = groups_of(op.shape_of(0), op.integers("dimensions"))
    return "reduction" if any(is_reduced for _, is_reduced in groups) else "map"


def _is_light(op: Op) -> bool:
    return op.name in VIEWS or (op.is_elementwise and op.name not in DEAR)


def _is_moved_once(op: Op) -> bool:
    """Whether a view is moved once, for all that read it."""
    if op.name != "transpose" or not are_known(op.count):
        return False
    if op.count < _LARGE or not _moves_rows(op):
        return False
    return bool(_users_through_views(op) - CONTRACTIONS)  # which read through strides


def _product_under(op: Op) -> Stage | None:
    """The stage of a product that a transposition alone reads, which then stores it so."""
    source, *_ = op.operands
    if not isinstance(source, Op) or source.name != "dot_general" or len(source.users) > 1:
        return None
    if not are_known(*source.shape) or source.type is None:
        return None
    if sums_of(source.operation, source.type.element_type) != source.type.element_type:
        return None  # it is rounded by rows
    numbers = source.dot_dimensions
    batches = len(numbers.get("lhs_batching_dimensions", ()))
    columns = len(source.shape_of(0)) - len(numbers.get("lhs_contracting_dimensions", ()))
    order = [d for d in op.integers("permutation") if source.shape[d] != 1]
    # All dimensions of rows or all of columns, in their order, lie behind all else.
    for group in (range(batches, columns), range(columns, len(source.shape))):
        last = [d for d in group if source.shape[d] != 1]
        if last and order[-len(last) :] == last:
            is_long = source.shape[last[-1]] >= min(source.shape[-1], _VECTORS)
            return source.stage if is_long and not source.is_returned else None
    return None


def _is_read_elementwise(op: Op) -> bool:
    """Whether the few parts of a concatenation are read as well where it is computed with."""
    users = [u for u in op.users if not (u.name in VIEWS or u.name == "concatenate")]
    few = len(op.operands) <= _PARTS and not op.is_returned
    return few and len(users) == len(op.users) and all(u.is_elementwise for u in users)


def _is_rotation(op: Op) -> bool:
    """Whether a concatenation is the end of a value and then its start, by rows that stay whole."""
    if op.name != "concatenate" or len(op.inner) != 2 or not are_known(*op.shape):
        return False
    end, start = op.inner
    if not end.name == start.name == "slice" or end.operands != start.operands:
        return False
    if end.shape_of(0) != op.shape or {*end.integers("strides"), *start.integers("strides")} != {1}:
        return False
    dimension = ir.integer_of(op.operation, "dimension")
    row = next((size for size in op.shape[:dimension:-1] if size > 1), 1)
    return row >= _ROW and not start.integers("start_indices")[dimension]


def _is_read_by_rows(rotation: Op) -> bool:
    """Whether ops compute with what is rotated, each of which may as well read the rows there."""
    names = _users_through_views(rotation)
    return not rotation.is_returned and not names & (NOT_ELEMENTWISE - {"reduce"})


def _may_scan(op: Op) -> bool:
    """Whether windows may be all that lies before an element, which has a kernel of its own."""
    sizes = zip(op.integers("window_dimensions"), op.shape, strict=True)
    return op.shape == op.shape_of(0) and any(size == extent != 1 for size, extent in sizes)


def _moves_rows(op: Op) -> bool:
    """Whether what is adjacent in a transposition's result is not so in its operand."""
    permutation = op.integers("permutation")
    moved = [d for d, size in zip(permutation, op.shape, strict=True) if size > 1]
    return bool(moved) and moved[-1] != max(moved)


def _users_through_views(op: Op) -> set[str]:
    """Names of the ops that read a value through views."""
    stack, visited = [op], {op}
    names: set[str] = set()
    while stack:
        for user in stack.pop().users:
            if user.name not in VIEWS and not _is_rotation(user):
                names.add(user.name)
            elif user not in visited:
                visited.add(user)
                stack.append(user)
    return names


def _open(stages: list[Stage], kind: str, count: Extent = 0) -> Stage:
    stages.append(Stage(len(stages), kind, count))
    return stages[-1]


def _join(op: Op, stage: Stage, place: str) -> None:
    stage.members.append(op)
    op.stage, op.place = stage, place


def _split_product(op: Op, stage: Stage) -> None:
    """Columns are the free dimensions of rhs, or the innermost one of a convolution's result."""
    free = min(1, len(op.shape))
    if op.name == "dot_general":
        numbers = op.dot_dimensions
        used = [numbers.get(f"rhs_{kind}_dimensions", ()) for kind in ("batching", "contracting")]
        free = len(op.shape_of(1)) - len(used[0]) - len(used[1])
    stage.columns = math.prod(op.shape[len(op.shape) - free :])
    stage.rows = math.prod(op.shape[: len(op.shape) - free]) if stage.columns else 0


def _reduced(op: Op) -> Extent:
    """Elements that a reduction makes one of."""
    shape = op.shape_of(0)
    return math.prod(shape[d] for d in op.integers("dimensions"))


def _place_reduction(op: Op, stages: list[Stage]) -> None:
    source = op.operands[0]
    groups = groups_of(op.shape_of(0), op.integers("dimensions"))
    total = math.prod(op.shape_of(0))
    stage = _open_to(op)
    sees_all = stage is not None and where(source, stage) == "full" and _sees_starts(op, stage)
    if _goes_by_rows(op, groups, total):
        rows, columns = op.count, _reduced(op)
        fits = (
            stage is not None
            and sees_all
            and stage.kind in ("map", "row", "contraction")
            and stage.columns in (None, columns)
            and stage.rows in (None, rows)
        )
        if stage is None or not fits:
            stage = _open(stages, "row", total)
        if stage.kind == "map":
            stage.kind = "row"
        stage.rows, stage.columns = rows, columns
        _join(op, stage, "row")
        return
    if stage is None or not sees_all or not (stage.kind == "map" or stage.groups == groups):
        stage = _open(stages, "reduction", total)
    stage.kind, stage.groups = "reduction", groups
    stage.rows, stage.columns = _reduced(op) if op.count else 0, op.count
    _join(op, stage, "result")


def _goes_by_rows(op: Op, groups: Sequence[Group], total: Extent) -> bool:
    """Whether trailing dimensions are reduced, in rows that threads take one by one."""
    *before, (_, is_reduced) = groups
    leading = not before or (len(before) == 1 and not before[0][1])
    in_lanes = repeated_op(op.operation) in REGROUPED
    rows, columns = op.count, _reduced(op)
    few_long = are_known(rows, columns) and rows < _FEW and columns >= _LONG
    return total != 0 and is_reduced and leading and in_lanes and not few_long


def _sees_starts(op: Op, stage: Stage) -> bool:
    """Whether what a reduction starts from is known before a stage begins."""
    starts = op.operands[len(op.operands) // 2 :]
    return all(where(start, stage) == "outside" for start in starts)


def _place_elementwise(op: Op, stages: list[Stage]) -> None:
    stage = _open_to(op)
    # What windows make has no other index than the one that it is stored at.
    if stage is not None and stage.kind != "op" and (stage.kind != "window" or op.is_elementwise):
        places = {where(a, stage) for a in op.inner} - {"outside"}
        sizes = (
            ("full", stage.count),
            ("row", stage.rows if stage.kind != "reduction" else None),
            ("result", stage.columns if stage.kind == "reduction" else None),
        )
        for place, count in sizes:
            if op.count == count and places <= {place}:
                if stage.kind != "reduction" or place == "result":
                    _join(op, stage, place)
                    return
    _join(op, _open(stages, "map", op.count), "full")


def _open_to(op: Op) -> Stage | None:
    """The latest stage that an op's operands come from, unless it has ops enough."""
    stage = _latest_of(op)
    return stage if stage is not None and len(stage.members) < MEMBERS else None


def _latest_of(op: Op) -> Stage | None:
    """The latest stage that an op's operands come from."""
    stages = [stage for stage in map(_latest, op.inner) if stage]
    return max(stages, key=lambda stage: stage.number, default=None)


def _latest(op: Op) -> Stage | None:
    """The latest stage that a value rests on directly, seen through cheap ops."""
    if op.stage or op.is_constant:
        return op.stage
    return _latest_of(op)


def _store_operands(op: Op, kind: str, stages: list[Stage]) -> None:
    """Operands of what reads nothing but memory lie there."""
    for operand in op.inner:
        if kind != "host" or not is_in_memory(operand):
            _store_view(operand, stages)


def _store_view(op: Op, stages: list[Stage]) -> None:
    """A view that is needed as a tensor is stored by a stage; it stays cheap for others."""
    if not op.is_cheap or op.stage is not None:
        return
    if keeps_places(op):
        _place_elementwise(op, stages)
    else:
        _join(op, _open(stages, "map", op.count), "full")
