"""Which dimensions of a loop's values are rows that do not depend on each other.

Dimensions of values are tied where an op makes an element of one from elements of the same number
in the other, and closed where it reads across them. What is tied together is cut together: where
nothing in it is closed, each block of its numbers is computed from the same block of all values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from shlo_tools import ir, mlir
from shlo_tools.dtypes import tensor_type
from shlo_tools.mlir import Block, Operation, Value
from shlo_tools.ops import Trait, has_trait
from shlo_tools.ops.contraction import DOT_DIMENSION_NUMBERS

Dimension = tuple[Value, int]


def shape_of(value: Value) -> tuple[int, ...]:
    """The sizes of a tensor of known sizes."""
    return tensor_type(value.type).static_shape


def inner_ops(block: Block) -> Iterator[Operation]:
    """The ops of a block without its end."""
    for view in list(block.operations)[:-1]:
        yield mlir.inner_operation(view)


class Independence:
    """Ties of the dimensions of all values in a loop.

    Attributes:
        loop: a ``stablehlo.while`` whose values all have known sizes.
        changed: the numbers of the carried values that an iteration changes.
    """

    def __init__(self, loop: Operation) -> None:
        self.loop = loop
        self._parents: dict[Dimension, Dimension] = {}
        self._closed: set[Dimension] = set()  # first ones of those that are tied
        self._members: dict[Dimension, list[Dimension]] = {}
        self._inside: set[Value] = set()
        body = loop.regions[1].blocks[0]
        end = ir.terminator(body).operands
        numbers = range(len(loop.operands))
        self.changed = [n for n in numbers if end[n] != body.arguments[n]]
        self._loop(loop, self.changed)

    # --- what there is ----------------------------------------------------------------------------
    def is_outside(self, value: Value) -> bool:
        """Whether a value is the same in all iterations."""
        return value not in self._inside

    def open_dimensions(self) -> list[dict[Value, int]]:
        """Dimensions that may be cut together, of one size each; no value has two of them."""
        body = self.loop.regions[1].blocks[0]
        starts = [
            (body.arguments[n], d)
            for n in self.changed
            for d in range(len(shape_of(body.arguments[n])))
        ]
        by_size: dict[int, dict[Value, int]] = {}
        for first in dict.fromkeys(map(self._first, starts)):
            members = self._members.get(first, [first])
            sizes = {shape_of(value)[d] for value, d in members}
            if first in self._closed or len(sizes) > 1:
                continue
            others = by_size.setdefault(sizes.pop(), {})
            together = dict(members)
            if len(together) == len(members) and others.keys().isdisjoint(together):
                others |= together
        return [rows for rows in by_size.values() if rows]

    # --- ties -------------------------------------------------------------------------------------
    def _first(self, dimension: Dimension) -> Dimension:
        parents = self._parents
        while (parent := parents.get(dimension, dimension)) != dimension:
            parents[dimension] = parents.get(parent, parent)
            dimension = parent
        return dimension

    def _tie(self, one: Dimension, other: Dimension) -> None:
        first, second = self._first(one), self._first(other)
        if first == second:
            return
        self._parents[second] = first
        members = self._members.setdefault(first, [first])
        members += self._members.pop(second, [second])
        if second in self._closed:
            self._closed.add(first)

    def _close(self, value: Value, dimensions: Iterable[int]) -> None:
        self._closed |= {self._first((value, d)) for d in dimensions}

    def _tie_all(self, one: Value, other: Value, dimensions: Iterable[int]) -> None:
        for d in dimensions:
            self._tie((one, d), (other, d))

    # --- ops --------------------------------------------------------------------------------------
    def _loop(self, loop: Operation, changed: Sequence[int]) -> None:
        """Tie what each iteration makes of the one before; ``changed`` are the values that do."""
        condition, body = (region.blocks[0] for region in loop.regions)
        end = ir.terminator(body).operands
        for n in changed:
            self._inside |= {condition.arguments[n], body.arguments[n]}
            others = (condition.arguments[n], end[n], loop.results[n])
            for other in others:
                self._tie_all(body.arguments[n], other, range(len(shape_of(other))))
        for block in (condition, body):
            for op in inner_ops(block):
                self._inside.update(op.results)
                self._op(op)

    def _op(self, op: Operation) -> None:
        rule = _RULES.get(op.name)
        if rule is not None:
            rule(self, op)
            return
        values = [*op.operands, *op.results]
        whole = shape_of(op.results[0]) if len(op.results) == 1 else ()
        if has_trait(op, Trait.ELEMENTWISE) and {shape_of(v) for v in values} <= {whole, ()}:
            for operand in op.operands:
                self._tie_all(op.results[0], operand, range(len(shape_of(operand))))
        else:
            for value in (*ir.used_values(op), *op.results):
                self._close(value, range(len(shape_of(value))))


# --- rules ----------------------------------------------------------------------------------------
Rule = Callable[[Independence, Operation], None]


def _nested(rows: Independence, op: Operation) -> None:
    numbers = range(len(op.operands))
    rows._loop(op, numbers)
    for operand, result in zip(op.operands, op.results, strict=True):
        rows._tie_all(result, operand, range(len(shape_of(result))))


def _constant(rows: Independence, op: Operation) -> None:
    (result,) = op.results
    if not mlir.is_splat(op.attributes["value"]):
        rows._close(result, range(len(shape_of(result))))


def _iota(rows: Independence, op: Operation) -> None:
    rows._close(op.results[0], [ir.integer_of(op, "iota_dimension")])


def _broadcast(rows: Independence, op: Operation) -> None:
    (operand,), (result,) = op.operands, op.results
    for d, target in enumerate(ir.integers_of(op, "broadcast_dimensions")):
        if shape_of(operand)[d] == shape_of(result)[target]:
            rows._tie((operand, d), (result, target))


def _reshape(rows: Independence, op: Operation) -> None:
    """A dimension stays where as many elements lie before it, and it has the same size."""
    (operand,), (result,) = op.operands, op.results
    shapes = shape_of(operand), shape_of(result)
    places = [
        {(math.prod(shape[:d]), size): d for d, size in enumerate(shape) if size != 1}
        for shape in shapes
    ]
    common = places[0].keys() & places[1].keys()
    for value, own in zip((operand, result), places, strict=True):
        rows._close(value, [d for place, d in own.items() if place not in common])
    for place in common:
        rows._tie((operand, places[0][place]), (result, places[1][place]))


def _transpose(rows: Independence, op: Operation) -> None:
    (operand,), (result,) = op.operands, op.results
    for d, source in enumerate(ir.integers_of(op, "permutation")):
        rows._tie((operand, source), (result, d))


def _tie_uncut(rows: Independence, one: Value, other: Value) -> None:
    """Tie the dimensions of the same size; of the others nothing can be cut."""
    for d, sizes in enumerate(zip(shape_of(one), shape_of(other), strict=True)):
        if sizes[0] == sizes[1]:
            rows._tie((one, d), (other, d))
        else:
            rows._close(one, [d])
            rows._close(other, [d])


def _slice(rows: Independence, op: Operation) -> None:
    _tie_uncut(rows, op.operands[0], op.results[0])


def _dynamic_slice(rows: Independence, op: Operation) -> None:
    """What is cut of a value from outside is cut again, for a block of its rows."""
    operand, (result,) = op.operands[0], op.results
    if not rows.is_outside(operand):
        _tie_uncut(rows, operand, result)
        return
    sizes = zip(shape_of(operand), shape_of(result), strict=True)
    rows._close(result, [d for d, (whole, part) in enumerate(sizes) if whole != part])


def _dynamic_update_slice(rows: Independence, op: Operation) -> None:
    operand, update, (result,) = op.operands[0], op.operands[1], op.results
    _tie_uncut(rows, operand, update)
    rows._tie_all(operand, result, range(len(shape_of(result))))


def _concatenate(rows: Independence, op: Operation) -> None:
    (result,), joined = op.results, ir.integer_of(op, "dimension")
    for operand in op.operands:
        rows._close(operand, [joined])
        dimensions = [d for d in range(len(shape_of(result))) if d != joined]
        rows._tie_all(operand, result, dimensions)
    rows._close(result, [joined])


def _pad(rows: Independence, op: Operation) -> None:
    operand, (result,) = op.operands[0], op.results
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    for d, amounts in enumerate(zip(*(ir.integers_of(op, name) for name in names), strict=True)):
        if any(amounts):
            rows._close(operand, [d])
            rows._close(result, [d])
        else:
            rows._tie((operand, d), (result, d))


def _reverse(rows: Independence, op: Operation) -> None:
    (operand,), (result,) = op.operands, op.results
    rows._tie_all(operand, result, range(len(shape_of(result))))
    rows._close(result, ir.integers_of(op, "dimensions"))


def _reduce(rows: Independence, op: Operation) -> None:
    """Regions act on elements alone; what they capture is no part of any row."""
    reduced = ir.integers_of(op, "dimensions")
    operands = list(op.operands)[: len(op.results)]
    left = [d for d in range(len(shape_of(operands[0]))) if d not in reduced]
    for operand, result in zip(operands, op.results, strict=True):
        rows._tie_all(operands[0], operand, left)
        rows._close(operand, reduced)
        for target, d in enumerate(left):
            rows._tie((operands[0], d), (result, target))
    for value in ir.captured(op):
        rows._close(value, range(len(shape_of(value))))


def _dot_general(rows: Independence, op: Operation) -> None:
    lhs, rhs = op.operands
    (result,) = op.results
    numbers = DOT_DIMENSION_NUMBERS.decode(op.attributes["dot_dimension_numbers"])
    sides: list[tuple[Value, list[int], list[int]]] = []
    both: tuple[tuple[str, Value], ...] = (("lhs", lhs), ("rhs", rhs))
    for side, value in both:
        batching = list(numbers.get(f"{side}_batching_dimensions", ()))
        contracting = list(numbers.get(f"{side}_contracting_dimensions", ()))
        rows._close(value, contracting)
        free = [d for d in range(len(shape_of(value))) if d not in (*batching, *contracting)]
        sides.append((value, batching, free))
    batches = len(sides[0][1])
    place = batches
    for value, batching, free in sides:
        for target, d in enumerate(batching):
            rows._tie((value, d), (result, target))
        for d in free:
            rows._tie((value, d), (result, place))
            place += 1


_RULES: dict[str, Rule] = {
    "stablehlo.broadcast_in_dim": _broadcast,
    "stablehlo.concatenate": _concatenate,
    "stablehlo.constant": _constant,
    "stablehlo.dot_general": _dot_general,
    "stablehlo.dynamic_slice": _dynamic_slice,
    "stablehlo.dynamic_update_slice": _dynamic_update_slice,
    "stablehlo.iota": _iota,
    "stablehlo.pad": _pad,
    "stablehlo.reduce": _reduce,
    "stablehlo.reshape": _reshape,
    "stablehlo.reverse": _reverse,
    "stablehlo.slice": _slice,
    "stablehlo.transpose": _transpose,
    "stablehlo.while": _nested,
}
