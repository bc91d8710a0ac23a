"""``shlo-run --parallel``: as threads of one process, and on the ranks of an MPI job."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from mpi_jobs import ENVIRONMENT, ended, module, mpi, started

MODEL = """func.func @main(%x: tensor<2xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64,
    replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}"""
TOOL = "shlo_tools.tools.run"


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """What tells ``shlo-run`` to gather what two files hold."""
    (tmp_path / "model.mlir").write_text(MODEL)
    for number in range(2):
        np.save(tmp_path / f"in-{number}.npy", np.full(2, number, np.float32))
    inputs = f"--input=@{tmp_path}/in-{{process}}.npy"
    return [str(tmp_path / "model.mlir"), "--replicas=2", inputs]


def _run_here(words: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*module(TOOL), *words], capture_output=True, text=True, env=ENVIRONMENT, timeout=100
    )


def _run_ranks(words: list[str], ranks: int) -> tuple[int, str, str]:
    return ended(started([*module(TOOL), *words], ranks))


def test_threads_have_files_of_their_own(words: list[str], tmp_path: Path) -> None:
    output = f"--output={tmp_path}/out-{{process}}.npy"
    done = _run_here([*words, "--parallel=threads", output])
    assert done.returncode == 0, done.stderr
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
    done = _run_here([*words, *options])
    assert done.returncode == 1
    assert message in done.stderr


@mpi
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_ranks_have_files_of_their_own(words: list[str], tmp_path: Path, ranks: int) -> None:
    output = f"--output={tmp_path}/out-{{process}}.npy"
    status, _, errors = _run_ranks([*words, "--parallel=mpi", output], ranks)
    assert status == 0, errors
    for number in range(2):
        assert np.load(tmp_path / f"out-{number}.npy").tolist() == [0, 0, 1, 1]


def test_an_order_needs_a_grid(tmp_path: Path) -> None:
    model = tmp_path / "model.mlir"
    model.write_text(MODEL)
    done = _run_here([str(model), "--reduction-order=any"])
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
    words = [str(model), "--replicas=2", "--parallel=mpi", "--reduction-order=any"]
    output = f"--output={tmp_path}/out-{{process}}.npy"
    status, _, errors = _run_ranks([*words, "--input=2xf32=[1,2]", output], 2)
    assert status == 0, errors
    for number in range(2):
        assert np.load(tmp_path / f"out-{number}.npy").tolist() == [2, 4]


@mpi
def test_errors_end_the_job(words: list[str], tmp_path: Path) -> None:
    """Of all ranks, and of one that cannot read its file."""
    status, _, errors = _run_ranks([*words, "--parallel=mpi", "--timeout=0.000001"], 2)
    assert status != 0
    assert "the time is up" in errors
    (tmp_path / "in-1.npy").unlink()
    status, _, errors = _run_ranks([*words, "--parallel=mpi"], 2)
    assert status != 0
    assert "in-1.npy" in errors
    assert "Traceback" not in errors


MESH = """sdy.mesh @mesh = <["x"=3]>
func.func public @main(%a: tensor<6xi32>) -> tensor<6xi32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>]
      manual_axes={"x"} (%b: tensor<2xi32>) {
    %1 = stablehlo.reverse %b, dims = [0] : tensor<2xi32>
    sdy.return %1 : tensor<2xi32>
  } : (tensor<6xi32>) -> tensor<6xi32>
  return %0 : tensor<6xi32>
}"""


@mpi
@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_one_rank_tells_of_whole_arrays(tmp_path: Path, ranks: int) -> None:
    (tmp_path / "mesh.mlir").write_text(MESH)
    words = [str(tmp_path / "mesh.mlir"), "--mesh", "--parallel=mpi"]
    status, shown, errors = _run_ranks([*words, "--input=[0,1,2,3,4,5]"], ranks)
    assert (status, errors) == (0, "")
    assert shown == "result0: tensor<6xi32>\n[1 0 3 2 5 4]\n"
    output = f"--output={tmp_path}/out.npy"
    status, shown, errors = _run_ranks([*words, "--input=[0,1,2,3,4,5]", output], ranks)
    assert (status, shown, errors) == (0, "", "")
    assert np.load(tmp_path / "out.npy").tolist() == [1, 0, 3, 2, 5, 4]


@mpi
def test_a_file_that_is_missing_ends_a_job_on_a_mesh(tmp_path: Path) -> None:
    (tmp_path / "mesh.mlir").write_text(MESH)
    words = [str(tmp_path / "mesh.mlir"), "--mesh", "--parallel=mpi"]
    status, _, errors = _run_ranks([*words, "--input=@nowhere.npy"], 2)
    assert status != 0
    assert "nowhere.npy" in errors
