"""Kernels named by what they do, so that programs with the same kernels share machine code."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace

from shlo_tools.codegen.function import Function
from shlo_tools.codegen.jobs import Job

PREFIX = "kernel."
providers: list[Callable[[str], bool]] = []  # which say whether they have a kernel's machine code


def share(
    functions: Sequence[Function], jobs: Sequence[Job], features: Sequence[str]
) -> tuple[list[Function], list[Job]]:
    """The functions that no provider has, and the jobs, under names that say what is done."""
    names: dict[str, str] = {}
    for function in functions:
        name, function.name = function.name, PREFIX
        digest = hashlib.blake2b(function.text(features).encode(), digest_size=16)
        names[name] = function.name = PREFIX + digest.hexdigest()
    missing = {f.name: f for f in functions if not any(has(f.name) for has in providers)}
    renamed = [replace(job, function=names.get(job.function, job.function)) for job in jobs]
    return [*missing.values()], renamed
