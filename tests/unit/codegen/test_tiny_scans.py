"""Loops with a tiny state that read large tensors and write others row by row."""

from __future__ import annotations

import numpy as np
import pytest
from staged_programs import assert_staged

from shlo_tools import compile
from shlo_tools.cpu.stages.executable import StagedExecutable

ROWS = 30
LARGE, ROW, STATE, NUMBER = (
    f"tensor<{ROWS}x3xf32>",
    "tensor<1x3xf32>",
    "tensor<3xf32>",
    "tensor<i32>",
)


def scan(
    *,
    start: str = "%blank",
    place: str = "%i",
    step: str = "%sum",
    behind: str = "%r#1, %r#2",
    types: str = f"{STATE}, {LARGE}",
    more: str = "",
) -> str:
    """Sums of rows so far; ``behind`` is what is returned of state and rows."""
    return f"""
    func.func @main(%xs: {LARGE}, %old: {LARGE}, %s: {STATE}) -> ({types}) {{
      %zero = stablehlo.constant dense<0> : {NUMBER}
      %one = stablehlo.constant dense<1> : {NUMBER}
      %n = stablehlo.constant dense<{ROWS}> : {NUMBER}
      %two = stablehlo.constant dense<2.0> : tensor<f32>
      %blank = stablehlo.broadcast_in_dim %two, dims = [] : (tensor<f32>) -> {LARGE}
      %changed = stablehlo.negate %old : {LARGE}
      %r:3 = stablehlo.while(%i = %zero, %a = %s, %ys = {start}) : {NUMBER}, {STATE}, {LARGE}
      cond {{
        %go = stablehlo.compare LT, %i, %n : ({NUMBER}, {NUMBER}) -> tensor<i1>
        stablehlo.return %go : tensor<i1>
      }} do {{
        %back = stablehlo.subtract %n, %i : {NUMBER}
        %row = stablehlo.dynamic_slice %xs, {place}, %zero, sizes = [1, 3]
          : ({LARGE}, {NUMBER}, {NUMBER}) -> {ROW}
        %x = stablehlo.reshape %row : ({ROW}) -> {STATE}
        %sum = stablehlo.add %a, %x : {STATE}
        %first = stablehlo.slice %old [4:5, 0:3] : ({LARGE}) -> {ROW}
        %flat = stablehlo.reshape %first : ({ROW}) -> {STATE}
        %shifted = stablehlo.add %sum, %flat : {STATE}
        %u = stablehlo.reshape {step} : ({STATE}) -> {ROW}
        %written = stablehlo.dynamic_update_slice %ys, %u, {place}, %zero
          : ({LARGE}, {ROW}, {NUMBER}, {NUMBER}) -> {LARGE}
        %next = stablehlo.add %i, %one : {NUMBER}
        stablehlo.return %next, %sum, %written : {NUMBER}, {STATE}, {LARGE}
      }}
      {more}
      return {behind} : {types}
    }}"""


def arrays() -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(3)
    shapes = ((ROWS, 3), (ROWS, 3), (3,))
    return tuple(rng.integers(-4, 5, shape).astype(np.float32) for shape in shapes)


LAST = f"""
      %last = stablehlo.slice %r#2 [{ROWS - 1}:{ROWS}, 0:3] : ({LARGE}) -> {ROW}
      %end = stablehlo.negate %last : {ROW}"""
AGAIN = f"""
      %q:2 = stablehlo.while(%j = %zero, %zs = %r#2) : {NUMBER}, {LARGE}
      cond {{
        %more = stablehlo.compare LT, %j, %n : ({NUMBER}, {NUMBER}) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      }} do {{
        %line = stablehlo.dynamic_slice %xs, %j, %zero, sizes = [1, 3]
          : ({LARGE}, {NUMBER}, {NUMBER}) -> {ROW}
        %put = stablehlo.dynamic_update_slice %zs, %line, %one, %zero
          : ({LARGE}, {ROW}, {NUMBER}, {NUMBER}) -> {LARGE}
        %onward = stablehlo.add %j, %one : {NUMBER}
        stablehlo.return %onward, %put : {NUMBER}, {LARGE}
      }}"""
PROGRAMS = {
    "blank rows": scan(),
    "backwards": scan(place="%back"),
    "over an argument": scan(start="%old"),
    "over what is read, too": scan(start="%old", step="%shifted"),
    "over what was read": scan(start="%xs"),
    "over what another stage makes": scan(start="%changed", step="%shifted"),
    "the last row": scan(more=LAST, behind="%end, %r#2", types=f"{ROW}, {LARGE}"),
    "only the last row": scan(more=LAST, behind="%end", types=ROW),
    "a loop behind": scan(more=AGAIN, behind="%r#1, %q#1"),
    "two loops' rows": scan(more=AGAIN, behind="%r#2, %q#1", types=f"{LARGE}, {LARGE}"),
    "without rows": scan(behind="%r#1", types=STATE),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_scans(name: str) -> None:
    assert_staged(PROGRAMS[name], *arrays())


def test_a_scan_is_one_stage() -> None:
    executable = compile(PROGRAMS["blank rows"])
    assert isinstance(executable, StagedExecutable)
    assert len(executable.stages) == 1
