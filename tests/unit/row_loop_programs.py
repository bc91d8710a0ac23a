"""Random loops over rows: most of them of rows that do not depend on each other.

All numbers are small integers in f32, so that sums are exact in any order.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

STEPS = 3


class RowLoop:
    """Text of a function that carries matrices, vectors and stacked matrices through a loop.

    Args:
        crosses: whether some ops read across rows.
    """

    def __init__(self, rng: np.random.Generator, *, crosses: bool) -> None:
        self.rng = rng
        self.rows = int(rng.choice([16, 24, 34, 40]))
        self.columns = int(rng.choice([8, 17, 32]))
        b, d = self.rows, self.columns
        self.matrix, self.vector = f"tensor<{b}x{d}xf32>", f"tensor<{b}xf32>"
        self.slab, self.stack = f"tensor<1x{b}x{d}xf32>", f"tensor<{STEPS}x{b}x{d}xf32>"
        self.weight, self.bias = f"tensor<{d}x{d}xf32>", f"tensor<{d}xf32>"
        self.lines: list[str] = []
        self._names = 0
        self.matrices, self.vectors = ["%h", "%c"], ["%v"]
        ways: list[Callable[[], None]] = [
            *(self._product, self._add, self._select, self._sum, self._spread, self._cut),
            *(self._turned, self._joined, self._reverse, self._dots, self._lines, self._padded),
            *(self._outside, self._nested),
        ]
        self._product()
        for _ in range(int(rng.integers(4, 9))):
            ways[int(rng.integers(len(ways)))]()
        if crosses:
            across = [self._reversed_rows, self._mean, self._gram, self._numbered, self._rolled]
            across[int(rng.integers(len(across)))]()

    # --- text -------------------------------------------------------------------------------------
    def text(self) -> str:
        """The module."""
        b, d = self.rows, self.columns
        index = "tensor<i32>"
        types = f"{index}, {self.matrix}, {self.matrix}, {self.vector}, {self.stack}"
        h, c, v = self.matrices[-1], self.matrices[-2], self.vectors[-1]
        return f"""
        func.func @main(%x: {self.matrix}, %xs: {self.stack}, %w: {self.weight}, %bias: {self.bias},
                        %mask: {self.vector}, %start: {index}) -> ({types}) {{
          %zero = stablehlo.constant dense<0> : {index}
          %none = stablehlo.constant dense<0.0> : tensor<f32>
          %ones = stablehlo.constant dense<1.0> : {self.matrix}
          %empty = stablehlo.broadcast_in_dim %none, dims = [] : (tensor<f32>) -> {self.stack}
          %0:5 = stablehlo.while(%i = %zero, %h = %x, %c = %ones, %v = %mask, %ys = %empty)
            : {types}
          cond {{
            %n = stablehlo.constant dense<{STEPS}> : {index}
            %more = stablehlo.compare LT, %i, %n : ({index}, {index}) -> tensor<i1>
            stablehlo.return %more : tensor<i1>
          }} do {{
            %one = stablehlo.constant dense<1> : {index}
            %low = stablehlo.constant dense<-3.0> : tensor<f32>
            %high = stablehlo.constant dense<3.0> : tensor<f32>
            %sum = stablehlo.constant dense<0.0> : tensor<f32>
            {chr(10).join(self.lines)}
            %next = stablehlo.add %i, %one : {index}
            %slab = stablehlo.reshape {h} : ({self.matrix}) -> tensor<1x{b}x{d}xf32>
            %stacked = stablehlo.dynamic_update_slice %ys, %slab, %i, %zero, %zero
              : ({self.stack}, {self.slab}, {index}, {index}, {index}) -> {self.stack}
            stablehlo.return %next, {h}, {c}, {v}, %stacked : {types}
          }}
          return %0#0, %0#1, %0#2, %0#3, %0#4 : {types}
        }}"""

    def arguments(self) -> list[np.ndarray]:
        """Small integers."""
        b, d = self.rows, self.columns
        shapes = [(b, d), (STEPS, b, d), (d, d), (d,), (b,)]
        tensors = [self.rng.integers(-3, 4, shape).astype(np.float32) for shape in shapes]
        return [
            *tensors,
            np.array(2, np.int32),
        ]  # all rows begin at the first one, whatever it says

    # --- parts ------------------------------------------------------------------------------------
    def _emit(self, op: str) -> str:
        self._names += 1
        self.lines.append(f"%t{self._names} = {op}")
        return f"%t{self._names}"

    def _any(self, pool: list[str]) -> str:
        return str(self.rng.choice(pool[-3:]))

    def _keep(self, name: str, pool: list[str], type: str) -> None:
        clamped = self._emit(
            f"stablehlo.clamp %low, {name}, %high : (tensor<f32>, {type}, tensor<f32>) -> {type}"
        )
        pool.append(clamped)

    def _matrix(self, op: str) -> None:
        self._keep(self._emit(op), self.matrices, self.matrix)

    def _multiplied(self, matrix: str) -> str:
        return (
            f"stablehlo.dot_general {matrix}, %w, contracting_dims = [1] x [0]"
            f" : ({self.matrix}, {self.weight}) -> {self.matrix}"
        )

    # --- ops whose rows do not depend on each other -----------------------------------------------
    def _product(self) -> None:
        self._matrix(self._multiplied(self._any(self.matrices)))

    def _add(self) -> None:
        one, other = self._any(self.matrices), self._any(self.matrices)
        self._matrix(f"stablehlo.add {one}, {other} : {self.matrix}")

    def _spread_vector(self, vector: str) -> str:
        return self._emit(
            f"stablehlo.broadcast_in_dim {vector}, dims = [0] : ({self.vector}) -> {self.matrix}"
        )

    def _select(self) -> None:
        spread = self._spread_vector(self._any([*self.vectors, "%mask"]))
        one, other = self._any(self.matrices), self._any(self.matrices)
        bits = self.matrix.replace("f32", "i1")
        is_more = self._emit(
            f"stablehlo.compare GT, {spread}, {one} : ({self.matrix}, {self.matrix}) -> {bits}"
        )
        self._matrix(f"stablehlo.select {is_more}, {one}, {other} : {bits}, {self.matrix}")

    def _sum(self) -> None:
        whole = self._emit(
            f"stablehlo.reduce({self._any(self.matrices)} init: %sum) applies stablehlo.add"
            f" across dimensions = [1] : ({self.matrix}, tensor<f32>) -> {self.vector}"
        )
        self._keep(whole, self.vectors, self.vector)

    def _spread(self) -> None:
        bias = f"tensor<1x{self.columns}xf32>"
        row = self._emit(f"stablehlo.broadcast_in_dim %bias, dims = [1] : ({self.bias}) -> {bias}")
        spread = self._emit(
            f"stablehlo.broadcast_in_dim {row}, dims = [0, 1] : ({bias}) -> {self.matrix}"
        )
        self._matrix(f"stablehlo.subtract {spread}, {self._any(self.matrices)} : {self.matrix}")

    def _cut(self) -> None:
        """The rows that an iteration reads of what is stacked."""
        b, d = self.rows, self.columns
        index = ", ".join(["tensor<i32>"] * 3)
        slab = self._emit(
            f"stablehlo.dynamic_slice %xs, %i, %start, %zero, sizes = [1, {b}, {d}]"
            f" : ({self.stack}, {index}) -> {self.slab}"
        )
        self._matrix(f"stablehlo.reshape {slab} : ({self.slab}) -> {self.matrix}")

    def _turned(self) -> None:
        b, d = self.rows, self.columns
        turned = self._emit(
            f"stablehlo.transpose {self._any(self.matrices)}, dims = [1, 0]"
            f" : ({self.matrix}) -> tensor<{d}x{b}xf32>"
        )
        other = self._emit(f"stablehlo.negate {turned} : tensor<{d}x{b}xf32>")
        self._matrix(
            f"stablehlo.transpose {other}, dims = [1, 0] : (tensor<{d}x{b}xf32>) -> {self.matrix}"
        )

    def _joined(self) -> None:
        b, d = self.rows, self.columns
        wide = f"tensor<{b}x{2 * d}xf32>"
        one, other = self._any(self.matrices), self._any(self.matrices)
        joined = self._emit(
            f"stablehlo.concatenate {one}, {other}, dim = 1"
            f" : ({self.matrix}, {self.matrix}) -> {wide}"
        )
        start = int(self.rng.integers(d))
        self._matrix(
            f"stablehlo.slice {joined} [0:{b}, {start}:{start + d}] : ({wide}) -> {self.matrix}"
        )

    def _reverse(self) -> None:
        self._matrix(f"stablehlo.reverse {self._any(self.matrices)}, dims = [1] : {self.matrix}")

    def _dots(self) -> None:
        one, other = self._any(self.matrices), self._any(self.matrices)
        dots = self._emit(
            f"stablehlo.dot_general {one}, {other}, batching_dims = [0] x [0],"
            f" contracting_dims = [1] x [1] : ({self.matrix}, {self.matrix}) -> {self.vector}"
        )
        self._keep(dots, self.vectors, self.vector)

    def _lines(self) -> None:
        line = self._emit(f"stablehlo.iota dim = 1 : {self.matrix}")
        self._matrix(f"stablehlo.add {line}, {self._any(self.matrices)} : {self.matrix}")

    def _padded(self) -> None:
        b, d = self.rows, self.columns
        wide = f"tensor<{b}x{d + 2}xf32>"
        padded = self._emit(
            f"stablehlo.pad {self._any(self.matrices)}, %high, low = [0, 2], high = [0, 0],"
            f" interior = [0, 0] : ({self.matrix}, tensor<f32>) -> {wide}"
        )
        self._matrix(f"stablehlo.slice {padded} [0:{b}, 0:{d}] : ({wide}) -> {self.matrix}")

    def _outside(self) -> None:
        self._matrix(f"stablehlo.subtract {self._any(self.matrices)}, %x : {self.matrix}")

    def _nested(self) -> None:
        """A product, twice."""
        start, self._names = self._any(self.matrices), self._names + 1
        name, index = f"%t{self._names}", "tensor<i32>"
        self.lines.append(f"""
            {name}:2 = stablehlo.while(%k = %zero, %m = {start}) : {index}, {self.matrix}
            cond {{
              %less = stablehlo.compare LE, %k, %one : ({index}, {index}) -> tensor<i1>
              stablehlo.return %less : tensor<i1>
            }} do {{
              %more = stablehlo.add %k, %one : {index}
              %product = {self._multiplied("%m")}
              %small = stablehlo.clamp %low, %product, %high
                : (tensor<f32>, {self.matrix}, tensor<f32>) -> {self.matrix}
              stablehlo.return %more, %small : {index}, {self.matrix}
            }}""")
        self.matrices.append(f"{name}#1")

    # --- ops across rows --------------------------------------------------------------------------
    def _reversed_rows(self) -> None:
        self._matrix(f"stablehlo.reverse {self._any(self.matrices)}, dims = [0] : {self.matrix}")

    def _mean(self) -> None:
        whole = self._emit(
            f"stablehlo.reduce({self._any(self.matrices)} init: %sum) applies stablehlo.maximum"
            f" across dimensions = [0] : ({self.matrix}, tensor<f32>) -> {self.bias}"
        )
        self._matrix(
            f"stablehlo.broadcast_in_dim {whole}, dims = [1] : ({self.bias}) -> {self.matrix}"
        )

    def _gram(self) -> None:
        one, other = self._any(self.matrices), self._any(self.matrices)
        gram = self._emit(
            f"stablehlo.dot_general {one}, {other}, contracting_dims = [0] x [0]"
            f" : ({self.matrix}, {self.matrix}) -> {self.weight}"
        )
        small = self._emit(
            f"stablehlo.clamp %low, {gram}, %high"
            f" : (tensor<f32>, {self.weight}, tensor<f32>) -> {self.weight}"
        )
        self._matrix(
            f"stablehlo.dot_general {one}, {small}, contracting_dims = [1] x [0]"
            f" : ({self.matrix}, {self.weight}) -> {self.matrix}"
        )

    def _numbered(self) -> None:
        numbers = self._emit(f"stablehlo.iota dim = 0 : {self.matrix}")
        self._matrix(f"stablehlo.add {numbers}, {self._any(self.matrices)} : {self.matrix}")

    def _rolled(self) -> None:
        b, d = self.rows, self.columns
        one = self._any(self.matrices)
        last, others = f"tensor<1x{d}xf32>", f"tensor<{b - 1}x{d}xf32>"
        parts = [
            self._emit(f"stablehlo.slice {one} [{b - 1}:{b}, 0:{d}] : ({self.matrix}) -> {last}"),
            self._emit(f"stablehlo.slice {one} [0:{b - 1}, 0:{d}] : ({self.matrix}) -> {others}"),
        ]
        self._matrix(
            f"stablehlo.concatenate {', '.join(parts)}, dim = 0"
            f" : ({last}, {others}) -> {self.matrix}"
        )


def recurrence(rows: int = 16, columns: int = 128) -> str:
    """``h = tanh(h @ w)``, as often as the last argument says."""
    matrix, weight = f"tensor<{rows}x{columns}xf32>", f"tensor<{columns}x{columns}xf32>"
    return f"""
    func.func @main(%x: {matrix}, %w: {weight}, %n: tensor<i32>) -> {matrix} {{
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %0:2 = stablehlo.while(%i = %zero, %h = %x) : tensor<i32>, {matrix}
      cond {{
        %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      }} do {{
        %1 = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0]
          : ({matrix}, {weight}) -> {matrix}
        %2 = stablehlo.tanh %1 : {matrix}
        %3 = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %3, %2 : tensor<i32>, {matrix}
      }}
      return %0#1 : {matrix}
    }}"""
