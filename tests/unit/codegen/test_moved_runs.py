"""Views made of short runs: dimensions that change places, slices, tiles, and views of those."""

from __future__ import annotations

import numpy as np
import pytest
from staged_programs import assert_staged
from test_repeated_elements import DTYPES, numbers, typed

SHAPES = [[3, 9, 33, 3], [40, 7, 5], [5, 64, 2], [4, 6, 31], [9, 3, 65], [2, 3, 4, 17], [3, 2, 130]]


@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_dimensions_before_the_last_change_places(shape: list[int], element: str) -> None:
    """Runs of all lengths, of which some fill words and vectors."""
    order = [*range(len(shape) - 2, -1, -1), len(shape) - 1]
    source, result = typed(shape, element), typed([shape[d] for d in order], element)
    text = f"""func.func @main(%x: {source}) -> {result} {{
      %0 = stablehlo.transpose %x, dims = {order} : ({source}) -> {result}
      return %0 : {result}
    }}"""
    assert_staged(text, numbers(shape, element))


@pytest.mark.parametrize("width", [*range(1, 20), 33, 64, 65])
def test_columns_cut_out(width: int) -> None:
    """Every length of a run, from a place in the middle of rows."""
    for element in ("i8", "f32", "f64"):
        shape, result = typed([37, 70], element), typed([18, width], element)
        text = f"""func.func @main(%x: {shape}) -> {result} {{
          %0 = stablehlo.slice %x [1:37:2, 3:{3 + width}] : ({shape}) -> {result}
          return %0 : {result}
        }}"""
        assert_staged(text, numbers([37, 70], element))


@pytest.mark.parametrize("seed", range(60))
def test_random_views(seed: int) -> None:
    """Up to three views above each other, one of which may repeat or turn dimensions around."""
    random = np.random.default_rng(seed)
    element = str(random.choice(["i8", "f16", "f32", "f64", "complex<f32>"]))
    shape = [int(n) for n in random.integers(1, 9, int(random.integers(2, 5)))]
    start, lines, name = shape, [], "%x"
    for number in range(int(random.integers(1, 4))):
        before, rank, next_name = typed(shape, element), len(shape), f"%{number}"
        match random.choice(["transpose", "slice", "broadcast", "reverse", "reshape"]):
            case "transpose":
                order = [int(d) for d in random.permutation(rank)]
                shape = [shape[d] for d in order]
                op = f"stablehlo.transpose {name}, dims = {order} : "
            case "slice":
                firsts = [int(random.integers(0, n)) for n in shape]
                steps = [int(random.integers(1, 3)) if d < rank - 1 else 1 for d in range(rank)]
                rows = zip(firsts, shape, steps, strict=True)
                ranges = ", ".join(f"{first}:{end}:{step}" for first, end, step in rows)
                shape = [-(-(n - f) // s) for n, f, s in zip(shape, firsts, steps, strict=True)]
                op = f"stablehlo.slice {name} [{ranges}] : "
            case "broadcast":
                place = int(random.integers(0, rank))
                dims = [d + (d >= place) for d in range(rank)]
                shape = [*shape[:place], int(random.integers(2, 5)), *shape[place:]]
                op = f"stablehlo.broadcast_in_dim {name}, dims = {dims} : "
            case "reverse":
                lines.append(f"{next_name} = stablehlo.reverse {name}, dims = [0] : {before}")
                name = next_name
                continue
            case _:
                shape = [int(np.prod(shape[:-1])), shape[-1]]
                op = f"stablehlo.reshape {name} : "
        lines.append(f"{next_name} = {op}({before}) -> {typed(shape, element)}")
        name = next_name
    body = "\n      ".join(lines)
    text = f"""func.func @main(%x: {typed(start, element)}) -> {typed(shape, element)} {{
      {body}
      return {name} : {typed(shape, element)}
    }}"""
    assert_staged(text, numbers(start, element, seed))
