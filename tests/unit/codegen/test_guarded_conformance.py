"""Kernels neither read nor write outside of their buffers, over a slice of the conformance tests.

In children, since what reaches outside ends the process.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from staged_programs import NARROWER

HERE = Path(__file__).parent
CONFORMANCE = HERE.parents[1] / "conformance"


def passes(files: list[str], **environment: str) -> None:
    paths = [str(CONFORMANCE / file) for file in files]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "guard_plugin", *paths]
    variables = {**os.environ, "PYTHONPATH": str(HERE), **environment}
    done = subprocess.run(command, capture_output=True, text=True, env=variables, cwd=HERE)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]


@pytest.mark.parametrize(
    "files",
    [
        ["test_elementwise.py", "test_convert.py", "test_bitcast.py"],
        ["test_reduction.py", "test_reduction_bodies.py", "test_windows.py", "test_scans.py"],
        ["test_contraction.py", "test_convolution.py"],
        ["test_movement.py", "test_scatter.py", "test_sort.py"],
        ["test_fusion.py", "test_control_flow.py"],
        ["test_signal.py"],
    ],
    ids=lambda files: files[0].removesuffix(".py"),
)
def test_nothing_outside_is_touched(files: list[str]) -> None:
    passes([file for file in files if (CONFORMANCE / file).exists()])


@pytest.mark.parametrize("target", NARROWER)
def test_narrower_registers(target: str) -> None:
    """The same kernels for processors that this one is not."""
    files = ["test_reduction.py", "test_contraction.py", "test_movement.py", "test_signal.py"]
    files += ["test_bf16_functions.py", "test_windows.py"]
    passes(files, SHLO_TARGET=target)
