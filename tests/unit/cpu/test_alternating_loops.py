"""Loops whose rounds alternate between two places for what they carry."""

from __future__ import annotations

import numpy as np
import pytest

from shlo_tools import compile
from shlo_tools.cpu.stages.executable import StagedExecutable

SIZE = 4000
TENSOR = f"tensor<{SIZE}xf32>"
LOOP = f"""func.func @main(%x: {TENSOR}, %y: {TENSOR}, %n: tensor<i32>) -> ({TENSOR}, {TENSOR}) {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %a = %x, %b = %y) : tensor<i32>, {TENSOR}, {TENSOR} cond {{
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }} do {{
    %1 = stablehlo.add %i, %one : tensor<i32>
    BODY
  }}
  return %0#1, %0#2 : {TENSOR}, {TENSOR}
}}"""
# What a round makes of a and b, as text, and for numpy.
REVERSED = "%r = stablehlo.reverse %a, dims = [0]"
BODIES = {
    "neighbours": (
        f"""{REVERSED} : {TENSOR}
        %2 = stablehlo.subtract %a, %r : {TENSOR}
        stablehlo.return %1, %2, %b : tensor<i32>, {TENSOR}, {TENSOR}""",
        lambda a, b: (a - a[::-1], b),
    ),
    "an earlier round": (
        f"""{REVERSED} : {TENSOR}
        %2 = stablehlo.subtract %r, %b : {TENSOR}
        stablehlo.return %1, %2, %a : tensor<i32>, {TENSOR}, {TENSOR}""",
        lambda a, b: (a[::-1] - b, a),
    ),
    "swapped": (
        f"stablehlo.return %1, %b, %a : tensor<i32>, {TENSOR}, {TENSOR}",
        lambda a, b: (b, a),
    ),
    "both": (
        f"""{REVERSED} : {TENSOR}
        %2 = stablehlo.subtract %r, %b : {TENSOR}
        %s = stablehlo.reverse %b, dims = [0] : {TENSOR}
        %3 = stablehlo.maximum %s, %a : {TENSOR}
        stablehlo.return %1, %2, %3 : tensor<i32>, {TENSOR}, {TENSOR}""",
        lambda a, b: (a[::-1] - b, np.maximum(b[::-1], a)),
    ),
}


def compiled(body: str) -> StagedExecutable:
    executable = compile(LOOP.replace("BODY", BODIES[body][0]))
    assert isinstance(executable, StagedExecutable)
    return executable


def arguments(rounds: int) -> tuple[np.ndarray, np.ndarray, np.int32]:
    rng = np.random.default_rng(0)
    x, y = (rng.integers(-9, 10, SIZE).astype(np.float32) for _ in range(2))
    return x, y, np.int32(rounds)


@pytest.mark.parametrize("rounds", range(6))
@pytest.mark.parametrize("body", BODIES)
def test_any_number_of_rounds(body: str, rounds: int) -> None:
    a, b, number = arguments(rounds)
    results = compiled(body)(a, b, number)
    for _ in range(rounds):
        a, b = BODIES[body][1](a, b)
    np.testing.assert_array_equal(results, (a, b))


@pytest.mark.parametrize("body", BODIES)
def test_no_round_copies(body: str) -> None:
    """What is copied in front of a loop and behind it does not grow with the rounds."""
    executable = compiled(body)
    copied = set()
    for rounds in (10, 11, 20, 21):
        profile = executable.profile(*arguments(rounds), calls=1)
        copied |= {row.bytes for row in profile.rows if row.stage == "copies"}
    assert max(copied, default=0) <= 6 * 8 * SIZE


def test_a_stage_of_both_rounds_is_one_row_of_a_profile() -> None:
    profile = compiled("neighbours").profile(*arguments(7), calls=1)
    assert sorted(row.runs for row in profile.rows if row.stage != "copies") == [1, 7, 7, 8]


@pytest.mark.parametrize("rounds", [40, 41])
def test_what_is_updated_in_place_is_not_copied_at_the_end(rounds: int) -> None:
    """All states of a loop are stacked, beside one that is carried."""
    stack = f"tensor<{rounds}x200xf32>"
    executable = compile(f"""
    func.func @main(%x: tensor<200xf32>) -> (tensor<200xf32>, {stack}) {{
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %end = stablehlo.constant dense<{rounds}> : tensor<i32>
      %empty = stablehlo.constant dense<0.0> : {stack}
      %0:3 = stablehlo.while(%i = %zero, %a = %x, %b = %empty)
        : tensor<i32>, tensor<200xf32>, {stack}
      cond {{
        %1 = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      }} do {{
        %1 = stablehlo.add %i, %one : tensor<i32>
        %2 = stablehlo.reverse %a, dims = [0] : tensor<200xf32>
        %3 = stablehlo.subtract %2, %a : tensor<200xf32>
        %4 = stablehlo.reshape %3 : (tensor<200xf32>) -> tensor<1x200xf32>
        %5 = stablehlo.dynamic_update_slice %b, %4, %i, %zero
          : ({stack}, tensor<1x200xf32>, tensor<i32>, tensor<i32>) -> {stack}
        stablehlo.return %1, %3, %5 : tensor<i32>, tensor<200xf32>, {stack}
      }}
      return %0#1, %0#2 : tensor<200xf32>, {stack}
    }}""")
    assert isinstance(executable, StagedExecutable)
    x = np.random.default_rng(0).integers(-9, 10, 200).astype(np.float32) / 2**rounds
    state, expected = x, []
    for _ in range(rounds):
        state = state[::-1] - state
        expected.append(state)
    last, stacked = executable(x)
    np.testing.assert_array_equal(last, state)
    np.testing.assert_array_equal(stacked, expected)
    copies = [row.bytes for row in executable.profile(x, calls=1).rows if row.stage == "copies"]
    assert sum(copies) < 8 * x.nbytes
