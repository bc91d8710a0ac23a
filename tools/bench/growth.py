"""Shows how compile time and memory grow with the size of a program.

    python -m shlo_tools.tools.bench.growth --xla-python .venv-xla/bin/python

Each program is compiled once, by each engine in a fresh process, from text to the first callable,
behind another one; memory is what the peak of the process grew by. Then: how long texts take to
parse with all that guards the process, beside the parser of the bindings alone; and what the first
program of a process takes beside a like one after it: the process library, and Python's modules.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np

from shlo_tools import mlir, program
from shlo_tools.tools.bench.engines import EngineProcess
from shlo_tools.tools.bench.workers.serving import WARM_UP

_ROW = "tensor<1024xf32>"
_SQUARE = "tensor<64x64xf32>"
_SMALL = "tensor<8xf32>"
_SCALAR = "tensor<f32>"


@dataclass(frozen=True)
class Curve:
    """Programs of a kind: ``build`` writes the function's types and body for a size."""

    name: str
    sizes: Sequence[int]
    build: Callable[[int], tuple[list[str], list[str], list[str]]]

    def text(self, size: int) -> str:
        arguments, lines, results = self.build(size)
        named = ", ".join(f"%a{i}: {type}" for i, type in enumerate(arguments))
        types = ", ".join(result.partition(" : ")[2] for result in results)
        names = ", ".join(result.partition(" : ")[0] for result in results)
        body = "\n".join([*lines, f"return {names} : {types}"])
        return f"func.func @main({named}) -> ({types}) {{\n{body}\n}}\n"

    def shapes(self, size: int) -> list[tuple[int, ...]]:
        """Of the arguments."""
        inner = (type.removeprefix("tensor<").split("x")[:-1] for type in self.build(size)[0])
        return [tuple(map(int, dimensions)) for dimensions in inner]


def chain(size: int) -> tuple[list[str], list[str], list[str]]:
    """Elementwise ops, each of the last two values, in no order that repeats."""
    generator = np.random.default_rng(0)
    names = generator.choice(("add", "multiply", "subtract", "maximum", "tanh"), size)
    lines, last, before = [], "%a0", "%a1"
    for i in range(size):
        name = names[i]
        operands = last if name == "tanh" else f"{last}, {before}"
        lines.append(f"%v{i} = stablehlo.{name} {operands} : {_ROW}")
        last, before = f"%v{i}", last
    return [_ROW, _ROW], lines, [f"{last} : {_ROW}"]


def layers(size: int) -> tuple[list[str], list[str], list[str]]:
    """Products with one matrix and tanh."""
    lines, last = [], "%a0"
    for i in range(size):
        lines += [
            f"%p{i} = stablehlo.dot_general {last}, %a1, contracting_dims = [1] x [0]"
            f" : ({_SQUARE}, {_SQUARE}) -> {_SQUARE}",
            f"%v{i} = stablehlo.tanh %p{i} : {_SQUARE}",
        ]
        last = f"%v{i}"
    return [_SQUARE, _SQUARE], lines, [f"{last} : {_SQUARE}"]


def sums(size: int) -> tuple[list[str], list[str], list[str]]:
    """Slices of an argument, each summed and added to what was added before."""
    lines = [f"%zero = stablehlo.constant dense<0.0> : {_SCALAR}"]
    last = "%zero"
    for i in range(size):
        lines += [
            f"%s{i} = stablehlo.slice %a0 [{i % 512}:{i % 512 + 512}] : ({_ROW}) -> {_HALF}",
            f"%r{i} = stablehlo.reduce(%s{i} init: %zero) applies stablehlo.add across"
            f" dimensions = [0] : ({_HALF}, {_SCALAR}) -> {_SCALAR}",
            f"%v{i} = stablehlo.add {last}, %r{i} : {_SCALAR}",
        ]
        last = f"%v{i}"
    return [_ROW], lines, [f"{last} : {_SCALAR}"]


_HALF = "tensor<512xf32>"


def many_arguments(size: int) -> tuple[list[str], list[str], list[str]]:
    """The sum of all arguments."""
    lines, last = [], "%a0"
    for i in range(1, size):
        lines.append(f"%v{i} = stablehlo.add {last}, %a{i} : {_SMALL}")
        last = f"%v{i}"
    return [_SMALL] * size, lines, [f"{last} : {_SMALL}"]


def many_results(size: int) -> tuple[list[str], list[str], list[str]]:
    """Each argument's tanh."""
    lines = [f"%v{i} = stablehlo.tanh %a{i} : {_SMALL}" for i in range(size)]
    return [_SMALL] * size, lines, [f"%v{i} : {_SMALL}" for i in range(size)]


CURVES = (
    Curve("elementwise ops", (100, 400, 1600, 6400), chain),
    Curve("equal layers", (10, 40, 160, 640), layers),
    Curve("slice, sum, add", (10, 40, 160, 640), sums),
    Curve("arguments", (30, 300, 3000), many_arguments),
    Curve("arguments and results", (30, 300, 3000), many_results),
)


def compiled(python: str, worker: str, curve: Curve, size: int, limit: float) -> str:
    """A cell: seconds and megabytes, or why there are none."""
    with tempfile.TemporaryDirectory() as folder, EngineProcess(python, worker, limit) as engine:
        stem = Path(folder) / "program"
        stem.with_suffix(".mlir").write_text(curve.text(size))
        generator = np.random.default_rng(0)
        arrays: dict[str, Any] = {
            f"arg{i}": generator.standard_normal(shape, np.float32)
            for i, shape in enumerate(curve.shapes(size))
        }
        np.savez(stem.with_suffix(".npz"), **arrays)
        before = engine.ask(do="warm").get("peak", 0)
        files = {"module": f"{stem}.mlir", "arguments": f"{stem}.npz"}
        answer = engine.ask(do="compile", dtypes={}, **files)
    if "error" in answer:
        return str(answer["error"].splitlines()[0][:60])
    return f"{answer['answer']:.3f} s, {(answer['peak'] - before) / 1e6:.0f} MB"


def parsing() -> Iterator[str]:
    """Rows: the least of some turns of parsing the largest text of each curve."""
    with mlir.library_context():
        for curve in CURVES:
            text = curve.text(curve.sizes[-1])
            times: dict[str, list[float]] = {"ours": [], "bindings": []}
            for _ in range(7):
                times["bindings"].append(_seconds(partial(mlir.parse_module, text)))
                times["ours"].append(_seconds(partial(program.parse, text)))
            ours, alone = (1e3 * min(times[parser]) for parser in ("ours", "bindings"))
            yield f"| {curve.name} | {ours:.1f} ms | {alone:.1f} ms | {ours / alone:.2f} |"


def _seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def first_programs(engines: dict[str, tuple[str, str]]) -> Iterator[str]:
    """Rows: a first program, and the same with other sizes behind it."""
    other = WARM_UP.replace("37x", "43x").replace("<37", "<43")
    for name, (python, worker) in engines.items():
        with tempfile.TemporaryDirectory() as folder, EngineProcess(python, worker) as engine:
            times = []
            for rows, text in ((37, WARM_UP), (43, other)):
                stem = Path(folder) / f"program{rows}"
                stem.with_suffix(".mlir").write_text(text)
                shapes = ((rows, 29), (29, 41))
                arrays = {f"arg{i}": np.ones(s, np.float32) for i, s in enumerate(shapes)}
                np.savez(stem.with_suffix(".npz"), **arrays)  # type: ignore[arg-type]
                files = {"module": f"{stem}.mlir", "arguments": f"{stem}.npz"}
                times.append(engine.ask(do="compile", dtypes={}, **files)["answer"])
            first, second = (1e3 * seconds for seconds in times)
            yield f"| {name} | {first:.0f} ms | {second:.0f} ms | {first - second:.0f} ms |"


@click.command(help=__doc__.replace("\n\n    python", "\n\n\b\n    python"))
@click.option("--xla-python", help="Interpreter that has jax; XLA is left out without.")
@click.option("--select", default="", help="Curves with this in their name.")
@click.option("--limit", default=60.0, show_default=True, help="Seconds after which one gives up.")
def main(xla_python: str | None, select: str, limit: float) -> None:
    engines = {"shlo-tools": (sys.executable, "workers.native_worker")}
    if xla_python:
        engines["XLA"] = (xla_python, "workers.xla_worker")
    click.echo(f"| program | size | {' | '.join(engines)} |\n{'|---' * (2 + len(engines))}|")
    for curve in CURVES:
        for size in curve.sizes if select in curve.name else ():
            cells = [compiled(*engine, curve, size, limit) for engine in engines.values()]
            click.echo(f"| {curve.name} | {size} | {' | '.join(cells)} |")
    click.echo("\n| parsing | with guards | bindings alone | ratio |\n|---|---|---|---|")
    for row in parsing():
        click.echo(row)
    click.echo("\n| process | first program | second | difference |\n|---|---|---|---|")
    for row in first_programs(engines):
        click.echo(row)


if __name__ == "__main__":
    main()
