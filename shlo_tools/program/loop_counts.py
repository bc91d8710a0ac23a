"""How often a ``stablehlo.while`` repeats, where its text says so.

Exporters write a loop of known length as a counter that starts at a constant, is compared with a
constant and moves on by one: ``i = 0; while i < 12: ...; i = i + 1``.
"""

from __future__ import annotations

import numpy as np

from shlo_tools import dtypes, ir, mlir
from shlo_tools.mlir import Operation, Value

# What ``a <direction> b`` is as ``b <direction> a``.
_SWAPPED = {"LT": "GT", "GT": "LT", "LE": "GE", "GE": "LE", "NE": "NE"}


def iterations(loop: Operation) -> int | None:
    """How often the body of a ``stablehlo.while`` runs; None where that is not to be read."""
    condition, body = (region.blocks[0] for region in loop.regions)
    comparison = mlir.defining_op(ir.terminator(condition).operands[0])
    if comparison is None or comparison.name != "stablehlo.compare":
        return None
    direction = ir.enum_of(comparison, "comparison_direction")
    for first, second, how in (
        (*comparison.operands, direction),
        (*reversed(list(comparison.operands)), _SWAPPED.get(direction, "")),
    ):
        numbers = list(condition.arguments)
        if how not in _SWAPPED or first not in numbers:
            continue
        counter = numbers.index(first)
        start = _integer(loop.operands[counter])
        limit = _limit(loop, second)
        step = _step(ir.terminator(body).operands[counter], body.arguments[counter])
        if start is not None and limit is not None and step:
            count = _count(start, limit, step, how)
            return count if _fits(start, step, count, loop.operands[counter]) else None
    return None


def _count(start: int, limit: int, step: int, direction: str) -> int | None:
    """How many of ``start``, ``start + step``, ... are in front of the limit."""
    if direction == "NE":
        steps, rest = divmod(limit - start, step)
        return steps if steps >= 0 and not rest else None
    if (step > 0) != direction.startswith("L"):
        return None  # it does not run at all, or goes on until the number wraps
    last = limit + (0 if direction.endswith("T") else 1 if step > 0 else -1)
    return max(-(-(last - start) // step), 0)


def _fits(start: int, step: int, count: int | None, counter: Value) -> bool:
    """Whether a counter of its type ends there, and does not wrap before."""
    numbers = np.iinfo(dtypes.tensor_type(counter.type).element_type.dtype)
    return count is not None and numbers.min <= start + count * step <= numbers.max


def _limit(loop: Operation, value: Value) -> int | None:
    """What a counter is compared with: a constant, or one that the loop carries unchanged."""
    condition, body = (region.blocks[0] for region in loop.regions)
    arguments = list(condition.arguments)
    if value not in arguments:
        return _integer(value)
    number = arguments.index(value)
    is_kept = ir.terminator(body).operands[number] == body.arguments[number]
    return _integer(loop.operands[number]) if is_kept else None


def _step(value: Value, counter: Value) -> int | None:
    """By how much a counter moves on in a round."""
    op = mlir.defining_op(value)
    if op is None or op.name not in ("stablehlo.add", "stablehlo.subtract"):
        return None
    first, second = op.operands
    if op.name == "stablehlo.add" and second == counter:
        first, second = second, first
    step = _integer(second) if first == counter else None
    return step if step is None or op.name == "stablehlo.add" else -step


def _integer(value: Value) -> int | None:
    """The number that a constant of no dimensions holds."""
    op = mlir.defining_op(value)
    if op is None or op.name != "stablehlo.constant":
        return None
    array = ir.constant_of(value)
    is_number = array is not None and array.shape == () and array.dtype.kind in "iu"
    return int(array) if array is not None and is_number else None
