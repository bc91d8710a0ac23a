"""shlo-bench beside XLA: both rows, and results that agree."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.peer

PYTHON = os.environ.get("SHLO_XLA_PYTHON", sys.executable)
PROGRAM = """func.func @main(%x: tensor<64x32xf32>, %y: tensor<64x32xbf16>)
    -> (tensor<64x32xf32>, tensor<64x32xbf16>) {
  %0 = stablehlo.add %x, %x : tensor<64x32xf32>
  return %0, %y : tensor<64x32xf32>, tensor<64x32xbf16>
}
"""


def test_both_engines_have_times(tmp_path: Path) -> None:
    """A sum of two numbers is exact, so that nothing differs."""
    (tmp_path / "model.mlir").write_text(PROGRAM)
    words = ["--against=xla", f"--xla-python={PYTHON}", "--repeats=1", "--rounds=2"]
    command = [sys.executable, "-m", "shlo_tools.tools.bench", "model.mlir", "--json=x.json"]
    root = str(Path(__file__).resolve().parents[2])
    environment = {**os.environ, "PYTHONPATH": root}
    done = subprocess.run([*command, *words], cwd=tmp_path, env=environment, timeout=200)
    assert done.returncode == 0
    data = json.loads((tmp_path / "x.json").read_text())
    assert data["difference"] == {"xla": 0.0}
    assert all(len(data["run"][engine]) == 2 for engine in ("shlo-tools", "xla"))
