"""Reductions of what is repeated or moved along lines: of sums, maxima and products."""

from __future__ import annotations

import numpy as np
import pytest
from reduction_programs import TYPES, kept, numbers, tensor
from staged_programs import assert_staged

DIMENSIONS = [(0, 1), (0, 1, 2), (1, 2), (0,), (2,), (0, 2)]


def program(
    shape: tuple[int, int, int],
    sources: list[tuple[int, ...]],
    dimensions: tuple[int, ...],
    element: str,
    op: str,
) -> str:
    """Tensors of some dimensions each are repeated along the others, multiplied, and reduced."""
    whole, result = tensor(shape, element), tensor(kept(shape, dimensions), element)
    types = [tensor([shape[d] for d in dims], element) for dims in sources]
    arguments = ", ".join(f"%x{k}: {type}" for k, type in enumerate(types))
    start = {"add": 0, "maximum": 1, "multiply": 1, "subtract": 3}[op]
    number = f"{start}.0" if element[0] == "f" else str(start)
    lines = [
        f"%y{k} = stablehlo.broadcast_in_dim %x{k}, dims = {list(dims)} : ({type}) -> {whole}"
        for k, (dims, type) in enumerate(zip(sources, types, strict=True))
    ]
    lines += [
        f"%z = stablehlo.reverse %y0, dims = [1] : {whole}",
        f"%p = stablehlo.multiply %z, %y1 : {whole}",
        f"%s = stablehlo.constant dense<{number}> : tensor<{element}>",
        f"%r = stablehlo.reduce(%p init: %s) across dimensions = {list(dimensions)} : "
        f"({whole}, tensor<{element}>) -> {result} "
        f"reducer(%a: tensor<{element}>, %b: tensor<{element}>) {{",
        f"%c = stablehlo.{op} %a, %b : tensor<{element}>",
        f"stablehlo.return %c : tensor<{element}> }}",
        f"return %r : {result}",
    ]
    body = "\n  ".join(lines)
    return f"func.func @main({arguments}) -> {result} {{\n  {body}\n}}"


@pytest.mark.parametrize("op", ["add", "maximum", "multiply", "subtract"])
@pytest.mark.parametrize("element", ["f32", "f64", "i8"])
@pytest.mark.parametrize("dimensions", DIMENSIONS)
def test_a_reduction(dimensions: tuple[int, ...], element: str, op: str) -> None:
    """Of random sizes and parts; numbers are whole, and products of 0 and 1, so exact."""
    random = np.random.default_rng([len(op), *dimensions])
    for seed in range(3):
        last = int(random.choice([5, 33, 64, 70, 333]))
        shape = (int(random.integers(1, 12)), int(random.integers(1, 40)), last)
        parts = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
        sources = [parts[int(k)] for k in random.integers(0, len(parts), 2)]
        arrays = [
            numbers([shape[d] for d in dims], element, seed + k) for k, dims in enumerate(sources)
        ]
        if op == "multiply":
            arrays = [np.minimum(array, 1).astype(TYPES[element]) for array in arrays]
        assert_staged(program(shape, sources, dimensions, element, op), *arrays)


@pytest.mark.parametrize("line", [3, 7, 15, 31])
@pytest.mark.parametrize("element", ["f32", "f64"])
def test_vectors_behind_the_last_row(line: int, element: str) -> None:
    """The last of several vectors of a chunk may have no lane at all, whatever lanes there are."""
    text = program((5, line, 5), [(0, 2), (1, 2)], (2,), element, "subtract")
    assert_staged(text, numbers([5, 5], element), numbers([line, 5], element, 1))


def test_a_long_outer_product() -> None:
    """Sums in blocks along a line, of some hundred lines."""
    text = program((1, 300, 3330), [(1,), (2,)], (0, 1, 2), "f32", "add")
    assert_staged(text, numbers([300], "f32"), numbers([3330], "f32", 1) * 0 + 1)
