"""What a campaign tries, and what becomes of it."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from shlo_tools.errors import ShloError

RIGHT, REFUSED, WRONG, TRACEBACK = "right", "refused", "wrong", "traceback"
DEAD, HUNG = "dead", "hung"
STATUSES = (RIGHT, REFUSED, WRONG, TRACEBACK, DEAD, HUNG)
FAILURES = (WRONG, TRACEBACK, DEAD, HUNG)


@dataclass(frozen=True)
class Case:
    """One thing to try, as data that a JSON file can hold.

    Attributes:
        kind: which kind of campaign it belongs to.
        seed: what it was drawn from, and what else is drawn while it is tried.
        parts: what it consists of; to reduce it is to leave parts out.
        rest: what stays.
    """

    kind: str
    seed: int
    parts: list[Any]
    rest: dict[str, Any] = field(default_factory=dict)

    def data(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Outcome:
    """How a case ended, with a line that says more."""

    status: str
    detail: str = ""

    @property
    def failed(self) -> bool:
        return self.status in FAILURES

    @property
    def sort(self) -> tuple[str, str]:
        """What two outcomes share that have, by the look of them, one cause."""
        word = self.detail.split(":")[0] if self.status in (TRACEBACK, WRONG) else self.detail
        return self.status, word


def watched(work: Callable[[], Outcome]) -> Outcome:
    """What ``work`` says; an error of ours is a refusal, any other exception a traceback."""
    try:
        return work()
    except ShloError as error:
        return Outcome(REFUSED, str(error.diagnostics[0].message)[:300])
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{last.filename.rsplit('/', 1)[-1]}:{last.name}"
        return Outcome(TRACEBACK, f"{type(error).__name__} in {where}: {str(error)[:300]}")
