"""The table of JAX programs: name -> how to build it and how exact its results must be."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from recording import Bound

# A function to export, and its example arguments (pytrees of numpy arrays).
Built = tuple[Callable[..., Any], tuple[Any, ...]]
Build = Callable[[np.random.Generator], Built]


Shape = tuple[int, ...]


@dataclass(frozen=True)
class Symbolic:
    """Sizes that a program is exported without knowing.

    Attributes:
        arguments: the shape of each argument, with symbols: `"b, 6"`.
        shapes: shapes of all arguments that it is recorded with, besides the example's.
        refused: shapes of all arguments that violate what is asked of the symbols.
        constraints: what is asked of them besides: `"mod(d, 4) == 0"`.
    """

    arguments: Sequence[str]
    shapes: Sequence[Sequence[Shape]]
    refused: Sequence[Sequence[Shape]]
    constraints: Sequence[str] = ()


@dataclass(frozen=True)
class Program:
    """One row of the table.

    Attributes:
        name: the stem of the recorded files.
        build: makes the function and its arguments from a random generator.
        bound: how far results may be from what JAX computed.
        lowered: take the text from `jax.jit(f).lower(x)`, not from `jax.export`, which writes
            locations, expands CHLO ops, and refuses host callbacks and custom calls without
            compatibility guarantees.
        symbolic: sizes left open; None where all are those of the example arguments.
    """

    name: str
    build: Build
    bound: Bound
    lowered: bool
    symbolic: Symbolic | None = None


PROGRAMS: dict[str, Program] = {}


def program(
    *,
    rtol: float,
    atol: float,
    reason: str,
    lowered: bool = False,
    symbolic: Symbolic | None = None,
) -> Callable[[Build], Build]:
    """Enter the decorated builder into the table under its own name.

    Args:
        rtol: allowed distance relative to the recorded element.
        atol: allowed absolute distance.
        reason: one line that says where the distance comes from.
        lowered, symbolic: see `Program`.
    """

    def enter(build: Build) -> Build:
        name = build.__name__
        if name in PROGRAMS:
            raise ValueError(f"two programs are called {name}")
        PROGRAMS[name] = Program(name, build, Bound(rtol, atol, reason), lowered, symbolic)
        return build

    return enter
