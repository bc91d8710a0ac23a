"""What a benchmark's workers share: a loop over requests from standard input, answers as JSON.

A worker holds one engine in one process. This file imports neither MLIR nor JAX itself and needs
numpy alone, so that any interpreter can run it.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

Array = np.ndarray[Any, Any]
Call = Callable[[], Any]

# Compiled ahead of what is measured: what an engine loads for its first program is loaded then.
WARM_UP = """
func.func @main(%x: tensor<37x29xf32>, %y: tensor<29x41xf32>) -> tensor<37xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<37x29xf32>, tensor<29x41xf32>) -> tensor<37x41xf32>
  %1 = stablehlo.tanh %0 : tensor<37x41xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<37x41xf32>, tensor<f32>) -> tensor<37xf32>
  return %2 : tensor<37xf32>
}
"""
_WARM_UP_SHAPES = ((37, 29), (29, 41))


class Engine(Protocol):
    """What a worker asks of an engine."""

    def prepare(self, text: str) -> str:
        """The text as the engine can read it; takes no part in the time."""

    def compile(self, text: str) -> Any:
        """From text to what can be called."""

    def bind(self, program: Any, arguments: Sequence[Array]) -> Call:
        """A call of the program, its arguments where the engine wants them."""

    def arrays(self, results: Any) -> list[Array]:
        """What a call returned, as numpy arrays."""


def load_arrays(archive: str, prefix: str, dtypes: dict[str, str]) -> list[Array]:
    """``arg0``, ``arg1``, ... of an .npz; ``dtypes`` names those stored as void of their width."""
    stored = np.load(archive, allow_pickle=False)
    arrays: list[Array] = []
    while f"{prefix}{len(arrays)}" in stored.files:
        key = f"{prefix}{len(arrays)}"
        array = stored[key]
        if key in dtypes:
            import ml_dtypes

            array = array.view(getattr(ml_dtypes, dtypes[key]))
        arrays.append(array)
    return arrays


def save_arrays(archive: str, results: Sequence[Array], prefix: str = "result") -> dict[str, str]:
    """Write ``result0``, ... to an .npz; returns the dtypes of those that it holds as void."""
    np.savez(archive, **{f"{prefix}{n}": array for n, array in enumerate(results)})  # type: ignore[arg-type]
    others = {f"{prefix}{n}": a.dtype.name for n, a in enumerate(results) if a.dtype.isbuiltin == 2}
    return others


def error_of(results: Sequence[Array], expected: Sequence[Array]) -> float:
    """The largest distance of an element, relative to the largest element of its array."""
    if len(results) != len(expected):
        raise ValueError(f"{len(results)} results, {len(expected)} expected")
    return max(map(_distance, results, expected), default=0.0)


def _distance(result: Array, expected: Array) -> float:
    if result.shape != expected.shape:
        raise ValueError(f"a result of shape {result.shape}, {expected.shape} expected")
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    x, y = result.astype(wide), expected.astype(wide)
    with np.errstate(invalid="ignore"):
        equal = (x == y) | (np.isnan(x) & np.isnan(y))
        distance = np.where(equal, 0.0, np.abs(x - y))
    largest = np.max(np.abs(y), initial=0.0, where=np.isfinite(y))
    worst = float(np.max(np.nan_to_num(distance, nan=np.inf), initial=0.0))
    return worst / float(largest) if largest else worst


def serve(engine: Engine, reads: str = "module", **others: Callable[[], Any]) -> None:
    """Answer requests until standard input ends.

    Args:
        reads: which of a program's files the engine reads.
        others: tell of the last program.
    """
    call: Call | None = None
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict[str, Any] = {}
        try:
            if request["do"] == "warm":
                ones = [np.ones(shape, np.float32) for shape in _WARM_UP_SHAPES]
                engine.bind(engine.compile(engine.prepare(WARM_UP)), ones)()
            elif request["do"] == "compile":
                text = engine.prepare(Path(request[reads]).read_text())
                start = time.perf_counter()
                program = engine.compile(text)
                answer["answer"] = time.perf_counter() - start
                dtypes = request["dtypes"]
                call = engine.bind(program, load_arrays(request["arguments"], "arg", dtypes))
                call()
            elif request["do"] == "check" and call is not None:
                expected = load_arrays(request["arguments"], "result", request["dtypes"])
                answer["answer"] = error_of(engine.arrays(call()), expected)
            elif request["do"] == "keep" and call is not None:
                answer["answer"] = save_arrays(request["results"], engine.arrays(call()))
            elif request["do"] == "run" and call is not None:
                answer["answer"] = _time(call, request["for"])
            elif request["do"] in others:
                answer["answer"] = others[request["do"]]()
        except Exception as error:  # a peer may refuse in any way; the table says how
            answer["error"] = f"{type(error).__name__}: {error}"[:400]
        answer["peak"] = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(json.dumps(answer), flush=True)


def _time(call: Call, seconds: float) -> float:
    """Median time of calls repeated for about ``seconds``."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 2:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return float(np.median(times))
