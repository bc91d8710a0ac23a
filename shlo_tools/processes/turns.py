"""The order of what goes on beside a process."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field


@dataclass
class Turn:
    """When something that goes on beside a process may do what has an order.

    What has one label does so in the order in which the process began it.

    Attributes:
        earlier: whether what was begun before is over; None where nothing was.
        over: whether this is.
        is_handed_on: it goes on when who began it has ended.
    """

    earlier: threading.Event | None
    over: threading.Event = field(default_factory=threading.Event)
    is_handed_on: bool = False

    def wait(self) -> None:
        """Wait for what was begun before: it does not wait for this."""
        if self.earlier is not None:
            self.earlier.wait()
