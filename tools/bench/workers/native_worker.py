"""Benchmark worker: this package."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

import shlo_tools
from shlo_tools.cpu.stages.executable import StagedExecutable
from shlo_tools.cpu.stages.sized import SizedExecutable
from shlo_tools.tools.bench.workers.serving import Array, Call, serve


class Native:
    """Programs compiled by this package, called with numpy arrays."""

    def __init__(self) -> None:
        self.program: Any = None

    def prepare(self, text: str) -> str:
        return text

    def compile(self, text: str) -> Any:
        self.program = shlo_tools.compile(text)
        return self.program

    def bind(self, program: Any, arguments: Sequence[Array]) -> Call:
        return lambda: program(*arguments)

    def arrays(self, results: Any) -> list[Array]:
        return [np.asarray(result) for result in _listed(results)]

    def memory(self) -> dict[str, int] | None:
        """Bytes that a call of the last program takes; None where sizes are unknown before it."""
        memory = self.program.memory
        return None if memory is None else asdict(memory)

    def plain(self) -> dict[str, Any]:
        """How many stages of the last program have no kernel, by reason; ``whole``: it has none."""
        program = self.program
        if isinstance(program, SizedExecutable):
            program = program.latest
        if not isinstance(program, StagedExecutable):
            return {"stages": 0, "reasons": {}, "whole": True}
        reasons = Counter(program.plain.values())
        return {"stages": len(program.stages), "reasons": dict(reasons), "whole": False}


def _listed(results: Any) -> Sequence[Any]:
    return results if isinstance(results, tuple | list) else [results]


if __name__ == "__main__":
    native = Native()
    serve(native, plain=native.plain, memory=native.memory)
