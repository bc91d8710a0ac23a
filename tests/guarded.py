"""Arrays against unmapped pages: what reads or writes outside ends the process."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from shlo_tools.codegen import memory_plan
from shlo_tools.codegen.memory_plan import ALIGNMENT, Lifetime, MemoryPlan
from shlo_tools.cpu import memory
from shlo_tools.cpu.stages import places
from shlo_tools.cpu.stages.executable import StagedExecutable
from shlo_tools.dtypes import Array

_PAGE = mmap.PAGESIZE
_mprotect = ctypes.CDLL(None).mprotect
_mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def guarded(array: np.ndarray, *, at_end: bool) -> np.ndarray:
    """A copy whose last (or first) byte has an unmapped page beside it."""
    pages = max(1, -(-array.nbytes // _PAGE))
    block = mmap.mmap(-1, (pages + 2) * _PAGE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(block))
    for page in (0, pages + 1):
        status = _mprotect(start + page * _PAGE, _PAGE, 0)
        if status:
            raise OSError("mprotect failed")
    offset = _PAGE * (pages + 1) - array.nbytes if at_end else _PAGE
    copy = np.frombuffer(block, array.dtype, array.size, offset).reshape(array.shape)
    copy[...] = array
    return copy


def guarded_block(count: int, *, at_end: bool) -> tuple[np.ndarray, int, int]:
    """What ``memory.block`` gives, against unmapped pages."""
    data = guarded(np.zeros(count, np.uint8), at_end=at_end).base
    assert isinstance(data, np.ndarray)  # which arrays of results refer to, and not to views of it
    return data, 0, data.ctypes.data


def spread(lifetimes: Sequence[Lifetime]) -> MemoryPlan:
    """What ``memory_plan.plan`` gives, each place in front of a page that is closed."""
    offsets, at = [], _PAGE
    for lifetime in lifetimes:
        pages = max(1, -(-lifetime.size // _PAGE))
        offsets.append(at + (pages * _PAGE - lifetime.size) // ALIGNMENT * ALIGNMENT)
        at += (pages + 1) * _PAGE
    size = at + 997  # no array of the tests has as many bytes
    closed[size] = {*range(0, at, _PAGE)} - {
        page
        for offset, lifetime in zip(offsets, lifetimes, strict=True)
        for page in range(offset // _PAGE * _PAGE, offset + max(1, lifetime.size), _PAGE)
    }
    return MemoryPlan(offsets, size)


closed: dict[int, set[int]] = {}  # by the size of a spread plan's block: pages that are no place


def closed_block(count: int) -> tuple[np.ndarray, int, int]:
    """What ``memory.block`` gives; in that of a spread plan, what is no place is unmapped."""
    if count not in closed:
        return guarded_block(count, at_end=True)
    block = mmap.mmap(-1, count)
    data = np.frombuffer(block, np.uint8)
    for page in closed[count]:
        if _mprotect(data.ctypes.data + page, _PAGE, 0):
            raise OSError("mprotect failed")
    return data, 0, data.ctypes.data


def guard_programs(patch: pytest.MonkeyPatch) -> None:
    """Have arguments, results and values between stages each lie in front of an unmapped page."""
    at_once = StagedExecutable._at_once

    def guarded_arguments(self: StagedExecutable, arguments: Sequence[Any]) -> Any:
        if all(type(argument) is np.ndarray for argument in arguments):
            arguments = tuple(_in_front(argument) for argument in arguments)
        return at_once(self, arguments)

    patch.setattr(places.memory_plan, "plan", spread)
    patch.setattr(places.memory_plan, "inside", lambda *_: {})
    patch.setattr(memory, "block", _block)
    patch.setattr(StagedExecutable, "_at_once", guarded_arguments)


def _block(count: int) -> tuple[Array, int, int]:
    """Results stay aligned, as the tests demand: up to 63 bytes are between them and the page."""
    return closed_block(count if count in closed else memory_plan.aligned(count))


def _in_front(array: Array) -> Array:
    return guarded(array, at_end=True) if array.flags.c_contiguous else array
