"""The code of a stage whose sizes have names, once they are known.

What kernels ask for are words, which are evaluated. Which functions of the library compute a
product, and in which blocks, depends on its sizes: that is chosen here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from shlo_tools.codegen.function import Type
from shlo_tools.codegen.jobs import (
    Context,
    Formula,
    Place,
    Product,
    StageCode,
    Word,
    plain,
    word,
)
from shlo_tools.codegen.library.contractions import micro_kernels
from shlo_tools.codegen.named_sizes import evaluated
from shlo_tools.codegen.stages.contractions.axes import Axes, Axis, Contraction, Operand, count
from shlo_tools.codegen.stages.contractions.multiplication import Multiplication, turns
from shlo_tools.codegen.target import Target

Number = Callable[[Any], int]  # of what JSON or code has


def at_sizes(code: StageCode, sizes: Mapping[str, int], target: Target) -> StageCode:
    """The code for sizes, by their names."""

    def number(amount: int | str | Formula) -> int:
        if isinstance(amount, int):
            return amount
        return evaluated(amount.text if isinstance(amount, Formula) else amount, sizes)

    def known(word: Word) -> Word:
        if isinstance(word, Place):
            return replace(word, offset=number(word.offset))
        return number(word) if isinstance(word, Formula) else word

    out = replace(
        code,
        jobs=[],
        contexts=[Context(tuple(map(known, context.words))) for context in code.contexts],
        temporaries=list(map(number, code.temporaries)),
        products=[],
        sources=dict(code.sources),
        optional=list(code.optional),
    )
    products = list(code.products)
    for place, job in enumerate([*code.jobs, None]):
        while products and products[0].place == place:
            _multiply(products.pop(0), out, target, number)
        if job is not None:
            out.jobs.append(replace(job, chunks=number(job.chunks)))
    return out


def _multiply(product: Product, out: StageCode, target: Target, number: Number) -> None:
    contraction = _contraction(product.contraction, number)
    axes = contraction.axes
    if not count([*axes.batch, *axes.rows, *axes.columns]):
        return
    if not count(axes.inner):
        contraction = replace(contraction, axes=replace(axes, inner=[Axis(0)]))
    contraction = contraction.swapped() if turns(axes) else contraction
    where = replace(product.where, offset=number(product.where.offset))
    Multiplication(out, target, contraction.element).multiply(contraction, where)


def likely_function(product: Product) -> str:
    """The function of the library that computes a product of most sizes."""
    _, _, element = product.contraction
    return micro_kernels.name(Type(element), "rows")


# --- contractions as JSON has them ----------------------------------------------------------------
def to_plain(contraction: Contraction) -> Any:
    """A contraction without windows; sizes as text."""
    axes = contraction.axes
    parts = (axes.batch, axes.rows, axes.columns, axes.inner)
    return [
        [[plain(side.place), side.element] for side in (contraction.a, contraction.b)],
        [[[_text(n) for n in (x.size, x.a, x.b, x.c)] for x in part] for part in parts],
        contraction.element.element,
    ]


def _text(size: Any) -> int | str:
    return size if isinstance(size, int) else str(size)


def _contraction(data: Any, number: Number) -> Contraction:
    sides, parts, element = data
    a, b = (Operand(_place(word(where), number), name) for where, name in sides)
    batch, rows, columns, inner = ([_axis(axis, number) for axis in part] for part in parts)
    return Contraction(a, b, Axes(batch, rows, columns, inner), Type(element))


def _axis(data: Any, number: Number) -> Axis:
    size, a, b, c = map(number, data)
    return Axis(size, a, b, c)


def _place(place: Place, number: Number) -> Place:
    return replace(place, offset=number(place.offset))
