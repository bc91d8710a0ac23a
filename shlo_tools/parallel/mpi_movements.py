"""Arrays that MPI's own non-blocking collectives bring to other ranks, beside processes.

Nothing is computed, so results are the same bits as by messages; what is to be reduced is dealt out
and gathered so, and combined here in the group's order.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from shlo_tools.dtypes import Array
from shlo_tools.parallel.mpi_groups import RankGroup, complete, together
from shlo_tools.processes import values
from shlo_tools.processes.values import InOnePiece


def can_move(value: Any) -> bool:
    """Whether all there is are plain arrays, which are bytes."""
    return all(isinstance(array, np.ndarray) and not array.dtype.hasobject for array in _of(value))


def gathered(
    group: RankGroup,
    types: str,
    value: Any,
    alike: Sequence[Any],
) -> list[Any] | None:
    """The values of all members; see ``Grid.gathered``."""

    def act(brought: Sequence[Any], communicator: Any) -> Sequence[Any]:
        columns, wholes, requests = [], [], []
        for sent, kept in zip(_columns(brought), _columns(alike), strict=True):
            counts = [sum(kept[place].nbytes for place in group.places[r]) for r in group.ranks]
            share, whole = _joined(sent), np.empty(sum(each.size for each in kept), sent[0].dtype)
            requests.append(communicator.Iallgatherv(_raw(share), _raw(whole, counts)))
            columns.append(_cut(whole, [kept[place].shape for place in group.order]))
            wholes.append(whole)
        complete(requests)
        rows = [_like(value, row) for row in group.in_order(list(zip(*columns, strict=True)))]
        is_theirs_alone = len(brought) == 1 and group.order == sorted(group.order)
        return [InOnePiece(rows, wholes)] if is_theirs_alone else [rows] * len(brought)

    listed: list[Any] | None = together(group, types, value, act)
    return listed


def dealt(
    group: RankGroup,
    types: str,
    parts: Sequence[Any],
) -> list[Any] | None:
    """What all members have for this one; see ``Grid.dealt``."""
    own = group.places[group.rank]

    def act(brought: Sequence[Sequence[Any]], communicator: Any) -> Sequence[Any]:
        columns, requests = [], []
        of_senders = [_columns(each) for each in brought]  # by array, by place of the receiver
        for sent in zip(*of_senders, strict=True):
            mine = [[each[place] for place in own] for each in sent]
            dealing = [
                [each[p] for each in sent for p in group.places[r]] if r != group.rank else []
                for r in group.ranks
            ]
            counts = [sum(part.nbytes for part in row) for row in dealing]
            shapes = [part.shape for part in mine[0]]  # so are those of other senders
            size = sum(part.nbytes for part in mine[0])
            received = [len(group.places[r]) * size if r != group.rank else 0 for r in group.ranks]
            share, places = _dealing(dealing)
            whole = np.empty(sum(received) // mine[0][0].itemsize, mine[0][0].dtype)
            requests.append(
                communicator.Ialltoallv(_raw(share, counts, places), _raw(whole, received))
            )
            others = iter(_cut(whole, shapes * (len(parts) - len(own))))
            # What stays on this rank does not go through MPI, which would take it piece by piece.
            columns.append(
                [
                    part
                    for r in group.ranks
                    for k in range(len(group.places[r]))
                    for part in (mine[k] if r == group.rank else islice(others, len(own)))
                ]
            )
        complete(requests)
        rows = list(zip(*columns, strict=True))  # by sender, rank by rank, by receiver on this one
        return [
            [_like(parts[0], row) for row in group.in_order(rows[number :: len(own)])]
            for number in range(len(own))
        ]

    listed: list[Any] | None = together(group, types, parts, act)
    return listed


def broadcast(group: RankGroup, value: Any) -> Any:
    """The value of the first member; see ``Grid.broadcast``."""
    root = next(rank for rank in group.ranks if 0 in group.places[rank])

    def act(brought: Sequence[Any], communicator: Any) -> Sequence[Any]:
        if root == group.rank:
            first = brought[group.places[root].index(0)]
            arrays = [np.ascontiguousarray(array) for array in _of(first)]
        else:
            arrays = [np.empty(array.shape, array.dtype) for array in _of(value)]
        place = group.ranks.index(root)
        complete([communicator.Ibcast(_raw(array.reshape(-1)), place) for array in arrays])
        return [_like(value, arrays)] * len(brought)

    return together(group, values.described(value), value, act)


# --- arrays of values, and bytes of arrays --------------------------------------------------------
def _of(value: Any) -> Sequence[Any]:
    """The arrays of a value: itself, or those in a list."""
    return value if isinstance(value, tuple | list) else [value]


def _like(value: Any, arrays: Sequence[Array]) -> Any:
    """Arrays as they are in a value."""
    return list(arrays) if isinstance(value, tuple | list) else arrays[0]


def _columns(listed: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Of several values the first arrays, the second ones, ..."""
    return list(zip(*map(_of, listed), strict=True))


def _joined(arrays: Sequence[Array]) -> Array:
    """The elements of arrays, one after the other; of a single one where they are."""
    flat = [np.ascontiguousarray(array).reshape(-1) for array in arrays]
    return flat[0] if len(flat) == 1 else np.concatenate(flat)


def _dealing(rows: Sequence[Sequence[Array]]) -> tuple[Array, list[int] | None]:
    """Arrays for each rank as one, and at which byte each rank's begin; None one after the other.

    They are not copied where each rank's is a piece of the same array.
    """
    arrays = [array for row in rows for array in row]
    owner = arrays[0].base
    if (
        not isinstance(owner, np.ndarray)
        or not owner.flags.c_contiguous
        or any(len(row) > 1 for row in rows)
        or any(array.base is not owner or not array.flags.c_contiguous for array in arrays)
    ):
        return _joined(arrays), None
    start = owner.ctypes.data
    places = [row[0].ctypes.data - start if row else 0 for row in rows]
    return owner.reshape(-1), places


def _raw(
    flat: Array, counts: Sequence[int] | None = None, places: Sequence[int] | None = None
) -> list[Any]:
    """A buffer as mpi4py takes it: bytes, and how many are whose from where on."""
    from mpi4py import MPI

    data = flat.view(np.uint8)
    return [data, MPI.BYTE] if counts is None else [data, counts, places, MPI.BYTE]


def _cut(flat: Array, shapes: Sequence[tuple[int, ...]]) -> list[Array]:
    """Arrays of these shapes, whose elements follow one another."""
    cut, at = [], 0
    for shape in shapes:
        size = int(np.prod(shape, dtype=np.int64))
        cut.append(flat[at : at + size].reshape(shape))
        at += size
    return cut
