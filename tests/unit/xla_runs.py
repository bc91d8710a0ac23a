"""Functions of XlaBuilder's operations: built and run natively, or refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import dtypes
from shlo_tools.builder import Module
from shlo_tools.errors import ShloError
from shlo_tools.reference.executable import GridResults, interpret_grid

Array = np.ndarray[Any, Any]


def module_of(function: Callable[..., Any], *types: Any) -> Module:
    """A module whose main is a function of tensors."""
    module = Module()
    module.func(*types, name="main")(function)
    return module


def ran(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function of tensors gives natively for arrays."""
    arrays = [np.asarray(argument) for argument in arguments]
    module = module_of(function, *(dtypes.of_array(array) for array in arrays))
    return shlo_tools.compile(module)(*arrays)


def check(function: Callable[..., Any], arguments: Sequence[Any], expected: Any) -> None:
    """A function gives natively what is expected: the same dtypes, shapes and values."""
    got = ran(function, *arguments)
    results = got if isinstance(got, tuple) else (got,)
    arrays = expected if isinstance(expected, tuple) else (expected,)
    assert len(results) == len(arrays)
    for result, array in zip(results, arrays, strict=True):
        assert result.dtype == np.asarray(array).dtype
        np.testing.assert_array_equal(result, array)


def close(function: Callable[..., Any], arguments: Sequence[Any], expected: Any) -> None:
    """A function of f64 gives natively what is expected, up to rounding."""
    got = ran(function, *arguments)
    results = got if isinstance(got, tuple) else (got,)
    arrays = expected if isinstance(expected, tuple) else (expected,)
    assert len(results) == len(arrays)
    for result, array in zip(results, arrays, strict=True):
        assert result.dtype == np.asarray(array).dtype
        np.testing.assert_allclose(result, array, rtol=1e-13, atol=1e-13)


def refused(function: Callable[..., Any], *types: Any, error: type[ShloError] = ShloError) -> str:
    """Why a function of tensors cannot be built."""
    with pytest.raises(error) as caught:
        module_of(function, *types)
    return str(caught.value)


def on_grid(
    function: Callable[..., Any],
    arguments: Sequence[Sequence[Any]],
    infeed: Mapping[tuple[int, int], Sequence[tuple[Any, ...]]] | None = None,
    host: Mapping[tuple[int, int], Mapping[int, Sequence[tuple[Any, ...]]]] | None = None,
) -> GridResults:
    """What replicas compute by the reference, from a list of arguments for each."""
    rows = [[np.asarray(argument) for argument in row] for row in arguments]
    module = module_of(function, *(dtypes.of_array(array) for array in rows[0]))
    return interpret_grid(module.module, [[row] for row in rows], infeed=infeed, host=host)


def on_replicas(function: Callable[..., Any], arguments: Sequence[Sequence[Any]]) -> list[Any]:
    """What each replica returns by the reference, from a list of arguments for each."""
    results = on_grid(function, arguments)
    return [results[(replica, 0)] for replica in range(len(arguments))]
