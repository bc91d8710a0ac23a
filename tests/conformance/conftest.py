"""Fixtures of the conformance tests."""

from __future__ import annotations

import pytest
from guarded import guard_programs

from shlo_tools.cpu.stages import building


@pytest.fixture(params=["kernels", "linalg"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Programs as stages with kernels, and the same programs as a whole through linalg."""
    if request.param == "linalg":
        monkeypatch.setattr(building, "build", lambda *_, **__: None)
    return str(request.param)


@pytest.fixture
def unmapped_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    """What kernels read or write outside of their buffers ends the process, and fails the test."""
    guard_programs(monkeypatch)
