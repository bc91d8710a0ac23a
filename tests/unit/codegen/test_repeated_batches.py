"""Products of batches that repeat matrices: random ones beside the reference."""

from __future__ import annotations

import numpy as np
import pytest
from staged_programs import assert_staged


def typed(shape: list[int]) -> str:
    return f"tensor<{'x'.join(map(str, (*shape, 'f32')))}>"


def program(seed: int) -> tuple[str, list[np.ndarray]]:
    """A product whose second factor is spread along some dimensions of the batch."""
    random = np.random.default_rng(seed)
    sizes = {name: int(random.choice([1, 2, 3, 5, 9, 17])) for name in "abcmnk"}
    batch = list("abc"[: int(random.integers(1, 4))])
    lhs = random.permutation([*batch, "m", "k"]).tolist()
    rhs = random.permutation([*batch, "k", *(["n"] if random.integers(4) else [])]).tolist()
    own = [name for name in rhs if name not in batch or random.integers(2)]
    shape = {side: [sizes[name] for name in names] for side, names in (("l", lhs), ("r", rhs))}
    matrix = [sizes[name] for name in own]
    result = [sizes[name] for name in (*batch, "m", *(["n"] if "n" in rhs else []))]
    batches = f"[{', '.join(str(lhs.index(b)) for b in batch)}]"
    batches += f" x [{', '.join(str(rhs.index(b)) for b in batch)}]"
    dims = [rhs.index(name) for name in own]
    text = f"""
    func.func @main(%x: {typed(shape["l"])}, %w: {typed(matrix)}) -> {typed(result)} {{
      %0 = stablehlo.broadcast_in_dim %w, dims = {dims} : ({typed(matrix)}) -> {typed(shape["r"])}
      %1 = stablehlo.dot_general %x, %0, batching_dims = {batches},
          contracting_dims = [{lhs.index("k")}] x [{rhs.index("k")}]
          : ({typed(shape["l"])}, {typed(shape["r"])}) -> {typed(result)}
      return %1 : {typed(result)}
    }}"""
    x, w = (random.integers(-8, 9, n).astype(np.float32) for n in (shape["l"], matrix))
    return text, [x, w]


@pytest.mark.parametrize("first", range(0, 80, 20))
def test_random_products(first: int) -> None:
    for seed in range(first, first + 20):
        text, inputs = program(seed)
        assert_staged(text, *inputs)
