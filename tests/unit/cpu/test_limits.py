"""The machine's limits: numbers that can be true, whatever the machine."""

from __future__ import annotations

import ctypes
import math
from dataclasses import astuple

import numpy as np
import pytest

from shlo_tools import mlir
from shlo_tools.codegen import target
from shlo_tools.codegen.library import measuring
from shlo_tools.cpu import limits
from shlo_tools.cpu.memory import aligned_bytes
from shlo_tools.cpu.process_library import parts
from shlo_tools.errors import ShloError
from shlo_tools.program.costs import Costs, Flops


@pytest.mark.parametrize("threads", [None, 1])
def test_limits_are_positive(threads: int | None) -> None:
    measured = limits.measured(threads)
    assert all(math.isfinite(number) and number > 0 for number in astuple(measured))
    assert measured.bandwidth >= measured.copy_bandwidth
    assert limits.measured(threads) is measured


def test_the_bound_is_the_slower_of_traffic_and_arithmetic() -> None:
    known = limits.Limits(1, 100.0, 50.0, 10.0, 8.0, 9.0, 1)
    assert known.bound(bytes=100, flops=100) == 10
    assert known.bound(bytes=10, flops=1000) == 10
    assert known.bound(bytes=10, flops=1000, bits=64) == 20


def test_least_seconds_add_arithmetic_of_both_widths() -> None:
    """Narrow and wide numbers share the same units; traffic goes on beside them."""
    known = limits.Limits(1, 100.0, 50.0, 10.0, 8.0, 9.0, 1)
    assert known.least_seconds(Costs(Flops(narrow=1000, wide=200), bytes=10)) == 14
    assert known.least_seconds(Costs(Flops(narrow=1000, wide=200), bytes=150)) == 15


def test_other_numbers_of_threads_are_refused() -> None:
    with pytest.raises(ShloError, match="limits of 1000 threads"):
        limits.measured(1000)


def test_the_jobs_meet_all_of_a_chunk() -> None:
    with mlir.library_context():
        code, addresses = parts.compiled(measuring.functions(target.host()))
    parts.keep(code)
    size = 2 * measuring.CHUNK_BYTES
    memory = aligned_bytes(3 * size).view(np.float32).reshape(3, -1)
    memory[:2] = np.random.default_rng(0).normal(size=memory[:2].shape)
    job = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
    words = (ctypes.c_int64 * 3)(*(row.ctypes.data for row in memory))
    for chunk in range(2):
        job(addresses[measuring.TRIAD])(ctypes.addressof(words), chunk, None)
    expected = memory[0] + memory[1] * np.float32(3)
    np.testing.assert_allclose(memory[2], expected, rtol=1e-5, atol=1e-5)
    words = (ctypes.c_int64 * 2)(memory[0].ctypes.data, memory[2].ctypes.data)
    for chunk in range(2):
        job(addresses[measuring.COPY])(ctypes.addressof(words), chunk, None)
    assert (memory[2] == memory[0]).all()
