"""cholesky and triangular_solve: both triangles, batches, the unused triangle full of NaNs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from cases._case import Array, Case, Row, call, given
from cases._inputs import moderate, random
from cases._tolerances import Steps, Sums, Tolerance
from cases._types import (
    COMPLEX,
    FLOAT,
    FLOAT_OR_COMPLEX,
    QUANTIZED,
    dtype_of,
    is_complex,
    is_quantized,
)

SHAPES = ((3, 3), (1, 1), (0, 0), (2, 4, 4), (0, 3, 3), (33, 33), (2, 1, 2, 5, 5))


REFUSED = "the official verifier refuses quantized operands, which the specification allows"


def _near(element: str, size: int) -> Tolerance:
    """The matrices are well conditioned: errors grow with the size at most."""
    return Steps(1) if is_quantized(element) else Sums(8 * size, overall=True)


def _positive_definite(element: str, shape: Sequence[int]) -> Array:
    """2 I + a small Hermitian matrix, of numbers that narrow types hold."""
    size, generator = shape[-1], random(element, 5)
    if is_quantized(element):
        dtype = np.broadcast_to(np.eye(size, dtype=np.int8) * 32, tuple(shape))
        return np.ascontiguousarray(dtype - np.int8(3))
    off = generator.normal(size=tuple(shape)) / (4 * max(size, 1))
    if is_complex(element):
        off = off + 1j * generator.normal(size=tuple(shape)) / (4 * max(size, 1))
    off = off + np.conj(np.swapaxes(off, -1, -2))
    return np.asarray(off + 2 * np.eye(size)).astype(dtype_of(element))


def _one_triangle(a: Array, lower: bool) -> Array:
    """NaN in the strict triangle that must not be read."""
    size = a.shape[-1]
    unused = np.triu(np.ones((size, size), np.bool_), 1)
    unused = unused if lower else unused.T
    return np.where(unused, np.array(np.nan).astype(a.dtype), a).astype(a.dtype)


def _cholesky(element: str) -> Iterator[Case]:
    for shape in SHAPES:
        for lower in (True, False):
            a = _positive_definite(element, shape)
            if element in ("f32", "f64", *COMPLEX):
                a = _one_triangle(a, lower)
            operand = given(element, a)
            attributes = f"lower = {str(lower).lower()}"
            yield call(
                "stablehlo.cholesky",
                [operand],
                [operand.type],
                attributes,
                tolerance=_near(element, shape[-1]),
            )


def _triangular_solve(element: str) -> Iterator[Case]:
    for shape in SHAPES:
        for left in (True, False):
            for transpose in ("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"):
                for lower, unit in ((True, False), (False, True)):
                    if shape != SHAPES[0] and transpose != "ADJOINT" and left:
                        continue
                    case = _solve(element, shape, left, transpose, lower, unit)
                    yield replace(case, undefined=REFUSED) if is_quantized(element) else case


def _solve(
    element: str, shape: tuple[int, ...], left: bool, transpose: str, lower: bool, unit: bool
) -> Case:
    size, width = shape[-1], 3
    a = _positive_definite(element, shape)
    if element in ("f32", "f64"):
        a = _one_triangle(a, lower)
    sides = (size, width) if left else (width, size)
    b = moderate(element, (*shape[:-2], *sides), 4)
    inputs = [given(element, a), given(element, b)]
    attributes = f"left_side = {str(left).lower()}, lower = {str(lower).lower()}, "
    attributes += (
        f"unit_diagonal = {str(unit).lower()}, transpose_a = #stablehlo<transpose {transpose}>"
    )
    near = _near(element, size)
    return call("stablehlo.triangular_solve", inputs, [inputs[1].type], attributes, tolerance=near)


ROWS = (
    Row("stablehlo.cholesky", FLOAT_OR_COMPLEX + QUANTIZED, _cholesky),
    Row("stablehlo.triangular_solve", FLOAT + COMPLEX + QUANTIZED, _triangular_solve),
)
