"""What installed packages offer, by entry points."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from shlo_tools.errors import ShloError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@functools.cache
def offered(group: str, what: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name.

    Args:
        what: what its names are called in messages.

    Raises:
        ShloError: two packages offer the same name.
    """
    from importlib import metadata  # takes longer to import than a small program to compile

    points: dict[str, EntryPoint] = {}
    for point in metadata.entry_points(group=group):
        other = points.setdefault(point.name, point)
        if other.value != point.value:
            raise ShloError(f"{what} {point.name!r} is offered by {other.value} and {point.value}")
    return points


def identity(function: Any) -> str:
    """The module and name of a function; one defined again, as in a notebook, has the same."""
    name = getattr(function, "__qualname__", repr(function))
    return f"{getattr(function, '__module__', '')}.{name}"
