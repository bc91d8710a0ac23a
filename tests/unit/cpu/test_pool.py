"""The thread pool: every chunk once, whoever runs it."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from pool_children import TEXT

import shlo_tools
from shlo_tools import mlir
from shlo_tools.codegen.function import I64, Function
from shlo_tools.codegen.library import pool as layout
from shlo_tools.codegen.library import sharing
from shlo_tools.cpu.frame import Frame
from shlo_tools.cpu.process_library import parts, threads
from shlo_tools.errors import ShloError


def counting_job() -> int:
    """The address of a job that adds one to the word of its chunk."""
    f = Function("count", layout.JOB)
    context, chunk, _ = f.arguments
    word = context.at(chunk, I64)
    f.store(f.load(word, I64) + 1, word)
    with mlir.library_context():
        engine, addresses = parts.compiled([f])
    counting_job.engine = engine  # type: ignore[attr-defined]  # owns the code
    return addresses["count"]


def run(job: int, words: Any, frame: Frame, measured: Sequence[int] = sharing.ALWAYS) -> int:
    parallel = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)(
        parts.address(sharing.PARALLEL)
    )
    row = (ctypes.c_int64 * len(layout.ROW))(job, words.ctypes.data, len(words), *measured)
    stopped: int = parallel(frame.address, ctypes.addressof(row))
    return stopped


@pytest.mark.parametrize("chunks", [0, 1, 2, 3, 1000])
def test_every_chunk_runs_once(chunks: int) -> None:
    job, frame = counting_job(), Frame(0, 0, has_jobs=True)
    for _ in range(50):
        words = np.zeros(chunks, np.int64)
        assert run(job, words, frame) == 0
        assert (words == 1).all()


def test_threads_that_call_at_once() -> None:
    """One of them has the pool; the others run their chunks themselves."""
    job = counting_job()
    failures = []

    def work() -> None:
        frame = Frame(0, 0, has_jobs=True)
        for _ in range(300):
            words = np.zeros(64, np.int64)
            run(job, words, frame)
            if not (words == 1).all():
                failures.append(words)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


CHILD = f"""
import hashlib, numpy as np, shlo_tools
random = np.random.default_rng(0)
x, y = (random.standard_normal(s).astype(np.float32) for s in ((300, 200), (200, 100)))
print(hashlib.sha256(shlo_tools.compile({TEXT!r})(x, y / 20).tobytes()).hexdigest())
"""


def test_same_bits_for_any_number_of_threads() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", CHILD],
            env={**os.environ, "SHLO_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2", "5")
    }
    assert len(digests) == 1 and digests != {""}


def test_a_fork_has_threads_of_its_own() -> None:
    executable = shlo_tools.compile(TEXT)
    random = np.random.default_rng(0)
    x, y = (random.standard_normal(s).astype(np.float32) for s in ((300, 200), (200, 100)))
    expected = executable(x, y)
    child = os.fork()
    if child == 0:
        same = np.array_equal(executable(x, y), expected)
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("value", ["0", "-1", "two", "1.5"])
def test_a_number_of_threads_that_is_none(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHLO_NUM_THREADS", value)
    with pytest.raises(ShloError, match=f"SHLO_NUM_THREADS={value}"):
        threads.thread_count()
