"""Products and convolutions of floats of 8 bits and less: one rounding of the exact sum."""

from __future__ import annotations

import numpy as np
import pytest
from batch import check
from cases._case import operation, snippet
from cases._types import dtype_of
from narrow import POWERS, every, rounded, wide
from narrow_programs import each, small_numbers

MATRICES = "dot_dimension_numbers = #stablehlo.dot<{}>".format(
    "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]"
)


@each
@pytest.mark.parametrize("sizes", [(3, 5, 4), (20, 33, 18)], ids=["small", "large"])
def test_dot_products_round_once(element: str, sizes: tuple[int, int, int]) -> None:
    """Sums of these numbers are exact in f32, and would not be in the type itself."""
    x, y = small_numbers(element, sizes[:2]), small_numbers(element, sizes[1:], seed=1)
    exact = wide(x) @ wide(y)
    cases = [operation("dot_general", [x, y], rounded(exact, element), MATRICES)]
    for result in ("f32", "f64", "bf16"):
        expected = exact.astype(np.float32).astype(dtype_of(result))
        cases.append(operation("dot_general", [x, y], expected, MATRICES))
    check(cases)


def test_dot_products_of_tiny_powers_do_not_vanish() -> None:
    """2^-127 squared is no f32, and f8E8M0FNU has no zero to become."""
    x = np.full((2, 2), 2.0**-127).astype(dtype_of(POWERS))
    check([operation("dot_general", [x, x], rounded(wide(x) @ wide(x), POWERS), MATRICES)])


def test_squares_of_tiny_powers_do_not_vanish() -> None:
    """In ``chlo.square``, which is rewritten before narrow floats are widened."""
    x = every(POWERS)
    type = f"tensor<256x{POWERS}>"
    text = f"%out0 = chlo.square %in0 : {type} -> {type}"
    with np.errstate(over="ignore"):
        check([snippet("square", text, [x], [rounded(wide(x) ** 2, POWERS)])])


@each
def test_convolutions_round_once(element: str) -> None:
    x, kernel = small_numbers(element, (1, 9, 2)), small_numbers(element, (3, 2, 4), seed=1)
    windows = np.stack([wide(x)[0, i : i + 3] for i in range(7)])
    exact = np.einsum("wkf,kfo->wo", windows, wide(kernel))[None]
    attributes = """batch_group_count = 1 : i64, feature_group_count = 1 : i64,
      dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>"""
    cases = [operation("convolution", [x, kernel], rounded(exact, element), attributes)]
    cases.append(operation("convolution", [x, kernel], exact.astype(np.float32), attributes))
    check(cases)
