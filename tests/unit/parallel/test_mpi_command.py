"""``shlo-run --parallel``: as threads of one process, and on the ranks of an MPI job."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from mpi_jobs import ended, mpi, started

MODEL = """func.func @main(%x: tensor<2xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64,
    replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}"""
COMMAND = [sys.executable, "-m", "shlo_tools.tools.run"]


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """A command that gathers what two files hold."""
    (tmp_path / "model.mlir").write_text(MODEL)
    for number in range(2):
        np.save(tmp_path / f"in-{number}.npy", np.full(2, number, np.float32))
    inputs = f"--input=@{tmp_path}/in-{{process}}.npy"
    return [*COMMAND, str(tmp_path / "model.mlir"), "--replicas=2", inputs]


def test_threads_have_files_of_their_own(words: list[str], tmp_path: Path) -> None:
    output = f"--output={tmp_path}/out-{{process}}.npy"
    subprocess.run([*words, "--parallel=threads", output], check=True, timeout=100)
    for number in range(2):
        assert np.load(tmp_path / f"out-{number}.npy").tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--parallel=threads", "--output=out.npy"], "a file for each process"),
        (["--parallel=threads", "--repeat=2"], "--parallel does not go with --repeat"),
        ([], "need --parallel"),
        (["--parallel=threads", "--reduction-order=some"], "'some' is not one of"),
    ],
)
def test_options_that_do_not_go_together(
    words: list[str], options: list[str], message: str
) -> None:
    done = subprocess.run([*words, *options], capture_output=True, text=True, timeout=100)
    assert done.returncode == 1
    assert message in done.stderr


@mpi
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_ranks_have_files_of_their_own(words: list[str], tmp_path: Path, ranks: int) -> None:
    output = f"--output={tmp_path}/out-{{process}}.npy"
    status, _, errors = ended(started([*words, "--parallel=mpi", output], ranks))
    assert status == 0, errors
    for number in range(2):
        assert np.load(tmp_path / f"out-{number}.npy").tolist() == [0, 0, 1, 1]


def test_an_order_needs_a_grid(tmp_path: Path) -> None:
    model = tmp_path / "model.mlir"
    model.write_text(MODEL)
    words = [*COMMAND, str(model), "--reduction-order=any"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=100)
    assert done.returncode == 1
    assert "--reduction-order needs --parallel" in done.stderr


@mpi
def test_a_sum_in_any_order(tmp_path: Path) -> None:
    model = tmp_path / "model.mlir"
    text = MODEL.replace("all_gather", "all_reduce").replace("all_reduce_dim = 0 : i64,", "")
    body = """(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  })"""
    model.write_text(text.replace("(%x)", body).replace("4xf32", "2xf32"))
    words = [*COMMAND, str(model), "--replicas=2", "--parallel=mpi", "--reduction-order=any"]
    output = f"--output={tmp_path}/out-{{process}}.npy"
    status, _, errors = ended(started([*words, "--input=2xf32=[1,2]", output], 2))
    assert status == 0, errors
    for number in range(2):
        assert np.load(tmp_path / f"out-{number}.npy").tolist() == [2, 4]


@mpi
def test_errors_end_the_job(words: list[str], tmp_path: Path) -> None:
    """Of all ranks, and of one that cannot read its file."""
    status, _, errors = ended(started([*words, "--parallel=mpi", "--timeout=0.000001"], 2))
    assert status != 0
    assert "the time is up" in errors
    (tmp_path / "in-1.npy").unlink()
    status, _, errors = ended(started([*words, "--parallel=mpi"], 2))
    assert status != 0
    assert "in-1.npy" in errors
    assert "Traceback" not in errors
