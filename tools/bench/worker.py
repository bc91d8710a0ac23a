"""What a benchmark's workers share: a loop over requests from standard input, answers as JSON.

A worker holds one engine in one process. It imports neither MLIR nor JAX itself and needs numpy
alone, so that any interpreter can run it.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
# Given a module's text and its arguments: seconds that compiling took, and a function to call.
Compile = Callable[[str, Sequence[Array]], tuple[float, Callable[[], Any]]]


def load_arguments(archive: str, dtypes: dict[str, str]) -> list[Array]:
    """``arg0``, ``arg1``, ... of an .npz; ``dtypes`` names those stored as void of their width."""
    stored = np.load(archive, allow_pickle=False)
    found: list[Array] = []
    while f"arg{len(found)}" in stored.files:
        key = f"arg{len(found)}"
        array = stored[key]
        if key in dtypes:
            import ml_dtypes

            array = array.view(getattr(ml_dtypes, dtypes[key]))
        found.append(array)
    return found


def serve(compile: Compile) -> None:
    """Answer requests until standard input ends."""
    run: Callable[[], Any] | None = None
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict[str, Any] = {}
        try:
            if request["do"] == "compile":
                arguments = load_arguments(request["arguments"], request["dtypes"])
                with open(request["module"]) as file:
                    seconds, run = compile(file.read(), arguments)
                run()
                answer["seconds"] = seconds
            elif run is not None:
                answer["seconds"] = _time(run, request["for"])
        except Exception as error:  # a peer may refuse in any way; the table says how
            answer["error"] = f"{type(error).__name__}: {error}"[:200]
        print(json.dumps(answer), flush=True)


def _time(run: Callable[[], Any], seconds: float) -> float:
    """Median time of calls repeated for about ``seconds``."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return float(np.median(times))
