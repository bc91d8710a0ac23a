"""Batch normalization against the spec's decompositions, written in numpy with f64."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from batch import check
from cases._case import Array, Case, snippet, type_of
from cases._tolerances import Within
from cases._types import dtype_of, finfo
from expected import FLOATS

import shlo_tools
from shlo_tools import dtypes, mlir, ops
from shlo_tools.builder import Module
from shlo_tools.errors import ConstraintError


# --- the decompositions ---------------------------------------------------------------------------
def spread(vector: Array, rank: int, axis: int) -> Array:
    """broadcast_in_dim(vector, [axis], ...)."""
    return vector.reshape([-1 if d == axis else 1 for d in range(rank)])


def axes(operand: Array, axis: int) -> tuple[int, ...]:
    return tuple(d for d in range(operand.ndim) if d != axis)


def inference(
    operand: Array,
    scale: Array,
    offset: Array,
    mean: Array,
    variance: Array,
    epsilon: float,
    axis: int,
) -> list[Array]:
    s, o, m, v = (spread(x, operand.ndim, axis) for x in (scale, offset, mean, variance))
    return [s * ((operand - m) / np.sqrt(v + epsilon)) + o]


def training(operand: Array, scale: Array, offset: Array, epsilon: float, axis: int) -> list[Array]:
    mean = operand.mean(axes(operand, axis))
    centered = operand - spread(mean, operand.ndim, axis)
    variance = (centered * centered).mean(axes(operand, axis))
    output = inference(operand, scale, offset, mean, variance, epsilon, axis)
    return [*output, mean, variance]


def grad(
    operand: Array,
    scale: Array,
    mean: Array,
    variance: Array,
    grad_output: Array,
    epsilon: float,
    axis: int,
) -> list[Array]:
    s, m, v = (spread(x, operand.ndim, axis) for x in (scale, mean, variance))
    centered = operand - m
    stddev = np.sqrt(v + epsilon)
    count = operand.size / operand.shape[axis]
    summed = axes(operand, axis)
    i2 = grad_output.sum(summed, keepdims=True)
    i3 = (grad_output * centered).sum(summed, keepdims=True)
    i6 = grad_output * count - i2 - i3 * centered / (v + epsilon)
    grad_operand = s / stddev / count * i6
    return [grad_operand, (grad_output * centered / stddev).sum(summed), grad_output.sum(summed)]


# --- cases ----------------------------------------------------------------------------------------
def near(scale: float, result: np.dtype[Any]) -> Within:
    """Some roundings of numbers of magnitude ``scale``, and one of the result's type."""
    eps = float(finfo(result).eps)
    wide = min(eps, float(np.finfo(np.float32).eps))
    return Within(64 * wide * scale, eps + 64 * wide)


def operation(
    name: str,
    function: Any,
    arrays: Sequence[Array],
    axis: int,
    epsilon: float = 1e-3,
    scale: float = 8.0,
) -> Case:
    element = dtypes.from_dtype(arrays[0].dtype).name
    wide = [array.astype(np.float64) for array in arrays]
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = function(*wide, float(np.float32(epsilon)), axis)
    results = [f"tensor<{''.join(f'{n}x' for n in x.shape)}{element}>" for x in expected]
    outputs = ", ".join(f"%out{i}" for i in range(len(results)))
    inputs = ", ".join(f"%in{i}" for i in range(len(arrays)))
    attributes = f"epsilon = {epsilon} : f32, feature_index = {axis} : i64"
    text = f'{outputs} = "stablehlo.{name}"({inputs}) <{{{attributes}}}> : '
    text += f"({', '.join(type_of(x) for x in arrays)}) -> ({', '.join(results)})"
    return snippet(
        f"{name} {results[0]} {axis}", text, arrays, expected, near(scale, arrays[0].dtype), results
    )


def cases(random: Any, shape: list[int], axis: int, element: str) -> list[Case]:
    dtype, count = dtype_of(element), shape[axis]

    def tensor(spread: float = 2.0, shift: float = 0.5) -> Array:
        return (random.normal(size=shape) * spread + shift).astype(dtype)

    def vector(low: float = -2.0, high: float = 2.0) -> Array:
        return random.uniform(low, high, count).astype(dtype)

    inputs = [tensor(), vector(), vector(), vector(), vector(0.5, 3.0)]
    backward = [tensor(), vector(), vector(), vector(0.5, 3.0), tensor(1.0, 0.0)]
    size = float(np.prod(shape))
    return [
        operation("batch_norm_inference", inference, inputs, axis),
        operation("batch_norm_training", training, inputs[:3], axis),
        operation("batch_norm_grad", grad, backward, axis, scale=16 * size**0.5),
    ]


@pytest.mark.parametrize("axis", [0, 1, 2, 3])
def test_dimensions(axis: int) -> None:
    random = np.random.default_rng(axis)
    check(cases(random, [3, 5, 4, 7], axis, "f32"))


@pytest.mark.parametrize("element", FLOATS)
def test_types(element: str) -> None:
    random = np.random.default_rng(9)
    check([*cases(random, [4, 6, 5], 2, element), *cases(random, [17], 0, element)])


def test_sums_of_16_bit_floats_are_kept_in_f32() -> None:
    """The mean of 4096 ones, and of numbers whose squares exceed f16."""
    x = np.ones((4096, 2), dtype_of("bf16"))
    y = np.full((64, 2), 300, np.float16)
    y[::2] = -300
    one, zero = np.ones(2), np.zeros(2)
    arrays = [[a, one.astype(a.dtype), zero.astype(a.dtype)] for a in (x, y)]
    ones, large = (operation("batch_norm_training", training, inputs, 1) for inputs in arrays)
    assert large.expected is not None
    infinite = (*large.expected[:2], np.full(2, np.inf))  # 90000 is no f16
    check([ones, replace(large, expected=infinite)])


def test_epsilon_is_an_f32() -> None:
    """In f64 the f32 nearest to 1e-3 is added, not 1e-3."""
    x, one, zero = np.array([[1.0], [3.0]]), np.ones(1), np.zeros(1)
    result = operation("batch_norm_inference", inference, [x, one, zero, zero, zero], 1, scale=0.0)
    exact = inference(x, one, zero, zero, zero, 1e-3, 1)[0]
    assert result.expected is not None and np.all(np.abs(result.expected[0] - exact) > 1e-9)
    check([replace(result, tolerance=Within(relative=1e-15))])


def test_nothing_to_average() -> None:
    """Means over no elements are 0 / 0."""
    x, one = np.zeros((0, 3), np.float32), np.ones(3, np.float32)
    result = operation(
        "batch_norm_training", lambda *a: [x, one * np.nan, one * np.nan], [x, one, one], 1
    )
    empty = np.zeros((3, 0), np.float32)
    none = np.zeros(0, np.float32)
    check([result, operation("batch_norm_training", training, [empty, none, none], 1)])


def test_constant_features() -> None:
    """Without epsilon a variance of 0 divides by 0: NaN where the element is the mean."""
    x = np.array([[1.0, 2.0], [1.0, 4.0]], np.float32)
    one, zero = np.ones(2, np.float32), np.zeros(2, np.float32)
    check([operation("batch_norm_training", training, [x, one, zero], 1, epsilon=0.0)])


# --- the op functions -----------------------------------------------------------------------------
def test_builders() -> None:
    module = Module()

    @module.func("4x3xf32", "3xf32")
    def main(x: ops.Tensor, v: ops.Tensor) -> Any:
        output, mean, variance = ops.batch_norm_training(x, v, v, 0.5, 1)
        gradients = ops.batch_norm_grad(x, v, mean, variance, output, 0.5, 1)
        return output, *gradients, ops.batch_norm_inference(x, v, v, mean, variance, 0.5, 1)

    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    v = np.array([1, 2, 3], np.float32)
    output, _, _, grad_offset, again = shlo_tools.compile(module)(x, v)
    np.testing.assert_allclose(output, training(x.astype(float), v, v, 0.5, 1)[0], rtol=1e-6)
    np.testing.assert_allclose(grad_offset, output.sum(0), rtol=1e-6)
    np.testing.assert_array_equal(output, again)
    with mlir.library_context():
        for op in mlir.walk(module.module.operation):
            if op.name.startswith("stablehlo.batch_norm"):
                ops.verify(op)


@pytest.mark.parametrize(
    ("label", "types", "axis"),
    [
        ("C1", ("4x3xf32", "3xf32"), 2),
        ("C2", ("4x3xf32", "3xf64"), 1),
        ("C3", ("4x3xf32", "4xf32"), 1),
        ("I1", ("4x3xi32", "3xi32"), 1),
    ],
)
def test_constraints(label: str, types: tuple[str, str], axis: int) -> None:
    with pytest.raises(ConstraintError, match=rf"\({label}\)"):

        @Module().func(*types)
        def main(x: ops.Tensor, v: ops.Tensor) -> Any:
            return ops.batch_norm_training(x, v, v, 0.0, axis)
