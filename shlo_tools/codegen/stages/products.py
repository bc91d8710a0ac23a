"""Matrix products of a stage: which views of which arguments they multiply, and where they store.

Slices, reshapes, transpositions and broadcasts of operands become strides: every dimension of a
view is a list of parts ``(size, stride)``, outer ones first, that may be merged and split again.
So do views of the result, which is then stored where the last view wants it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shlo_tools.codegen.function import Type
from shlo_tools.codegen.jobs import Place, Word
from shlo_tools.codegen.library import gemm
from shlo_tools.codegen.stages.elements import register_type
from shlo_tools.codegen.stages.nodes import Node, NodeKind, UnsupportedStage

Part = tuple[int, int]
Parts = list[Part]

_VIEWS = {NodeKind.RESHAPE, NodeKind.TRANSPOSE, NodeKind.SLICE, NodeKind.BROADCAST}


@dataclass
class Product:
    """One product, ready for a context of ``library.gemm``.

    Attributes:
        final: the node whose elements it stores.
        words: by the names of the context.
        rows: of all matrices of the batch.
        is_dense: whether the result lies in row-major order, matrix after matrix.
    """

    final: Node
    words: dict[str, Word]
    element: Type
    rows: int
    columns: int
    batch: int
    inner: int
    is_dense: bool


def dense(shape: Sequence[int]) -> list[Parts]:
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


def split(parts: Parts, sizes: Sequence[int]) -> list[Parts]:
    """Parts distributed over dimensions of ``sizes``, whose product is theirs."""
    left = list(parts)
    result: list[Parts] = []
    for size in reversed(sizes):
        dimension: Parts = []
        while size > 1:
            if not left:
                raise UnsupportedStage("a view that moves parts of dimensions")
            length, step = left.pop()
            common = math.gcd(length, size)
            if common != min(length, size):
                raise UnsupportedStage("a view that moves parts of dimensions")
            dimension.insert(0, (common, step))
            size //= common
            if length > common:
                left.append((length // common, step * common))
        result.append(merged(dimension))
    return result[::-1]


def _flat(parts: Iterable[Parts]) -> Parts:
    return merged(part for dimension in parts for part in dimension)


def strided(node: Node) -> tuple[Node, int, list[Parts]]:
    """What a view shows: the node that lies in memory, an offset, and parts per dimension."""
    if node.kind in (NodeKind.INPUT, NodeKind.CONSTANT):
        if node.kind is NodeKind.INPUT:
            return node, 0, dense(node.shape)
        return node, 0, [[(size, 0)] if size != 1 else [] for size in node.shape]
    if node.kind not in _VIEWS:
        raise UnsupportedStage("an operand of a product that is no view")
    base, offset, parts = strided(node.operands[0])
    if node.kind is NodeKind.RESHAPE:
        return base, offset, split(_flat(parts), node.shape)
    if node.kind is NodeKind.TRANSPOSE:
        return base, offset, [parts[d] for d in node.dimensions]
    if node.kind is NodeKind.BROADCAST:
        spread: list[Parts] = [[(size, 0)] if size != 1 else [] for size in node.shape]
        for d, source in zip(node.dimensions, parts, strict=True):
            if source:
                spread[d] = source
        return base, offset, spread
    cut: list[Parts] = []
    for size, part, start, step in zip(node.shape, parts, node.starts, node.steps, strict=True):
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
    cuts = {1}
    for parts in lists:
        step = 1
        for size, _ in reversed(parts):
            step *= size
            cuts.add(step)
    pairs = list(itertools.pairwise(sorted(cuts)))
    if any(b % a for a, b in pairs):
        raise UnsupportedStage("views that cut dimensions in different ways")
    sizes = [b // a for a, b in pairs][::-1]
    refined = []
    for parts in lists:
        if not parts:
            refined.append([(size, 0) for size in sizes])
            continue
        dimensions = split(parts, sizes)
        refined.append([d[0] if d else (1, 0) for d in dimensions])
    return refined


def _joined(*lists: Parts) -> list[Parts]:
    """Neighbouring parts of equally cut lists, merged where all of them allow it."""
    result: list[Parts] = [[] for _ in lists]
    for parts in zip(*lists, strict=True):
        size = parts[0][0]
        last = [parts_[-1] if parts_ else None for parts_ in result]
        fits = all(
            before is not None and before[1] == size * part[1]
            for before, part in zip(last, parts, strict=True)
        )
        for target, part in zip(result, parts, strict=True):
            if fits:
                target[-1] = (target[-1][0] * size, part[1])
            else:
                target.append(part)
    return result


def plan(product: Node, results: Sequence[Node]) -> Product:
    """How a product is computed.

    Raises:
        UnsupportedStage: its operands or result lie in a way that the library does not read.
    """
    if product.element.name not in ("f32", "f64") or any(
        operand.element != product.element for operand in product.operands
    ):
        raise UnsupportedStage(f"products of {product.operands[0].element.name}")
    element = register_type(product.element)
    if any(0 in node.shape for node in (*product.operands, product)):
        raise UnsupportedStage("a product of nothing")
    (a_batch, a_sum, a_free), (b_batch, b_sum, b_free) = product.contraction
    (a, a_offset, a_parts), (b, b_offset, b_parts) = map(strided, product.operands)
    final, c_parts = stored_as(product, results)

    def pick(parts: list[Parts], dimensions: Sequence[int]) -> Parts:
        return _flat(parts[d] for d in dimensions)

    batches, rows = len(a_batch), len(a_free)
    batch = _refined(pick(a_parts, a_batch), pick(b_parts, b_batch), _flat(c_parts[:batches]))
    m = _joined(*_refined(pick(a_parts, a_free), _flat(c_parts[batches : batches + rows])))
    n = _joined(*_refined(pick(b_parts, b_free), _flat(c_parts[batches + rows :])))
    k = _joined(*_refined(pick(a_parts, a_sum), pick(b_parts, b_sum)))
    if len(k[0]) > 1:
        raise UnsupportedStage("contracted dimensions in parts")
    # Rows or columns in parts: the outer parts are a batch.
    outer_m, outer_n = ([parts[:-1] for parts in lists] for lists in (m, n))
    still_m, still_n = ([(size, 0) for size, _ in lists[0]] for lists in (outer_m, outer_n))
    batch = [
        batch[0] + outer_m[0] + still_n,
        batch[1] + still_m + outer_n[0],
        batch[2] + outer_m[1] + outer_n[1],
    ]
    batch = _joined(*([part for part in parts if part[0] != 1] for parts in batch))
    if len(batch[0]) > 2:
        raise UnsupportedStage("a batch of more than two dimensions")
    one: Part = (1, 0)
    (m_size, a_row), (_, c_row) = (parts[-1] if parts else one for parts in m)
    (n_size, b_n), (_, c_n) = (parts[-1] if parts else one for parts in n)
    (k_size, a_k), (_, b_k) = (parts[-1] if parts else one for parts in k)
    is_dense = final is product and not outer_m[0] and not outer_n[0]
    if (n_size == 1 and m_size > 1) or (c_n != 1 and n_size > 1):
        # One column, or columns adjacent in memory: C' = B' A'.
        if c_row != 1:
            raise UnsupportedStage("a result without adjacent rows or columns")
        a, b, a_offset, b_offset = b, a, b_offset, a_offset
        m_size, n_size = n_size, m_size
        a_row, a_k, b_k, b_n = b_n, b_k, a_k, a_row
        c_row = c_n
        batch = [batch[1], batch[0], batch[2]]
        is_dense = is_dense and m_size == 1 and not batch[2]
    size = element.bytes
    lists = [[one] * (2 - len(parts)) + list(parts) for parts in batch]
    words: dict[str, Word] = {
        "A": _address(a, a_offset * size),
        "B": _address(b, b_offset * size),
        **{"M": m_size, "N": n_size, "K": k_size},
        **{"a_row": a_row * size, "a_k": a_k * size, "b_k": b_k * size, "b_n": b_n * size},
        "c_row": c_row * size,
        "outer": lists[0][0][0],
        "inner": lists[0][1][0],
    }
    for matrix, parts in zip("ABC", lists, strict=True):
        words |= {f"{matrix}{d}": parts[d][1] * size for d in (0, 1)}
    count = lists[0][0][0] * lists[0][1][0]
    return Product(final, words, element, count * m_size, n_size, count, k_size, is_dense)


def _address(node: Node, offset: int) -> Place:
    if node.kind is NodeKind.CONSTANT:
        raise UnsupportedStage("a constant operand of a product")
    return Place("argument", node.number, offset)


def context_words(product: Product, target: Place, packed: Place) -> tuple[Word, ...]:
    """The words of the product's context; planning fills in the rest."""
    words = {**product.words, "C": target, "P": packed}
    return tuple(words.get(name, 0) for name in gemm.CONTEXT)
