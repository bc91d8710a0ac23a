"""One call at a time of a program of stages: its table, its frame, and memory for results."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from sys import getrefcount
from typing import Any

import numpy as np

from shlo_tools.codegen.library import entering
from shlo_tools.cpu import memory
from shlo_tools.cpu.frame import Frame
from shlo_tools.cpu.process_library import parts
from shlo_tools.cpu.stages.table import Planned, Table
from shlo_tools.dtypes import Array, TensorType, element_type

_SETS = 2  # of results: while the caller keeps the last ones, the next ones are made
_KEPT = 256 << 20  # bytes of results that are kept for later calls


class _Method(ctypes.Structure):
    """Python's ``PyMethodDef``."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("text", ctypes.c_char_p),
    )


_ONE_ARGUMENT = 8  # Python's ``METH_O``
_kept: list[_Method] = []  # methods point there, whichever thread has made them


@cache
def _methods() -> Callable[[int], Callable[[Sequence[Any]], int]]:
    """Makes ``shlo_rt_called`` a method of an address; ctypes' calls take five times as long."""
    method = _Method(b"call", parts.address(entering.CALLED), _ONE_ARGUMENT, None)
    _kept.append(method)
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.argtypes, new.restype = [ctypes.c_void_p, *[ctypes.py_object] * 2], ctypes.py_object
    nothing = ctypes.py_object()
    return lambda address: new(ctypes.byref(method), address, nothing)


def _words(values: Sequence[int]) -> Any:
    return (ctypes.c_int64 * max(1, len(values)))(*values)


class _ResultSet:
    """Memory for the results of one call."""

    def __init__(self, types: Sequence[TensorType]) -> None:
        blocks = [memory.block(type.nbytes) for type in types]
        self.addresses = _words([at for _, _, at in blocks])
        self._blocks = [block for block, _, _ in blocks]
        # A view of an array takes a third of the time of an array of a block.
        self.views = [
            np.ndarray(type.static_shape, type.element_type.dtype, block, start).view
            for type, (block, start, _) in zip(types, blocks, strict=True)
        ]

    def is_idle(self) -> bool:
        """Whether no array that was made of this memory is left."""
        for block in self._blocks:  # noqa: SIM110 (a generator takes as long as the rest)
            if getrefcount(block) > _idle:
                return False
        return True


_idle = 0  # references to a block of memory that only the set and a loop over it know
while not _ResultSet([TensorType((), element_type("i8"))]).is_idle():
    _idle += 1  # versions of Python differ


class Entry:
    """What a call needs; used by one at a time.

    Attributes:
        table: what it runs.
        checked: looks at a tuple of arguments, and runs the table if they fit; zero, or why not.
        unchecked: as ``checked``, but for arguments that are known to fit.
    """

    def __init__(
        self,
        planned: Planned,
        arguments: Sequence[TensorType],
        results: Sequence[TensorType],
        frame: Frame,
    ) -> None:
        self.frame = frame
        self.table = Table(planned)
        self._types = results
        self._keeps = sum(type.nbytes for type in results) <= _KEPT
        self._sets: list[_ResultSet] = []
        self._current: _ResultSet | None = None
        self._expected = [_expected(type) for type in arguments]
        self._list = _words([ctypes.addressof(words) for words in self._expected])
        start = self.table.start
        self._patches = _words(
            [w for p in self.table.patches for w in (start + 8 * p.word, p.number, p.offset)]
        )
        self._calls = [self._call(count) for count in (len(arguments), -1)]
        self.checked, self.unchecked = map(_methods(), map(ctypes.addressof, self._calls))

    def _call(self, count: int) -> Any:
        values = {
            "frame": self.frame.address,
            "table": self.table.address,
            "rows": len(self.table.rows),
            "arena": self.frame.arena_start,
            "array_type": id(np.ndarray),
            "expected": ctypes.addressof(self._list),
            "count": count,
            "patches": ctypes.addressof(self._patches),
            "patch_count": len(self.table.patches),
        }
        return _words([values.get(name, 0) for name in entering.CALL])

    def redirect(self, table: int, rows: int) -> None:
        """Have calls run the rows at another address; the table's contexts are patched as ever."""
        for words in self._calls:
            words[entering.CALL.index("table")] = table
            words[entering.CALL.index("rows")] = rows

    def write_to(self, arrays: Sequence[Array]) -> None:
        """Have calls write their results to these arrays."""
        self._write_at(_words([array.ctypes.data for array in arrays]))

    def _write_at(self, places: Any) -> None:
        self._places = places  # calls read them
        for words in self._calls:
            words[_RESULTS] = ctypes.addressof(places)

    def results(self) -> list[Array]:
        """New arrays, which the next call writes; their memory may be that of dropped ones."""
        current = self._current
        if current is None or not current.is_idle():
            current = self._idle_set()
            self._write_at(current.addresses)
            self._current = current if self._keeps else None
        views = current.views
        return [views[0]()] if len(views) == 1 else [view() for view in views]  # as fast as it gets

    def _idle_set(self) -> _ResultSet:
        for one in self._sets:
            if one.is_idle():
                return one
        one = _ResultSet(self._types)
        if self._keeps:
            self._sets.append(one)
            if len(self._sets) > _SETS:
                del self._sets[0]
        return one


_RESULTS = entering.CALL.index("results")


def _expected(type: TensorType) -> Any:
    shape = type.static_shape
    return _words([id(type.element_type.dtype), len(shape), *shape])


@cache
def arrays_are_known() -> bool:
    """Whether arrays and tuples lie in memory as ``enter`` reads them."""
    array = np.zeros((2, 3), np.float32)
    holder = (array,)

    def word(address: int, kind: Any = ctypes.c_int64) -> int:
        return int(kind.from_address(address).value)

    here, at = id(array), entering.ARRAY
    sizes = word(here + at["sizes"])
    return (
        word(id(holder) + entering.TUPLE_SIZE) == len(holder)
        and word(id(holder) + entering.TUPLE_ITEMS) == here
        and word(here + entering.OBJECT_TYPE) == id(np.ndarray)
        and word(here + at["data"]) == array.ctypes.data
        and word(here + at["rank"], ctypes.c_int32) == array.ndim
        and (word(sizes), word(sizes + 8)) == array.shape
        and word(here + at["dtype"]) == id(array.dtype)
        and word(here + at["flags"], ctypes.c_int32) & entering.FLAGS == entering.FLAGS
        and not word(id(array.T) + at["flags"], ctypes.c_int32) & 1
    )
