"""What this machine can do at most, measured on the spot: arithmetic, and traffic with memory.

limits = measured()
limits.bound(bytes=3 * 2**30, flops=10**9)  # seconds that no program can beat
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

from shlo_tools import mlir
from shlo_tools.codegen import target
from shlo_tools.codegen.function import F32, F64, Type
from shlo_tools.codegen.library import measuring, sharing
from shlo_tools.codegen.library.pool import ROW
from shlo_tools.cpu.frame import Frame
from shlo_tools.cpu.memory import aligned_bytes
from shlo_tools.cpu.process_library import parts, threads
from shlo_tools.errors import ShloError
from shlo_tools.program.costs import Costs

_LEAST_BYTES, _MOST_BYTES = 64 << 20, 256 << 20  # of one array
_REPEATS = 4
_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_STEPS = 100_000  # of arithmetic in a chunk: less than a millisecond
_CHUNKS = 16  # for each thread
_JOB = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
_PARALLEL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)


@dataclass(frozen=True)
class Limits:
    """The best of some measurements.

    Attributes:
        threads: how many computed.
        flops_f32: additions and multiplications of f32 in a second, of fused multiply-adds where
            the target has them (one counts as two).
        flops_f64: those of f64.
        read_bandwidth: bytes a second that are read from memory.
        copy_bandwidth: bytes a second that are read and written when memory is copied.
        triad_bandwidth: bytes a second that are read and written by ``a = b + 3 c``.
        array_bytes: of one of the three arrays in memory: the last cache's size, within limits.
    """

    threads: int
    flops_f32: float
    flops_f64: float
    read_bandwidth: float
    copy_bandwidth: float
    triad_bandwidth: float
    array_bytes: int

    @property
    def bandwidth(self) -> float:
        """Bytes a second that memory gives or takes at best."""
        return max(self.read_bandwidth, self.copy_bandwidth, self.triad_bandwidth)

    def bound(self, bytes: float, flops: float, bits: int = 32) -> float:
        """The least seconds for some traffic with memory and arithmetic on floats of ``bits``.

        What stays in caches may take less.
        """
        peak = self.flops_f64 if bits == 64 else self.flops_f32
        return max(bytes / self.bandwidth, flops / peak)

    def joined(self, other: Limits) -> Limits:
        """The better one of each number: other work on a machine only lowers them."""
        both = zip(astuple(self), astuple(other), strict=True)
        return Limits(*(max(pair) for pair in both))

    def least_seconds(self, costs: Costs) -> float:
        """The least seconds for what a function needs, see ``bound``.

        Integers count as floats of their width, and what has fewer than 32 bits as f32.
        """
        narrow, wide = costs.flops.narrow, costs.flops.wide
        arithmetic = narrow / self.flops_f32 + wide / self.flops_f64
        return max(costs.bytes / self.bandwidth, arithmetic)


def measured(threads: int | None = None) -> Limits:
    """Measure the limits, for about a second, once in a process for each number of threads.

    Args:
        threads: 1, or as many as the pool has, which is the default.

    Raises:
        ShloError: the pool has another number of threads.
        ExecutionError: there is no memory for three arrays of the last cache's size.
    """
    available = _thread_count()
    if threads not in (None, 1, available):
        raise ShloError(
            f"limits of {threads} threads cannot be measured",
            hint=f"1 and {available} can; SHLO_NUM_THREADS says how many threads there are",
        )
    count = threads or available
    if count not in _known:
        _known[count] = _measured(count)
    return _known[count]


def measured_again(threads: int | None = None) -> Limits:
    """Measure once more, and keep the better numbers; see ``measured``."""
    before = measured(threads)
    _known[before.threads] = before.joined(_measured(before.threads))
    return _known[before.threads]


_known: dict[int, Limits] = {}


def _thread_count() -> int:
    return threads.thread_count()


def _measured(count: int) -> Limits:
    machine = target.host()
    with mlir.library_context():
        code, addresses = parts.compiled(measuring.functions(machine))
    parts.keep(code)  # a thread of the pool may be inside it
    frame = Frame(0, 0, has_jobs=True)

    def best(name: str, context: Sequence[int], chunks: int) -> float:
        """Seconds of the fastest run; one in front wakes threads and touches memory."""
        words = (ctypes.c_int64 * len(context))(*context)
        where = ctypes.addressof(words)
        times = [
            _seconds(addresses[name], where, chunks, frame, count) for _ in range(_REPEATS + 1)
        ]
        return min(times[1:])

    def arithmetic(element: Type) -> float:
        chunks = _CHUNKS * count
        flops = chunks * _STEPS * measuring.steps_flops(machine, element)
        return flops / best(measuring.arithmetic_name(element), [_STEPS], chunks)

    size = _array_bytes()
    memory = aligned_bytes(3 * size)
    memory[:] = 1  # pages that were never written are one and the same
    chunks = size // measuring.CHUNK_BYTES
    first, second, third = (memory.ctypes.data + k * size for k in range(3))
    return Limits(
        threads=count,
        flops_f32=arithmetic(F32),
        flops_f64=arithmetic(F64),
        read_bandwidth=3 * size / best(measuring.READ, [first], 3 * chunks),
        copy_bandwidth=2 * size / best(measuring.COPY, [first, second], chunks),
        triad_bandwidth=3 * size / best(measuring.TRIAD, [first, second, third], chunks),
        array_bytes=size,
    )


def _seconds(job: int, context: int, chunks: int, frame: Frame, count: int) -> float:
    if count > 1:
        run = _PARALLEL(parts.address(sharing.PARALLEL))
        row = (ctypes.c_int64 * len(ROW))(job, context, chunks, *sharing.ALWAYS)
        start = time.perf_counter()
        run(frame.address, ctypes.addressof(row))
        return time.perf_counter() - start
    chunk, scratch = _JOB(job), frame["scratch"]
    start = time.perf_counter()
    for number in range(chunks):
        chunk(context, number, scratch)
    return time.perf_counter() - start


def _array_bytes() -> int:
    """Of one array: as large as the last cache, where the system says how large that is."""
    sizes = [path.read_text().strip() for path in _CACHES.glob("index*/size")]
    kibibytes = [int(size[:-1]) for size in sizes if size[:-1].isdecimal() and size[-1] == "K"]
    size = min(max([_LEAST_BYTES, *(1024 * n for n in kibibytes)]), _MOST_BYTES)
    return size - size % measuring.CHUNK_BYTES
