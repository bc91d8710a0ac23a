"""Random computations on shapes and sizes: every value, valid or not, is what Python says it is."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import shlo_tools

BACKENDS = ("native", "reference")
SHAPE, SIZE = "!shape.shape", "!shape.size"


class Invalid(Exception):
    """A value that there is not."""


def stretched(a: list[int], b: list[int]) -> list[int]:
    """As the dialect's documentation has it; numpy does not take sizes below 0."""
    rank = max(len(a), len(b))
    pairs = zip([1] * (rank - len(a)) + a, [1] * (rank - len(b)) + b, strict=True)
    return [require(x == y or 1 in (x, y), y if x == 1 else x) for x, y in pairs]


def require(holds: bool, value: Any) -> Any:
    if not holds:
        raise Invalid
    return value


def paired(function: Callable[[int, int], int], a: list[int], b: list[int]) -> list[int]:
    return [function(x, y) for x, y in zip(a, require(len(a) == len(b), b), strict=True)]


def split(a: list[int], at: int, part: int) -> list[int]:
    at = require(-len(a) <= at <= len(a), at)
    at += len(a) if at < 0 else 0
    return a[at:] if part else a[:at]


def reduced(a: list[int], start: int) -> int:
    for extent in a:
        start = require(extent != 2, start) * 2 + extent
    return start


# (operands, result, text, oracle); "S" is a shape and "n" a size. %i is the index of a size.
OPS: tuple[tuple[str, str, str, Callable[..., Any]], ...] = (
    ("SS", "S", f"shape.broadcast {{0}}, {{1}} : {SHAPE}, {SHAPE} -> {SHAPE}", stretched),
    ("SS", "S", f"shape.concat {{0}}, {{1}} : {SHAPE}, {SHAPE} -> {SHAPE}", lambda a, b: a + b),
    (
        "SS",
        "S",
        f"shape.meet {{0}}, {{1}} : {SHAPE}, {SHAPE} -> {SHAPE}",
        lambda a, b: require(a == b, a),
    ),
    (
        "SS",
        "S",
        f"shape.max {{0}}, {{1}} : {SHAPE}, {SHAPE} -> {SHAPE}",
        lambda a, b: paired(max, a, b),
    ),
    (
        "SS",
        "S",
        f"shape.min {{0}}, {{1}} : {SHAPE}, {SHAPE} -> {SHAPE}",
        lambda a, b: paired(min, a, b),
    ),
    *(
        (
            "Sn",
            "S",
            f'#{part} "shape.split_at"({{0}}, {{1}}) : ({SHAPE}, {SIZE}) -> ({SHAPE}, {SHAPE})',
            lambda a, n, part=part: split(a, n, part),
        )
        for part in (0, 1)
    ),
    ("nn", "S", f"shape.from_extents {{0}}, {{1}} : {SIZE}, {SIZE}", lambda a, b: [a, b]),
    ("S", "n", f"shape.num_elements {{0}} : {SHAPE} -> {SIZE}", math.prod),
    ("S", "n", f"shape.rank {{0}} : {SHAPE} -> {SIZE}", len),
    (
        "Sn",
        "n",
        f"shape.get_extent {{0}}, {{1}} : {SHAPE}, {SIZE} -> {SIZE}",
        lambda a, n: a[require(0 <= n < len(a), n)],
    ),
    ("nn", "n", f"shape.add {{0}}, {{1}} : {SIZE}, {SIZE} -> {SIZE}", lambda a, b: a + b),
    ("nn", "n", f"shape.mul {{0}}, {{1}} : {SIZE}, {SIZE} -> {SIZE}", lambda a, b: a * b),
    (
        "nn",
        "n",
        f"shape.div {{0}}, {{1}} : {SIZE}, {SIZE} -> {SIZE}",
        lambda a, b: a // require(b != 0, b),
    ),
    (
        "Sn",
        "n",
        f"""shape.reduce({{0}}, {{1}}) : {SHAPE} -> {SIZE} {{{{
        ^bb0(%i: index, %extent: {SIZE}, %sum: {SIZE}):
          %one = shape.const_size 1
          %two = shape.const_size 2
          %e = shape.from_extents %extent : {SIZE}
          %t = shape.from_extents %two : {SIZE}
          %is_two = shape.shape_eq %e, %t : {SHAPE}, {SHAPE}
          %zero = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %divisor = arith.select %is_two, %zero, %c1 : index
          %d = shape.div %sum, %divisor : {SIZE}, index -> {SIZE}
          %double = shape.mul %d, %two : {SIZE}, {SIZE} -> {SIZE}
          %next = shape.add %double, %extent : {SIZE}, {SIZE} -> {SIZE}
          shape.yield %next : {SIZE}
        }}}}""",
        reduced,
    ),
)


@dataclass
class Program:
    """A random program, and what its values are for some inputs."""

    lines: list[str] = field(default_factory=list)
    shapes: list[str] = field(default_factory=list)
    sizes: list[str] = field(default_factory=list)
    values: dict[str, list[Any]] = field(default_factory=dict)  # per input; None: invalid

    def add(self, kind: str, name: str, values: list[Any]) -> None:
        (self.shapes if kind == "S" else self.sizes).append(name)
        self.values[name] = values

    def grow(self, pick: random.Random) -> None:
        operands, kind, text, oracle = pick.choice(OPS)
        inputs = [pick.choice(self.shapes if o == "S" else self.sizes) for o in operands]
        name = f"%v{len(self.values)}"
        rows = zip(*(self.values[operand] for operand in inputs), strict=True)
        values = [evaluated(oracle, row) for row in rows]
        if any(len(v) > 8 or any(x > 1 << 40 for x in v) for v in values if isinstance(v, list)):
            return
        if any(abs(v) > 1 << 40 for v in values if isinstance(v, int)):
            return
        results = text.format(*inputs)
        if results.startswith("#"):
            self.lines.append(f"{name}_:2 = {results[3:]}")
            # A result of several has a name of its own through an op that changes nothing.
            part = f"{name}_#{results[1]}"
            results = f"shape.any {part} : {SHAPE} -> {SHAPE}"
        self.lines.append(f"{name} = {results}")
        self.add(kind, name, values)


def evaluated(oracle: Callable[..., Any], row: tuple[Any, ...]) -> Any:
    if None in row:
        return None
    try:
        return oracle(*row)
    except Invalid:
        return None


INPUTS = [([2, 3], [2, 3], 1), ([2, 1], [1, 4], 2), ([0, 1], [1, 1], 0), ([3, 5], [3, 2], -1)]


def random_program(seed: int, ranked: bool) -> tuple[str, Program, list[str]]:
    """A program that returns whether values are valid, and those that always are."""
    pick = random.Random(seed)
    program = Program()
    for n, name in enumerate(("%a", "%b")):
        program.add("S", name, [inputs[n] for inputs in INPUTS])
    program.add("n", "%n", [inputs[2] for inputs in INPUTS])
    program.add("n", "%ten", [10] * len(INPUTS))
    program.add("S", "%k", [[2, 1]] * len(INPUTS))
    while len(program.values) < 14:
        program.grow(pick)
    flags, always = [], []
    for name, values in program.values.items():
        shape = name
        if name in program.sizes:
            shape = f"{name}_s"
            program.lines.append(f"{shape} = shape.from_extents {name} : {SIZE}")
        program.lines.append(f"{name}_f = shape.shape_eq {shape}, %bad : {SHAPE}, {SHAPE}")
        flags.append(f"{name}_f")
        if None not in values:
            always.append(name)
    types = ["i1"] * len(flags) + [SHAPE if name in program.shapes else SIZE for name in always]
    type = "tensor<2xindex>" if ranked else "tensor<?xindex>"
    body = "\n".join(program.lines)
    text = f"""
    func.func @main(%x: {type}, %y: {type}, %n: {SIZE}) -> ({", ".join(types)}) {{
      %ten = shape.const_size 10
      %k = shape.const_shape [2, 1] : {SHAPE}
      %three = shape.const_shape [3, 7] : {SHAPE}
      %bad = shape.broadcast %k, %three {{error = "bad"}} : {SHAPE}, {SHAPE} -> {SHAPE}
      %a = shape.from_extent_tensor %x : {type}
      %b = shape.from_extent_tensor %y : {type}
      {body}
      return {", ".join([*flags, *always])} : {", ".join(types)}
    }}"""
    return text, program, always


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("ranked", [True, False], ids=["ranked", "unranked"])
@pytest.mark.parametrize("seed", range(12))
def test_random_program(seed: int, ranked: bool, backend: str) -> None:
    text, program, always = random_program(seed, ranked)
    module = shlo_tools.load(text)
    shlo_tools.Pipeline("builtin.module(shlo-legalize-shape)").run(module)
    executable = shlo_tools.compile(module, backend=backend)
    for n, (a, b, size) in enumerate(INPUTS):
        results = executable(np.array(a, np.int64), np.array(b, np.int64), np.int64(size))
        invalid = [bool(flag) for flag in results[: len(program.values)]]
        assert invalid == [values[n] is None for values in program.values.values()], text
        expected = [program.values[name][n] for name in always]
        assert [x.tolist() for x in results[len(program.values) :]] == expected, text
