"""Processes that answer requests: what they say, how they die, and who comes after them."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from shlo_tools import workers
from shlo_tools.errors import ParseError
from shlo_tools.workers import Worker, WorkerDied, worker_of

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX")

MODULE = """
import os, time
from shlo_tools import workers
from shlo_tools.errors import ParseError

def refuse(message):
    raise ParseError(message)

class Homeless(Exception):
    def __init__(self, first, second):
        super().__init__("no way back")

def hide():
    raise Homeless(1, 2)

workers.serve({
    "double": lambda x: 2 * x, "process": os.getpid, "kill": lambda s: os.kill(os.getpid(), s),
    "exit": os._exit, "refuse": refuse, "sleep": time.sleep, "hide": hide,
})
"""


@pytest.fixture
def name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "answers_of_the_test.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    return "answers_of_the_test"


def test_answers(name: str) -> None:
    worker = Worker(name)
    assert [worker.ask("double", n) for n in (1, "a")] == [2, "aa"]
    assert worker.ask("process") != os.getpid()


def test_errors_come_back_as_raised(name: str) -> None:
    worker = Worker(name)
    with pytest.raises(ParseError, match="no good"):
        worker.ask("refuse", "no good")
    with pytest.raises(Exception, match="no way back"):
        worker.ask("hide")  # this error cannot be made again from its arguments
    assert worker.ask("double", 1) == 2


@pytest.mark.parametrize(
    ("action", "argument", "end"),
    [("kill", signal.SIGSEGV, "died of SIGSEGV"), ("exit", 3, "ended with status 3")],
)
def test_a_death_is_an_error_and_another_takes_over(
    name: str, action: str, argument: int, end: str
) -> None:
    worker = worker_of(name)
    with pytest.raises(WorkerDied, match=end):
        worker.ask(action, int(argument))
    assert worker_of(name) is not worker
    assert worker_of(name).ask("double", 4) == 8
    with pytest.raises(WorkerDied, match=end):
        worker.ask("double", 4)


def test_after_an_interrupt_answers_are_those_to_the_requests(name: str) -> None:
    worker = worker_of(name)
    worker.ask("double", 1)

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            worker.ask("sleep", 60)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert worker_of(name).ask("double", 5) == 10


def test_threads_take_turns(name: str) -> None:
    worker, answers = Worker(name), {}

    def ask(number: int) -> None:
        answers[number] = worker.ask("double", number)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: 2 * number for number in range(16)}


def test_a_fork_has_its_own(name: str) -> None:
    ours = worker_of(name).ask("process")
    read_end, write_end = os.pipe()
    child = os.fork()
    if not child:
        os.write(write_end, str(worker_of(name).ask("process")).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert int(os.read(read_end, 100)) != ours
    assert worker_of(name).ask("process") == ours


def test_none_is_left(name: str) -> None:
    """A worker whose parent is gone ends by itself."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if not child:
        os.write(write_end, str(Worker(name).ask("process")).encode())
        os._exit(0)  # without a word to it
    os.waitpid(child, 0)
    process = int(os.read(read_end, 100))
    for _ in range(500):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return
        status = Path(f"/proc/{process}/stat")
        if status.exists() and status.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            return
        workers.threading.Event().wait(0.02)
    pytest.fail("it is still there")
