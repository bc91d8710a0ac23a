"""Fixtures of tests that register passes."""

import pytest
from example_passes import LOG, Break, Fail, OnFunctions, Record

from shlo_tools.pipeline import registry


@pytest.fixture
def own_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is gone after it."""
    registry.names()  # load what is built in and installed, once
    monkeypatch.setattr(registry, "_passes", dict(registry._passes))
    monkeypatch.setattr(registry, "_pipelines", dict(registry._pipelines))


@pytest.fixture
def example_passes(own_passes: None) -> None:
    """The passes of ``example_passes.py`` have names, and have noted nothing."""
    for cls in (Record, OnFunctions, Break, Fail):
        registry.register_pass(cls)
    LOG.clear()
