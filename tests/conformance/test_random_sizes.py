"""Random programs of unknown sizes, called with sizes that fit and with others.

Natively as by the reference: equal results, or a refusal by both.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from symbolic_memory import MEMORY_STEPS
from symbolic_programs import Array, SymbolicProgram

import shlo_tools
from shlo_tools import reference
from shlo_tools.errors import ExecutionError

SEEDS = range(60)
CALLS = 6


def _arguments(executable: Any, program: SymbolicProgram, rng: np.random.Generator) -> list[Array]:
    """Each size that types leave open is now and then another one, and so not what is asked."""
    arguments = []
    for type, array in zip(executable.signature.inputs, program.arguments, strict=True):
        shape = [
            given if isinstance(dim, int) or rng.random() < 0.6 else int(rng.integers(0, 6))
            for dim, given in zip(type.shape, array.shape, strict=True)
        ]
        arguments.append(rng.integers(-9, 9, shape).astype(array.dtype))
    return arguments


def _called(function: Any, arguments: list[Array]) -> list[Array] | None:
    """Results; None where the call is refused."""
    try:
        results = function(*arguments)
    except ExecutionError:
        return None
    return list(results) if isinstance(results, tuple) else [results]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_programs(seed: int) -> None:
    program, rng = SymbolicProgram(seed, 14, drawn=MEMORY_STEPS), np.random.default_rng(seed)
    executable, peer = shlo_tools.compile(program.text), reference.compile(program.text)
    calls = [program.arguments] + [_arguments(executable, program, rng) for _ in range(CALLS)]
    for number, arguments in enumerate(calls):
        got, want = _called(executable, arguments), _called(peer, arguments)
        assert (got is None) == (want is None)
        assert number or got is not None
        for x, y in zip(got or (), want or (), strict=True):
            assert x.dtype == y.dtype
            np.testing.assert_allclose(x, y, 1e-5, 1e-5)
