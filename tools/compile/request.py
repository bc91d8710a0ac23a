"""What shlo-compile was asked for. Free of MLIR, which only its child loads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Request:
    """The command's options.

    Attributes:
        inputs: paths: a program, or the objects that a runtime is for.
        name: what names in C begin with.
        header: whether one is wanted.
    """

    inputs: Sequence[str]
    name: str
    functions: Sequence[str]
    header: bool
    runtime: bool
    standalone: bool
    lapack: bool
    target: str
