"""shlo-bench: its table, files, refusals, and what it says of peers."""

from __future__ import annotations

import importlib.util
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from shlo_tools.tools.bench import plot
from shlo_tools.tools.bench.engines import EngineProcess
from shlo_tools.tools.bench.measurement import Measurement, measure
from shlo_tools.tools.bench.workers.serving import load_arrays, save_arrays

ROOT = Path(__file__).resolve().parents[4]
PROGRAM = """func.func @main(%x: tensor<4xf32>, %y: tensor<4xbf16>)
    -> (tensor<4xf32>, tensor<4xbf16>) {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0, %y : tensor<4xf32>, tensor<4xbf16>
}
"""
FUNCTIONS = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @inner(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.sine %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @calls_main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
LOOP = """
func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.while(%i = %zero) : tensor<i32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j : tensor<i32>
    }
  return %0 : tensor<i32>
}
"""
QUICK = ("--repeats=1", "--rounds=2")
WITHOUT_JAX = importlib.util.find_spec("jaxlib") is None
WITHOUT_TORCH = importlib.util.find_spec("torch") is None


def _run(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "shlo_tools.tools.bench", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
        capture_output=True,
        text=True,
        timeout=200,
    )


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "model.mlir"
    path.write_text(PROGRAM)
    return str(path)


def test_a_program_alone(model: str, tmp_path: Path) -> None:
    """One row, and as many samples as were asked for."""
    done = _run(model, "--repeats=2", "--rounds=3", f"--json={tmp_path / 'times.json'}")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1].split()[:2] == ["engine", "compile"]
    assert done.stdout.splitlines()[2].startswith("shlo-tools ")
    data = json.loads((tmp_path / "times.json").read_text())
    assert len(data["compile"]["shlo-tools"]) == 2
    assert len(data["run"]["shlo-tools"]) == 6
    assert data["failures"] == {}
    # A sum of four numbers; two arguments and two results, of four elements of 4 and of 2 bytes.
    assert (data["limit"]["flops"], data["limit"]["bytes"]) == (4, 2 * 4 * (4 + 2))
    limit, machine = data["limit"]["seconds"], data["limit"]["machine"]
    assert limit == pytest.approx(
        48 / max(machine[f"{kind}_bandwidth"] for kind in ("read", "copy", "triad"))
    )
    median = statistics.median(data["run"]["shlo-tools"])
    assert data["share of limit"] == {"shlo-tools": pytest.approx(limit / median)}


@pytest.mark.parametrize(
    ("function", "count"),
    [("inner", 8), ("calls_main", 4), ("shows_names", None)],
)
def test_another_function_than_main(function: str, count: int | None, tmp_path: Path) -> None:
    """It is what runs: its own arguments, its own flops; so is one that calls @main."""
    (tmp_path / "model.mlir").write_text(FUNCTIONS)
    data_file = tmp_path / "times.json"
    done = _run(
        str(tmp_path / "model.mlir"), *QUICK, f"--function={function}", f"--json={data_file}"
    )
    if count is None:
        assert done.returncode == 1
        assert "hint: did you mean" in done.stderr or "choose one with --function" in done.stderr
        return
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(data_file.read_text())["limit"]["flops"] == count


def test_what_cannot_be_counted_is_said(tmp_path: Path) -> None:
    """Rounds that an argument decides."""
    (tmp_path / "model.mlir").write_text(LOOP)
    done = _run(str(tmp_path / "model.mlir"), *QUICK, "--input=7")
    assert done.returncode == 0, done.stderr
    assert done.stderr == "note: the limit leaves out rounds of stablehlo.while\n"


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="Linux only")
def test_engines_are_kept_to_processors(model: str, tmp_path: Path) -> None:
    done = _run(model, *QUICK, "--threads=1", f"--json={tmp_path / 'times.json'}")
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "times.json").read_text())["processors"] == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--against=tvm",), "'tvm' is no engine; there are xla, iree, torch"),
        (("--against=torch", "--torch-python=/nowhere"), "--torch-python=/nowhere cannot be run"),
        (("--against=xla", "--xla-python=/nowhere"), "--xla-python=/nowhere cannot be run"),
        (("--function=other",), "other"),
        (("--input=3xf32=1", "--input=random:0"), "argument 0"),
        (("--plot=times.pdf",), "the name must end in .png or .svg"),
        (("--threads=100000",), "--threads=100000: there are"),
        (("--json=/nowhere/x.json",), "/nowhere"),
    ],
)
def test_mistakes_are_one_error(model: str, words: tuple[str, ...], message: str) -> None:
    done = _run(model, *words)
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.skipif(not WITHOUT_JAX, reason="jax is installed")
def test_a_missing_peer_says_how_to_install_it(model: str) -> None:
    done = _run(model, "--against=xla")
    assert done.returncode == 1
    assert "cannot import jaxlib" in done.stderr
    assert "pip install 'shlo-tools[xla]'" in done.stderr


@pytest.mark.skipif(not WITHOUT_TORCH, reason="torch is installed")
def test_missing_torch_says_how_to_install_it(model: str) -> None:
    done = _run(model, "--against=torch")
    assert done.returncode == 1
    assert "--against=torch: " in done.stderr and "cannot import torch\n" in done.stderr
    assert "pip install torch numpy, or name another one: --torch-python=FILE" in done.stderr


def test_void_of_a_width_comes_back(tmp_path: Path) -> None:
    """Types that numpy has no name for are named beside the archive."""
    arrays = [np.arange(3.0), np.asarray([1, 2], ml_dtypes.bfloat16)]
    path = str(tmp_path / "x.npz")
    dtypes = save_arrays(path, arrays)
    assert dtypes == {"result1": "bfloat16"}
    for array, loaded in zip(arrays, load_arrays(path, "result", dtypes), strict=True):
        assert array.dtype == loaded.dtype
        np.testing.assert_array_equal(array, loaded)


def test_an_engine_that_fails_is_noted(tmp_path: Path) -> None:
    """And is not started again."""
    starts = []

    def start(engine: str) -> EngineProcess:
        starts.append(engine)
        return EngineProcess(sys.executable, "no_worker", 60.0)

    def check(measured: Measurement, processes: object) -> None:
        assert processes == {}

    request = {"module": "x", "arguments": "x", "dtypes": {}}
    measured = measure({"none": start}, request, repeats=2, rounds=1, check=check)
    assert starts == ["none"]
    assert (measured.compile, measured.run) == ({}, {})
    assert "no_worker" in measured.failures["none"]


def test_a_plot_is_a_picture() -> None:
    pytest.importorskip("matplotlib")
    times = {"compile": {"ours": [0.1, 0.2], "theirs": [0.3]}, "run": {"ours": [1e-6]}}
    assert plot.drawn("x.png", "title", times).startswith(b"\x89PNG")
    text = plot.drawn("x.svg", "title", times).decode()
    assert text.rstrip().endswith("</svg>")
