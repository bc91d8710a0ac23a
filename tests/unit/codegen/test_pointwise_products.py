"""Dot products that become elementwise ops and sums: in all forms, and in every element type."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from staged_programs import assert_staged, staged

DTYPES: dict[str, Any] = {
    **{"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16},
    **{"i64": np.int64, "i32": np.int32, "i8": np.int8, "ui8": np.uint8, "ui16": np.uint16},
    **{"i4": ml_dtypes.int4, "i1": np.bool_, "complex<f32>": np.complex64},
    **{"complex<f64>": np.complex128},
}
Shape = tuple[int, ...]


def typed(shape: Shape, element: str) -> str:
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


def numbers(shape: Shape, element: str, seed: int) -> np.ndarray:
    """Small whole numbers: every sum is exact, in whatever order."""
    whole = np.random.default_rng([seed, *shape]).integers(0, 3, (2, *shape)) - (element[0] != "u")
    dtype = DTYPES[element]
    return (whole[0] + 1j * whole[1] if np.dtype(dtype).kind == "c" else whole[0]).astype(dtype)


class Product:
    """A random product: dimensions of both sides in any order.

    Attributes:
        sizes: of the dimensions that both have, of those summed, and of those of lhs and rhs.
    """

    def __init__(self, seed: int, sizes: tuple[Shape, Shape, Shape, Shape]) -> None:
        random = np.random.default_rng(seed)
        batch, summed, left, right = sizes
        both = [("b", k, n) for k, n in enumerate(batch)] + [
            ("k", k, n) for k, n in enumerate(summed)
        ]
        self.sides = []
        for own in (left, right):
            dimensions = [*both, *(("own", k, n) for k, n in enumerate(own))]
            self.sides.append([dimensions[k] for k in random.permutation(len(dimensions))])
        frees = [[n for kind, _, n in side if kind == "own"] for side in self.sides]
        self.result: Shape = (*batch, *frees[0], *frees[1])
        self.lhs, self.rhs = (tuple(n for *_, n in side) for side in self.sides)

    def text(self, operand: str, result: str, behind: str = "") -> str:
        lhs, rhs = typed(self.lhs, operand), typed(self.rhs, operand)
        out = typed(self.result, result)
        lists = {kind: [self._places(side, kind) for side in self.sides] for kind in "bk"}
        batching = "batching_dims = {} x {}, ".format(*lists["b"]) if lists["b"][0] else ""
        contracting = "contracting_dims = {} x {}".format(*lists["k"])
        return f"""
        func.func @main(%x: {lhs}, %y: {rhs}) -> {out} {{
          %0 = stablehlo.dot_general %x, %y, {batching}{contracting} : ({lhs}, {rhs}) -> {out}
          {behind or f"return %0 : {out}"}
        }}"""

    def _places(self, side: list[tuple[str, int, int]], kind: str) -> list[int]:
        places = {k: d for d, (own, k, _) in enumerate(side) if own == kind}
        return [places[k] for k in sorted(places)]


# Batch, summed, lhs's own and rhs's own.
FORMS: dict[str, tuple[Shape, Shape, Shape, Shape]] = {
    "of vectors": ((), (300,), (), ()),
    "of vectors, many": ((7, 40), (3,), (), ()),
    "of vectors, long": ((5,), (70,), (), ()),
    "of vectors, over two dimensions": ((9, 5), (3, 4), (), ()),
    "of rows and a vector": ((7,), (3,), (40,), ()),
    "of a vector and columns": ((6,), (4,), (), (33,)),
    "of rows and a vector, in two dimensions": ((2, 5), (2, 2), (3, 7), ()),
    "of rows and a long vector": ((7,), (9,), (20,), ()),
    "outer": ((), (), (20,), (33,)),
    "outer, many": ((3,), (), (20,), (9, 4)),
    "outer, summed over one element": ((4,), (1,), (20,), (9,)),
    "summed over ones": ((40,), (1, 3, 1), (5,), ()),
    "elementwise": ((40, 7), (), (), ()),
    "with one number": ((40, 7), (), (), (1,)),
    "of matrices": ((40,), (3,), (4,), (5,)),
    "of few": ((2,), (3,), (2,), ()),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("element", ["f32", "i32", "bf16"])
def test_forms(form: str, seed: int, element: str) -> None:
    product = Product(seed, FORMS[form])
    x, y = numbers(product.lhs, element, 1), numbers(product.rhs, element, 2)
    assert_staged(product.text(element, element), x, y)


COMPLEX_FORMS: dict[str, tuple[Shape, Shape, Shape, Shape]] = {
    "of rows and a vector": ((), (70,), (40,), ()),
    "of a vector and columns": ((), (9,), (), (3, 40)),
    "of rows and a column": ((), (33,), (20,), (1,)),
    "of a row and columns": ((), (5,), (1, 1), (70,)),
    "of many rows and vectors": ((3,), (4, 5), (1,), (34,)),
    "of a row and a column": ((), (65,), (1,), (1,)),
}


@pytest.mark.parametrize("form", COMPLEX_FORMS)
@pytest.mark.parametrize("element", ["complex<f32>", "complex<f64>"])
def test_complex_forms(form: str, element: str) -> None:
    """Whatever is no product of two matrices, which alone is written by parts."""
    for seed in range(3):
        product = Product(seed, COMPLEX_FORMS[form])
        x, y = numbers(product.lhs, element, 1), numbers(product.rhs, element, 2)
        text = product.text(element, element)
        assert "contraction" not in staged(text).ir("stages")
        assert_staged(text, x, y)


SHORT_SUMS: dict[str, tuple[Shape, Shape, Shape, Shape]] = {
    "of a small matrix and columns": ((), (2,), (9,), (4, 17)),
    "of rows and a small matrix": ((), (3,), (3, 33), (2,)),
    "of batches": ((5,), (2,), (3,), (20,)),
    "over two dimensions": ((), (2, 2), (7,), (40,)),
    "of gates": ((), (2,), (16, 32), (2,)),
    "of gates and many qubits": ((), (2,), (2,) * 6, (2,)),
    "of points": ((), (3,), (300,), (3,)),
    "over all of some points": ((), (4,), (1, 90), (5, 1)),
}


@pytest.mark.parametrize("form", SHORT_SUMS)
@pytest.mark.parametrize("element", ["f32", "bf16", "i8", "complex<f32>", "complex<f64>"])
def test_short_sums_of_matrices(form: str, element: str) -> None:
    """Which of them are added up one by one rests on where dimensions lie."""
    for seed in range(5):
        product = Product(seed, SHORT_SUMS[form])
        x, y = numbers(product.lhs, element, 1), numbers(product.rhs, element, 2)
        assert_staged(product.text(element, element), x, y)


@pytest.mark.parametrize("qubit", range(7))
@pytest.mark.parametrize("element", ["f32", "complex<f32>"])
def test_gates(qubit: int, element: str) -> None:
    """A gate on one of seven qubits, whose dimension goes back to its place."""
    gate, state = f"tensor<2x2x{element}>", f"tensor<{'2x' * 7}{element}>"
    order = [*range(1, qubit + 1), 0, *range(qubit + 1, 7)]
    text = f"""
    func.func @main(%u: {gate}, %x: {state}) -> {state} {{
      %0 = stablehlo.dot_general %u, %x, contracting_dims = [1] x [{qubit}]
        : ({gate}, {state}) -> {state}
      %1 = stablehlo.transpose %0, dims = {order} : ({state}) -> {state}
      %2 = stablehlo.dot_general %u, %1, contracting_dims = [0] x [{qubit}]
        : ({gate}, {state}) -> {state}
      return %2 : {state}
    }}"""
    is_plain = element != "f32" and qubit in (0, 6)  # a matrix by a matrix, of complex numbers
    assert ("dot_general" in staged(text).ir("stages")) == is_plain
    assert_staged(text, numbers((2, 2), element, 1), numbers((2,) * 7, element, 2))


@pytest.mark.parametrize("sides", ["ab", "ba"])
def test_one_product_does_not_decide_for_another(sides: str) -> None:
    """Of the same type, but for that a side is transposed."""
    x, a, b = "tensor<64x3x2xf32>", "tensor<64x2x32xf32>", "tensor<64x32x2xf32>"
    result = "tensor<64x3x32xf32>"
    text = f"""
    func.func @main(%x: {x}, %a: {a}, %y: {b}) -> ({result}, {result}) {{
      %b = stablehlo.transpose %y, dims = [0, 2, 1] : ({b}) -> {a}
      %0 = stablehlo.dot_general %x, %{sides[0]}, batching_dims = [0] x [0],
        contracting_dims = [2] x [1] : ({x}, {a}) -> {result}
      %1 = stablehlo.dot_general %x, %{sides[1]}, batching_dims = [0] x [0],
        contracting_dims = [2] x [1] : ({x}, {a}) -> {result}
      return %0, %1 : {result}, {result}
    }}"""
    assert staged(text).ir("stages").count("dot_general") == 1
    shapes = (64, 3, 2), (64, 2, 32), (64, 32, 2)
    assert_staged(text, *(numbers(shape, "f32", 1) for shape in shapes))


PAIRS = [(element, element) for element in DTYPES]
PAIRS += [("bf16", "f32"), ("f16", "f32"), ("f32", "f64"), ("f32", "bf16"), ("i8", "i32")]
PAIRS += [("ui8", "i32"), ("i32", "i8"), ("i32", "i64"), ("i4", "i32"), ("i64", "i32")]


@pytest.mark.parametrize("operand, result", PAIRS)
@pytest.mark.parametrize("form", ["of vectors, many", "of rows and a vector", "outer, many"])
def test_element_types(operand: str, result: str, form: str) -> None:
    product = Product(5, FORMS[form])
    x, y = numbers(product.lhs, operand, 1), numbers(product.rhs, operand, 2)
    assert_staged(product.text(operand, result), x, y)


@pytest.mark.parametrize("element", ["bf16", "f16"])
def test_sums_of_narrow_floats_are_rounded_once(element: str) -> None:
    product = Product(0, ((40,), (300,), (), ()))
    x = np.random.default_rng(0).uniform(0, 1, product.lhs).astype(DTYPES[element])
    y = np.random.default_rng(1).uniform(0, 1, product.rhs).astype(DTYPES[element])
    wide = [a.astype(np.float64) if a.shape[0] == 40 else a.astype(np.float64).T for a in (x, y)]
    exact = (wide[0] * wide[1]).sum(axis=1)
    result = staged(product.text(element, element))(x, y).astype(np.float64)
    # Half a unit of the narrow type, and what sums in f32 may be off.
    half = float(ml_dtypes.finfo(DTYPES[element]).eps) / 2
    np.testing.assert_allclose(result, exact, rtol=half + 300 * 2.0**-24)


@pytest.mark.parametrize("form", ["of vectors, many", "of rows and a vector", "outer, many"])
def test_numbers_that_are_not_finite(form: str) -> None:
    product = Product(1, FORMS[form])
    x, y = (numbers(shape, "f32", 3) for shape in (product.lhs, product.rhs))
    for number, value in enumerate((np.nan, np.inf, -np.inf, -0.0)):
        x.reshape(-1)[number :: 7 + number] = value
    assert_staged(product.text("f32", "f32"), x, y)


def test_few_stages() -> None:
    """Lengths of vectors and what is made of them are one stage."""
    many, one = "tensor<300x7x3xf32>", "tensor<300x7xf32>"
    text = f"""
    func.func @main(%x: {many}) -> {many} {{
      %0 = stablehlo.negate %x : {many}
      %1 = stablehlo.dot_general %0, %x, batching_dims = [0, 1] x [0, 1],
          contracting_dims = [2] x [2] : ({many}, {many}) -> {one}
      %2 = stablehlo.abs %1 : {one}
      %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : ({one}) -> {many}
      %4 = stablehlo.multiply %x, %3 : {many}
      return %4 : {many}
    }}"""
    assert staged(text).ir("stages").count("call @stage") == 1
    assert_staged(text, numbers((300, 7, 3), "f32", 0))
