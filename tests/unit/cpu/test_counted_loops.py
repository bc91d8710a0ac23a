"""Loops whose text says how often they run: whoever runs them counts."""

from __future__ import annotations

import numpy as np
import pytest
from test_alternating_loops import BODIES, LOOP, arguments

from shlo_tools import compile, custom_call, mlir
from shlo_tools.cpu.stages.executable import StagedExecutable
from shlo_tools.program.loop_counts import iterations
from shlo_tools.program.reading import parse

TENSOR = "tensor<100xf32>"
# Type, start, step, direction, limit, and how many rounds that is; None where nothing says so.
COUNTERS = [
    ("i32", 0, 1, "LT", 5, 5),
    ("i32", 0, 1, "LE", 5, 6),
    ("i32", 3, 4, "LT", 12, 3),
    ("i64", 5, -1, "GT", 0, 5),
    ("i64", 5, -2, "GE", 0, 3),
    ("i32", 0, 3, "NE", 9, 3),
    ("ui8", 250, 2, "LT", 254, 2),
    ("i32", 7, 1, "LT", 7, 0),
    ("i32", 9, 1, "LT", 7, 0),
    ("ui8", 250, 3, "LT", 254, None),  # wraps
    ("i8", 0, 100, "NE", 44, None),
    ("i32", 0, -1, "GT", 5, 0),
]
DTYPES = {"i8": np.int8, "ui8": np.uint8, "i32": np.int32, "i64": np.int64}
DIRECTIONS = {
    "LT": np.less,
    "LE": np.less_equal,
    "GT": np.greater,
    "GE": np.greater_equal,
    "NE": np.not_equal,
}


def text(counter: tuple[str, int, int, str, int, int | None], *, reads: bool, ends: bool) -> str:
    """A loop that sums what it counts, where it ``reads`` that; it may end with the number."""
    element, start, step, direction, limit, _ = counter
    number = f"tensor<{element}>"
    op = "add" if step >= 0 else "subtract"
    term = f"""%f = stablehlo.convert %i : ({number}) -> tensor<f32>
        %t = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> {TENSOR}"""
    term = term if reads else f"%t = stablehlo.reverse %a, dims = [0] : {TENSOR}"
    types, last = (f"{TENSOR}, {number}", ", %0#0") if ends else (TENSOR, "")
    return f"""func.func @main(%x: {TENSOR}) -> ({types}) {{
      %start = stablehlo.constant dense<{start}> : {number}
      %step = stablehlo.constant dense<{abs(step)}> : {number}
      %limit = stablehlo.constant dense<{limit}> : {number}
      %0:2 = stablehlo.while(%i = %start, %a = %x) : {number}, {TENSOR} cond {{
        %1 = stablehlo.compare {direction}, %i, %limit : ({number}, {number}) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      }} do {{
        %1 = stablehlo.{op} %i, %step : {number}
        {term}
        %2 = stablehlo.add %a, %t : {TENSOR}
        stablehlo.return %1, %2 : {number}, {TENSOR}
      }}
      return %0#1{last} : {types}
    }}"""


@pytest.mark.parametrize("reads", [False, True])
@pytest.mark.parametrize("counter", COUNTERS, ids=str)
def test_as_often_as_the_counter_says(
    counter: tuple[str, int, int, str, int, int | None], reads: bool
) -> None:
    element, start, step, direction, limit, expected = counter
    both, alone = (text(counter, reads=reads, ends=ends) for ends in (True, False))
    with mlir.library_context():
        module = parse(both)
        (loop,) = (op for op in mlir.walk(module.operation) if op.name == "stablehlo.while")
        assert iterations(loop) == expected
    dtype = DTYPES[element]
    x = np.arange(100, dtype=np.float32)
    total, number, rounds = x, np.asarray(start, dtype), 0
    while DIRECTIONS[direction](number, limit):
        total = total + (np.float32(number) if reads else total[::-1])
        number = np.asarray(int(number) + step).astype(dtype)
        rounds += 1
    assert expected is None or rounds == expected
    sums, last = compile(both)(x)
    np.testing.assert_array_equal(sums, total)
    assert last == number
    np.testing.assert_array_equal(compile(alone)(x), total)


@pytest.mark.parametrize("rounds", range(1, 6))
@pytest.mark.parametrize("body", BODIES)
def test_rounds_that_alternate(body: str, rounds: int) -> None:
    constant = f"%end = stablehlo.constant dense<{rounds}> : tensor<i32>\n  %0:3 ="
    program = LOOP.replace("BODY", BODIES[body][0]).replace("%i, %n :", "%i, %end :")
    executable = compile(program.replace("%0:3 =", constant))
    assert isinstance(executable, StagedExecutable)
    a, b, number = arguments(rounds)
    for _ in range(2):  # a call leaves nothing behind that the next one would count from
        results = executable(a, b, number)
        x, y = a, b
        for _ in range(rounds):
            x, y = BODIES[body][1](x, y)
        np.testing.assert_array_equal(results, (x, y))
    rows = executable.profile(a, b, number, calls=1).rows
    names = {op.name for row in rows for op in row.ops}
    assert "compare" not in names
    assert ("reverse" in names) == ("reverse" in BODIES[body][0])


def test_a_condition_with_effects_is_asked() -> None:
    """What it calls runs once more than the loop."""
    calls = []

    @custom_call("tests.sees.rounds")
    def sees(x: np.ndarray) -> np.ndarray:
        calls.append(int(x))
        return x

    program = text(COUNTERS[0], reads=True, ends=False).replace(
        "%1 = stablehlo.compare",
        """%seen = stablehlo.custom_call @tests.sees.rounds(%i) {has_side_effect = true}
          : (tensor<i32>) -> tensor<i32>
        %1 = stablehlo.compare""",
    )
    compile(program)(np.zeros(100, np.float32))
    assert calls == [0, 1, 2, 3, 4, 5]
