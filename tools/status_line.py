"""A line on the terminal that says what a child does, once that takes longer than a second."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.status import Status

_PATIENCE = 1.0  # seconds without a word
_POLL = 0.1
_BAR = 24  # columns


class StatusLine:
    """The line: drawn, renewed and taken off by ``update``.

    Args:
        activity: tells what is going on; nothing where the child is about to write itself.
        announce: called with True before the line appears, and with False once it is gone.
        parts: tells how many parts are done, of how many, and what these are; 0 of 0 for no parts.
    """

    def __init__(
        self,
        activity: Callable[[], str],
        announce: Callable[[bool], None],
        parts: Callable[[], tuple[int, int, str]] = lambda: (0, 0, ""),
    ) -> None:
        self._activity, self._parts = activity, parts
        self._announce = announce
        self._status: Status | None = None
        self._since = time.monotonic()

    def update(self) -> None:
        """Show what is true now."""
        if not self._activity():
            self.stop()
            self._since = time.monotonic()
        elif self._status is None and time.monotonic() - self._since >= _PATIENCE:
            self._announce(True)
            if not self._activity():  # it began to write before it could know
                self.stop()
            else:
                self._status = _started()
        if self._status is not None:
            seconds = time.monotonic() - self._since
            width = self._status.console.width
            self._status.update(_line(self._activity(), seconds, width, self._parts()))

    def stop(self) -> None:
        """Take the line off; the cursor is as it was."""
        if self._status is not None:
            self._status.stop()
            self._status = None
        self._announce(False)


def _line(activity: str, seconds: float, width: int, parts: tuple[int, int, str]) -> RenderableType:
    """What fits a terminal of that width, beside the spinner: with a bar, where there are parts."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    done, total, what = parts
    text, time = Text(activity.removeprefix("while ")), f" ({seconds:.0f} s)"
    amount = f"{done:,} of {total:,} {what}{time}"
    if total and len("* ") + len(text) + _BAR + len(amount) + len("   ") <= width:
        line = Table.grid(padding=(0, 1))
        line.add_row(text, ProgressBar(total, min(done, total), width=_BAR), amount)
        return line
    text.truncate(max(width - len("* ") - len(time) - 1, 1), overflow="ellipsis")
    return text.append(time)


def _started() -> Status | None:
    from rich.console import Console  # its import takes longer than most runs

    console = Console(stderr=True)
    if console.is_dumb_terminal:
        return None
    status = console.status("")
    status.start()
    return status


def read(pipe: IO[bytes], line: StatusLine) -> bytes:
    """All that comes through a pipe, with a status line until it ends."""
    parts: list[bytes] = []
    try:
        while True:
            if select.select([pipe], [], [], _POLL)[0]:
                part = os.read(pipe.fileno(), 1 << 20)
                if not part:
                    return b"".join(parts)
                parts.append(part)
            line.update()
    finally:
        line.stop()
