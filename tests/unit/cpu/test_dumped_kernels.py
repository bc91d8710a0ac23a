"""What stages were compiled to, as files: each is what its name says."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import numpy as np
import pytest

import shlo_tools
from shlo_tools import mlir
from shlo_tools.codegen.stages import lowering
from shlo_tools.codegen.stages.nodes import UnsupportedStage
from shlo_tools.cpu.machine_code import objects
from shlo_tools.errors import ShloError, UnsupportedError

TEXT = """
func.func @main(%x: tensor<96x64xf32>, %w: tensor<64x64xf32>) -> tensor<96xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<96x64xf32>, tensor<64x64xf32>) -> tensor<96x64xf32>
  %1 = stablehlo.tanh %0 : tensor<96x64xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0]
    : (tensor<96x64xf32>, tensor<64x64xf32>) -> tensor<96x64xf32>
  %3 = stablehlo.tanh %2 : tensor<96x64xf32>
  %4 = stablehlo.dot_general %3, %w, contracting_dims = [1] x [0]
    : (tensor<96x64xf32>, tensor<64x64xf32>) -> tensor<96x64xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<96x64xf32>, tensor<f32>) -> tensor<96xf32>
  return %5 : tensor<96xf32>
}"""

Rows = list[dict[str, str]]


def dumped(folder: Path, text: str = TEXT, **options: object) -> Rows:
    executable = shlo_tools.compile(text, **options)  # type: ignore[arg-type]
    executable.dump_kernels(folder)
    return list(csv.DictReader((folder / "index.csv").open()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kernels") / "of" / "a program"


@pytest.fixture(scope="module")
def rows(folder: Path) -> Rows:
    return dumped(folder)


def test_the_index_names_each_distinct_stage_and_its_files(rows: Rows, folder: Path) -> None:
    assert sum(int(row["calls"]) for row in rows) > len(rows)
    names = {f"{row['stage']}.{suffix}" for row in rows for suffix in row["files"].split()}
    assert {path.name for path in folder.iterdir()} == names | {"index.csv"}
    assert {row["place"] for row in rows} <= {f"-:{n}:8" for n in range(1, 20)}
    assert any("dot_general" in row["ops"] and "tanh" in row["ops"] for row in rows)


def test_a_stage_is_a_program_that_runs(folder: Path, rows: Rows) -> None:
    """The stage that the first two layers are."""
    x, w = (np.random.default_rng(0).normal(size=(n, 64)).astype(np.float32) for n in (96, 64))
    (row,) = [row for row in rows if row["calls"] == "2"]
    name = row["stage"]
    layer = shlo_tools.compile(folder / f"{name}.stablehlo.mlir")
    np.testing.assert_allclose(layer(x, w), np.tanh(x @ w), rtol=1e-4, atol=1e-5)


def test_kernels_are_in_the_llvm_dialect_and_in_llvm_ir(folder: Path, rows: Rows) -> None:
    with mlir.library_context():
        for row in rows:
            name = row["stage"]
            own = [job for job in row["jobs"].split() if not job.startswith("shlo_rt_")]
            module = mlir.parse_module((folder / f"{name}.llvm.mlir").read_text())
            assert all(
                op.name.startswith(("llvm.", "builtin.")) for op in mlir.walk(module.operation)
            )
            text = (folder / f"{name}.ll").read_text()
            assert all(f"@{job}(" in text and "define" in text for job in own)
            assert own


@pytest.mark.skipif(not objects.is_supported(), reason="no object files of this platform")
def test_object_files_define_the_kernels(folder: Path, rows: Rows) -> None:
    for row in rows:
        file = objects.ObjectFile((folder / f"{row['stage']}.o").read_bytes())
        own = {job for job in row["jobs"].split() if not job.startswith("shlo_rt_")}
        assert own <= set(file.defined)


@pytest.mark.skipif(not shutil.which("objdump"), reason="no objdump")
@pytest.mark.skipif(not objects.is_supported(), reason="no object files of this platform")
def test_instructions_are_those_of_the_kernels(folder: Path, rows: Rows) -> None:
    for row in rows:
        text = (folder / f"{row['stage']}.s").read_text()
        own = [job for job in row["jobs"].split() if not job.startswith("shlo_rt_")]
        assert sum(line.endswith(">:") for line in text.splitlines()) >= len(own)
        assert all(f"<{job}>:" in text for job in own)
        assert "ret" in text


def test_without_a_disassembler_the_index_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for row in dumped(tmp_path / "kernels"):
        assert row["missing"].endswith("is on PATH") or not objects.is_supported()
        assert not (tmp_path / "kernels" / f"{row['stage']}.s").exists()


def test_stages_without_a_kernel_say_why(tmp_path: Path) -> None:
    text = """func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %0 = "stablehlo.sort"(%x) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %l = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %l : tensor<i1>
      }) {dimension = 0 : i64} : (tensor<?xf32>) -> tensor<?xf32>
      %1 = stablehlo.tanh %0 : tensor<?xf32>
      return %1 : tensor<?xf32>
    }"""
    (missing,) = [row["missing"] for row in dumped(tmp_path, text) if "sort" in row["ops"]]
    assert "no kernel: stablehlo.sort of unknown sizes" in missing
    assert "lowered for the sizes of a call" in missing


def test_stages_through_linalg_have_the_ir_of_that_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise UnsupportedStage("an op to come")

    text = """func.func @main(%x: tensor<7x11xf32>) -> tensor<7x11xf32> {
      %0 = stablehlo.cosine %x : tensor<7x11xf32>
      return %0 : tensor<7x11xf32>
    }"""
    executable = shlo_tools.compile(text)
    monkeypatch.setattr(lowering, "lower", refuse)
    executable.dump_kernels(tmp_path)
    (row,) = csv.DictReader((tmp_path / "index.csv").open())
    assert row["missing"] == "no kernel: an op to come"
    assert row["files"].split() == ["stablehlo.mlir", "llvm.mlir", "ll"]
    assert "define" in (tmp_path / "stage.0.ll").read_text()


def test_a_program_through_linalg_is_one_function(tmp_path: Path) -> None:
    text = """func.func @main(%n: tensor<1xi32>) -> tensor<?xi32> {
      %m = stablehlo.popcnt %n : tensor<1xi32>
      %0 = stablehlo.dynamic_iota %m, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
      return %0 : tensor<?xi32>
    }"""
    (row,) = dumped(tmp_path, text)
    assert row["files"].split() == ["stablehlo.mlir", "llvm.mlir", "ll"]
    assert "define" in (tmp_path / "program.ll").read_text()
    assert "as a whole" in row["missing"]


def test_what_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ShloError, match="cannot write to"):
        shlo_tools.compile(TEXT).dump_kernels(tmp_path / "file" / "kernels")
    with pytest.raises(UnsupportedError, match="does not know its kernels"):
        shlo_tools.compile(TEXT, backend="reference").dump_kernels(tmp_path)
