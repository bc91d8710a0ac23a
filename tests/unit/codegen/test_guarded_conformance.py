"""Conformance tests once more, in children: against unmapped pages, or for other processors.

Tests of single ops are always run against unmapped pages; those of whole programs usually share
memory.
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


def passes(files: list[str], *options: str, **environment: str) -> None:
    paths = [str(CONFORMANCE / file) for file in files]
    command = [sys.executable, "-m", "pytest", "-q", "-x", *options, *paths]
    path = os.pathsep.join((str(HERE), str(HERE.parents[1])))
    variables = {**os.environ, "PYTHONPATH": path, **environment}
    done = subprocess.run(command, capture_output=True, text=True, env=variables, cwd=HERE)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]


def test_nothing_outside_is_touched() -> None:
    passes(["test_fusion.py", "test_control_flow.py"], "-p", "guard_plugin")


@pytest.mark.parametrize("target", NARROWER)
def test_narrower_registers(target: str) -> None:
    """The same kernels for processors that this one is not."""
    files = ["test_reduction.py", "test_contraction.py", "test_movement.py", "test_signal.py"]
    files += ["test_bf16_functions.py", "test_windows.py"]
    passes(files, SHLO_TARGET=target)
