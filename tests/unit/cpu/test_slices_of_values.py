"""Stages that read runs of their arguments: equal wherever the runs begin, and right."""

from __future__ import annotations

import numpy as np
import pytest

from shlo_tools import compile, interpret
from shlo_tools.cpu.stages.executable import StagedExecutable

FULL, CUT = "tensor<9x4x6xf32>", "tensor<1x3x6xf32>"
ROWS, SQUARE = "tensor<3x6xf32>", "tensor<3x3xf32>"


def slice_of(rng: np.random.Generator, base: str) -> str:
    row, start = int(rng.integers(9)), int(rng.integers(2))
    return f"stablehlo.slice {base} [{row}:{row + 1}, {start}:{start + 3}, 0:6]"


def program(rng: np.random.Generator) -> str:
    """Slices of an argument, a weight and a computed value meet in several kinds of stages."""
    weight = rng.integers(-4, 5, 9 * 4 * 6).astype(np.float32).tobytes().hex().upper()
    lines, rows, outputs = [], ["%y"], []
    for n in range(6):
        base = str(rng.choice(["%x", "%x", "%e", "%weight"]))
        lines += [
            f"%s{n} = {slice_of(rng, base)} : ({FULL}) -> {CUT}",
            f"%r{n} = stablehlo.reshape %s{n} : ({CUT}) -> {ROWS}",
        ]
        rows.append(f"%r{n}")
        a, b = (str(rng.choice(rows)) for _ in range(2))
        kind = int(rng.integers(5))
        if kind == 0:
            lines.append(f"%v{n} = stablehlo.subtract {a}, %r{n} : {ROWS}")
        elif kind == 1:
            lines += [
                f"%d{n} = stablehlo.dot_general {a}, %r{n}, contracting_dims = [1] x [1]"
                f" : ({ROWS}, {ROWS}) -> {SQUARE}",
                f"%c{n} = stablehlo.concatenate %d{n}, %d{n}, dim = 1"
                f" : ({SQUARE}, {SQUARE}) -> {ROWS}",
                f"%m{n} = stablehlo.constant dense<16.0> : {ROWS}",
                f"%v{n} = stablehlo.remainder %c{n}, %m{n} : {ROWS}",
            ]
        elif kind == 2:
            lines += [
                f"%d{n} = stablehlo.reduce({b} init: %zero) applies stablehlo.maximum"
                f" across dimensions = [0] : ({ROWS}, tensor<f32>) -> tensor<6xf32>",
                f"%b{n} = stablehlo.broadcast_in_dim %d{n}, dims = [1] : (tensor<6xf32>) -> {ROWS}",
                f"%v{n} = stablehlo.subtract %b{n}, %r{n} : {ROWS}",
            ]
        elif kind == 3:
            lines.append(f"%v{n} = stablehlo.reverse %r{n}, dims = [1] : {ROWS}")
            outputs.append(f"%r{n}")
        else:
            # Captured by a branch.
            lines += [
                f'%v{n} = "stablehlo.if"(%flag) ({{',
                f"  %n{n} = stablehlo.negate %r{n} : {ROWS}",
                f"  stablehlo.return %n{n} : {ROWS}",
                f"}}, {{ stablehlo.return {b} : {ROWS} }}) : (tensor<i1>) -> {ROWS}",
            ]
        rows.append(f"%v{n}")
    outputs += rows[-2:]
    types = ", ".join([ROWS] * len(outputs))
    body = "\n".join(lines)
    return f"""func.func @main(%x: {FULL}, %y: {ROWS}, %flag: tensor<i1>) -> ({types}) {{
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %weight = stablehlo.constant dense<"0x{weight}"> : {FULL}
      %tail = stablehlo.slice %x [5:9, 0:4, 0:6] : ({FULL}) -> tensor<4x4x6xf32>
      %head = stablehlo.slice %x [0:5, 0:4, 0:6] : ({FULL}) -> tensor<5x4x6xf32>
      %e = stablehlo.concatenate %tail, %head, dim = 0
        : (tensor<4x4x6xf32>, tensor<5x4x6xf32>) -> {FULL}
      {body}
      return {", ".join(outputs)} : {types}
    }}"""


@pytest.mark.parametrize("seed", range(20))
def test_random_slices(seed: int) -> None:
    rng = np.random.default_rng(seed)
    text = program(rng)
    executable = compile(text)
    assert isinstance(executable, StagedExecutable), text
    x = rng.integers(-9, 10, (9, 4, 6)).astype(np.float32)
    y = rng.integers(-9, 10, (3, 6)).astype(np.float32)
    for flag in (False, True):
        results, expected = executable(x, y, flag), interpret(text, x, y, flag)
        for result, target in zip(results, expected, strict=True):
            np.testing.assert_array_equal(result, target, err_msg=text)


@pytest.mark.parametrize("type", ["f32", "i1", "complex<f32>", "i8"])
def test_slices_of_one_shape_are_one_stage(type: str) -> None:
    count = 12
    slices = "\n".join(
        f"%{n} = stablehlo.slice %x [{n}:{n + 1}, 2:5, 0:7]"
        f" : (tensor<{count}x6x7x{type}>) -> tensor<1x3x7x{type}>"
        for n in range(count)
    )
    results = ", ".join(f"%{n}" for n in range(count))
    types = ", ".join([f"tensor<1x3x7x{type}>"] * count)
    text = f"""func.func @main(%x: tensor<{count}x6x7x{type}>) -> ({types}) {{
      {slices}
      return {results} : {types}
    }}"""
    executable = compile(text)
    assert isinstance(executable, StagedExecutable)
    assert len(executable.stages) == 1
    numbers = np.arange(count * 6 * 7).reshape(count, 6, 7) % 120
    names = {"f32": "f4", "i1": "?", "complex<f32>": "c8", "i8": "i1"}
    x = (numbers % 2 if type == "i1" else numbers).astype(names[type])
    for n, result in enumerate(executable(x)):
        np.testing.assert_array_equal(result, x[n : n + 1, 2:5])
