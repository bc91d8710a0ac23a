"""Processes in groups of their own end with whoever started them."""

from __future__ import annotations

import signal
import subprocess
import threading
from typing import Any

import pytest

from shlo_tools.process_groups import group_of

ENDLESS = ["sleep", "600"]


def test_a_signal_while_a_process_starts_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    start = subprocess.Popen

    def interrupted(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        started.append(start(*arguments, **options))
        signal.raise_signal(signal.SIGINT)
        return started[0]

    monkeypatch.setattr(subprocess, "Popen", interrupted)
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), group_of(ENDLESS):
        pytest.fail("the block began")
    assert signal.getsignal(signal.SIGINT) is handler
    assert started[0].returncode == -signal.SIGKILL


def test_what_has_not_ended_is_killed_with_its_children() -> None:
    with group_of("sleep 600 & sleep 600", shell=True, stdout=subprocess.PIPE) as process:
        pass
    assert process.returncode == -signal.SIGKILL  # and its output is closed: so are the children


def test_any_thread_starts_processes() -> None:
    statuses = []

    def run() -> None:
        with group_of(["true"]) as process:
            statuses.append(process.wait())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert statuses == [0]


def test_a_command_that_does_not_exist() -> None:
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(FileNotFoundError), group_of(["no-such-program"]):
        pytest.fail("the block began")
    assert signal.getsignal(signal.SIGINT) is handler
