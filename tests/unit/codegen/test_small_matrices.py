"""Products of many small matrices, of every layout, and what is made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reduction_programs import numbers, tensor
from staged_programs import assert_staged, staged

from shlo_tools.codegen.stages.contractions import small_matrices

# Rows, inner, columns: matrices of a part of a vector, of one, of two, and larger ones.
SHAPES = [(2, 2, 2), (3, 3, 3), (4, 4, 4), (5, 5, 5), (6, 6, 6), (1, 3, 3), (3, 3, 1), (2, 8, 3)]
SHAPES += [(4, 2, 7), (1, 16, 2), (7, 1, 2), (2, 1, 1)]
# Dimensions of lhs and rhs: b, m, k and b, k, n in this order.
LAYOUTS = [("bmk", "bkn"), ("bkm", "bnk"), ("bmk", "bnk"), ("mbk", "kbn"), ("kmb", "bkn")]


def program(
    batch: int, shape: tuple[int, int, int], layout: tuple[str, str], element: str, end: str = ""
) -> tuple[str, list[np.ndarray]]:
    sizes = dict(zip("bmkn", (batch, *shape[:2], shape[2]), strict=True))
    lhs, rhs = ([sizes[letter] for letter in letters] for letters in layout)
    at = {letter: [letters.index(letter) for letters in layout] for letter in "bk"}
    result = tensor((batch, shape[0], shape[2]), element)
    text = f"""
    func.func @main(%x: {tensor(lhs, element)}, %y: {tensor(rhs, element)}) -> {result} {{
      %0 = stablehlo.dot_general %x, %y, batching_dims = [{at["b"][0]}] x [{at["b"][1]}],
        contracting_dims = [{at["k"][0]}] x [{at["k"][1]}]
        : ({tensor(lhs, element)}, {tensor(rhs, element)}) -> {result}
      {end and f"%1 = {end} : {result}"}
      return {"%1" if end else "%0"} : {result}
    }}"""
    return text, [numbers(lhs, element), numbers(rhs, element, seed=1)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS, ids="-".join)
@pytest.mark.parametrize("element", ["f32", "f64", "i32"])
@pytest.mark.parametrize("batch", [511, 513, 5003])
def test_products(
    batch: int, element: str, layout: tuple[str, str], shape: tuple[int, int, int]
) -> None:
    text, operands = program(batch, shape, layout, element)
    assert_staged(text, *operands)


def test_they_have_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = []
    write = small_matrices.Products.write

    def noted(products: small_matrices.Products, *arguments: Any) -> Any:
        shapes.append((products.rows, products.inner, products.columns))
        return write(products, *arguments)

    monkeypatch.setattr(small_matrices.Products, "write", noted)
    staged(program(701, (4, 3, 2), LAYOUTS[0], "f32")[0])
    assert shapes == [(4, 3, 2)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("end", ["stablehlo.add %0, %0", "stablehlo.negate %0"])
def test_what_is_made_of_products(shape: tuple[int, int, int], end: str) -> None:
    text, operands = program(700, shape, LAYOUTS[0], "f32", end)
    assert_staged(text, *operands)


def test_slices_of_matrices() -> None:
    """Rows lie further apart than columns are many, and nothing behind them is read."""
    text = """
    func.func @main(%x: tensor<600x5x7xf32>, %y: tensor<3x601x4xf32>) -> tensor<599x3x2xf32> {
      %0 = stablehlo.slice %x [1:600, 2:5, 4:7] : (tensor<600x5x7xf32>) -> tensor<599x3x3xf32>
      %1 = stablehlo.slice %y [0:3, 2:601, 2:4] : (tensor<3x601x4xf32>) -> tensor<3x599x2xf32>
      %2 = stablehlo.dot_general %0, %1, batching_dims = [0] x [1], contracting_dims = [2] x [0]
        : (tensor<599x3x3xf32>, tensor<3x599x2xf32>) -> tensor<599x3x2xf32>
      return %2 : tensor<599x3x2xf32>
    }"""
    assert_staged(text, numbers((600, 5, 7), "f32"), numbers((3, 601, 4), "f32", seed=1))
