"""JAX's own objects are compiled; JAX stays in this process, MLIR in a child."""

import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp
import numpy as np
from jax import export

import shlo_tools

pytestmark = pytest.mark.peer


def layer(x, y):
    return jnp.tanh(x @ y).sum(0)


X = np.linspace(-1, 1, 32, dtype=np.float32).reshape(4, 8)
Y = np.linspace(-2, 1, 24, dtype=np.float32).reshape(8, 3)


def test_lowered_and_exported_programs_equal_jax():
    expected = np.asarray(jax.jit(layer)(X, Y))
    for program in (jax.jit(layer).lower(X, Y), export.export(jax.jit(layer))(X, Y)):
        np.testing.assert_allclose(shlo_tools.compile(program)(X, Y), expected, rtol=1e-5)


def test_arrays_of_jax_are_arguments():
    executable = shlo_tools.compile(jax.jit(layer).lower(X, Y))
    np.testing.assert_array_equal(executable(jnp.asarray(X), Y), executable(X, Y))


def test_errors_come_back_as_they_were():
    executable = shlo_tools.compile(jax.jit(layer).lower(X, Y))
    with pytest.raises(shlo_tools.errors.ArgumentError, match="takes 2 arguments, 1 given"):
        executable(X)
    with pytest.raises(shlo_tools.errors.ParseError):
        shlo_tools.compile("func.func @main( {")


def test_loading_mlir_beside_jax_is_refused_with_a_reason():
    with pytest.raises(shlo_tools.errors.ProviderError, match="two of them crash"):
        shlo_tools.load("module {}")
