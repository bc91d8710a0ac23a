"""The LAPACK calls that JAX exports: ``lapack_{s,d,c,z}..._ffi``, as its programs write them.

Factorizations are compared with scipy's LAPACK. What is unique only up to signs or order is held
against its definition. Batches have two matrices; layouts are column-major, as JAX gives them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from lapack_calls import DTYPES, ELEMENTS, Array, adjoint, assert_close, call, int32, random

import shlo_tools
from shlo_tools.dtypes import of_array, parse_tensor_type
from shlo_tools.errors import ExecutionError


# --- systems of equations -------------------------------------------------------------------------
@ELEMENTS
@pytest.mark.parametrize("side", ["L", "R"])
@pytest.mark.parametrize("trans", ["N", "T", "C"])
def test_trsm(prefix: str, side: str, trans: str) -> None:
    for uplo, diag in (("L", "N"), ("U", "U")):
        a = random(prefix, 2, 4, 4) / 4 + 2 * np.eye(4)
        a = a.astype(DTYPES[prefix])
        b = random(prefix, 2, *((4, 3) if side == "L" else (3, 4)), seed=1)
        options = {"side": side, "uplo": uplo, "trans_x": trans, "diag": diag}
        (x,) = call("trsm", [a, b], [(b.shape, b.dtype)], **options)
        triangle = np.tril(a) if uplo == "L" else np.triu(a)
        if diag == "U":
            triangle = triangle * (1 - np.eye(4)) + np.eye(4)
        matrix = {"N": triangle, "T": np.swapaxes(triangle, 1, 2), "C": adjoint(triangle)}[trans]
        assert_close((matrix @ x if side == "L" else x @ matrix).astype(b.dtype), b)


@ELEMENTS
def test_gtsv(prefix: str) -> None:
    lower, diagonal, upper = (random(prefix, 2, 6, seed=s) for s in range(3))
    diagonal[1, 0] = lower[1, 1] = 0  # singular
    lower[:, 0] = upper[:, -1] = np.nan  # not read
    b = random(prefix, 2, 6, 2, seed=3)
    results = [((2, 6), b.dtype)] * 3 + [(b.shape, b.dtype), int32(2)]
    *_, x, info = call("gtsv", [lower, diagonal, upper, b], results)
    assert info[0] == 0 and info[1] > 0
    matrix = np.diag(diagonal[0]) + np.diag(lower[0, 1:], -1) + np.diag(upper[0, :-1], 1)
    assert_close(x[0], np.linalg.solve(matrix, b[0]))


def _perturbed(lower: Array, diagonal: Array, upper: Array, b: Array) -> Array:
    band, matrix = of_array(diagonal), of_array(b)
    executable = shlo_tools.compile(f"""
      func.func @main(%l: {band}, %d: {band}, %u: {band}, %b: {matrix}) -> {matrix} {{
        %0 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%l, %d, %u, %b)
          {{mhlo.backend_config = {{}}}} : ({band}, {band}, {band}, {matrix}) -> {matrix}
        return %0 : {matrix}
      }}""")
    result: Array = executable(lower, diagonal, upper, b)
    return result


@pytest.mark.parametrize("prefix", ["s", "d"])
def test_perturbed_tridiagonal_solve(prefix: str) -> None:
    lower, upper = random(prefix, 2, 6), random(prefix, 2, 6, seed=1)
    diagonal, b = random(prefix, 2, 6, seed=2) + 4, random(prefix, 2, 6, 2, seed=3)
    x = _perturbed(lower, diagonal.astype(b.dtype), upper, b)
    for i in range(2):
        matrix = np.diag(diagonal[i]) + np.diag(lower[i, 1:], -1) + np.diag(upper[i, :-1], 1)
        assert_close(x[i], np.linalg.solve(matrix, b[i]).astype(b.dtype))


def test_perturbed_solution_of_a_singular_system_is_a_null_vector() -> None:
    """As inverse iteration wants it: large, finite, and along the null space."""
    size = 5
    ones = np.ones(size)
    diagonal = np.array([1.0, 2, 2, 2, 1])  # second differences: constants are the null space
    x = _perturbed(-ones, diagonal, -ones, np.arange(1.0, 6)[:, None])
    assert np.isfinite(x).all() and np.max(np.abs(x)) > 1e10
    np.testing.assert_allclose(x / x[0], np.ones((size, 1)), rtol=1e-10)


# --- what is malformed ----------------------------------------------------------------------------
MATRIX = np.eye(3)


@pytest.mark.parametrize(
    ("routine", "operands", "results", "options", "message"),
    [
        ("potrf", [np.ones((2, 3))], [((2, 3), float), int32()], {"uplo": "L"}, "not square"),
        ("potrf", [MATRIX], [((3, 3), float), int32()], {"uplo": "Q"}, "uplo = 81"),
        ("potrf", [MATRIX], [((3, 3), float), int32()], {}, "'uplo'"),
        ("potrf", [MATRIX], [((3, 3), float)], {"uplo": "L"}, "2 results"),
        ("potrf", [MATRIX], [((3, 2), float), int32()], {"uplo": "L"}, r"shape \(3, 3\)"),
        ("potrf", [MATRIX], [((3, 3), np.float32), int32()], {"uplo": "L"}, "is float64"),
        ("potrf", [np.ones(3)], [((3,), float), int32()], {"uplo": "L"}, "no batch of matrices"),
        ("getrf", [MATRIX, MATRIX], [((3, 3), float)], {}, "too many positional"),
        ("orgqr", [MATRIX, np.ones(4)], [((3, 3), float)], {}, "reflectors do not fit"),
        ("orgqr", [np.ones((2, 3)), np.ones(1)], [((2, 3), float)], {}, "reflectors do not fit"),
        (
            "ormqr",
            [np.ones((4, 3)), np.ones(3), MATRIX],
            [((3, 3), float)],
            {"left": True, "transpose": False},
            "matrices do not fit",
        ),
        (
            "trsm",
            [np.eye(2), MATRIX],
            [((3, 3), float)],
            {"side": "L", "uplo": "L", "trans_x": "N", "diag": "N"},
            "does not fit",
        ),
        (
            "gtsv",
            [np.ones(2), np.ones(3), np.ones(3), MATRIX],
            [((3,), float)] * 3 + [((3, 3), float), int32()],
            {},
            "diagonals do not fit",
        ),
        (
            "gehrd",
            [MATRIX],
            [((3, 3), float), ((2,), float), int32()],
            {"low": 1, "high": 4},
            "high = 4",
        ),
    ],
)
def test_sizes_and_options_are_checked(
    routine: str,
    operands: list[Array],
    results: list[Any],
    options: Mapping[str, Any],
    message: str,
) -> None:
    """LAPACK itself would read and write beyond the arrays."""
    with pytest.raises(ExecutionError, match=message):
        call(routine, operands, results, **options)


def test_empty_matrices() -> None:
    empty, none = np.zeros((0, 0)), ((0,), float)
    square = ((0, 0), float)
    assert call("getrf", [empty], [square, int32(0), int32()])[-1] == 0
    assert call("getrf", [np.zeros((0, 3))], [((0, 3), float), int32(0), int32()])[-1] == 0
    assert call("potrf", [empty], [square, int32()], uplo="L")[-1] == 0
    assert call("syevd", [empty], [square, none, int32()], mode="V", uplo="L")[-1] == 0
    call("geqrf", [np.zeros((3, 0))], [((3, 0), float), none])
    call("trsm", [empty, empty], [square], side="L", uplo="L", trans_x="N", diag="N")
    assert parse_tensor_type("0x0xf64").nbytes == 0
