"""Jobs that do nothing but keep a processor busy, by which its limits are measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shlo_tools.codegen.function import F32, F64, I64, POINTER, Function, Type, Value
from shlo_tools.codegen.library.pool import JOB
from shlo_tools.codegen.target import Target

READ, COPY, TRIAD = "limit_read", "limit_copy", "limit_triad"
CHUNK_BYTES = 1 << 18
ELEMENTS = (F32, F64)
_ACCUMULATORS = 12  # enough to hide an instruction's latency, and they fit in 16 registers
_VECTORS = 8  # that a step of a loop over memory takes


def arithmetic_name(element: Type) -> str:
    """The job that multiplies and adds numbers of a type."""
    return f"limit_arithmetic_{element}"


def steps_flops(target: Target, element: Type) -> int:
    """Additions and multiplications of a step of the arithmetic job."""
    return 2 * _ACCUMULATORS * target.lanes(element.bits)


def functions(target: Target) -> list[Function]:
    """The jobs.

    The context of ``arithmetic`` holds the number of steps of a chunk. The one of the others holds
    addresses, aligned to 64 bytes: what is read; source and target; two sources and the target.
    Their chunks are of ``CHUNK_BYTES`` of each.
    """
    return [
        *(_arithmetic(target, e) for e in ELEMENTS),
        _read(target),
        _copy(target),
        _triad(target),
    ]


def _arithmetic(target: Target, element: Type) -> Function:
    f = Function(arithmetic_name(element), JOB)
    context, _, scratch = f.arguments
    vector = element.vector(target.lanes(element.bits))
    half, one = f.constant(0.5, vector), f.constant(1.0, vector)

    def step(_: Value, *sums: Value) -> list[Value]:
        if target.fma:
            return [f.fma(number, half, one) for number in sums]
        return [number * half + one for number in sums]

    starts = [f.constant(float(k), vector) for k in range(_ACCUMULATORS)]
    _keep(f, f.loop(0, f.load(context, I64), 1, step, starts), scratch)
    return f


def _keep(f: Function, sums: Sequence[Value], scratch: Value) -> None:
    """Store what was computed, without which nothing would have to be."""
    total = sums[0]
    for number in sums[1:]:
        total = total + number
    f.store(total, scratch)


def _over_memory(
    name: str, target: Target, arrays: int, body: Callable[[Function, Type, list[Value]], None]
) -> Function:
    """A job that meets each vector of a chunk of some arrays."""
    f = Function(name, JOB)
    context, chunk, _ = f.arguments
    vector = F32.vector(target.lanes(F32.bits))
    width = target.vector_bytes
    starts = [f.load(context.at(8 * k), POINTER).at(chunk * CHUNK_BYTES) for k in range(arrays)]

    def step(place: Value) -> None:
        for k in range(_VECTORS):
            body(f, vector, [start.at(place).at(k * width) for start in starts])

    f.loop(0, CHUNK_BYTES, _VECTORS * width, step)
    return f


def _read(target: Target) -> Function:
    f = Function(READ, JOB)
    context, chunk, scratch = f.arguments
    vector = F32.vector(target.lanes(F32.bits))
    start = f.load(context, POINTER).at(chunk * CHUNK_BYTES)
    width = target.vector_bytes

    def step(place: Value, *sums: Value) -> list[Value]:
        here = start.at(place)
        return [total + f.load(here.at(k * width), vector) for k, total in enumerate(sums)]

    zeros = [f.constant(0.0, vector)] * _VECTORS
    _keep(f, f.loop(0, CHUNK_BYTES, _VECTORS * width, step, zeros), scratch)
    return f


def _copy(target: Target) -> Function:
    def body(f: Function, vector: Type, places: list[Value]) -> None:
        source, result = places
        f.store(f.load(source, vector), result, target.vector_bytes, streaming=True)

    return _over_memory(COPY, target, 2, body)


def _triad(target: Target) -> Function:
    def body(f: Function, vector: Type, places: list[Value]) -> None:
        left, right, result = places
        total = f.load(left, vector) + f.load(right, vector) * f.constant(3.0, vector)
        f.store(total, result, target.vector_bytes, streaming=True)

    return _over_memory(TRIAD, target, 3, body)
