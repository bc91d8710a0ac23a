"""Programs whose every stage has a kernel, run and compared with the reference."""

from __future__ import annotations

from typing import Any

import numpy as np

from shlo_tools import compile, interpret
from shlo_tools.cpu.staged import StagedExecutable


def assert_staged(text: str, *inputs: Any) -> None:
    """Kernels compute a program, and exactly what the reference computes."""
    executable = compile(text)
    assert isinstance(executable, StagedExecutable), text
    copies = [np.array(array) for array in inputs]
    results, expected = (_listed(run(*inputs)) for run in (executable, _reference(text)))
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, wanted, err_msg=text)
    for array, copy in zip(inputs, copies, strict=True):
        np.testing.assert_array_equal(array, copy)


def _reference(text: str) -> Any:
    return lambda *inputs: interpret(text, *inputs)


def _listed(results: Any) -> list[Any]:
    return list(results) if isinstance(results, list | tuple) else [results]
