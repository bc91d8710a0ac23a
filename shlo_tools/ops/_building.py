"""The module that is being built, for op functions that add functions to it.

``builder``, which stands on ``ops``, says which one that is.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Protocol

from shlo_tools.errors import ShloError
from shlo_tools.ops._attributes import FunctionSymbol


class ModuleBeingBuilt(Protocol):
    """What op functions need of ``builder.Module``."""

    module: Any

    def func(
        self, *types: Any, name: str | None = None
    ) -> Callable[[Callable[..., Any]], FunctionSymbol]: ...


building: ContextVar[ModuleBeingBuilt | None] = ContextVar("building", default=None)


def module_being_built() -> ModuleBeingBuilt:
    """The module whose function is being built; raises ShloError where there is none."""
    module = building.get()
    if module is None:
        raise ShloError(
            "no module is being built here", hint="call this inside a function of Module.func"
        )
    return module
