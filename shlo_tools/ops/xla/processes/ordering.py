"""The order of what leaves or enters a process.

XlaBuilder's Infeed, Outfeed, Send and Recv take no tokens: those of a computation happen in the
order in which they are built. StableHLO orders by tokens alone, so that each such op here takes
the token of the one before it. What transfers inside a loop, a branch or a call takes a token
through it, too; its computation is then called a second time, with the token. Functions that
``Module.func`` made begin an order of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar
from weakref import WeakKeyDictionary

from shlo_tools import ir, ops
from shlo_tools.errors import UnsupportedError
from shlo_tools.types import Value

T = TypeVar("T")

_latest: WeakKeyDictionary[ir.Build, Value] = WeakKeyDictionary()
_without_token: WeakKeyDictionary[ir.Build, str] = WeakKeyDictionary()


class _TransferWithin(Exception):
    """A computation that was built without a token turns out to need one."""


def latest_token() -> Value:
    """What the next transfer comes after: the token of the one before it in this computation.

    Raises:
        UnsupportedError: in a place that cannot pass a token on.
    """
    build = ir.insertion()
    if build in _without_token:
        if reason := _without_token[build]:
            raise UnsupportedError(reason)
        raise _TransferWithin
    if build not in _latest:
        _latest[build] = ops.after_all()
    return _latest[build]


def set_latest_token(token: Value) -> None:
    """Let the next transfer of this computation come after a token."""
    _latest[ir.insertion()] = token


def begin(token: Value | None, refusal: str = "") -> None:
    """Begin a computation whose transfers come after a token.

    Args:
        token: the token; without one the computation may not transfer.
        refusal: why not, where ``ordered`` could not help either.
    """
    if token is None:
        _without_token[ir.insertion()] = refusal
    else:
        set_latest_token(token)


def ordered(build: Callable[[Value | None], T]) -> T:
    """Build something of computations, with a token through it if one of them transfers.

    Args:
        build: called with None; again with the latest token, where a computation that it began
            without one transfers.
    """
    try:
        return build(None)
    except _TransferWithin:
        return build(latest_token())
