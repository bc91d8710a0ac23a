"""Products of narrow numbers: of matrices and vectors, and of matrices read down their columns."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from staged_programs import assert_staged

DTYPES = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "i8": np.int8, "ui8": np.uint8}
# Operands, result, and the dimensions that are contracted.
PRODUCTS = {
    "matrix and vector": ((33, 70), (70,), (33,), 1, 0),
    "turned matrix and vector": ((70, 33), (70,), (33,), 0, 0),
    "a row and a matrix": ((1, 70), (70, 333), (1, 333), 1, 0),
    "a row and a turned matrix": ((1, 300), (65, 300), (1, 65), 1, 1),
    "matrix and column": ((130, 64), (64, 1), (130, 1), 1, 0),
    "a row and a column": ((1, 500), (500, 1), (1, 1), 1, 0),
    "two rows and a turned matrix": ((2, 300), (65, 300), (2, 65), 1, 1),
    "turned matrices": ((40, 33), (50, 40), (33, 50), 0, 1),
}


def typed(shape: tuple[int, ...], element: str) -> str:
    return "tensor<" + "".join(f"{size}x" for size in shape) + f"{element}>"


@pytest.mark.parametrize("kind", [("bf16", "bf16"), ("bf16", "f32"), ("f16", "f16"), ("i8", "i32")])
@pytest.mark.parametrize("name", PRODUCTS)
def test_a_product(name: str, kind: tuple[str, str]) -> None:
    """Numbers are small and whole: sums are exact in every order."""
    left, right, result, left_sum, right_sum = PRODUCTS[name]
    element, to = kind
    random = np.random.default_rng(len(name))
    a, b = (random.integers(-1, 2, shape).astype(DTYPES[element]) for shape in (left, right))
    types = [typed(shape, element) for shape in (left, right)]
    text = f"""func.func @main(%a: {types[0]}, %b: {types[1]}) -> {typed(result, to)} {{
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [{left_sum}] x [{right_sum}]
        : ({types[0]}, {types[1]}) -> {typed(result, to)}
      return %0 : {typed(result, to)}
    }}"""
    assert_staged(text, a, b)


@pytest.mark.parametrize("kind", [("bf16", "bf16"), ("i8", "i32"), ("ui8", "ui32")])
def test_batches_of_rows_and_matrices(kind: tuple[str, str]) -> None:
    """As one step of a decoder has: a row of each head and its cache."""
    element, to = kind
    types = ["tensor<5x1x40x" + element, "tensor<5x70x40x" + element, "tensor<5x1x70x" + to]
    a, b, c = (f"{type}>" for type in types)
    text = f"""func.func @main(%a: {a}, %b: {b}) -> {c} {{
      %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [2]
        : ({a}, {b}) -> {c}
      return %0 : {c}
    }}"""
    random = np.random.default_rng(3)
    x, y = (random.integers(0, 3, s).astype(DTYPES[element]) for s in ((5, 1, 40), (5, 70, 40)))
    assert_staged(text, x, y)
