"""Random calls of the builder with good and bad Python values.

Each is refused by an error of ours, or builds a module that verifies, prints, parses, and runs
natively as by the reference.
"""

from __future__ import annotations

import random
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

from shlo_tools import ops
from shlo_tools.builder import Module
from shlo_tools.errors import ShloError
from shlo_tools.ops import DESCRIPTIONS
from shlo_tools.ops._op import OpDescription, Parameter, Role
from shlo_tools.tools.campaign.outcome import REFUSED, WRONG, Case, Outcome
from shlo_tools.tools.campaign.programs import examination
from shlo_tools.types import Tensor

TYPES = ("2x3xf32", "2x3xf32", "3x3xi32", "3xf32", "f32", "i32", "?x3xf32", "2x3xi1", "1x2xi64")
# As people write them; evaluated where the call is made, with the names that ``_values`` has.
TENSORS = ("a", "b", "c", "d", "e", "f", "g", "h", "i")
GOOD = (
    *("0", "1", "2", "-1", "[]", "[0]", "[1]", "[0, 1]", "[1, 0]", "[1, 1]", "[[0, 0], [1, 1]]"),
    *("'2x3xf32'", "'3xf32'", "(2, 3)", "'ADD'", "'LT'", "True", "False", "None", "1.5"),
)
BAD = (
    *("2**70", "-2**63", "2**63 - 1", "float('nan')", "float('inf')", "1j", "'x'", "b'x'", "''"),
    *("None", "[None]", "['x']", "[1.5]", "[2**70]", "{}", "object()", "[[]]", "np.zeros(2)"),
    *("np.zeros((2, 2), 'U1')", "a", "[a]", "[a, None]", "lambda *x: x", "lambda: a", "ops.add"),
    *("lambda *x: None", "lambda *x: 1", "lambda *x: len(x[0])", "int", "'tensor<'", "'2x'"),
    *("'-1xf32'", "(-1,)"),
    *("'99999999999999999999xf32'", "(2**62, 2**62)", "slice(1)", "range(3)", "np.int8(1)"),
)
NUMBERS = ("2", "1.5", "True", "np.float32(2)", "np.zeros(3, np.float32)", "[1.0, 2.0, 3.0]")
REGIONS = (
    *("ops.add", "lambda x, y: ops.maximum(x, y)", "lambda *x: x", "lambda: a", "ops.tanh"),
    *("lambda x, y: ops.compare(x, y, 'LT')", "lambda *x: ops.multiply(x[0], x[-1])"),
)
RESULTS = ("'2x3xf32'", "'3x3xi32'", "'?x3xf32'", "(2, 3)", "'2xi64'", "'f32'", "'3x2xf32'")
_EVALUATED = "<string>"  # where Python says that a call stands
OPERATORS = (
    *("a + b", "a * 2", "1.5 - b", "c + 1.5", "a / c", "-f", "c - 1", "f + 1j", "a + None"),
    *("c * 2**40", "a + float('nan')", "c + float('nan')", "b + 'x'", "a == b", "d[0]"),
)


def case(seed: int) -> Case:
    """Up to three calls; the values of each parameter are mostly of its kind."""
    chance = random.Random(seed)
    calls = []
    for _ in range(chance.randint(1, 3)):
        if chance.random() < 0.15:
            calls.append(chance.choice(OPERATORS))
            continue
        description = DESCRIPTIONS[chance.choice(sorted(DESCRIPTIONS))]
        written = ", ".join(
            f"{p.name}={_value(p, chance)}" for p in description.parameters if _given(p, chance)
        )
        calls.append(f"{_path(description)}({written})")
    return Case("builder", seed, calls)


def _path(description: OpDescription) -> str:
    dialect, _ = description.name.split(".", 1)
    name = description.rule.__name__
    return f"ops.chlo.{name}" if dialect == "chlo" else f"ops.{name}"


def _given(parameter: Parameter, chance: random.Random) -> bool:
    return not parameter.optional or chance.random() < 0.4


def _value(parameter: Parameter, chance: random.Random) -> str:
    if chance.random() < 0.2:
        return chance.choice(BAD)
    role = parameter.role
    if role in (Role.OPERAND, Role.SCALAR):
        return chance.choice((*TENSORS, *TENSORS, *NUMBERS))
    if role is Role.OPERANDS:
        return f"[{', '.join(chance.sample(TENSORS, chance.randint(0, 2)))}]"
    if role is Role.REGION:
        return chance.choice(REGIONS)
    if role is Role.REGIONS:
        return f"[{chance.choice(REGIONS)}]"
    if role is Role.RESULT_TYPE:
        return chance.choice(RESULTS)
    if role is Role.RESULT_TYPES:
        return f"[{chance.choice(RESULTS)}]"
    return chance.choice(GOOD)


def _values(tensors: tuple[Tensor, ...]) -> dict[str, Any]:
    return {"np": np, "ops": ops, **dict(zip(TENSORS, tensors, strict=True))}


def _called(call: str, tensors: tuple[Tensor, ...]) -> Any:
    """What a call that ``case`` wrote gives.

    Raises:
        ShloError: also where a function that the call passes fails by itself: its exception is
            the caller's own, and comes back unchanged.
    """
    try:
        return eval(call, _values(tensors))
    except Exception as error:
        innermost = traceback.extract_tb(error.__traceback__)[-1]
        if innermost.filename == _EVALUATED and not isinstance(error, ShloError):
            raise ShloError(f"the caller's function fails: {error!r}") from error
        raise


def check(case: Case) -> Outcome:
    module = Module()

    def main(*tensors: Tensor) -> list[Any]:
        results: list[Any] = []
        for call in case.parts:
            outputs = _called(call, tensors)
            several = outputs if isinstance(outputs, tuple | list) else [outputs]
            results += [value for value in several if isinstance(value, Tensor)]
            if not all(isinstance(value, ops.Value) for value in several):
                raise _Silent(f"{call} gives {outputs!r}, which is no tensor")
        return results or list(tensors[:1])

    try:
        module.func(*TYPES, name="main")(main)
    except _Silent as found:
        return Outcome(WRONG, f"{found}")
    except ShloError as error:
        return Outcome(REFUSED, str(error.diagnostics[0].message)[:200])
    return _examined(str(module), case.seed, lambda got, expected: "")


class _Silent(Exception):
    """A call gave something else than a value of the program, and no error."""


def _examined(text: str, seed: int, differs: Callable[..., str]) -> Outcome:
    try:
        return examination.examine(text, seed, differs)
    except ShloError as error:  # it was verified, so it must load
        return Outcome(WRONG, f"what was built does not load: {error.diagnostics[0].message}"[:300])
