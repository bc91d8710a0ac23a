"""Reductions of matrices whose elements are padded, shifted, reversed or joined along lines."""

from __future__ import annotations

import numpy as np
import pytest
from staged_programs import assert_staged
from test_repeated_elements import numbers, typed

from shlo_tools import compile
from shlo_tools.codegen.stages import lowering
from shlo_tools.codegen.stages.lined_rows import LinedRowKernel

COLUMNS = [9, 16, 17, 31, 48, 110]


def moved(name: str, source: str, shape: list[int], random: np.random.Generator) -> list[str]:
    """Lines of a matrix that has the elements of another one elsewhere, and the name of it."""
    (rows, columns), type = shape, typed(shape, "f32")
    down, right = int(random.integers(0, min(3, rows))), int(random.integers(0, min(5, columns)))
    part = typed([rows - down, columns - right], "f32")
    if random.random() < 0.2:
        return [f"%{name} = stablehlo.reverse %{source}, dims = [{down % 2}] : {type}"]
    if random.random() < 0.5:  # from below and from the right, with padding behind
        first, last = [down, right], [rows, columns]
        low, high = [0, 0], [down, right]
    else:
        first, last = [0, 0], [rows - down, columns - right]
        low, high = [down, right], [0, 0]
    limits = ", ".join(f"{a}:{b}" for a, b in zip(first, last, strict=True))
    if not down and right and random.random() < 0.5:
        rest = typed([rows, right], "f32")
        turned = random.random() < 0.5
        operands, types = (f"%{name}p, %{name}q", f"{part}, {rest}")
        if turned:
            operands, types = (f"%{name}q, %{name}p", f"{rest}, {part}")
        return [
            f"%{name}p = stablehlo.slice %{source} [{limits}] : ({type}) -> {part}",
            f"%{name}q = stablehlo.slice %y [0:{rows}, 0:{right}] : ({type}) -> {rest}",
            f"%{name} = stablehlo.concatenate {operands}, dim = 1 : ({types}) -> {type}",
        ]
    return [
        f"%{name}p = stablehlo.slice %{source} [{limits}] : ({type}) -> {part}",
        f"%{name} = stablehlo.pad %{name}p, %one, low = {low}, high = {high}, interior = [0, 0] "
        f": ({part}, tensor<f32>) -> {type}",
    ]


def program(shape: list[int], random: np.random.Generator) -> str:
    """Sums and maxima of moved matrices, as matrices or as vectors; what rests on them; and more.

    The second reduction reads what the first one was made of again, so that it is kept.
    """
    type, count = typed(shape, "f32"), shape[0] * shape[1]
    vector = typed([count], "f32")
    lines = [
        "%zero = stablehlo.constant dense<0.0> : tensor<f32>",
        "%one = stablehlo.constant dense<1.0> : tensor<f32>",
        *moved("a", "x", shape, random),
        *moved("b", "y", shape, random),
        f"%c = stablehlo.multiply %a, %b : {type}",
        f"%d = stablehlo.subtract %c, %x : {type}",
    ]
    if random.random() < 0.5:
        lines += [
            f"%v = stablehlo.reshape %d : ({type}) -> {vector}",
            "%s = stablehlo.reduce(%v init: %zero) applies stablehlo.add across dimensions = [0] "
            f": ({vector}, tensor<f32>) -> tensor<f32>",
        ]
    else:
        lines += [
            "%s = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = "
            f"[0, 1] : ({type}, tensor<f32>) -> tensor<f32>"
        ]
    lines += [
        f"%t = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> {type}",
        *moved("e", "x", shape, random),
        f"%f = stablehlo.add %e, %d : {type}",
        f"%g = stablehlo.add %f, %t : {type}",
        "%m = stablehlo.reduce(%g init: %zero) applies stablehlo.maximum across dimensions = "
        f"[0, 1] : ({type}, tensor<f32>) -> tensor<f32>",
        f"%n = stablehlo.broadcast_in_dim %m, dims = [] : (tensor<f32>) -> {type}",
        f"%r = stablehlo.subtract %d, %n : {type}",
        f"return %r, %g, %m : {type}, {type}, tensor<f32>",
    ]
    body = "\n  ".join(lines)
    return (
        f"func.func @main(%x: {type}, %y: {type}) -> ({type}, {type}, tensor<f32>) {{\n  {body}\n}}"
    )


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed: int, columns: int) -> None:
    """Numbers are small and whole, so sums are exact in whatever order."""
    random = np.random.default_rng([seed, columns])
    shape = [int(random.integers(1, 40)), columns]
    inputs = [numbers(shape, "f32", seed + k) for k in range(2)]
    assert_staged(program(shape, random), *inputs)


RESIDUAL = """func.func @main(%x: tensor<30x44xf32>, %y: tensor<30x44xf32>)
    -> (tensor<30x44xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.pad %x, %zero, low = [1, -1], high = [-1, 1], interior = [0, 0]
    : (tensor<30x44xf32>, tensor<f32>) -> tensor<30x44xf32>
  %d = stablehlo.subtract %p, %y : tensor<30x44xf32>
  %m = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [0, 1]
    : (tensor<30x44xf32>, tensor<f32>) -> tensor<f32>
  %b = stablehlo.broadcast_in_dim %m, dims = [] : (tensor<f32>) -> tensor<30x44xf32>
  %r = stablehlo.multiply %d, %b : tensor<30x44xf32>
  return %r, %m : tensor<30x44xf32>, tensor<f32>
}"""


def test_lines_are_those_of_the_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the one row that its elements are to the reduction."""
    widths = []

    class Recorded(LinedRowKernel):
        def __init__(self, *args: object, width: int) -> None:
            super().__init__(*args, width=width)  # type: ignore[arg-type]
            widths.append(self._width)

    monkeypatch.setattr(lowering, "LinedRowKernel", Recorded)
    compile(RESIDUAL)
    assert widths == [44]
