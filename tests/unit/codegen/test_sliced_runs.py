"""Slices that are read along runs of whole dimensions, and those that are not."""

from __future__ import annotations

import numpy as np
import pytest
from reduction_programs import numbers, tensor
from staged_programs import assert_staged


def rolled(shape: tuple[int, ...], dimension: int, by: int) -> list[tuple[int, ...]]:
    """Starts and ends of the two parts that change places."""
    first = [0] * len(shape)
    middle = list(shape)
    start = list(first)
    start[dimension], middle[dimension] = by, by
    return [tuple(start), shape, tuple(first), tuple(middle)]


def sliced(name: str, of: str, starts: list[int], ends: list[int], shape: list[int]) -> str:
    """The line of a slice."""
    ranges = ", ".join(f"{a}:{b}" for a, b in zip(starts, ends, strict=True))
    to = tensor([b - a for a, b in zip(starts, ends, strict=True)], "f32")
    return f"{name} = stablehlo.slice {of} [{ranges}] : ({tensor(shape, 'f32')}) -> {to}"


@pytest.mark.parametrize("shape", [(9, 7, 33), (3, 5, 7, 11), (5, 1, 70), (4, 40, 3, 1), (2, 3000)])
def test_rolling(shape: tuple[int, ...]) -> None:
    """As ``numpy.roll`` along each dimension: two slices that change places."""
    for dimension, size in enumerate(shape):
        if size == 1:
            continue
        a, b, c, d = rolled(shape, dimension, size // 2)
        whole = tensor(shape, "f32")
        types = [
            tensor([high - low for low, high in zip(*p, strict=True)], "f32")
            for p in ((a, b), (c, d))
        ]
        text = f"""func.func @main(%x: {whole}) -> {whole} {{
          {sliced("%0", "%x", list(a), list(b), list(shape))}
          {sliced("%1", "%x", list(c), list(d), list(shape))}
          %2 = stablehlo.concatenate %0, %1, dim = {dimension}
            : ({types[0]}, {types[1]}) -> {whole}
          return %2 : {whole}
        }}"""
        assert_staged(text, numbers(shape, "f32"))


@pytest.mark.parametrize("seed", range(40))
def test_random_slices(seed: int) -> None:
    """Slices of slices, reshaped in between, between elementwise ops and sums."""
    random = np.random.default_rng(seed)
    shape = [int(n) for n in random.choice([1, 2, 3, 5, 9, 33, 70], int(random.integers(1, 5)))]
    lines, size, last = [], list(shape), "%x"
    for step in range(2):
        starts = [int(random.integers(0, n)) for n in size]
        ends = [int(random.integers(low + 1, n + 1)) for low, n in zip(starts, size, strict=True)]
        for d in range(len(size)):  # most dimensions stay whole
            if random.random() < 0.5:
                starts[d], ends[d] = 0, size[d]
        lines.append(sliced(f"%{step}", last, starts, ends, size))
        size, last = [b - a for a, b in zip(starts, ends, strict=True)], f"%{step}"
    flat = [int(np.prod(size))]
    pairs = ", ".join(map(str, range(len(size))))
    text = f"""func.func @main(%x: {tensor(shape, "f32")})
      -> ({tensor(flat, "f32")}, tensor<f32>) {{
      {lines[0]}
      {lines[1]}
      %a = stablehlo.add {last}, {last} : {tensor(size, "f32")}
      %r = stablehlo.reshape %a : ({tensor(size, "f32")}) -> {tensor(flat, "f32")}
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [{pairs}]
        : ({tensor(size, "f32")}, tensor<f32>) -> tensor<f32>
      return %r, %s : {tensor(flat, "f32")}, tensor<f32>
    }}"""
    assert_staged(text, numbers(shape, "f32", seed))
