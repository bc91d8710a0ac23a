"""Runs jobs in child processes; a crash, a hang or a leak there is an outcome here."""

from __future__ import annotations

import dataclasses
import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from runs.outcomes import CRASH, HANG, Key, Outcome

ROOT = Path(__file__).resolve().parents[3]
WORKER = (sys.executable, "-X", "faulthandler", "-m", "runs.worker")
SILENCE = 240.0  # seconds without an outcome after which a child hangs

_TELLING = re.compile(r"Fatal|LLVM ERROR|Assertion|[\w.]+(Error|Exception|Interrupt)\b")

Report = Callable[[Outcome], None]


@dataclass(frozen=True)
class Job:
    """Cases that one child runs: those of a family, or of one op and some element types of it.

    Attributes:
        op: empty for all.
        elements: empty for all.
        fast: only the first case of each op and type.
        repeat: whether to run them again and again, to find what leaks.
    """

    family: str
    op: str = ""
    elements: tuple[str, ...] = ()
    fast: bool = False
    repeat: bool = False


class Child:
    """A worker process."""

    def __init__(self) -> None:
        self.errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 (closed by end)
        self.process = subprocess.Popen(
            WORKER,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )
        self.lines: queue.SimpleQueue[str] = queue.SimpleQueue()  # '' when it has died
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()

    def messages(self, silence: float) -> Iterator[dict[str, Any]]:
        """What it says until the job is done, it dies, or is silent too long (``hang``)."""
        while True:
            try:
                line = self.lines.get(timeout=silence)
            except queue.Empty:
                yield {"hang": None}
                return
            message = json.loads(line) if line else {"died": self.process.wait()}
            yield message
            if not line or "done" in message:
                return

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put("")

    def start(self, job: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()

    def last_words(self) -> str:
        self.errors.seek(0)
        lines = [line.strip() for line in self.errors.read().splitlines() if line.strip()]
        telling = [line for line in lines if _TELLING.match(line)]
        return (telling or lines or [""])[-1][:200]

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.listener.join()
        for stream in (self.process.stdin, self.process.stdout, self.errors):
            if stream is not None:
                stream.close()


@dataclass
class _Progress:
    """How far a job has come."""

    begun: list[list[Any]] = field(default_factory=list)
    done: list[list[Any]] = field(default_factory=list)

    def unfinished(self) -> list[list[Any]]:
        return [name for name in self.begun if name not in self.done]


def run(
    jobs: Sequence[Job],
    report: Report,
    *,
    children: int = 2,
    finished: Callable[[Job], None] = lambda job: None,
) -> None:
    """Run jobs; each outcome is reported as it comes, from several threads, one at a time.

    Args:
        jobs: what to run.
        report: called with every outcome.
        children: how many processes at once.
        finished: called with every job that is done.
    """
    waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
    for job in jobs:
        waiting.put(job)
    lock = threading.Lock()

    def reported(outcome: Outcome) -> None:
        with lock:
            report(outcome)

    def ended(job: Job) -> None:
        with lock:
            finished(job)

    threads = [
        threading.Thread(target=_serve, args=(waiting, reported, ended), daemon=True)
        for _ in range(min(children, len(jobs)))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _serve(
    waiting: queue.SimpleQueue[Job], report: Report, finished: Callable[[Job], None]
) -> None:
    child: Child | None = None
    try:
        while True:
            try:
                job = waiting.get_nowait()
            except queue.Empty:
                return
            child = _finish(job, child or Child(), report)
            finished(job)
    finally:
        if child is not None:
            child.end()


def _finish(job: Job, child: Child, report: Report) -> Child:
    """See a job through, with new children where one dies; the last one lives on."""
    progress = _Progress()
    alone: list[list[Any]] = []
    while True:
        child.start({**dataclasses.asdict(job), "done": progress.done, "alone": alone})
        ending = _follow(child, progress, report)
        if "done" in ending:
            return child
        left = progress.unfinished()
        if len(left) <= 1:
            key = Key(*left[0]) if left else Key(job.family, job.op, "", 0)
            report(Outcome(key, "", *_death(child, ending)))
            progress.done += left
        alone = left
        child.end()
        child = Child()
        if not left:  # it died outside of any case: once more would be the same
            return child


def _follow(child: Child, progress: _Progress, report: Report) -> dict[str, Any]:
    """Pass outcomes on; returns the message that ended the job."""
    progress.begun = []
    for message in child.messages(SILENCE):
        if "begin" in message:
            progress.begun = message["begin"]
        elif "outcome" in message:
            array = message["outcome"]
            key = Key(**array.pop("key"))
            progress.done.append([key.family, key.op, key.element, key.number])
            report(Outcome(key, **array))
        elif "ready" not in message:
            return message
    raise AssertionError("a child's messages end with how it ended")


def _death(child: Child, ending: dict[str, Any]) -> tuple[str, str]:
    if "hang" in ending:
        return HANG, f"nothing for {SILENCE:.0f} s"
    return CRASH, f"exit status {ending['died']}: {child.last_words()}"
