"""Estimates what collectives over MPI cost in groups of up to thousands of ranks, by algorithm.

    python -m shlo_tools.tools.bench.collectives.costs --op all_reduce --kib 4 --kib 65536

Nothing is run: rounds, messages and bytes of each algorithm are counted, for groups with one
process on each rank, and time is rounds * latency + messages * overhead + bytes / bandwidth, of the
process that has most to do. Sizes are those of the result that each process gets (reduce_scatter
and all_to_all: of what each brings). Stars mark what this package does; the others are what MPI
libraries choose from, which reduction_order="any" leaves large sums to.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import click

from shlo_tools.processes.values import SMALL

GROUPS = (2, 4, 16, 64, 256, 1024, 4096)


@dataclass(frozen=True)
class Network:
    """What a message costs.

    Attributes:
        latency: seconds until one that was sent is there.
        overhead: seconds of its sender and receiver, in which they do nothing else.
        bandwidth: bytes a second of one rank.
    """

    latency: float = 20e-6
    overhead: float = 30e-6
    bandwidth: float = 1.25e9


@dataclass(frozen=True)
class Counts:
    """What one process does; the one that has most to do.

    Attributes:
        rounds: messages that wait for one another.
        messages: sent, or got where that is more.
        size: bytes of all of these.
    """

    rounds: float
    messages: float
    size: float

    def seconds(self, network: Network) -> float:
        """The estimate."""
        time = self.rounds * network.latency + self.messages * network.overhead
        return time + self.size / network.bandwidth


@dataclass(frozen=True)
class Algorithm:
    """How a group of n does something with an array of s bytes.

    Attributes:
        counts: of n and s.
        is_ours: whether this package does so, for an array of s bytes in a group of n.
    """

    op: str
    name: str
    counts: Callable[[int, float], Counts]
    is_ours: Callable[[int, float], bool] = lambda n, s: False


def _log(n: int) -> int:
    return math.ceil(math.log2(n))


def _is_small(n: int, s: float) -> bool:
    return s <= SMALL


def _is_large(n: int, s: float) -> bool:
    return s > SMALL


def _exchanged(meetings: int) -> Callable[[int, float], Counts]:
    """Parts go once to each other member; further meetings bring nothing."""
    return lambda n, s: Counts(meetings, meetings * (n - 1), s * (n - 1) / n)


ALGORITHMS = (
    Algorithm("all_reduce", "whole to all", lambda n, s: Counts(1, n - 1, (n - 1) * s), _is_small),
    Algorithm(
        "all_reduce",
        "parts to all, twice",
        lambda n, s: Counts(2, 2 * (n - 1), 2 * s * (n - 1) / n),
        _is_large,
    ),
    Algorithm(
        "all_reduce",
        "ring",
        lambda n, s: Counts(2 * (n - 1), 2 * (n - 1), 2 * s * (n - 1) / n),
    ),
    Algorithm("all_reduce", "doubling", lambda n, s: Counts(_log(n), _log(n), _log(n) * s)),
    Algorithm(
        "all_reduce",
        "halving, doubling",
        lambda n, s: Counts(2 * _log(n), 2 * _log(n), 2 * s * (n - 1) / n),
    ),
    # What each brings is copied where it is small; else all meet again before it may be written.
    Algorithm("all_gather", "parts to all", _exchanged(1), lambda n, s: s / n <= SMALL),
    Algorithm("all_gather", "parts to all, met again", _exchanged(2), lambda n, s: s / n > SMALL),
    Algorithm("all_gather", "ring", lambda n, s: Counts(n - 1, n - 1, s * (n - 1) / n)),
    Algorithm("all_gather", "doubling", lambda n, s: Counts(_log(n), _log(n), s * (n - 1) / n)),
    Algorithm("reduce_scatter", "parts to all", _exchanged(1), _is_small),
    Algorithm("reduce_scatter", "parts to all, met again", _exchanged(2), _is_large),
    Algorithm("reduce_scatter", "ring", lambda n, s: Counts(n - 1, n - 1, s * (n - 1) / n)),
    Algorithm("reduce_scatter", "halving", lambda n, s: Counts(_log(n), _log(n), s * (n - 1) / n)),
    Algorithm("all_to_all", "parts to all", _exchanged(1), _is_small),
    Algorithm("all_to_all", "parts to all, met again", _exchanged(2), _is_large),
    Algorithm("all_to_all", "Bruck", lambda n, s: Counts(_log(n), _log(n), s / 2 * _log(n))),
    Algorithm(
        "collective_broadcast",
        "root to all",
        lambda n, s: Counts(1, n - 1, (n - 1) * s),
        lambda n, s: True,
    ),
    Algorithm("collective_broadcast", "tree", lambda n, s: Counts(_log(n), _log(n), _log(n) * s)),
    Algorithm(
        "collective_broadcast",
        "scatter, gather",
        lambda n, s: Counts(2 * _log(n), 2 * _log(n), 2 * s * (n - 1) / n),
    ),
)
OPS = tuple(dict.fromkeys(algorithm.op for algorithm in ALGORITHMS))


def of(op: str) -> list[Algorithm]:
    """The algorithms of an op."""
    return [algorithm for algorithm in ALGORITHMS if algorithm.op == op]


def ours(op: str, group: int, size: float) -> Algorithm:
    """What this package does, in the group's order."""
    return next(algorithm for algorithm in of(op) if algorithm.is_ours(group, size))


def best(op: str, group: int, size: float, network: Network) -> Algorithm:
    """What takes the least time."""
    return min(of(op), key=lambda algorithm: algorithm.counts(group, size).seconds(network))


def lines(
    op: str, sizes: Sequence[float], groups: Sequence[int], network: Network
) -> Iterator[str]:
    """A table for each size: a row for each algorithm, a column for each group."""
    for size in sizes:
        known = [a for a in of(op) if not _belongs_to_others(a, groups, size)]
        yield f"\n{op}, {_bytes(size)}\n"
        yield f"| algorithm | {' | '.join(map(str, groups))} |\n{'|---' * (1 + len(groups))}|"
        for algorithm in known:
            cells = [_cell(algorithm, group, size, network) for group in groups]
            yield f"| {algorithm.name} | {' | '.join(cells)} |"
        names = [best(op, group, size, network).name for group in groups]
        yield f"| fastest | {' | '.join(names)} |"


def _belongs_to_others(algorithm: Algorithm, groups: Sequence[int], size: float) -> bool:
    """Whether it is what this package does for other sizes only, with meetings to no purpose."""
    again = algorithm.name.endswith("again")
    return again and not any(algorithm.is_ours(group, size) for group in groups)


def _cell(algorithm: Algorithm, group: int, size: float, network: Network) -> str:
    time = _seconds(algorithm.counts(group, size).seconds(network))
    return f"{time} *" if algorithm.is_ours(group, size) else time


def _seconds(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} us"
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def _bytes(size: float) -> str:
    return f"{size / 1024:.0f} KiB" if size < 1 << 20 else f"{size / (1 << 20):.0f} MiB"


@click.command(help=__doc__.replace("\n\n    python", "\n\n\b\n    python"))
@click.option("--op", type=click.Choice(OPS), default=OPS[0], show_default=True)
@click.option(
    "--kib",
    type=click.IntRange(1),
    multiple=True,
    default=(4, 65536),
    show_default=True,
    help="Size of an array; several may be asked for.",
)
@click.option(
    "--group",
    "groups",
    type=click.IntRange(2),
    multiple=True,
    default=GROUPS,
    show_default=True,
    help="Size of a group.",
)
@click.option("--latency", type=click.FloatRange(0), default=20.0, show_default=True, help="us.")
@click.option("--overhead", type=click.FloatRange(0), default=30.0, show_default=True, help="us.")
@click.option(
    "--gbit", type=click.FloatRange(1e-6), default=10.0, show_default=True, help="By second."
)
def main(
    op: str, kib: Sequence[int], groups: Sequence[int], latency: float, overhead: float, gbit: float
) -> None:
    network = Network(latency * 1e-6, overhead * 1e-6, gbit / 8 * 1e9)
    for line in lines(op, [1024.0 * size for size in kib], groups, network):
        click.echo(line)


if __name__ == "__main__":
    main()
