"""What users and plug-ins add besides passes: custom calls.

    @custom_call("my_scale")
    def my_scale(x, *, attributes):
        return x * attributes["factor"]

The function gets one array per operand and returns one array per result (a tuple of them unless
there is one). The arrays are read-only views, valid during the call: what is kept must be copied.
Their values are the logical ones, whatever layouts the op names. If its signature names them, it
also gets, by keyword,

- ``attributes``: ``backend_config`` as a dictionary of Python values, ``{"backend_config": text}``
  where it is a string;
- ``result_types``: the ``TensorType`` of each result;
- ``place``: where in the program the call is, for messages.

What it raises reaches the caller of the executable unchanged. It may compile and call programs.

A package offers custom calls by entry points of the group ``shlo_tools.custom_calls``, named as
the targets. A registered function comes before a built-in one, that before an entry point.
"""

from __future__ import annotations

import functools
import importlib.metadata
from collections.abc import Callable
from typing import Any, TypeVar

from shlo_tools.errors import ShloError

GROUP = "shlo_tools.custom_calls"

CustomCall = Callable[..., Any]
F = TypeVar("F", bound=CustomCall)

_registered: dict[str, CustomCall] = {}


def custom_call(*targets: str) -> Callable[[F], F]:
    """Register a function for ``stablehlo.custom_call`` targets.

    A function of the same module and name replaces the earlier one, as in a notebook.

    Raises:
        ShloError: a target is taken by another function.
    """

    def register(function: F) -> F:
        for target in targets:
            taken = _registered.get(target)
            if taken is not None and _identity(taken) != _identity(function):
                raise ShloError(
                    f"custom_call target {target!r} is registered already, by {_identity(taken)}"
                )
        _registered.update(dict.fromkeys(targets, function))
        return function

    return register


def _identity(function: CustomCall) -> str:
    name = getattr(function, "__qualname__", repr(function))
    return f"{getattr(function, '__module__', '')}.{name}"


def registered(target: str) -> CustomCall | None:
    """The function that ``custom_call`` registered for a target, or None."""
    return _registered.get(target)


def plugged_in(target: str) -> CustomCall | None:
    """The function that an installed package offers for a target, or None."""
    point = _entry_points().get(target)
    return None if point is None else point.load()


@functools.cache
def _entry_points() -> dict[str, importlib.metadata.EntryPoint]:
    """Entry points by target; raises ShloError where two packages offer the same."""
    points: dict[str, importlib.metadata.EntryPoint] = {}
    for point in importlib.metadata.entry_points(group=GROUP):
        other = points.setdefault(point.name, point)
        if other.value != point.value:
            raise ShloError(
                f"custom_call target {point.name!r} is offered by {other.value} and {point.value}"
            )
    return points
