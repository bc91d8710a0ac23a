"""``from_torch`` against PyTorch, in a process of its own: others of these tests load JAX."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.peer

SCRIPT = Path(__file__).with_name("torch_script.py")


def test_results_are_those_of_pytorch(tmp_path: Path) -> None:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("PyTorch is not installed")
    environment = {
        "PYTHONPATH": str(SCRIPT.parents[2]),
        "PATH": "",
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, str(SCRIPT)],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=tmp_path,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "all agree\n"
