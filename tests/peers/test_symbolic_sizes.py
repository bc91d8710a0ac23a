"""Programs of symbolic sizes as JAX exports them, and what JAX computes for the sizes of a call."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp
import numpy as np
from jax import export, lax

import shlo_tools

pytestmark = pytest.mark.peer

F32, I32 = np.dtype(np.float32), np.dtype(np.int32)


@dataclass(frozen=True)
class Program:
    """A function, its arguments' shapes in symbols, and values of the symbols to call it with."""

    function: Callable[..., Any]
    shapes: Sequence[str]
    sizes: Sequence[dict[str, int]]
    dtypes: Sequence[np.dtype] = ()
    constraints: Sequence[str] = ()

    def exported(self) -> Any:
        scope = export.SymbolicScope(self.constraints)
        return export.export(jax.jit(self.function))(
            *(
                jax.ShapeDtypeStruct(export.symbolic_shape(shape, scope=scope), dtype)
                for shape, dtype in self.typed()
            )
        )

    def typed(self) -> list[tuple[str, np.dtype]]:
        return list(zip(self.shapes, self.dtypes or [F32] * len(self.shapes), strict=True))

    def arguments(self, sizes: dict[str, int]) -> list[np.ndarray]:
        rng = np.random.default_rng(0)
        shapes = [
            (tuple(eval(dim, {}, sizes) for dim in shape.split(",")), dtype)
            for shape, dtype in self.typed()
        ]
        return [
            (3 * rng.standard_normal(shape)).astype(dtype)
            if dtype.kind != "i"
            else rng.integers(0, 4, shape, dtype)
            for shape, dtype in shapes
        ]


def layer_norm(x):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / jnp.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5)


def attention(q, k, v):
    scores = jnp.einsum("bhtd,bhsd->bhts", q, k) / 8**0.5
    causal = jnp.arange(q.shape[2])[:, None] >= jnp.arange(k.shape[2])[None]
    weights = jax.nn.softmax(jnp.where(causal, scores, -1e9))
    return jnp.einsum("bhts,bhsd->bhtd", weights, v)


def image_features(x):
    kernel = jnp.ones((3, 3, 3, 4), F32) * 0.1
    layout = ("NHWC", "HWIO", "NHWC")
    plain = lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=layout)
    strided = lax.conv_general_dilated(x, kernel, (2, 2), "SAME", dimension_numbers=layout)
    pooled = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return jax.nn.relu(plain).mean((1, 2)), strided, pooled


def pool_gradients(x):
    def total(kind, start):
        window = (1, 2, 1)
        return lambda x: (lax.reduce_window(x, start, kind, window, window, "VALID") ** 2).sum()

    return jax.grad(total(lax.add, 0.0))(x), jax.grad(total(lax.max, -jnp.inf))(x)


def recurrence(x):
    def step(state, x):
        state = jnp.tanh(state + x)
        return state, state * 2

    return lax.scan(step, jnp.zeros_like(x[0]), x)


def loop(x):
    return lax.while_loop(lambda c: c[0] < 2 * x.shape[0], lambda c: (c[0] + 1, c[1] * 1.1), (0, x))


def weight_gradient(x):
    return jax.grad(lambda w: (jnp.tanh(x @ w) ** 2).mean())(jnp.ones((6, 4), F32) * 0.1)


def cross_entropy(x, label):
    return -jnp.take_along_axis(jax.nn.log_softmax(x), label[:, None], 1).mean()


def random_numbers(x):
    key = jax.random.key(1)
    kept = jnp.where(jax.random.bernoulli(key, 0.5, x.shape), x, 0)
    return jax.random.uniform(key, x.shape), jax.random.normal(key, (3,)), kept


def statistics(x):
    return x.var(0), x.std(1), jnp.median(x, axis=1), jnp.argmax(x, 1), x.max(), (x > 0).any(1)


def slices(x):
    window = lax.dynamic_slice(x, (0, 1), (x.shape[0], 3))
    return window, x[:, : x.shape[1] // 2], x[::2], x[:, ::-1]


ROWS = [{"b": 3, "n": 6}, {"b": 1, "n": 1}, {"b": 8, "n": 33}]
PROGRAMS = {
    "softmax": Program(jax.nn.softmax, ["b, n"], ROWS),
    "layer_norm": Program(layer_norm, ["b, n, 16"], ROWS),
    "sort": Program(lambda x: (jnp.sort(x, axis=1), jnp.argsort(x, axis=0)), ["b, n"], ROWS),
    "top_k": Program(lambda x: lax.top_k(x, 4), ["b, 9"], ROWS),
    "scans": Program(
        lambda x: (jnp.cumsum(x, 1), jnp.cumprod(x, 0), lax.cummax(x, axis=1)),
        ["b, n"],
        [{"b": 3, "n": 7}, {"b": 1, "n": 1}],
    ),
    "take": Program(
        lambda table, index: (table[index], table.at[index].add(1.0)),
        ["v, d", "b"],
        [{"v": 5, "d": 3, "b": 4}, {"v": 4, "d": 1, "b": 1}],
        [F32, I32],
    ),
    "reshape": Program(
        lambda x: (x.reshape(x.shape[0], 4, -1).sum(1), x.reshape(-1)), ["b, 4*n"], ROWS
    ),
    "concatenate": Program(
        lambda x, y: (jnp.concatenate([x, y], 1), jnp.stack([x[:, 0], y[:, 0]])),
        ["b, n", "b, m"],
        [{"b": 3, "n": 2, "m": 4}],
    ),
    "pad": Program(
        lambda x: (jnp.pad(x, ((1, 2), (0, 3))), jnp.pad(x, 1, mode="edge")), ["b, n"], ROWS
    ),
    "copies": Program(
        lambda x: (jnp.roll(x, 2, axis=1), jnp.tile(x, (2, 1)), jnp.repeat(x, 3, axis=1)),
        ["b, n"],
        ROWS,
    ),
    "slices": Program(slices, ["b, n"], [{"b": 3, "n": 6}], constraints=["n >= 4"]),
    "image": Program(
        image_features, ["b, h, 2*w, 3"], [{"b": 2, "h": 8, "w": 3}, {"b": 1, "h": 3, "w": 2}]
    ),
    "pool_gradients": Program(pool_gradients, ["b, 2*n, 4"], ROWS),
    "attention": Program(
        attention,
        ["b, h, t, 8", "b, h, s, 8", "b, h, s, 8"],
        [{"b": 2, "h": 2, "t": 3, "s": 5}, {"b": 1, "h": 1, "t": 1, "s": 1}],
    ),
    "products": Program(
        lambda x, y: (x @ y, jax.vmap(jnp.outer)(x, y.T)),
        ["b, n", "n, b"],
        ROWS,
    ),
    "bf16": Program(lambda x, y: x @ y, ["b, n", "n, b"], ROWS, [np.dtype(jnp.bfloat16)] * 2),
    "weight_gradient": Program(weight_gradient, ["b, 6"], ROWS),
    "cross_entropy": Program(cross_entropy, ["b, n+4", "b"], ROWS, [F32, I32]),
    "recurrence": Program(recurrence, ["n, b, 4"], ROWS),
    "loop": Program(loop, ["b"], ROWS),
    "branch": Program(
        lambda x: lax.cond(x.sum() > 0, lambda x: x * 2, jnp.negative, x), ["b"], ROWS
    ),
    "one_hot": Program(
        lambda i: (jax.nn.one_hot(i, 4), jnp.arange(i.shape[0]), jnp.eye(i.shape[0])),
        ["b"],
        ROWS,
        [I32],
    ),
    "diagonal": Program(lambda x: (jnp.diagonal(x), jnp.triu(x), jnp.trace(x)), ["n, n"], ROWS),
    "statistics": Program(statistics, ["b, n"], ROWS),
    "cholesky": Program(
        lambda x: jnp.linalg.cholesky(x @ x.transpose(0, 2, 1) + 9 * jnp.eye(3)), ["b, 3, 3"], ROWS
    ),
    "fft": Program(
        lambda x: (jnp.abs(jnp.fft.fft(x)), jnp.fft.irfft(jnp.fft.rfft(x))), ["b, 8"], ROWS
    ),
    "random": Program(random_numbers, ["b, n"], ROWS),
    "resize": Program(
        lambda x: jax.image.resize(x, (x.shape[0], 8, 8, 2), "bilinear"), ["b, 4, 4, 2"], ROWS
    ),
    "even": Program(
        lambda x: x.reshape(x.shape[0] // 2, 2, x.shape[1]).sum(1),
        ["b, n"],
        [{"b": 6, "n": 4}],
        constraints=["mod(b, 2) == 0"],
    ),
}


@pytest.mark.parametrize("options", [{}, {"specialize": True}, {"backend": "reference"}])
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_equal_those_of_jax(name: str, options: dict[str, Any]) -> None:
    program = PROGRAMS[name]
    executable = shlo_tools.compile(program.exported(), **options)
    for sizes in program.sizes:
        arguments = program.arguments(sizes)
        target = jax.tree.leaves(jax.jit(program.function)(*arguments))
        results = executable(*arguments)
        results = results if isinstance(results, tuple) else (results,)
        for got, expected in zip(results, map(np.asarray, target), strict=True):
            assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
            if expected.dtype.kind in "biu":
                np.testing.assert_array_equal(got, expected)
            else:
                bound = 2e-2 if expected.dtype.itemsize == 2 else 2e-5
                wide = np.complex128 if expected.dtype.kind == "c" else np.float64
                np.testing.assert_allclose(got.astype(wide), expected.astype(wide), bound, bound)
