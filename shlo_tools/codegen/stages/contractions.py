"""Stages of a matrix product and of what is made of its rows."""

from __future__ import annotations

from shlo_tools.codegen.jobs import Context, Job, Place, StageCode
from shlo_tools.codegen.library import gemm, micro_kernels
from shlo_tools.codegen.stages import products
from shlo_tools.codegen.stages.kernels import ContractionKernel, space
from shlo_tools.codegen.stages.nodes import NodeKind, Stage, UnsupportedStage, below
from shlo_tools.codegen.target import Target


def lower(stage: Stage, target: Target) -> StageCode:
    """The product by the library, what is made of its rows by a kernel while they are near.

    Raises:
        UnsupportedStage: the library does not read its operands as they lie.
    """
    dots = [node for node in below(stage.results) if node.kind is NodeKind.DOT]
    if len(dots) != 1:
        raise UnsupportedStage("several products in a stage")
    (dot,) = dots
    product = products.plan(dot, stage.results)
    element = product.element
    code = StageCode()
    room = gemm.packed_bytes(target, element, product.batch, product.columns, product.inner)
    code.temporaries.append(room)
    packed = Place("temporary", 0)
    if stage.results == [product.final]:
        where = Place("result", 0)
        code.contexts.append(_planned(product, where, packed))
        code.jobs += _product_jobs(product)
        return code
    if not product.is_dense:
        raise UnsupportedStage("work on a product that is stored in parts")
    code.temporaries.append(dot.count * element.bytes)
    where = Place("temporary", 1)
    code.contexts.append(_planned(product, where, packed))
    code.contexts.append(Context((*stage.places, where, Place("context", 0))))
    walked = space(product.rows, product.columns)
    kernel = ContractionKernel(stage.name, target, stage.arguments, stage.results, walked)
    code.in_place = kernel.in_place()
    if product.rows // product.batch < micro_kernels.row_tile(target):
        # Few rows are multiplied by columns: the product first, and then its rows.
        code.jobs += _product_jobs(product)
        code.functions.append(kernel.write_behind(dot))
        code.jobs.append(Job(stage.name, 1, walked.chunks))
        return code
    code.jobs.append(_packing(product))
    code.functions.append(kernel.write_rows_of(dot, dot.element))
    code.jobs.append(Job(stage.name, 1, gemm.CONTEXT["chunks"], counts=0))
    return code


def _planned(product: products.Product, where: Place, packed: Place) -> Context:
    words = products.context_words(product, where, packed)
    return Context(words, plan=gemm.name(product.element, "plan"))


def _packing(product: products.Product) -> Job:
    return Job(gemm.name(product.element, "pack"), 0, gemm.CONTEXT["packs"], counts=0)


def _product_jobs(product: products.Product) -> list[Job]:
    rows = gemm.name(product.element, "rows")
    return [_packing(product), Job(rows, 0, gemm.CONTEXT["chunks"], counts=0)]
