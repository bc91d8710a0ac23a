"""``shlo-run --mesh``: whole arrays in, whole arrays out, beside numpy."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from shlo_run_command import ADD, output_of, refusal

# Each of 2 x 2 devices turns its own block of rows and columns around.
BLOCKS = """
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(%a: tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
    -> tensor<4x4xi32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {"y"}]>]
      out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%b: tensor<2x2xi32>) {
    %1 = stablehlo.reverse %b, dims = [0, 1] : tensor<2x2xi32>
    sdy.return %1 : tensor<2x2xi32>
  } : (tensor<4x4xi32>) -> tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}
"""
PARTITIONS = f"module attributes {{mhlo.num_partitions = 4 : i32}} {{ {ADD} }}"
NUMBERED = """
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%x: tensor<ui32>) -> tensor<ui32> {
    %0 = stablehlo.partition_id : tensor<ui32>
    return %0 : tensor<ui32>
  }
}
"""
WHOLE = np.arange(16, dtype=np.int32).reshape(4, 4)
TURNED = WHOLE.reshape(2, 2, 2, 2)[:, ::-1, :, ::-1].reshape(4, 4)


@pytest.fixture(autouse=True)
def in_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("blocks.mlir").write_text(BLOCKS)
    Path("partitions.mlir").write_text(PARTITIONS)
    Path("numbered.mlir").write_text(NUMBERED)
    Path("add.mlir").write_text(ADD)
    np.save("whole.npy", WHOLE)
    np.save("turned.npy", TURNED)


@pytest.mark.parametrize("mesh", ["--mesh", "--mesh=2x2", "--mesh=x=2,y=2"])
@pytest.mark.parametrize("backend", ["native", "reference"])
def test_whole_arrays(mesh: str, backend: str) -> None:
    output_of("blocks.mlir", mesh, f"--backend={backend}", "--input=@whole.npy", "-o", "out.npy")
    np.testing.assert_array_equal(np.load("out.npy"), TURNED)


def test_results_are_compared_and_timed_whole() -> None:
    options = "--mesh", "--input=@whole.npy", "--expected-output=@turned.npy", "--repeat=2"
    assert "result0 agrees: equal" in output_of("blocks.mlir", *options)


def test_without_values_the_whole_signature_is_printed() -> None:
    shown = output_of("blocks.mlir", "--mesh=2x2")
    assert "arg0: tensor<4x4xi32>" in shown
    assert "shlo-run blocks.mlir --mesh=2x2 --input=random:0" in shown


@pytest.mark.parametrize("mesh", ["--mesh", "--mesh=4", "--mesh=2x2", "--mesh=a=4"])
def test_partitions_without_a_mesh_leave_open_how_they_lie(mesh: str) -> None:
    values = "--input=1", "--input=2"
    shown = output_of("partitions.mlir", mesh, *values)
    assert "[[3 3 3]\n [3 3 3]]" in shown.replace(".", "")


def test_a_program_that_says_nothing_runs_on_any_mesh() -> None:
    assert "3" in output_of("add.mlir", "--mesh=2", "--input=1", "--input=2")


@pytest.mark.parametrize(
    ("model", "mesh", "message"),
    [
        ("blocks.mlir", "--mesh=4", """mesh 4 is asked for, .*program's is <["x"=2, "y"=2]>"""),
        ("blocks.mlir", "--mesh=y=2,x=2", "mesh y=2,x=2 is asked for, and the program's is"),
        ("partitions.mlir", "--mesh=2", "mesh 2 of 2 devices .* the program has 4 partitions"),
        ("add.mlir", "--mesh", "the program has no mesh"),
        ("blocks.mlir", "--mesh=2xx2", "'2xx2' is no mesh"),
        ("blocks.mlir", "--mesh=x=2,2", "'x=2,2' is no mesh"),
        ("blocks.mlir", "--mesh=x=2,x=2", "an axis twice"),
        ("blocks.mlir", "--mesh=0x2", "it has 0 devices"),
        ("numbered.mlir", "--mesh", "devices do not return the same"),
    ],
)
def test_meshes_that_cannot_be(model: str, mesh: str, message: str) -> None:
    shown = refusal(model, mesh, "--input=random:0")
    assert re.search(message.replace("[", r"\["), shown), shown


@pytest.mark.parametrize(
    "option", ["--partitions=4", "--compare=reference", "--profile", "--check-nans", "--demo"]
)
def test_options_that_mean_nothing_with_a_mesh(option: str) -> None:
    assert "--mesh does not go with" in refusal("blocks.mlir", "--mesh", option)


def test_a_program_of_many_devices_says_how_to_run_it() -> None:
    assert "shlo-run --mesh" in refusal("blocks.mlir", "--input=@whole.npy")


def test_the_grids_size_has_both_names() -> None:
    text = "module {func.func @main() -> tensor<ui32> {%0 = stablehlo.replica_id : tensor<ui32>"
    Path("replicas.mlir").write_text(text + " return %0 : tensor<ui32>}}")
    for name in ("--replicas", "--num-replicas"):
        shown = output_of("replicas.mlir", "--parallel=threads", f"{name}=2")
        assert "process 1:" in shown
