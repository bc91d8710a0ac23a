"""Tools as forks of one process of a test's worker: they start in a tenth of the time."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from shlo_tools.testing import fork_server, substitutions
from shlo_tools.testing.fork_server import ForkServer

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def module(name: str) -> list[str]:
    """The words that do what ``python -m name`` does, in ``ENVIRONMENT``."""
    return substitutions.command(name, _server())


@cache
def _server() -> ForkServer | None:
    return fork_server.start(ENVIRONMENT)
