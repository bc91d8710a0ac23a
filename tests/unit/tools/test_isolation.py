"""Work in a child process: what it says, how it ends, and what is left when it dies."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from shlo_tools.errors import ParseError
from shlo_tools.tools import isolation
from shlo_tools.tools.isolation import Channel

ROOT = Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def test_work_that_ends() -> None:
    def work(channel: Channel) -> int:
        channel.tell("while counting", item=3)
        channel.output.write(b"x" * 1_000_000)  # more than a pipe holds
        return 7

    outcome = isolation.run(work)
    assert outcome == isolation.Outcome(7, "while counting", 3, b"x" * 1_000_000)
    assert not outcome.crash


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGABRT", "SIGFPE", "SIGKILL", "SIGBUS"])
def test_a_crash_is_a_sentence(name: str) -> None:
    def work(channel: Channel) -> int:
        faulthandler.disable()  # pytest's, which would print a traceback
        channel.tell("in pass 'cse'", item=2)
        os.kill(os.getpid(), getattr(signal, name))
        return 0

    outcome = isolation.run(work)
    assert outcome.crash == f"crashed with {name} in pass 'cse'"
    assert outcome.item == 2


def test_a_reader_whose_time_is_up() -> None:
    def work(channel: Channel) -> int:
        faulthandler.disable()
        channel.tell("while parsing")
        os.kill(os.getpid(), signal.SIGPROF)
        return 0

    assert isolation.run(work).crash == "took too long while parsing"


def test_a_null_pointer_is_a_crash() -> None:
    def work(channel: Channel) -> int:
        faulthandler.disable()
        return ctypes.string_at(0)[0]

    assert isolation.run(work).crash.startswith("crashed with SIG")


def test_the_parent_is_as_it_was() -> None:
    observed = [1]

    def work(channel: Channel) -> int:
        observed.append(2)
        return 0

    before = (signal.getsignal(signal.SIGINT), signal.pthread_sigmask(signal.SIG_BLOCK, []))
    descriptors = len(os.listdir("/dev/fd"))
    for _ in range(3):
        isolation.run(work)
    assert observed == [1]
    assert before == (signal.getsignal(signal.SIGINT), signal.pthread_sigmask(signal.SIG_BLOCK, []))
    assert len(os.listdir("/dev/fd")) == descriptors


def test_a_long_activity_is_cut() -> None:
    def work(channel: Channel) -> int:
        channel.tell("in " + "ü" * 10_000)
        return 0

    assert isolation.run(work).activity.startswith("in üüü")


def test_an_exception_is_shown(capfd: pytest.CaptureFixture[str]) -> None:
    def work(channel: Channel) -> int:
        channel.tell("in pass 'x'")
        raise ValueError("a defect")

    assert isolation.run(work).status == 1
    shown = capfd.readouterr().err
    assert "Traceback" in shown
    assert shown.endswith("error: ValueError in pass 'x': a defect\n")


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (MemoryError(), "error: out of memory while waiting\n"),
        (ImportError("x.so: failed to map segment"), "error: out of memory while waiting\n"),
        (ParseError("no good"), "error: no good\n"),
    ],
)
def test_what_is_no_defect_is_one_line(
    error: Exception, line: str, capfd: pytest.CaptureFixture[str]
) -> None:
    def work(channel: Channel) -> int:
        channel.tell("while waiting")
        raise error

    assert isolation.run(work).status == 1
    assert capfd.readouterr().err == line


def test_exit_does_not_return_into_the_parents_code() -> None:
    with pytest.raises(SystemExit):
        isolation.end(lambda: isolation.run(lambda channel: sys.exit(5)).status)


@pytest.mark.parametrize("status", [0, 1])
def test_ctrl_c_comes_too_late_when_all_is_done(status: int) -> None:
    """While Python takes itself down, and has put the system's handlers back."""
    source = f"""
        import os, signal
        from shlo_tools.tools import isolation

        class Late:
            def __del__(self, kill=os.kill, process=os.getpid(), number=signal.SIGINT):
                kill(process, number)

        late = Late()
        isolation.end(lambda: {status})
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(source)], capture_output=True, cwd=ROOT
    )
    assert (done.returncode, done.stderr) == (status, b"")


def test_a_child_ended_by_ctrl_c_interrupts_the_parent() -> None:
    def work(channel: Channel) -> int:
        os.kill(os.getpid(), signal.SIGINT)
        return 0

    with pytest.raises(KeyboardInterrupt):
        isolation.run(work)


# A child in native code that no signal handler gets a word in: Python's lock is held, and the
# second lock of a mutex never returns.
STUCK = """
    import ctypes, os, sys
    from shlo_tools.tools import isolation

    def work(channel):
        library = ctypes.PyDLL(None)
        mutex = ctypes.create_string_buffer(256)
        print(os.getpid(), flush=True)
        library.pthread_mutex_lock(mutex)
        library.pthread_mutex_lock(mutex)
        return 0

    isolation.end(lambda: isolation.run(work).status)
"""


def start_stuck() -> tuple[subprocess.Popen[bytes], int]:
    """A tool whose child is stuck, in a process group of its own; and the child's id."""
    tool = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(STUCK)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        start_new_session=True,
    )
    assert tool.stdout is not None
    return tool, int(tool.stdout.readline())


def is_alive(process: int) -> bool:
    """Whether a process runs; one that waits for its parent to take note does not."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{process}/stat")
    return not status.exists() or status.read_text().rsplit(")", 1)[1].split()[0] != "Z"


def wait_until_dead(process: int) -> bool:
    deadline = time.monotonic() + 10
    while is_alive(process) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_alive(process)


@pytest.mark.parametrize("whom", ["the group, as a terminal does", "the parent", "the child"])
def test_ctrl_c_in_native_code(whom: str) -> None:
    tool, child = start_stuck()
    if whom == "the parent":
        tool.send_signal(signal.SIGINT)
    elif whom == "the child":
        os.kill(child, signal.SIGINT)
    else:
        os.killpg(tool.pid, signal.SIGINT)
    _, message = tool.communicate(timeout=20)
    assert (tool.returncode, message) == (130, b"interrupted\n")
    assert wait_until_dead(child)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's promise is Linux's")
def test_a_killed_parent_leaves_no_child() -> None:
    tool, child = start_stuck()
    tool.kill()
    tool.wait(timeout=20)
    assert wait_until_dead(child)


def test_without_fork_the_work_runs_here(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def work(channel: Channel) -> int:
        channel.tell("here")
        channel.output.write(b"done")
        calls.append(os.getpid())
        return 0

    monkeypatch.delattr(os, "fork")
    assert isolation.run(work) == isolation.Outcome(0, "here", 0, b"done")
    assert calls == [os.getpid()]


# --- the status line ------------------------------------------------------------------------------
def on_a_terminal(script: str, **environment: str) -> str:
    """What a terminal gets from a Python script whose output and errors both go there."""
    pty = pytest.importorskip("pty")
    reader, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", **environment},
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    shown = b""
    with open(reader, "rb", buffering=0) as output:
        while True:
            try:
                part = output.read(4096)
            except OSError:  # Linux says so when the other end is closed
                break
            if not part:
                break
            shown += part
    assert process.wait() == 0
    return shown.decode()


SLOW = """
    import ctypes
    from shlo_tools.tools import isolation
    def work(channel):
        channel.tell("while compiling")
        ctypes.PyDLL(None).usleep(1_500_000)  # as native code does, with the interpreter's lock
        print("a word")
        return 0
    isolation.run(work)
"""
BROUGHT_BACK, HIDDEN = "\x1b[?25h", "\x1b[?25l"  # the cursor


def test_long_work_has_a_status_line() -> None:
    shown = on_a_terminal(SLOW)
    assert "compiling (1 s)" in shown
    line, _, rest = shown.rpartition(BROUGHT_BACK)
    assert "a word" not in line
    assert rest.endswith("\x1b[2Ka word\r\n")  # on a line wiped before
    assert HIDDEN not in rest


def test_work_in_parts_has_a_bar() -> None:
    """How many are done says the work's own thread; a narrow terminal has no room for it."""
    parts = """
    def work(channel):
        channel.tell("while compiling")
        for part in progress.counted(range(4), "stages"):
            ctypes.PyDLL(None).usleep(500_000)
        channel.tell("while running")
        ctypes.PyDLL(None).usleep(300_000)
        return 0
    """
    script = "    import ctypes\n    from shlo_tools.pipeline import progress\n"
    script += f"    from shlo_tools.tools import isolation{parts}isolation.run(work)"
    shown = on_a_terminal(script, NO_COLOR="1", COLUMNS="80")
    (before, _, second), (_, _, third) = (shown.partition(f"{n} of 4 stages") for n in (2, 3))
    assert "compiling ━" in before
    assert second and third
    assert re.search(r"running \(\d s\)", shown)
    narrow = on_a_terminal(script, COLUMNS="30")
    assert "of 4" not in narrow
    assert "compiling (1 s)" in narrow


def test_the_status_line_is_one_line() -> None:
    shown = on_a_terminal(SLOW.replace("while compiling", "in " + "pass " * 80), COLUMNS="40")
    line, _, _ = shown.rpartition(BROUGHT_BACK)
    assert "… (1 s)" in line
    assert line.count("\n") == 1  # the one that rich ends its line with, before it wipes it


def test_the_status_line_goes_without_colors() -> None:
    assert "\x1b[32m" in on_a_terminal(SLOW)
    assert not re.search(r"\x1b\[[0-9;]*m", on_a_terminal(SLOW, NO_COLOR="1"))


@pytest.mark.parametrize("change", [("1_500_000", "10_000"), ("xterm", "dumb")])
def test_no_status_line(change: tuple[str, str]) -> None:
    """Not for what is done at once, and not where lines cannot be wiped."""
    terminal = change[1] if change[0] == "xterm" else "xterm"
    assert on_a_terminal(SLOW.replace(*change), TERM=terminal) == "a word\r\n"


def test_no_status_line_away_from_terminals() -> None:
    script = textwrap.dedent(SLOW)
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("a word\n", "")
