"""Programs of rows and of numbers for each row, and what they compute, by numpy in f64."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

_LEAST = {"f32": "0xFF800000", "f64": "0xFFF0000000000000", "bf16": "0xFF80"}


@dataclass(frozen=True)
class RowSums:
    """A function of a matrix, row by row.

    Attributes:
        lines: what it computes of ``%x``; the last line's value is the result. ``W``, ``R`` and
            ``S`` stand for the types of the matrix, of a number for each row, and of one number.
        is_narrow: whether the result is a number for each row.
        expected: the same of an array of f64.
    """

    lines: str
    is_narrow: bool
    expected: Callable[[np.ndarray], np.ndarray]

    def of_product(self, rows: int, inner: int, columns: int, element: str) -> str:
        """The program of a product of two matrices."""
        factors = f"tensor<{rows}x{inner}x{element}>", f"tensor<{inner}x{columns}x{element}>"
        text = self.text(rows, columns, element)
        whole = f"tensor<{rows}x{columns}x{element}>"
        product = f"""%a: {factors[0]}, %b: {factors[1]}) -> RESULT {{
  %x = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
    : ({factors[0]}, {factors[1]}) -> {whole}
"""
        head, lines = text.split("{", 1)
        result = head.split("->")[1].strip()
        return head.split("%x")[0] + product.replace("RESULT", result) + lines

    def text(self, rows: int, columns: int, element: str) -> str:
        """The program."""
        types = {
            "W": f"tensor<{rows}x{columns}x{element}>",
            "R": f"tensor<{rows}x{element}>",
            "S": f"tensor<{element}>",
            "B": f"tensor<{rows}xi1>",
        }
        *_, last = self.lines.strip().splitlines()
        result, _ = last.split("=")
        returned = "<R>" if self.is_narrow else "<W>"
        text = f"""func.func public @main(%x: <W>) -> {returned} {{{_CONSTANTS}{self.lines}
  return {result.strip()} : {returned} }}"""
        text = text.replace("LEAST", _LEAST[element]).replace("COUNT", f"{columns}.0")
        for name, type in types.items():
            text = text.replace(f"<{name}>", type)
        return text


_CONSTANTS = """
  %zero = stablehlo.constant dense<0.0> : <S>
  %least = stablehlo.constant dense<LEAST> : <S>
"""
_MOST = """
  %m = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1]
    : (<W>, <S>) -> <R>
  %is_finite = stablehlo.is_finite %m : (<R>) -> <B>
  %zeros = stablehlo.constant dense<0.0> : <R>
  %most = stablehlo.select %is_finite, %m, %zeros : <B>, <R>
  %spread = stablehlo.broadcast_in_dim %most, dims = [0] : (<R>) -> <W>
  %d = stablehlo.subtract %x, %spread : <W>
  %e = stablehlo.exponential %d : <W>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1]
    : (<W>, <S>) -> <R>
  %log = stablehlo.log %sum : <R>"""
_SQUARES = """
  %q = stablehlo.multiply %x, %x : <W>
  %sum = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [1]
    : (<W>, <S>) -> <R>"""
_SCALED = """
  %n = stablehlo.constant dense<COUNT> : <R>
  %mean = stablehlo.divide %sum, %n : <R>
  %little = stablehlo.constant dense<1.0e-5> : <R>
  %more = stablehlo.add %mean, %little : <R>
  %root = stablehlo.rsqrt %more : <R>
  %roots = stablehlo.broadcast_in_dim %root, dims = [0] : (<R>) -> <W>"""


def _log_sum(x: np.ndarray) -> np.ndarray:
    most = x.max(axis=1)
    most = np.where(np.isfinite(most), most, 0)
    with np.errstate(all="ignore"):
        return np.asarray(np.log(np.exp(x - most[:, None]).sum(axis=1)) + most)


def _scale(x: np.ndarray) -> np.ndarray:
    return np.asarray(1 / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5))


PROGRAMS = {
    "log of a sum of exponentials": RowSums(
        f"{_MOST}\n  %r = stablehlo.add %log, %most : <R>", True, _log_sum
    ),
    "log of a softmax": RowSums(
        f"""{_MOST}
  %logs = stablehlo.broadcast_in_dim %log, dims = [0] : (<R>) -> <W>
  %r = stablehlo.subtract %d, %logs : <W>""",
        False,
        lambda x: x - _log_sum(x)[:, None],
    ),
    "log of a norm": RowSums(
        f"{_SQUARES}\n  %r = stablehlo.log %sum : <R>", True, lambda x: np.log((x * x).sum(axis=1))
    ),
    "norm": RowSums(
        f"{_SQUARES}\n  %r = stablehlo.sqrt %sum : <R>",
        True,
        lambda x: np.sqrt((x * x).sum(axis=1)),
    ),
    "root mean square": RowSums(
        f"{_SQUARES}{_SCALED}\n  %r = stablehlo.multiply %x, %roots : <W>",
        False,
        lambda x: x * _scale(x),
    ),
    "normal": RowSums(
        f"""
  %total = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
    : (<W>, <S>) -> <R>
  %k = stablehlo.constant dense<COUNT> : <R>
  %middle = stablehlo.divide %total, %k : <R>
  %middles = stablehlo.broadcast_in_dim %middle, dims = [0] : (<R>) -> <W>
  %d = stablehlo.subtract %x, %middles : <W>{_SQUARES.replace("%x, %x", "%d, %d")}{_SCALED}
  %r = stablehlo.multiply %d, %roots : <W>""",
        False,
        lambda x: (y := x - x.mean(axis=1, keepdims=True)) * _scale(y),
    ),
}
