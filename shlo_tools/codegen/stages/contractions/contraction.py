"""Stages of a matrix product or a convolution, and of what is made of its rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

from shlo_tools.codegen.function import Type, Value
from shlo_tools.codegen.jobs import Context, Job, Place, Product, StageCode, formula
from shlo_tools.codegen.library.contractions import conversion, element_copies
from shlo_tools.codegen.stages.contractions import (
    convolutions,
    depthwise,
    far_features,
    later,
    products,
)
from shlo_tools.codegen.stages.contractions.axes import (
    Contraction,
    Operand,
    gemm_words,
    merged,
    of_parts,
)
from shlo_tools.codegen.stages.contractions.convolutions import Depthwise, Form
from shlo_tools.codegen.stages.contractions.groups import Groups, groups_of
from shlo_tools.codegen.stages.contractions.multiplication import Blocks, Multiplication, turns
from shlo_tools.codegen.stages.contractions.product_rows import (
    BlockContractionKernel,
    ContractionKernel,
    ShortContractionKernel,
)
from shlo_tools.codegen.stages.contractions.products import View
from shlo_tools.codegen.stages.kernels import lanes_for
from shlo_tools.codegen.stages.map_space import map_space, space
from shlo_tools.codegen.stages.nodes import (
    Extent,
    Node,
    NodeKind,
    Rule,
    Stage,
    UnsupportedStage,
    are_known,
    below,
)
from shlo_tools.codegen.stages.reading.elements import Parts, part_of, place_type, register_type
from shlo_tools.codegen.stages.reading.reader import Reader
from shlo_tools.codegen.stages.row_blocks import rows_of_block
from shlo_tools.codegen.stages.rows import RowKernel
from shlo_tools.codegen.stages.short_rows import is_short
from shlo_tools.codegen.target import Target
from shlo_tools.dtypes import ELEMENT_TYPES

_KINDS = {NodeKind.DOT, NodeKind.CONVOLUTION}
_FEW = 128  # rows that are converted before they are multiplied
_AXES = 2  # of each part of a product of unknown sizes


def lower(stage: Stage, target: Target) -> StageCode:
    """The product by the library, what is made of its rows by a kernel while they are near."""
    return _Lowering(stage, target).code()


class _Lowering:
    def __init__(self, stage: Stage, target: Target) -> None:
        self.stage, self.target = stage, target
        nodes = [node for node in stage.nodes if node.kind in _KINDS]
        if len(nodes) != 1:
            raise UnsupportedStage("several products in a stage")
        (self.node,) = nodes
        # Complex numbers are two of their parts.
        element = self.node.element
        self.parts = 2 if element.is_complex else 1
        self.element = register_type(part_of(element) if element.is_complex else element)
        self.groups: Groups | None = None
        self.turned: Place | None = None  # the kernel, once it is transposed
        self.out = StageCode()
        columns = stage.split[1] * self.parts if stage.split else None
        self.multiplication = Multiplication(self.out, target, self.element, columns, stage.name)

    def code(self) -> StageCode:
        """Jobs of the product, and of what is made of it."""
        forms, final = self._forms()
        is_bare = self.stage.results == [final]
        if not is_bare and any(map(self._is_turned, below(self.stage.results, [self.node]))):
            raise UnsupportedStage("a product whose rows are not those of what is made of it")
        where = Place("result", 0)
        if not is_bare:
            where = self._temporary(self.node.count * self.parts * self.element.bytes)
        is_known = are_known(*(size for node in below([final]) for size in node.shape))
        if not is_known and self.node.kind is NodeKind.DOT:
            self._multiply_later(forms[0].contraction, where)
            if not is_bare:
                self._walk(where, None)
            return self.out
        if not all(_has_numbers(form.contraction) for form in forms):
            raise UnsupportedStage("a convolution of what has unknown strides")
        blocks = None
        strip = 0
        if not is_bare and is_known and self.parts == 1:
            strip = self._kernel.strip_of(self.node)
        for form in forms:
            last = len(forms) == 1 and not is_bare and is_known and not self._has_few_columns()
            if not self._by_channels(form.depthwise, where):
                contraction, by_columns = self._near(form), form.by_columns
                blocks = self.multiplication.multiply(
                    contraction, where, by_columns=by_columns, keeps_last=last, strip=strip
                )
        if not is_bare:
            self._walk(where, blocks)
        return self.out

    def _is_turned(self, node: Node) -> bool:
        """Whether a node shows elements of the product in another order."""
        return node.kind is NodeKind.TRANSPOSE and self.node in below([node], [self.node])

    # --- operands ---------------------------------------------------------------------------------
    def _forms(self) -> tuple[list[Form], Node]:
        """What to compute, and the node that it makes."""
        self.node.operands = tuple(
            self._packable(operand, cast)
            for operand, cast in zip(self.node.operands, self.node.casts, strict=True)
        )
        if self.node.kind is NodeKind.CONVOLUTION:
            return self._convolutions(), self.node
        self._group()
        axes, views, final = products.axes(self.node, self.stage.results)
        is_turned = turns(axes)
        rows = [axis.size for axis in (axes.columns if is_turned else axes.rows)]
        are_few = are_known(*rows) and math.prod(rows) <= _FEW
        a, b = (
            self._operand(view, has_columns=is_turned != bool(side), are_few=are_few)
            for side, view in enumerate(views)
        )
        contraction = Contraction(a, b, axes, self.element)
        contraction = contraction.swapped() if is_turned else contraction
        if self.groups is not None:
            return [Form(self.groups.of(contraction))], final
        return [Form(self._real(contraction, views[0 if is_turned else 1]))], final

    def _group(self) -> None:
        """Have operands of groups, where the product is one of matrices as these lie."""
        groups, plain = groups_of(self.node, self.target), self.node.operands
        if groups is None:
            return
        operands = groups.operands(self.node)
        self.node.operands = operands
        axes, views, _ = products.axes(self.node, self.stage.results)
        self.node.operands = plain
        a, b = (Operand(Place("argument", 0), view[0].element.name) for view in views)
        contraction = Contraction(a, b, axes, self.element)
        if turns(axes):
            contraction, groups = contraction.swapped(), replace(groups, rows=1)
            operands = groups.operands(self.node)
        if gemm_words(groups.of(contraction)) is not None:
            self.groups, self.node.operands = groups, operands

    def _convolutions(self) -> list[Form]:
        """The phases of a convolution."""
        views = [self._with_strides(operand) for operand in self.node.operands]
        strides = [[part[0][1] if part else 0 for part in parts] for _, _, parts in views]
        nowhere = Place("argument", 0)
        forms = convolutions.plan(self.node, [(nowhere, s) for s in strides], self.element)
        by_columns = forms[0].by_columns
        if self.parts > 1 and any(form.by_columns != by_columns for form in forms):
            raise UnsupportedStage("phases of a complex convolution that differ")
        sides = [self._operand(v, has_columns=k != by_columns) for k, v in enumerate(views)]
        places = [(side.place, s) for side, s in zip(sides, strides, strict=True)]
        forms = convolutions.plan(self.node, places, self.element)
        if self.parts == 1:
            return forms
        columns = views[0 if by_columns else 1]
        return [Form(self._real(form.contraction, columns), by_columns) for form in forms]

    def _real(self, contraction: Contraction, columns: View) -> Contraction:
        """A contraction of real numbers; ``columns`` is the view that its columns come from."""
        if self.parts == 1:
            return contraction
        base = columns[0]
        elements = 1 if base.kind is NodeKind.CONSTANT else base.count
        return of_parts(contraction, self.element, elements)

    def _operand(self, view: View, *, has_columns: bool, are_few: bool = False) -> Operand:
        """Where a view lies; complex numbers that columns come from by their parts.

        ``are_few``: rows, which are converted, so that the columns can be read as they lie.
        """
        base, offset, _ = view
        if self.groups is not None and (argument := self.groups.converted(base)) is not None:
            return Operand(self._converted_argument(*argument), base.element.name)
        if self.parts > 1 and has_columns:
            return Operand(self._place(base, offset, _by_parts), base.element.name)
        element = base.element.name
        is_other = element != self.element.element and element_copies.converts(
            element, self.element
        )
        if are_few and not has_columns and is_other:
            return Operand(self._converted_place(base, offset), self.node.element.name)
        return Operand(self._place(base, offset), base.element.name)

    def _converted_place(self, node: Node, offset: int) -> Place:
        """Where a node's elements lie as sums have them: an argument's by the library."""
        if node.kind is not NodeKind.INPUT:
            return self._place(node, offset, self._converted)
        return self._converted_argument(node, node.element.name, self.element, offset)

    def _converted_argument(self, node: Node, source: str, element: Type, offset: int = 0) -> Place:
        """Where an argument's elements lie as others, from one of them on."""
        size = element.bytes
        place = self._temporary(node.count * size)
        self.out.sources[place.number] = [node.number]
        self.out.contexts.append(
            conversion.context(Place("argument", node.number), place, node.count)
        )
        number = len(self.out.contexts) - 1
        self.out.jobs.append(conversion.job(number, source, element, node.count, place.number))
        return Place(place.what, place.number, formula(offset * size))

    def _converted(self, node: Node) -> Node:
        """Elements as sums have them."""
        conversion = element_copies.ElementCopies(self.target, node.element.name, self.element)
        return Node(
            NodeKind.ELEMENTWISE,
            node.shape,
            self.node.element,
            (node,),
            rule=lambda _, values: conversion.converted(values[0]),
        )

    def _packable(self, operand: Node, cast: Rule | None) -> Node:
        """An operand that packing takes as it is, or one of the type of the sums."""
        if cast is None:
            return operand
        factors = Node(
            NodeKind.ELEMENTWISE, operand.shape, self.node.element, (operand,), rule=cast
        )
        factors.users.append(self.node)
        return factors

    def _with_strides(self, operand: Node) -> View:
        """What an operand shows, with one stride for each of its dimensions."""
        base, offset, parts = products.strided(operand)
        if any(len(part) > 1 for part in parts):
            return operand, 0, products.dense(operand.shape)
        return base, offset, parts

    def _near(self, form: Form) -> Contraction:
        """A contraction whose kernel has input features side by side, where that pays."""
        contraction = form.contraction
        if self.parts > 1 or not form.by_columns:
            return contraction
        moved = far_features.transposition_of(contraction, self.stage.arguments)
        if moved is None:
            return contraction
        if self.turned is None:
            kernel = moved.base
            self.turned = self._temporary(kernel.count * place_type(kernel.element).bytes)
            self.out.sources[self.turned.number] = [kernel.number]
            moved.job(self.out, self.turned, makes=self.turned.number)
        return far_features.transposed(contraction, self.turned)

    def _place(self, node: Node, offset: int, form: Callable[[Node], Node] | None = None) -> Place:
        """Where a node lies, which is computed and stored if need be, or stored in another form."""
        if node.kind is NodeKind.INPUT and form is None:
            return Place("argument", node.number, formula(offset * place_type(node.element).bytes))
        one = Node(node.kind, (), node.element, value=node.value)
        stored = one if node.kind is NodeKind.CONSTANT else node
        stored = form(stored) if form else stored
        size = place_type(stored.element).bytes
        place = self._temporary(stored.count * place_type(stored.element).bytes)
        places = self.stage.places[: len(self.stage.arguments)]
        walked = space(*map_space([stored]))
        name = f"{self.stage.name}.{len(self.out.contexts)}"
        kernel = RowKernel(name, self.target, self.stage.arguments, [stored], walked)
        if behind := _arguments(stored):
            self.out.sources[place.number] = behind
        kernel.add_to(self.out, (*places, place), makes=place.number if behind else None)
        return Place(place.what, place.number, formula(offset * size))

    def _temporary(self, size: Extent) -> Place:
        return self.multiplication.temporary(formula(size))

    # --- products ---------------------------------------------------------------------------------
    def _multiply_later(self, contraction: Contraction, where: Place) -> None:
        """A product whose jobs are chosen once its sizes are known."""
        axes = contraction.axes
        parts = (axes.batch, axes.rows, axes.columns, axes.inner)
        if self.parts > 1 or any(len(merged(part)) > _AXES for part in parts):
            raise UnsupportedStage("a product of unknown sizes, and of many parts")
        plain = later.to_plain(contraction)
        self.out.products.append(Product(len(self.out.jobs), plain, where))

    def _by_channels(self, form: Depthwise | None, where: Place) -> bool:
        """The job of a depthwise convolution, if this is one that there is a function for."""
        if form is None:
            return False
        place = Place(where.what, where.number, where.offset + form.c_offset * self.element.bytes)
        job = depthwise.job(form, self.target, self.element, place)
        if job is None:
            return False
        self.out.contexts.append(Context(job.words))
        self.out.jobs.append(Job(job.function, len(self.out.contexts) - 1, job.chunks))
        return True

    # --- rows -------------------------------------------------------------------------------------
    def _has_few_columns(self) -> bool:
        """Whether rows leave most lanes of a vector idle."""
        rows, columns = self.stage.split or (1, self.node.count)
        is_few = are_known(rows, columns) and 2 * columns <= lanes_for(self.target, [self.node])
        return bool(is_few)

    @cached_property
    def _kernel(self) -> ContractionKernel:
        """What walks rows, or elements where rows are short and nothing is folded."""
        stage, node = self.stage, self.node
        kind, walked = ContractionKernel, space(*(stage.split or (1, node.count)))
        if self._has_few_columns():
            folded = [n for n in below(stage.results, [node]) if n.kind is NodeKind.REDUCE]
            if all(reduction.reduced == 1 for reduction in folded):
                walked = space(*map_space(stage.results, [node]))
            are_short = is_short(replace(stage, kind="row"), walked, self.target)
            kind = ShortContractionKernel if are_short else kind
        parts = stage.name, self.target, stage.arguments, stage.results, walked
        if kind is ContractionKernel:
            block = rows_of_block(stage, walked, self.target, [node])
            return BlockContractionKernel(*parts, block) if block else kind(*parts)
        return kind(*parts)

    def _walk(self, where: Place, blocks: Blocks | None) -> None:
        """What is made of the product's rows: with them, or behind the product."""
        stage, node, kernel = self.stage, self.node, self._kernel
        self.out.in_place = kernel.in_place()
        if over := kernel.results_over(node, self.parts * self.element.bytes):
            self.out.inside[where.number] = over
        inner = len(self.out.contexts) - 1
        if blocks is None:
            self.out.functions.append(kernel.write_behind(node))
            self.out.contexts.append(
                Context((*stage.places, where, 0, *kernel.last_words(self.out)))
            )
            self.out.jobs.append(Job(stage.name, inner + 1, formula(kernel.space.chunks)))
            return
        self.out.contexts.append(Context((*stage.places, where, Place("context", inner))))
        if blocks.rows is None:
            job = blocks.job
            whole = job.chunks == 1
            written = kernel.write_rows_of(node, job.function, blocks.words, is_whole=whole)
        else:
            written = kernel.write_columns_of(node, blocks.job.function, blocks.words, blocks.rows)
        self.out.functions.append(written)
        self.out.jobs.append(replace(blocks.job, function=stage.name, context=inner + 1))


def _has_numbers(contraction: Contraction) -> bool:
    """Whether nothing of a contraction is known at run time only."""
    parts = contraction.axes
    axes = (*parts.batch, *parts.rows, *parts.columns, *parts.inner)
    words = [word for axis in axes for word in (axis.size, axis.a, axis.b, axis.c)]
    words += [side.place.offset for side in (contraction.a, contraction.b)]
    return all(isinstance(word, int) for word in words)


def _arguments(node: Node) -> list[int]:
    """The stage's arguments that a node is made of; none where it rests on nothing else."""
    return [other.number for other in below([node]) if other.kind is NodeKind.INPUT]


def _by_parts(node: Node) -> Node:
    """The factors of the real and imaginary parts of what complex numbers are multiplied by.

    [2, elements]: (re, im) of those that real parts are multiplied by, (-im, re) of the others. As
    complex numbers in their order, which are loaded and stored by runs.
    """
    shape, count, i64 = (2, node.count), (node.count,), ELEMENT_TYPES["i64"]
    flat = Node(NodeKind.RESHAPE, count, node.element, (node,))
    whole = Node(NodeKind.BROADCAST, shape, node.element, (flat,), dimensions=(1,))
    row = Node(NodeKind.IOTA, shape, i64, dimensions=(0,), rule=lambda _, values: values[0])

    def rule(reader: Reader, values: Sequence[Value]) -> Value:
        number, factor = values
        if not isinstance(number, Parts):
            raise UnsupportedStage("parts of what is not complex")
        f = reader.function
        is_real = factor == 0
        real = f.select(is_real, number.real, -number.imag)
        return Parts(real, f.select(is_real, number.imag, number.real))

    return Node(NodeKind.ELEMENTWISE, shape, node.element, (whole, row), rule=rule)
