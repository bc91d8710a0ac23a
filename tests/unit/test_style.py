"""The tools that keep the code in shape agree with it (ruff and mypy --strict), and so do names."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shlo_tools.garbage import uncollected

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
    message = _said_by(*command)
    if message:
        pytest.fail(message, pytrace=False)


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


# They tell what happened to a thing, not what it is: ``match``, ``attributes``, ``expected`` do.
PARTICIPLES = {
    *("asked", "found", "given", "held", "made", "read"),
    *("said", "seen", "taken", "told", "wanted"),
}


def _variables(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The names of variables, parameters, fields and attributes, where they are bound."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name
            case ast.arg(arg=name) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield node.lineno, name


def _participles(tree: ast.Module) -> list[tuple[int, str]]:
    return [row for row in _variables(tree) if row[1].strip("_") in PARTICIPLES]


def test_participles_are_seen() -> None:
    text = """
def read(made: int) -> int:  # functions may be verbs
    for held in range(made):
        self._found = [taken for taken in held]
    match made:
        case [*seen]:
            return found(given=made)
"""
    names = {name for _, name in _participles(ast.parse(text))}
    assert names == {"made", "held", "_found", "taken", "seen"}


def test_variables_are_named_after_what_they_hold() -> None:
    with uncollected():
        vague = [
            f"{path.relative_to(ROOT)}:{line}: {name}"
            for folder in ("shlo_tools", "passes", "tools", "tests")
            for path in sorted((ROOT / folder).rglob("*.py"))
            for line, name in _participles(ast.parse(path.read_text()))
        ]
    assert not vague, "\n".join(vague)
