"""A stage's nodes become kernels and the jobs that run them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from shlo_tools.codegen.jobs import Context, Job, Place, StageCode, Word
from shlo_tools.codegen.library import gemm, micro_kernels
from shlo_tools.codegen.stages import products
from shlo_tools.codegen.stages.columns import ColumnKernel
from shlo_tools.codegen.stages.kernels import ContractionKernel, RowKernel, space
from shlo_tools.codegen.stages.nodes import Node, NodeKind, UnsupportedStage, below, memory_type
from shlo_tools.codegen.target import Target

_FLAT = (16384, 8192, 4096, 2048, 1024)  # elements of a row where there are no rows


def lower(
    name: str,
    kind: str,
    split: tuple[int, int] | None,
    arguments: Sequence[Node],
    results: Sequence[Node],
    target: Target,
) -> StageCode:
    """Kernels and jobs of a stage.

    Args:
        name: what the kernel is called.
        kind: how the stage is walked, see ``shlo-partition``.
        split: rows and columns of its full values, where the stage has them.

    Raises:
        UnsupportedStage: kernels cannot compute it yet.
    """
    code = StageCode()
    if all(node.count == 0 for node in results):
        return code
    places: list[Word] = [Place("argument", k) for k in range(len(arguments))]
    places += [Place("result", k) for k in range(len(results))]
    dots = [node for node in below(results) if node.kind is NodeKind.DOT]
    if len(dots) > 1:
        raise UnsupportedStage("several products in a stage")
    if dots:
        return _contraction(name, dots[0], arguments, results, places, target)
    if kind == "concatenation":
        return _concatenation(name, arguments, results[0], target)
    code.contexts.append(Context(tuple(places)))
    if kind == "column" and split:
        column = ColumnKernel(name, target, arguments, results, *split)
        code.functions.append(column.write())
        code.jobs.append(Job(name, 0, column.chunks))
        return code
    rows, columns = split or _map_space(results)
    walked = space(rows, columns)
    code.functions.append(RowKernel(name, target, arguments, results, walked).write())
    code.jobs.append(Job(name, 0, walked.chunks))
    return code


def _concatenation(name: str, arguments: Sequence[Node], result: Node, target: Target) -> StageCode:
    """Each operand is written to its part of the result."""
    code = StageCode()
    (dimension,) = result.dimensions
    pitch = math.prod(result.shape[dimension:])
    outer = result.count // pitch
    start = 0
    for number, operand in enumerate(result.operands):
        width = operand.count // outer
        if width == 0:
            continue
        offset = start * memory_type(result.element).bytes
        start += width
        words = [Place("argument", k) for k in range(len(arguments))]
        code.contexts.append(Context((*words, Place("result", 0, offset))))
        walked = space(outer, width)
        part = f"{name}.{number}"
        kernel = RowKernel(part, target, arguments, [operand], walked, pitch)
        code.functions.append(kernel.write())
        code.jobs.append(Job(part, len(code.contexts) - 1, walked.chunks))
    return code


def _map_space(results: Sequence[Node]) -> tuple[int, int]:
    """Rows and columns of elementwise ops."""
    count = results[0].count
    if _is_flat(results):
        for columns in _FLAT:
            if count % columns == 0:
                return count // columns, columns
    large = [size for size in results[0].shape if size > 1] or [1]
    return count // large[-1], large[-1]


def _is_flat(results: Sequence[Node]) -> bool:
    """Whether all values have the same elements in the same order, or are single numbers."""
    count = results[0].count
    moving = set(NodeKind) - {NodeKind.INPUT, NodeKind.CONSTANT, NodeKind.ELEMENTWISE}
    moving -= {NodeKind.RESHAPE}
    for node in below(results):
        if node.count not in (1, count):
            return False
        if node.kind in moving and not (
            node.kind is NodeKind.BROADCAST and node.operands[0].count == 1
        ):
            return False
    return True


def _contraction(
    name: str,
    dot: Node,
    arguments: Sequence[Node],
    results: Sequence[Node],
    places: list[Word],
    target: Target,
) -> StageCode:
    product = products.plan(dot, results)
    element = product.element
    code = StageCode()
    room = gemm.packed_bytes(target, element, product.batch, product.columns, product.inner)
    code.temporaries.append(room)
    packed = Place("temporary", 0)
    if list(results) == [product.final]:
        where = Place("result", 0)
        code.contexts.append(_planned(product, where, packed))
        code.jobs += _product_jobs(product)
        return code
    if not product.is_dense:
        raise UnsupportedStage("work on a product that is stored in parts")
    code.temporaries.append(dot.count * element.bytes)
    where = Place("temporary", 1)
    code.contexts.append(_planned(product, where, packed))
    code.contexts.append(Context((*places, where, Place("context", 0))))
    walked = space(product.rows, product.columns)
    kernel = ContractionKernel(name, target, arguments, results, walked)
    if product.rows // product.batch < micro_kernels.row_tile(target):
        # Few rows are multiplied by columns: the product first, and then its rows.
        code.jobs += _product_jobs(product)
        code.functions.append(kernel.write_behind(dot))
        code.jobs.append(Job(name, 1, walked.chunks))
        return code
    code.jobs.append(_packing(product))
    code.functions.append(kernel.write_rows_of(dot, dot.element))
    code.jobs.append(Job(name, 1, gemm.CONTEXT["chunks"], counts=0))
    return code


def _planned(product: products.Product, where: Place, packed: Place) -> Context:
    words = products.context_words(product, where, packed)
    return Context(words, plan=gemm.name(product.element, "plan"))


def _packing(product: products.Product) -> Job:
    return Job(gemm.name(product.element, "pack"), 0, gemm.CONTEXT["packs"], counts=0)


def _product_jobs(product: products.Product) -> list[Job]:
    rows = gemm.name(product.element, "rows")
    return [_packing(product), Job(rows, 0, gemm.CONTEXT["chunks"], counts=0)]
