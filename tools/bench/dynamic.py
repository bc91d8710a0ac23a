"""Times programs with unknown sizes beside the same programs made for the sizes of one call.

    python -m shlo_tools.tools.bench.dynamic

Each of the two has a process of its own; their measurements alternate. Compile time is from text
to the first callable, the least of some rounds, of which the first also loads the compiler; run
time is the median over rounds of a call's median. Ratios say how much longer the program with
unknown sizes takes.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

import shlo_tools
from shlo_tools import mlir
from shlo_tools.dtypes import of_array
from shlo_tools.pipeline import runner
from shlo_tools.tools.bench.engines import EngineProcess
from shlo_tools.tools.bench.workers.serving import Array, load_arrays

_IMAGES = "dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"
_GROUPS = "{batch_group_count = 1 : i64, feature_group_count = 1 : i64}"

# Programs with what makes unknown sizes hard, each with the shapes that it is called with.
BUILT_IN: dict[str, tuple[str, Sequence[tuple[int, ...]]]] = {
    "dilated_convolution": (
        f"""
func.func @main(%x: tensor<?x?x?x16xf32>, %w: tensor<3x3x16x32xf32>) -> tensor<?x?x?x32xf32> {{
  %0 = stablehlo.convolution(%x, %w) {_IMAGES},
    window = {{pad = [[1, 2], [1, 2]], lhs_dilate = [2, 2]}} {_GROUPS}
    : (tensor<?x?x?x16xf32>, tensor<3x3x16x32xf32>) -> tensor<?x?x?x32xf32>
  return %0 : tensor<?x?x?x32xf32>
}}""",
        [(4, 28, 28, 16), (3, 3, 16, 32)],
    ),
    "convolutions": (
        f"""
func.func @main(%x: tensor<?x?x?x3xf32>, %v: tensor<3x3x3x16xf32>, %w: tensor<3x3x16x32xf32>)
    -> tensor<?x32xf32> {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.convolution(%x, %v) {_IMAGES}, window = {{pad = [[1, 1], [1, 1]]}} {_GROUPS}
    : (tensor<?x?x?x3xf32>, tensor<3x3x3x16xf32>) -> tensor<?x?x?x16xf32>
  %1 = stablehlo.tanh %0 : tensor<?x?x?x16xf32>
  %2 = "stablehlo.reduce_window"(%1, %zero) <{{window_dimensions = array<i64: 1, 2, 2, 1>,
    window_strides = array<i64: 1, 2, 2, 1>}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }}) : (tensor<?x?x?x16xf32>, tensor<f32>) -> tensor<?x?x?x16xf32>
  %3 = stablehlo.convolution(%2, %w) {_IMAGES}, window = {{pad = [[1, 1], [1, 1]]}} {_GROUPS}
    : (tensor<?x?x?x16xf32>, tensor<3x3x16x32xf32>) -> tensor<?x?x?x32xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1, 2]
    : (tensor<?x?x?x32xf32>, tensor<f32>) -> tensor<?x32xf32>
  return %4 : tensor<?x32xf32>
}}""",
        [(8, 32, 32, 3), (3, 3, 3, 16), (3, 3, 16, 32)],
    ),
}

KINDS = ("static", "dynamic")


@dataclass(frozen=True)
class Case:
    """A program with unknown sizes and arguments for it."""

    name: str
    text: str
    arguments: Sequence[Array]


def built_in() -> list[Case]:
    """The programs of this file with random arguments."""
    generator = np.random.default_rng(0)
    return [
        Case(name, text, [generator.standard_normal(shape, np.float32) for shape in shapes])
        for name, (text, shapes) in BUILT_IN.items()
    ]


def recorded(folder: Path) -> list[Case]:
    """The programs of a folder whose arguments have unknown sizes."""
    index = json.loads((folder / "programs.json").read_text())
    cases = []
    for name in sorted(index):
        text = (folder / f"{name}.mlir").read_text()
        if "tensor<?x" in text:
            dtypes = index[name].get("dtypes", {})
            cases.append(Case(name, text, load_arrays(str(folder / f"{name}.npz"), "arg", dtypes)))
    return cases


def for_its_arguments(case: Case) -> str:
    """The program refined for the shapes of its arguments."""
    module = shlo_tools.load(case.text)
    with mlir.library_context():
        types = ",".join(str(of_array(array)) for array in case.arguments)
        steps = f"shlo-refine-arguments{{types={types}}},shlo-refine-shapes"
        runner.run(f"builtin.module({steps})", module)
        return str(module)


def measure(case: Case, rounds: int, folder: Path) -> dict[str, dict[str, list[float]]]:
    """Seconds of each round, compiling and running, of both kinds of program."""
    archive = folder / f"{case.name}.npz"
    stored: dict[str, Any] = {f"arg{i}": array for i, array in enumerate(case.arguments)}
    np.savez(archive, **stored)
    dtypes = {key: array.dtype.name for key, array in stored.items() if array.dtype.kind == "V"}
    requests: dict[str, dict[str, Any]] = {}
    for kind, text in zip(KINDS, (for_its_arguments(case), case.text), strict=True):
        module = folder / f"{case.name}.{kind}.mlir"
        module.write_text(text)
        requests[kind] = {"module": str(module), "arguments": str(archive), "dtypes": dtypes}
    seconds: dict[str, dict[str, list[float]]] = {
        kind: {"compile": [], "run": []} for kind in KINDS
    }
    with ExitStack() as stack:
        workers = {
            kind: stack.enter_context(EngineProcess(sys.executable, "workers.native_worker"))
            for kind in KINDS
        }
        for what in ("compile", "run"):
            for _ in range(rounds):
                for kind, worker in workers.items():
                    request = requests[kind] if what == "compile" else {"for": 0.05}
                    seconds[kind][what].append(_answer(worker, case.name, do=what, **request))
    return seconds


def _answer(worker: EngineProcess, name: str, **request: Any) -> float:
    answer = worker.ask(**request)
    if "error" in answer:
        raise click.ClickException(f"{name}: {answer['error']}")
    return float(answer["answer"])


def row(name: str, seconds: dict[str, dict[str, list[float]]]) -> str:
    """A line of the table, in milliseconds."""
    cells = [name]
    for what, summary in (("compile", min), ("run", statistics.median)):
        static, dynamic = (1e3 * summary(seconds[kind][what]) for kind in KINDS)
        digits = 0 if what == "compile" else 3
        cells += [f"{static:.{digits}f}", f"{dynamic:.{digits}f}", f"{dynamic / static:.2f}"]
    return "| " + " | ".join(cells) + " |"


@click.command(help=__doc__)
@click.argument("names", nargs=-1)
@click.option("--folder", type=Path, default=Path("tests/programs"), help="Programs to time.")
@click.option("--rounds", default=5, help="Alternating rounds.")
def main(names: tuple[str, ...], folder: Path, rounds: int) -> None:
    cases = [*built_in(), *recorded(folder)]
    print("| program | compile, static, ms | unknown sizes | ratio | run, static, ms", end="")
    print(" | unknown sizes | ratio |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as place:
        for case in cases:
            if not names or case.name in names:
                print(row(case.name, measure(case, rounds, Path(place))), flush=True)


if __name__ == "__main__":
    main()
