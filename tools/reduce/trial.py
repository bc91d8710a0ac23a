"""Running the command that tells whether a program shows what it is about."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from shlo_tools.errors import ShloError
from shlo_tools.process_groups import group_of

TIMED_OUT = "timeout"


@dataclass(frozen=True)
class Ending:
    """How a command ended: its exit status (-n for signal n, or ``timeout``), and all it said."""

    status: int | str
    output: str

    def __str__(self) -> str:
        if isinstance(self.status, int) and self.status < 0:
            return f"died of {signal.Signals(-self.status).name}"
        return "ran out of time" if self.status == TIMED_OUT else f"exit status {self.status}"


@dataclass(frozen=True)
class Trial:
    """A command to try programs with.

    Attributes:
        command: for the shell; ``{}`` is the path of a file that holds the program.
        match: a regular expression that the output has to hold; '' for any output.
        timeout: seconds.
        environment: the variables that it sees; None for those of this process.
    """

    command: str
    match: str = ""
    timeout: float = 60.0
    environment: Mapping[str, str] | None = None

    def run(self, text: str) -> Ending:
        """Run the command on a program, in a process group of its own."""
        with tempfile.TemporaryDirectory(prefix="shlo-reduce-") as folder:
            path = Path(folder, "candidate.mlir")
            path.write_text(text)
            command = self.command.replace("{}", shlex.quote(str(path)))
            options = {"shell": True, "env": self.environment, "stdin": subprocess.DEVNULL}
            streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
            with group_of(command, **options, **streams) as process:
                try:
                    output, _ = process.communicate(timeout=self.timeout)
                except subprocess.TimeoutExpired:
                    return Ending(TIMED_OUT, "")
        status = process.returncode
        # What a shell says of a child that a signal ended.
        status = 128 - status if 128 < status < 160 else status
        return Ending(status, output.decode(errors="replace"))

    def alike(self, ending: Ending, first: Ending) -> bool:
        """Whether a program fails as the first one did."""
        return ending.status == first.status and self._matches(ending)

    def first(self, text: str) -> Ending:
        """How the program as it is fails.

        Raises:
            ShloError: it does not, or not as it should.
        """
        if "{}" not in self.command:
            message = f"--test={self.command!r} does not say where the program goes"
            raise ShloError(message, hint="write {} for its path: --test='shlo-opt {} --cse'")
        ending = self.run(text)
        if ending.status == 0 and not self.match:
            message = "the test succeeds on the program as it is: there is no failure to keep"
            hint = "a command that should succeed on what is kept: --test='! command {}'"
            raise ShloError(message, hint=hint)
        if not self._matches(ending):
            last = ending.output.strip().splitlines()[-1:] or ["nothing"]
            message = f"the output of the test does not match {self.match!r} ({ending})"
            raise ShloError(message, hint=f"it says last: {last[0]}")
        return ending

    def _matches(self, ending: Ending) -> bool:
        return not self.match or re.search(self.match, ending.output) is not None
