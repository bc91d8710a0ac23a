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
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shlo_tools import dtypes, ir, mlir
from shlo_tools.dtypes import TensorType
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops import Trait, has_trait
from shlo_tools.passes.simplify.values import splat_attribute
from shlo_tools.passes.stages.regions import repeated_op

_FEW = 16  # numbers of each
_MANY = 32  # lanes that are worth it
_CUTS, _JOINS = "stablehlo.slice", "stablehlo.concatenate"
_FOLDS = ("add", "multiply", "maximum", "minimum", "and", "or")

Parts = list[Value]  # of a value, in the order of its elements without the dimension of the many


def split(block: mlir.Block) -> None:
    """Take apart what a block joins and cuts again."""
    while _split_group(block):
        pass


def _split_group(block: mlir.Block) -> bool:
    """Take one group of ops apart, if there is one."""
    ops = [mlir.inner_operation(view) for view in block.operations]
    names = Counter(op.name for op in ops)
    if names[_CUTS] < 2 or not names[_JOINS]:
        return False
    for many in _sizes(ops):
        family = _Family(many)
        for group in _connected([op for op in ops if family.has(op)]):
            if _is_moved(family, group) and any(map(family.is_inside, group)):
                _Splitting(family, _without_last_views(group)).run()
                return True
    return False


def _sizes(ops: Sequence[Operation]) -> list[int]:
    """How many vectors there are, by what is joined."""
    sizes = Counter[int]()
    for op in ops:
        if op.name == _JOINS and mlir.is_static_tensor(op.results[0].type):
            type = dtypes.tensor_type(op.results[0].type)
            many = max(type.static_shape)
            if many >= _MANY and type.size <= _FEW * many:
                sizes[many] += 1
    return [size for size, _ in sizes.most_common()]


@dataclass(frozen=True)
class _Layout:
    """Where a type has the dimension of the many: ``before`` and ``after`` elements around it."""

    type: TensorType
    dimension: int

    @property
    def before(self) -> int:
        return math.prod(self.type.static_shape[: self.dimension])

    @property
    def after(self) -> int:
        return math.prod(self.type.static_shape[self.dimension + 1 :])

    @property
    def few(self) -> tuple[int, ...]:
        """The other sizes."""
        shape = self.type.static_shape
        return (*shape[: self.dimension], *shape[self.dimension + 1 :])


class _Family:
    """Values that have a number of vectors, and the ops on them that can be taken apart."""

    def __init__(self, many: int) -> None:
        self.many = many
        self._known: dict[mlir.Type, _Layout | None] = {}

    def layout(self, value: Value) -> _Layout | None:
        """How a value holds a few numbers for each of the many; None where it is another one."""
        if value.type not in self._known:
            self._known[value.type] = self._layout(value.type)
        return self._known[value.type]

    def _layout(self, mlir_type: mlir.Type) -> _Layout | None:
        if not mlir.is_static_tensor(mlir_type) or "!" in mlir.spelling(mlir_type):
            return None
        type = dtypes.tensor_type(mlir_type)
        is_fit = type.static_shape.count(self.many) == 1 and type.size <= _FEW * self.many
        return _Layout(type, type.static_shape.index(self.many)) if is_fit else None

    def is_inside(self, op: Operation) -> bool:
        """Whether an op's result has the many in another dimension than its first."""
        layout = self.layout(op.results[0])
        return layout is not None and layout.before > 1

    def turns(self, op: Operation) -> bool:
        """Whether the many are in another dimension of an op's result than of its operand."""
        places = [self.layout(value) for value in (op.operands[0], op.results[0])]
        around = {place.before > 1 for place in places if place is not None}
        return op.name == "stablehlo.transpose" and len(around) == 2

    def has(self, op: Operation) -> bool:
        """Whether an op can be taken apart."""
        if len(op.results) != 1 or (result := self.layout(op.results[0])) is None:
            return False
        rule = _FITS.get(op.name)
        if rule is not None:
            return rule(self, op, result)
        same = [self.layout(operand) for operand in op.operands]
        shape = result.type.shape
        is_alike = all(one is not None and one.type.shape == shape for one in same)
        return bool(same) and is_alike and has_trait(op, Trait.ELEMENTWISE)


def _is_uncut(family: _Family, op: Operation, result: _Layout) -> bool:
    source = family.layout(op.operands[0])
    if source is None or source.dimension != result.dimension:
        return False
    return source.type.rank == result.type.rank


def _is_in_order(family: _Family, op: Operation, result: _Layout) -> bool:
    source = family.layout(op.operands[0])
    return source is not None and source.before == result.before


def _is_known(family: _Family, op: Operation, result: _Layout) -> bool:
    return family.layout(op.operands[0]) is not None


def _is_spread(family: _Family, op: Operation, result: _Layout) -> bool:
    (operand,) = op.operands
    source = family.layout(operand)
    if source is None:
        return mlir.is_static_tensor(operand.type) and not dtypes.tensor_type(operand.type).shape
    return ir.integers_of(op, "broadcast_dimensions")[source.dimension] == result.dimension


def _is_joined(family: _Family, op: Operation, result: _Layout) -> bool:
    sources = [family.layout(operand) for operand in op.operands]
    return ir.integer_of(op, "dimension") != result.dimension and all(
        source is not None and source.dimension == result.dimension for source in sources
    )


def _is_splat(family: _Family, op: Operation, result: _Layout) -> bool:
    return mlir.is_splat(op.attributes["value"])


def _is_folded(family: _Family, op: Operation, result: _Layout) -> bool:
    source = family.layout(op.operands[0]) if len(op.operands) == 2 else None
    if source is None or source.dimension in ir.integers_of(op, "dimensions"):
        return False
    is_plain = len(op.regions[0].blocks[0].operations) == 2
    return is_plain and repeated_op(op) in _FOLDS


_Fit = Callable[[_Family, Operation, _Layout], bool]
_FITS: dict[str, _Fit] = {
    "stablehlo.broadcast_in_dim": _is_spread,
    "stablehlo.concatenate": _is_joined,
    "stablehlo.constant": _is_splat,
    "stablehlo.reduce": _is_folded,
    "stablehlo.reshape": _is_in_order,
    "stablehlo.slice": _is_uncut,
    "stablehlo.transpose": _is_known,
}


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


def _is_moved(family: _Family, group: Sequence[Operation]) -> bool:
    """Whether something that the group joins is cut or turned around, however much later."""
    joined: set[Value] = set()
    for op in group:
        if op.name == _JOINS or any(operand in joined for operand in op.operands):
            if op.operands[0] in joined and (op.name == _CUTS or family.turns(op)):
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

    def __init__(self, family: _Family, group: Sequence[Operation]) -> None:
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

    def _layout(self, value: Value) -> _Layout:
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
        layout, vector = self._layout(value), self._vector(value)
        shape, parts = layout.type.static_shape, []
        for place in _places(layout.few):
            starts = [*place[: layout.dimension], 0, *place[layout.dimension :]]
            limits = [start + 1 for start in starts]
            limits[layout.dimension] = self._family.many
            thin = [limit - start for start, limit in zip(starts, limits, strict=True)]
            part = value
            if thin != list(shape):
                type = mlir.tensor_type(thin, layout.type.element_type.mlir())
                bounds = {"start_indices": starts, "limit_indices": limits}
                bounds["strides"] = [1] * len(thin)
                attributes = {n: mlir.i64_array_attr(numbers) for n, numbers in bounds.items()}
                part = build.value(_CUTS, (value,), type, attributes)
            if len(thin) > 1:
                part = build.value("stablehlo.reshape", (part,), vector)
            parts.append(part)
        return parts

    def _moved(self, op: Operation, layout: _Layout) -> list[int]:
        """For each part of a result the number of the operand's part that it is."""
        source = self._layout(op.operands[0])
        numbers = list(range(math.prod(source.few)))
        if op.name == "stablehlo.reshape":
            return numbers
        at = source.dimension
        places = []
        for few in _places(layout.few):
            place = [*few[: layout.dimension], 0, *few[layout.dimension :]]
            if op.name == _CUTS:
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

    def _concatenated(self, op: Operation, layout: _Layout, build: Build) -> Parts:
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

    def _folded(self, op: Operation, layout: _Layout, build: Build) -> Parts:
        """In the order of the elements, beginning with what the reduction starts from."""
        source, vector = self._layout(op.operands[0]), self._vector(op.results[0])
        own = self._of(op.operands[0], build)
        reduced = ir.integers_of(op, "dimensions")
        kept = [d for d in range(source.type.rank) if d not in reduced and d != source.dimension]
        name = f"stablehlo.{repeated_op(op)}"
        dimensions = {"broadcast_dimensions": mlir.i64_array_attr([])}
        start = build.value("stablehlo.broadcast_in_dim", (op.operands[1],), vector, dimensions)
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
            return build.value(_JOINS, values, mlir.tensor_type(shape, element), along)

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
