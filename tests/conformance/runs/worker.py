"""The child process that runs cases: jobs come in as lines of JSON, outcomes go out as such.

It may die, hang or leak; the parent (``runs/children.py``) makes an outcome of that. Before every
program it says which cases that holds.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from typing import Any

from cases._case import program

import shlo_tools
from runs.outcomes import LEAK, PASS, Key, Outcome, Work, batches, cases_of, outcomes
from shlo_tools.errors import ShloError

REPEATED = 40  # cases
REPEATS = 24  # of compiling and running them; memory settles in the first half
ALLOWED = 128 << 10  # bytes per compilation; observed are 0 to 10 KiB


def main() -> None:
    talk = os.fdopen(os.dup(1), "w")  # what native code prints goes elsewhere
    os.dup2(2, 1)
    for line in sys.stdin:
        job = json.loads(line)
        _say(talk, ready=None)
        if job["repeat"]:
            _repeat(talk, job)
        else:
            _cases(talk, job)
        _say(talk, done=None)


def _say(talk: Any, **message: Any) -> None:
    talk.write(json.dumps(message) + "\n")
    talk.flush()


def _name(key: Key) -> list[Any]:
    return [key.family, key.op, key.element, key.number]


def _cases(talk: Any, job: dict[str, Any]) -> None:
    done = {tuple(name) for name in job["done"]}
    alone = {tuple(name) for name in job["alone"]}
    work = [
        item
        for item in cases_of(job["family"], job["op"], job["elements"], fast=job["fast"])
        if tuple(_name(item[0])) not in done
    ]
    single = [[item] for item in work if tuple(_name(item[0])) in alone]
    rest = [item for item in work if tuple(_name(item[0])) not in alone]
    for batch in [*single, *batches(rest)]:
        _say(talk, begin=[_name(key) for key, _ in batch])
        for outcome in outcomes(batch):
            _say(talk, outcome=dataclasses.asdict(outcome))


# --- leaks ----------------------------------------------------------------------------------------
def _repeat(talk: Any, job: dict[str, Any]) -> None:
    """Compile and run the fast cases of a family again and again, and watch the memory."""
    work = cases_of(job["family"], job["op"], fast=True)
    key = dataclasses.replace(work[0][0], op="", element="", number=0)
    _say(talk, begin=[_name(key)])
    accepted = [batch for batch in map(_accepted, batches(work[:REPEATED])) if batch]
    before = 0
    for turn in range(REPEATS):
        _say(talk, begin=[_name(key)])  # it lives
        if turn == REPEATS // 2:
            before = _resident()
        for batch in accepted:
            list(outcomes(batch))
    grown = (_resident() - before) / (REPEATS - REPEATS // 2) / max(1, len(accepted))
    status = LEAK if grown > ALLOWED else PASS
    detail = f"{grown / 1024:.0f} KiB per compilation"
    _say(talk, outcome=dataclasses.asdict(Outcome(key, "memory", status, detail)))


def _accepted(batch: Work) -> Work:
    """The cases that compile."""
    results = []
    for key, case in batch:
        try:
            shlo_tools.compile(program([case]))
        except ShloError:
            continue
        results.append((key, case))
    return results


def _resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
