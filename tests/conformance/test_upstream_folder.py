"""Under upstream's names, programs of integers give what they gave; floats are rounded once.

What upstream's rules change on purpose (``x + 0.0`` is ``x``, ``true + true`` is false) is in the
lit files.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from redundant_programs import Redundant

import shlo_tools
from shlo_tools import dtypes, reference

Array = np.ndarray[Any, Any]
PASSES = ("stablehlo-aggressive-folder", "stablehlo-target-independent-optimization")
FOLDER = PASSES[0]


def passed(text: str, passes: str) -> str:
    module = shlo_tools.load(text)
    shlo_tools.Pipeline(f"builtin.module({passes})").run(module)
    assert module.operation.verify()
    return str(module.operation.get_asm())


def results_of(text: str, *arguments: Array) -> list[Array]:
    results = reference.compile(text)(*arguments)
    return list(results) if isinstance(results, tuple) else [results]


@pytest.mark.parametrize("elements", [("i32", "ui8", "i8"), ("i64", "ui32", "i4", "ui4")])
@pytest.mark.parametrize("passes", PASSES)
def test_integers_stay_the_same(passes: str, elements: tuple[str, ...]) -> None:
    for seed in range(20):
        redundant = Redundant(seed, elements)
        arguments = list(redundant.arguments.values())
        after = passed(redundant.text, passes)
        expected = results_of(redundant.text, *arguments)
        for old, new in zip(expected, results_of(after, *arguments), strict=True):
            assert old.tobytes() == new.tobytes(), f"seed {seed}\n{redundant.text}\n{after}"


def folded(element: str, op: str, *values: float) -> float:
    """What an op of constants folds to."""
    lines = [
        f"%{n} = stablehlo.constant dense<{value!r}> : tensor<{element}>"
        for n, value in enumerate(values)
    ]
    operands = ", ".join(f"%{n}" for n in range(len(values)))
    body = "\n".join([*lines, f"%r = stablehlo.{op} {operands} : tensor<{element}>"])
    text = f"func.func @main() -> tensor<{element}> {{ {body}\n return %r : tensor<{element}> }}"
    after = passed(text, FOLDER)
    assert f"stablehlo.{op}" not in after
    return float(results_of(after)[0])


@pytest.mark.parametrize("element", ["f16", "bf16", "f32", "f64"])
def test_sums_are_rounded_once(element: str) -> None:
    """1 + eps/2 is a tie, which goes to the even number; a bit more does not."""
    eps = 2.0 ** -{"f16": 10, "bf16": 7, "f32": 23, "f64": 52}[element]
    assert folded(element, "add", 1.0, eps / 2) == 1.0
    assert folded(element, "add", 1.0 + eps, eps / 2) == 1.0 + 2 * eps
    assert folded(element, "add", 1.0, eps * 0.75) == 1.0 + eps


@pytest.mark.parametrize(
    ("op", "function"),
    [
        ("exponential", math.exp),
        ("sine", math.sin),
        ("cosine", math.cos),
        ("tan", math.tan),
        ("tanh", math.tanh),
        ("log", math.log),
        ("sqrt", math.sqrt),
        ("rsqrt", lambda x: 1 / math.sqrt(x)),
        ("logistic", lambda x: 1 / (1 + math.exp(-x))),
    ],
)
@pytest.mark.parametrize("element", ["f32", "bf16", "f64"])
def test_functions_are_those_of_doubles(op: str, function: Any, element: str) -> None:
    for value in (0.375, 1.5, 2.75):
        expected = np.asarray(function(value)).astype(dtypes.element_type(element).dtype)
        assert folded(element, op, value) == float(expected)


def test_sizes_above_32_bits_are_left() -> None:
    text = """
      func.func @main(%x: tensor<2147483648x0xf32>) -> tensor<i32> {
        %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<2147483648x0xf32>) -> tensor<i32>
        return %0 : tensor<i32>
      }"""
    assert "stablehlo.get_dimension_size" in passed(text, FOLDER)


@pytest.mark.parametrize("passes", PASSES)
def test_a_second_time_changes_nothing(passes: str) -> None:
    for seed in range(10):
        once = passed(Redundant(seed, ("i32", "f32", "i1")).text, passes)
        assert passed(once, passes) == once
