"""Narrow parts side by side: stacked vectors, features, patches of images."""

from __future__ import annotations

import numpy as np
import pytest
from staged_programs import assert_staged
from test_repeated_elements import DTYPES, numbers, typed

WIDTHS = [[1] * 9, [3, 1, 4], [3, 5, 1, 2, 7], [1, 1], [2, 1], [1] * 33, [5, 0, 1], [40, 1], [2, 9]]


def joined(shapes: list[list[int]], element: str) -> str:
    """The parts along their last dimension."""
    types = [typed(shape, element) for shape in shapes]
    result = typed([*shapes[0][:-1], sum(shape[-1] for shape in shapes)], element)
    inputs = ", ".join(f"%{k}: {type}" for k, type in enumerate(types))
    names = ", ".join(f"%{k}" for k in range(len(types)))
    return f"""func.func @main({inputs}) -> {result} {{
      %r = stablehlo.concatenate {names}, dim = {len(shapes[0]) - 1}
        : ({", ".join(types)}) -> {result}
      return %r : {result}
    }}"""


@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize("widths", WIDTHS, ids=str)
def test_parts_of_memory(widths: list[int], element: str) -> None:
    """Rows that fill vectors, some that do not, and many."""
    for rows in ([32], [3, 37], [2049]):
        shapes = [[*rows, width] for width in widths]
        inputs = [numbers(shape, element, k) for k, shape in enumerate(shapes)]
        assert_staged(joined(shapes, element), *inputs)


@pytest.mark.parametrize("seed", range(40))
def test_computed_parts(seed: int) -> None:
    """Sums, slices, views and repeated columns, beside parts that lie in memory."""
    random = np.random.default_rng(seed)
    rows = [int(n) for n in ([40], [5, 33], [70], [2, 3, 16])[seed % 4]] if seed % 4 else [257]
    element = str(random.choice(["f32", "f64", "i8", "f16"]))
    lines, parts, inputs, arguments = [], [], [], []
    for number in range(int(random.integers(2, 7))):
        width = int(random.integers(1, 9))
        shape = [*rows, width]
        type, name = typed(shape, element), f"%{number}"
        form = random.choice(["input", "sum", "slice", "view", "repeated"])
        source = {
            "slice": [*[n + 2 for n in rows], width + 1],
            "view": [int(np.prod(rows)) * width],
            "repeated": rows,
        }.get(str(form), shape)
        inputs.append(numbers(source, element, seed + number))
        arguments.append(f"%x{number}: {typed(source, element)}")
        bounds = ", ".join([*(f"1:{n + 1}" for n in rows), f"1:{width + 1}"])
        lines += {
            "input": [],
            "sum": [f"{name} = stablehlo.add %x{number}, %x{number} : {type}"],
            "slice": [
                f"{name} = stablehlo.slice %x{number} [{bounds}]"
                f" : ({typed(source, element)}) -> {type}"
            ],
            "view": [
                f"{name} = stablehlo.reshape %x{number} : ({typed(source, element)}) -> {type}"
            ],
            "repeated": [
                f"{name} = stablehlo.broadcast_in_dim %x{number}, dims = {list(range(len(rows)))}"
                f" : ({typed(source, element)}) -> {type}"
            ],
        }[str(form)]
        parts.append((f"%x{number}" if form == "input" else name, width))
    result = typed([*rows, sum(width for _, width in parts)], element)
    types = ", ".join(typed([*rows, width], element) for _, width in parts)
    body = "\n      ".join(lines)
    text = f"""func.func @main({", ".join(arguments)}) -> {result} {{
      {body}
      %r = stablehlo.concatenate {", ".join(name for name, _ in parts)}, dim = {len(rows)}
        : ({types}) -> {result}
      return %r : {result}
    }}"""
    assert_staged(text, *inputs)


def test_sums_of_joined_rows() -> None:
    """What is joined is compared and summed at once, as windows of a text with a pattern are."""
    text = """func.func @main(%t: tensor<1005xi8>, %p: tensor<6xi8>) -> tensor<1000xi32> {
      %0 = stablehlo.slice %t [0:1000] : (tensor<1005xi8>) -> tensor<1000xi8>
      %1 = stablehlo.slice %t [2:1002] : (tensor<1005xi8>) -> tensor<1000xi8>
      %2 = stablehlo.slice %t [5:1005] : (tensor<1005xi8>) -> tensor<1000xi8>
      %3 = stablehlo.reshape %0 : (tensor<1000xi8>) -> tensor<1000x1xi8>
      %4 = stablehlo.reshape %1 : (tensor<1000xi8>) -> tensor<1000x1xi8>
      %5 = stablehlo.reshape %2 : (tensor<1000xi8>) -> tensor<1000x1xi8>
      %6 = stablehlo.concatenate %3, %4, %5, %3, %4, %5, dim = 1
        : (tensor<1000x1xi8>, tensor<1000x1xi8>, tensor<1000x1xi8>, tensor<1000x1xi8>,
           tensor<1000x1xi8>, tensor<1000x1xi8>) -> tensor<1000x6xi8>
      %7 = stablehlo.broadcast_in_dim %p, dims = [1] : (tensor<6xi8>) -> tensor<1000x6xi8>
      %8 = stablehlo.compare EQ, %6, %7 : (tensor<1000x6xi8>, tensor<1000x6xi8>)
        -> tensor<1000x6xi1>
      %9 = stablehlo.convert %8 : (tensor<1000x6xi1>) -> tensor<1000x6xi32>
      %z = stablehlo.constant dense<0> : tensor<i32>
      %r = stablehlo.reduce(%9 init: %z) applies stablehlo.add across dimensions = [1]
        : (tensor<1000x6xi32>, tensor<i32>) -> tensor<1000xi32>
      return %r : tensor<1000xi32>
    }"""
    assert_staged(text, numbers([1005], "i8") % 3, numbers([6], "i8", 1) % 3)
