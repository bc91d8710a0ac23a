"""What the machine can do at most, as a table."""

from __future__ import annotations

from collections.abc import Iterator

from shlo_tools.cpu import limits
from shlo_tools.cpu.limits import Limits


def lines() -> Iterator[str]:
    """A table of the limits of all threads together, and of one of them."""
    yield "| threads | f32 GFLOP/s | f64 GFLOP/s | read GB/s | copy GB/s | triad GB/s |"
    yield "|---|---|---|---|---|---|"
    together = limits.measured()
    for measured in (together, *([] if together.threads == 1 else [limits.measured(1)])):
        yield f"| {measured.threads} | {' | '.join(f'{n:.1f}' for n in _numbers(measured))} |"
    yield ""
    yield (
        f"Arrays of {together.array_bytes >> 20} MiB; copy and triad count what is read and what is"
        " written. Other work on the machine lowers all of these."
    )


def _numbers(measured: Limits) -> list[float]:
    """By billions a second."""
    rates = (
        *(measured.flops_f32, measured.flops_f64, measured.read_bandwidth),
        *(measured.copy_bandwidth, measured.triad_bandwidth),
    )
    return [rate / 1e9 for rate in rates]


def show() -> int:
    """Measure, and print the table."""
    for line in lines():
        print(line, flush=True)
    return 0
