"""What JAX exports as custom calls runs, and gives what JAX gives.

Results that are unique only up to signs or order are put together again first. That every target
that JAX has for CPUs is among them is a test of its own.
"""

import re

import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np
from jax import lax
from jax.experimental import sparse
from jaxlib import cpu_sparse, lapack

import shlo_tools
from shlo_tools.errors import UnsupportedError

jax.config.update("jax_enable_x64", True)
pytestmark = pytest.mark.peer

DTYPES = {"s": np.float32, "d": np.float64, "c": np.complex64, "z": np.complex128}
SIZE = 4


def general(dtype, *shape, seed=0):
    generator = np.random.default_rng(seed)
    values = generator.normal(size=shape)
    if np.issubdtype(dtype, np.complexfloating):
        values = values + 1j * generator.normal(size=shape)
    return values.astype(dtype)


def definite(dtype, *shape):
    a = general(dtype, *shape)
    return (a @ adjoint(a) + SIZE * np.eye(shape[-1])).astype(dtype)


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def again(vectors, values):
    """The matrix of which these are eigenvectors and eigenvalues."""
    return vectors @ (values[:, None] * jnp.conj(vectors.T))


def diagonals(dtype):
    return [general(dtype, SIZE, seed=n) + (4 if n == 1 else 0) for n in range(3)]


def square(dtype):
    return [general(dtype, SIZE, SIZE)]


def spd(dtype):
    return [definite(dtype, SIZE, SIZE)]


def tall(dtype):
    return [general(dtype, 2, 5, 3)]


def svd_again(a, **options):
    u, s, v = lax.linalg.svd(a, full_matrices=False, **options)
    return s, (u * s[..., None, :]) @ v


def schur_again(a):
    t, q = lax.linalg.schur(a)
    return q @ t @ jnp.conj(q.T)


def pivoted_again(a):
    q, r, p = jsl.qr(a, pivoting=True)
    return q @ r, p


# name -> (function, how its operands are made from a dtype)
LINEAR_ALGEBRA = {
    "cholesky": (jnp.linalg.cholesky, spd),
    "upper_cholesky": (lambda a: jnp.linalg.cholesky(a, upper=True), spd),
    "lu": (lax.linalg.lu, tall),
    "solve": (jnp.linalg.solve, lambda t: [*square(t), general(t, SIZE, 2)]),
    "triangular": (
        lambda a, b: lax.linalg.triangular_solve(a, b, transpose_a=True, conjugate_a=True),
        lambda t: [*spd(t), general(t, 2, SIZE)],
    ),
    "qr": (jnp.linalg.qr, tall),
    "complete_qr": (lambda a: jnp.linalg.qr(a, mode="complete"), tall),
    "pivoted_qr": (pivoted_again, lambda t: [general(t, 5, 3)]),
    "svd": (svd_again, tall),
    "svd_by_qr": (lambda a: svd_again(a, algorithm=lax.linalg.SvdAlgorithm.QR), tall),
    "eigh": (lambda a: (jnp.linalg.eigh(a)[0], again(*jnp.linalg.eigh(a)[::-1])), spd),
    "eigenvalues": (lambda a: jnp.sort(jnp.abs(jnp.linalg.eigvals(a))), square),
    "schur": (schur_again, square),
    "hessenberg": (lax.linalg.hessenberg, square),
    "tridiagonal": (lambda a: lax.linalg.tridiagonal(a)[:3], spd),
    "tridiagonal_solve": (
        lax.linalg.tridiagonal_solve,
        lambda t: [*diagonals(t), general(t, SIZE, 2)],
    ),
    "householder_product": (
        lax.linalg.householder_product,
        lambda t: [*square(t), general(t, SIZE - 1)],
    ),
    "qr_multiply": (
        lambda a, c: jsl.qr_multiply(a, c, mode="left")[0],
        lambda t: [*square(t), general(t, SIZE, SIZE)],
    ),
}


@pytest.mark.parametrize("prefix", DTYPES)
@pytest.mark.parametrize("name", LINEAR_ALGEBRA)
def test_linear_algebra(name, prefix):
    function, make = LINEAR_ALGEBRA[name]
    operands = make(DTYPES[prefix])
    expected = jax.tree.leaves(jax.jit(function)(*operands))
    got = shlo_tools.compile(lowered(function, operands))(*operands)
    got = got if isinstance(got, tuple) else (got,)
    eps = np.finfo(DTYPES[prefix]).eps
    for one, other in zip(got, expected, strict=True):
        limit = 200 * eps * max(1.0, float(np.max(np.abs(other))))
        np.testing.assert_allclose(one, other, rtol=0, atol=limit)


def lowered(function, operands):
    """As text: exporting refuses targets without guarantees, such as those of pivoted QR."""
    return jax.jit(function).lower(*operands).as_text()


def test_all_of_lapack_is_there():
    """Each target of JAX's LAPACK comes up above; a new one wants a row."""
    targets = set()
    for function, make in LINEAR_ALGEBRA.values():
        for dtype in DTYPES.values():
            text = lowered(function, make(dtype))
            targets.update(re.findall(r"custom_call @(\w+)", text))
    known = {name for name, *_ in lapack.registrations()["cpu"]}
    assert known - targets <= {"tridiagonal_solve_perturbed_ffi"}
    assert {name for name, *_ in cpu_sparse.registrations()["cpu"]} == {"cpu_csr_sparse_dense_ffi"}


X = np.random.default_rng(1).permutation(40).reshape(4, 10).astype(np.float32)
CSR = sparse.CSR.fromdense(np.diag([1.0, 2, 3]).astype(np.float32))

OTHERS = {
    "approx_max_k": (lambda x: lax.approx_max_k(x, 3), [X]),
    "approx_min_k": (lambda x: lax.approx_min_k(x, 3, reduction_dimension=0), [X]),
    "top_k": (lambda x: lax.top_k(x, 3), [X]),
    "lu_pivots": (
        lambda p: lax.linalg.lu_pivots_to_permutation(p, 5),
        [np.array([2, 3, 2, 4], np.int32)],
    ),
    "fft": (lambda x: jnp.fft.fft(x), [X]),
    "irfft": (lambda x: jnp.fft.irfft(x, 7), [X.astype(np.complex64)]),
    "on_the_host": (lambda x: jax.device_put(x, jax.memory.Space.Host) + 1, [X]),
    "sparse": (
        lambda d, i, p, x: sparse.CSR((d, i, p), shape=(3, 3)) @ x,
        [*map(np.asarray, (CSR.data, CSR.indices, CSR.indptr)), np.ones(3, np.float32)],
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_others(name):
    function, operands = OTHERS[name]
    expected = jax.tree.leaves(jax.jit(function)(*operands))
    got = shlo_tools.compile(lowered(function, operands))(*operands)
    got = got if isinstance(got, tuple) else (got,)
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


def test_functions_of_the_exporting_process_are_named():
    def calls_back(x):
        return jax.pure_callback(lambda y: y, jax.ShapeDtypeStruct((4, 10), np.float32), x)

    with pytest.raises(UnsupportedError, match="of the JAX process that exported it"):
        shlo_tools.compile(lowered(calls_back, [X]))(X)


def test_foreign_functions_are_named():
    def calls_out(x):
        return jax.ffi.ffi_call("my_function", jax.ShapeDtypeStruct(x.shape, x.dtype))(x)

    with pytest.raises(UnsupportedError, match="'my_function' is not registered"):
        shlo_tools.compile(lowered(calls_out, [X]))(X)
