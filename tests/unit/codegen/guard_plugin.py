"""A plug-in for pytest: all programs of stages run against unmapped pages.

pytest -p guard_plugin tests/conformance/test_reduction.py
"""

from __future__ import annotations

import pytest
from guarded import guard_programs


@pytest.fixture(autouse=True)
def _unmapped_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    guard_programs(monkeypatch)
