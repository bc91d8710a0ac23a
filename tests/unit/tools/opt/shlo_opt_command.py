"""``shlo-opt`` as a process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from served import module

ROOT = Path(__file__).resolve().parents[4]
PLUGIN = ROOT / "tests" / "lit" / "shlo-opt" / "Inputs" / "plugin.py"
DEEP = 20_000


GOOD = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %x, %x : tensor<f32>
  return %0 : tensor<f32>
}
"""


COMMAND = [sys.executable, "-m", "shlo_tools.tools.opt"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def shlo_opt(
    *arguments: str | Path, source: str | bytes = b"", cwd: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*module("shlo_tools.tools.opt"), *map(str, arguments)],
        input=source.encode() if isinstance(source, str) else source,
        capture_output=True,
        cwd=cwd,
        env=ENVIRONMENT,
        timeout=120,
    )
