"""What processes bring to each other: arrays, lists of such, and parts for each member."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shlo_tools.errors import ExecutionError
from shlo_tools.grid import ProcessId

Combine = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class NamedCombine:
    """What combines two arrays, and the op that it is: ``add``, or '' for more than one op."""

    run: Combine
    kind: str

    def __call__(self, left: Any, right: Any) -> Any:
        return self.run(left, right)


SMALL = 1 << 16  # bytes up to which a copy costs less than another meeting


@dataclass(frozen=True)
class Hands:
    """A value for each member of a group.

    Attributes:
        types: of the arrays that the values are parts of.
        values: by the place of a member in the group.
    """

    types: str
    values: Mapping[int, Any]

    def only(self, places: Iterable[int]) -> Hands:
        """What there is for some members."""
        return Hands(self.types, {place: self.values[place] for place in places})


class InOnePiece(list[Any]):
    """Values of several members, lists of arrays that nobody else has.

    Attributes:
        pieces: for the first arrays of all, the second ones, ... the memory in which they follow
            one another, as one dimension.
    """

    def __init__(self, listed: Iterable[Any], pieces: Sequence[Any]) -> None:
        super().__init__(listed)
        self.pieces = pieces


def joined(listed: Sequence[Sequence[Any]], number: int, axis: int) -> Any:
    """Of several values the arrays of a number, one after the other along an axis."""
    arrays = [value[number] for value in listed]
    shape = list(arrays[0].shape)
    if not isinstance(listed, InOnePiece) or any(size != 1 for size in shape[:axis]):
        return np.concatenate(arrays, axis)
    shape[axis] = sum(array.shape[axis] for array in arrays)
    return listed.pieces[number].reshape(shape)


def described(value: Any) -> str:
    """The types of the arrays in a value, as far as it has such."""
    if isinstance(value, Hands):
        return value.types
    if isinstance(value, tuple | list):
        return f"({', '.join(map(described, value))})"
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"{'x'.join(map(str, value.shape)) or 'a scalar of'} {value.dtype}"
    return type(value).__name__


def check_alike(values: Sequence[Any], group: Sequence[ProcessId]) -> None:
    """Refuse arrays of different types.

    Raises:
        ExecutionError: a member of the group brings others than the first one.
    """
    first = values[0]
    for member, value in zip(group, values, strict=True):
        if value is not first and not _are_alike(first, value):
            raise ExecutionError(
                f"process {group[0]} brings {described(first)}, process {member} {described(value)}"
            )


def _are_alike(left: Any, right: Any) -> bool:
    """Whether two values describe themselves alike, without the descriptions for plain arrays."""
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return bool(left.shape == right.shape and left.dtype == right.dtype)
    if isinstance(left, tuple | list) and isinstance(right, tuple | list):
        return len(left) == len(right) and all(map(_are_alike, left, right))
    return described(left) == described(right)


def is_small(value: Any) -> bool:
    """Whether the arrays of a value are copied instead of being read where they are."""
    return _nbytes(value) <= SMALL


def _nbytes(value: Any) -> int:
    """Bytes of the arrays that others might write; nobody writes the reference's quantized ones."""
    if isinstance(value, tuple | list):
        return sum(map(_nbytes, value))
    return value.nbytes if isinstance(value, np.ndarray) else 0


def copied(value: Any) -> Any:
    """Copies of the arrays of a value: who brings it may go on before all others have read it."""
    if isinstance(value, tuple | list):
        return [copied(each) for each in value]
    return value.copy() if isinstance(value, np.ndarray) else value


def share(size: int, place: int, count: int) -> slice:
    """Which elements of so many are the part of one of ``count`` members."""
    return slice(size * place // count, size * (place + 1) // count)


def fold(parts: Sequence[Any], combine: Combine) -> Any:
    """Parts combined from left to right."""
    total, *others = parts
    for other in others:
        total = combine(total, other)
    return total
