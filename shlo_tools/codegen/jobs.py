"""What a program runs, as data: jobs of a stage, and what their contexts hold.

A job is a function ``(context, chunk, scratch)`` of the process library or of the program, run for
each of its chunks. A context is a list of words of eight bytes; addresses are known only when the
program is put together, so words say what they are the address of.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal

from shlo_tools.codegen.function import Function
from shlo_tools.dims import Size


@dataclass(frozen=True)
class Formula:
    """A number that sizes tell which are known at run time: an expression of ``named_sizes``."""

    text: str


Amount = Any  # a number or a Formula


def formula(size: Any) -> Any:
    """A size as part of a stage's code."""
    return Formula(str(size)) if isinstance(size, Size) else size


@dataclass(frozen=True)
class Place:
    """The address of something, ``offset`` bytes behind its start."""

    what: Literal["argument", "result", "temporary", "context"]
    number: int
    offset: Amount = 0


# A str names a function of another library, whose address it is.
Word = int | str | Formula | Place

ENTRY_POINT = -1  # chunks of a job that is an entry point, (frame, context)
_MANY = 32  # chunks of which one more or less is little


def even_part(count: int, part: int, unit: int = 1, times: int = 1) -> int:
    """``part`` of ``count`` for each chunk, or less: of few chunks, two threads get as many each.

    Args:
        unit: what a part is a multiple of.
        times: how often all of this is there.
    """
    chunks = -(-count // part)
    if are_shared_evenly(chunks * times):
        return part
    less = (-(-count // more // unit) * unit for more in range(chunks + 1, 2 * chunks, 2))
    return next((size for size in less if are_shared_evenly(-(-count // size) * times)), part)


def are_shared_evenly(chunks: int) -> bool:
    """Whether two threads get as many chunks each, or one more of many."""
    return chunks % 2 == 0 or not 1 < chunks < _MANY


def places(arguments: int, results: int) -> tuple[Place, ...]:
    """Words for where a stage's arguments lie, then for where its results do."""
    words = [Place("argument", k) for k in range(arguments)]
    return (*words, *(Place("result", k) for k in range(results)))


@dataclass(frozen=True)
class Context:
    """Words that jobs get."""

    words: tuple[Word, ...]


@dataclass(frozen=True)
class Job:
    """Chunks of one function.

    Attributes:
        chunks: how many.
        fills: the result that this job copies an argument to (``StageCode.in_place``); left out
            where the result lies there already.
        makes: the temporary that it writes alone, if that is one of ``StageCode.sources``; left out
            where the temporary is kept from an earlier call.
    """

    function: str
    context: int
    chunks: Amount
    fills: int | None = None
    makes: int | None = None


@dataclass(frozen=True)
class Product:
    """A contraction of unknown sizes, whose jobs are chosen once they are known.

    Attributes:
        place: of its jobs among the others.
        contraction: as JSON has it (``stages.later``).
    """

    place: int
    contraction: Any
    where: Place


@dataclass
class StageCode:
    """How a stage is computed.

    Attributes:
        functions: of this stage; others are the process library's.
        jobs: in order.
        contexts: what jobs refer to.
        temporaries: bytes that jobs need beside arguments and results.
        products: what jobs are added for.
        in_place: for a result, the arguments that may lie where it does: each element of them is
            read before that of the result is written, and by the same chunk. Where one lies there,
            jobs that fill that result are left out.
        inside: for a temporary, the results that it may lie in where no argument does.
        sources: for a temporary that jobs of its own make, all arguments that it is made of. It is
            the same for each call with the same ones: where these are constants, it may be kept.
        optional: those of these temporaries that are there only where they are kept; words that
            would hold their address are 0 elsewhere.
        is_pure: whether results depend on arguments alone, and nothing else is done.
    """

    functions: list[Function] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)
    contexts: list[Context] = field(default_factory=list)
    temporaries: list[Amount] = field(default_factory=list)
    in_place: dict[int, list[int]] = field(default_factory=dict)
    inside: dict[int, list[int]] = field(default_factory=dict)
    products: list[Product] = field(default_factory=list)
    sources: dict[int, list[int]] = field(default_factory=dict)
    optional: list[int] = field(default_factory=list)
    is_pure: bool = False

    def arguments_behind(self, place: Place) -> list[int] | None:
        """What lies at a place is made of these arguments; None where it is made of more."""
        if place.what == "argument":
            return [place.number]
        return self.sources.get(place.number) if place.what == "temporary" else None


def to_json(code: StageCode) -> str:
    """Everything but the functions as text."""
    return json.dumps(
        {
            "jobs": [
                [job.function, job.context, plain(job.chunks), job.fills, job.makes]
                for job in code.jobs
            ],
            "contexts": [[plain(word) for word in context.words] for context in code.contexts],
            "temporaries": list(map(plain, code.temporaries)),
            "in_place": list(code.in_place.items()),
            "inside": list(code.inside.items()),
            "products": [[p.place, p.contraction, plain(p.where)] for p in code.products],
            "sources": list(code.sources.items()),
            "optional": code.optional,
            "is_pure": code.is_pure,
        }
    )


def plain(word: Word) -> int | str | list[Any] | dict[str, str]:
    """A word as JSON has it."""
    if isinstance(word, Place):
        return [word.what, word.number, plain(word.offset)]
    return {"size": word.text} if isinstance(word, Formula) else word


def amount(plain: Any) -> Any:
    """The number, or what else is no place, that ``plain`` has written."""
    return Formula(plain["size"]) if isinstance(plain, dict) else plain


def word(plain: Any) -> Any:
    """The word that ``plain`` has written."""
    if isinstance(plain, list):
        what, number, offset = plain
        return Place(what, number, amount(offset))
    return amount(plain)


def from_json(text: str) -> StageCode:
    """The inverse of ``to_json``."""
    data = json.loads(text)
    return StageCode(
        jobs=[
            Job(function, context, amount(chunks), fills, makes)
            for function, context, chunks, fills, makes in data["jobs"]
        ],
        contexts=[Context(tuple(map(word, words))) for words in data["contexts"]],
        temporaries=list(map(amount, data["temporaries"])),
        in_place=dict(data["in_place"]),
        inside=dict(data["inside"]),
        products=[
            Product(place, contraction, word(where))
            for place, contraction, where in data["products"]
        ],
        sources=dict(data["sources"]),
        optional=data["optional"],
        is_pure=data["is_pure"],
    )
