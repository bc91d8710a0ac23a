"""Windows of an image as the rows of a matrix, that products of matrices read.

``shlo_rt_window_matrix_<source>_<element>(context, chunk, scratch)``: a chunk is a block of rows.
What a window has outside of the image is zeros.
"""

from __future__ import annotations

from shlo_tools.codegen.function import I64, POINTER, Function, Type
from shlo_tools.codegen.library.contractions import packing
from shlo_tools.codegen.library.pool import JOB
from shlo_tools.codegen.target import Target

# X: the image, and P: the matrix, of ``rows`` of ``K`` elements that are ``pitch`` bytes apart; a
# chunk is ``block`` of them. Coordinates start at ``start0`` to ``start2``; the view comes behind.
CONTEXT = ("X", "P", "rows", "K", "pitch", "block", "start0", "start1", "start2")


def name(source: str, element: Type) -> str:
    """The name of the function for types of operand and sum."""
    return f"shlo_rt_window_matrix_{source}_{element.element}"


def functions(target: Target, names: str) -> list[Function]:
    """The function for ``<source>_<element>``."""
    source, _, element = names.partition("_")
    f = Function(name(source, Type(element)), JOB)
    context, chunk, _ = f.arguments
    c = {
        word: f.load(context.at(8 * place), POINTER if word in "XP" else I64)
        for place, word in enumerate(CONTEXT)
    }
    first = chunk * c["block"]
    last = f.minimum(first + c["block"], c["rows"])
    start = [c[f"start{d}"] for d in range(3)]
    target_row = c["P"].at(first * c["pitch"])
    part = [first, last, f.constant(0), c["K"]]
    view = context.at(8 * len(CONTEXT))
    f.run(
        packing.name(source, Type(element)),
        [view, c["X"], *start, *part, target_row, c["pitch"]],
    )
    return [f]
