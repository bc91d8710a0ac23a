"""Elements that stand several times beside each other, as after ``numpy.repeat`` or upsampling."""

from __future__ import annotations

import numpy as np
import pytest
from staged_programs import assert_staged

DTYPES = {
    **{"f32": np.float32, "f64": np.float64, "f16": np.float16, "i8": np.int8},
    **{"i1": np.bool_, "complex<f32>": np.complex64},
}


def typed(shape: list[int], element: str) -> str:
    return "tensor<" + "".join(f"{size}x" for size in shape) + f"{element}>"


def numbers(shape: list[int], element: str, seed: int = 0) -> np.ndarray:
    return (
        np.random.default_rng(seed)
        .integers(0, 2 if element == "i1" else 9, shape)
        .astype(DTYPES[element])
    )


def repeated(shape: list[int], times: int, element: str) -> tuple[str, list[int]]:
    """Lines that repeat the elements of ``%x`` along its last dimension, and the result's shape."""
    several, long = [*shape, times], [*shape[:-1], shape[-1] * times]
    dimensions = list(range(len(shape)))
    return (
        f"%b = stablehlo.broadcast_in_dim %x, dims = {dimensions}"
        f" : ({typed(shape, element)}) -> {typed(several, element)}\n"
        f"%r = stablehlo.reshape %b : ({typed(several, element)}) -> {typed(long, element)}",
        long,
    )


@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize("times", [2, 3, 4, 8, 16, 32])
@pytest.mark.parametrize("shape", [[3, 64], [7, 33], [1, 5], [2, 3, 17], [9000]])
def test_repeating(shape: list[int], times: int, element: str) -> None:
    lines, result = repeated(shape, times, element)
    text = f"""func.func @main(%x: {typed(shape, element)}) -> {typed(result, element)} {{
      {lines}
      return %r : {typed(result, element)}
    }}"""
    assert_staged(text, numbers(shape, element))


@pytest.mark.parametrize("seed", range(30))
def test_repeating_between_other_ops(seed: int) -> None:
    """What is repeated is padded, joined, sliced, reversed, compared and summed up."""
    random = np.random.default_rng(seed)
    shape = [int(random.integers(1, 6)), int(random.choice([3, 16, 33, 70]))]
    times = int(random.choice([2, 4, 8]))
    lines, long = repeated(shape, times, "f32")
    rows, width = long
    low, high, start = (int(n) for n in random.integers(0, 9, 3))
    padded, joined = [rows, width + low + high], [rows, width + low + high + width]
    end = int(random.integers(start + 1, joined[1] + 1))
    cut, whole, all_of = [rows, end - start], typed(long, "f32"), typed(joined, "f32")
    text = f"""func.func @main(%x: {typed(shape, "f32")}, %y: {whole})
        -> ({typed(cut, "f32")}, {typed([rows], "f32")}) {{
      {lines}
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %p = stablehlo.pad %r, %z, low = [0, {low}], high = [0, {high}], interior = [0, 0]
        : ({whole}, tensor<f32>) -> {typed(padded, "f32")}
      %m = stablehlo.maximum %r, %y : {whole}
      %j = stablehlo.concatenate %p, %m, dim = 1
        : ({typed(padded, "f32")}, {whole}) -> {all_of}
      %v = stablehlo.reverse %j, dims = [{int(random.integers(2))}] : {all_of}
      %c = stablehlo.slice %v [0:{rows}, {start}:{end}] : ({all_of}) -> {typed(cut, "f32")}
      %a = stablehlo.add %r, %y : {whole}
      %s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1]
        : ({whole}, tensor<f32>) -> {typed([rows], "f32")}
      return %c, %s : {typed(cut, "f32")}, {typed([rows], "f32")}
    }}"""
    assert_staged(text, numbers(shape, "f32", seed), numbers(long, "f32", seed + 1))
