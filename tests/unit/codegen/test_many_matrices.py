"""Factors of batches of small matrices, and triangular solves: against LAPACK and numpy."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.linalg import lapack

import shlo_tools
from shlo_tools.codegen.library import many_matrices

ELEMENTS = {"f32": ("f4", "s"), "f64": ("f8", "d")}
BATCHES = [(16,), (17,), (3, 15)]
Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def _by_lanes(monkeypatch: pytest.MonkeyPatch) -> Any:
    """All jobs that programs ask for are these."""
    names: list[str] = []
    of_job = many_matrices.job_name

    def job_name(routine: str, element: str) -> str:
        names.append(routine)
        return of_job(routine, element)

    monkeypatch.setattr(many_matrices, "job_name", job_name)
    yield
    assert names


def typed(*shape: int, element: str) -> str:
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


def called(routine: str, options: str, element: str, operands: list[Array], results: Any) -> Any:
    """What a target of LAPACK returns."""
    types = [typed(*a.shape, element=element) for a in operands]
    names = [f"%a{k}" for k in range(len(operands))]
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types, strict=True))
    out = [typed(*shape, element=e) for shape, e in results]
    values = ", ".join(f"%0#{k}" for k in range(len(out)))
    target = f"lapack_{ELEMENTS[element][1]}{routine}_ffi"
    text = f"""func.func @main({arguments}) -> ({", ".join(out)}) {{
      %0:{len(out)} = stablehlo.custom_call @{target}({", ".join(names)})
        {{mhlo.backend_config = {{{options}}}}} : ({", ".join(types)}) -> ({", ".join(out)})
      return {values} : {", ".join(out)}
    }}"""
    before = [a.copy() for a in operands]
    result = shlo_tools.compile(text)(*operands)
    for a, b in zip(operands, before, strict=True):
        np.testing.assert_array_equal(a, b)
    return result


def matrices(batch: tuple[int, ...], size: int, element: str, *, positive: bool = False) -> Array:
    random = np.random.default_rng(size * 100 + len(batch))
    a = random.standard_normal((*batch, size, size))
    if positive:
        a = a @ np.swapaxes(a, -1, -2) + size * np.eye(size)
    return a.astype(ELEMENTS[element][0])


def close(actual: Array, expected: Array, size: int, eps: float) -> None:
    scale = np.abs(expected).max(axis=(-1, -2), keepdims=True)
    assert np.all(np.abs(actual - expected) <= 40 * size * eps * scale)


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("uplo", "LU")
@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 24])
def test_cholesky(size: int, uplo: str, element: str) -> None:
    """The other triangle stays as it is."""
    for batch in BATCHES:
        a = matrices(batch, size, element, positive=True)
        results = [(a.shape, element), (batch, "i32")]
        factor, info = called("potrf", f"uplo = {ord(uplo)} : ui8", element, [a], results)
        exact = np.linalg.cholesky(a.astype("f8"))
        exact = exact if uplo == "L" else np.swapaxes(exact, -1, -2)
        keep = np.tril if uplo == "L" else np.triu
        close(keep(factor), exact, size, np.finfo(a.dtype).eps)
        np.testing.assert_array_equal(factor - keep(factor), a - keep(a))
        assert not info.any()


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("uplo", "LU")
def test_cholesky_fails_in_some_lanes(uplo: str, element: str) -> None:
    a = matrices((20,), 4, element, positive=True)
    a[3, 0, 0], a[4, 2, 2], a[5, 3, 3], a[6, 1, 1] = -1.0, 0.0, -9.0, np.nan
    results = [(a.shape, element), (a.shape[:1], "i32")]
    factor, info = called("potrf", f"uplo = {ord(uplo)} : ui8", element, [a], results)
    keep = np.tril if uplo == "L" else np.triu
    for number, matrix in enumerate(a):
        routine = getattr(lapack, f"{ELEMENTS[element][1]}potrf")
        expected, status = routine(matrix, lower=uplo == "L", clean=True)
        assert info[number] == status
        if status == 0:
            actual = keep(factor[number])
            np.testing.assert_array_equal(np.isnan(actual), np.isnan(expected))
            close(np.nan_to_num(actual), np.nan_to_num(expected), 4, np.finfo(a.dtype).eps)
    assert np.count_nonzero(info) == 3


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 24])
def test_lu(size: int, element: str) -> None:
    for batch in BATCHES:
        a = matrices(batch, size, element)
        results = [(a.shape, element), ((*batch, size), "i32"), (batch, "i32")]
        factors, pivots, info = called("getrf", "", element, [a], results)
        routine = getattr(lapack, f"{ELEMENTS[element][1]}getrf")
        for index in np.ndindex(batch):
            expected, rows, _ = routine(a[index])
            np.testing.assert_array_equal(pivots[index], rows + 1)
            error = np.abs(factors[index] - expected).max() / np.abs(expected).max()
            assert error <= 1000 * size * np.finfo(a.dtype).eps
        assert not info.any()


@pytest.mark.parametrize("element", ELEMENTS)
def test_lu_of_ties_and_singular_matrices(element: str) -> None:
    """Whole numbers, so that all is exact: the first of pivots that are alike, and of zeros."""
    random = np.random.default_rng(0)
    a = random.integers(-1, 2, (200, 3, 3)).astype(ELEMENTS[element][0])
    results = [(a.shape, element), (a.shape[:2], "i32"), (a.shape[:1], "i32")]
    factors, pivots, info = called("getrf", "", element, [a], results)
    routine = getattr(lapack, f"{ELEMENTS[element][1]}getrf")
    for k, matrix in enumerate(a):
        expected, rows, status = routine(matrix)
        np.testing.assert_array_equal(factors[k], expected)
        np.testing.assert_array_equal(pivots[k], rows + 1)
        assert info[k] == status
    assert 0 < np.count_nonzero(info) < len(a)


@pytest.mark.parametrize("letters", list(product("LR", "LU", "NTC", "NU")), ids="".join)
def test_triangular_solve(letters: tuple[str, ...]) -> None:
    """Only the triangle is read, and its diagonal where that is not 1."""
    side, uplo, trans, diag = letters
    names = ("side", "uplo", "trans_x", "diag")
    options = ", ".join(f"{n} = {ord(x)} : ui8" for n, x in zip(names, letters, strict=True))
    for element, (size, others) in product(ELEMENTS, [(1, 1), (3, 1), (3, 4), (16, 7)]):
        a = matrices((19,), size, element, positive=True)
        dtype = a.dtype
        if diag == "U":
            a /= 4 * size
        shape = (size, others) if side == "L" else (others, size)
        b = np.random.default_rng(1).standard_normal((19, *shape)).astype(dtype)
        (x,) = (called("trsm", options, element, [a, b], [(b.shape, element)]),)
        triangle = (np.tril if uplo == "L" else np.triu)(a.astype("f8"))
        if diag == "U":
            triangle[:, range(size), range(size)] = 1.0
        triangle = triangle if trans == "N" else triangle.transpose(0, 2, 1)
        product_of = triangle @ x if side == "L" else x @ triangle
        close(product_of, b.astype("f8"), size, np.finfo(dtype).eps)


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("lower", ["true", "false"])
def test_ops_of_the_specification(lower: str, element: str) -> None:
    """Zeros in the other triangle; a matrix of NaN where there is no factor."""
    a = matrices((2, 9), 3, element, positive=True)
    a[0, 4, 1, 1] = -1.0
    type = typed(*a.shape, element=element)
    text = f"""func.func @main(%a: {type}, %b: {type}) -> ({type}, {type}, {type}) {{
      %0 = "stablehlo.cholesky"(%a) {{lower = {lower}}} : ({type}) -> {type}
      %1 = "stablehlo.triangular_solve"(%a, %b) {{
        left_side = true, lower = {lower}, unit_diagonal = false,
        transpose_a = #stablehlo<transpose TRANSPOSE>}} : ({type}, {type}) -> {type}
      %2 = "stablehlo.triangular_solve"(%a, %b) {{
        left_side = false, lower = {lower}, unit_diagonal = true,
        transpose_a = #stablehlo<transpose NO_TRANSPOSE>}} : ({type}, {type}) -> {type}
      return %0, %1, %2 : {type}, {type}, {type}
    }}"""
    b = matrices((2, 9), 3, element)
    actual = shlo_tools.compile(text)(a, b)
    expected = shlo_tools.interpret(text, a, b)
    for result, exact in zip(actual, expected, strict=True):
        eps = np.finfo(a.dtype).eps
        np.testing.assert_allclose(
            result, exact, rtol=100 * eps, atol=100 * eps * np.nanmax(np.abs(exact))
        )
    assert np.isnan(actual[0]).all(axis=(-1, -2)).sum() == 1
