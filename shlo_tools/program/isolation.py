"""Sources that could end the process that reads them are read in another one first."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from shlo_tools import workers
from shlo_tools.errors import Diagnostic, ParseError
from shlo_tools.text.guards import Suspicion

READER = "shlo_tools.program.reader"
SECONDS, PER_MEGABYTE = 10.0, 2.0  # of processor time; reading a megabyte takes a tenth of one


def rewritten(source: bytes, name: str) -> bytes:
    """Bytecode of unknown origin as bytecode that MLIR wrote.

    Raises:
        ParseError: it is broken; where its reader died of it, as well.
    """
    try:
        data: bytes = _asked("bytecode", source, name)
    except workers.WorkerDied as died:
        raise ParseError(f"{name}: broken bytecode (its reader {_end(died)})") from died
    except MemoryError as error:
        raise ParseError(f"{name}: broken bytecode (its reader {_HUNGRY})") from error
    return data


def check(source: str, name: str, suspicion: Suspicion) -> None:
    """Refuse a text that its parser does not survive.

    Raises:
        ParseError: at the place of the suspicion; whatever else is wrong with it, too.
    """
    try:
        _asked("text", source, name)
    except workers.WorkerDied as died:
        raise _refused(source, name, suspicion, _end(died)) from died
    except MemoryError as error:
        raise _refused(source, name, suspicion, _HUNGRY) from error


_HUNGRY = "wanted more memory than it may have"


def _refused(source: str, name: str, suspicion: Suspicion, end: str) -> ParseError:
    message = f"{suspicion.message}: MLIR's parser {end}"
    diagnostic = Diagnostic("error", message, suspicion.place)
    return ParseError(diagnostic, source=source, source_name=name)


def _asked(action: str, source: str | bytes, name: str) -> Any:
    return workers.ask(READER, (), action, source, name, seconds(len(source)))


def _end(died: workers.WorkerDied) -> str:
    return "took too long" if died.status == -signal.SIGPROF else died.end


def seconds(size: int) -> float:
    """How long reading so many bytes may take."""
    return SECONDS + PER_MEGABYTE * size / 1e6


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Have the kernel end this process where the block takes too long.

    What counts is its own processor time: others may keep the machine busy.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
