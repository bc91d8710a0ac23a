"""The command line of a campaign, and its table of outcomes."""

from __future__ import annotations

import itertools
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import click

from shlo_tools.errors import ShloError
from shlo_tools.tools import argv, isolation
from shlo_tools.tools.campaign import keeping
from shlo_tools.tools.campaign.children import Worker
from shlo_tools.tools.campaign.outcome import FAILURES, STATUSES, Outcome

KINDS = ("programs", "text", "bytecode", "pipelines", "calls", "builder")
CHUNK = 24  # cases that a worker is given at a time
ALIKE = 2  # failures of one sort that are kept
SEEDS = 1_000_000  # from --seed=n the cases are n * SEEDS, n * SEEDS + 1, ...

_EPILOG = """\b
Kinds:
  programs   random StableHLO and CHLO programs: natively fused, with probes, after shlo-simplify,
             and by the reference, all alike
  text       damaged program text: refused, or all ways run it or all refuse it
  bytecode   the same of damaged bytecode
  pipelines  random passes over random programs: valid, and where passes keep the meaning, kept
  calls      arrays and ways to pass them: results or refusals as the reference's
  builder    Python values for op functions: refused by an error of ours, or a program that runs

\b
Outcomes: right; refused (an error of ours); wrong; traceback (any other exception);
dead (a signal); hung (too much time).

\b
Examples:
  python -m shlo_tools.tools.campaign --minutes=10 --keep=failures
  python -m shlo_tools.tools.campaign --kind=programs --seed=7 --count=1000 --jobs=4
  python -m shlo_tools.tools.campaign --repeat=failures/programs-wrong-7000195.json

\b
A seed is a case, whatever the number of jobs. Failures are reduced, and kept with the command that
repeats them. Exit status: 0 if nothing failed, else 1."""

_SETTINGS = {"max_content_width": 100, "help_option_names": ["-h", "--help"]}


@dataclass
class Request:
    """What was asked for: the command's options."""

    minutes: float
    count: int
    kind: tuple[str, ...]
    seed: int
    jobs: int
    keep: str
    seconds: float
    memory: float


@click.command("campaign", epilog=_EPILOG, context_settings=_SETTINGS)
@click.option("--minutes", default=1.0, help="How long; 0: as --count says.  [1]")
@click.option("--count", default=0, help="Cases of each kind; 0: as --minutes says.")
@click.option("--kind", multiple=True, type=click.Choice(KINDS), help="Some of the kinds.")
@click.option("--seed", default=0, help="Where the cases begin.")
@click.option("--jobs", default=2, help="Worker processes.  [2]")
@click.option("--keep", default="", metavar="DIR", help="Where failures go.")
@click.option("--seconds", default=20.0, help="For one case.  [20]")
@click.option("--memory", default=16.0, help="Gigabytes of addresses for a worker.  [16]")
@click.option("--repeat", default="", metavar="FILE", help="Try one kept case again.")
def command(repeat: str, **options: object) -> int:
    """Try random cases until the time is up, and say what became of them."""
    request = Request(**options)  # type: ignore[arg-type]
    if request.minutes < 0 or request.count < 0 or request.jobs < 1 or request.seconds <= 0:
        raise ShloError("--minutes, --count, --jobs and --seconds are positive numbers")
    if repeat:
        return _repeated(repeat, request)
    campaign = Campaign(request)
    try:
        campaign.run()
        status = 0
    except KeyboardInterrupt:
        status = isolation.INTERRUPTED
    campaign.show()
    return status or int(campaign.failed)


def _repeated(path: str, request: Request) -> int:
    case = keeping.read(path)
    with Worker(request.seconds, request.memory) as worker:
        outcome = worker.check(case)
    print(f"{outcome.status}: {outcome.detail}" if outcome.detail else outcome.status)
    return int(outcome.failed)


@dataclass
class Campaign:
    """Workers that take seeds until the time is up, and what became of those.

    Attributes:
        outcomes: how often each status came, by kind.
        lines: what to say of failures.
    """

    request: Request
    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        kinds = self.request.kind or KINDS
        self.outcomes = {kind: Counter() for kind in kinds}
        self._next = dict.fromkeys(kinds, 0)
        self._turns = itertools.cycle(kinds)
        self._sorts: Counter[tuple[str, ...]] = Counter()
        self._lock = threading.Lock()
        self._stop = False
        self._start = time.monotonic()

    @property
    def failed(self) -> bool:
        return any(counted[status] for counted in self.outcomes.values() for status in FAILURES)

    def run(self) -> None:
        with ThreadPoolExecutor(self.request.jobs) as threads:
            served = [threads.submit(self._serve) for _ in range(self.request.jobs)]
            try:
                for future in served:
                    future.result()
            finally:
                self._stop = True

    def _serve(self) -> None:
        with Worker(self.request.seconds, self.request.memory) as worker:
            while not self._stop and (chunk := self._chunk()):
                kind, seeds = chunk
                for seed, outcome in zip(seeds, worker.seeds(kind, seeds), strict=True):
                    self._count(kind, seed, outcome, worker)

    def _chunk(self) -> tuple[str, Sequence[int]] | None:
        """The next seeds; the kinds take turns."""
        with self._lock:
            if not self.request.count and self._seconds_left() <= 0:
                return None
            for kind in itertools.islice(self._turns, len(self._next)):
                start = self._next[kind]
                stop = min(start + CHUNK, self.request.count or start + CHUNK)
                if stop > start:
                    self._next[kind] = stop
                    first = self.request.seed * SEEDS
                    return kind, range(first + start, first + stop)
        return None

    def _seconds_left(self) -> float:
        return self._start + 60 * self.request.minutes - time.monotonic()

    def _count(self, kind: str, seed: int, outcome: Outcome, worker: Worker) -> None:
        with self._lock:
            self.outcomes[kind][outcome.status] += 1
            if not outcome.failed:
                return
            self._sorts[kind, *outcome.sort] += 1
            if self._sorts[kind, *outcome.sort] > ALIKE:
                return
        line = f"{kind} {seed}: {outcome.status}: {outcome.detail}"
        if self.request.keep:
            case = worker.draw(kind, seed)
            if case is not None:
                case = keeping.reduced(case, outcome, worker, 3 * self.request.seconds)
                line += f"\n  {keeping.keep(case, outcome, Path(self.request.keep))}"
        with self._lock:
            self.lines.append(line)
            print(line, file=sys.stderr, flush=True)

    def show(self) -> None:
        """The table."""
        heads = ("kind", "tried", *STATUSES)
        print("".join(f"{head:>11}" for head in heads))
        for kind, counted in self.outcomes.items():
            numbers = (counted.total(), *(counted[status] for status in STATUSES))
            print(f"{kind:>11}" + "".join(f"{number:>11}" for number in numbers))
        seconds = time.monotonic() - self._start
        total = sum(counted.total() for counted in self.outcomes.values())
        print(f"{total} cases in {seconds:.0f} s, {total / max(seconds, 1e-9):.1f} a second")


def main(arguments: Sequence[str] | None = None) -> None:
    """``python -m shlo_tools.tools.campaign``."""
    words = sys.argv[1:] if arguments is None else arguments
    isolation.end(lambda: argv.invoke(command, words, "campaign"))
