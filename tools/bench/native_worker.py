"""Benchmark worker: this package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import shlo_tools
from shlo_tools.cpu.stages.executable import StagedExecutable
from shlo_tools.tools.bench import plain_stages
from shlo_tools.tools.bench.worker import Array, Call, serve


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

    def plain(self, text: str) -> dict[str, Any]:
        """What ``plain_stages`` counts, and whether the program last compiled has no stages."""
        whole = not isinstance(self.program, StagedExecutable)
        return {**plain_stages.summary(text), "whole": whole}


def _listed(results: Any) -> Sequence[Any]:
    return results if isinstance(results, tuple | list) else [results]


if __name__ == "__main__":
    native = Native()
    serve(native, plain=native.plain)
