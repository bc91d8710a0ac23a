"""Values that share memory in loops and branches, against the reference, in random programs."""

from __future__ import annotations

import numpy as np
import pytest
from loop_programs import SIZE, LoopProgram

from shlo_tools import compile, interpret
from shlo_tools.cpu.stages.executable import StagedExecutable


@pytest.mark.parametrize("seed", range(60))
def test_random_loops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    text = LoopProgram(rng, 2).text()
    executable = compile(text)
    assert isinstance(executable, StagedExecutable), text
    x, y = (rng.integers(-9, 10, SIZE).astype(np.float32) for _ in range(2))
    originals = x.copy(), y.copy()
    for number in (0, 1, 2, 5):
        results = executable(x, y, np.int32(number))
        expected = interpret(text, x, y, np.int32(number))
        for result, target in zip(results, expected, strict=True):
            np.testing.assert_array_equal(result, target, err_msg=text)
        np.testing.assert_array_equal((x, y), originals)


@pytest.mark.parametrize("seed", range(60, 90))
def test_random_loops_of_donated_arguments(seed: int) -> None:
    rng = np.random.default_rng(seed)
    text = LoopProgram(rng, 2).text()
    executable = compile(text, donate=[0, 1])
    x, y = (rng.integers(-9, 10, SIZE).astype(np.float32) for _ in range(2))
    for number in (0, 1, 2, 5):
        results = executable(x.copy(), y.copy(), np.int32(number))
        expected = interpret(text, x, y, np.int32(number))
        for place, (result, target) in enumerate(zip(results, expected, strict=True)):
            np.testing.assert_array_equal(result, target, err_msg=text)
            assert not any(np.may_share_memory(result, other) for other in results[:place])


def test_sums_that_branches_add_to_or_pass_on_are_not_copied() -> None:
    text = f"""
    func.func @main(%x: tensor<40x{SIZE}xf32>, %n: tensor<i32>)
        -> (tensor<40x{SIZE}xf32>, tensor<40x{SIZE}xf32>) {{
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %0 = stablehlo.negate %x : tensor<40x{SIZE}xf32>
      %1 = stablehlo.abs %x : tensor<40x{SIZE}xf32>
      %2:3 = stablehlo.while(%i = %zero, %a = %0, %b = %1)
        : tensor<i32>, tensor<40x{SIZE}xf32>, tensor<40x{SIZE}xf32>
      cond {{
        %3 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %3 : tensor<i1>
      }} do {{
        %3 = stablehlo.add %i, %one : tensor<i32>
        %4 = stablehlo.and %i, %one : tensor<i32>
        %5:2 = "stablehlo.case"(%4) ({{
          stablehlo.return %a, %b : tensor<40x{SIZE}xf32>, tensor<40x{SIZE}xf32>
        }}, {{
          %6 = stablehlo.add %a, %x : tensor<40x{SIZE}xf32>
          %7 = stablehlo.reverse %6, dims = [0] : tensor<40x{SIZE}xf32>
          %8 = stablehlo.add %b, %7 : tensor<40x{SIZE}xf32>
          stablehlo.return %6, %8 : tensor<40x{SIZE}xf32>, tensor<40x{SIZE}xf32>
        }}) : (tensor<i32>) -> (tensor<40x{SIZE}xf32>, tensor<40x{SIZE}xf32>)
        stablehlo.return %3, %5#0, %5#1
          : tensor<i32>, tensor<40x{SIZE}xf32>, tensor<40x{SIZE}xf32>
      }}
      return %2#1, %2#2 : tensor<40x{SIZE}xf32>, tensor<40x{SIZE}xf32>
    }}"""
    x = np.random.default_rng(1).integers(-9, 10, (40, SIZE)).astype(np.float32)
    executable = compile(text)
    for number in (0, 1, 2, 5):
        results = executable(x, np.int32(number))
        rounds = number // 2
        sums = [(k - 1) * x for k in range(rounds + 1)]
        np.testing.assert_array_equal(results[0], sums[rounds])
        expected = abs(x) + sum((one[::-1] for one in sums[1:]), np.zeros_like(x))
        np.testing.assert_array_equal(results[1], expected)
    copied = [row for row in executable.profile(x, np.int32(5), calls=1).rows if not row.place]
    assert sum(row.bytes for row in copied) < x.nbytes


def test_values_without_elements_stay_outside_of_branches() -> None:
    text = """
    func.func @main(%x: tensor<0x1xf32>) -> tensor<0x1xf32> {
      %0 = stablehlo.divide %x, %x : tensor<0x1xf32>
      %c = stablehlo.constant dense<false> : tensor<i1>
      %1:2 = "stablehlo.if"(%c) ({
        stablehlo.return %0, %x : tensor<0x1xf32>, tensor<0x1xf32>
      }, {
        stablehlo.return %0, %0 : tensor<0x1xf32>, tensor<0x1xf32>
      }) : (tensor<i1>) -> (tensor<0x1xf32>, tensor<0x1xf32>)
      return %1#0 : tensor<0x1xf32>
    }"""
    assert compile(text)(np.ones((0, 1), np.float32)).shape == (0, 1)


@pytest.mark.parametrize(
    ("type", "condition", "last"),
    [
        ("i1", "stablehlo.not %flag : tensor<i1>", True),
        ("i8", "stablehlo.compare NE, %flag, %c : (tensor<i8>, tensor<i8>) -> tensor<i1>", 1),
        ("ui8", "stablehlo.compare NE, %flag, %c : (tensor<ui8>, tensor<ui8>) -> tensor<i1>", 1),
    ],
)
def test_a_condition_does_not_overwrite_what_the_loop_returns(
    type: str, condition: str, last: int
) -> None:
    """The body reads no ``%flag``, and the condition makes as many bytes of it."""
    text = f"""
    func.func @main(%x: tensor<40x40xf32>, %one: tensor<i32>)
        -> (tensor<{type}>, tensor<i32>, tensor<40x40xf32>) {{
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %c = stablehlo.constant dense<{"true" if type == "i1" else "1"}> : tensor<{type}>
      %0 = stablehlo.xor %c, %c : tensor<{type}>
      %1:3 = stablehlo.while(%flag = %0, %i = %zero, %y = %x)
        : tensor<{type}>, tensor<i32>, tensor<40x40xf32>
      cond {{
        %2 = {condition}
        stablehlo.return %2 : tensor<i1>
      }} do {{
        %three = stablehlo.constant dense<3> : tensor<i32>
        %2 = stablehlo.add %i, %one : tensor<i32>
        %3 = stablehlo.compare GE, %2, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %4 = stablehlo.convert %3 : (tensor<i1>) -> tensor<{type}>
        %5 = stablehlo.dot_general %y, %x, contracting_dims = [1] x [0]
          : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
        stablehlo.return %4, %2, %5 : tensor<{type}>, tensor<i32>, tensor<40x40xf32>
      }}
      return %1#0, %1#1, %1#2 : tensor<{type}>, tensor<i32>, tensor<40x40xf32>
    }}"""
    x = np.eye(40, dtype=np.float32)[::-1].copy()
    flag, rounds, y = compile(text)(x, np.int32(1))
    assert (flag, rounds) == (last, 3)
    np.testing.assert_array_equal(y, np.linalg.matrix_power(x, 4))


def test_an_update_in_a_condition_leaves_what_the_loop_returns() -> None:
    text = f"""
    func.func @main(%x: tensor<{SIZE}xf32>, %n: tensor<i32>) -> tensor<{SIZE}xf32> {{
      %bound = stablehlo.constant dense<20.0> : tensor<f32>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %low = stablehlo.constant dense<-90.0> : tensor<1xf32>
      %0 = stablehlo.while(%y = %x) : tensor<{SIZE}xf32>
      cond {{
        %1 = stablehlo.dynamic_update_slice %y, %low, %n
          : (tensor<{SIZE}xf32>, tensor<1xf32>, tensor<i32>) -> tensor<{SIZE}xf32>
        %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0]
          : (tensor<{SIZE}xf32>, tensor<f32>) -> tensor<f32>
        %3 = stablehlo.compare LT, %2, %bound : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %3 : tensor<i1>
      }} do {{
        %1 = stablehlo.iota dim = 0 : tensor<{SIZE}xf32>
        stablehlo.return %1 : tensor<{SIZE}xf32>
      }}
      return %0 : tensor<{SIZE}xf32>
    }}"""
    x = np.zeros(SIZE, np.float32)
    np.testing.assert_array_equal(compile(text)(x, np.int32(5)), np.arange(SIZE))
    assert not x.any()
