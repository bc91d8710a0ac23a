"""Cases of reduce_window with bodies of one op, folded in numpy."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from cases._case import Array, Case, snippet, type_of
from cases._types import dtype_of
from sliding import Sliding

from shlo_tools import dtypes

Fold = Callable[..., Any]

# name -> (init value, the fold on numpy scalars)
FOLDS: dict[str, tuple[float, Fold]] = {
    "add": (0, lambda x, y: x + y),
    "multiply": (1, lambda x, y: x * y),
    "maximum": (-np.inf, np.maximum),
    "minimum": (np.inf, np.minimum),
}


def attributes(s: Sliding) -> str:
    lists = {
        "window_dimensions": s.window_dimensions,
        "window_strides": s.window_strides,
        "base_dilations": s.base_dilations,
        "window_dilations": s.window_dilations,
    }
    rows = [list(pair) for pair in s.padding]
    written = [f"{name} = array<i64: {str(list(v))[1:-1]}>" for name, v in lists.items()]
    written.append(f"padding = dense<{rows}> : tensor<{len(rows)}x2xi64>")
    return ", ".join(written)


def region(name: str, element: str) -> str:
    scalar = f"tensor<{element}>"
    return f"""({{
    ^bb0(%x: {scalar}, %y: {scalar}):
      %z = stablehlo.{name} %x, %y : {scalar}
      stablehlo.return %z : {scalar}
    }})"""


def numbers(random: Any, element: str, shape: Sequence[int]) -> Array:
    """Small integers, which no order of additions rounds; -0, inf and NaN are tested apart."""
    return random.integers(-4, 5, shape).astype(dtype_of(element))


def folded(window: Array, init: Any, fold: Fold) -> Any:
    return functools.reduce(fold, window.reshape(-1), init)


def case(name: str, operand: Array, s: Sliding, init: Any = None) -> Case:
    element = dtypes.from_dtype(operand.dtype).name
    neutral, fold = FOLDS[name]
    start = np.array(neutral if init is None else init).astype(operand.dtype)
    expected = np.zeros(s.num_windows(operand.shape), operand.dtype)
    with np.errstate(over="ignore"):
        for index, window in s.windows(operand, start):
            expected[index] = folded(window, start[()], fold)
    text = f'%out0 = "stablehlo.reduce_window"(%in0, %in1) <{{{attributes(s)}}}> '
    text += f"{region(name, element)} : ({type_of(operand)}, {type_of(start)}) -> "
    text += type_of(expected)
    return snippet(f"{name} {type_of(operand)} {s}", text, [operand, start], [expected])
