"""Products that are stored as the transposition that reads them wants it, and what goes on."""

from __future__ import annotations

import itertools

import ml_dtypes
import numpy as np
import pytest
from staged_programs import assert_staged

from shlo_tools import compile

TYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "i32": np.int32,
    "i8": np.int8,
    "i1": np.bool_,
    "complex<f32>": np.complex64,
}


def tensor(shape: tuple[int, ...], element: str) -> str:
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize(
    "sizes", [(3, 5, 7), (5, 4, 33), (33, 3, 65), (1, 9, 32), (40, 2, 40), (32, 32, 32)]
)
@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_transpositions_of_products(
    element: str, sizes: tuple[int, int, int], batch: tuple[int, ...]
) -> None:
    rows, inner, columns = sizes
    rng = np.random.default_rng([*sizes, len(batch)])
    whole = (*batch, rows, columns)
    permutations = list(itertools.permutations(range(len(whole))))
    for permutation in rng.permutation(permutations)[:4]:
        shape = tuple(whole[d] for d in permutation)
        types = [tensor((*batch, *matrix), element) for matrix in ((rows, inner), (inner, columns))]
        stored, turned = tensor(whole, element), tensor(shape, element)
        dimensions = list(range(len(batch)))
        text = f"""
        func.func @main(%x: {types[0]}, %y: {types[1]}, %z: {turned}) -> {turned} {{
          %0 = stablehlo.dot_general %x, %y, batching_dims = {dimensions} x {dimensions},
            contracting_dims = [{len(batch) + 1}] x [{len(batch)}]
            : ({types[0]}, {types[1]}) -> {stored}
          %1 = stablehlo.transpose %0, dims = {permutation.tolist()} : ({stored}) -> {turned}
          %2 = stablehlo.add %1, %z : {turned}
          return {rng.choice(["%1", "%2"])} : {turned}
        }}"""
        shapes = (*batch, rows, inner), (*batch, inner, columns), shape
        assert_staged(text, *(numbers(rng, s, element) for s in shapes))


def numbers(rng: np.random.Generator, shape: tuple[int, ...], element: str) -> np.ndarray:
    values = rng.integers(-3, 4, shape)
    if element.startswith("complex"):
        return (values + 1j * rng.integers(-3, 4, shape)).astype(TYPES[element])
    return values.astype(TYPES[element])


@pytest.mark.parametrize(
    "sizes", [(2, 3, 4, 5, 2), (1, 6, 2, 5, 4), (2, 1, 3, 33, 1), (3, 2, 1, 1, 4)]
)
def test_rows_and_columns_of_several_dimensions(sizes: tuple[int, ...]) -> None:
    """Every order of a batch, two dimensions of rows and two of columns."""
    b, i, j, k, n = sizes
    rng = np.random.default_rng(sizes)
    x, y = numbers(rng, (b, i, j, 3), "i32"), numbers(rng, (b, k, n, 3), "i32")
    stored = tensor(sizes, "i32")
    types = [tensor(array.shape, "i32") for array in (x, y)]
    for permutation in itertools.permutations(range(5)):
        turned = tensor(tuple(sizes[d] for d in permutation), "i32")
        text = f"""
        func.func @main(%x: {types[0]}, %y: {types[1]}) -> {turned} {{
          %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0],
            contracting_dims = [3] x [3] : ({types[0]}, {types[1]}) -> {stored}
          %1 = stablehlo.transpose %0, dims = {list(permutation)} : ({stored}) -> {turned}
          return %1 : {turned}
        }}"""
        expected = np.einsum("bijs,bkns->bijkn", x, y).transpose(permutation)
        executable = compile(text)
        assert not executable.plain  # type: ignore[attr-defined]
        np.testing.assert_array_equal(executable(x, y), expected)
