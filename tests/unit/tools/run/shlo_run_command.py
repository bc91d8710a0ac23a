"""The command under test, and two programs for it, shared by the test files of shlo-run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from served import module

ROOT = Path(__file__).resolve().parents[4]
PROGRAMS = ROOT / "tests" / "programs"
COMMAND = [sys.executable, "-m", "shlo_tools.tools.run"]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT), "NO_COLOR": "1"}

ADD = """\
func.func @main(%x: tensor<2x3xf32> loc("images"), %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.add %x, %y : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
func.func private @twice(%x: tensor<?xi8>) -> tensor<?xi8> {
  %0 = stablehlo.add %x, %x : tensor<?xi8>
  return %0 : tensor<?xi8>
}
"""
ENDLESS = """\
func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.while(%i = %x) : tensor<i32>
    cond {
      %even = stablehlo.remainder %i, %two : tensor<i32>
      %more = stablehlo.compare EQ, %even, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %next = stablehlo.add %i, %two : tensor<i32>
      stablehlo.return %next : tensor<i32>
    }
  return %0 : tensor<i32>
}
"""


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*module("shlo_tools.tools.run"), *arguments],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=120,
        stdin=None if "input" in options else subprocess.DEVNULL,
        **options,
    )


def output_of(*arguments: str, **options: Any) -> str:
    """What a run that must succeed prints."""
    done = run(*arguments, **options)
    assert (done.returncode, done.stderr) == (0, "")
    return str(done.stdout)


def refusal(*arguments: str, **options: Any) -> str:
    """What a run that must fail says: no result, no traceback, status 1."""
    done = run(*arguments, **options)
    assert done.returncode == 1, done
    assert "Traceback" not in done.stderr
    assert "error: " in done.stderr
    assert done.stdout == ""
    return str(done.stderr)
