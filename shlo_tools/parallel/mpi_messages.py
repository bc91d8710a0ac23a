"""Messages between the ranks of an MPI job: Python values, whose arrays are not copied on the way.

A value is pickled without its arrays' data: that goes beside it, from the memory where it lies to
fresh memory on the other side.
"""

from __future__ import annotations

import pickle
import time
from collections import deque
from typing import Any

import numpy as np

_TAGS_OF_A_CALL = 2


class Messages:
    """What one call sends and gets. One thread alone may use it.

    Messages of one rank to another arrive in the order in which they were sent.

    Args:
        communicator: of mpi4py.
        call: the number of the call. Messages of the next one, which other ranks may begin
            earlier, are left alone.
    """

    def __init__(self, communicator: Any, call: int) -> None:
        from mpi4py import MPI

        self._mpi, self._communicator = MPI, communicator
        self._head = call % 2 * _TAGS_OF_A_CALL
        self._data = self._head + 1
        self._under_way: deque[tuple[Any, Any]] = deque()  # requests, and what they read

    def send(self, rank: int, value: Any) -> None:
        """Send a value; its arrays are read until all is ``delivered``."""
        buffers: list[pickle.PickleBuffer] = []
        body = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
        raw = [buffer.raw() for buffer in buffers]
        head = pickle.dumps((body, [data.nbytes for data in raw]))
        send = self._communicator.Isend
        self._under_way.append((send([head, self._mpi.BYTE], rank, self._head), head))
        for data in raw:
            request = send([data, self._mpi.BYTE], rank, self._data)
            self._under_way.append((request, data))

    def receive(self) -> tuple[int, Any] | None:
        """The rank and the value of a message, if there is one."""
        status = self._mpi.Status()
        message = self._communicator.Improbe(self._mpi.ANY_SOURCE, self._head, status)
        if message is None:
            return None
        rank = status.Get_source()
        head = np.empty(status.Get_count(self._mpi.BYTE), np.uint8)
        message.Recv([head, self._mpi.BYTE])
        body, sizes = pickle.loads(head.data)
        buffers = [np.empty(size, np.uint8) for size in sizes]
        requests = [
            self._communicator.Irecv([buffer, self._mpi.BYTE], rank, self._data)
            for buffer in buffers
        ]
        while not self._mpi.Request.Testall(requests):
            time.sleep(0)  # ranks may share a core
        return rank, pickle.loads(body, buffers=buffers)

    def delivered(self) -> bool:
        """Whether all that was sent has left; who asks drives the sending."""
        for _ in range(len(self._under_way)):
            request, data = self._under_way.popleft()
            if not request.Test():
                self._under_way.append((request, data))
        return not self._under_way
