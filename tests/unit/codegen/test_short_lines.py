"""Short rows of several dimensions, and values that have some of these: vectors stay in a line."""

from __future__ import annotations

import pytest
from reduction_programs import numbers, tensor
from staged_programs import assert_staged, staged

# Lines shorter than vectors, as long as one or two, a little longer, and of several chunks.
SHAPES = [(9, 5, 3), (5, 16, 3), (4, 32, 2), (7, 33, 3), (20, 67, 4), (3, 40, 7), (6, 100, 10)]
SHAPES += [
    (2, 9001, 3),
    (3, 16384, 2),
    (1, 600, 3),
    (2, 3, 65, 3),
    (3, 65, 1, 2),
    (200, 33, 2),
    (70, 64, 16),
]


def pairs(shape: tuple[int, ...], element: str, returned: str) -> str:
    """Distances of each of some points from each of others, and their sums and maxima."""
    *outer, line, columns = shape
    whole, kept, scalar = tensor(shape, element), tensor(shape[:-1], element), tensor((), element)
    left, right = tensor((*outer, columns), element), tensor((line, columns), element)
    last = len(shape) - 1
    first = ", ".join(map(str, [*range(last - 1), last]))
    types = {"%3": whole, "%4": kept, "%5": kept, "%8": whole}
    names = returned.split()
    least = "-90.0" if "f" in element else "-90"
    zero = "0.0" if "f" in element else "0"
    return f"""
    func.func @main(%x: {left}, %y: {right}) -> ({", ".join(types[n] for n in names)}) {{
      %zero = stablehlo.constant dense<{zero}> : {scalar}
      %least = stablehlo.constant dense<{least}> : {scalar}
      %0 = stablehlo.broadcast_in_dim %x, dims = [{first}] : ({left}) -> {whole}
      %1 = stablehlo.broadcast_in_dim %y, dims = [{last - 1}, {last}] : ({right}) -> {whole}
      %2 = stablehlo.subtract %0, %1 : {whole}
      %3 = stablehlo.multiply %2, %2 : {whole}
      %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [{last}]
          : ({whole}, {scalar}) -> {kept}
      %5 = stablehlo.reduce(%2 init: %least) applies stablehlo.maximum across dimensions = [{last}]
          : ({whole}, {scalar}) -> {kept}
      %6 = stablehlo.broadcast_in_dim %5, dims = [{", ".join(map(str, range(last)))}]
          : ({kept}) -> {whole}
      %8 = stablehlo.subtract %3, %6 : {whole}
      return {", ".join(names)} : {", ".join(types[n] for n in names)}
    }}"""


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("element", ["f32", "f64", "i32", "i8"])
@pytest.mark.parametrize("returned", ["%4", "%4 %5", "%3", "%8", "%3 %5 %8"])
def test_pairs(shape: tuple[int, ...], element: str, returned: str) -> None:
    *outer, line, columns = shape
    text = pairs(shape, element, returned)
    x, y = numbers((*outer, columns), element), numbers((line, columns), element, seed=1)
    assert_staged(text, x, y)


# What is read of %x, of %t, whose lines lie the other way round, and of %a, which is larger.
VIEWS = {
    "sliced": "stablehlo.slice %a [1:8, 3:73, 0:3] : (tensor<8x75x3xf32>) -> tensor<7x70x3xf32>",
    "transposed": "stablehlo.transpose %t, dims = [1, 0, 2]"
    " : (tensor<70x7x3xf32>) -> tensor<7x70x3xf32>",
    "turned": "stablehlo.transpose %s, dims = [1, 2, 0]"
    " : (tensor<3x7x70xf32>) -> tensor<7x70x3xf32>",
    "reversed": "stablehlo.reverse %x, dims = [1] : tensor<7x70x3xf32>",
    "joined": "stablehlo.concatenate %tail, %head, dim = 2"
    " : (tensor<7x70x2xf32>, tensor<7x70x1xf32>) -> tensor<7x70x3xf32>",
    "appended": "stablehlo.concatenate %end, %start, dim = 1"
    " : (tensor<7x30x3xf32>, tensor<7x40x3xf32>) -> tensor<7x70x3xf32>",
    "counted": "stablehlo.iota dim = 1 : tensor<7x70x3xf32>",
}


@pytest.mark.parametrize("one", VIEWS)
@pytest.mark.parametrize("other", VIEWS)
@pytest.mark.parametrize("is_wide", [False, True])
def test_views(one: str, other: str, is_wide: bool) -> None:
    """Results may lie where ``%x`` does."""
    whole, kept = "tensor<7x70x3xf32>", "tensor<7x70xf32>"
    returned = f"%3, %2 : {kept}, {whole}" if is_wide else f"%3 : {kept}"
    text = f"""
    func.func @main(%x: {whole} , %t: tensor<70x7x3xf32>,
        %s: tensor<3x7x70xf32>, %a: tensor<8x75x3xf32>) -> ({returned.split(" : ")[1]}) {{
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %head = stablehlo.slice %x [0:7, 0:70, 0:1] : ({whole}) -> tensor<7x70x1xf32>
      %tail = stablehlo.slice %x [0:7, 0:70, 1:3] : ({whole}) -> tensor<7x70x2xf32>
      %start = stablehlo.slice %x [0:7, 0:40, 0:3] : ({whole}) -> tensor<7x40x3xf32>
      %end = stablehlo.slice %x [0:7, 40:70, 0:3] : ({whole}) -> tensor<7x30x3xf32>
      %0 = {VIEWS[one]}
      %1 = {VIEWS[other]}
      %p = stablehlo.multiply %0, %1 : {whole}
      %2 = stablehlo.add %p, %x : {whole}
      %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [2]
          : ({whole}, tensor<f32>) -> {kept}
      return {returned}
    }}"""
    shapes = [(7, 70, 3), (70, 7, 3), (3, 7, 70), (8, 75, 3)]
    assert_staged(text, *(numbers(shape, "f32", seed=k) for k, shape in enumerate(shapes)))


def test_nobody_divides_lanes() -> None:
    program = staged(pairs((500, 600, 3), "f32", "%4"))
    assert "udiv" not in program.ir("llvm")
