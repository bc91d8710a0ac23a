"""What a program runs, as data: jobs of a stage, and what their contexts hold.

A job is a function ``(context, chunk, scratch)`` of the process library or of the program, run for
each of its chunks. A context is a list of words of eight bytes; addresses are known only when the
program is put together, so words say what they are the address of.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Literal

from shlo_tools.codegen.function import Function


@dataclass(frozen=True)
class Place:
    """The address of something, ``offset`` bytes behind its start."""

    what: Literal["argument", "result", "temporary", "context"]
    number: int
    offset: int = 0


Word = int | str | Place  # a str names a function of another library, whose address it is

ENTRY_POINT = -1  # chunks of a job that is an entry point, (frame, context)


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
    """

    function: str
    context: int
    chunks: int
    fills: int | None = None


@dataclass
class StageCode:
    """How a stage is computed.

    Attributes:
        functions: of this stage; others are the process library's.
        jobs: in order.
        contexts: what jobs refer to.
        temporaries: bytes that jobs need beside arguments and results.
        in_place: for a result, the arguments that may lie where it does: each element of them is
            read before that of the result is written, and by the same chunk. Where one lies there,
            jobs that fill that result are left out.
        inside: for a temporary, the results that it may lie in where no argument does.
    """

    functions: list[Function] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)
    contexts: list[Context] = field(default_factory=list)
    temporaries: list[int] = field(default_factory=list)
    in_place: dict[int, list[int]] = field(default_factory=dict)
    inside: dict[int, list[int]] = field(default_factory=dict)


def to_json(code: StageCode) -> str:
    """Everything but the functions as text."""
    return json.dumps(
        {
            "jobs": [[job.function, job.context, job.chunks, job.fills] for job in code.jobs],
            "contexts": [
                [
                    [word.what, word.number, word.offset] if isinstance(word, Place) else word
                    for word in context.words
                ]
                for context in code.contexts
            ],
            "temporaries": code.temporaries,
            "in_place": list(code.in_place.items()),
            "inside": list(code.inside.items()),
        }
    )


def from_json(text: str) -> StageCode:
    """The inverse of ``to_json``."""
    data = json.loads(text)
    return StageCode(
        jobs=[Job(*fields) for fields in data["jobs"]],
        contexts=[
            Context(tuple(Place(*w) if isinstance(w, list) else w for w in words))
            for words in data["contexts"]
        ],
        temporaries=data["temporaries"],
        in_place=dict(data["in_place"]),
        inside=dict(data["inside"]),
    )
