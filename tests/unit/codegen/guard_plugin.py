"""A plug-in for pytest: all programs of stages run against unmapped pages.

    pytest -p guard_plugin tests/conformance/test_reduction.py

Arguments, results and values between stages each lie in front of an unmapped page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from guarded import closed, closed_block, guarded, spread

from shlo_tools.codegen import memory_plan
from shlo_tools.cpu import memory
from shlo_tools.cpu.stages import places
from shlo_tools.cpu.stages.executable import StagedExecutable
from shlo_tools.dtypes import Array


@pytest.fixture(autouse=True)
def _unmapped_neighbours(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    at_once = StagedExecutable._at_once

    def guarded_arguments(self: StagedExecutable, arguments: Sequence[Any]) -> Any:
        if all(type(argument) is np.ndarray for argument in arguments):
            arguments = tuple(_in_front(argument) for argument in arguments)
        return at_once(self, arguments)

    monkeypatch.setattr(places.memory_plan, "plan", spread)
    monkeypatch.setattr(places.memory_plan, "inside", lambda *_: {})
    monkeypatch.setattr(memory, "block", _block)
    monkeypatch.setattr(StagedExecutable, "_at_once", guarded_arguments)
    yield


def _block(count: int) -> tuple[Array, int, int]:
    """Results stay aligned, as the tests demand: up to 63 bytes are between them and the page."""
    return closed_block(count if count in closed else memory_plan.aligned(count))


def _in_front(array: Array) -> Array:
    return guarded(array, at_end=True) if array.flags.c_contiguous else array
