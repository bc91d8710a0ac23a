"""What is made of products of few columns, whose rows leave lanes idle: flat, by column, by row."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from staged_programs import assert_staged

DTYPES = {"f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16, "i32": np.int32}
DTYPES |= {"i8": np.int8, "complex<f32>": np.complex64}
ROWS, COLUMNS, INNER = (1, 7, 33, 300, 1030), (0, 1, 2, 3, 4, 5, 8, 10, 16, 17), 9
Shape = tuple[int, ...]


def typed(shape: Shape, element: str) -> str:
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


def numbers(shape: Shape, element: str, seed: int) -> np.ndarray:
    """Small whole numbers: every sum is exact, in whatever order."""
    return np.random.default_rng([seed, *shape]).integers(-2, 3, shape).astype(DTYPES[element])


# What is made of %0; %b has a number for each column, %r one for each row, %t is the result's like.
BEHIND = {
    "flat": "%1 = stablehlo.multiply %0, %t : {whole} %2 = stablehlo.subtract %1, %0 : {whole}",
    "by column": """
        %1 = stablehlo.broadcast_in_dim %b, dims = [{column}] : ({bias}) -> {whole}
        %2 = stablehlo.subtract %1, %0 : {whole}""",
    "by row": """
        %1 = stablehlo.broadcast_in_dim %r, dims = [{outer}] : ({rows}) -> {whole}
        %2 = stablehlo.subtract %0, %1 : {whole}""",
    "folded": """
        %n = stablehlo.negate %0 : {whole}
        %z = stablehlo.constant dense<0> : {scalar}
        %s = stablehlo.reduce(%n init: %z) applies stablehlo.add across dimensions = [{last}]
            : ({whole}, {scalar}) -> {rows}
        %1 = stablehlo.broadcast_in_dim %s, dims = [{outer}] : ({rows}) -> {whole}
        %2 = stablehlo.subtract %0, %1 : {whole}""",
    "turned": """
        %1 = stablehlo.negate %0 : {whole}
        %2 = stablehlo.reverse %1, dims = [0] : {whole}""",
}


def program(lhs: Shape, rhs: Shape, dims: str, shape: Shape, element: str, behind: str) -> str:
    """A product of this shape, and two results that are made of it."""
    outer = shape[:-1] if behind == "folded" or len(shape) > 1 else shape
    last = len(shape) - 1
    types = {"whole": shape, "bias": shape[-1:], "rows": outer, "scalar": ()}
    fields = {name: typed(type, element) for name, type in types.items()}
    places = ", ".join(map(str, range(len(outer))))
    whole = fields["whole"]
    ops = BEHIND[behind].format(**fields, column=last, last=last, outer=places)
    if element != "i32" and element != "i8":
        ops = ops.replace("dense<0>", "dense<(0.0, 0.0)>" if element[0] == "c" else "dense<0.0>")
    return f"""
    func.func @main(%x: {typed(lhs, element)}, %y: {typed(rhs, element)}, %t: {whole},
        %b: {fields["bias"]}, %r: {fields["rows"]}) -> ({whole}, {whole}) {{
      %0 = stablehlo.dot_general %x, %y, {dims}
          : ({typed(lhs, element)}, {typed(rhs, element)}) -> {whole}
      {ops}
      %last = stablehlo.add %2, %2 : {whole}
      return %last, %2 : {whole}, {whole}
    }}"""


def check(lhs: Shape, rhs: Shape, dims: str, shape: Shape, element: str, behind: str) -> None:
    outer = shape[:-1] if behind == "folded" or len(shape) > 1 else shape
    inputs = [lhs, rhs, shape, shape[-1:], outer]
    arrays = [numbers(s, element, seed) for seed, s in enumerate(inputs)]
    assert_staged(program(lhs, rhs, dims, shape, element, behind), *arrays)


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("behind", BEHIND)
def test_rows_of_few_columns(rows: int, columns: int, behind: str) -> None:
    own = (columns,) if columns else ()
    if columns or behind != "folded":
        dims = "contracting_dims = [1] x [0]"
        check((rows, INNER), (INNER, *own), dims, (rows, *own), "f32", behind)


@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize("columns", [0, 1, 3, 10])
@pytest.mark.parametrize("behind", BEHIND)
def test_element_types(element: str, columns: int, behind: str) -> None:
    own = (columns,) if columns else ()
    if columns or behind != "folded":
        dims = "contracting_dims = [1] x [0]"
        check((300, INNER), (INNER, *own), dims, (300, *own), element, behind)


@pytest.mark.parametrize("columns", [0, 1, 3, 4, 10])
@pytest.mark.parametrize("behind", BEHIND)
def test_many_products(columns: int, behind: str) -> None:
    own = (columns,) if columns else ()
    if columns or behind != "folded":
        dims = "batching_dims = [0] x [0], contracting_dims = [2] x [1]"
        check((5, 70, INNER), (5, INNER, *own), dims, (5, 70, *own), "f32", behind)
