"""The LAPACK calls that JAX exports: ``lapack_{s,d,c,z}..._ffi``, as its programs write them.

Factorizations are compared with scipy's LAPACK. What is unique only up to signs or order is held
against its definition. Batches have two matrices; layouts are column-major, as JAX gives them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from scipy import linalg
from scipy.linalg import get_lapack_funcs

import shlo_tools
from shlo_tools import extend
from shlo_tools.cpu import custom_calls
from shlo_tools.dtypes import of_array, parse_tensor_type
from shlo_tools.errors import ExecutionError
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
    found = _run(program, operands)
    if target in lapack_kernels.TARGETS:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(extend, "_registered", {target: custom_calls.TARGETS[target]})
            by_host = _run(program, operands)
        for one, other in zip(found, by_host, strict=True):
            np.testing.assert_array_equal(one, other)
    return found


def _run(program: str, operands: Sequence[Array]) -> list[Array]:
    given = shlo_tools.compile(program)(*operands)
    return list(given) if isinstance(given, tuple) else [given]


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


def by_lapack(name: str, prefix: str, *operands: Array, **options: Any) -> list[tuple[Any, ...]]:
    """What scipy's LAPACK gives for each matrix of a batch."""
    name = COMPLEX_NAMES.get(name, name) if prefix in "cz" else name
    (function,) = get_lapack_funcs((name,), dtype=DTYPES[prefix])
    return [function(*(operand[i] for operand in operands), **options) for i in range(2)]


def int32(*shape: int) -> tuple[tuple[int, ...], Any]:
    return shape, np.int32


# --- factorizations -------------------------------------------------------------------------------
@ELEMENTS
@pytest.mark.parametrize("uplo", ["L", "U"])
def test_potrf(prefix: str, uplo: str) -> None:
    a = hermitian(prefix, 2, 4, 4)
    a[0] += 20 * np.eye(4)  # the second one is indefinite
    factor, info = call("potrf", [a], [(a.shape, a.dtype), int32(2)], uplo=uplo)
    lower = uplo == "L"
    for i, (wanted, code) in enumerate(by_lapack("potrf", prefix, a, lower=lower, clean=False)):
        assert info[i] == code and (code > 0) == (i == 1)
        if code == 0:
            assert_close(factor[i], wanted)  # the other triangle as it was


@ELEMENTS
@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5)])
def test_getrf(prefix: str, shape: tuple[int, int]) -> None:
    a, k = random(prefix, 2, *shape), min(shape)
    a[1, 1] = a[1, 0]  # singular where square or tall
    results = [(a.shape, a.dtype), int32(2, k), int32(2)]
    lu, pivots, info = call("getrf", [a], results)
    for i, (wanted, swaps, code) in enumerate(by_lapack("getrf", prefix, a)):
        assert_close(lu[i], wanted)
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
    for i, (wanted, factors, *_) in enumerate(by_lapack("geqrf", prefix, a)):
        assert_close(qr[i], wanted)
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
    wanted, swaps, factors, *_ = by_lapack("geqp3", prefix, a)[1]
    assert_close(qr[1], wanted)
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
    for i, (wanted, factors, _) in enumerate(by_lapack("gehrd", prefix, a)):
        assert_close(form[i], wanted)
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


# --- singular values and eigenvalues --------------------------------------------------------------
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
@pytest.mark.parametrize("uplo", ["L", "U"])
@pytest.mark.parametrize("mode", ["V", "N"])
def test_syevd(prefix: str, uplo: str, mode: str) -> None:
    a = hermitian(prefix, 2, 5, 5)
    given = np.tril(a) if uplo == "L" else np.triu(a)  # only one triangle is read
    results = [(a.shape, a.dtype), ((2, 5), real(prefix)), int32(2)]
    vectors, values, info = call("syevd", [given], results, mode=mode, uplo=uplo)
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
def test_geev(prefix: str) -> None:
    a = random(prefix, 2, 6, 6)
    values, u, v, info = _geev(a, prefix, "V", "V")
    assert info.tolist() == [0, 0]
    if prefix in "sd":
        assert values.imag.any(), "there should be conjugate pairs"
    assert_close(a @ v, v * values[:, None])
    assert_close(adjoint(u) @ a, values[:, :, None] * adjoint(u))
    assert_close(np.sum(np.abs(v) ** 2, axis=1), np.ones((2, 6), real(prefix)))
    again, u, v, info = _geev(a, prefix, "N", "N")
    assert_close(again, values)
    assert not u.any() and not v.any()


@ELEMENTS
@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_geev_of_what_is_not_finite(prefix: str, wrong: float) -> None:
    a = random(prefix, 2, 6, 6)
    a[1, 2, 3] = wrong
    values, _, _, info = _geev(a, prefix, "N", "V")
    assert info.tolist() == [0, -4]
    assert values[0].all() and not values[1].any()


@ELEMENTS
@pytest.mark.parametrize("mode", ["V", "N"])
def test_gees(prefix: str, mode: str) -> None:
    a = random(prefix, 2, 5, 5)
    parts = 2 if prefix in "sd" else 1
    results = [(a.shape, a.dtype)] * 2 + [((2, 5), a.dtype)] * parts + [int32(2)] * 2
    form, vectors, *values, count, info = call("gees", [a], results, mode=mode, sort="N")
    assert info.tolist() == count.tolist() == [0, 0]
    assert not np.tril(form, -2).any()
    found = values[0] + 1j * values[1] if parts == 2 else values[0]
    for i in range(2):
        assert_close(np.sort_complex(found[i]), np.sort_complex(np.linalg.eigvals(a[i]) + 0j))
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
