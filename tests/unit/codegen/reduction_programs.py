"""Types and values of programs that reduce."""

from __future__ import annotations

import math
from collections.abc import Sequence

import ml_dtypes
import numpy as np

TYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i8": np.int8, "ui16": np.uint16}
# Of programs that select and do not add.
SELECTED = {
    **TYPES,
    **{"bf16": ml_dtypes.bfloat16, "f16": np.float16, "i64": np.int64, "ui8": np.uint8},
}

# What takes the greatest value and its place; <T> are values, <N> places.
JAX = """
  %0 = stablehlo.compare GT, %a, %c : (tensor<T>, tensor<T>) -> tensor<i1>
  %1 = stablehlo.compare NE, %a, %a : (tensor<T>, tensor<T>) -> tensor<i1>
  %2 = stablehlo.or %0, %1 : tensor<i1>
  %3 = stablehlo.compare EQ, %a, %c : (tensor<T>, tensor<T>) -> tensor<i1>
  %4 = stablehlo.compare LT, %b, %d : (tensor<N>, tensor<N>) -> tensor<i1>
  %5 = stablehlo.and %3, %4 : tensor<i1>
  %6 = stablehlo.or %2, %5 : tensor<i1>
  %7 = stablehlo.select %2, %a, %c : tensor<i1>, tensor<T>
  %8 = stablehlo.select %6, %b, %d : tensor<i1>, tensor<N>
  stablehlo.return %7, %8 : tensor<T>, tensor<N>"""
# What follows a NaN replaces it: the order of the elements matters.
TORCH = """
  %0 = stablehlo.compare GE, %a, %c : (tensor<T>, tensor<T>) -> tensor<i1>
  %1 = stablehlo.select %0, %a, %c : tensor<i1>, tensor<T>
  %2 = stablehlo.compare EQ, %a, %c : (tensor<T>, tensor<T>) -> tensor<i1>
  %3 = stablehlo.minimum %b, %d : tensor<N>
  %4 = stablehlo.select %0, %b, %d : tensor<i1>, tensor<N>
  %5 = stablehlo.select %2, %3, %4 : tensor<i1>, tensor<N>
  stablehlo.return %1, %5 : tensor<T>, tensor<N>"""
# The least value, the last one of equal ones.
LAST = JAX.replace("GT, %a", "LT, %a").replace("LT, %b", "GT, %b")
# The first of equal ones, as the order of the elements tells.
FIRST = """
  %0 = stablehlo.compare GE, %a, %c : (tensor<T>, tensor<T>) -> tensor<i1>
  %1 = stablehlo.select %0, %a, %c : tensor<i1>, tensor<T>
  %2 = stablehlo.select %0, %b, %d : tensor<i1>, tensor<N>
  stablehlo.return %1, %2 : tensor<T>, tensor<N>"""


def _jax(a: float, b: int, c: float, d: int) -> tuple[float, int]:
    is_kept = a > c or math.isnan(a)
    return (a if is_kept else c), (b if is_kept or (a == c and b < d) else d)


def _torch(a: float, b: int, c: float, d: int) -> tuple[float, int]:
    return (a, min(b, d) if a == c else b) if a >= c else (c, d)


def _last(a: float, b: int, c: float, d: int) -> tuple[float, int]:
    is_kept = a < c or math.isnan(a)
    return (a if is_kept else c), (b if is_kept or (a == c and b > d) else d)


def _first(a: float, b: int, c: float, d: int) -> tuple[float, int]:
    return (a, b) if a >= c else (c, d)


# The regions in Python.
_RULES = {JAX: _jax, TORCH: _torch, LAST: _last, FIRST: _first}


def extreme(element: str, *, is_least: bool = True) -> str:
    """The least or the greatest value, as a constant has it."""
    type = np.dtype(SELECTED[element])
    if element in ("f32", "f64", "bf16", "f16"):
        infinity = np.array(-np.inf if is_least else np.inf, type)
        return f"0x{infinity.view(f'u{type.itemsize}').item():X}"
    return str(np.iinfo(type).min if is_least else np.iinfo(type).max)


def selection(
    shape: Sequence[int],
    dimension: int,
    element: str,
    region: str,
    number: str = "i32",
    start: tuple[str, str] | None = None,
    returned: Sequence[int] = (0, 1),
) -> str:
    """A reduction of an argument's elements and their places along a dimension."""
    whole, places = tensor(shape, element), tensor(shape, number)
    results = [tensor(kept(shape, [dimension]), kind) for kind in (element, number)]
    value, first = start or (extreme(element, is_least="GT, %a" in region or "GE" in region), "0")
    names = ", ".join(f"%r#{k}" for k in returned)
    types = ", ".join(results[k] for k in returned)
    region = region.replace("<T>", f"<{element}>").replace("<N>", f"<{number}>")
    return f"""
    func.func public @main(%x: {whole}) -> ({types}) {{
      %start = stablehlo.constant dense<{value}> : tensor<{element}>
      %zero = stablehlo.constant dense<{first}> : tensor<{number}>
      %places = stablehlo.iota dim = {dimension} : {places}
      %r:2 = stablehlo.reduce(%x init: %start), (%places init: %zero)
          across dimensions = [{dimension}]
          : ({whole}, {places}, tensor<{element}>, tensor<{number}>)
          -> ({", ".join(results)})
       reducer(%a: tensor<{element}>, %c: tensor<{element}>)
              (%b: tensor<{number}>, %d: tensor<{number}>) {{{region}
      }}
      return {names} : {types}
    }}"""


def selected(
    x: np.ndarray,
    dimension: int,
    region: str,
    number: str = "i32",
    start: tuple[float, int] | None = None,
) -> list[np.ndarray]:
    """What ``selection`` computes of an array, one element after the other in Python's numbers."""
    rule = _RULES[region]
    rows = np.moveaxis(x, dimension, -1)
    places = np.arange(x.shape[dimension]).astype(SELECTED[number]).tolist()
    first = start or (-np.inf if region != LAST else np.inf, 0)
    if start is None and x.dtype.kind in "iu":
        bounds = np.iinfo(x.dtype)
        first = bounds.max if region == LAST else bounds.min, 0
    wide = rows if x.dtype.kind in "iu" else rows.astype(np.float64)
    chosen = []
    for row in wide.reshape(-1, len(places)).tolist():
        value, place = first
        for element, at in zip(row, places, strict=True):
            value, place = rule(value, place, element, at)
        chosen.append((value, place))
    shape = rows.shape[:-1]
    types = (x.dtype, SELECTED[number])
    return [
        np.array(listed).astype(type).reshape(shape)
        for listed, type in zip(zip(*chosen, strict=True), types, strict=True)
    ]


def tensor(shape: Sequence[int], element: str) -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def kept(shape: Sequence[int], dimensions: Sequence[int]) -> list[int]:
    return [size for d, size in enumerate(shape) if d not in dimensions]


def numbers(shape: Sequence[int], element: str, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    return random.integers(0, 9, shape).astype(TYPES[element])
