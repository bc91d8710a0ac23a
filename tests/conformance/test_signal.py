"""``fft``: four kinds, one to three dimensions, lengths of every sort, against the definition.

The expected values are the sums of the definition, in double precision. Errors are bounded by
c eps log2(n) times the norm that a transform of n values keeps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from batch import check
from cases._case import Case, operation
from cases._tolerances import Within
from cases._types import dtype_of

from shlo_tools import ops
from shlo_tools.builder import Module
from shlo_tools.errors import ConstraintError

pytestmark = pytest.mark.usefixtures("unmapped_neighbours")

Array = np.ndarray[Any, Any]

LENGTHS = [1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 30, 31, 64, 97]
SHAPES = [((2, 6), 1), ((4, 5), 2), ((2, 3, 4, 5), 2), ((3, 4, 6), 3), ((2, 4, 1, 3), 3)]
EMPTY = [((0,), 1), ((3, 0), 1), ((0, 4), 1), ((2, 0, 4), 2), ((0, 3, 4), 2)]


def transformed(x: Array, axis: int, sign: int) -> Array:
    """The discrete Fourier transform of one dimension by its definition, not scaled."""
    size = x.shape[axis]
    steps = np.arange(size)
    angles = np.outer(steps, steps) % size / size if size else np.zeros((0, 0))
    matrix = np.exp(sign * 2j * np.pi * angles)
    return np.moveaxis(np.moveaxis(x, axis, -1) @ matrix.T, -1, axis)


def expected(kind: str, x: Array, lengths: Sequence[int]) -> Array:
    axes = range(x.ndim - len(lengths), x.ndim)
    values = x.astype(np.complex128)
    if kind == "IRFFT":
        values = completed(values, lengths)
    for axis in axes:
        values = transformed(values, axis, -1 if kind in ("FFT", "RFFT") else 1)
    if kind in ("IFFT", "IRFFT"):
        values = values / max(1, math.prod(lengths))
    if kind == "RFFT":
        values = values[..., : lengths[-1] // 2 + 1 if lengths[-1] else 0]
    return values.real if kind == "IRFFT" else values


def completed(half: Array, lengths: Sequence[int]) -> Array:
    """The whole transform of real values: y[-k] = conj(y[k]) in all transformed dimensions."""
    size = lengths[-1]
    whole = np.zeros((*half.shape[:-1], size), np.complex128)
    whole[..., : half.shape[-1]] = half
    others = range(half.ndim - len(lengths), half.ndim - 1)
    for k in range(half.shape[-1], size):
        mirrored = np.conj(half[..., size - k])
        for axis in others:
            mirrored = np.roll(np.flip(mirrored, axis), 1, axis)
        whole[..., k] = mirrored
    return whole


def close(count: int, eps: float, expected: Array) -> Within:
    size = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    return Within(4 * eps * (1 + math.log2(max(1, count))) * size * 4)


def case(kind: str, shape: Sequence[int], dims: int, element: str, seed: int = 0) -> Case:
    """A transform whose real values have ``shape``."""
    real, complex = dtype_of(element), dtype_of(f"complex<{element}>")
    generator = np.random.default_rng([seed, *shape])
    lengths = list(shape[len(shape) - dims :])
    x: Array = generator.normal(size=shape)
    if kind in ("FFT", "IFFT"):
        x = (x + 1j * generator.normal(size=shape)).astype(complex)
    elif kind == "RFFT":
        x = x.astype(real)
    else:  # half of a transform of real values: an arbitrary half is none
        x = expected("RFFT", x, lengths).astype(complex)
    target = expected(kind, x, lengths)
    attributes = f"fft_type = #stablehlo<fft_type {kind}>, fft_length = array<i64: "
    attributes += ", ".join(map(str, lengths)) + ">"
    result = f"tensor<{'x'.join([*map(str, target.shape), _result(kind, element)])}>"
    near = close(math.prod(shape), float(np.finfo(real).eps), target)
    return operation("fft", [x], target, attributes, tolerance=near, result=result)


def _result(kind: str, element: str) -> str:
    return element if kind == "IRFFT" else f"complex<{element}>"


@pytest.mark.parametrize("kind", ["FFT", "IFFT", "RFFT", "IRFFT"])
@pytest.mark.parametrize("element", ["f32", "f64"])
def test_fft(kind: str, element: str) -> None:
    cases = [case(kind, (length,), 1, element) for length in LENGTHS]
    cases += [case(kind, shape, dims, element) for shape, dims in (*SHAPES, *EMPTY)]
    check(cases)


def test_it_keeps_the_precision_of_its_operand() -> None:
    """f64 to 1e-13: not by way of f32; and f32 results are f32."""
    x = np.random.default_rng(1).normal(size=1000)
    attributes = "fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 1000>"
    target = expected("RFFT", x, [1000])
    near = close(1, 1e-15, target)
    result = "tensor<501xcomplex<f64>>"
    check([operation("fft", [x], target, attributes, tolerance=near, result=result)])


def _irfft(x: Array, length: int, expected: Array) -> Case:
    attributes = f"fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: {length}>"
    return operation("fft", [x], expected, attributes)


def test_irfft_ignores_imaginary_parts_that_real_values_do_not_have() -> None:
    """Those of the first number, and of the middle one of an even length."""
    x = np.array([4 + 9j, 0, 4 + 7j], np.complex64)
    check(
        [
            _irfft(x, 4, np.array([2, 0, 2, 0], np.float32)),
            _irfft(x[:1], 1, np.array([4], np.float32)),
            _irfft(np.array([2 + 1j, 4 + 5j], np.complex64), 2, np.array([3, -1], np.float32)),
        ]
    )


def test_the_example_of_the_specification() -> None:
    x = np.array([1, 0, 0, 0], np.complex64)
    attributes = "fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 4>"
    check([operation("fft", [x], np.ones(4, np.complex64), attributes)])


# --- as a builder ---------------------------------------------------------------------------------
def test_it_is_a_builder() -> None:
    module = Module()

    @module.func("2x7xf64")
    def main(x: Any) -> Any:
        return ops.fft(ops.fft(x, ops.FftType.RFFT, (7,)), "IRFFT", (7,))

    assert "type = RFFT, length = [7] : (tensor<2x7xf64>) -> tensor<2x4xcomplex<f64>>" in str(
        module
    )
    assert "type = IRFFT, length = [7] : (tensor<2x4xcomplex<f64>>) -> tensor<2x7xf64>" in str(
        module
    )


@pytest.mark.parametrize(
    ("label", "type", "kind", "lengths"),
    [
        ("C1", "4xcomplex<f32>", "FFT", (4, 4)),
        ("C2", "4xf32", "FFT", (4,)),
        ("C2", "4xcomplex<f32>", "RFFT", (4,)),
        ("C2", "4xf16", "RFFT", (4,)),
        ("C2", "3xf32", "IRFFT", (4,)),
        ("C3", "4xcomplex<f32>", "FFT", ()),
        ("C3", "2x2x2x2xcomplex<f32>", "FFT", (2, 2, 2, 2)),
        ("C4", "5xf32", "RFFT", (4,)),
        ("C4", "3x4xf32", "RFFT", (2, 4)),
        ("C5", "4xcomplex<f32>", "IRFFT", (4,)),
        ("C5", "3x3xcomplex<f32>", "IRFFT", (2, 4)),
    ],
)
def test_constraints(label: str, type: str, kind: str, lengths: tuple[int, ...]) -> None:
    with pytest.raises(ConstraintError, match=rf"\({label}\)"):
        Module().func(type, name="main")(lambda x: ops.fft(x, kind, lengths))
