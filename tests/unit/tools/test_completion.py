"""Every command completes words in bash, zsh and fish after one line; shlo-opt knows its passes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]


def _asked(command: str, **variables: str) -> str:
    """What a command answers to a shell."""
    module, _, function = SCRIPTS[command].partition(":")
    done = subprocess.run(
        [sys.executable, "-c", f"from {module} import {function}; {function}()"],
        env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def _variable(command: str) -> str:
    return f"_{command}_COMPLETE".upper().replace("-", "_")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize("command", SCRIPTS)
def test_a_shell_gets_a_script(command: str, shell: str, tmp_path: Path) -> None:
    """It asks the command again with the variable set; a shell that is here accepts it."""
    script = _asked(command, **{_variable(command): f"{shell}_source"})
    assert f"{_variable(command)}={shell}_complete" in script
    program = shutil.which(shell)
    if program is not None:
        (tmp_path / "script").write_text(script)
        subprocess.run([program, "-n", str(tmp_path / "script")], check=True, timeout=60)


# How each shell tells the words, and how it is told of an option.
REQUESTS = {
    "bash": ({"COMP_WORDS": "{0} --he", "COMP_CWORD": "1"}, "plain,--help"),
    "zsh": ({"COMP_WORDS": "{0} --he", "COMP_CWORD": "1"}, "plain\n--help\n"),
    "fish": ({"COMP_WORDS": "{0} ", "COMP_CWORD": "--he"}, "plain,--help"),
}


@pytest.mark.parametrize("shell", REQUESTS)
@pytest.mark.parametrize("command", SCRIPTS)
def test_a_word_is_completed(command: str, shell: str) -> None:
    variables, answer = REQUESTS[shell]
    words = {name: value.format(command) for name, value in variables.items()}
    report = _asked(command, **{_variable(command): f"{shell}_complete"}, **words)
    assert answer in report.replace("\r", "")


def test_passes_are_completed() -> None:
    """Ours and those of MLIR, also behind another pass and with one dash."""
    for words, names in (
        ("shlo-opt --shlo-legalize-ch", ["--shlo-legalize-check", "--shlo-legalize-chlo"]),
        ("shlo-opt -cse -one-shot-buff", ["--one-shot-bufferize"]),
    ):
        count = str(len(words.split()) - 1)
        report = _asked(
            "shlo-opt", _SHLO_OPT_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=count
        )
        assert report.splitlines() == [f"plain,{name}" for name in names]
