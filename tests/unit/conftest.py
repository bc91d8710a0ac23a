"""Fixtures of the unit tests."""

import pytest

from shlo_tools import extend


@pytest.fixture
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers for custom calls is gone after it."""
    monkeypatch.setattr(extend, "_registered", {})
