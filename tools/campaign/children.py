"""Worker processes with limits: a death or a hang there is an outcome here."""

from __future__ import annotations

import json
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from shlo_tools.errors import ShloError
from shlo_tools.tools.campaign.outcome import DEAD, HUNG, Case, Outcome

START = 60.0  # seconds that a worker may need to load everything
_TELLING = re.compile(r"Fatal|LLVM ERROR|Assertion|terminate|[\w.]+(Error|Exception)\b")


class _TooLong(Exception):
    """The worker said nothing for longer than it may."""


class Worker:
    """A worker process, started when it is first needed and again after it died.

    Args:
        seconds: for one case.
        gigabytes: of addresses, libraries included, and so of memory.
    """

    def __init__(self, seconds: float, gigabytes: float) -> None:
        self.seconds, self.gigabytes = seconds, gigabytes
        self._warm = False
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    def seeds(self, kind: str, seeds: Sequence[int]) -> list[Outcome]:
        """The outcomes of some seeds; where the worker dies, each is tried by itself."""
        answer = self._ask({"kind": kind, "seeds": list(seeds)}, self.seconds * len(seeds))
        if not isinstance(answer, Outcome):
            return [Outcome(*row) for row in answer]
        if len(seeds) == 1:
            return [answer]
        return [outcome for seed in seeds for outcome in self.seeds(kind, [seed])]

    def check(self, case: Case) -> Outcome:
        answer = self._ask({"kind": case.kind, "case": case.data()}, self.seconds)
        return answer if isinstance(answer, Outcome) else Outcome(*answer[0])

    def draw(self, kind: str, seed: int) -> Case | None:
        """The case of a seed; None where drawing it ends the worker."""
        answer = self._ask({"kind": kind, "draw": seed}, self.seconds)
        return None if isinstance(answer, Outcome) else Case(**answer)

    def _ask(self, request: dict[str, Any], seconds: float) -> Any:
        process = self._process or self._start()
        if process.stdin is None:
            raise ShloError("the worker has no pipes")
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = self._line(seconds if self._warm else seconds + START)
        except BrokenPipeError:
            line = ""
        except _TooLong:
            self.end()
            return Outcome(HUNG, f"nothing for {seconds:g} s")
        if line:
            self._warm = True
            return json.loads(line)
        status = process.wait()
        words = self._last_words()
        self.end()
        name = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        return Outcome(DEAD, f"{name}: {words}")

    def _line(self, seconds: float) -> str:
        """What the worker says next; '' when it has died."""
        try:
            return self._lines.get(timeout=seconds)
        except queue.Empty:
            raise _TooLong from None

    def _start(self) -> subprocess.Popen[str]:
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 (closed by end)
        module = "shlo_tools.tools.campaign.worker"
        process = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", "-m", module, f"{self.gigabytes:g}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )
        self._warm = False
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._process = process
        self._listener = threading.Thread(target=self._listen, args=(process,), daemon=True)
        self._listener.start()
        return process

    def _listen(self, process: subprocess.Popen[str]) -> None:
        if process.stdout is not None:
            for line in process.stdout:
                self._lines.put(line)
        self._lines.put("")  # it has died

    def _last_words(self) -> str:
        self._errors.seek(0)
        lines = [line.strip() for line in self._errors.read().splitlines() if line.strip()]
        telling = [line for line in lines if _TELLING.match(line)]
        return (telling or lines or [""])[0][:200]

    def end(self) -> None:
        """End the process; the next request starts another one."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        self._listener.join()
        for stream in (process.stdin, process.stdout, self._errors):
            if stream is not None:
                stream.close()
