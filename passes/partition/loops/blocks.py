"""Loops of independent rows become calls of a function, one for each block of the rows.

Before:
    %0:2 = stablehlo.while(%i = %zero, %h = %x) : tensor<i32>, tensor<16x128xf32>
     cond { ... } do {
      %1 = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0]
      %2 = stablehlo.tanh %1
      ...
    }
After:
    %0:2 = call @rows.0(%c0, %zero, %x, %w) : (...) -> (tensor<i32>, tensor<8x128xf32>)
    %1:2 = call @rows.0(%c8, %zero, %x, %w) : (...) -> (tensor<i32>, tensor<8x128xf32>)
    %2 = stablehlo.concatenate %0#1, %1#1, dim = 0

The function cuts its rows out of what the loop starts with, and has the same loop. Threads that
share each product of a short iteration wait for each other in each of them; here they never do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

import numpy as np

from shlo_tools import dtypes, ir, mlir
from shlo_tools.codegen.lowered import BLOCK
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.passes.partition.loops.independence import Independence, shape_of
from shlo_tools.passes.simplify.values import constant, source, splat_attribute
from shlo_tools.program.flops import Counter
from shlo_tools.program.loop_counts import iterations

_LEAST_ROWS = 8  # of a block: fewer leave lanes of a product idle
_MOST_BLOCKS = 8
_LEAST_WORK = 10_000_000  # flops of a loop, below which threads gain nothing
_MOST_WORK = 40_000_000  # of an iteration, above which they share each product as well
_MOST_BYTES = 1 << 19  # that each block reads again: they stay in a core's cache
_LITTLE = 64  # as one in so many flops are elements that each block computes for itself
_ITERATIONS = 64  # of a loop whose number of them is not known

LOOP, _PRODUCT = "stablehlo.while", "stablehlo.dot_general"
_SIZES = {"stablehlo.slice": "limit_indices", "stablehlo.dynamic_slice": "slice_sizes"}


def split_loops(module: Operation, func: Operation, names: Collection[str]) -> list[Operation]:
    """Have loops of a function run by blocks of rows where that pays; the functions they call."""
    functions: list[Operation] = []
    for loop, ties, rows in _loops_of_rows(func):
        name = f"rows.{len(functions)}"
        while name in names:
            name = f"_{name}"
        functions.append(_Splitting(module, loop, ties, rows).run(name))
    return functions


def _loops_of_rows(parent: Operation) -> Iterator[tuple[Operation, Independence, dict[Value, int]]]:
    """The outermost loops that are worth it; who asks for the next one may have replaced them."""
    for region in parent.regions:
        for op in [mlir.inner_operation(view) for view in region.blocks[0].operations]:
            if not len(op.regions):
                continue
            is_product = op.name == LOOP and any(i.name == _PRODUCT for i in mlir.walk(op))
            ways = _rows_of(op) if is_product else None
            if ways is not None:
                yield op, *ways
            else:
                yield from _loops_of_rows(op)


# --- whether it pays ------------------------------------------------------------------------------
def _rows_of(loop: Operation) -> tuple[Independence, dict[Value, int]] | None:
    """What ties the values of a loop, and the dimension of each that is cut; None for no loop."""
    if not _is_static(loop):
        return None
    ties = Independence(loop)
    for rows in ties.open_dimensions():
        if _block_rows(_size(rows)) and _pays(loop, rows):
            return ties, rows
    return None


def _is_static(loop: Operation) -> bool:
    """Whether all sizes are known, and none is 0."""
    values = ir.used_values(loop)
    for op in mlir.walk(loop):
        values += op.results
        values += [a for region in op.regions for b in region.blocks for a in b.arguments]
    return all(
        mlir.is_static_tensor(v.type) and "!" not in mlir.spelling(v.type) and all(shape_of(v))
        for v in values
    )


def _size(rows: Mapping[Value, int]) -> int:
    """How many rows there are."""
    value, dimension = next(iter(rows.items()))
    return shape_of(value)[dimension]


def _block_rows(rows: int) -> int:
    """How many of the rows a block has; 0 where one block would have them all."""
    least = max(_LEAST_ROWS, -(-rows // _MOST_BLOCKS))
    return next((size for size in range(least, rows // 2 + 1) if rows % size == 0), 0)


def _pays(loop: Operation, rows: Mapping[Value, int]) -> bool:
    """Whether iterations are short, the loop is long, and blocks have little in common."""
    counter, body = Counter({}), loop.regions[1].blocks[0]
    work, times = counter.block(body).total, iterations(loop)
    if work > _MOST_WORK or work * (_ITERATIONS if times is None else times) < _LEAST_WORK:
        return False
    bytes = again = 0
    for op in mlir.walk(loop)[1:]:
        if op.name == LOOP and not any(inner.name == _PRODUCT for inner in mlir.walk(op)):
            return False  # it may be one kernel, which nobody asks whether the call goes on
        if op.name == _PRODUCT:
            if op.operands[0] not in rows:
                return False  # blocks would be of few columns, or compute all of it
            others = [dtypes.tensor_type(v.type) for v in op.operands if v not in rows]
            bytes += sum(type.nbytes for type in others)
        else:
            again += sum(dtypes.tensor_type(v.type).size for v in op.results if v not in rows)
    return bytes <= _MOST_BYTES and again * _LITTLE <= work


# --- cutting --------------------------------------------------------------------------------------
class _Splitting:
    """Makes the function for a block of rows of one loop, and its calls.

    Args:
        rows: the dimension of each value that is cut.
    """

    def __init__(
        self, module: Operation, loop: Operation, ties: Independence, rows: dict[Value, int]
    ) -> None:
        self.loop, self.rows, self.changed = loop, rows, ties.changed
        self.used = [n for n in ties.changed if next(loop.results[n].uses, None) is not None]
        self.count = _size(rows)
        self.size = _block_rows(self.count)
        self.build = Build(mlir.before(loop), loop.location)
        # What regions use from outside, by what they call it.
        self.outside: dict[Value, Value] = {value: value for value in ir.captured(loop)}
        for region in loop.regions:
            for n, value in enumerate(loop.operands):
                if n not in self.changed:
                    self.outside[region.blocks[0].arguments[n]] = value
        self.module_build = Build(mlir.at_end(module.regions[0].blocks[0]), loop.location)
        self.operands: dict[Value, Value] = {}  # of the function: its arguments, by values outside
        self.parts: dict[tuple[Value, int], Value] = {}

    def run(self, name: str) -> Operation:
        """Replace the loop; the function."""
        func = self.module_build.function(name, (), (), {BLOCK: mlir.unit_attr()})
        self.block, self.inside = self.module_build.block(func.regions[0], ())
        row_type = mlir.tensor_type((), mlir.integer_type(32))
        self.starts = {row_type: self.block.add_argument(row_type, self.loop.location)}
        clone = mlir.inner_operation(self.loop.clone(self.inside.at))
        self.front = Build(mlir.before(clone), self.loop.location)
        self._cut(clone)
        results = [clone.results[n] for n in self.used]
        self.inside.op("func.return", results)
        types = [argument.type for argument in self.block.arguments]
        results_types = [result.type for result in results]
        func.attributes["function_type"] = mlir.type_attr(mlir.function_type(types, results_types))
        self._call(name, row_type, results_types)
        return func

    def _cut_type(self, value: Value, dimension: int) -> Type:
        """The type of a block of rows of a value."""
        shape = list(shape_of(value))
        shape[dimension] = self.size
        return dtypes.tensor_type(value.type).with_shape(shape).mlir()

    def _cut(self, clone: Operation) -> None:
        """Have a copy of the loop compute a block of rows."""
        end = ir.terminator(self.loop.regions[1].blocks[0])
        body = self.loop.regions[1].blocks[0]
        for n, value in enumerate(self.loop.operands):
            dimension = self.rows.get(body.arguments[n]) if n in self.changed else None
            clone.operands[n] = self._operand(value, dimension)
        pairs = list(zip(mlir.walk(self.loop), mlir.walk(clone), strict=True))
        for old, new in pairs:
            self._cut_values(old.results, new.results)
            for one, other in zip(old.regions, new.regions, strict=True):
                for before, after in zip(one.blocks, other.blocks, strict=True):
                    self._cut_values(before.arguments, after.arguments)
        for old, new in pairs[1:]:
            for place, value in enumerate(old.operands):
                if value in self.outside and not (old == end and place not in self.changed):
                    is_cut = old.name == "stablehlo.dynamic_slice" and place == 0
                    dimension = None if is_cut else self.rows.get(value)
                    new.operands[place] = self._operand(self.outside[value], dimension)
            self._cut_sizes(old, new)

    def _cut_values(self, before: Iterable[Value], after: Iterable[Value]) -> None:
        for old, new in zip(before, after, strict=True):
            if old in self.rows and old not in self.outside:
                new.set_type(self._cut_type(old, self.rows[old]))

    def _cut_sizes(self, old: Operation, new: Operation) -> None:
        """Write a block's sizes where ops say sizes, and where it begins in what is outside."""
        dimension = self.rows.get(old.results[0]) if len(old.results) == 1 else None
        if dimension is None:
            return
        if (name := _SIZES.get(old.name)) is not None:
            sizes = ir.integers_of(old, name)
            sizes[dimension] = self.size
            new.attributes[name] = mlir.i64_array_attr(sizes)
        if old.name == "stablehlo.dynamic_slice" and old.operands[0] in self.outside:
            new.operands[1 + dimension] = self._start(old.operands[1].type)
        if old.name == "stablehlo.constant":
            new.attributes["value"] = _resized(old, new.results[0].type)

    # --- operands ---------------------------------------------------------------------------------
    def _operand(self, value: Value, dimension: int | None) -> Value:
        """A value from outside, or the block's rows of it."""
        return self._whole(value) if dimension is None else self._part(value, dimension)

    def _whole(self, value: Value) -> Value:
        if value not in self.operands:
            op = source(value, "constant")
            if op is not None:
                self.operands[value] = mlir.inner_operation(op.clone(self.front.at)).results[0]
            else:
                self.operands[value] = self.block.add_argument(value.type, self.loop.location)
        return self.operands[value]

    def _part(self, value: Value, dimension: int) -> Value:
        key = value, dimension
        if key not in self.parts:
            self.parts[key] = self._new_part(value, dimension)
        return self.parts[key]

    def _new_part(self, value: Value, dimension: int) -> Value:
        cut_type = self._cut_type(value, dimension)
        op = source(value, "constant", "broadcast_in_dim")
        if op is not None and not op.operands and mlir.is_splat(op.attributes["value"]):
            return self.front.value(op.name, (), cut_type, {"value": _resized(op, cut_type)})
        if op is not None and op.operands and not shape_of(op.operands[0]):
            number = self._whole(op.operands[0])
            return self.front.value(op.name, [number], cut_type, dict(op.attributes.items()))
        row = next(iter(self.starts.values()))
        zero = constant(self.front, row.type, np.zeros((), np.int32))
        sizes = dtypes.tensor_type(cut_type).static_shape
        starts = [row if d == dimension else zero for d in range(len(sizes))]
        attributes = {"slice_sizes": mlir.i64_array_attr(sizes)}
        operands = [self._whole(value), *starts]
        return self.front.value("stablehlo.dynamic_slice", operands, cut_type, attributes)

    def _start(self, type: Type) -> Value:
        """The number of the block's first row, as an index of a type."""
        if type not in self.starts:
            (first, *_) = self.starts.values()
            self.starts[type] = self.front.value("stablehlo.convert", [first], type)
        return self.starts[type]

    # --- calls ------------------------------------------------------------------------------------
    def _call(self, name: str, row_type: Type, types: list[Type]) -> None:
        """Call the function for each block of rows, and put the blocks together."""
        build = self.build
        arguments = [value for value in self.operands if self.operands[value].owner == self.block]
        rows = range(0, self.count, self.size)
        starts = [constant(build, row_type, np.asarray(row, np.int32)) for row in rows]
        calls = [build.call(name, [start, *arguments], types) for start in starts]
        results = list(self.loop.operands)
        for place, n in enumerate(self.used):
            blocks = [call[place] for call in calls]
            results[n] = blocks[0]
            dimension = self.rows.get(self.loop.results[n])
            if dimension is not None:
                results[n] = build.value(
                    "stablehlo.concatenate",
                    blocks,
                    self.loop.results[n].type,
                    {"dimension": mlir.i64_attr(dimension)},
                )
        ir.replace(self.loop, results)


def _resized(constant: Operation, type: Type) -> mlir.Attribute:
    """The one number of a constant, for a type of other sizes."""
    return splat_attribute(dtypes.splat_element(constant.attributes["value"]), type)
