"""Kernels named by what they do, so that programs with the same kernels share machine code.

Whoever lowers stages notes here what has no machine code yet; whoever compiles takes it from here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from shlo_tools.codegen.function import Function
from shlo_tools.codegen.jobs import Job

PREFIX = "kernel."
GENERAL = PREFIX + "general."  # how names begin of those that say nothing of a program


class Provider(Protocol):
    """Who makes machine code of kernels."""

    def has(self, name: str) -> bool:
        """Whether there is machine code of a kernel."""

    def noted(self) -> None:
        """Kernels may be waiting, and be taken while others are written."""


providers: list[Provider] = []
_written: dict[str, Function] = {}


def note(functions: Sequence[Function], jobs: Sequence[Job], features: Sequence[str]) -> list[Job]:
    """Note kernels of a stage unless a provider has them; its jobs by the kernels' new names."""
    names: dict[str, str] = {}
    for function in functions:
        name, function.name = function.name, PREFIX
        digest = hashlib.blake2b(function.text(features).encode(), digest_size=16)
        prefix = GENERAL if function.is_general else PREFIX
        names[name] = function.name = prefix + digest.hexdigest()
        if not is_compiled(function.name):
            _written[function.name] = function
    for provider in providers:
        provider.noted()
    return [replace(job, function=names.get(job.function, job.function)) for job in jobs]


def is_compiled(name: str) -> bool:
    """Whether a provider has a kernel's machine code."""
    return any(provider.has(name) for provider in providers)


def lines_waiting() -> int:
    """How long the kernels are that nobody has taken."""
    return sum(len(function.lines) for function in _written.values())


def take(most: int | None = None) -> list[Function]:
    """The kernels that were noted and that nobody has taken.

    Args:
        most: lines, which the first kernel alone may have more of; all kernels by default.
    """
    functions: list[Function] = []
    lines = 0
    for function in [*_written.values()]:
        lines += len(function.lines)
        if functions and most is not None and lines > most:
            break
        functions.append(_written.pop(function.name))
    return functions
