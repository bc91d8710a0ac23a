"""Times the reference against the official interpreter on matrix products.

    python -m shlo_tools.tools.bench.interpreter --size=256

Both get the same program and arguments, and their results are compared. The reference's time is
the best of some runs; the official interpreter runs once, in a child process: some inputs end it.
"""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import click
import numpy as np

import shlo_tools
from shlo_tools.dtypes import Array

_ELEMENTS: dict[str, Any] = {"f32": np.float32, "f64": np.float64}


def program(size: int, element: str) -> str:
    """A product of two square matrices."""
    type = f"tensor<{size}x{size}x{element}>"
    return (
        f"func.func @main(%lhs: {type}, %rhs: {type}) -> {type} {{\n"
        f"  %0 = stablehlo.dot_general %lhs, %rhs, contracting_dims = [1] x [0]\n"
        f"    : ({type}, {type}) -> {type}\n"
        f"  return %0 : {type}\n}}\n"
    )


def reference_seconds(text: str, arguments: list[Array], repeat: int) -> tuple[float, Array]:
    """The best time of some calls of the reference, and its result."""
    executable = shlo_tools.compile(text, backend="reference")
    times: list[float] = []
    for _ in range(repeat):
        start = time.perf_counter()
        result: Array = executable(*arguments)
        times.append(time.perf_counter() - start)
    return min(times), result


def official_seconds(text: str, arguments: list[Array], limit: float) -> tuple[float, Array]:
    """The time of one call of the official interpreter, and its result.

    Raises:
        ClickException: it failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: str(Path(folder) / name) for name in ("in.npz", "out.npy")}
        np.savez(paths["in.npz"], *arguments)
        request = json.dumps({"program": text, **paths})
        done = subprocess.run(
            [sys.executable, "-m", "shlo_tools.tools.bench.workers.interpreter_worker"],
            input=request,
            capture_output=True,
            text=True,
            timeout=limit,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        )
        if done.returncode:
            raise click.ClickException(f"the official interpreter failed: {done.stderr[-500:]}")
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer["seconds"], np.load(paths["out.npy"])


def measure(size: int, element: str, repeat: int, limit: float) -> str:
    """A row of the table."""
    generator = np.random.default_rng(0)
    dtype = _ELEMENTS[element]
    arguments = [generator.standard_normal((size, size)).astype(dtype) for _ in range(2)]
    text = program(size, element)
    ours, got = reference_seconds(text, arguments, repeat)
    theirs, expected = official_seconds(text, arguments, limit)
    terms = np.abs(arguments[0]) @ np.abs(arguments[1])
    bound = size * np.finfo(dtype).eps * terms
    agree = "yes" if (np.abs(got - expected) <= bound).all() else "NO"
    shape = f"{size}x{size}x{size} {element}"
    return (
        f"| {shape} | {ours * 1e3:.2f} ms | {theirs * 1e3:.0f} ms "
        f"| {math.floor(theirs / ours)} | {agree} |"
    )


@click.command(help=__doc__)
@click.option("--size", default=256, show_default=True, help="Rows and columns of each matrix.")
@click.option("--element", type=click.Choice(list(_ELEMENTS)), multiple=True, help="f32, f64.")
@click.option("--repeat", default=300, show_default=True, help="Runs of the reference.")
@click.option("--limit", default=600.0, show_default=True, help="Seconds for the other one.")
def main(size: int, element: tuple[str, ...], repeat: int, limit: float) -> None:
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores\n")
    print("| dot_general | reference | official interpreter | times faster | agree |")
    print("|---|---|---|---|---|")
    for each in element or _ELEMENTS:
        print(measure(size, each, repeat, limit), flush=True)


if __name__ == "__main__":
    main()
