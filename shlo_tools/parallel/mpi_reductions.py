"""Reductions that MPI itself does, in the order that it likes.

Everything that it can do where any order will do (``reduction_order="any"``); beside a process, in
any case, all_reduces of integers, whose results no order changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shlo_tools.parallel.mpi_groups import RankGroup, complete, together
from shlo_tools.processes import values
from shlo_tools.processes.values import Combine

# What combines two arrays, MPI's name for it, and for which kinds of numbers it is the same: MPI's
# largest of numbers with NaN may be any of them.
_OPS = {
    **{"add": ("SUM", "fciu"), "multiply": ("PROD", "fciu")},
    **{"maximum": ("MAX", "iu"), "minimum": ("MIN", "iu")},
    **{"and": ("BAND", "iu"), "or": ("BOR", "iu"), "xor": ("BXOR", "iu")},
}
_EXACT = "iu"  # kinds of numbers of which every order gives the same bits


def can_reduce(arrays: Sequence[Any], combine: Combine, *, exactly: bool) -> bool:
    """Whether MPI knows the op and the element types.

    Args:
        exactly: every order has to give the same bits.
    """
    _, kinds = _OPS.get(_kind(combine), ("", ""))
    return all(
        isinstance(array, np.ndarray)
        and array.dtype.isbuiltin == 1
        and array.dtype.kind in kinds
        and (array.dtype.kind in _EXACT or not exactly)
        and (array.dtype.kind != "f" or array.dtype.char in "fd")
        for array in arrays
    )


def reduced(
    group: RankGroup,
    arrays: Sequence[Any],
    combine: Combine,
    *,
    is_scattered: bool,
) -> list[Any] | None:
    """What a member of the group gets; see ``Grid.reduced``."""

    def act(brought: Sequence[Sequence[Any]], communicator: Any) -> Sequence[Any]:
        local = [values.fold(shares, combine) for shares in zip(*brought, strict=True)]
        if is_scattered:
            return _scattered(local, combine, group, communicator)
        return [_everywhere(local, combine, communicator)] * len(brought)

    types = f"{values.described(list(arrays))} to {_kind(combine)}"
    own: list[Any] | None = together(group, types, arrays, act)
    return own if own is None or len(group.here) == 1 else values.copied(own)


def _everywhere(arrays: Sequence[Any], combine: Combine, communicator: Any) -> list[Any]:
    """What all ranks have combined, on each of them."""
    totals = [np.empty(array.shape, array.dtype) for array in arrays]
    shares = [np.ascontiguousarray(array) for array in arrays]  # until MPI has read them
    op = _op(combine)
    complete([communicator.Iallreduce(*pair, op) for pair in zip(shares, totals, strict=True)])
    return totals


def _scattered(
    parts: Sequence[Any], combine: Combine, group: RankGroup, communicator: Any
) -> list[list[Any]]:
    """For each member of this rank its part of what all ranks have combined."""
    listed = np.stack([parts[place] for place in group.order])
    counts = [len(group.places[rank]) * parts[0].size for rank in group.ranks]
    totals = np.empty((len(group.here), *parts[0].shape), listed.dtype)
    complete([communicator.Ireduce_scatter(listed, totals, counts, _op(combine))])
    return [[total] for total in totals]


def _kind(combine: Combine) -> str:
    return str(getattr(combine, "kind", ""))


def _op(combine: Combine) -> Any:
    from mpi4py import MPI

    return getattr(MPI, _OPS[_kind(combine)][0])
