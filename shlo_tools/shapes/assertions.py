"""``shape_assertion``: what exporters have programs check of their sizes.

%holds = stablehlo.compare EQ, %rest, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
stablehlo.custom_call @shape_assertion(%holds, %n) {
  error_message = "{0} is no multiple of 4", has_side_effect = true} : ...
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from shlo_tools import ir, mlir
from shlo_tools.constraints import Fact
from shlo_tools.dims import Dim
from shlo_tools.mlir import Operation, Value
from shlo_tools.shapes.state import State


def message_of(text: str, values: Sequence[object]) -> str:
    """An ``error_message`` with ``{0}``, ``{1}``, ... replaced; ``{{`` stands for a brace."""

    def value(match: re.Match[str]) -> str:
        if match[1] is None:
            return "{"
        number = int(match[1])
        return str(values[number]) if number < len(values) else match[0]

    return re.sub(r"\{\{|\{(\d+)[^}]*\}", value, text)


def assume(state: State, op: Operation) -> None:
    """Take for true in what follows what an assertion checks."""
    if not len(op.operands):
        return
    holds, *rows = state.rows(op.operands)
    if holds == (0,):
        numbers = [row[0] for row in rows if row is not None and len(row) == 1]
        state.refute(op, message_of(ir.text_of(op, "error_message"), numbers))
    _learn(state, op.operands[0])


def _learn(state: State, condition: Value) -> None:
    op = mlir.defining_op(condition)
    if op is None:
        return
    if op.name == "stablehlo.and":
        for operand in op.operands:
            _learn(state, operand)
    if op.name != "stablehlo.compare":
        return
    direction = ir.enum_of(op, "comparison_direction")
    rows = [state.current_contents(operand) for operand in op.operands]
    if direction in _FACTS and rows[0] is not None and rows[1] is not None:
        pairs = zip(rows[0], rows[1], strict=True)
        state.knowledge.learn([_FACTS[direction](a, b) for a, b in pairs])


_FACTS: Mapping[str, Callable[[Dim, Dim], Fact]] = {
    "EQ": lambda a, b: Fact("==", a, b),
    "GE": lambda a, b: Fact("<=", b, a),
    "GT": lambda a, b: Fact("<=", b + 1, a),
    "LE": lambda a, b: Fact("<=", a, b),
    "LT": lambda a, b: Fact("<=", a + 1, b),
}
