"""Running the RUN lines of a file in a shell, within a time."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from shlo_tools.errors import ShloError
from shlo_tools.process_groups import group_of
from shlo_tools.testing import run_lines
from shlo_tools.testing.run_lines import RunLine

_MOST = 20_000  # characters of output that are reported

# What LLVM's ``not`` does: a command has to fail, and not by a signal.
_NOT = """set -o pipefail
not() {
  local crash=; if [ "$1" = --crash ]; then crash=1; shift; fi
  "$@"; local status=$?
  if [ $status -gt 128 ]; then [ -n "$crash" ]; return; fi
  [ -z "$crash" ] && [ $status -ne 0 ] && [ $status -lt 126 ]
}"""


@dataclass(frozen=True)
class Outcome:
    """How commands ended.

    Attributes:
        problem: ``failed with status 1``; empty where all went well.
        line: which RUN line it was; 0 where none began.
        command: what the shell ran there.
        output: what they wrote, the end of it where it is long.
        timed_out: whether they took too long.
    """

    problem: str = ""
    line: int = 0
    command: str = ""
    output: str = ""
    timed_out: bool = False


def words(file: Path, folder: Path) -> dict[str, str]:
    """What ``%s``, ``%t`` and so on stand for."""
    temporary = folder / f"{file.name}.tmp"
    return {
        "%basename_t": temporary.name,
        "%{s:basename}": file.name,
        "%{s:stem}": file.stem,
        "%{pathsep}": os.pathsep,
        "%S": str(file.parent),
        "%p": str(file.parent),
        "%s": str(file),
        "%T": str(folder),
        "%t": str(temporary),
    }


def run(
    file: Path,
    runs: Sequence[RunLine],
    tools: Sequence[tuple[str, str]],
    features: Collection[str],
    environment: dict[str, str],
    timeout: float,
) -> Outcome:
    """Run commands one after the other until one fails, in a folder of their own.

    Args:
        tools: patterns and what they stand for, see ``substitutions``.
        environment: the variables that commands see.
        timeout: seconds for all of them.

    Raises:
        ShloError: there is no bash, or a command has an ``%if`` that is none.
    """
    bash = shutil.which("bash")
    if bash is None:
        raise ShloError("RUN lines need bash", hint="install it, or run the tests with lit")
    with tempfile.TemporaryDirectory(prefix="shlo-tests-", ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        known = words(file, folder)
        commands = {
            line: run_lines.expanded(command, tools, known, features) for line, command in runs
        }
        state, output = folder / ".line", folder / ".output"
        state.touch()
        script = [_NOT]
        for line, command in commands.items():
            stop = 'shlo_status=$?; [ "$shlo_status" = 0 ] || exit "$shlo_status"'
            script += [f"echo {line} > '{state}'", command, stop]
        with output.open("wb") as stream:
            status = _status([bash, "-c", "\n".join(script)], folder, stream, environment, timeout)
        if status == 0:
            return Outcome()
        began = int(state.read_text() or 0)
        text = output.read_text(errors="replace")
        shown = text if len(text) <= _MOST else f"... {text[-_MOST:]}"
        problem = _problem(status, timeout)
        return Outcome(problem, began, commands.get(began, ""), shown, status is None)


def run_program(
    command: Sequence[str], environment: dict[str, str], timeout: float
) -> tuple[int | None, str]:
    """Run one program; its exit status, none where it took too long, and what it wrote."""
    with tempfile.TemporaryFile() as stream:
        status = _status(command, Path.cwd(), stream, environment, timeout)
        stream.seek(0)
        return status, stream.read().decode(errors="replace")


def _status(
    command: Sequence[str],
    folder: Path,
    stream: IO[bytes],
    environment: dict[str, str],
    timeout: float,
) -> int | None:
    """The exit status; None where the time was up, and all that was started is gone."""
    with group_of(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=stream,
        stderr=subprocess.STDOUT,
    ) as process:
        try:
            return int(process.wait(timeout))
        except subprocess.TimeoutExpired:
            return None


def _problem(status: int | None, timeout: float) -> str:
    if status is None:
        return f"took more than {timeout:g} seconds"
    number = -status if status < 0 else status - 128
    if number in {each.value for each in signal.Signals}:
        return f"died of {signal.Signals(number).name}"
    return f"failed with status {status}"
