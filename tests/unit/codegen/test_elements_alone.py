"""Random loops that take vectors apart which they have just put together, against the reference."""

from __future__ import annotations

import numpy as np
import pytest
from staged_programs import assert_staged

_BINARY = ("add", "subtract", "multiply", "maximum")


class _Loop:
    """A loop whose rounds slice, stack and compute with a vector, in any order."""

    def __init__(self, seed: int, size: int, element: str) -> None:
        self.random, self.size = np.random.default_rng(seed), size
        self.vector, self.single = (f"tensor<{n}x{element}>" for n in (size, 1))
        self.vectors, self.singles = ["%state", "%k"], []
        self.lines: list[str] = []

    def text(self, ops: int) -> str:
        for _ in range(ops):
            draw = self.random.random()
            if draw < 0.35:
                self._slice()
            elif draw < 0.55 and self.singles:
                self._stack()
            elif draw < 0.7 and self.singles:
                self._op(self.singles, self.single)
            else:
                self._op(self.vectors, self.vector)
        last = self._value(f"stablehlo.clamp %low, {self.vectors[-1]}, %high : {self.vector}")
        body = "\n            ".join(self.lines)
        return f"""func.func @main(%x: {self.vector}, %k: {self.vector}) -> {self.vector} {{
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %one = stablehlo.constant dense<1> : tensor<i32>
          %low = stablehlo.constant dense<-2.0> : {self.vector}
          %high = stablehlo.constant dense<2.0> : {self.vector}
          %end = stablehlo.constant dense<5> : tensor<i32>
          %0:2 = stablehlo.while(%i = %zero, %state = %x) : tensor<i32>, {self.vector}
          cond {{
            %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %p : tensor<i1>
          }} do {{
            {body}
            %next = stablehlo.add %i, %one : tensor<i32>
            stablehlo.return %next, {last} : tensor<i32>, {self.vector}
          }}
          return %0#1 : {self.vector}
        }}"""

    def _value(self, text: str) -> str:
        self.lines.append(f"%v{len(self.lines)} = {text}")
        return f"%v{len(self.lines) - 1}"

    def _one(self, values: list[str]) -> str:
        return values[self.random.integers(max(0, len(values) - 2), len(values))]

    def _slice(self) -> None:
        start = self.random.integers(self.size)
        cut = f"stablehlo.slice {self._one(self.vectors)} [{start}:{start + 1}]"
        self.singles.append(self._value(f"{cut} : ({self.vector}) -> {self.single}"))

    def _stack(self) -> None:
        parts = [self._one(self.singles) for _ in range(self.size)]
        types = ", ".join([self.single] * self.size)
        joined = f"stablehlo.concatenate {', '.join(parts)}, dim = 0"
        self.vectors.append(self._value(f"{joined} : ({types}) -> {self.vector}"))

    def _op(self, values: list[str], type: str) -> None:
        if self.random.random() < 0.2:
            values.append(self._value(f"stablehlo.negate {self._one(values)} : {type}"))
            return
        op = _BINARY[self.random.integers(len(_BINARY))]
        pair = f"{self._one(values)}, {self._one(values)}"
        values.append(self._value(f"stablehlo.{op} {pair} : {type}"))


@pytest.mark.parametrize(("element", "dtype"), [("f32", np.float32), ("f64", np.float64)])
@pytest.mark.parametrize("size", [2, 3, 4])
def test_random_loops(element: str, dtype: type[np.floating], size: int) -> None:
    for seed in range(12):
        text = _Loop(seed, size, element).text(30)
        random = np.random.default_rng(seed)
        arrays = [random.standard_normal(size).astype(dtype) for _ in range(2)]
        assert_staged(text, *arrays)
