"""Runs work in a forked child, so that a crash of native code ends the child alone.

    outcome = isolation.run(work)      # in the child: work(channel) -> exit status
    if outcome.crash:                  # "crashed with SIGSEGV in pass 'cse'"
        ...

The parent must not have loaded MLIR: forking a process with threads and half-held locks is
asking for trouble, and a fresh child is what makes a second try meaningful. The parent keeps the
input's bytes, so that it can write a reproducer, and it alone writes files and standard output:
a child that dies half-way leaves nothing half-written.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import mmap
import os
import signal
import struct
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any, NoReturn, TextIO, cast

import click

from shlo_tools.errors import ShloError
from shlo_tools.pipeline import progress
from shlo_tools.tools import status_line
from shlo_tools.tools.status_line import StatusLine

INTERRUPTED = 130  # the exit status that shells give to a command ended by Ctrl-C


class Channel:
    """What a child tells its parent: what it is doing, and its output.

    The activity, and how far it is, lie in shared memory, which outlives a child that dies without
    a word. Beside them both say what happens on the terminal: the parent whether its status line
    is there, the child whether it must not be, because it writes something itself.

    Attributes:
        output: what is written here is the parent's ``Outcome.output``.
    """

    output: IO[bytes]
    _HEAD = struct.Struct("II")
    _VISIBLE, _HIDDEN = -1, -2  # flags at the end of the memory
    _FAR = struct.Struct("II32s")
    _FAR_AT = mmap.PAGESIZE - 64
    _TEXT = slice(_HEAD.size, _FAR_AT)

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, mmap.PAGESIZE)
        self.tell("at start")

    def tell(self, activity: str, item: int = 0) -> None:
        """Say what is done from now on.

        Args:
            activity: completes the sentence "crashed with SIGSEGV ...": ``in pass 'cse'``,
                ``while parsing``.
            item: which part of the input it is done to, where that has parts.
        """
        text = activity.encode()[: self._TEXT.stop - self._TEXT.start]
        self._memory[self._TEXT.start : self._TEXT.start + len(text)] = text
        self._HEAD.pack_into(self._memory, 0, item, len(text))
        self.tell_parts(0, 0, "")
        self._memory[self._HIDDEN] = False

    def tell_parts(self, done: int, total: int, what: str) -> None:
        """Say how many parts of the activity are done, of how many, and what these are."""
        self._FAR.pack_into(self._memory, self._FAR_AT, done, total, what.encode()[:32])

    def parts(self) -> tuple[int, int, str]:
        """What ``tell_parts`` said last; 0 of 0 where the activity has none."""
        done, total, what = self._FAR.unpack_from(self._memory, self._FAR_AT)
        return done, total, what.rstrip(b"\0").decode(errors="replace")

    def told(self) -> tuple[str, int]:
        """The last activity and its item."""
        item, length = self._HEAD.unpack_from(self._memory)
        text = self._memory[self._TEXT.start : self._TEXT.start + length]
        return text.decode(errors="replace"), item

    def hide_status(self) -> None:
        """Have the parent's status line off the terminal until the next ``tell``."""
        self._memory[self._HIDDEN] = True
        patience = time.monotonic() + 1  # with a parent that was stopped, say
        while self._memory[self._VISIBLE] and time.monotonic() < patience:
            time.sleep(0.005)

    def status(self) -> str:
        """What the status line may say now."""
        return "" if self._memory[self._HIDDEN] else self.told()[0]

    def announce_status(self, visible: bool) -> None:
        """Say whether the status line is on the terminal."""
        self._memory[self._VISIBLE] = visible


class _Stream:
    """Standard output or error of a child: what is written finds no status line there."""

    def __init__(self, stream: TextIO, channel: Channel) -> None:
        self._stream = stream
        self._channel = channel

    def write(self, text: str) -> int:
        if text:
            self._channel.hide_status()
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


Work = Callable[[Channel], int]


@dataclass(frozen=True)
class Outcome:
    """How a child ended.

    Attributes:
        status: its exit status; of a child killed by signal n it is -n.
        activity: what it said last that it was doing.
        item: to which part of the input.
        output: what it wrote to ``Channel.output``; cut off where it crashed.
    """

    status: int
    activity: str
    item: int
    output: bytes

    @property
    def crash(self) -> str:
        """``crashed with SIGSEGV in pass 'cse'``; empty for a child that ended by itself."""
        if self.status >= 0:
            return ""
        if self.status == -signal.SIGPROF:  # the limit that reading sets itself
            return f"took too long {self.activity}"
        return f"crashed with {signal.Signals(-self.status).name} {self.activity}"


def run(work: Work) -> Outcome:
    """Call ``work`` in a forked child and wait for its end.

    The child shares standard input, output and error. Ctrl-C ends it at once, whatever native
    code it is in. An exception that leaves ``work`` is a defect: it is shown with its traceback,
    and the status is 1.

    Raises:
        KeyboardInterrupt: Ctrl-C; the child is gone by then.
    """
    if not hasattr(os, "fork"):
        return run_here(work)
    channel = Channel()
    _flush()
    read_end, write_end = os.pipe()
    # Blocked until each side is ready for it, Ctrl-C can neither orphan the child nor hit it
    # while Python's own handler, which waits for native code to return, is still in place.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        os.close(read_end)
        _live(work, channel, write_end, parent)
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        os.close(write_end)
        with open(read_end, "rb") as pipe:
            output = _awaited(pipe, channel)
        _, wait_status = os.waitpid(child, 0)
    except BaseException:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise
    status = os.waitstatus_to_exitcode(wait_status)
    if status == -signal.SIGINT:
        raise KeyboardInterrupt
    return Outcome(status, *channel.told(), output)


def _awaited(pipe: IO[bytes], channel: Channel) -> bytes:
    """The child's output; until then a line says what it does, where people look."""
    if not _on_terminal():
        return pipe.read()
    return status_line.read(
        pipe, StatusLine(channel.status, channel.announce_status, channel.parts)
    )


def _on_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def run_here(work: Work) -> Outcome:
    """Call ``work`` in this process, which dies with it: where there is no fork, or may be none."""
    channel = Channel()
    channel.output = io.BytesIO()
    status = work(channel)
    return Outcome(status, *channel.told(), channel.output.getvalue())


def _live(work: Work, channel: Channel, write_end: int, parent: int) -> NoReturn:
    """The child's whole life; it never returns into the parent's code."""
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        _die_with(parent)
        if _on_terminal():
            sys.stdout = cast(TextIO, _Stream(sys.stdout, channel))
            sys.stderr = cast(TextIO, _Stream(sys.stderr, channel))
        with open(write_end, "wb") as channel.output, progress.watched_by(channel.tell_parts):
            status = work(channel)
        if status == 0:  # else an error was told, and what cannot be written is not tried again
            _flush()
    except BrokenPipeError:
        status = 1
    finally:
        with contextlib.suppress(OSError):
            _show(sys.exception(), channel)
            _flush()
        os._exit(status)


def _show(defect: BaseException | None, channel: Channel) -> None:
    if isinstance(defect, ShloError):
        print(defect.render(), file=sys.stderr)
    elif isinstance(defect, MemoryError) or "failed to map segment" in str(defect):
        print(f"error: out of memory {channel.told()[0]}", file=sys.stderr)
    elif defect is not None:
        traceback.print_exception(defect)
        print(f"error: {type(defect).__name__} {channel.told()[0]}: {defect}", file=sys.stderr)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # it is where the caller closed the descriptor
            stream.flush()


def _die_with(parent: int) -> None:
    """Let the kernel end this process when its parent is killed."""
    if sys.platform == "linux":
        set_death_signal = 1  # PR_SET_PDEATHSIG
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def end(main: Callable[[], int]) -> NoReturn:
    """End this process as a command-line tool does, with the status that ``main`` returns.

    A user's mistake is one message and status 1, Ctrl-C one line and status 130, and a reader
    that has seen enough (``| head``) is no error worth a word. Ctrl-C after all is done comes too
    late to change the status: Python would end by the signal while it takes itself down.
    """
    try:
        status = main()
        _flush()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        status = INTERRUPTED
    except BrokenPipeError:
        # Python flushes standard output once more on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except click.exceptions.Exit as exit:
        status = exit.exit_code
    except click.ClickException as error:
        print(f"error: {error.format_message()}", file=sys.stderr)
        status = 1
    except ShloError as error:
        print(error.render(), file=sys.stderr)
        status = 1
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(status)
