"""LAPACK's factorizations, against scipy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lapack_calls import (
    COMPLEX_NAMES,
    DTYPES,
    ELEMENTS,
    Array,
    adjoint,
    assert_close,
    call,
    hermitian,
    identities,
    int32,
    random,
    real,
)
from scipy import linalg
from scipy.linalg import get_lapack_funcs

import shlo_tools
from shlo_tools.dtypes import of_array


def by_lapack(name: str, prefix: str, *operands: Array, **options: Any) -> list[tuple[Any, ...]]:
    """What scipy's LAPACK gives for each matrix of a batch."""
    name = COMPLEX_NAMES.get(name, name) if prefix in "cz" else name
    (function,) = get_lapack_funcs((name,), dtype=DTYPES[prefix])
    return [function(*(operand[i] for operand in operands), **options) for i in range(2)]


@ELEMENTS
@pytest.mark.parametrize("uplo", ["L", "U"])
def test_potrf(prefix: str, uplo: str) -> None:
    a = hermitian(prefix, 2, 4, 4)
    a[0] += 20 * np.eye(4)  # the second one is indefinite
    factor, info = call("potrf", [a], [(a.shape, a.dtype), int32(2)], uplo=uplo)
    lower = uplo == "L"
    for i, (expected, code) in enumerate(by_lapack("potrf", prefix, a, lower=lower, clean=False)):
        assert info[i] == code and (code > 0) == (i == 1)
        if code == 0:
            assert_close(factor[i], expected)  # the other triangle as it was


@ELEMENTS
@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5)])
def test_getrf(prefix: str, shape: tuple[int, int]) -> None:
    a, k = random(prefix, 2, *shape), min(shape)
    a[1, 1] = a[1, 0]  # singular where square or tall
    results = [(a.shape, a.dtype), int32(2, k), int32(2)]
    lu, pivots, info = call("getrf", [a], results)
    for i, (expected, swaps, code) in enumerate(by_lapack("getrf", prefix, a)):
        assert_close(lu[i], expected)
        np.testing.assert_array_equal(pivots[i], swaps + 1)
        if i == 0:
            assert info[i] == code == 0


def test_getrf_of_singular_matrices() -> None:
    a = np.ones((2, 3, 3))
    a[1] = 0
    _, _, info = call("getrf", [a], [(a.shape, a.dtype), int32(2, 3), int32(2)])
    assert info.tolist() == [2, 1]


@ELEMENTS
@pytest.mark.parametrize("shape", [(5, 3), (3, 5)])
def test_geqrf_and_orgqr(prefix: str, shape: tuple[int, int]) -> None:
    a, k = random(prefix, 2, *shape), min(shape)
    qr, tau = call("geqrf", [a], [(a.shape, a.dtype), ((2, k), a.dtype)])
    for i, (expected, factors, *_) in enumerate(by_lapack("geqrf", prefix, a)):
        assert_close(qr[i], expected)
        assert_close(tau[i], factors)
    reflectors = np.ascontiguousarray(qr[..., :k])
    (q,) = call("orgqr", [reflectors, tau], [((2, shape[0], k), a.dtype)])
    assert_close(q @ np.triu(qr[:, :k]), a)
    assert_close(adjoint(q) @ q, identities(k, a.dtype))


@ELEMENTS
@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("transpose", [True, False])
def test_ormqr(prefix: str, left: bool, transpose: bool) -> None:
    a = random(prefix, 2, 5, 3)
    qr, tau = call("geqrf", [a], [(a.shape, a.dtype), ((2, 3), a.dtype)])
    padded = np.concatenate([qr, np.zeros((2, 5, 2), a.dtype)], axis=-1)
    (q,) = call("orgqr", [padded, tau], [((2, 5, 5), a.dtype)])
    c = random(prefix, 2, *((5, 2) if left else (2, 5)), seed=1)
    results = [(c.shape, c.dtype)]
    (product,) = call("ormqr", [qr, tau, c], results, left=left, transpose=transpose)
    factor = adjoint(q) if transpose else q
    assert_close(product, factor @ c if left else c @ factor)


@ELEMENTS
def test_geqp3(prefix: str) -> None:
    a = random(prefix, 2, 5, 3)
    first = np.array([[0, 0, 1], [0, 0, 0]], np.int32)  # the third column must come first
    qr, pivots, tau = _with_pivots(prefix, a, first)
    assert pivots[0, 0] == 3
    (q,) = call("orgqr", [qr, tau], [(a.shape, a.dtype)])
    for i in range(2):
        assert sorted(pivots[i]) == [1, 2, 3]
        assert_close(q[i] @ np.triu(qr[i, :3]), a[i][:, pivots[i] - 1])
    expected, swaps, factors, *_ = by_lapack("geqp3", prefix, a)[1]
    assert_close(qr[1], expected)
    assert_close(tau[1], factors)
    np.testing.assert_array_equal(pivots[1], swaps)


def _with_pivots(prefix: str, a: Array, pivots: Array) -> list[Array]:
    matrix, tau = of_array(a), of_array(a[:, 0])
    executable = shlo_tools.compile(f"""
      func.func @main(%a: {matrix}, %p: tensor<2x3xi32>) -> ({matrix}, tensor<2x3xi32>, {tau}) {{
        %r:3 = stablehlo.custom_call @lapack_{prefix}geqp3_ffi(%a, %p)
          {{mhlo.backend_config = {{}}}}
          : ({matrix}, tensor<2x3xi32>) -> ({matrix}, tensor<2x3xi32>, {tau})
        return %r#0, %r#1, %r#2 : {matrix}, tensor<2x3xi32>, {tau}
      }}""")
    return list(executable(a, pivots))


@ELEMENTS
def test_gehrd(prefix: str) -> None:
    a = random(prefix, 2, 5, 5)
    results = [(a.shape, a.dtype), ((2, 4), a.dtype), int32(2)]
    form, tau, info = call("gehrd", [a], results, low=1, high=5)
    assert info.tolist() == [0, 0]
    for i, (expected, factors, _) in enumerate(by_lapack("gehrd", prefix, a)):
        assert_close(form[i], expected)
        assert_close(tau[i], factors)


@ELEMENTS
@pytest.mark.parametrize("uplo", ["L", "U"])
def test_sytrd(prefix: str, uplo: str) -> None:
    a = hermitian(prefix, 2, 5, 5)
    beside = ((2, 4), real(prefix))
    results = [(a.shape, a.dtype), ((2, 5), real(prefix)), beside, ((2, 4), a.dtype), int32(2)]
    _, diagonal, off, _, info = call("sytrd", [a], results, uplo=uplo)
    assert info.tolist() == [0, 0]
    for i in range(2):
        values = linalg.eigvalsh_tridiagonal(diagonal[i], off[i])
        assert_close(values, np.linalg.eigvalsh(a[i], UPLO=uplo))
