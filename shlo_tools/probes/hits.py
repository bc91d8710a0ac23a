"""The host's side of probes: who is told of values while an instrumented program runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from shlo_tools import extend
from shlo_tools.dtypes import Array
from shlo_tools.passes.instrument import sites
from shlo_tools.passes.instrument.sites import TARGET, Site


@dataclass(frozen=True)
class Hit:
    """One execution of an op that has a probe.

    Attributes:
        site: the op.
        sequence: how many probes were hit before.
        iteration: how often this one was hit before; in a loop, the number of the round.
        values: operands (if they are told) and results, valid while the listener runs.
    """

    site: Site
    sequence: int
    iteration: int
    values: Sequence[Array]

    @property
    def operands(self) -> Sequence[Array]:
        return self.values[: self.site.operands]

    @property
    def results(self) -> Sequence[Array]:
        return self.values[self.site.operands :]

    def copied(self) -> Hit:
        """The hit with values of its own, which may be kept."""
        return replace(self, values=tuple(np.array(value) for value in self.values))


Listener = Callable[[Hit], None]


@dataclass
class _Session:
    """A listener, and what was hit since it listens."""

    listener: Listener
    sequence: int = 0
    iterations: dict[int, int] = field(default_factory=dict)

    def hit(self, values: Sequence[Array], attributes: dict[str, Any]) -> None:
        site = sites.read(attributes)
        iteration = self.iterations.get(site.number, 0)
        hit = Hit(site, self.sequence, iteration, values)
        self.sequence += 1
        self.iterations[site.number] = iteration + 1
        self.listener(hit)


# Host calls run in the thread of the call that they belong to, and so see its listener.
_session: ContextVar[_Session | None] = ContextVar("session", default=None)


@contextmanager
def probing(listener: Listener) -> Iterator[None]:
    """Within the block, instrumented programs run by this thread tell ``listener`` of values.

    What it raises stops the program, and reaches the program's caller.
    """
    token = _session.set(_Session(listener))
    try:
        yield
    finally:
        _session.reset(token)


@extend.custom_call(TARGET)
def probe(*values: Array, attributes: Mapping[str, Any]) -> None:
    """The function of all probes; without a listener it does nothing."""
    session = _session.get()
    if session is not None:
        session.hit(values, dict(attributes))
