"""Random bits in every layout, and random numbers."""

from __future__ import annotations

import numpy as np
import pytest
from staged_programs import assert_staged

from shlo_tools import compile
from shlo_tools.cpu.stages.executable import StagedExecutable

SHAPES: list[tuple[int, ...]] = [(), (1,), (3,), (4097,), (7, 5), (31, 33), (6, 3), (2, 5000)]
SHAPES += [(3, 2, 65), (5, 1), (0, 4), (101, 9, 7), (4096, 2), (5001, 3)]
STATE = [2**63 + 12345, 2**64 - 3, 2**64 - 1]


def typed(shape: tuple[int, ...], type: str) -> str:
    return f"tensor<{'x'.join([*map(str, shape), type])}>"


def bits(algorithm: str, state: str, result: str) -> str:
    return f"""func.func @main(%s: {state}) -> ({state}, {result}) {{
      %0:2 = "stablehlo.rng_bit_generator"(%s)
        {{rng_algorithm = #stablehlo<rng_algorithm {algorithm}>}} : ({state}) -> ({state}, {result})
      return %0#0, %0#1 : {state}, {result}
    }}"""


@pytest.mark.parametrize("type", ["ui8", "i16", "ui32", "ui64"])
@pytest.mark.parametrize(("algorithm", "words"), [("THREE_FRY", 2), ("PHILOX", 2), ("PHILOX", 3)])
def test_bits(algorithm: str, words: int, type: str) -> None:
    state = np.array(STATE[:words], np.uint64)
    for shape in SHAPES:
        assert_staged(bits(algorithm, typed((words,), "ui64"), typed(shape, type)), state)


@pytest.mark.parametrize("algorithm", ["THREE_FRY", "PHILOX"])
def test_states_of_halves(algorithm: str) -> None:
    state = np.array([7, 2**31, 2**32 - 2, 2**32 - 1], np.uint32)
    assert_staged(bits(algorithm, typed((4,), "ui32"), typed((65, 7), "ui32")), state)


def test_bits_between_other_ops() -> None:
    text = """func.func @main(%s: tensor<2xui64>, %x: tensor<31x7xui32>) 
        -> (tensor<7xui32>, tensor<2xui64>) {
      %one = stablehlo.constant dense<1> : tensor<2xui64>
      %zero = stablehlo.constant dense<0> : tensor<ui32>
      %t = stablehlo.add %s, %one : tensor<2xui64>
      %0:2 = "stablehlo.rng_bit_generator"(%t) {rng_algorithm = #stablehlo<rng_algorithm DEFAULT>}
        : (tensor<2xui64>) -> (tensor<2xui64>, tensor<31x7xui32>)
      %1 = stablehlo.xor %0#1, %x : tensor<31x7xui32>
      %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<31x7xui32>, tensor<ui32>) -> tensor<7xui32>
      %3 = stablehlo.multiply %0#0, %t : tensor<2xui64>
      return %2, %3 : tensor<7xui32>, tensor<2xui64>
    }"""
    x = np.arange(31 * 7, dtype=np.uint32).reshape(31, 7)
    assert_staged(text, np.array(STATE[:2], np.uint64), x)


def numbers(type: str, shape: tuple[int, ...], distribution: str) -> str:
    of, rank = typed(shape, type), len(shape)
    op = f""""stablehlo.rng"(%a, %b, %s)
        {{rng_distribution = #stablehlo<rng_distribution {distribution}>}}
        : (tensor<{type}>, tensor<{type}>, tensor<{rank}xi64>) -> {of}"""
    return f"""func.func @main(%a: tensor<{type}>, %b: tensor<{type}>) -> ({of}, {of}) {{
      %s = stablehlo.constant dense<{list(shape)}> : tensor<{rank}xi64>
      %0 = {op}
      %1 = {op}
      return %0, %1 : {of}, {of}
    }}"""


@pytest.mark.parametrize("distribution", ["UNIFORM", "NORMAL"])
@pytest.mark.parametrize("type", ["f16", "f32", "f64"])
def test_random_numbers(type: str, distribution: str) -> None:
    executable = compile(numbers(type, (65, 7, 11), distribution))
    assert isinstance(executable, StagedExecutable)
    assert not executable.plain
    dtype = f"f{int(type[1:]) // 8}"
    first, second = executable(np.array(-1, dtype), np.array(3, dtype))
    assert not (first == second).all()  # equal ops, and other numbers
    for values in (first, second):
        sample = values.astype("f8")
        mean, deviation = (1.0, 4 / 12**0.5) if distribution == "UNIFORM" else (-1.0, 3.0)
        assert abs(sample.mean() - mean) < 4 * deviation / sample.size**0.5
        assert abs(sample.std() - deviation) < 0.1 * deviation


@pytest.mark.parametrize(("type", "low", "high"), [("i8", -128, 127), ("ui64", 3, 2**64 - 1)])
def test_random_integers(type: str, low: int, high: int) -> None:
    executable = compile(numbers(type, (5000,), "UNIFORM"))
    assert isinstance(executable, StagedExecutable)
    assert not executable.plain
    dtype = np.dtype({"i8": "i1", "ui64": "u8"}[type])
    values = np.asarray(executable(np.array(low, dtype), np.array(high, dtype))[0])
    assert values.min() >= low
    assert values.max() < high
    middle = (low + high) / 2
    assert abs(values.astype("f8").mean() - middle) < 0.05 * (high - low)
