"""Runs all conformance cases, in child processes, and writes what is supported.

    python tests/conformance/run.py                          # every case, twenty minutes
    python tests/conformance/run.py --fast                   # the smallest case of each op and type
    python tests/conformance/run.py --write docs/support.md
    python tests/conformance/run.py --family sorting --write docs/support.md

With some families only, the others' rows are kept as they are. Exit status 1 where anything is
red: a case, or a row that is kept.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from cases import FAMILIES, rows
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from runs import support
from runs.children import Job, run
from runs.outcomes import RED, Outcome

TYPES = 8  # of an op in one job, so that two children end at about the same time


def jobs(families: Sequence[str], *, fast: bool = False) -> Iterator[Job]:
    """The whole run: every case, then repetitions that show leaks."""
    for family in families:
        if fast:
            yield Job(family, fast=True)
            continue
        for row in rows(family):
            for start in range(0, len(row.elements), TYPES):
                yield Job(family, row.op, row.elements[start : start + TYPES])
        yield Job(family, repeat=True)


def collected(work: Sequence[Job], console: Console, children: int) -> list[Outcome]:
    """Run jobs behind a progress bar; plain lines where nobody watches."""
    outcomes: list[Outcome] = []
    left = Counter(job.family for job in work)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, TimeElapsedColumn(), console=console, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("cases", total=len(work))

        def report(outcome: Outcome) -> None:
            outcomes.append(outcome)
            if outcome.status in RED:
                console.print(_line(outcome), soft_wrap=True, markup=False, highlight=False)

        def finished(job: Job) -> None:
            bar.update(task, advance=1, description=f"{len(outcomes)} cases, {job.family}")
            left[job.family] -= 1
            if not left[job.family]:
                mine = [outcome for outcome in outcomes if outcome.key.family == job.family]
                console.print(f"{job.family}: {_counted(mine)}", highlight=False)

        run(work, report, children=children, finished=finished)
    return outcomes


def _counted(outcomes: Sequence[Outcome]) -> str:
    counts = Counter(outcome.status for outcome in outcomes)
    return ", ".join(f"{count} {status}" for status, count in counts.most_common())


def _line(outcome: Outcome) -> str:
    key = outcome.key
    return (
        f"{outcome.status}: {key.op} {key.element} #{key.number} {outcome.label}: {outcome.detail}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--family", action="append", choices=FAMILIES, help="only these")
    parser.add_argument("--fast", action="store_true", help="one case per op and element type")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the table of support")
    parser.add_argument("--children", type=int, default=2, help="processes at once")
    options = parser.parse_args()
    console = Console()
    families = options.family or FAMILIES
    results = collected(list(jobs(families, fast=options.fast)), console, options.children)
    console.print(f"all: {_counted(results)}", highlight=False)
    cells = support.judged(results)
    if options.write:
        old = options.write.read_text() if options.family and options.write.exists() else ""
        cells = {**support.read(old), **cells}
        options.write.write_text(support.page(cells, fast=options.fast))
    is_red = any(outcome.status in RED for outcome in results) or support.red(cells)
    return 1 if is_red else 0


if __name__ == "__main__":
    sys.exit(main())
