"""What ranks begin together begins on all of them or on none, however late messages are."""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import pytest

from shlo_tools import time_limit
from shlo_tools.errors import ExecutionError, ExecutionTimeout
from shlo_tools.grid import ProcessId
from shlo_tools.parallel.mpi_coming import come
from shlo_tools.parallel.mpi_grid import MpiGrid
from shlo_tools.processes import Process, run_processes

TIMES = 10  # that each process comes
SLOW = 0.004  # seconds that a message takes at most


class Network:
    """Messages between threads, each of which takes its time; those of a pair stay in order."""

    def __init__(self, ranks: int, rng: random.Random) -> None:
        self.rng = rng
        self.queues = {(a, b): deque[Any]() for a in range(ranks) for b in range(ranks)}


class Post:
    """What ``Messages`` does, for one rank of a network."""

    def __init__(self, network: Network, rank: int) -> None:
        self.network, self.rank = network, rank

    def send(self, rank: int, value: Any) -> None:
        at = time.monotonic() + self.network.rng.random() * SLOW
        self.network.queues[self.rank, rank].append((at, value))

    def receive(self) -> tuple[int, Any] | None:
        for (source, target), queue in self.network.queues.items():
            if target == self.rank and queue and queue[0][0] < time.monotonic():
                return source, queue.popleft()[1]
        return None

    def delivered(self) -> bool:
        return True


def run_ranks(ranks: int, rng: random.Random, run: Callable[[MpiGrid, Process], None]) -> list[Any]:
    """Run a process on each rank, those of a grid of so many replicas; what each raises."""
    network, raised = Network(ranks, rng), [None] * ranks
    ids = [(replica, 0) for replica in range(ranks)]

    def main(rank: int) -> None:
        post: Any = Post(network, rank)
        grid = MpiGrid((ranks, 1), ids, post, rank, ranks, "")
        ended: list[bool] = []
        server = threading.Thread(target=grid.serve, args=[lambda: ended[0] if ended else None])
        server.start()
        try:
            run_processes([Process(ids[rank], grid)], lambda process: run(grid, process))
        except BaseException as error:
            raised[rank] = error
        ended.append(True)
        server.join()

    threads = [threading.Thread(target=main, args=[rank], daemon=True) for rank in range(ranks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    assert not any(network.queues.values())  # each rank got what the others sent
    return raised


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("how", ["raises", "is late", "ends"])
def test_all_begin_or_none(how: str, seed: int) -> None:
    """While a process, of the group or not, fails, runs out of time, or ends and leaves others."""
    rng = random.Random(f"{how} {seed}")
    ranks = rng.randint(2, 6)
    group = [(replica, 0) for replica in rng.sample(range(ranks), rng.randint(2, ranks))]
    culprit, left = (rng.randrange(ranks), 0), rng.randint(0, TIMES - 1)
    moment = rng.random() * TIMES * SLOW * 2
    begun: dict[ProcessId, list[int]] = {id: [] for id in group}

    def run(grid: MpiGrid, process: Process) -> None:
        fails = process.id == culprit
        count = left if fails and how != "is late" else TIMES
        with time_limit.limited(moment if fails and how == "is late" else None):
            for key in range(count if process.id in group else 0):
                come(grid, key, process.id, group, "a scalar", lambda: "for all")
                begun[process.id].append(key)
        if fails and how == "raises":
            time.sleep(0 if process.id in group else moment)
            raise KeyError("mine")

    raised = run_ranks(ranks, rng, run)
    assert len({tuple(keys) for keys in begun.values()}) == 1, begun
    all_came = begun[group[0]] == list(range(TIMES))
    if how == "raises":
        assert isinstance(raised[culprit[0]], KeyError)
    elif how == "is late" and not all_came:
        assert isinstance(raised[culprit[0]], ExecutionTimeout)
    elif how == "ends" and culprit in group:
        assert begun[group[0]] == list(range(left))
        others = [raised[replica] for replica, _ in group if replica != culprit[0]]
        assert all("deadlock" in str(error) for error in others)
    else:
        assert all_came


@pytest.mark.parametrize("ranks", [2, 3, 5, 8])
def test_all_raise_where_one_brings_other_types(ranks: int) -> None:
    group = [(replica, 0) for replica in range(ranks)]

    def run(grid: MpiGrid, process: Process) -> None:
        types = "2 int32" if process.id == (1, 0) else "3 int32"
        come(grid, "key", process.id, group, types, lambda: "")

    raised = run_ranks(ranks, random.Random(ranks), run)
    for error in raised:
        assert isinstance(error, ExecutionError)
        assert "process (0, 0) brings 3 int32, process (1, 0) brings 2 int32" in str(error)
