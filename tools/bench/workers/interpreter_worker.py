"""Benchmark worker: one call of the official StableHLO interpreter.

Reads a request as JSON from standard input; writes the result, and the seconds it took.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from typing import Any

import numpy as np

from shlo_tools import dtypes, mlir, program


def main() -> None:
    request = json.load(sys.stdin)
    stored = np.load(request["in.npz"])
    interpreter: Any = importlib.import_module(f"{mlir.PROVIDER}._mlir_libs._stablehlo")
    with mlir.library_context():
        module = program.load(request["program"])
        arguments = [dtypes.to_attribute(stored[name]) for name in stored.files]
        start = time.perf_counter()
        (result,) = interpreter.eval_module(module, arguments)
        seconds = time.perf_counter() - start
        np.save(request["out.npy"], dtypes.from_attribute(result))
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main()
