"""Operators on tensors build what numpy computes, and refuse what would be something else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import shlo_tools
from shlo_tools import dtypes, ops
from shlo_tools.builder import Module
from shlo_tools.errors import ShloError
from shlo_tools.ops import Tensor

Array = np.ndarray[Any, Any]


def built(function: Callable[..., Any], *arguments: Array) -> Any:
    """What a function of tensors gives for arrays."""
    module = Module()
    types = [dtypes.of_array(array) for array in arguments]
    module.func(*types, name="main")(function)
    return shlo_tools.compile(module)(*arguments)


def refused(function: Callable[..., Any], *types: str) -> str:
    """Why a function of tensors cannot be built."""
    with pytest.raises(ShloError) as caught:
        Module().func(*types, name="main")(function)
    return str(caught.value)


# --- values ---------------------------------------------------------------------------------------
INTEGERS = np.array([5, -3, 2, 7], np.int32)
COMPARISONS: list[Callable[..., Any]] = [
    lambda a, b: a == b,
    lambda a, b: a != b,
    lambda a, b: a < b,
    lambda a, b: a <= b,
    lambda a, b: a > b,
    lambda a, b: a >= b,
]
BITWISE: list[Callable[..., Any]] = [
    lambda a, b: a & b,
    lambda a, b: a | b,
    lambda a, b: a ^ b,
    lambda a, b: a << (b & 3),
    lambda a, b: a >> (b & 3),
]


@pytest.mark.parametrize("operate", [*COMPARISONS, *BITWISE])
@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.int64])
def test_two_tensors_and_numbers_on_either_side(operate: Callable[..., Any], dtype: Any) -> None:
    a, b = INTEGERS.astype(dtype), np.array([5, 2, 3, 1], dtype)
    got = built(
        lambda x, y: (operate(x, y), operate(x, 2), operate(2, x), operate(x, dtype(3))), a, b
    )
    for result, want in zip(
        got,
        (operate(a, b), operate(a, dtype(2)), operate(dtype(2), a), operate(a, dtype(3))),
        strict=True,
    ):
        np.testing.assert_array_equal(result, want)


def test_of_one_tensor() -> None:
    got = built(lambda a: (abs(a), ~a, -a), INTEGERS)
    for result, want in zip(got, (abs(INTEGERS), ~INTEGERS, -INTEGERS), strict=True):
        np.testing.assert_array_equal(result, want)
    mask = np.array([True, False])
    np.testing.assert_array_equal(built(lambda m: ~m, mask), ~mask)


def test_powers_and_remainders() -> None:
    """A remainder has the sign of the dividend, as the op of that name."""
    got = built(lambda a: (a**2, 2 ** abs(a), a % 3, 7 % abs(a)), INTEGERS)
    expected = (INTEGERS**2, 2 ** abs(INTEGERS), np.fmod(INTEGERS, 3), np.fmod(7, abs(INTEGERS)))
    for result, want in zip(got, expected, strict=True):
        np.testing.assert_array_equal(result, want)


def test_nan_compares_as_in_python() -> None:
    x = np.array([1, np.nan, 2], np.float32)
    got = built(lambda a: (a == a, a != a, a < 2, a >= 2), x)  # noqa: PLR0124
    for result, want in zip(got, (x == x, x != x, x < 2, x >= 2), strict=True):  # noqa: PLR0124
        np.testing.assert_array_equal(result, want)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((3,), (3,)),
        ((3,), (3, 4)),
        ((2, 3), (3,)),
        ((2, 3), (3, 4)),
        ((5, 2, 3), (3, 4)),
        ((5, 2, 3), (5, 3, 4)),
        ((2, 3), (5, 3, 4)),
        ((3,), (5, 3, 4)),
        ((5, 2, 3), (3,)),
        ((1, 6, 2, 3), (5, 1, 3, 4)),
    ],
)
def test_matrix_products(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    numbers = np.random.default_rng(0)
    lhs, rhs = (numbers.integers(-8, 8, shape).astype(np.float32) for shape in (a, b))
    np.testing.assert_array_equal(built(lambda x, y: x @ y, lhs, rhs), lhs @ rhs)
    np.testing.assert_array_equal(built(lambda y: lhs @ y, rhs), lhs @ rhs)


CUBE = np.arange(60, dtype=np.int32).reshape(3, 4, 5)


@pytest.mark.parametrize(
    "index",
    [
        np.s_[0],
        np.s_[-1],
        np.s_[1:],
        np.s_[::-1],
        np.s_[..., 2],
        np.s_[:, None, 1],
        np.s_[::2, ::-2, 4:0:-3],
        np.s_[5:, 0],
        np.s_[:, -3:-1],
        np.s_[None, ..., None],
        np.s_[2:0],
        np.s_[1, 2, 3],
        np.s_[-100:100:-1],
        np.s_[np.int64(1)],
        np.s_[()],
        np.s_[...],
        np.s_[2::-5],
        np.s_[0:0:-1],
        np.s_[: 2**70],
    ],
    ids=str,
)
def test_indices_are_numpys(index: Any) -> None:
    got, want = built(lambda x: x[index], CUBE), CUBE[index]
    assert got.shape == want.shape
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("backend", ["native", "reference"])
@pytest.mark.parametrize(
    "index",
    [np.s_[:, 0], np.s_[0:, 1:, ::-2], np.s_[..., None, 1], np.s_[:], np.s_[None, :, 2:2, 1]],
    ids=str,
)
def test_a_dimension_of_unknown_size_is_taken_whole(index: Any, backend: str) -> None:
    module = Module()
    module.func("?x4x5xi32", name="main")(lambda x: x[index])
    executable = shlo_tools.compile(module, backend=backend)
    for rows in (3, 1, 0):
        cube = CUBE[:rows]
        np.testing.assert_array_equal(executable(cube), cube[index], strict=True)


def test_numbers_beside_tensors_of_unknown_sizes() -> None:
    module = Module()
    module.func("?x3xf32", name="main")(lambda x: (x * 2 + 1, x > 0))
    x = np.array([[1, -2, 3]], np.float32)
    scaled, positive = shlo_tools.compile(module)(x)
    np.testing.assert_array_equal(scaled, x * 2 + 1)
    np.testing.assert_array_equal(positive, x > 0)


def test_a_number_is_a_scalar_constant() -> None:
    module = Module()
    module.func("1000x1000xf32", name="main")(lambda x: ops.maximum(x, 0))
    text = str(module)
    assert "stablehlo.constant dense<0.000000e+00> : tensor<f32>" in text
    assert "stablehlo.broadcast_in_dim" in text


# --- what is refused ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("function", "type", "reason"),
    [
        (lambda x: x + 1.5, "4xi32", "1.5 is no i32"),
        (lambda x: x / 2.0, "4xi32", "2.0 is no i32"),
        (lambda x: x + float("nan"), "4xi32", "nan is no i32"),
        (lambda x: x + 1j, "4xf32", "1j is no f32"),
        (lambda x: x + 300, "4xui8", "300 is no ui8: that holds 0 to 255"),
        (lambda x: x - -1, "4xui8", "-1 is no ui8"),
        (lambda x: x & 8, "4xi4", "8 is no i4"),
        (lambda x: x | 2, "4xi1", "2 is no i1"),
        (lambda x: x + 10**400, "4xf64", "integer of 1329 bits is no f64"),
        (lambda x: x * 1e40, "4xf32", "would become inf"),
        (lambda x: x * 1e-50, "4xf32", "would become 0.0"),
        (lambda x: x + 500.0, "4xf8E4M3FN", "would become nan"),
        (lambda x: x + 0.0, "4xf8E8M0FNU", "would become nan"),
        (lambda x: x * complex(1, 1e40), "4xcomplex<f32>", "would become inf"),
        (lambda x: ops.add(x, 1.5), "4xi32", "stablehlo.add: 1.5 is no i32"),
        (lambda x: ops.select(x, 1 << 70, 2), "i1", "no i1"),
    ],
)
def test_lossy_numbers(function: Any, type: str, reason: str) -> None:
    assert reason in refused(function, type)


@pytest.mark.parametrize(
    ("type", "number"),
    [("f32", 0.1), ("f16", 2049), ("f32", float("inf")), ("bf16", float("nan")), ("f32", -0.0)],
)
def test_floats_are_rounded(type: str, number: float) -> None:
    dtype = dtypes.element_type(type).dtype
    got = built(lambda x: x * number, np.ones(3, dtype))
    np.testing.assert_array_equal(got.tobytes(), np.full(3, number).astype(dtype).tobytes())


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda x: x if x == 1 else -x, "no truth value"),
        (lambda x: x[0] and x[1], "use `&`"),
        (lambda x: max(x, x), "no truth value"),
        (lambda x: x in [x + 1], "no truth value"),
        (lambda x: x + None, "rhs is None"),
        (lambda x: x == None, "rhs is None"),  # noqa: E711
        (lambda x: x + "1", "'1' is no tensor"),
        (lambda x: x[4], "index 4 is outside dimension 0"),
        (lambda x: x[-5], "index -5 is outside"),
        (lambda x: x[0, 0], "2 indices for tensor<4xf32>"),
        (lambda x: x[True], "True is no index"),
        (lambda x: x[[0, 1]], "ops.gather"),
        (lambda x: x[x], "ops.gather"),
        (lambda x: x[1.5:], "slice"),
        (lambda x: x[::0], "step cannot be zero"),
        (lambda x: x[..., ...], "one ..."),
        (lambda x: x @ 2, "rank 1 or more"),
        (lambda x: x[None] @ x[None], "differ"),
        (lambda x: ops.constant(None), "value is None"),
        (lambda x: ops.iota(2**70, "4xf32"), "71 bits"),
        (lambda x: ops.iota(0, f"{2**70}xf32"), "beyond 2^63"),
        (lambda x: ops.pad(x, 0, [2**70], [0], [0]), "71 bits"),
        (lambda x: ops.pad(x, 0, [2**62], [2**62], [0]), "beyond 2^63"),
        (lambda x: ops.reduce_precision(x, 2**40, 3), "41 bits are more than the 32"),
        (lambda x: ops.transpose(x, None), "permutation is None"),
    ],
)
def test_mistakes(function: Any, reason: str) -> None:
    assert reason in refused(function, "4xf32")


def test_unknown_sizes_have_no_indices() -> None:
    assert "no known size" in refused(lambda x: x[0], "?xf32")


def test_tensors_are_not_iterated() -> None:
    """``for row in x`` would build an op for every row without saying so."""
    with pytest.raises(TypeError, match="not iterable"):
        Module().func("4xf32", name="main")(lambda x: list(x))


def test_tensors_are_keys() -> None:
    """By identity, since equality is computed when the program runs."""
    names: dict[Tensor, str] = {}

    def main(a: Tensor, b: Tensor) -> Tensor:
        names[a], names[b] = "a", "b"
        assert (names[a], names[b], a in names) == ("a", "b", True)
        return a

    Module().func("f32", "f32")(main)
    assert len(names) == 2


def test_decisions_of_the_program() -> None:
    """``==`` decides when the program runs, not when it is built."""
    module = Module()

    @module.func("i32", "i32")
    def main(a: Tensor, b: Tensor) -> Any:
        return ops.if_(a == b, lambda: a, lambda: -a)[0]

    run = shlo_tools.compile(module)
    assert (run(np.int32(5), np.int32(5)), run(np.int32(5), np.int32(4))) == (5, -5)
