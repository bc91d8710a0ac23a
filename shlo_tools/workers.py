"""A Python process of ours that answers requests: what happens to it does not happen here.

    worker = Worker("shlo_tools.interop.remote")
    answer = worker.ask("compile", text, options)

It starts with the first request that needs it and ends with this process. Requests and answers
are pickled; errors come back as they were raised. The module named is run as ``__main__``, and
calls ``serve``.
"""

from __future__ import annotations

import atexit
import functools
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from shlo_tools.errors import ShloError, UnsupportedError

if TYPE_CHECKING:  # few programs are read in another process, and importing it takes a while
    from multiprocessing.connection import Connection


class WorkerDied(ShloError):
    """The process ended instead of answering.

    Attributes:
        status: its exit status; killed by signal n it is -n.
    """

    def __init__(self, status: int) -> None:
        self.status = status
        super().__init__(f"the process at work {self.end}")

    @property
    def end(self) -> str:
        """``died of SIGSEGV``."""
        if self.status >= 0:
            return f"ended with status {self.status}"
        return f"died of {signal.Signals(-self.status).name}"


class WorkerGone(WorkerDied):
    """The process had ended before it took the request: the one of another thread ended it."""


class WorkerStopped(ShloError):
    """The process was ended, because its answer took too long."""

    def __init__(self) -> None:
        super().__init__("the process at work was stopped")


class Worker:
    """One process; threads take turns. One that died is not replaced: see ``worker_of``.

    Args:
        module: what it runs.
        words: further arguments of its command line.
    """

    def __init__(self, module: str, *words: str) -> None:
        if not hasattr(os, "fork"):
            raise UnsupportedError("work in a process of its own needs a POSIX system")
        ours, theirs = socket.socketpair()
        # -P: no file beside the user's script may stand in for a module of the library.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", module, str(theirs.fileno()), *words],
            pass_fds=[theirs.fileno()],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        )
        theirs.close()
        self._pipe = _connection(ours.detach())
        self._lock = threading.Lock()
        self._has_ended = False
        atexit.register(self._process.terminate)

    @property
    def is_alive(self) -> bool:
        """Whether it may answer: nobody has seen it end, and it has not."""
        return not self._has_ended and self._process.poll() is None

    def ask(self, name: str, *arguments: Any, deadline: float | None = None) -> Any:
        """The answer to a request, or the error that it raised.

        Args:
            deadline: when to end the process instead of waiting, by ``time.monotonic``.

        Raises:
            WorkerDied: there will be no answer; WorkerGone where it was not asked at all.
            WorkerStopped: the time is up; where others' requests took it, their process goes on.
        """
        if not self._lock.acquire(timeout=_until(deadline)):
            raise WorkerStopped
        try:
            if self._has_ended:  # while others' requests were before this one
                raise WorkerGone(self._process.wait())
            return self._answer(name, arguments, deadline)
        finally:
            self._lock.release()

    def _answer(self, name: str, arguments: Sequence[Any], deadline: float | None) -> Any:
        try:
            _send(self._pipe, (name, arguments))
            if deadline is not None and not self._pipe.poll(_until(deadline)):
                raise WorkerStopped
            ended, answer = _received(self._pipe)
        except (EOFError, OSError) as error:
            raise WorkerDied(self._end()) from error
        except BaseException:  # too late, Ctrl-C: the answer to come would be the next one's
            self._process.kill()
            self._end()
            raise
        if ended == "raised":
            raise answer
        return answer

    def _end(self) -> int:
        self._has_ended = True
        self._pipe.close()
        atexit.unregister(self._process.terminate)
        return self._process.wait()


_LONGEST = 1e8  # seconds; locks and pipes wait no longer


def _until(deadline: float | None) -> float:
    """Seconds until then, as waiting for a lock takes them; -1 for no limit."""
    return -1 if deadline is None else min(max(0.0, deadline - time.monotonic()), _LONGEST)


@functools.cache
def _workers(process: int) -> dict[tuple[str, ...], Worker]:
    return {}


_starting = threading.Lock()


def worker_of(module: str, *words: str) -> Worker:
    """This process's worker that runs ``module``, started where there is none alive.

    Args:
        words: further arguments of its command line; others are another worker's.
    """
    with _starting:
        workers = _workers(os.getpid())  # a fork has none: the pipe is its parent's
        worker = workers.get((module, *words))
        if worker is None or not worker.is_alive:
            worker = workers[module, *words] = Worker(module, *words)
        return worker


def ask(
    module: str, words: Sequence[str], name: str, *arguments: Any, deadline: float | None = None
) -> Any:
    """The answer to a request of this process's worker that runs ``module``; see ``Worker.ask``.

    Where it ended before it took the request, the one that takes its place is asked.
    """
    while True:
        try:
            return worker_of(module, *words).ask(name, *arguments, deadline=deadline)
        except WorkerGone:
            continue


def _connection(handle: int) -> Connection:
    from multiprocessing.connection import Connection

    return Connection(handle)


def _send(pipe: Connection, message: Any) -> None:
    """Like ``pipe.send``, whose older protocol makes numpy forget the byte order of arrays."""
    pipe.send_bytes(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))


def _received(pipe: Connection) -> Any:
    return pickle.loads(pipe.recv_bytes())


# --- in the child ---------------------------------------------------------------------------------
def limit_memory(size: int) -> None:
    """Let this process have at most so many bytes of addresses, libraries included."""
    import resource  # POSIX only

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        size = min(size, hard)
    resource.setrlimit(resource.RLIMIT_AS, (size, hard))


def serve(actions: Mapping[str, Callable[..., Any]]) -> None:
    """Answer requests until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    pipe = _connection(int(sys.argv[1]))
    while True:
        try:
            name, arguments = _received(pipe)
        except EOFError:
            return
        try:
            answer = ("returned", actions[name](*arguments))
        except Exception as error:  # whatever the work raises goes to whoever asked
            answer = ("raised", _portable(error))
        _send(pipe, answer)


def _portable(error: Exception) -> Exception:
    """The error itself where it can travel, else its text."""
    try:
        pickle.loads(pickle.dumps(error))
    except (pickle.PickleError, TypeError, AttributeError):
        return ShloError(f"{type(error).__name__}: {error}")
    return error
