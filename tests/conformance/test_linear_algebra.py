"""``cholesky`` and ``triangular_solve``: every option, on the triangle that is read and no other.

What must not be read holds NaN. Expected values are computed in double precision by numpy; errors
are bounded by c n eps times the largest number, as backward stable algorithms on well-conditioned
matrices keep it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from batch import check, results
from cases._case import Case, operation
from cases._tolerances import EXACT, Within, difference, eps_of
from cases._types import dtype_of

from shlo_tools import ops
from shlo_tools.builder import Module
from shlo_tools.errors import ConstraintError

Array = np.ndarray[Any, Any]

FLOATS = ("f32", "f64", "complex<f32>", "complex<f64>")
NARROW = ("f16", "bf16")
SHAPES = [(1, 1), (3, 3), (20, 20), (2, 3, 4, 4), (3, 0, 0), (0, 2, 2)]


def close(n: int, expected: Array) -> Within:
    """Finite numbers within 8 n eps of the largest one; others as they are."""
    wide = expected.astype(np.complex128 if expected.dtype.kind == "c" else np.float64)
    largest = np.max(np.abs(wide), initial=0.0)
    return Within(8 * max(n, 1) * eps_of(expected.dtype) * largest)


def random(element: str, *shape: int, seed: int = 0) -> Array:
    generator = np.random.default_rng([seed, *shape])
    values: Array = generator.normal(size=shape)
    if element.startswith("complex"):
        values = values + 1j * generator.normal(size=shape)
    return values.astype(dtype_of(element))


def transposed(a: Array) -> Array:
    return np.conj(np.swapaxes(a, -1, -2))


# --- cholesky -------------------------------------------------------------------------------------
def definite(element: str, *shape: int) -> Array:
    """Hermitian matrices with eigenvalues of order 1, exact in the element type."""
    wide = "complex<f64>" if element.startswith("complex") else "f64"
    factor = random(wide, *shape) / max(1, shape[-1]) ** 0.5
    whole = factor @ transposed(factor) + np.eye(shape[-1])
    rounded = whole.astype(dtype_of(element)).astype(dtype_of(wide))
    lower = np.tril(rounded)
    return np.asarray(lower + transposed(np.tril(rounded, -1))).astype(dtype_of(element))


def half(a: Array, lower: bool) -> Array:
    """NaN in the triangle that must not be read."""
    other = np.triu(np.ones(a.shape[-2:], bool), 1)
    return np.where(other if lower else other.T, np.array(np.nan, a.dtype), a)


def factor(a: Array, lower: bool) -> Array:
    wide = a.astype(np.complex128 if a.dtype.kind == "c" else np.float64)
    results = np.linalg.cholesky(wide) if wide.size else wide
    return (results if lower else transposed(results)).astype(a.dtype)


@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("lower", [True, False])
def test_cholesky(element: str, lower: bool) -> None:
    cases = []
    for shape in SHAPES:
        a = definite(element, *shape)
        attributes = f"lower = {str(lower).lower()}"
        expected = factor(a, lower)
        near = close(shape[-1], expected)
        cases.append(operation("cholesky", [half(a, lower)], expected, attributes, tolerance=near))
    check(cases)


def test_cholesky_of_narrow_types_rounds_once() -> None:
    """Computed in f32: a result is the exact one rounded, but for exact ties of it."""
    cases = []
    for element in NARROW:
        a = definite(element, 3, 3)
        expected = factor(a, True)
        near = close(1, expected)
        cases.append(operation("cholesky", [a], expected, "lower = true", tolerance=near))
    check(cases)


def test_cholesky_leaves_zeros_in_the_other_triangle() -> None:
    a = definite("f32", 2, 5, 5)
    (lower,) = results(operation("cholesky", [a], a, "lower = true"))
    assert difference(np.triu(lower, 1), np.zeros_like(lower), EXACT) == ""


def test_cholesky_is_upper_by_default() -> None:
    a = definite("f32", 3, 3)
    upper = factor(a, False)
    check([operation("cholesky", [a], upper, tolerance=close(3, upper))])


def test_cholesky_of_what_has_no_factor_is_nan() -> None:
    """Of that matrix alone: the others of the batch have theirs."""
    good = np.array([[4.0, 2.0], [2.0, 5.0]])
    for element in ("f32", "complex<f64>", "bf16"):
        bad = np.array([[1.0, 2.0], [2.0, 1.0]])
        a = np.stack([good, bad, np.zeros((2, 2)), good]).astype(dtype_of(element))
        nan = np.full((2, 2), np.nan)
        root = np.array([[2.0, 0.0], [1.0, 2.0]])
        expected = np.stack([root, nan, nan, root]).astype(dtype_of(element))
        (factors,) = results(operation("cholesky", [a], expected, "lower = true"))
        real = (x.real.astype(np.float64) for x in (factors, expected))
        assert difference(*real, EXACT) == ""


# --- triangular_solve -----------------------------------------------------------------------------
TRANSPOSES: dict[str, Callable[[Array], Array]] = {
    "NO_TRANSPOSE": lambda a: a,
    "TRANSPOSE": lambda a: np.swapaxes(a, -1, -2),
    "ADJOINT": transposed,
}
OPTIONS = list(itertools.product([True, False], [True, False], [True, False], TRANSPOSES))


def solving(
    a: Array, b: Array, left: bool, lower: bool, unit: bool, transpose: str
) -> tuple[Array, Array]:
    """What the op gets to read of ``a``, and the solution."""
    size = a.shape[-1]
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    triangle = (np.tril if lower else np.triu)(a.astype(wide))
    inputs = half(a, lower)
    if unit:
        triangle = triangle * (1 - np.eye(size)) + np.eye(size)
        inputs = np.where(np.eye(size, dtype=bool), np.array(np.nan, a.dtype), inputs)
    matrix, right = TRANSPOSES[transpose](triangle), b.astype(wide)
    if left:
        return inputs, np.linalg.solve(matrix, right)
    solution = np.linalg.solve(np.swapaxes(matrix, -1, -2), np.swapaxes(right, -1, -2))
    return inputs, np.swapaxes(solution, -1, -2)


def solve(element: str, shape: tuple[int, ...], columns: int, options: Any) -> Case:
    left, lower, unit, transpose = options
    size = shape[-1]
    a = random(element, *shape) / (2 * max(1, size)) + np.eye(size)
    a = a.astype(dtype_of(element))
    batch = shape[:-2]
    b = random(element, *batch, *((size, columns) if left else (columns, size)), seed=1)
    inputs, solution = solving(a, b, left, lower, unit, transpose)
    expected = solution.astype(b.dtype)
    flags = {"left_side": left, "lower": lower, "unit_diagonal": unit}
    attributes = ", ".join(f"{name} = {str(flag).lower()}" for name, flag in flags.items())
    attributes += f", transpose_a = #stablehlo<transpose {transpose}>"
    return operation(
        "triangular_solve",
        [inputs, b],
        expected,
        attributes,
        tolerance=close(size, expected),
    )


@pytest.mark.parametrize("element", FLOATS)
def test_triangular_solve(element: str) -> None:
    check([solve(element, (3, 3), 4, options) for options in OPTIONS])
    check([solve(element, (2, 3, 5, 5), 2, options) for options in OPTIONS[::5]])


def test_triangular_solve_shapes() -> None:
    shapes = [((1, 1), 1), ((33, 33), 7), ((0, 0), 3), ((3, 3), 0), ((0, 2, 2), 2), ((2, 0, 0), 2)]
    check([solve("f32", *shape, options) for shape in shapes for options in OPTIONS[::7]])


def test_triangular_solve_of_narrow_types() -> None:
    check([solve(element, (3, 3), 2, options) for element in NARROW for options in OPTIONS[::5]])


def test_a_singular_system_does_not_trap() -> None:
    """x / 0 is infinite, 0 / 0 is NaN, and what follows from them."""
    attributes = (
        "left_side = true, lower = true, unit_diagonal = false,"
        " transpose_a = #stablehlo<transpose NO_TRANSPOSE>"
    )
    a = np.diag([2.0, 0.0, 0.0]).astype(np.float32)
    b = np.array([[1.0], [-3.0], [0.0]], np.float32)
    expected = np.array([[0.5], [-np.inf], [np.nan]], np.float32)
    check([operation("triangular_solve", [a, b], expected, attributes)])


# --- as builders ----------------------------------------------------------------------------------
def test_they_are_builders() -> None:
    module = Module()

    @module.func("2x3x3xf32", "2x3x1xf32")
    def main(a: Any, b: Any) -> Any:
        root = ops.cholesky(a, lower=True)
        return ops.triangular_solve(root, b, True, True, False, ops.Transpose.ADJOINT)

    text = str(module)
    assert "stablehlo.cholesky %arg0, lower = true : tensor<2x3x3xf32>" in text
    assert "transpose_a = #stablehlo<transpose ADJOINT>" in text
    assert "(tensor<2x3x3xf32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>" in text


def _solved(a: Any, b: Any, left: bool = True) -> Any:
    return ops.triangular_solve(a, b, left, True, False, ops.Transpose.NO_TRANSPOSE)


@pytest.mark.parametrize(
    ("label", "types", "built"),
    [
        ("I1", ("3x3xi32",), ops.cholesky),
        ("C2", ("3xf32",), ops.cholesky),
        ("C3", ("2x3xf32",), ops.cholesky),
        ("C3", ("?x2x3xf32",), ops.cholesky),
        ("C1", ("3x3xf32", "3x3xf64"), _solved),
        ("C2", ("3x3xf32", "2x3x3xf32"), _solved),
        ("C2", ("3xf32", "3xf32"), _solved),
        ("C3", ("3x3xf32", "2x3xf32"), _solved),
        ("C3", ("3x3xf32", "3x2xf32"), lambda a, b: _solved(a, b, left=False)),
        ("C3", ("2x3x3xf32", "4x3x3xf32"), _solved),
        ("C3", ("3x2xf32", "3x2xf32"), _solved),
    ],
)
def test_constraints(label: str, types: tuple[str, ...], built: Callable[..., Any]) -> None:
    with pytest.raises(ConstraintError, match=rf"\({label}\)"):
        Module().func(*types, name="main")(lambda *operands: built(*operands))


def test_unknown_sizes_are_not_refused() -> None:
    module = Module()
    module.func("?x?x3xf32", "2x3x?xf32", name="main")(
        lambda a, b: (ops.cholesky(a), _solved(a, b))
    )
    assert "tensor<?x3x3xf32>" in str(module)
