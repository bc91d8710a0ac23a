"""Engines in child processes, of which one at a time may run."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import shlo_tools

ROOT = Path(shlo_tools.__file__).resolve().parents[1]
_LAST = 10.0  # seconds that launched processes have to end
_CACHE = ROOT / "build" / "bench-cache"  # machine code of the process library, made before


def _without_cache(folder: Path) -> dict[str, str]:
    """Variables with which nothing is kept but the process library's parts, in a folder."""
    left = {name: value for name, value in os.environ.items() if name != "SHLO_CACHE_DIR"}
    return {**left, "XDG_CACHE_HOME": str(folder)}


class EngineProcess:
    """A benchmark's worker; stopped but while it answers, so that it takes no time of others.

    Args:
        python: the interpreter that has the engine.
        module: the worker, in this package: ``workers.xla_worker``.
        limit: seconds for an answer; a worker that takes longer is ended.
        path: where this package is found; nothing else there, if ``python`` is another one.
        cache: the folder for machine code.
        launcher: what starts ``python``, where something does: ``mpiexec -n 2``.
        arguments: of the worker.
        variables: of its environment, besides this process's.
    """

    def __init__(
        self,
        python: str,
        module: str,
        limit: float = 600.0,
        *,
        path: Path = ROOT,
        cache: Path = _CACHE,
        launcher: Sequence[str] = (),
        arguments: Sequence[str] = (),
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.limit = limit
        self._is_launched = bool(launcher)
        self._messages = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            [*launcher, python, "-m", f"shlo_tools.tools.bench.{module}", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._messages,
            text=True,
            env={**_without_cache(cache), "PYTHONPATH": str(path), **(variables or {})},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._is_launched:
            self._end_launched()
        self._process.kill()
        self._process.wait()
        self._messages.close()

    def _end_launched(self) -> None:
        """Have what was launched come to its end: killed, it would leave memory of the system's."""
        if self._process.stdin is None or self._process.poll() is not None:
            return
        self._process.send_signal(signal.SIGCONT)
        self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_LAST)

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request; a worker that ends or takes too long answers with an error."""
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the worker has no pipes")
        if self._process.poll() is not None:
            return {"error": self._last_words()}
        self._process.send_signal(signal.SIGCONT)
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            ready, _, _ = select.select([self._process.stdout], [], [], self.limit)
            if not ready:
                self._process.kill()
                return {"error": f"no answer within {self.limit:.0f} s"}
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            self._process.wait()
            return {"error": self._last_words()}
        self._process.send_signal(signal.SIGSTOP)
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _last_words(self) -> str:
        self._messages.seek(0)
        lines = self._messages.read().strip().splitlines()
        return f"the worker ended: {lines[-1][:200]}" if lines else "the worker ended"
