"""The table of a call's addresses and sizes; see ``passes/host/announce_results.py``."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from shlo_tools.cpu import memory
from shlo_tools.dtypes import Array, TensorType


class ArgumentTable:
    """Where each argument and result of one entry point stands in its table.

    Args:
        inputs, results: types as arrays hold them; sizes may be unknown.
    """

    def __init__(self, inputs: Sequence[TensorType], results: Sequence[TensorType]) -> None:
        self.results = results
        self._unknown = [(i, d) for i, type in enumerate(inputs) for d in _unknown_dimensions(type)]
        self._first = len(inputs)
        self._sizes = len(inputs) + len(results) + len(self._unknown)
        length = self._sizes + sum(len(_unknown_dimensions(type)) for type in results)
        self._words = ctypes.c_int64 * max(1, length)

    def filled(self, inputs: Sequence[Array]) -> tuple[Any, list[Array | None]]:
        """The table for a call, and the arrays that it writes results to."""
        places = [memory.aligned_at(t) if t.is_static else (None, 0) for t in self.results]
        words = [array.ctypes.data for array in inputs]
        words += [address for _, address in places]
        words += [inputs[i].shape[d] for i, d in self._unknown]
        return self._words(*words), [array for array, _ in places]

    def collected(self, table: Any, results: Sequence[Array | None]) -> list[Array]:
        """The results of a call, those announced in the table copied from where they are."""
        slot = self._sizes
        arrays = []
        for number, (array, type) in enumerate(zip(results, self.results, strict=True)):
            if array is None:
                shape: list[int] = []
                for dim in type.shape:
                    shape.append(dim if isinstance(dim, int) else table[slot])
                    slot += not isinstance(dim, int)
                array = _copied(table[self._first + number], type.with_shape(shape))
            arrays.append(array)
        return arrays


def _unknown_dimensions(type: TensorType) -> list[int]:
    return [d for d, dim in enumerate(type.shape) if not isinstance(dim, int)]


def _copied(address: int, type: TensorType) -> Array:
    copy = memory.aligned_empty(type)
    if copy.size:
        ctypes.memmove(copy.ctypes.data, address, type.nbytes)
    return copy
