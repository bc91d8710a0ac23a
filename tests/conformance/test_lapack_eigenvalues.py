"""Singular values and eigenvalues by LAPACK, against scipy, or held to what defines them."""

from __future__ import annotations

import numpy as np
import pytest
from lapack_calls import (
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


@ELEMENTS
@pytest.mark.parametrize("routine", ["gesdd", "gesvd"])
@pytest.mark.parametrize("mode", ["A", "S", "N"])
@pytest.mark.parametrize("shape", [(5, 3), (3, 5)])
def test_singular_values(prefix: str, routine: str, mode: str, shape: tuple[int, int]) -> None:
    a, (m, n), k = random(prefix, 2, *shape), shape, min(shape)
    rows, columns = (m, n) if mode == "A" else (k, k)
    results = [
        *[(a.shape, a.dtype), ((2, k), real(prefix))],
        *[((2, m, rows), a.dtype), ((2, columns, n), a.dtype), int32(2)],
    ]
    _, values, u, v, info = call(routine, [a], results, mode=mode)
    assert info.tolist() == [0, 0]
    assert_close(values, np.linalg.svd(a, compute_uv=False))
    if mode == "N":
        assert not u.any() and not v.any()
        return
    assert_close((u[..., :k] * values[:, None]) @ v[:, :k], a)
    assert_close(adjoint(u) @ u, identities(rows, a.dtype))
    assert_close(v @ adjoint(v), identities(columns, a.dtype))


@ELEMENTS
@pytest.mark.parametrize("mode", ["S", "N"])
@pytest.mark.parametrize("wrong", [np.nan, -np.inf])
def test_singular_values_of_what_is_not_finite(prefix: str, wrong: float, mode: str) -> None:
    """Only that matrix of the batch is answered by ``info``."""
    a = random(prefix, 2, 5, 3)
    a[0, 4, 2] = wrong
    results = [(a.shape, a.dtype), ((2, 3), real(prefix)), (a.shape, a.dtype), ((2, 3, 3), a.dtype)]
    _, values, u, v, info = call("gesdd", [a], [*results, int32(2)], mode=mode)
    assert info.tolist() == [-4, 0]
    assert_close(values[1], np.linalg.svd(a[1], compute_uv=False))
    if mode == "N":
        assert not u.any() and not v.any()
        return
    assert_close((u[1] * values[1]) @ v[1], a[1])


@ELEMENTS
@pytest.mark.parametrize("uplo", ["L", "U"])
@pytest.mark.parametrize("mode", ["V", "N"])
def test_syevd(prefix: str, uplo: str, mode: str) -> None:
    a = hermitian(prefix, 2, 5, 5)
    inputs = np.tril(a) if uplo == "L" else np.triu(a)  # only one triangle is read
    results = [(a.shape, a.dtype), ((2, 5), real(prefix)), int32(2)]
    vectors, values, info = call("syevd", [inputs], results, mode=mode, uplo=uplo)
    assert info.tolist() == [0, 0]
    assert_close(values, np.linalg.eigvalsh(a))
    if mode == "V":
        assert_close(a @ vectors, vectors * values[:, None])
        assert_close(np.sum(np.abs(vectors) ** 2, axis=1), np.ones((2, 5), real(prefix)))


def _geev(a: Array, prefix: str, left: str, right: str) -> tuple[Array, Array, Array, Array]:
    complex = np.complex64 if prefix in "sc" else np.complex128
    parts = 2 if prefix in "sd" else 1
    results = [((2, a.shape[-1]), a.dtype)] * parts + [(a.shape, complex)] * 2 + [int32(2)]
    *values, u, v, info = call("geev", [a], results, compute_left=left, compute_right=right)
    return values[0] + 1j * values[1] if parts == 2 else values[0], u, v, info


@ELEMENTS
@pytest.mark.parametrize("size", [1, 2, 3, 6])
def test_geev(prefix: str, size: int) -> None:
    a = random(prefix, 2, size, size)
    values, u, v, info = _geev(a, prefix, "V", "V")
    assert info.tolist() == [0, 0]
    if prefix in "sd" and size == 6:
        assert values.imag.any(), "there should be conjugate pairs"
    assert_close(a @ v, v * values[:, None])
    assert_close(adjoint(u) @ a, values[:, :, None] * adjoint(u))
    assert_close(np.sum(np.abs(v) ** 2, axis=1), np.ones((2, size), real(prefix)))
    again, u, right, info = _geev(a, prefix, "N", "V")
    assert_close(again, values)
    assert_close(right, v)
    again, u, v, info = _geev(a, prefix, "N", "N")
    assert_close(again, values)
    assert not u.any() and not v.any()


@ELEMENTS
@pytest.mark.parametrize("wrong", [np.nan, np.inf])
@pytest.mark.parametrize("right", ["N", "V"])
def test_geev_of_what_is_not_finite(prefix: str, wrong: float, right: str) -> None:
    a = random(prefix, 2, 6, 6)
    a[1, 2, 3] = wrong
    values, left_vectors, _, info = _geev(a, prefix, "N", right)
    assert info.tolist() == [0, -4]
    assert values[0].all() and not values[1].any()
    assert not left_vectors.any()


@ELEMENTS
@pytest.mark.parametrize("mode", ["V", "N"])
def test_gees(prefix: str, mode: str) -> None:
    a = random(prefix, 2, 5, 5)
    parts = 2 if prefix in "sd" else 1
    results = [(a.shape, a.dtype)] * 2 + [((2, 5), a.dtype)] * parts + [int32(2)] * 2
    form, vectors, *values, count, info = call("gees", [a], results, mode=mode, sort="N")
    assert info.tolist() == count.tolist() == [0, 0]
    assert not np.tril(form, -2).any()
    actual = values[0] + 1j * values[1] if parts == 2 else values[0]
    for i in range(2):
        assert_close(np.sort_complex(actual[i]), np.sort_complex(np.linalg.eigvals(a[i]) + 0j))
    if mode == "V":
        assert_close(vectors @ form @ adjoint(vectors), a)
    else:
        assert not vectors.any()


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
@pytest.mark.parametrize("size", [3, 30, 500])
def test_nothing_hangs_on_what_is_not_finite(wrong: float, size: int) -> None:
    """Left to itself, gees takes minutes. The answer is ``info``, or is not finite either."""
    a = random("d", 2, size, size)
    a[:, size // 2, size // 3] = a[:, size // 3, size // 2] = wrong
    vector, matrix = ((2, size), a.dtype), (a.shape, a.dtype)
    schur = [matrix, matrix, vector, vector, int32(2), int32(2)]
    for routine in ("gesdd", "gesvd"):
        *_, info = call(routine, [a], [matrix, vector, matrix, matrix, int32(2)], mode="S")
        assert info.all()
    assert call("gees", [a], schur, mode="V", sort="N")[-1].all()
    _, values, info = call("syevd", [a], [matrix, vector, int32(2)], mode="V", uplo="L")
    assert np.all((info != 0) | ~np.isfinite(values).all(axis=1))
    call("gehrd", [a], [matrix, ((2, size - 1), a.dtype), int32(2)], low=1, high=size)
    call("getrf", [a], [matrix, int32(2, size), int32(2)])
