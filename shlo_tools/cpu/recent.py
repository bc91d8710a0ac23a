"""Executables for the sizes that a program was called with lately."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

from shlo_tools.calling.executable import Executable

K = TypeVar("K", bound=Hashable)


class Recent(Generic[K]):
    """Keeps what was used last. It has no lock: a fork would leave it locked in the child.

    Args:
        most: how many executables are kept.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._executables: OrderedDict[K, Executable] = OrderedDict()

    def keys(self) -> list[K]:
        """What there are executables for, those used last at the end."""
        return list(self._executables)

    def get(self, key: K) -> Executable | None:
        try:
            executable = self._executables[key]
            self._executables.move_to_end(key)
        except KeyError:  # another thread may have dropped it between
            return None
        return executable

    def add(self, key: K, executable: Executable) -> Executable:
        """Keep an executable, or the one that another thread has added."""
        executable = self._executables.setdefault(key, executable)
        if len(self._executables) > self._most:
            self._executables.popitem(last=False)
        return executable
