"""Random chains of exact ops over all types: fused or not, every step rounds and wraps alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases._inputs import edges, noise
from cases._tolerances import EXACT, difference
from expected import FLOATS, REAL, SIGNED, converted, expected, table

import shlo_tools

Array = np.ndarray[Any, Any]

SIZE = 6
DIRECTIONS = {"LT": np.less, "GE": np.greater_equal, "EQ": np.equal, "NE": np.not_equal}


class Chain:
    """A program of random ops on square matrices, computed by numpy on the way."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.lines: list[str] = []
        self.values: dict[str, Array] = {}
        self.elements: dict[str, str] = {}
        chosen = self.random.choice(REAL, 4)
        self.arguments = [f"%a{i}" for i in range(len(chosen))]
        for name, element in zip(self.arguments, chosen, strict=True):
            pool = np.concatenate([edges(str(element)), noise(str(element))])
            self.values[name] = self.random.choice(pool, (SIZE, SIZE))
            self.elements[name] = str(element)
        for _ in range(12):
            kinds = (self.operate, self.operate, self.convert, self.choose, self.move)
            kinds[int(self.random.integers(0, len(kinds)))]()

    def text(self, returned: list[str]) -> str:
        arguments = ", ".join(f"{name}: {self.type(name)}" for name in self.arguments)
        types = ", ".join(self.type(name) for name in returned)
        ending = f"return {', '.join(returned)} : {types}"
        body = "\n".join([*self.lines, ending])
        return f"func.func @main({arguments}) -> ({types}) {{\n{body}\n}}"

    def type(self, name: str) -> str:
        return f"tensor<{SIZE}x{SIZE}x{self.elements[name]}>"

    def pick(self, element: str = "") -> str:
        """A value, of an element type if one is asked for (the latest ones more often)."""
        names = [n for n, e in self.elements.items() if not element or e == element]
        return names[-1 - int(self.random.integers(0, len(names)) * self.random.random())]

    def define(self, value: Array, element: str) -> str:
        name = f"%v{len(self.lines)}"
        self.values[name], self.elements[name] = value, element
        return name

    def operate(self) -> None:
        """An op of the table of a value's type, on that value and perhaps another."""
        one = self.pick()
        element = self.elements[one]
        signed = element in (*SIGNED, *FLOATS)
        names = [n for n in table(element) if signed or n not in ("abs", "sign")]
        op = str(self.random.choice(names))
        operands = [one] if op in UNARY else [one, self.pick(element)]
        flat = [self.values[name].reshape(-1) for name in operands]
        value = expected(op, element, *flat).reshape(SIZE, SIZE)
        result = self.define(value, element)
        self.lines.append(f"{result} = stablehlo.{op} {', '.join(operands)} : {self.type(result)}")

    def convert(self) -> None:
        one, target = self.pick(), str(self.random.choice(REAL))
        value = converted(self.values[one].reshape(-1), self.elements[one], target)
        result = self.define(value.reshape(SIZE, SIZE), target)
        types = f"({self.type(one)}) -> {self.type(result)}"
        self.lines.append(f"{result} = stablehlo.convert {one} : {types}")

    def choose(self) -> None:
        """A comparison of two values of one type, and a selection of other two by it."""
        one, first = self.pick(), self.pick()
        two, second = self.pick(self.elements[one]), self.pick(self.elements[first])
        direction = str(self.random.choice(list(DIRECTIONS)))
        with np.errstate(invalid="ignore"):
            answer = DIRECTIONS[direction](self.values[one], self.values[two])
        types = f"({self.type(one)}, {self.type(two)}) -> tensor<{SIZE}x{SIZE}xi1>"
        result = self.define(answer, "i1")
        self.lines.append(f"{result} = stablehlo.compare {direction}, {one}, {two} : {types}")
        value = np.where(answer, self.values[first], self.values[second])
        chosen = self.define(value, self.elements[first])
        types = f"{self.type(result)}, {self.type(first)}"
        self.lines.append(f"{chosen} = stablehlo.select {result}, {first}, {second} : {types}")

    def move(self) -> None:
        """Transposed, or one row for all."""
        one = self.pick()
        value = self.values[one]
        if self.random.random() < 0.5:
            result = self.define(np.ascontiguousarray(value.T), self.elements[one])
            types = f"({self.type(one)}) -> {self.type(result)}"
            self.lines.append(f"{result} = stablehlo.transpose {one}, dims = [1, 0] : {types}")
            return
        row = f"tensor<1x{SIZE}x{self.elements[one]}>"
        result = self.define(np.repeat(value[2:3], SIZE, axis=0), self.elements[one])
        cut = f"{result}_row = stablehlo.slice {one} [2:3, 0:{SIZE}] : ({self.type(one)}) -> {row}"
        types = f"({row}) -> {self.type(result)}"
        wide = f"stablehlo.broadcast_in_dim {result}_row, dims = [0, 1] : {types}"
        self.lines.append(f"{cut}\n{result} = {wide}")


UNARY = {"abs", "ceil", "count_leading_zeros", "floor", "negate", "not", "popcnt", "sign", "sqrt"}
UNARY |= {"round_nearest_afz", "round_nearest_even"}


@pytest.mark.parametrize("block", range(6))
def test_random_chains(block: int) -> None:
    """Only some values are returned, so that the others may vanish into fused loops."""
    for seed in range(12 * block, 12 * block + 12):
        chain = Chain(seed)
        returned = [name for name in chain.values if name not in chain.arguments][-3:]
        text = chain.text(returned)
        results = shlo_tools.compile(text)(*(chain.values[name] for name in chain.arguments))
        for name, actual in zip(returned, results, strict=True):
            assert difference(actual, chain.values[name], EXACT) == "", (
                f"seed {seed}, {name}:\n{text}"
            )


def test_narrow_results_are_not_kept_wide() -> None:
    """Converting down and up again is not the identity, though both steps may be fused."""
    text = """
      func.func @main(%a: tensor<64xf64>) -> (tensor<64xf64>, tensor<64xi32>) {
        %0 = stablehlo.convert %a : (tensor<64xf64>) -> tensor<64xbf16>
        %1 = stablehlo.convert %0 : (tensor<64xbf16>) -> tensor<64xf64>
        %2 = stablehlo.convert %a : (tensor<64xf64>) -> tensor<64xi8>
        %3 = stablehlo.convert %2 : (tensor<64xi8>) -> tensor<64xi32>
        return %1, %3 : tensor<64xf64>, tensor<64xi32>
      }"""
    a = np.random.default_rng(1).uniform(-300, 300, 64)
    one, two = shlo_tools.compile(text)(a)
    np.testing.assert_array_equal(one, converted(a, "f64", "bf16").astype(np.float64))
    np.testing.assert_array_equal(two, np.clip(np.trunc(a), -128, 127).astype(np.int32))


STEPS = {"add": np.add, "subtract": np.subtract, "maximum": np.maximum}


@pytest.mark.parametrize("factor", [np.int32(3), np.float32(0.625)])
@pytest.mark.parametrize("size", ["7", "?"])
def test_groups_end_somewhere(factor: Any, size: str) -> None:
    """Some hundred steps, more than one loop takes; most values are used once."""
    random = np.random.default_rng(5)
    type = f"tensor<{size}x{'i32' if factor.dtype == np.int32 else 'f32'}>"
    values = {"%a": random.integers(1, 100, 7).astype(factor.dtype), "%b": np.full(7, factor)}
    lines, names = [], ["%b", "%a"]
    for number in range(500):
        op = str(random.choice(list(STEPS)))
        one, two = names[-1], "%a" if random.random() < 0.995 else names[len(names) // 2]
        moved = STEPS[op](values[one], values[two])
        result = f"%v{number}"
        values[result] = moved * factor + values["%a"]
        lines += [f"%m{number} = stablehlo.{op} {one}, {two} : {type}"]
        lines += [f"%f{number} = stablehlo.multiply %m{number}, %b : {type}"]
        lines += [f"{result} = stablehlo.add %f{number}, %a : {type}"]
        names.append(result)
    body = "\n".join([*lines, f"return {names[-2]}, {names[-1]} : {type}, {type}"])
    text = f"func.func @main(%a: {type}, %b: {type}) -> ({type}, {type}) {{\n{body}\n}}"
    results = shlo_tools.compile(text)(values["%a"], values["%b"])
    for name, actual in zip(names[-2:], results, strict=True):
        assert np.isfinite(values[name]).all()
        assert difference(actual, values[name], EXACT) == ""
