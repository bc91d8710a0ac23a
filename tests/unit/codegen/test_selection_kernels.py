"""Kernels of select_and_scatter: windows that overlap or leave gaps, padding, all ways of lanes."""

from __future__ import annotations

import pytest
from reduction_programs import numbers, tensor
from staged_programs import assert_staged

# operand, window, strides, padding
SELECTIONS = [
    ((2, 9, 9, 35), (1, 3, 3, 1), (1, 2, 2, 1), (0,) * 8),
    ((2, 9, 9, 35), (1, 3, 3, 1), (1, 2, 2, 1), (0, 0, 1, 1, 1, 1, 0, 0)),
    ((2, 3, 9, 67), (1, 1, 3, 3), (1, 1, 2, 2), (0, 0, 0, 0, 1, 1, 2, 0)),
    ((20, 31, 33), (1, 2, 2), (1, 1, 1), (0,) * 6),
    ((70,), (3,), (1,), (1, 1)),
    ((7,), (2,), (4,), (3, 3)),
    ((), (), (), ()),
    ((5, 6), (5, 6), (1, 1), (0,) * 4),
    ((3, 1), (1, 1), (1, 1), (0,) * 4),
    ((6, 9), (3, 3), (1, 1), (-1, -1, -2, -1)),
]


def selection(
    operand: tuple[int, ...],
    source: tuple[int, ...],
    window: tuple[int, ...],
    strides: tuple[int, ...],
    padding: tuple[int, ...],
    element: str,
    direction: str,
    op: str,
) -> str:
    whole, updates, scalar = (tensor(s, element) for s in (operand, source, ()))
    pairs = ", ".join(f"[{a}, {b}]" for a, b in zip(padding[::2], padding[1::2], strict=True))
    arrays = [
        f"array<i64: {', '.join(map(str, v))}>" if v else "array<i64>" for v in (window, strides)
    ]
    edges = f", padding = dense<[{pairs}]> : tensor<{len(operand)}x2xi64>" if padding else ""
    start = "0.5" if "f" in element else "1"
    return f"""
    func.func public @main(%x: {whole}, %s: {updates}) -> {whole} {{
      %start = stablehlo.constant dense<{start}> : {scalar}
      %0 = stablehlo.add %x, %x : {whole}
      %1 = stablehlo.multiply %s, %s : {updates}
      %2 = "stablehlo.select_and_scatter"(%0, %1, %start) <{{window_dimensions = {arrays[0]},
          window_strides = {arrays[1]}{edges}}}> ({{
        ^bb0(%a: {scalar}, %b: {scalar}):
          %3 = stablehlo.compare {direction}, %a, %b : ({scalar}, {scalar}) -> tensor<i1>
          stablehlo.return %3 : tensor<i1>
      }}, {{
        ^bb0(%a: {scalar}, %b: {scalar}):
          %3 = stablehlo.{op} %a, %b : {scalar}
          stablehlo.return %3 : {scalar}
      }}) : ({whole}, {updates}, {scalar}) -> {whole}
      %4 = stablehlo.add %2, %2 : {whole}
      return %4 : {whole}
    }}"""


@pytest.mark.parametrize("case", SELECTIONS, ids=lambda case: "x".join(map(str, case[0])))
@pytest.mark.parametrize("element", ["f32", "f64", "i32"])
@pytest.mark.parametrize(("direction", "op"), [("GE", "add"), ("GT", "subtract"), ("LT", "add")])
def test_selections(
    case: tuple[tuple[int, ...], ...], element: str, direction: str, op: str
) -> None:
    operand, window, strides, padding = case
    source = tuple(
        (size + padding[2 * d] + padding[2 * d + 1] - window[d]) // strides[d] + 1
        for d, size in enumerate(operand)
    )
    text = selection(operand, source, window, strides, padding, element, direction, op)
    assert_staged(text, numbers(operand, element), numbers(source, element))
