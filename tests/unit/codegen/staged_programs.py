"""Programs whose every stage has a kernel, run and compared with the reference."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
from guarded import closed_block, guarded, guarded_block, spread

from shlo_tools import compile, interpret
from shlo_tools.codegen.target import possible
from shlo_tools.cpu import memory
from shlo_tools.cpu.stages import places
from shlo_tools.cpu.stages.executable import StagedExecutable

NARROWER = [target.name for target in possible()[1:]]  # than this machine's


def staged(text: str) -> StagedExecutable:
    """A program whose every stage has a kernel, or is a call."""
    executable = compile(text)
    assert isinstance(executable, StagedExecutable), text
    assert not executable.plain, text
    return executable


def assert_passes(file: str, target: str) -> None:
    """Tests of a file, but for its own on narrower registers, pass on another target."""
    command = [sys.executable, "-m", "pytest", "-q", file, "-k", "not registers"]
    environment = {**os.environ, "SHLO_TARGET": target}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]


def assert_staged(
    text: str,
    *inputs: Any,
    expected: Sequence[Any] | None = None,
    alike: Callable[[Any], Any] = lambda result: (),
) -> None:
    """Kernels compute a program, and exactly what the reference computes.

    They run with all values between stages beside unmapped pages, and arrays in front of such and
    behind them.

    Args:
        expected: the results where the reference takes long.
        alike: what else of a result, beside its numbers, is the reference's.
    """
    if expected is None:
        expected = _listed(interpret(text, *inputs))
    kept = []  # memory of results that are left is not used again
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(places.memory_plan, "plan", spread)
        patch.setattr(places.memory_plan, "inside", lambda *_: {})
        executable = staged(text)
        for at_end in (True, False):
            arrays = [guarded(np.asarray(array), at_end=at_end) for array in inputs]
            block = partial(guarded_block, at_end=False)
            patch.setattr(memory, "block", closed_block if at_end else block)
            kept.append(_listed(executable(*arrays)))
            for result, target in zip(kept[-1], expected, strict=True):
                _assert_equal(result, target, text)
                np.testing.assert_array_equal(alike(result), alike(target), err_msg=text)
            for array, argument in zip(arrays, inputs, strict=True):
                _assert_equal(array, argument, text)


def _assert_equal(actual: Any, expected: Any, text: str) -> None:
    """The same numbers; most have the same bits, which numpy sees ten times as fast."""
    if _bits(actual) != _bits(expected):
        np.testing.assert_array_equal(_numbers(actual), _numbers(expected), err_msg=text)


def _bits(array: Any) -> tuple[np.dtype, tuple[int, ...], bytes]:
    known = np.asarray(array)
    return known.dtype, known.shape, known.tobytes()


def _numbers(array: Any) -> np.ndarray:
    """An array whose NaN numpy knows: it takes those of narrow floats for unequal."""
    known = np.asarray(array)
    return known.astype(np.float32) if known.dtype.kind == "V" else known


def _listed(results: Any) -> list[Any]:
    return list(results) if isinstance(results, list | tuple) else [results]
