"""What a call of a program has in memory from step to step."""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools.errors import Place

TEMPORARIES = "temporaries"  # the block that is the call's own


@dataclass(frozen=True)
class Buffer:
    """Bytes that a call uses for a while.

    Attributes:
        name: the value that lies there first, by the step that makes it: ``3#0`` is the first
            result of step 3, ``3:0`` memory that it needs for itself.
        bytes: how many.
        offset: where they begin.
        first, last: the numbers of the steps between which they are in use, both included.
        block: what they lie in: ``TEMPORARIES``, or a result or a donated argument of the program,
            where nothing else is then.
    """

    name: str
    bytes: int
    offset: int
    first: int
    last: int
    block: str


@dataclass(frozen=True)
class MemoryStep:
    """Something that a program does.

    Attributes:
        stage: the name of what is called; '' where values are only passed on.
        place: where that stands in the source.
        alive: bytes of temporaries in use.
        buffers: what is in use, by numbers.
    """

    stage: str
    place: Place | None
    alive: int
    buffers: tuple[int, ...]


@dataclass(frozen=True)
class Timeline:
    """What is in use from step to step, in the order of the program.

    Steps of a loop are there once: what it carries lives through them. So are those of all
    branches.
    """

    buffers: tuple[Buffer, ...]
    steps: tuple[MemoryStep, ...]

    @property
    def peak(self) -> int:
        """Bytes of temporaries in use at most."""
        return max((step.alive for step in self.steps), default=0)
