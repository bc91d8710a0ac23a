"""Regions of reductions, scatters, sorts, ... as text."""

from __future__ import annotations

from collections.abc import Sequence

from cases._types import spelled


def scalar(element: str) -> str:
    return f"tensor<{spelled(element, ())}>"


def reducer(op: str, element: str) -> str:
    """A region that combines two scalars with one op."""
    type = scalar(element)
    return f"""{{
    ^bb0(%x: {type}, %y: {type}):
      %z = "stablehlo.{op}"(%x, %y) : ({type}, {type}) -> {type}
      "stablehlo.return"(%z) : ({type}) -> ()
    }}"""


def second(element: str) -> str:
    """A region that gives its second argument: the update of a scatter."""
    type = scalar(element)
    return f"""{{
    ^bb0(%x: {type}, %y: {type}):
      "stablehlo.return"(%y) : ({type}) -> ()
    }}"""


def comparator(direction: str, element: str, others: Sequence[str] = (), type: str = "") -> str:
    """A region that compares the first pair of scalars of several."""
    pairs = [f"%x{i}: {scalar(e)}, %y{i}: {scalar(e)}" for i, e in enumerate((element, *others))]
    first = scalar(element)
    attributes = f"comparison_direction = #stablehlo<comparison_direction {direction}>"
    attributes += f", compare_type = #stablehlo<comparison_type {type}>" if type else ""
    return f"""{{
    ^bb0({", ".join(pairs)}):
      %z = "stablehlo.compare"(%x0, %y0) <{{{attributes}}}> : ({first}, {first}) -> tensor<i1>
      "stablehlo.return"(%z) : (tensor<i1>) -> ()
    }}"""


def integers(values: Sequence[int]) -> str:
    """``array<i64: 1, 2>``."""
    return f"array<i64: {', '.join(map(str, values))}>" if values else "array<i64>"


def rows_of(values: Sequence[Sequence[int]], columns: int = 2) -> str:
    """``dense<[[0, 1]]> : tensor<1x2xi64>``."""
    array = [list(row) for row in values]
    text = str(array) if array else ""
    return f"dense<{text}> : tensor<{len(array)}x{columns}xi64>"
