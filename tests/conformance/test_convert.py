"""``convert`` between all pairs of types: one rounding, saturation, and what counts as true."""

from __future__ import annotations

import sys
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from batch import check
from cases._case import operation, snippet
from cases._inputs import dense, edges, noise
from cases._types import COMPLEX, dtype_of, finfo
from expected import FLOATS, INTEGERS, REAL, converted, nearest

pytestmark = pytest.mark.usefixtures("unmapped_neighbours")

Array = np.ndarray[Any, Any]


def ties(target: str) -> list[Fraction]:
    """Numbers half-way between two neighbours of a float type, and a hair off on either side.

    The hair is far below what a first rounding to f32 or f64 keeps: rounding twice goes wrong.
    """
    info = finfo(dtype_of(target))
    starts = [Fraction(1), Fraction(3), Fraction(float(info.smallest_normal))]
    starts += [Fraction(float(info.max)), Fraction(2) ** 13, Fraction(2) ** 62]
    results = [Fraction(float(info.smallest_subnormal)) * k / 2 for k in (1, 3, 5)]
    for start in starts:
        step = start / 2 ** int(info.nmant + 1)
        results += [start + step, start + 3 * step, start + step / 2]
    around = [x for tie in results for x in (tie, tie * (1 + HAIR), tie * (1 - HAIR))]
    return [x for x in around if x <= sys.float_info.max]


HAIR = Fraction(1, 2**45)


@cache
def operands(source: str) -> Array:
    """Edges and noise of the source type, and the ties of all float types that it can hold."""
    if source == "i1":
        return edges(source)
    exact = [sign * tie for target in FLOATS for tie in ties(target) for sign in (1, -1)]
    if source in FLOATS:
        with np.errstate(over="ignore"):
            dtype = np.array([float(x) for x in exact]).astype(dtype_of(source))
        return np.concatenate([edges(source), noise(source), dtype, _bounds(source)])
    info = np.iinfo(dtype_of(source))
    whole = [int(x) + offset for x in exact for offset in (-1, 0, 1)]
    inside = sorted({x for x in whole if info.min <= x <= info.max})
    return np.concatenate([edges(source), noise(source), np.array(inside, dtype_of(source))])


def _bounds(source: str) -> Array:
    """Floats around the bounds of the integer types."""
    powers = np.array([2.0**k for k in (7, 8, 15, 16, 31, 32, 63, 64)])
    exact = np.concatenate([powers, -powers, powers - 0.5, -powers - 0.5, -powers - 1, powers - 1])
    with np.errstate(over="ignore"):
        dtype = exact.astype(dtype_of(source))
    ends = [dtype_of(source).type(end) for end in (-np.inf, np.inf)]
    below, above = (np.nextafter(dtype, end) for end in ends)
    return np.concatenate([dtype, below, above])


@pytest.mark.parametrize("source", REAL)
def test_convert(source: str) -> None:
    array = operands(source)
    check([operation("convert", [array], converted(array, source, target)) for target in REAL])


@pytest.mark.parametrize("target", ["f16", "bf16"])
def test_every_16_bit_float_survives_a_wider_type(target: str) -> None:
    """Denormals too, which some processors flush."""
    array = dense(target)
    cases = []
    for wide in ("f32", "f64"):
        there = array.astype(np.float64).astype(dtype_of(wide))
        cases += [operation("convert", [array], there), operation("convert", [there], array)]
    check(cases)


@pytest.mark.parametrize("target", ["f16", "bf16"])
def test_f32_rounds_to_16_bits(target: str) -> None:
    """All ties between neighbours, and their neighbours in f32, denormals included."""
    values = dense(target)
    middle = values.astype(np.float32).view(np.uint32) | {"f16": 0x1000, "bf16": 0x8000}[target]
    around = np.concatenate([middle - 1, middle, middle + 1]).view(np.float32)
    around = around[np.isfinite(around)][::5]
    expected = np.array([nearest(x, target) for x in around.tolist()]).astype(dtype_of(target))
    check([operation("convert", [around], expected)])


def test_integers_to_integers_of_every_width() -> None:
    """Sign-extended, zero-extended or cut off: bits alone decide."""
    cases = []
    for source in INTEGERS:
        for target in INTEGERS:
            array = noise(source, count=257)
            cases.append(operation("convert", [array], array.astype(dtype_of(target))))
    check(cases)


def test_complex() -> None:
    """To real types the imaginary part is dropped; from them it is 0."""
    cases = []
    for element in COMPLEX:
        z = np.concatenate([edges(element), noise(element)])
        z = np.append(z, np.array([complex("nan+1j"), 1j, -0.5 + 7j, 1e30j], z.dtype))
        part = "f32" if element == "complex<f32>" else "f64"
        for target in REAL:
            expected = converted(z.real.copy(), part, target)
            cases.append(operation("convert", [z], expected))
            array = operands(target)
            result = converted(array, target, part).astype(dtype_of(element))
            cases.append(operation("convert", [array], result))
        for target in COMPLEX:
            with np.errstate(invalid="ignore", over="ignore"):
                expected = z.astype(dtype_of(target))
            cases.append(operation("convert", [z], expected))
    check(cases)


def test_chain_of_conversions_rounds_at_every_step() -> None:
    """f64 -> f32 -> f16 is not f64 -> f16."""
    x = np.array([float(tie) for tie in ties("f16")])
    with np.errstate(over="ignore"):
        expected = x.astype(np.float32).astype(np.float16)
    text = """
      %single = stablehlo.convert %in0 : (tensor<{0}xf64>) -> tensor<{0}xf32>
      %out0 = stablehlo.convert %single : (tensor<{0}xf32>) -> tensor<{0}xf16>"""
    direct = converted(x, "f64", "f16")
    assert (expected != direct).any()  # or the case says nothing
    check(
        [
            snippet("f64 -> f32 -> f16", text.format(len(x)), [x], [expected]),
            operation("convert", [x], direct),
        ]
    )
