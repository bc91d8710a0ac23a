"""A plug-in of pytest that runs ``.mlir`` files: their RUN lines, or the checks in their programs.

It is found by its entry point, and does nothing until such a file is collected. MLIR is never
loaded into pytest's process: tools run in processes of their own, whose end is a test's result.
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from shlo_tools.errors import ShloError
from shlo_tools.testing import fork_server, run_lines, shell, substitutions
from shlo_tools.testing.fork_server import ForkServer

_TIMEOUT = 600.0  # seconds


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare options and what may stand in pytest's configuration file."""
    group = parser.getgroup("shlo-tools", "StableHLO tests in .mlir files")
    group.addoption(
        "--shlo-backend",
        choices=("native", "reference"),
        default="native",
        help="what runs programs that check themselves (default: native)",
    )
    group.addoption(
        "--shlo-timeout",
        type=float,
        metavar="SECONDS",
        help=f"how long one .mlir file may take (default: {_TIMEOUT:g})",
    )
    parser.addini("shlo_timeout", "seconds that one .mlir file may take", default="")
    parser.addini(
        "shlo_files", "patterns of names of files that are tests; empty: none", "args", ["*.mlir"]
    )
    parser.addini("shlo_features", "features for REQUIRES, UNSUPPORTED and XFAIL", "args", [])
    parser.addini("shlo_tools", "further tools of RUN lines: name = command", "linelist", [])


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Take a file that has RUN lines or checks; others are left to other plug-ins."""
    patterns = parent.config.getini("shlo_files")
    if not any(fnmatch.fnmatch(file_path.name, pattern) for pattern in patterns):
        return None
    root = parent.config.rootpath
    inside = file_path.relative_to(root) if file_path.is_relative_to(root) else file_path
    if "Inputs" in inside.parts:  # by lit's custom, what tests read
        return None
    try:
        text = file_path.read_text(encoding="utf-8")
    except UnicodeDecodeError:  # bytecode
        return None
    if "RUN:" not in text and "check." not in text:
        return None
    collected: ProgramFile = ProgramFile.from_parent(parent, path=file_path)
    collected.text = text
    return collected


class ProgramFile(pytest.File):
    """A file that is one test.

    Attributes:
        text: what is in it.
    """

    text: str

    def collect(self) -> Iterator[pytest.Item]:
        """Its RUN lines, or else its checks; skipped where features are missing."""
        try:
            directives = run_lines.read(self.text, str(self.path))
            reason = self._reason_to_skip(directives)
        except ShloError as error:
            raise self.CollectError(f"{self.path}: {error.render()}") from None
        if directives.runs or directives.has_checks:
            name = "RUN" if directives.runs else "checks"
            program: Program = Program.from_parent(self, name=name, directives=directives)
            if reason:
                program.add_marker(pytest.mark.skip(reason=reason))
            yield program

    def _reason_to_skip(self, directives: run_lines.Directives) -> str:
        features = _features(self.config)
        if missing := directives.missing(features):
            return f"requires {', '.join(missing)}"
        excluding = directives.excluding(features)
        return f"unsupported with {', '.join(excluding)}" if excluding else ""


class _Failed(Exception):
    """A test failed, for a reason that its text tells."""


class Program(pytest.Item):
    """The test of a file: it passes where all RUN lines, or all checks, do."""

    def __init__(self, *, directives: run_lines.Directives, **others: Any) -> None:
        super().__init__(**others)
        self.directives = directives

    def runtest(self) -> None:
        """Run it."""
        try:
            self._run()
        except ShloError as error:
            raise _Failed(f"{self._where()}: {error.render()}") from None

    def _run(self) -> None:
        features = _features(self.config)
        reason = self.directives.expected_failure(features)
        failure, may_be_expected = (
            self._failure_of_runs(features) if self.directives.runs else self._failure_of_checks()
        )
        if failure and reason and may_be_expected:
            pytest.xfail(f"XFAIL: {reason}")
        if failure:
            raise _Failed(failure)
        if reason:
            raise _Failed(f"{self._where()}: passes, and XFAIL: {reason} says that it must not")

    def _failure_of_runs(self, features: set[str]) -> tuple[str, bool]:
        """What went wrong, and whether XFAIL may speak of it: not where the time was up."""
        runs, environment = self.directives.runs, substitutions.environment()
        needs_filecheck = any("FileCheck" in run.command for run in runs)
        tools = _tools(tuple(self.config.getini("shlo_tools")), needs_filecheck)
        outcome = shell.run(self.path, runs, tools, features, environment, self._timeout())
        if not outcome.problem:
            return "", True
        line = outcome.line or runs[0].line
        written = next(run.command for run in runs if run.line == line)
        message = [f"{self._where(line)}: RUN line {outcome.problem}", f"  {written}"]
        if outcome.command and outcome.command != written:
            message += ["it stands for", f"  {outcome.command}"]
        message += ["output:", outcome.output.rstrip()] if outcome.output.strip() else []
        return "\n".join(message), not outcome.timed_out

    def _failure_of_checks(self) -> tuple[str, bool]:
        backend = self.config.getoption("--shlo-backend")
        command = [*substitutions.command("shlo_tools.tools.run", _server()), str(self.path)]
        command += ["--split-input-file", f"--backend={backend}"]
        timeout = self._timeout()
        status, output = shell.run_program(command, substitutions.environment(), timeout)
        if status == 0:
            return "", True
        problem = f"took more than {timeout:g} seconds" if status is None else "failed"
        text = f"{self._where()}: {problem} on the {backend} backend\n{output.rstrip()}"
        return text, status is not None

    def _timeout(self) -> float:
        option = self.config.getoption("--shlo-timeout")
        text = str(option if option is not None else self.config.getini("shlo_timeout") or _TIMEOUT)
        try:
            seconds = float(text)
        except ValueError:
            seconds = 0.0
        if not seconds > 0:
            raise pytest.UsageError(f"shlo_timeout={text}: a number of seconds above 0 is wanted")
        return min(seconds, 1e8)

    def _where(self, line: int = 0) -> str:
        try:
            path = self.path.relative_to(self.config.invocation_params.dir)
        except ValueError:
            path = self.path
        return f"{path}:{line}" if line else str(path)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The reason alone, without Python's frames, where a test failed."""
        if isinstance(excinfo.value, _Failed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the test is: the file, and its first RUN line."""
        runs = self.directives.runs
        return self.path, runs[0].line - 1 if runs else None, self.name


def _features(config: pytest.Config) -> set[str]:
    return substitutions.features(config.getini("shlo_features"))


@cache
def _tools(rows: tuple[str, ...], needs_filecheck: bool) -> list[tuple[str, str]]:
    """The words of RUN lines; ``rows`` are what the configuration adds."""
    others = {} if needs_filecheck else {"FileCheck": "FileCheck"}
    for row in rows:
        name, equals, command = row.partition("=")
        if not equals:
            raise ShloError(f"shlo_tools: {row!r} is not name = command")
        others[name.strip()] = command.strip()
    return substitutions.substitutions(others, _server())


@cache
def _server() -> ForkServer | None:
    """What runs tools, for all tests of this process."""
    return fork_server.start({**os.environ, **substitutions.environment()})
