"""Benchmark worker: collectives of this package, over threads or over the ranks of an MPI job.

Over MPI rank 0 reads requests and tells the others, which look for them now and then: a rank that
waits in MPI would take its core from those that are measured.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from shlo_tools import parallel
from shlo_tools.tools.bench.collectives import cases
from shlo_tools.tools.bench.collectives.cases import Array, Call, Case

_LOOK = 5e-3  # seconds between looks for requests


def bind(case: Case, transport: Any) -> Call:
    """A call of a compiled case."""
    compiled = parallel.compile(cases.text(case), num_replicas=case.processes, transport=transport)
    arguments = cases.arguments(case)
    return lambda: compiled(arguments)


def _first(results: Any) -> Sequence[Array]:
    values = next(value for value in results if value is not None)
    return values if isinstance(values, tuple) else [np.asarray(values)]


def _told_by_rank_0(communicator: Any) -> Iterator[dict[str, Any]]:
    """The requests, on every rank."""
    if communicator.Get_rank() == 0:
        for request in cases.requests_of(sys.stdin):
            _tell(communicator, request)
            yield request
        _tell(communicator, None)
        return
    while True:
        while not communicator.iprobe(source=0):
            time.sleep(_LOOK)
        request = communicator.recv(source=0)
        if request is None:
            return
        yield request


def _tell(communicator: Any, request: dict[str, Any] | None) -> None:
    for rank in range(1, communicator.Get_size()):
        communicator.send(request, rank)


def main(transport: str) -> None:
    if transport == "threads":
        requests, answer = cases.requests_of(sys.stdin), cases.write_answer
    else:
        from mpi4py import MPI

        communicator = MPI.COMM_WORLD.Dup()
        requests = _told_by_rank_0(communicator)
        answer = cases.write_answer if communicator.Get_rank() == 0 else _silent
    cases.serve(requests, lambda case: bind(case, transport), _first, answer)


def _silent(answer: dict[str, Any]) -> None:
    """What ranks other than 0 say."""


if __name__ == "__main__":
    main(sys.argv[1])
