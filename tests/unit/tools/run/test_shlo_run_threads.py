"""shlo-run --threads: the results of any number of threads, from programs and executables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from shlo_run_command import output_of

PRODUCT = """
func.func @main(%x: tensor<200x300xf32>, %y: tensor<300x100xf32>) -> tensor<200x100xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<200x300xf32>, tensor<300x100xf32>) -> tensor<200x100xf32>
  return %0 : tensor<200x100xf32>
}
"""


def test_any_number_of_threads_computes_the_same_bits(tmp_path: Path) -> None:
    (tmp_path / "model.mlir").write_text(PRODUCT)
    saved = tmp_path / "model.shlox"
    results = []
    for number, words in enumerate(
        (
            ["model.mlir", f"--save-executable={saved}"],
            ["model.mlir", "--threads=1"],
            ["model.mlir", "--threads=7"],
            ["model.mlir", "--threads=2", "--parallel=threads"],
            [str(saved), "--threads=1"],
        )
    ):
        out = tmp_path / f"{number}.npy"
        output_of(*words, "--input=random:0", f"--output={out}", cwd=tmp_path)
        results.append(np.load(out))
    assert all(np.array_equal(results[0], result) for result in results[1:])


def test_what_is_compared_with_the_reference_is_kept_to_them(tmp_path: Path) -> None:
    (tmp_path / "model.mlir").write_text(PRODUCT)
    words = ("--input=random:0", "--threads=1", "--compare=reference")
    assert "1 values of 1 ops were compared" in output_of("model.mlir", *words, cwd=tmp_path)
