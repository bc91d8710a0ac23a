"""Fixtures of the unit tests."""

import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from shlo_tools import extend

# How fast a machine is says nothing of what is tested.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


@pytest.fixture
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers for custom calls is gone after it."""
    monkeypatch.setattr(extend, "_registered", {})


@pytest.fixture(autouse=True)
def ctrl_c_is_heard() -> Iterator[None]:
    """Tests press Ctrl-C; background jobs of a script ignore it, and so do their children."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
