"""Loops whose rows do not depend on each other run by blocks of rows, and give the same."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from row_loop_programs import RowLoop, recurrence

import shlo_tools
from shlo_tools import interpret, mlir
from shlo_tools.codegen.lowered import BLOCK
from shlo_tools.cpu.stages import building
from shlo_tools.cpu.stages.executable import StagedExecutable
from shlo_tools.errors import ExecutionTimeout
from shlo_tools.passes.partition.loops import blocks


@pytest.fixture(autouse=True)
def _however_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops are cut however little they do."""
    monkeypatch.setattr(blocks, "_LEAST_WORK", 0)
    monkeypatch.setattr(blocks, "_LITTLE", 0)


def _is_cut(text: str) -> bool:
    with mlir.library_context():
        module = mlir.parse_module(text)
        building.cut(module, "main")
        return any(BLOCK in op.attributes for op in mlir.walk(module.operation))


def _check(program: RowLoop, **options: int) -> None:
    text, arguments = program.text(), program.arguments()
    executable = shlo_tools.compile(text, **options)
    expected = interpret(text, *arguments)
    copies = [argument.copy() for argument in arguments]
    for _ in range(3):
        results = executable(*arguments)
        for result, target in zip(results, expected, strict=True):
            np.testing.assert_array_equal(result, target, err_msg=text)
    for argument, copy in zip(arguments, copies, strict=True):
        np.testing.assert_array_equal(argument, copy)


@pytest.mark.parametrize("seed", range(60))
def test_independent_rows(seed: int) -> None:
    program = RowLoop(np.random.default_rng(seed), crosses=False)
    assert _is_cut(program.text())
    _check(program)


@pytest.mark.parametrize("seed", range(60, 90))
def test_rows_that_read_others(seed: int) -> None:
    _check(RowLoop(np.random.default_rng(seed), crosses=True))


@pytest.mark.parametrize("way", ["_reversed_rows", "_mean", "_gram", "_numbered", "_rolled"])
def test_loops_across_rows_stay_whole(way: str) -> None:
    program = RowLoop(np.random.default_rng(7), crosses=False)
    getattr(program, way)()
    assert not _is_cut(program.text())
    _check(program)


@pytest.mark.parametrize("seed", range(90, 100))
def test_one_thread_gives_the_same(seed: int) -> None:
    _check(RowLoop(np.random.default_rng(seed), crosses=False), threads=1)


# --- blocks that run at once ----------------------------------------------------------------------
def _state(rows: int = 16) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    weight = rng.standard_normal((128, 128)) / 11
    return rng.standard_normal((rows, 128)).astype(np.float32), weight.astype(np.float32)


def _after(steps: int, rows: int = 16) -> np.ndarray:
    state, weight = (array.astype(np.float64) for array in _state(rows))
    for _ in range(steps):
        state = np.tanh(state @ weight)
    return state


def test_all_threads_stop_at_a_time_limit_and_go_on_with_the_next_call() -> None:
    executable = shlo_tools.compile(recurrence())
    start = time.process_time()
    for _ in range(3):
        with pytest.raises(ExecutionTimeout):
            executable(*_state(), np.int32(1 << 30), timeout=0.05)
        result = executable(*_state(), np.int32(5))
        np.testing.assert_allclose(result, _after(5), rtol=1e-5, atol=1e-6)
    assert time.process_time() - start < 20


def test_calls_at_once() -> None:
    executable = shlo_tools.compile(recurrence(40))
    with ThreadPoolExecutor(4) as pool:
        calls = [pool.submit(executable, *_state(40), np.int32(n)) for n in range(24)]
        for n, call in enumerate(calls):
            np.testing.assert_allclose(call.result(60), _after(n, 40), rtol=1e-4, atol=1e-5)


def test_a_saved_executable(tmp_path: Path) -> None:
    shlo_tools.compile(recurrence()).save(tmp_path / "recurrence")
    loaded = shlo_tools.load_executable(tmp_path / "recurrence")
    for steps in (0, 1, 7):
        result = loaded(*_state(), np.int32(steps))
        np.testing.assert_allclose(result, _after(steps), rtol=1e-5, atol=1e-6)


def test_a_profile_runs_blocks_in_turn() -> None:
    executable = shlo_tools.compile(recurrence())
    profile = executable.profile(*_state(), np.int32(10))
    products = [row for row in profile.rows if "dot_general" in [op.name for op in row.ops]]
    assert [row.runs for row in products] == [10, 10]
    assert [row.flops for row in products] == [10 * 8 * 128 * (2 * 128 + 1)] * 2


def test_what_blocks_compute_lies_apart() -> None:
    executable = shlo_tools.compile(recurrence(40))
    assert isinstance(executable, StagedExecutable)
    memory = executable.memory
    assert memory is not None
    buffers = [b for b in memory.timeline.buffers if b.bytes == 8 * 128 * 4]
    assert len(buffers) == 10  # five blocks of 8 rows: what an iteration makes of the one before
    for one, other in combinations(buffers, 2):
        ends = one.offset + one.bytes <= other.offset, other.offset + other.bytes <= one.offset
        assert one.block != other.block or any(ends)
