"""What users and plug-ins add besides passes: custom calls.

    @custom_call("my_scale")
    def my_scale(x, *, attributes):
        return x * attributes["factor"]

The function gets one read-only array per operand and returns one array per result. It takes a
keyword ``attributes`` if it wants them: ``backend_config`` as a dictionary of Python values
(or ``{"backend_config": text}``). What it raises reaches the caller of the executable unchanged.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Callable
from typing import Any, TypeVar

from shlo_tools.errors import ShloError

GROUP = "shlo_tools.custom_calls"
_BUILT_IN = "shlo_tools.cpu.custom_calls"  # registers the targets that exporters emit

CustomCall = Callable[..., Any]
F = TypeVar("F", bound=CustomCall)

_custom_calls: dict[str, CustomCall] = {}
_loaded: set[str] = set()


def custom_call(*targets: str) -> Callable[[F], F]:
    """Register a function for ``stablehlo.custom_call`` targets.

    Raises:
        ShloError: a target is taken by another function.
    """

    def register(function: F) -> F:
        for target in targets:
            taken = _custom_calls.get(target)
            if taken is not None and taken.__qualname__ != function.__qualname__:
                raise ShloError(f"custom_call target {target!r} is registered already")
            _custom_calls[target] = function
        return function

    return register


def find_custom_call(target: str) -> CustomCall | None:
    """The function registered for a target, or None."""
    if _BUILT_IN not in _loaded:
        _loaded.add(_BUILT_IN)
        importlib.import_module(_BUILT_IN)
    if target not in _custom_calls and GROUP not in _loaded:
        _loaded.add(GROUP)
        for point in importlib.metadata.entry_points(group=GROUP):
            custom_call(point.name)(point.load())
    return _custom_calls.get(target)
