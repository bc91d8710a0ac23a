"""Products of narrow numbers: of matrices and vectors, and of matrices read down their columns."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from staged_programs import assert_staged

from shlo_tools.codegen import target
from shlo_tools.codegen.stages.contractions import contraction
from shlo_tools.codegen.stages.contractions.groups import groups_of

DTYPES = {
    **{"bf16": ml_dtypes.bfloat16, "f16": np.float16, "i8": np.int8, "ui8": np.uint8},
    "i16": np.int16,
}
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


# Operands, result, and the dimensions of each operand that are batches and that are contracted.
# Integers go by pairs where they are matrices as they lie, and there are rows and columns enough.
INTEGER_PRODUCTS = {
    "matrices": ((33, 70), (70, 40), (33, 40), [], [1], [], [0]),
    "an odd sum": ((14, 71), (71, 333), (14, 333), [], [1], [], [0]),
    "turned": ((300, 19), (65, 300), (19, 65), [], [0], [], [1]),
    "both turned, an odd sum": ((31, 12), (50, 31), (12, 50), [], [0], [], [1]),
    "few rows": ((11, 70), (70, 40), (11, 40), [], [1], [], [0]),
    "many parts": ((130, 600), (140, 600), (130, 140), [], [1], [], [1]),
    "batches": ((3, 20, 64), (3, 64, 17), (3, 20, 17), [0], [2], [0], [1]),
    "turned batches": ((20, 3, 65), (17, 65, 3), (3, 20, 17), [1], [2], [2], [1]),
    "two sums": ((20, 6, 34), (6, 34, 50), (20, 50), [], [1, 2], [], [0, 1]),
    "two sums in another order": ((20, 34, 6), (6, 34, 50), (20, 50), [], [1, 2], [], [1, 0]),
    "rows in two dimensions": ((4, 5, 34), (34, 3, 50), (4, 5, 3, 50), [], [2], [], [0]),
    "rows in pieces": ((4, 64, 5), (64, 40), (4, 5, 40), [], [1], [], [0]),
    "a long sum": ((12, 9001), (9001, 13), (12, 13), [], [1], [], [0]),
}


@pytest.mark.parametrize("elements", [("i8", "i8"), ("ui8", "i8"), ("i16", "ui8"), ("i16", "i16")])
@pytest.mark.parametrize("name", INTEGER_PRODUCTS)
def test_integers(name: str, elements: tuple[str, str]) -> None:
    """All numbers of a type; sums wrap as those of i32 do."""
    left, right, result, *dimensions = INTEGER_PRODUCTS[name]
    random = np.random.default_rng(len(name))
    arrays = [
        random.integers(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, shape).astype(dtype)
        for shape, dtype in zip((left, right), map(DTYPES.__getitem__, elements), strict=True)
    ]
    x, y = (typed(shape, e) for shape, e in zip((left, right), elements, strict=True))
    left_batch, left_sum, right_batch, right_sum = dimensions
    text = f"""func.func @main(%a: {x}, %b: {y}) -> {typed(result, "i32")} {{
      %0 = stablehlo.dot_general %a, %b, batching_dims = {left_batch} x {right_batch},
        contracting_dims = {left_sum} x {right_sum} : ({x}, {y}) -> {typed(result, "i32")}
      return %0 : {typed(result, "i32")}
    }}"""
    assert_staged(text, *arrays)


def test_sums_of_two_products_that_wrap() -> None:
    """-2^15 * -2^15 twice is 2^31, which is -2^31 in 32 bits."""
    text = """func.func @main(%a: tensor<16x32xi16>, %b: tensor<32x16xi16>) -> tensor<16x16xi32> {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
        : (tensor<16x32xi16>, tensor<32x16xi16>) -> tensor<16x16xi32>
      return %0 : tensor<16x16xi32>
    }"""
    least = np.full((16, 32), -(2**15), np.int16)
    ones = np.where(np.arange(32) < 2, least[:1], 0).astype(np.int16)
    expected = np.full((16, 16), -(2**31), np.int32)
    assert_staged(text, least, np.repeat(ones.T, 16, axis=1), expected=[expected])


@pytest.mark.parametrize("rows", [16, 17, 200])
def test_the_least_and_the_greatest_bytes(rows: int) -> None:
    """Of either operand, at every place of a group, and sums as long as can be."""
    text = f"""func.func @main(%a: tensor<{rows}x260xi8>, %b: tensor<48x260xi8>)
        -> tensor<{rows}x48xi32> {{
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1]
        : (tensor<{rows}x260xi8>, tensor<48x260xi8>) -> tensor<{rows}x48xi32>
      return %0 : tensor<{rows}x48xi32>
    }}"""
    random = np.random.default_rng(rows)
    a, b = (random.choice([-128, -1, 0, 127], (n, 260)).astype(np.int8) for n in (rows, 48))
    a[:2], b[:2] = -128, [[-128], [127]]
    assert_staged(text, a, b, expected=[a.astype(np.int32) @ b.astype(np.int32).T])


def test_large_enough_products_go_by_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is made of the product's rows is computed beside it, as of other products."""
    text = """func.func @main(%a: tensor<21x65xi8>, %b: tensor<43x65xi8>, %s: tensor<43xf32>)
        -> tensor<21x43xf32> {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1]
        : (tensor<21x65xi8>, tensor<43x65xi8>) -> tensor<21x43xi32>
      %1 = stablehlo.convert %0 : (tensor<21x43xi32>) -> tensor<21x43xf32>
      %2 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<43xf32>) -> tensor<21x43xf32>
      %3 = stablehlo.multiply %1, %2 : tensor<21x43xf32>
      return %3 : tensor<21x43xf32>
    }"""
    sizes = []

    def recorded(*operands: Any) -> Any:
        groups = groups_of(*operands)
        sizes.append(groups.size if groups else 0)
        return groups

    monkeypatch.setattr(contraction, "groups_of", recorded)
    random = np.random.default_rng(1)
    a, b = (random.integers(-128, 128, (n, 65)).astype(np.int8) for n in (21, 43))
    assert_staged(text, a, b, np.arange(43, dtype=np.float32))
    host = target.host()
    assert sizes == [4 if host.multiplies_bytes else 2 if host.multiplies_words else 0]
