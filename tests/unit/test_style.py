"""The tools that keep the code in shape agree with it: ruff and mypy --strict."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("shlo_tools", "passes", "tools", "tests", "lit.cfg.py")


def _said_by(*command: str, cwd: Path = ROOT) -> str:
    """What a tool complains of; empty where it does not."""
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=cwd, capture_output=True, text=True, timeout=600
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(("ruff", "format", "--diff", "--quiet", *SOURCES), id="format"),
        pytest.param(("ruff", "check", "--output-format=concise", *SOURCES), id="lint"),
        # The package, with passes and tools in it, as pyproject.toml says.
        pytest.param(("mypy",), id="types"),
    ],
)
def test_nothing_to_complain_of(command: tuple[str, ...]) -> None:
    said = _said_by(*command)
    if said:
        pytest.fail(said, pytrace=False)


@pytest.mark.parametrize("folder", ["passes", "tools"])
def test_types_are_checked_behind_the_symlinks(folder: str, tmp_path: Path) -> None:
    """The test above would notice a wrong type in ``passes`` and ``tools``."""
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    (tmp_path / "shlo_tools").mkdir()
    (tmp_path / "shlo_tools" / "__init__.py").touch()
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "__init__.py").write_text("x: int = 'one'\n")
    (tmp_path / "shlo_tools" / folder).symlink_to(Path("..") / folder)
    assert f"shlo_tools/{folder}/__init__.py:1: error:" in _said_by("mypy", cwd=tmp_path)
