"""Tensors of a few numbers for each of many are taken apart where the many come last.

Before, of 256 vectors of two:
    %1 = stablehlo.concatenate %a, %b, dim = 0 : (...) -> tensor<2x256xf32>
    %2 = stablehlo.multiply %1, %1 : tensor<2x256xf32>
    %3 = stablehlo.slice %2 [1:2, 0:256] : (tensor<2x256xf32>) -> tensor<1x256xf32>
    %4 = stablehlo.tanh %3 : tensor<1x256xf32>
After:
    %2 = stablehlo.multiply %b, %b : tensor<256xf32>
    %4 = stablehlo.tanh %2 : tensor<256xf32>

So is what batching transformations make of a function of small vectors; slices and concatenations
are only names then, and what is left is one stage of a batch (``batched``). That pays where what
has been joined is cut again or turned around; other tensors stay, and so do those whose first
dimension is the batch: these are such stages as they are.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from shlo_tools import dtypes, ir, mlir
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.partition.splittable import CUTS, FEW, JOINS, Family, Layout
from shlo_tools.passes.simplify.slicing import at_places
from shlo_tools.passes.simplify.values import splat_attribute, spread
from shlo_tools.passes.stages.regions import repeated_op

_MANY = 32  # lanes that are worth it

Parts = list[Value]  # of a value, in the order of its elements without the dimension of the many


def split(block: mlir.Block) -> list[Operation]:
    """Take apart what a block joins and cuts again; the ops that it has then."""
    while True:
        ops = [mlir.inner_operation(view) for view in block.operations]
        if not _split_groups(ops):
            return ops


def _split_groups(ops: Sequence[Operation]) -> bool:
    """Take groups of ops apart that hand over vectors of one size, if there are any."""
    names = Counter(op.name for op in ops)
    if names[CUTS] < 2 or not names[JOINS]:
        return False
    for many in _sizes(ops):
        family = Family(many)
        groups = [
            group
            for group in _connected([op for op in ops if family.has(op)])
            if _is_moved(family, group) and any(map(family.is_inside, group))
        ]
        for group in groups:
            _Splitting(family, _without_last_views(group)).run()
        if groups:
            return True
    return False


def _sizes(ops: Sequence[Operation]) -> list[int]:
    """How many vectors there are, by what is joined."""
    sizes = Counter[int]()
    for op in ops:
        if op.name == JOINS and mlir.is_static_tensor(op.results[0].type):
            type = dtypes.tensor_type(op.results[0].type)
            many = max(type.static_shape)
            if many >= _MANY and 0 < type.size <= FEW * many:
                sizes[many] += 1
    return [size for size, _ in sizes.most_common()]


# --- groups ---------------------------------------------------------------------------------------
def _connected(members: Sequence[Operation]) -> list[list[Operation]]:
    """Ops in groups that hand values to each other, each in the order of the block."""
    makers = {op.results[0]: number for number, op in enumerate(members)}
    roots = list(range(len(members)))

    def root(number: int) -> int:
        while roots[number] != number:
            number = roots[number] = roots[roots[number]]
        return number

    for number, op in enumerate(members):
        for operand in op.operands:
            if operand in makers:
                roots[root(number)] = root(makers[operand])
    groups: dict[int, list[Operation]] = {}
    for number, op in enumerate(members):
        groups.setdefault(root(number), []).append(op)
    return list(groups.values())


def _is_moved(family: Family, group: Sequence[Operation]) -> bool:
    """Whether something that the group joins is cut or turned around, however much later."""
    joined: set[Value] = set()
    for op in group:
        if op.name == JOINS or any(operand in joined for operand in op.operands):
            if op.operands[0] in joined and (op.name == CUTS or family.turns(op)):
                return True
            joined.add(op.results[0])
    return False


def _without_last_views(group: Sequence[Operation]) -> list[Operation]:
    """A group without what only gives others another shape of what it makes."""
    kept: list[Operation] = []
    used: set[Value] = set()
    for op in reversed(group):
        if op.name != "stablehlo.reshape" or op.results[0] in used:
            kept.append(op)
            used.update(op.operands)
    return kept[::-1]


# --- parts ----------------------------------------------------------------------------------------
class _Splitting:
    """Ops of a group, replaced by ops on their parts."""

    def __init__(self, family: Family, group: Sequence[Operation]) -> None:
        self._family, self._group = family, group
        self._parts: dict[Value, Parts] = {}
        self._own = {op.results[0] for op in group}

    def run(self) -> None:
        for op in self._group:
            build = Build(mlir.before(op), op.location)
            self._parts[op.results[0]] = self._taken_apart(op, build)
        inside = set(self._own)
        for op in self._group:
            (result,) = op.results
            users = [mlir.inner_operation(use.owner) for use in result.uses]
            if not all(len(user.results) == 1 and user.results[0] in inside for user in users):
                result.replace_all_uses_with(self._joined(op))
        for op in reversed(self._group):
            op.erase()

    def _layout(self, value: Value) -> Layout:
        layout = self._family.layout(value)
        if layout is None:
            raise RuntimeError(f"{value.type} is no vector for each of {self._family.many}")
        return layout

    def _vector(self, value: Value) -> mlir.Type:
        """The type of a part."""
        return mlir.tensor_type([self._family.many], self._layout(value).type.element_type.mlir())

    def _taken_apart(self, op: Operation, build: Build) -> Parts:
        (result,) = op.results
        layout, name = self._layout(result), op.name.partition(".")[2]
        vector = self._vector(result)
        if name == "constant":
            number = dtypes.splat_element(op.attributes["value"])
            attribute = {"value": splat_attribute(number, vector)}
            part = build.value(op.name, (), vector, attribute)
            return [part] * math.prod(layout.few)
        if name == "broadcast_in_dim" and self._family.layout(op.operands[0]) is None:
            dimensions = {"broadcast_dimensions": mlir.i64_array_attr([])}
            part = build.value(op.name, list(op.operands), vector, dimensions)
            return [part] * math.prod(layout.few)
        if name == "concatenate":
            return self._concatenated(op, layout, build)
        if name == "reduce":
            return self._folded(op, layout, build)
        if name in ("slice", "reshape", "transpose", "broadcast_in_dim"):
            source = self._of(op.operands[0], build)
            return [source[place] for place in self._moved(op, layout)]
        rows = zip(*(self._of(operand, build) for operand in op.operands), strict=True)
        attributes = dict(op.attributes.items())
        return [build.value(op.name, row, vector, attributes) for row in rows]

    def _of(self, value: Value, build: Build) -> Parts:
        """The parts of a value; slices of one that the group does not make."""
        if value not in self._parts:
            self._parts[value] = self._slices(value, build)
        return self._parts[value]

    def _slices(self, value: Value, build: Build) -> Parts:
        layout = self._layout(value)
        dims = [d for d in range(layout.type.rank) if d != layout.dimension]
        places = (dict(zip(dims, place, strict=True)) for place in _places(layout.few))
        return [at_places(build, value, place) for place in places]

    def _moved(self, op: Operation, layout: Layout) -> list[int]:
        """For each part of a result the number of the operand's part that it is."""
        source = self._layout(op.operands[0])
        numbers = list(range(math.prod(source.few)))
        if op.name == "stablehlo.reshape":
            return numbers
        at = source.dimension
        places = []
        for few in _places(layout.few):
            place = [*few[: layout.dimension], 0, *few[layout.dimension :]]
            if op.name == CUTS:
                starts, strides = (ir.integers_of(op, n) for n in ("start_indices", "strides"))
                own = [s + i * k for s, i, k in zip(starts, place, strides, strict=True)]
            elif op.name == "stablehlo.transpose":
                permutation = ir.integers_of(op, "permutation")
                own = [place[permutation.index(d)] for d in range(len(place))]
            else:
                dimensions = ir.integers_of(op, "broadcast_dimensions")
                sizes = source.type.static_shape
                own = [
                    0 if size == 1 else place[d] for d, size in zip(dimensions, sizes, strict=True)
                ]
            places.append(_number([*own[:at], *own[at + 1 :]], source.few))
        return places

    def _concatenated(self, op: Operation, layout: Layout, build: Build) -> Parts:
        axis = ir.integer_of(op, "dimension")
        axis -= axis > layout.dimension
        parts: dict[tuple[int, ...], Value] = {}
        start = 0
        for operand in op.operands:
            few = self._layout(operand).few
            for place, part in zip(_places(few), self._of(operand, build), strict=True):
                parts[(*place[:axis], place[axis] + start, *place[axis + 1 :])] = part
            start += few[axis]
        return [parts[place] for place in _places(layout.few)]

    def _folded(self, op: Operation, layout: Layout, build: Build) -> Parts:
        """In the order of the elements, beginning with what the reduction starts from."""
        source, vector = self._layout(op.operands[0]), self._vector(op.results[0])
        own = self._of(op.operands[0], build)
        reduced = ir.integers_of(op, "dimensions")
        kept = [d for d in range(source.type.rank) if d not in reduced and d != source.dimension]
        name = f"stablehlo.{repeated_op(op)}"
        start = spread(build, op.operands[1], vector)
        totals = dict.fromkeys(_places(layout.few), start)
        for few, part in zip(_places(source.few), own, strict=True):
            place = [*few[: source.dimension], 0, *few[source.dimension :]]
            at = tuple(place[d] for d in kept)
            totals[at] = build.value(name, (totals[at], part), vector)
        return list(totals.values())

    def _joined(self, op: Operation) -> Value:
        """What the group made, for who needs it whole."""
        (result,) = op.results
        layout, many = self._layout(result), self._family.many
        build, element = Build(mlir.before(op), op.location), layout.type.element_type.mlir()

        def reshaped(value: Value, *shape: int) -> Value:
            type = mlir.tensor_type(shape, element)
            return value if value.type == type else build.value("stablehlo.reshape", (value,), type)

        def joined(values: list[Value], axis: int, *shape: int) -> Value:
            if len(values) == 1:
                return values[0]
            along = {"dimension": mlir.i64_attr(axis)}
            return build.value(JOINS, values, mlir.tensor_type(shape, element), along)

        rows, before, after = self._parts[result], layout.before, layout.after
        if after > 1:
            columns = [reshaped(part, many, 1) for part in rows]
            starts = range(0, len(columns), after)
            rows = [joined(columns[k : k + after], 1, many, after) for k in starts]
        inner = (many, after) if after > 1 else (many,)
        if before > 1:
            rows = [joined([reshaped(row, 1, *inner) for row in rows], 0, before, *inner)]
        return reshaped(rows[0], *layout.type.static_shape)


def _places(sizes: Sequence[int]) -> list[tuple[int, ...]]:
    """All places of a tensor, row by row."""
    places: list[tuple[int, ...]] = [()]
    for size in sizes:
        places = [(*place, k) for place in places for k in range(size)]
    return places


def _number(place: Sequence[int], sizes: Sequence[int]) -> int:
    number = 0
    for index, size in zip(place, sizes, strict=True):
        number = number * size + index
    return number
