"""Every code block of README and ``docs/`` runs, and prints what the page says.

What stands behind a block's language says what becomes of it:

    python, sh, console       runs, in a folder that all blocks of a page share
    <language> file=NAME      is written to that file
    <language> norun=REASON   is left alone
    <language> needs=COMMAND  runs where there is such a command; else the rest of the page does not

In a ``console`` block lines after ``$ `` are commands (one that ends in a backslash goes on), and
what follows is their whole output; a line ``...`` stands for any lines, and three dots in a line
for any text. A command that fails is followed by its status: ``[1]``. Blocks of other languages are
text.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
import pytest
from served import module

from shlo_tools.testing.fork_server import write_command

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
# A page whose blocks have a test of their own, which also checks what they print.
ELSEWHERE = {"custom_calls.md": "tests/unit/extend/test_custom_call_docs.py"}
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

# What the README's commands find: a program of two arguments.
MODEL = """func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
FOLDERS = ["passes", "shlo_tools", "tools", "tests", "docs", ".ci"]
# Blocks of the README that do not run here, by how they begin.
README_LEAVES = {
    "python3 -m venv": "installs; test_packaging and .ci run it",
    'eval "$(_SHLO_OPT': "lines of three shells; test_completion asks for what they evaluate",
}


@dataclass(frozen=True)
class Block:
    """A code block: its line in the page, what stands behind the fence, its text."""

    line: int
    language: str
    words: dict[str, str]
    text: str


def _blocks(page: Path) -> list[Block]:
    text = page.read_text()
    blocks = []
    for match in re.finditer(r"^```(\w+)([^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        words = dict(re.findall(r"(\w+)=(\S+)", match[2]))
        line = text.count("\n", 0, match.start()) + 1
        blocks.append(Block(line, match[1], words, match[3]))
    return blocks


def _tools(folder: Path) -> None:
    """Commands as they are where the package is installed."""
    folder.mkdir()
    commands = {
        name: module(target.removesuffix(".command:main")) for name, target in SCRIPTS.items()
    }
    commands |= {
        "lit": [sys.executable, "-c", "from lit.main import main; main()"],
        "pytest": [sys.executable, "-m", "pytest"],
        "python": [sys.executable],
        "python3": [sys.executable],
    }
    for name, words in commands.items():
        write_command(folder / name, words)


def _run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(folder.parent / "bin"), os.environ["PATH"]]),
        "PYTHONPATH": str(ROOT),
        "PYTEST_PLUGINS": "shlo_tools.testing.pytest_plugin",
        "PYTEST_ADDOPTS": "-p no:cacheprovider",
        "NO_COLOR": "1",
        "COLUMNS": "80",
    }
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )


def _console(text: str) -> list[tuple[str, list[str], int]]:
    """Commands, their output, and their status."""
    results: list[tuple[str, list[str], int]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            results.append((line[2:], [], 0))
            continue
        command, output, status = results[-1]
        if command.endswith("\\"):
            results[-1] = (f"{command[:-1]}{line}", output, status)
        elif match := re.fullmatch(r"\[(\d+)\]", line):
            results[-1] = (command, output, int(match[1]))
        else:
            output.append(line.rstrip())
    return results


def _matches(output: str, lines: list[str]) -> bool:
    """Whether an output is as a page shows it."""
    parts = [
        r"(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + r"\s*?\n"
        for line in lines
    ]
    return (
        re.fullmatch("".join(parts), f"{output.rstrip()}\n" if output.strip() else "") is not None
    )


def _check(block: Block, folder: Path) -> str:
    """What is wrong with a block; empty where nothing is."""
    if "file" in block.words:
        path = folder / block.words["file"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text)
    elif block.language == "console":
        for command, lines, status in _console(block.text):
            done = _run(["bash", "-c", command], folder)
            if done.returncode != status or not _matches(done.stdout, lines):
                return f"$ {command}\n{done.stdout}[{done.returncode}]"
    elif block.language in ("python", "sh"):
        start = [sys.executable, "-c"] if block.language == "python" else ["bash", "-euc"]
        done = _run([*start, block.text], folder)
        return f"{done.stdout}[{done.returncode}]" if done.returncode else ""
    return ""


def _readme(blocks: list[Block], folder: Path) -> list[Block]:
    """The README's blocks that run, and what they find."""
    (folder / "model.mlir").write_text(MODEL)
    np.save(folder / "x.npy", np.zeros(4, np.float32))
    kept = [b for b in blocks if not b.text.startswith(tuple(README_LEAVES))]
    (folder / "count_ops.py").write_text(
        next(block.text for block in kept if "class CountOps" in block.text)
    )
    (folder / ".venv/bin").mkdir(parents=True)  # as the first block would have made it
    (folder / ".venv/bin/activate").touch()
    return kept


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path) -> None:
    if page.name in ELSEWHERE:
        assert page.name in (ROOT / ELSEWHERE[page.name]).read_text()
        return
    _tools(tmp_path / "bin")
    folder = tmp_path / "page"
    folder.mkdir()
    blocks = _blocks(page)
    for block in _readme(blocks, folder) if page.name == "README.md" else blocks:
        if "norun" in block.words:
            continue
        if not shutil.which(command := block.words.get("needs", "sh")):
            pytest.skip(f"there is no {command}")
        problem = _check(block, folder)
        assert not problem, f"{page.name}:{block.line}\n{problem}"


def test_what_a_page_says_is_compared(tmp_path: Path) -> None:
    """The test above would notice wrong output, wrong statuses and broken code."""
    _tools(tmp_path / "bin")
    folder = tmp_path / "page"
    folder.mkdir()
    for language, text, is_right in (
        ("console", "$ echo a; echo b\na\nb\n", True),
        ("console", "$ echo a; echo b; echo c\na\n...\nc\n", True),
        ("console", "$ echo a; echo b\na\n", False),
        ("console", "$ echo a\n", False),
        ("console", "$ echo a; exit 3\na\n[3]\n", True),
        ("console", "$ echo a; exit 3\na\n", False),
        ("console", "$ echo \\\n  a\na\n", True),
        ("sh", "false\ntrue\n", False),
        ("python", "raise ValueError\n", False),
        ("python", "import shlo_tools\n", True),
        ("text", "anything\n", True),
    ):
        assert (not _check(Block(1, language, {}, text), folder)) == is_right, text


def test_nothing_is_left_out_that_is_not_there() -> None:
    texts = [block.text for block in _blocks(PAGES[0])]
    for start in README_LEAVES:
        assert any(text.startswith(start) for text in texts), start


def test_places_of_decisions() -> None:
    """What stands behind ``Where:`` is there, by its path or the end of it."""
    text = (ROOT / "docs/decisions.md").read_text()
    places = re.findall(r"Where: (.*?)(?:\n\n|\Z)", text, re.DOTALL)
    paths = {
        name.rstrip("/")
        for place in places
        for name in re.findall(r"`([^`]+)`", place)
        if "/" in name or name.endswith(".py")
    }
    assert len(paths) > 150
    known = [str(p.relative_to(ROOT)) for folder in FOLDERS for p in (ROOT / folder).rglob("*")]
    known += FOLDERS
    missing = [p for p in sorted(paths) if not any(fnmatch(f"/{k}", f"*/{p}") for k in known)]
    assert not missing
