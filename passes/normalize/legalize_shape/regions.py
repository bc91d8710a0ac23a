"""``shape.reduce``: its region once for every extent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Region, Type, Value
from shlo_tools.passes.normalize.legalize_shape import integers, shapes, unranked, vectors
from shlo_tools.passes.normalize.legalize_shape.assertions import demand, plain
from shlo_tools.passes.normalize.legalize_shape.integers import I32, compare, constant
from shlo_tools.passes.normalize.legalize_shape.rules import SIZE, lowers
from shlo_tools.passes.normalize.legalize_shape.values import Guard, Shape, Size, merged
from shlo_tools.shapes.assertions import message_of

_MOST_UNROLLED = 64


@lowers("shape.reduce")
def reduce(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """A step per extent one after the other; a loop where the rank is unknown."""
    shape, carried = shapes.shape(build, operands[0]), operands[1:]
    if not shape.has_rank or len(shape.known) > _MOST_UNROLLED:
        carried = _loop(op, build, shape, carried)
    else:
        for d, extent in enumerate(shape.known):
            carried = _step(op, build, shape, constant(build, d), extent, carried)
    return [_marked(value, shape.guards) for value in carried]


def _step(
    op: Operation,
    build: Lowering,
    shape: Shape,
    index: Value,
    extent: Value,
    carried: Sequence[Any],
) -> list[Any]:
    """The region inlined for one extent."""
    takes_size = str(op.regions[0].blocks[0].arguments[1].type) == SIZE
    argument: Any = Size(extent, shape.guards) if takes_size else extent
    return list(build.inline(op.regions[0], [index, argument, *carried]))


def _marked(value: Any, guards: tuple[Guard, ...]) -> Any:
    """A result is invalid where the shape is, whatever the region does with it."""
    if isinstance(value, Size):
        return Size(value.value, merged(guards, value.guards))
    return value.guarded(*guards) if isinstance(value, Shape) else value


# --- as a loop ------------------------------------------------------------------------------------
# Beside a size (or a shape) that the loop carries goes a code: 0 for a valid one, or the number of
# the condition that does not hold: those of the start value, then those that the region adds.
def _loop(op: Operation, build: Lowering, shape: Shape, start: Sequence[Any]) -> list[Any]:
    flat = [constant(build, 0)]
    for value in start:
        flat.append(_integers(build, value))
        if isinstance(value, Size | Shape):
            numbers = {guard: n for n, guard in enumerate(value.guards, start=1)}
            flat.append(_code(build, value.guards, numbers, constant(build, 0, I32)))
    types = [value.type for value in flat]
    vector = shapes.vector(build, shape)
    loop = build.op("stablehlo.while", flat, types, regions=2)
    _condition(build, loop.regions[0], types, vector)
    block, inner = build.block(loop.regions[1], types)
    messages = _body(op, inner, (shape, vector), list(block.arguments), start)
    results = iter(list(loop.results)[1:])
    return [
        _with_guards(build, next(results), next(results), value, message)
        if isinstance(value, Size | Shape)
        else next(results)
        for value, message in zip(start, messages, strict=True)
    ]


def _condition(build: Lowering, region: Region, types: Sequence[Type], vector: Value) -> None:
    block, inner = build.block(region, types)
    rank = vectors.dimension_size(inner, vector, 0)
    inner.op("stablehlo.return", (compare(inner, "LT", block.arguments[0], rank),))


def _body(
    op: Operation,
    inner: Lowering,
    reduced: tuple[Shape, Value],
    arguments: Sequence[Value],
    start: Sequence[Any],
) -> list[list[str]]:
    """A step of the loop; returns for each value what its codes mean."""
    shape, vector = reduced
    at, rest = arguments[0], iter(arguments[1:])
    carried: list[Any] = []
    codes: list[Value | None] = []
    for value in start:
        plain_value = next(rest)
        code = next(rest) if isinstance(value, Size | Shape) else None
        codes.append(code)
        carried.append(plain_value if code is None else _carried(inner, plain_value, code, value))
    yielded = _step(op, inner, shape, at, unranked.at(inner, vector, at), carried)
    ends = [integers.binary(inner, "add", at, constant(inner, 1))]
    messages: list[list[str]] = []
    for old, value, new, code in zip(start, carried, yielded, codes, strict=True):
        ends.append(_integers(inner, new))
        messages.append([])
        if code is not None:
            first = len(old.guards) + 1
            added = [guard for guard in new.guards if guard not in value.guards]
            numbers = {guard: n for n, guard in enumerate(added, start=first)}
            ends.append(_code(inner, added, numbers, constant(inner, 0, I32)))
            if any(guard in value.guards for guard in new.guards):
                failed = compare(inner, "NE", code, constant(inner, 0, I32))
                ends[-1] = integers.select(inner, failed, code, ends[-1])
            messages[-1] = [_told(guard) for guard in (*old.guards, *added)]
    inner.op("stablehlo.return", ends)
    return messages


def _carried(build: Lowering, value: Value, code: Value, start: Size | Shape) -> Size | Shape:
    """What the region is given: valid where the code is 0."""
    valid = compare(build, "EQ", code, constant(build, 0, I32))
    guard = demand(build, valid, "shape.reduce: an earlier step gave an invalid value")
    known = _with_guards(build, value, code, start, [_told(guard) for guard in start.guards])
    if isinstance(known, Shape):
        return known.guarded(guard)
    return Size(value, (*known.guards, guard))


def _with_guards(
    build: Lowering, value: Value, code: Value, like: Size | Shape, messages: Sequence[str]
) -> Size | Shape:
    guards = tuple(
        demand(build, compare(build, "NE", code, constant(build, n, I32)), message)
        for n, message in enumerate(messages, start=1)
    )
    return Size(value, guards) if isinstance(like, Size) else Shape(value, guards)


def _code(
    build: Lowering, guards: Sequence[Guard], numbers: dict[Guard, int], valid: Value
) -> Value:
    """The number of the first condition that does not hold."""
    code = valid
    for guard in reversed(guards):
        number = constant(build, numbers[guard], I32)
        code = integers.select(build, guard.holds, code, number)
    return code


def _integers(build: Lowering, value: Any) -> Value:
    """The integers of a value; a shape may have another rank after each step."""
    if isinstance(value, Shape):
        return unranked.of_any_length(build, shapes.vector(build, value))
    number: Value = value.value if isinstance(value, Size) else value
    return number


def _told(guard: Guard) -> str:
    """A message without its words, which stay where they are computed."""
    return plain(message_of(guard.message, ["?"] * len(guard.words)))
