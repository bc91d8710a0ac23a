"""Dot products as axes: how operands lie in memory, and where results are stored.

Slices, reshapes, transpositions and broadcasts of operands become strides: every dimension of a
view is a list of parts ``(size, stride)``, outer ones first, that may be merged and split again.
So do views of the result, which is then stored where the last view wants it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress

from shlo_tools.codegen.stages.contractions.axes import Axes, Axis
from shlo_tools.codegen.stages.nodes import Extent, Node, NodeKind, UnsupportedStage, is_one
from shlo_tools.dims import exact_quotient

Part = tuple[Extent, Extent]
Parts = list[Part]
View = tuple[Node, Extent, list[Parts]]  # what lies in memory, an offset, parts of each dimension

_VIEWS = {
    *(NodeKind.RESHAPE, NodeKind.TRANSPOSE, NodeKind.SLICE, NodeKind.REVERSE, NodeKind.BROADCAST)
}


def dense(shape: Sequence[Extent]) -> list[Parts]:
    """Parts of a tensor in row-major order."""
    parts: list[Parts] = []
    step = 1
    for size in reversed(shape):
        parts.append([(size, step)] if size != 1 else [])
        step *= size
    return parts[::-1]


def merged(parts: Iterable[Part]) -> Parts:
    """As few parts as possible."""
    result: Parts = []
    for size, step in parts:
        if size == 1:
            continue
        if result and result[-1][1] == size * step:
            result[-1] = (result[-1][0] * size, step)
        else:
            result.append((size, step))
    return result


def split(parts: Parts, sizes: Sequence[Extent]) -> list[Parts]:
    """Parts distributed over dimensions of ``sizes``, whose product is theirs."""
    if 0 in sizes:
        return [[(size, 0)] if size != 1 else [] for size in sizes]
    left = list(parts)
    result: list[Parts] = []
    for size in reversed(sizes):
        dimension: Parts = []
        while not is_one(size):
            if not left:
                raise UnsupportedStage("a view that moves parts of dimensions")
            length, step = left.pop()
            common = _common(length, size)
            if common is None:
                raise UnsupportedStage("a view that moves parts of dimensions")
            dimension.insert(0, (common, step))
            size = exact_quotient(size, common)
            if length != common:
                left.append((exact_quotient(length, common), step * common))
        result.append(merged(dimension))
    return result[::-1]


def _common(a: Extent, b: Extent) -> Extent | None:
    """The one of two sizes that divides the other."""
    if exact_quotient(a, b) is not None:
        return b
    return a if exact_quotient(b, a) is not None else None


def _flat(parts: Iterable[Parts]) -> Parts:
    return merged(part for dimension in parts for part in dimension)


def strided(node: Node) -> View:
    """What a view shows: the node that has to lie in memory, an offset, and parts per dimension."""
    if node.kind is NodeKind.CONSTANT:
        return node, 0, [[(size, 0)] if size != 1 else [] for size in node.shape]
    if node.kind not in _VIEWS:
        return node, 0, dense(node.shape)
    try:
        return _seen_through(node, *strided(node.operands[0]))
    except UnsupportedStage:
        return node, 0, dense(node.shape)


def _seen_through(node: Node, base: Node, offset: Extent, parts: list[Parts]) -> View:
    if node.kind is NodeKind.RESHAPE:
        return base, offset, split(_flat(parts), node.shape)
    if node.kind is NodeKind.TRANSPOSE:
        return base, offset, [parts[d] for d in node.dimensions]
    if node.kind is NodeKind.BROADCAST:
        spread: list[Parts] = [[(size, 0)] if size != 1 else [] for size in node.shape]
        shape = node.operands[0].shape
        for d, size, source in zip(node.dimensions, shape, parts, strict=True):
            if size != 1 and size != node.shape[d]:
                raise UnsupportedStage("a dimension that may be broadcast or not")
            if source:
                spread[d] = source
        return base, offset, spread
    starts, steps = node.starts, node.steps
    if node.kind is NodeKind.REVERSE:
        turned = [d in node.dimensions for d in range(len(node.shape))]
        starts = tuple(size - 1 if t else 0 for size, t in zip(node.shape, turned, strict=True))
        steps = tuple(-1 if t else 1 for t in turned)
    cut: list[Parts] = []
    for size, part, start, step in zip(node.shape, parts, starts, steps, strict=True):
        if len(part) > 1:
            if start or step != 1 or size != math.prod(k for k, _ in part):
                raise UnsupportedStage("a slice of a dimension in parts")
            cut.append(part)
            continue
        stride = part[0][1] if part else 0
        offset += start * stride
        cut.append([(size, stride * step)] if size != 1 else [])
    return base, offset, cut


def stored_as(product: Node, results: Sequence[Node]) -> tuple[Node, list[Parts]]:
    """The last view of a product that alone is read, and where that view's memory has elements."""
    chain, node = [], product
    while len(node.users) == 1 and node not in results:
        (user,) = node.users
        if user.kind not in (NodeKind.RESHAPE, NodeKind.TRANSPOSE):
            break
        node = user
        chain.append(node)
    parts = dense(node.shape)
    for view in reversed(chain):
        source = view.operands[0]
        if view.kind is NodeKind.RESHAPE:
            parts = split(_flat(parts), source.shape)
        else:
            back = sorted(range(len(parts)), key=view.dimensions.__getitem__)
            parts = [parts[d] for d in back]
    return node, [merged(part) for part in parts]


def _refined(*lists: Parts) -> list[Parts]:
    """Parts of equal sizes; an empty list reads the same element again and again."""
    if any(size == 0 for parts in lists for size, _ in parts):
        return [[(0, 0)] for _ in lists]
    sizes = _cuts([[size for size, _ in parts] for parts in lists if parts])
    refined = []
    for parts in lists:
        if not parts:
            refined.append([(size, 0) for size in sizes])
            continue
        dimensions = split(parts, sizes)
        refined.append([d[0] if d else (1, 0) for d in dimensions])
    return refined


def _cuts(lists: list[list[Extent]]) -> list[Extent]:
    """Sizes that all lists of sizes are products of; the lists' products are equal."""
    sizes: list[Extent] = []
    while any(lists):
        common = lists[0][-1] if lists[0] else 1
        for parts in lists[1:]:
            common = _common(common, parts[-1] if parts else 1)
            if common is None:
                break
        if common is None or common == 1:
            raise UnsupportedStage("views that cut dimensions in different ways")
        for parts in lists:
            rest = exact_quotient(parts.pop(), common)
            if rest != 1:
                parts.append(rest)
        sizes.append(common)
    return sizes[::-1]


def axes(dot: Node, results: Sequence[Node]) -> tuple[Axes, list[View], Node]:
    """Axes of a product, how its operands lie, and the node whose elements it stores."""
    final, c_parts = stored_as(dot, results)
    if list(results) != [final]:
        final, c_parts = dot, dense(dot.shape)
    elif not _is_stored_in_rows(dot, c_parts):
        raise UnsupportedStage("a product whose rows and columns are stored in pieces")
    views = [strided(operand) for operand in dot.operands]
    copies = [(operand, 0, dense(operand.shape)) for operand in dot.operands]
    with suppress(UnsupportedStage):
        return _axes(dot, [view[2] for view in views], c_parts), views, final
    # Cut in different ways: operands are copied first.
    with suppress(UnsupportedStage):
        return _axes(dot, [view[2] for view in copies], c_parts), copies, final
    return _axes(dot, [view[2] for view in copies], dense(dot.shape)), copies, dot


def _is_stored_in_rows(dot: Node, c_parts: Sequence[Parts]) -> bool:
    """Whether whole rows, or whole columns, of each matrix are runs of memory."""
    (a_batch, _, a_free), _ = dot.contraction
    first, last = len(a_batch), len(a_batch) + len(a_free)
    sides = [merged(_flat(parts)) for parts in (c_parts[first:last], c_parts[last:])]
    steps = [[step for _, step in side] for side in sides]
    return [1] in steps or steps == [[], []]


def _axes(dot: Node, parts: Sequence[list[Parts]], c_parts: list[Parts]) -> Axes:
    (a_batch, a_sum, a_free), (b_batch, b_sum, b_free) = dot.contraction
    a_parts, b_parts = parts

    def pick(parts: list[Parts], dimensions: Sequence[int]) -> Parts:
        return _flat(parts[d] for d in dimensions)

    batches, rows = len(a_batch), len(a_free)
    batch = _refined(pick(a_parts, a_batch), pick(b_parts, b_batch), _flat(c_parts[:batches]))
    m = _refined(pick(a_parts, a_free), _flat(c_parts[batches : batches + rows]))
    n = _refined(pick(b_parts, b_free), _flat(c_parts[batches + rows :]))
    k = _refined(pick(a_parts, a_sum), pick(b_parts, b_sum))
    return Axes(
        [Axis(a[0], a[1], b[1], c[1]) for a, b, c in zip(*batch, strict=True)],
        [Axis(a[0], a=a[1], c=c[1]) for a, c in zip(*m, strict=True)],
        [Axis(b[0], b=b[1], c=c[1]) for b, c in zip(*n, strict=True)],
        [Axis(a[0], a=a[1], b=b[1]) for a, b in zip(*k, strict=True)],
    )
