"""Benchmark worker: this package."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import shlo_tools
from shlo_tools.tools.bench.worker import Array, serve


def compile(text: str, arguments: Sequence[Array]) -> tuple[float, Callable[[], Any]]:
    module = shlo_tools.load(text)
    parsed = time.perf_counter()
    executable = shlo_tools.compile(module)
    seconds = time.perf_counter() - parsed
    return seconds, lambda: executable(*arguments)


if __name__ == "__main__":
    shlo_tools.compile("func.func @main() { return }")()  # the context is warm for both sides
    serve(compile)
