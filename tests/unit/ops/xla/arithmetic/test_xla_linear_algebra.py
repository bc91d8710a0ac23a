"""Factors, solutions and Fourier transforms are those of numpy and scipy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg
from xla_runs import close, refused

from shlo_tools.ops import xla

RNG = np.random.default_rng(1)
A = RNG.normal(size=(3, 4))
B = RNG.normal(size=(4, 5))
V = RNG.normal(size=4)


@pytest.mark.parametrize("lower", [True, False])
def test_cholesky(lower: bool) -> None:
    a = A @ A.T + np.eye(3)
    expected = np.linalg.cholesky(a) if lower else np.linalg.cholesky(a).T
    keep = np.tril if lower else np.triu
    close(lambda x: xla.Cholesky(x, lower), (keep(a),), expected)


@pytest.mark.parametrize("left_side", [True, False])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("form", ["NO_TRANSPOSE", "TRANSPOSE"])
def test_triangular_solve(left_side: bool, lower: bool, form: str) -> None:
    matrix = RNG.normal(size=(3, 3)) + 4 * np.eye(3)
    triangle = np.tril(matrix) if lower else np.triu(matrix)
    used = triangle if form == "NO_TRANSPOSE" else triangle.T
    b = RNG.normal(size=(3, 2) if left_side else (2, 3))
    expected = np.linalg.solve(used, b) if left_side else np.linalg.solve(used.T, b.T).T
    close(
        lambda a, y: xla.TriangularSolve(a, y, left_side, lower, False, form), (matrix, b), expected
    )


def test_a_unit_diagonal_is_not_read() -> None:
    matrix = np.tril(RNG.normal(size=(3, 3)), -1) + 7 * np.eye(3)
    expected = scipy.linalg.solve_triangular(matrix, V[:3, None], lower=True, unit_diagonal=True)
    close(
        lambda a, b: xla.TriangularSolve(a, b, True, True, True, "NO_TRANSPOSE"),
        (matrix, V[:3, None]),
        expected,
    )


def test_a_form_of_no_name() -> None:
    assert "'T' is no form of a matrix" in refused(
        lambda a: xla.TriangularSolve(a, a, True, True, True, "T"), "3x3xf32"
    )


# --- Fourier transforms ---------------------------------------------------------------------------
Z = RNG.normal(size=(3, 6)) + 1j * RNG.normal(size=(3, 6))


@pytest.mark.parametrize(
    ("kind", "operand", "lengths", "expected"),
    [
        ("FFT", Z, (6,), np.fft.fft(Z)),
        ("FFT", Z, (3, 6), np.fft.fft2(Z)),
        ("IFFT", Z, (6,), np.fft.ifft(Z)),
        ("RFFT", Z.real, (6,), np.fft.rfft(Z.real)),
        ("IRFFT", Z[:, :4], (6,), np.fft.irfft(Z[:, :4], 6)),
        ("IRFFT", Z[:, :4], (7,), np.fft.irfft(Z[:, :4], 7)),
    ],
)
def test_fft(kind: str, operand: Any, lengths: tuple[int, ...], expected: Any) -> None:
    close(lambda x: xla.Fft(x, kind, lengths), (operand,), expected)


def test_transforms_that_are_none() -> None:
    assert "'DCT' is no type of transform" in refused(lambda x: xla.Fft(x, "DCT", (3,)), "3xf32")
    assert "C4" in refused(lambda x: xla.Fft(x, "RFFT", (4,)), "3xf32")
    assert "C2" in refused(lambda x: xla.Fft(x, "FFT", (3,)), "3xf32")
