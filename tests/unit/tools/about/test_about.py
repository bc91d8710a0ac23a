"""``python -m shlo_tools`` tells what is installed, and fails where something does not work."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import shlo_tools
from shlo_tools import mlir
from shlo_tools.tools.about import facts

ROOT = Path(__file__).resolve().parents[4]


def _about(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", **variables}
    command = [sys.executable, "-m", "shlo_tools", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)


def test_all_is_told_where_all_is_well(tmp_path: Path) -> None:
    done = _about("--json", SHLO_CACHE_DIR=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    known = json.loads(done.stdout)
    assert known["shlo-tools"] == shlo_tools.__version__
    assert known["packages"]["numpy"] == np.__version__
    assert known["packages"][mlir.DISTRIBUTION] == metadata.version(mlir.DISTRIBUTION)
    assert known["versions"]["StableHLO"] == mlir.stablehlo_version()
    assert known["versions"]["cache"]["folder"].startswith(str(tmp_path))
    assert [row["step"] for row in known["self-test"]] == [
        *("read a program", "compile it", "run it", "run the reference", "compare them")
    ]
    assert known["problems"] == [row["problem"] for row in known["self-test"] if row["problem"]]


def test_people_read_the_same() -> None:
    text = _about(SHLO_CACHE_DIR="").stdout
    assert text.startswith(f"shlo-tools {shlo_tools.__version__}")
    assert mlir.TESTED_VERSION in text
    assert "none: nothing is kept" in text
    assert text.count("\n  ok ") == 5


def test_what_is_broken_is_an_error(tmp_path: Path) -> None:
    """Bindings that cannot be imported, and a target that this machine has not."""
    (tmp_path / mlir.PROVIDER).mkdir()
    (tmp_path / mlir.PROVIDER / "__init__.py").write_text("raise ImportError('broken')")
    done = _about(PYTHONPATH=f"{tmp_path}{os.pathsep}{ROOT}")
    assert done.returncode == 1
    assert "error: the MLIR bindings cannot be imported: broken" in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr
    assert f"shlo-tools {shlo_tools.__version__}" in done.stdout
    done = _about("--json", SHLO_TARGET="abacus")
    assert done.returncode == 1
    assert "this machine has no such target" in done.stderr
    assert json.loads(done.stdout)["problems"]


def test_a_crash_is_told(tmp_path: Path) -> None:
    (tmp_path / mlir.PROVIDER).mkdir()
    (tmp_path / mlir.PROVIDER / "__init__.py").write_text("import os; os.kill(os.getpid(), 11)")
    done = _about(PYTHONPATH=f"{tmp_path}{os.pathsep}{ROOT}")
    assert done.returncode == 1
    assert "error: crashed with SIGSEGV while loading MLIR" in done.stderr


def test_other_versions_than_the_tested_one_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = {mlir.DISTRIBUTION: "20200101", "click": None}
    monkeypatch.setattr(facts, "version", lambda name: numbers.get(name, "1.0"))
    second, first = facts.problems(facts.facts())
    assert first == "click is not installed: pip install click"
    assert f"{mlir.DISTRIBUTION} 20200101 is not the tested version" in second
    assert f"pip install {mlir.DISTRIBUTION}=={mlir.TESTED_VERSION}" in second


def test_there_is_help() -> None:
    assert "Examples:" in _about("--help").stdout
    assert _about("--version").stdout == f"{shlo_tools.__version__}\n"
    assert "error: " in _about("--no-such").stderr
