"""Ops on several shapes: the one that all stretch to, what all of them say, whether they are equal.

Some take sizes as well.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.errors import VerifyError
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.normalize.legalize_shape import integers, shapes, unranked
from shlo_tools.passes.normalize.legalize_shape.assertions import demand, plain, told
from shlo_tools.passes.normalize.legalize_shape.integers import binary, compare, constant
from shlo_tools.passes.normalize.legalize_shape.rules import SHAPE, SIZE, lowers
from shlo_tools.passes.normalize.legalize_shape.values import Guard, Shape, Size, merged

_Extents = tuple[Value, ...] | Value


@lowers("shape.broadcast")
def broadcast(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """The shape that all stretch to; ``error`` says what it means that there is none."""
    operand_shapes = shapes.shapes(build, operands)
    extents, fits = stretched(build, operand_shapes)
    text, words = told(operand_shapes)
    guard = _demanded(op, build, fits, f"required broadcastable shapes{text}", words)
    guards = merged(*(shape.guards for shape in operand_shapes), (guard,))
    return [shapes.as_shape(build, op, Shape(extents, guards))]


def _demanded(
    op: Operation, build: Lowering, holds: Value, message: str, words: Sequence[Value]
) -> Guard:
    """What an op demands, in the words of its author where it has an ``error``."""
    error = plain(ir.text_of(op, "error"))
    return demand(build, holds, error or message, () if error else words)


@lowers("shape.is_broadcastable")
def is_broadcastable(op: Operation, operands: list[Any], build: Lowering) -> Any:
    operand_shapes = shapes.shapes(build, operands)
    return [all_valid(build, operand_shapes, stretched(build, operand_shapes)[1])]


def stretched(build: Lowering, operand_shapes: Sequence[Shape]) -> tuple[_Extents, Value]:
    """The extents that shapes stretch to, and whether they do."""
    common = operand_shapes[0].extents
    conditions: list[Value] = []
    for shape in operand_shapes[1:]:
        if isinstance(common, tuple) and isinstance(shape.extents, tuple):
            common, fits = _both(build, common, shape.extents)
        else:
            pair = [shapes.vector(build, Shape(extents)) for extents in (common, shape.extents)]
            common, fits = unranked.broadcast(build, *pair)
        conditions.append(fits)
    return common, integers.all_of(build, conditions)


def _both(
    build: Lowering, a: tuple[Value, ...], b: tuple[Value, ...]
) -> tuple[tuple[Value, ...], Value]:
    """Aligned at the last extent, with 1 before the shorter: where one is 1, the other counts."""
    rank, one = max(len(a), len(b)), constant(build, 1)
    a, b = ((one,) * (rank - len(shape)) + shape for shape in (a, b))
    extents: list[Value] = []
    conditions: list[Value] = []
    for x, y in zip(a, b, strict=True):
        of_one = [compare(build, "EQ", size, one) for size in (x, y)]
        same = compare(build, "EQ", x, y)
        conditions.append(binary(build, "or", same, binary(build, "or", *of_one)))
        extents.append(_stretched_extent(build, x, y, of_one[0]))
    return tuple(extents), integers.all_of(build, conditions)


def _stretched_extent(build: Lowering, x: Value, y: Value, x_is_one: Value) -> Value:
    known = integers.number(y)
    if known is None:
        return integers.select(build, x_is_one, y, x)
    return x if known == 1 else y  # one that is known and not 1 is the result


def all_valid(build: Lowering, operand_shapes: Sequence[Shape | Size], condition: Value) -> Value:
    """Whether a condition holds for shapes that are valid."""
    holds = [guard.holds for guard in merged(*(value.guards for value in operand_shapes))]
    return integers.all_of(build, [*holds, condition])


# --- equality -------------------------------------------------------------------------------------
@lowers("shape.shape_eq")
def shape_eq(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """Whether all shapes are equal; all that are invalid are."""
    return [all_equal(build, shapes.shapes(build, operands))]


def all_equal(build: Lowering, operand_shapes: Sequence[Shape]) -> Value:
    equal = [_equal(build, a, b) for a, b in itertools.pairwise(operand_shapes)]
    valid = all_valid(build, operand_shapes, integers.all_of(build, equal))
    states = [
        all_valid(build, [shape], constant(build, 1, integers.I1)) for shape in operand_shapes
    ]
    invalid = [integers.negated(build, state) for state in states]
    return binary(build, "or", valid, integers.all_of(build, invalid))


def _equal(build: Lowering, a: Shape, b: Shape) -> Value:
    if isinstance(a.extents, tuple) and isinstance(b.extents, tuple):
        if len(a.extents) != len(b.extents):
            return constant(build, 0, integers.I1)
        pairs = zip(a.extents, b.extents, strict=True)
        return integers.all_of(build, [compare(build, "EQ", x, y) for x, y in pairs])
    return unranked.equal(build, *(shapes.vector(build, shape) for shape in (a, b)))


# --- what all of them say -------------------------------------------------------------------------
@lowers("shape.any")
def any_of(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """Per dimension an extent that is known, if there is one: the shapes are said to be equal."""
    operand_shapes = [shapes.open_shape(build, operand) for operand in operands]
    guards = merged(*(shape.guards for shape in operand_shapes))
    return [shapes.as_shape(build, op, Shape(_most_known(operand_shapes), guards))]


def _most_known(operand_shapes: Sequence[Shape]) -> _Extents:
    ranked = [shape.extents for shape in operand_shapes if isinstance(shape.extents, tuple)]
    if not ranked:
        return operand_shapes[0].extents
    alike = [extents for extents in ranked if len(extents) == len(ranked[0])]
    return tuple(max(sizes, key=_said) for sizes in zip(*alike, strict=True))


def _said(size: Value) -> int:
    """How much is known of an extent; the first of those that say most is taken."""
    known = integers.number(size)
    return 1 if known is None else 2 * (known >= 0)


@lowers("shape.meet", "shape.join")
def meet(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """What both say; where they contradict each other it is invalid.

    ``shape.join`` is the older name, and exists in the generic form only.
    """
    _check_alike(op)
    message = f"{op.name}: the operands differ"
    if str(op.results[0].type) in (SIZE, "index"):
        a, b = (shapes.size(operand) for operand in operands)
        same = compare(build, "EQ", a.value, b.value)
        both = f"{message}: {{0}} and {{1}}"
        guard = _demanded(op, build, same, both, (a.value, b.value))
        return [shapes.as_size(build, op, Size(a.value, merged(a.guards, b.guards, (guard,))))]
    x, y = (shapes.open_shape(build, operand) for operand in operands)
    x, y = _completed(x, y), _completed(y, x)
    text, words = told((x, y))
    guard = _demanded(op, build, _equal(build, x, y), message + text, words)
    guards = merged(x.guards, y.guards, (guard,))
    return [shapes.as_shape(build, op, Shape(_most_known((x, y)), guards))]


def _check_alike(op: Operation) -> None:
    """MLIR does not verify ``shape.join``."""
    types = [str(value.type) for value in (*op.operands, *op.results)]
    sizes = [type in (SIZE, "index") for type in types]
    extents = [type == SHAPE or bool(re.fullmatch(r"tensor<[^x]+xindex>", type)) for type in types]
    if len(op.operands) != 2 or not (all(sizes) or all(extents)):
        message = f"{op.name} takes two shapes or two sizes, and gives one"
        raise VerifyError(message, place=mlir.place_of(op.location))


def _completed(shape: Shape, other: Shape) -> Shape:
    """A shape with the extents that only another one knows."""
    if not (isinstance(shape.extents, tuple) and isinstance(other.extents, tuple)):
        return shape
    if len(shape.extents) != len(other.extents):
        return shape
    pairs = zip(shape.extents, other.extents, strict=True)
    return Shape(tuple(b if shapes.is_unknown(a) else a for a, b in pairs), shape.guards)


@lowers("shape.max", "shape.min")
def extreme(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """The larger (smaller) size, or that of each extent of two shapes of one rank."""
    name = "maximum" if op.name == "shape.max" else "minimum"
    if str(op.results[0].type) == SIZE:
        a, b = (shapes.size(operand) for operand in operands)
        return [Size(binary(build, name, a.value, b.value), merged(a.guards, b.guards))]
    x, y = shapes.shapes(build, operands)
    ranks = shapes.rank(build, x), shapes.rank(build, y)
    message = f"{op.name}: shapes of ranks {{0}} and {{1}}"
    guard = demand(build, compare(build, "EQ", *ranks), message, ranks)
    guards = merged(x.guards, y.guards, (guard,))
    if x.has_rank and y.has_rank:
        pairs = zip(x.known, y.known, strict=False)
        return [Shape(tuple(binary(build, name, a, b) for a, b in pairs), guards)]
    vectors = shapes.vector(build, x), shapes.vector(build, y)
    of_one_length = unranked.aligned(build, *vectors, 0, right=False)
    return [Shape(binary(build, name, *of_one_length), guards)]
