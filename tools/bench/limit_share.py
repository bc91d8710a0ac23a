"""How much of a machine's limit a run reaches: plain data, which needs no MLIR."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Limit:
    """The time that no engine can beat, or why there is none.

    Attributes:
        seconds: None where nothing could be counted.
        reason: why there are no seconds.
        uncounted: what is not in them.
        details: what was counted, and the machine's limits, for a JSON file.
    """

    seconds: float | None = None
    reason: str = ""
    uncounted: tuple[str, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)

    def share(self, seconds: float | None) -> float | None:
        """How much of the limit a call reaches that takes ``seconds``."""
        return self.seconds / seconds if self.seconds is not None and seconds else None

    def notes(self) -> Iterator[str]:
        """What a reader of shares has to know."""
        if self.seconds is None:
            yield f"there is no share of the limit: {self.reason}"
        elif self.uncounted:
            yield f"the limit leaves out {', '.join(self.uncounted)}"


def percent(share: float | None) -> str:
    """A share as tables say it; a dash where there is none."""
    if share is None:
        return "-"
    return f"{100 * share:.2g} %" if share < 0.0995 else f"{100 * share:.0f} %"
