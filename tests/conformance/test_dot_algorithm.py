"""``dot_general`` with an ``algorithm``: what operands are rounded to, what sums are kept in.

The numbers are chosen such that all sums are exact in f32 once operands are rounded: the result
tells whether they were.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from batch import check, interpret, mismatch
from cases._case import Case, operation, type_of
from cases._tolerances import Within
from cases._types import dtype_of
from narrow import rounded

import shlo_tools
from shlo_tools import reference
from shlo_tools.errors import UnsupportedError

Array = np.ndarray[Any, Any]
Rounding = Callable[[Array], Array]


def check_both(cases: Sequence[Case]) -> None:
    """Compiled, and in the reference."""
    check(cases)
    for case, result in zip(cases, interpret(cases), strict=True):
        assert case.expected and mismatch(case, [result], case.expected) == ""


SIZES = ((3, 5, 4), (16, 32, 24))  # loops, and the matrix products of a library


def attributes(lhs: str, rhs: str, accumulation: str, operations: int = 1) -> str:
    return f"""dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1],
      rhs_contracting_dimensions = [0]>,
      precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>],
      algorithm = #stablehlo.dot_algorithm<lhs_precision_type = {lhs}, rhs_precision_type = {rhs},
      accumulation_type = {accumulation}, lhs_component_count = 1, rhs_component_count = 1,
      num_primitive_operations = {operations}, allow_imprecise_accumulation = false>"""


def to_tf32(x: Array) -> Array:
    """10 bits of mantissa, halves to even: numbers of one binade as multiples of 2^-10."""
    fraction, exponent = np.frexp(x.astype(np.float64))
    return np.asarray(np.ldexp(np.rint(fraction * 2.0**11), exponent - 11))


def via(element: str) -> Rounding:
    """Rounded to an element type of at least 16 bits."""
    dtype = np.dtype(getattr(ml_dtypes, {"bf16": "bfloat16"}.get(element, ""), None) or element)
    return lambda x: np.asarray(x.astype(np.float32).astype(dtype).astype(np.float64))


def _to_f8(element: str) -> Rounding:
    return lambda x: np.asarray(rounded(x, element).astype(np.float64))


def _same(x: Array) -> Array:
    return np.asarray(x.astype(np.float64))


PRECISIONS: dict[str, Rounding] = {
    "tf32": to_tf32,
    "bf16": via("bf16"),
    "f16": via("float16"),
    "f32": _same,
    "f8E5M2": _to_f8("f8E5M2"),
    "f8E4M3FN": _to_f8("f8E4M3FN"),
}

# What StableHLO's verifier lets through: precision of lhs and of rhs, accumulation.
ALGORITHMS = [
    ("tf32", "tf32", "f32"),
    ("bf16", "bf16", "f32"),
    ("bf16", "bf16", "bf16"),
    ("f16", "f16", "f32"),
    ("f16", "f16", "f16"),
    ("f32", "f32", "f32"),
    ("f8E5M2", "f8E4M3FN", "f32"),
    ("f8E4M3FN", "f8E4M3FN", "f32"),
]


def _operands(sizes: tuple[int, int, int]) -> tuple[Array, Array]:
    """Numbers of 13 bits, which no precision but f32 holds, and whose sums are exact in f32."""
    random = np.random.default_rng(7)
    shapes = sizes[:2], sizes[1:]
    x, y = (random.integers(-(1 << 12), 1 << 12, shape) / 2.0**12 for shape in shapes)
    return x.astype(np.float32), y.astype(np.float32)


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids="-".join)
def test_operands_are_rounded(algorithm: tuple[str, str, str]) -> None:
    """One factor is 1, 0 or -1 in each product, so that no sum is rounded."""
    cases = []
    for sizes in SIZES:
        x, y = _operands(sizes)
        for left, right in ((x, np.sign(y)), (np.sign(x), y)):
            exact = PRECISIONS[algorithm[0]](left) @ PRECISIONS[algorithm[1]](right)
            assert (exact == exact.astype(np.float32)).all()  # or rounding would not be tested
            expected = exact.astype(np.float32)
            cases.append(operation("dot_general", [left, right], expected, attributes(*algorithm)))
    check_both(cases)


def test_rounding_shows() -> None:
    """Or the test above says nothing."""
    x, _ = _operands(SIZES[0])
    assert all((PRECISIONS[name](x) != x).any() for name in PRECISIONS if name != "f32")


STEP = 2.0**-10  # of tf32 above 1

# The smallest exponent is that of f32, 2^-126, so that the smallest number is 2^-136.
TO_TF32 = [
    (1 + STEP / 2, 1.0),
    (1 + 1.5 * STEP, 1 + 2 * STEP),
    (1 + 0.75 * STEP, 1 + STEP),
    (-1 - STEP / 2, -1.0),
    (2 - STEP / 4, 2.0),
    (3.4028235e38, np.inf),
    (-np.inf, -np.inf),
    (np.nan, np.nan),
    (2.0**-130 + 2.0**-149, 2.0**-130),
    (3 * 2.0**-137, 2.0**-135),
]


def test_tf32_rounds_halves_to_even_and_keeps_the_rest() -> None:
    inputs, expected = (
        np.array(row, np.float32).reshape(-1, 1) for row in zip(*TO_TF32, strict=True)
    )
    unit = np.ones((1, 1), np.float32)
    check_both(
        [operation("dot_general", [inputs, unit], expected, attributes("tf32", "tf32", "f32"))]
    )


@pytest.mark.parametrize("algorithm", [("bf16", 3), ("bf16", 6), ("bf16", 9), ("tf32", 3)])
def test_emulations_are_no_less_exact_than_what_they_emulate(algorithm: tuple[str, int]) -> None:
    """An f32 product of the operands as they are, within the error of sums in f32."""
    name, operations = algorithm
    random = np.random.default_rng(1)
    cases = []
    for rows, depth, columns in SIZES:
        x = random.normal(size=(rows, depth)).astype(np.float32)
        y = random.normal(size=(depth, columns)).astype(np.float32)
        exact = x.astype(np.float64) @ y.astype(np.float64)
        bound = depth * 2.0**-24 * (np.abs(x).astype(np.float64) @ np.abs(y).astype(np.float64))
        named = attributes(name, name, "f32", operations)
        result = type_of(np.zeros(exact.shape, np.float32))
        near = Within(bound)
        cases.append(operation("dot_general", [x, y], exact, named, tolerance=near, result=result))
    check_both(cases)


def test_types_of_precision_are_independent_of_storage() -> None:
    """The specification's example: integers through tf32; and 2^12 + 1, which tf32 rounds."""
    x = np.array([[1, 2], [3, 4]])
    odd = np.array([[(1 << 12) + 1, 0], [0, (1 << 53) + (1 << 42) + 1]])
    eye = np.eye(2, dtype=np.int64)
    # 2^53 + 2^42 is half-way between two tf32; the 1, which f64 cannot hold, makes it larger.
    tf32 = np.array([[1 << 12, 0], [0, (1 << 53) + (1 << 43)]])
    inputs = attributes("tf32", "tf32", "f32")
    check_both(
        [
            operation("dot_general", [x, eye], x, inputs),
            operation("dot_general", [odd, eye], tf32, inputs),
            operation(
                "dot_general",
                [np.array([[1 + 2.0**-11 + 2.0**-40]]), np.ones((1, 1))],
                np.array([[1 + 2.0**-10]]),
                inputs,
            ),
        ]
    )


def test_f64_accumulates_in_f64() -> None:
    """2^24 + 1 - 2^24 is lost in f32."""
    x = np.array([[2.0**24, 1.0, -(2.0**24)]], np.float32)
    y = np.ones((3, 1), np.float32)
    expected = np.array([[1.0]], np.float32)
    check_both([operation("dot_general", [x, y], expected, attributes("f64", "f64", "f64"))])


@pytest.mark.parametrize("lhs", ["f8E5M2", "f8E4M3FN", "f8E4M3FNUZ"])
@pytest.mark.parametrize("rhs", ["f8E5M2", "f8E4M3FN"])
def test_f8_operands(lhs: str, rhs: str) -> None:
    random = np.random.default_rng(2)
    cases = []
    for rows, depth, columns in SIZES:
        x = random.integers(-4, 5, (rows, depth)).astype(dtype_of(lhs))
        y = random.integers(-4, 5, (depth, columns)).astype(dtype_of(rhs))
        expected = x.astype(np.float32) @ y.astype(np.float32)
        if lhs == rhs:
            cases.append(operation("dot_general", [x, y], expected, attributes(lhs, rhs, "f32")))
        x32, y32 = x.astype(np.float32), y.astype(np.float32)
        cases.append(operation("dot_general", [x32, y32], expected, attributes(lhs, rhs, "f32")))
    check_both(cases)


def test_complex_numbers_are_refused() -> None:
    type = "tensor<2x2xcomplex<f32>>"
    text = f"""func.func @main(%x: {type}) -> {type} {{
      %0 = "stablehlo.dot_general"(%x, %x) {{{attributes("f32", "f32", "f32")}}}
        : ({type}, {type}) -> {type}
      return %0 : {type}
    }}"""
    x = np.ones((2, 2), np.complex64)
    for compile in (shlo_tools.compile, reference.compile):
        with pytest.raises(UnsupportedError, match=r"dot_general .*an algorithm for complex"):
            compile(text)(x)
