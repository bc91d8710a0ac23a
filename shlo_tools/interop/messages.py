"""What ``remote`` and its ``worker`` send each other."""

from __future__ import annotations

import pickle
from multiprocessing.connection import Connection
from typing import Any


def send(pipe: Connection, message: Any) -> None:
    """Like ``pipe.send``, whose older protocol makes numpy forget the byte order of arrays."""
    pipe.send_bytes(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))


def received(pipe: Connection) -> Any:
    """What the other end sent."""
    return pickle.loads(pipe.recv_bytes())
