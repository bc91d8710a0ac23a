"""Products, factors, transforms, normalisation, sorting and random numbers, against numpy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.stats
from xla_runs import check, close, module_of, ran, refused

import shlo_tools
from shlo_tools.errors import UnsupportedError
from shlo_tools.ops import Tensor, xla

RNG = np.random.default_rng(1)
A = RNG.normal(size=(3, 4))
B = RNG.normal(size=(4, 5))
V = RNG.normal(size=4)


# --- products -------------------------------------------------------------------------------------
@pytest.mark.parametrize(("a", "b"), [(V, V), (A, V), (A, B), (V, B)])
def test_dot(a: Any, b: Any) -> None:
    close(xla.Dot, (a, b), a @ b)


def test_dot_of_scalars_and_of_other_sizes() -> None:
    assert "vectors and matrices are wanted" in refused(xla.Dot, "f32", "3xf32")
    assert "C10" in refused(xla.Dot, "2x3xf32", "4x5xf32")


def test_dot_general_of_the_document() -> None:
    lhs = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    rhs = np.array([[1, 1, 1], [2, 2, 2]], np.float32)
    numbers = xla.DotDimensionNumbers((1,), (1,))
    expected = np.array([[6, 12], [15, 30]], np.float32)
    check(lambda a, b: xla.DotGeneral(a, b, numbers), (lhs, rhs), expected)


def test_dot_general_of_a_batch() -> None:
    a, b = RNG.normal(size=(2, 3, 4)), RNG.normal(size=(2, 4, 5))
    numbers = xla.DotDimensionNumbers((2,), (1,), (0,), (0,))
    close(lambda x, y: xla.DotGeneral(x, y, numbers), (a, b), a @ b)
    assert "C5" in refused(
        lambda x: xla.DotGeneral(x, x, xla.DotDimensionNumbers((), (), (7,), (0,))), "2x3xf32"
    )


def test_a_wider_element_type() -> None:
    a = np.full((2, 300), 100, np.int8)
    expected = np.full(2, 3_000_000, np.int32)
    check(lambda x: xla.Dot(x, x[0], preferred_element_type="s32"), (a,), expected)
    assert "C6" in refused(
        lambda x: xla.DotGeneral(
            x, x, xla.DotDimensionNumbers((7,), (0,)), preferred_element_type="s32"
        ),
        "3xi8",
    )


@pytest.mark.parametrize(
    ("config", "a", "b"),
    [
        ("ij,jk->ik", (3, 4), (4, 5)),
        ("ij,jk->ki", (3, 4), (4, 5)),
        ("ij,jk", (3, 4), (4, 5)),
        ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
        ("bij,bjk->kib", (2, 3, 4), (2, 4, 5)),
        ("i,j->ji", (3,), (4,)),
        ("ij,ij->", (3, 4), (3, 4)),
        ("ij,k->jk", (3, 4), (5,)),  # i is summed over in one operand
        ("iij,j->i", (3, 3, 4), (4,)),  # a diagonal
        ("ii,->", (3, 3), ()),
        (" ab , b -> a ", (3, 4), (4,)),
    ],
)
def test_einsum(config: str, a: tuple[int, ...], b: tuple[int, ...]) -> None:
    x, y = RNG.normal(size=a), RNG.normal(size=b)
    close(lambda p, q: xla.Einsum(p, q, config), (x, y), np.asarray(np.einsum(config, x, y)))


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ("ij", "is not understood"),
        ("ij,jk->ii", "is not understood"),
        ("i1,jk->ik", "is not understood"),
        ("ij,jk->il", "has no dimension ['l']"),
        ("ijk,jk->i", "names 3 dimensions"),
        ("ij,ik->jk", "'i' has sizes 3 and 4"),
    ],
)
def test_einsums_that_are_none(config: str, reason: str) -> None:
    assert reason in refused(lambda p, q: xla.Einsum(p, q, config), "3x4xf32", "4x5xf32")


# --- matrices -------------------------------------------------------------------------------------
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


# --- normalisation --------------------------------------------------------------------------------
X = RNG.normal(size=(5, 3, 4))
SCALE, OFFSET = RNG.normal(size=3), RNG.normal(size=3)
MEAN, VARIANCE = X.mean(axis=(0, 2)), X.var(axis=(0, 2))


def along(vector: Any) -> Any:
    return vector[None, :, None]


def test_batch_norm_inference_and_training() -> None:
    expected = (X - along(MEAN)) / np.sqrt(along(VARIANCE) + 0.5) * along(SCALE) + along(OFFSET)
    close(
        lambda *tensors: xla.BatchNormInference(*tensors, 0.5, 1),
        (X, SCALE, OFFSET, MEAN, VARIANCE),
        expected,
    )
    close(
        lambda *tensors: xla.BatchNormTraining(*tensors, 0.5, 1),
        (X, SCALE, OFFSET),
        (expected, MEAN, VARIANCE),
    )


def test_batch_norm_grad() -> None:
    """The gradients are those of the normalised array, by differences."""
    gradient = RNG.normal(size=X.shape)

    def loss(x: Any, scale: Any) -> Any:
        mean, variance = x.mean(axis=(0, 2)), x.var(axis=(0, 2))
        y = (x - along(mean)) / np.sqrt(along(variance) + 0.5) * along(scale)
        return (y * gradient).sum()

    got = ran(
        lambda *tensors: xla.BatchNormGrad(*tensors, 0.5, 1), X, SCALE, MEAN, VARIANCE, gradient
    )
    step = 1e-6
    for index in ((0, 0, 0), (3, 1, 2), (4, 2, 3)):
        moved = np.zeros_like(X)
        moved[index] = step
        slope = (loss(X + moved, SCALE) - loss(X - moved, SCALE)) / (2 * step)
        np.testing.assert_allclose(got[0][index], slope, rtol=1e-6, atol=1e-8)
    for feature in range(3):
        turned = np.zeros(3)
        turned[feature] = step
        slope = (loss(X, SCALE + turned) - loss(X, SCALE - turned)) / (2 * step)
        np.testing.assert_allclose(got[1][feature], slope, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(got[2], gradient.sum(axis=(0, 2)), rtol=1e-12)


# --- sorting --------------------------------------------------------------------------------------
def test_sort() -> None:
    check(lambda x: xla.Sort(x, xla.Lt), (A,), np.sort(A, axis=-1))
    check(lambda x: xla.Sort(x, xla.Gt, 0), (A,), -np.sort(-A, axis=0))
    assert "no dimension 2" in refused(lambda x: xla.Sort(x, xla.Lt, 2), "2x2xf32")
    assert "no dimension" in refused(lambda x: xla.Sort(x, xla.Lt), "f32")


def test_sort_of_several_arrays_of_the_document() -> None:
    def smaller(a0: Tensor, b0: Tensor, *others: Tensor) -> Tensor:
        return xla.Lt(a0, b0)

    arrays = [3, 1], [42, 50], [-3.0, 1.1]
    check(
        lambda x, y, z: xla.Sort((x, y, z), smaller),
        arrays,
        (np.array([1, 3]), np.array([50, 42]), np.array([1.1, -3.0])),
    )


def test_a_stable_sort() -> None:
    keys, places = np.array([1, 0, 1, 0, 1], np.int32), np.arange(5, dtype=np.int32)
    order = np.argsort(keys, kind="stable")
    check(
        lambda k, p: xla.Sort((k, p), lambda a, b, i, j: xla.Lt(a, b), 0, True),
        (keys, places),
        (keys[order], places[order]),
    )


@pytest.mark.parametrize("largest", [True, False])
def test_top_k(largest: bool) -> None:
    x = np.array([[1.0, 5, 5, -2], [0, -1, 3, 7]])
    order = np.argsort(-x if largest else x, axis=-1, kind="stable")[:, :3]
    expected = np.take_along_axis(x, order, -1), order.astype(np.int32)
    check(lambda a: xla.TopK(a, 3, largest), (x,), expected)
    assert refused(lambda a: xla.TopK(a, 5, largest), "2x4xf32")
    assert refused(lambda a: xla.TopK(a, 1, largest), "f32")


def test_approx_top_k() -> None:
    """The exact answer is one of the approximate ones."""
    places = np.broadcast_to(np.arange(4, dtype=np.int32)[:, None], (4, 5)).copy()
    order = np.argsort(-B, axis=0, kind="stable")[:2]

    def main(x: Tensor, p: Tensor) -> Any:
        def larger(a: Tensor, b: Tensor, i: Tensor, j: Tensor) -> Tensor:
            return xla.Gt(a, b)

        return xla.ApproxTopK([x, p], [-np.inf, 0], 2, -2, larger)

    check(main, (B, places), (np.take_along_axis(B, order, 0), order.astype(np.int32)))


def test_approx_top_k_that_is_none() -> None:
    def top(*arguments: Any, **attributes: Any) -> Any:
        return lambda x: xla.ApproxTopK([x], *arguments, xla.Gt, **attributes)

    assert "1 operands, 0 init values" in refused(top([], 1, 0), "4xf32")
    assert "recall_target 0" in refused(top([0], 1, 0, recall_target=0), "4xf32")
    assert "no dimension 1" in refused(top([0], 1, 1), "4xf32")
    assert "5 elements of dimension 0" in refused(top([0], 5, 0), "4xf32")
    assert "StableHLO has no form" in refused(
        top([0], 1, 0, aggregate_to_topk=False), "4xf32", error=UnsupportedError
    )


# --- random numbers -------------------------------------------------------------------------------
def test_rng_normal() -> None:
    """The numbers are of the distribution that was asked for (Kolmogorov and Smirnov's test)."""
    got = ran(lambda: xla.RngNormal(3, np.float32(2), "f32[20000]"))
    assert got.dtype == np.float32
    assert scipy.stats.kstest(got, "norm", args=(3, 2)).pvalue > 1e-4
    assert "C2" in refused(lambda: xla.RngNormal(0, 1, "s32[5]"))


def test_rng_uniform() -> None:
    got = ran(lambda: xla.RngUniform(-1, 3, "f64[20000]"))
    assert got.min() >= -1
    assert got.max() < 3
    assert scipy.stats.kstest(got, "uniform", args=(-1, 4)).pvalue > 1e-4
    numbers = ran(lambda low: xla.RngUniform(low, 5, "s32[100,10]"), np.int32(2))
    assert set(np.unique(numbers)) == {2, 3, 4}
    assert "C1" in refused(lambda: xla.RngUniform(np.float32(0), 1, "f64[5]"))


@pytest.mark.parametrize("algorithm", ["rng_three_fry", "rng_philox", "rng_default", "PHILOX"])
def test_rng_bit_generator(algorithm: str) -> None:
    """Bits are a function of the state, and the next state gives others."""
    module = module_of(lambda s: xla.RngBitGenerator(algorithm, s, "u32[1000]"), "2xui64")
    native, reference = (
        shlo_tools.compile(module, backend=backend) for backend in ("native", "reference")
    )
    state = np.array([7, 9], np.uint64)
    following, bits = native(state)
    for result, expected in zip((following, bits), reference(state), strict=True):
        np.testing.assert_array_equal(result, expected)
    assert following.shape == state.shape
    assert bits.dtype == np.uint32
    assert (native(following)[1] != bits).mean() > 0.99
    assert abs(np.unpackbits(bits.view(np.uint8)).mean() - 0.5) < 0.02


def test_an_algorithm_of_no_name() -> None:
    assert "'mt19937' is no algorithm" in refused(
        lambda s: xla.RngBitGenerator("mt19937", s, "u32[4]"), "2xui64"
    )
    assert "C2" in refused(lambda s: xla.RngBitGenerator("THREE_FRY", s, "u32[4]"), "5xui64")
