"""Fixtures of the conformance tests."""

from __future__ import annotations

import pytest

from shlo_tools.cpu.stages import building


@pytest.fixture(params=["kernels", "linalg"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Programs as stages with kernels, and the same programs as a whole through linalg."""
    if request.param == "linalg":
        monkeypatch.setattr(building, "build", lambda *_, **__: None)
    return str(request.param)
