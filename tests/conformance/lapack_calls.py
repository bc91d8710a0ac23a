"""Calls of LAPACK's targets as JAX writes them, and matrices to call them with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import extend
from shlo_tools.cpu import custom_calls
from shlo_tools.dtypes import of_array
from shlo_tools.passes.kernels import lapack_kernels

Array = np.ndarray[Any, Any]
DTYPES = {"s": np.float32, "d": np.float64, "c": np.complex64, "z": np.complex128}
COMPLEX_NAMES = {"orgqr": "ungqr", "ormqr": "unmqr", "syevd": "heevd", "sytrd": "hetrd"}
ELEMENTS = pytest.mark.parametrize("prefix", DTYPES)


def call(
    routine: str,
    operands: Sequence[Array],
    results: Sequence[tuple[tuple[int, ...], Any]],
    **options: str | int | bool,
) -> list[Array]:
    """Run a target on arrays; results are given as shapes and dtypes.

    Some are direct calls of the library; by way of the host they must give the same.
    """
    prefix = next(p for p, t in DTYPES.items() if t == operands[-1].dtype)
    if prefix in "cz":
        routine = COMPLEX_NAMES.get(routine, routine)
    outputs = [of_array(np.empty(shape, dtype)) for shape, dtype in results]
    inputs = [of_array(operand) for operand in operands]
    arguments = ", ".join(f"%{i}" for i in range(len(inputs)))
    config = ", ".join(f"{name} = {_written(value)}" for name, value in options.items())
    types = ", ".join(map(str, outputs))
    returned = ", ".join(f"%r#{i}" for i in range(len(outputs)))
    target = f"lapack_{prefix}{routine}_ffi"
    program = f"""
      func.func @main({", ".join(f"%{i}: {type}" for i, type in enumerate(inputs))}) -> ({types}) {{
        %r:{len(outputs)} = stablehlo.custom_call @{target}({arguments}) {{
          mhlo.backend_config = {{{config}}},
          operand_layouts = [{_layouts([type.rank for type in inputs])}],
          result_layouts = [{_layouts([type.rank for type in outputs])}]}}
          : ({", ".join(map(str, inputs))}) -> ({types})
        return {returned} : {types}
      }}"""
    actual = _run(program, operands)
    if target in lapack_kernels.TARGETS:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(extend, "_registered", {target: custom_calls.TARGETS[target]})
            by_host = _run(program, operands)
        for one, other in zip(actual, by_host, strict=True):
            np.testing.assert_array_equal(one, other)
    return actual


def _run(program: str, operands: Sequence[Array]) -> list[Array]:
    inputs = shlo_tools.compile(program)(*operands)
    return list(inputs) if isinstance(inputs, tuple) else [inputs]


def _written(value: str | int | bool) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{ord(value)} : ui8" if isinstance(value, str) else f"{value} : i32"


def _layouts(ranks: Sequence[int]) -> str:
    """Column-major matrices, batch dimensions outermost."""
    orders = [[*([r - 2, r - 1] if r > 1 else range(r)), *reversed(range(r - 2))] for r in ranks]
    return ", ".join(f"dense<{order}> : tensor<{len(order)}xindex>" for order in orders)


def random(prefix: str, *shape: int, seed: int = 0) -> Array:
    generator = np.random.default_rng([seed, *shape])
    values: Array = generator.normal(size=shape)
    if prefix in "cz":
        values = values + 1j * generator.normal(size=shape)
    return values.astype(DTYPES[prefix])


def hermitian(prefix: str, *shape: int) -> Array:
    a = random(prefix, *shape)
    return np.asarray(a + adjoint(a), a.dtype)


def adjoint(a: Array) -> Array:
    return np.conj(np.swapaxes(a, -1, -2))


def identities(size: int, dtype: Any) -> Array:
    return np.stack([np.eye(size, dtype=dtype)] * 2)


def assert_close(actual: Array, expected: Array) -> None:
    """Within 50 eps of the largest number: a handful of operations on at most 6 x 6 numbers."""
    assert actual.shape == expected.shape
    eps = np.finfo(actual.dtype).eps
    limit = 50 * eps * max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    np.testing.assert_allclose(actual, expected, rtol=0, atol=limit)


def real(prefix: str) -> Any:
    return np.float32 if prefix in "sc" else np.float64


def int32(*shape: int) -> tuple[tuple[int, ...], Any]:
    return shape, np.int32
