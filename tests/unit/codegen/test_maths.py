"""Vector maths of the process library against mpmath, within 1 unit for f32 and 2 for f64."""

from __future__ import annotations

import ctypes
from typing import Any

import mpmath
import numpy as np
import pytest

from shlo_tools import mlir
from shlo_tools.codegen.function import I64, POINTER, Function, Type
from shlo_tools.codegen.library import maths
from shlo_tools.cpu.process_library import parts

DTYPES = {"f32": np.float32, "f64": np.float64}
EXACT = {
    "exp": mpmath.exp,
    "expm1": mpmath.expm1,
    "log": mpmath.log,
    "log1p": mpmath.log1p,
    "pow": mpmath.power,
}
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan]


def apply(function: str, element: str, *arrays: Any) -> Any:
    """A function on arrays of numbers."""
    lanes = 32 if element == "f32" else 16
    vector, dtype = Type(element, lanes), DTYPES[element]
    f = Function("test", [POINTER])
    (context,) = f.arguments
    *sources, result = (f.load(context.at(8 * k), POINTER) for k in range(len(arrays) + 1))
    count = f.load(context.at(8 * (len(arrays) + 1)), I64)

    def body(i: Any) -> None:
        operands = [f.load(source.at(i, vector.scalar), vector) for source in sources]
        value = f.call(maths.name(function, vector), operands, vector)
        f.store(value, result.at(i, vector.scalar))

    f.loop(f.constant(0), count, lanes, body)
    with mlir.library_context():
        _engine, addresses = parts.compiled([f])
    pad = -len(arrays[0]) % lanes
    padded = [np.concatenate([array.astype(dtype), np.ones(pad, dtype)]) for array in arrays]
    out = np.empty(len(padded[0]), dtype)
    words = [array.ctypes.data for array in (*padded, out)] + [len(out)]
    table = (ctypes.c_int64 * len(words))(*words)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(addresses["test"])(ctypes.addressof(table))
    return out[: len(arrays[0])]


def numbers(element: str) -> Any:
    random = np.random.default_rng(0)
    top, reach = (90, 38) if element == "f32" else (715, 300)
    scales = 10.0 ** random.uniform(-reach, reach, 300)
    parts = [random.uniform(-top, top, 300), random.uniform(-1, 1, 300), scales, -scales]
    denormal = [1e-45, 1e-40] if element == "f32" else [5e-324, 1e-310]
    with np.errstate(over="ignore", under="ignore"):
        return np.concatenate([*parts, SPECIAL, denormal]).astype(DTYPES[element])


@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize("function", ["exp", "expm1", "log", "log1p"])
def test_functions_of_one_number(function: str, element: str) -> None:
    x = numbers(element)
    actual = apply(function, element, x)
    with np.errstate(all="ignore"):
        rough = getattr(np, function)(x.astype(np.float64)).astype(x.dtype)
    for value, result, about in zip(x, actual, rough, strict=True):
        if not np.isfinite(about) or about == 0:
            np.testing.assert_array_equal(result, about)
            assert np.isnan(about) or np.signbit(result) == np.signbit(about)
            continue
        with mpmath.workprec(200):
            exact = EXACT[function](mpmath.mpf(float(value)))
            error = abs(mpmath.mpf(float(result)) - exact) / float(np.spacing(np.abs(about)))
        assert error <= (1 if element == "f32" else 2), (value, result)


def test_powers() -> None:
    random = np.random.default_rng(1)
    special = np.array([*SPECIAL, 2, -2, 0.5, -0.5, 3, -3], np.float32)
    first, second = (grid.ravel() for grid in np.meshgrid(special, special))
    x = np.concatenate([random.uniform(0, 10, 500), random.uniform(-5, 5, 300), first])
    y = np.concatenate([random.uniform(-20, 20, 500), np.round(random.uniform(-9, 9, 300)), second])
    x, y = x.astype(np.float32), y.astype(np.float32)
    actual = apply("pow", "f32", x, y)
    with np.errstate(all="ignore"):
        exact = np.power(x.astype(np.float64), y.astype(np.float64)).astype(np.float32)
    np.testing.assert_array_equal(np.isnan(actual), np.isnan(exact))
    whole = ~np.isfinite(exact) | (exact == 0)
    np.testing.assert_array_equal(actual[whole], exact[whole])
    np.testing.assert_array_equal(np.signbit(actual[exact == 0]), np.signbit(exact[exact == 0]))
    rest = ~whole
    assert (np.abs(actual - exact)[rest] <= np.spacing(np.abs(exact))[rest]).all()
