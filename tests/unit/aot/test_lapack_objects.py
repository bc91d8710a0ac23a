"""With ``lapack`` objects call LAPACKE and CBLAS by their usual names, which are linked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from c_programs import build, needs_a_compiler

from shlo_tools.cpu import symbols

pytestmark = needs_a_compiler

PROGRAMS = Path(__file__).parents[2] / "programs"
FUNCTIONS = ("LAPACKE_spotrf", "cblas_strsm")


def test_a_system_solved_by_cholesky(tmp_path: Path) -> None:
    """OpenBLAS of another package has the functions under names with a prefix."""
    blas = Path(symbols.blas()._name)
    jumps = [f".globl {name}\n{name}: jmp scipy_{name}@PLT\n" for name in FUNCTIONS]
    (tmp_path / "jumps.s").write_text("".join(jumps) + '.section .note.GNU-stack,"",@progbits\n')
    options = ["jumps.s", str(blas), f"-Wl,-rpath,{blas.parent}"]
    source = (PROGRAMS / "cholesky_solve.mlir").read_text()
    program = build(tmp_path, source, *options, lapack=True)
    arrays = np.load(PROGRAMS / "cholesky_solve.npz")
    inputs = [arrays[name] for name in sorted(arrays) if name.startswith("arg")]
    outputs = [arrays[name] for name in sorted(arrays) if name.startswith("result")]
    assert len(outputs) == len(program.results)
    for result, expected in zip(program.run(*inputs), outputs, strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)
