"""One dynamic op at a time: its operands as arguments, and all but the first as constants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from cases._case import type_of

import shlo_tools
from shlo_tools import reference
from shlo_tools.errors import ExecutionError, ShapeMismatchError

Array = np.ndarray[Any, Any]
A = np.arange(12, dtype=np.float32).reshape(3, 4)


def program_of(name: str, operands: Sequence[Array], result: str, attributes: str = "") -> str:
    arguments = ", ".join(f"%a{i}: {type_of(x)}" for i, x in enumerate(operands))
    names = ", ".join(f"%a{i}" for i in range(len(operands)))
    types = ", ".join(type_of(x) for x in operands)
    return f"""func.func @main({arguments}) -> {result} {{
      %0 = "stablehlo.{name}"({names}) {{{attributes}}} : ({types}) -> {result}
      return %0 : {result}
    }}"""


def with_constants(name: str, operands: Sequence[Array], result: str, attributes: str = "") -> str:
    """The same with all but the first operand constant."""
    lines = []
    for i, operand in enumerate(operands[1:], 1):
        lines.append(f"%a{i} = stablehlo.constant dense<{operand.tolist()}> : {type_of(operand)}")
    names = ", ".join(f"%a{i}" for i in range(len(operands)))
    types = ", ".join(type_of(x) for x in operands)
    return f"""func.func @main(%a0: {type_of(operands[0])}) -> {result} {{
      {" ".join(lines)}
      %0 = "stablehlo.{name}"({names}) {{{attributes}}} : ({types}) -> {result}
      return %0 : {result}
    }}"""


def check_op(name: str, operands: Sequence[Array], expected: Array, attributes: str = "") -> None:
    """Run-time operands of several index types, then constant ones; reference too."""
    result = type_of(expected)
    text = program_of(name, operands, result, attributes)
    executable = shlo_tools.compile(text)
    before = [x.copy() for x in operands]
    for x in operands:
        x.flags.writeable = False
    for _ in range(2):
        got = executable(*operands)
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got, expected)
    for x, old in zip(operands, before, strict=True):
        np.testing.assert_array_equal(x, old)
    np.testing.assert_array_equal(reference.compile(text)(*operands), expected)
    fixed = shlo_tools.compile(with_constants(name, operands, result, attributes))
    np.testing.assert_array_equal(fixed(operands[0]), expected)


def refuse(
    name: str,
    good: Sequence[Array],
    bad: Sequence[Sequence[Array]],
    result: str,
    attributes: str = "",
) -> None:
    """Each bad call is an error that names the op and its place; then a good one works."""
    executable = shlo_tools.compile(program_of(name, good, result, attributes))
    expected = executable(*good)
    for operands in bad:
        before = [x.copy() for x in operands]
        with pytest.raises(ShapeMismatchError, match=f"-:2:.*stablehlo.{name}: ") as raised:
            executable(*operands)
        assert isinstance(raised.value, ExecutionError)
        for old, new in zip(before, operands, strict=True):
            np.testing.assert_array_equal(old, new)
        np.testing.assert_array_equal(executable(*good), expected)


def ints(*values: int, dtype: Any = np.int64) -> Array:
    return np.array(values, dtype)
