"""Shows what a program takes to compile where disk has it, and where it has not.

    python -m shlo_tools.tools.bench.disk_cache build/bench/transformer_layers12.mlir

Each figure is of a fresh process that has compiled another small program before: from text to an
executable, with nothing kept, with an empty cache, and with one that such a process has filled;
then loading the same executable from a file. The process library's code is on disk throughout.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import click

import shlo_tools
from shlo_tools.tools.bench.workers.serving import WARM_UP

_OFF, _LOAD, _SAVE = "off", "load", "save"


@click.command()
@click.argument("programs", nargs=-1, required=True, type=click.Path(exists=True))
@click.option("--repeats", default=5, show_default=True, help="Processes for each figure.")
def main(programs: Sequence[str], repeats: int) -> None:
    """Print milliseconds: medians of fresh processes."""
    print("| program | off | empty | filled | load_executable |\n|---|---|---|---|---|")
    for path in programs:
        with tempfile.TemporaryDirectory() as folder:
            file = f"{folder}/program.shlox"
            off = _median([_milliseconds(path, _OFF) for _ in range(repeats)])
            places = [f"{folder}/{number}" for number in range(repeats)]
            empty = _median([_milliseconds(path, place) for place in places])
            filled = _median([_milliseconds(path, place) for place in places])
            _milliseconds(path, _SAVE, file)
            load = _median([_milliseconds(path, _LOAD, file) for _ in range(repeats)])
        print(f"| {Path(path).stem} | {off} | {empty} | {filled} | {load} |")


def _median(milliseconds: Sequence[float]) -> str:
    return f"{statistics.median(milliseconds):.1f} ms"


def _milliseconds(path: str, cache: str, file: str = "") -> float:
    """What a fresh process says."""
    command = [sys.executable, "-m", "shlo_tools.tools.bench.disk_cache", "in-child"]
    root = str(Path(shlo_tools.__file__).resolve().parents[1])
    known = {name: value for name, value in os.environ.items() if name != "SHLO_CACHE_DIR"}
    environment = {**known, "PYTHONPATH": root}
    done = subprocess.run(
        [*command, path, cache, file], env=environment, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def _child(path: str, cache: str, file: str) -> None:
    choice = False if cache in (_OFF, _LOAD, _SAVE) else cache
    shlo_tools.compile(WARM_UP, cache=choice)
    text = Path(path).read_text()
    start = time.perf_counter()
    if cache == _LOAD:
        shlo_tools.load_executable(file)
    else:
        compiled = shlo_tools.compile(text, cache=choice)
    print((time.perf_counter() - start) * 1e3)
    if cache == _SAVE:
        compiled.save(file)


if __name__ == "__main__":
    if sys.argv[1:2] == ["in-child"]:
        _child(*sys.argv[2:])
    else:
        main()
