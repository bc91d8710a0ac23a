"""Transforms and matrices of the reference, against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from reference_arrays import NAN, type_of

from shlo_tools.ops.linear_algebra import Transpose
from shlo_tools.ops.signal import FftType
from shlo_tools.reference import linear_algebra, signal


def test_fft_against_numpy() -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, 3, 5, 7))
    z = x + 1j * rng.standard_normal(x.shape)
    axes = (1, 2, 3)
    forward = signal.fft(z, FftType.FFT, x.shape[1:], result_types=type_of("complex<f64>"))
    np.testing.assert_allclose(forward, np.fft.fftn(z, axes=axes), atol=1e-12)
    back = signal.fft(forward, FftType.IFFT, x.shape[1:], result_types=type_of("complex<f64>"))
    np.testing.assert_allclose(back, z, atol=1e-12)
    half = signal.fft(x, FftType.RFFT, x.shape[1:], result_types=type_of("complex<f64>"))
    np.testing.assert_allclose(half, np.fft.rfftn(x, axes=axes), atol=1e-12)
    real = signal.fft(half, FftType.IRFFT, x.shape[1:], result_types=type_of("f64"))
    np.testing.assert_allclose(real, x, atol=1e-12)


def test_cholesky() -> None:
    rng = np.random.default_rng(0)
    m = rng.standard_normal((3, 4, 4)) + 1j * rng.standard_normal((3, 4, 4))
    a = m @ np.conj(np.swapaxes(m, 1, 2)) + np.eye(4)
    expected = np.linalg.cholesky(a)
    np.testing.assert_allclose(linear_algebra.cholesky(a, True), expected, atol=1e-12)
    upper = np.conj(np.swapaxes(expected, 1, 2))
    spoiled = np.where(np.tri(4, k=-1) > 0, NAN, a)  # the lower triangle is not read
    np.testing.assert_allclose(linear_algebra.cholesky(spoiled, False), upper, atol=1e-12)
    broken = linear_algebra.cholesky(np.stack([-np.eye(2), np.eye(2)]), True)
    assert np.isnan(broken[0]).all()
    np.testing.assert_array_equal(broken[1], np.eye(2))


@pytest.mark.parametrize("left_side", [True, False])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("unit_diagonal", [True, False])
@pytest.mark.parametrize("transpose", list(Transpose))
def test_triangular_solve(
    left_side: bool, lower: bool, unit_diagonal: bool, transpose: Transpose
) -> None:
    rng = np.random.default_rng(0)
    full = rng.standard_normal((2, 4, 4)) + 1j * rng.standard_normal((2, 4, 4)) + 4 * np.eye(4)
    used = np.tril(full) if lower else np.triu(full)
    if unit_diagonal:
        used = used * (1 - np.eye(4)) + np.eye(4)
    b = rng.standard_normal((2, 4, 3) if left_side else (2, 3, 4)) + 0j
    outside = np.tri(4, k=-1).T if lower else np.tri(4, k=-1)
    spoiled = np.where((outside > 0) | (unit_diagonal & (np.eye(4) > 0)), NAN, full)
    x = linear_algebra.triangular_solve(spoiled, b, left_side, lower, unit_diagonal, transpose)
    matrix = {
        Transpose.NO_TRANSPOSE: used,
        Transpose.TRANSPOSE: np.swapaxes(used, 1, 2),
        Transpose.ADJOINT: np.conj(np.swapaxes(used, 1, 2)),
    }[transpose]
    np.testing.assert_allclose(matrix @ x if left_side else x @ matrix, b, atol=1e-10)
