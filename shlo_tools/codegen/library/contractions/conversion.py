"""Factors as sums have them: all elements of a tensor, converted, a chunk at a time."""

from __future__ import annotations

from shlo_tools.codegen.function import I64, POINTER, Function, Type
from shlo_tools.codegen.jobs import Context, Job, Place, formula
from shlo_tools.codegen.library.contractions.element_copies import ElementCopies
from shlo_tools.codegen.library.pool import JOB
from shlo_tools.codegen.target import Target
from shlo_tools.dims import Dim, ceiling_divided

NAMES = "shlo_rt_convert_"  # how names begin; types of operand and sum follow
_CHUNK = 16 * 1024  # elements


def functions(target: Target, names: str) -> list[Function]:
    """The job for ``<source>_<element>``: its context holds source, target and a count."""
    source, _, element = names.partition("_")
    copies = ElementCopies(target, source, Type(element))
    f = Function(NAMES + names, JOB)
    context, chunk, _ = f.arguments
    factors, results = (f.load(context.at(8 * place), POINTER) for place in range(2))
    first = chunk * _CHUNK
    count = f.minimum(f.load(context.at(16), I64) - first, _CHUNK)
    places = factors.at(first, copies.stored), results.at(first, copies.element)
    copies.copy_adjacent(f, *places, count)
    return [f]


def job(context: int, source: str, element: Type, count: Dim, makes: int) -> Job:
    """A job that converts ``count`` elements to temporary ``makes``."""
    chunks = formula(ceiling_divided(count, _CHUNK))
    return Job(f"{NAMES}{source}_{element.element}", context, chunks, makes=makes)


def context(source: Place, target: Place, count: Dim) -> Context:
    """The context of a conversion."""
    return Context((source, target, formula(count)))
