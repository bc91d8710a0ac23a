"""A plug-in for pytest, ``-p guard_plugin``: programs of stages run against unmapped pages."""

from __future__ import annotations

import pytest
from guarded import guard_programs


@pytest.fixture(autouse=True)
def _unmapped_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    guard_programs(monkeypatch)
