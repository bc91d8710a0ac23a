"""Updates of most of a tensor, at a place that is known, are elementwise ops.

Before, the inner part of a grid, as ``x.at[1:-1].add(y[1:] - y[:-1])`` has it:
    %0 = stablehlo.slice %y [1:127] : (tensor<127xf32>) -> tensor<126xf32>
    %1 = stablehlo.slice %y [0:126] : (tensor<127xf32>) -> tensor<126xf32>
    %2 = stablehlo.subtract %0, %1 : tensor<126xf32>
    %3 = "stablehlo.scatter"(%x, %one, %2) ({ add }) : (tensor<128xf32>, ...) -> tensor<128xf32>
After, where the padding is whatever is read fastest, as nobody reads it:
    %0 = stablehlo.pad %y[1:127], low = [1], high = [1] : tensor<128xf32>
    %1 = stablehlo.pad %y[0:126], low = [1], high = [1] : tensor<128xf32>
    %2 = stablehlo.subtract %0, %1 : tensor<128xf32>
    %3 = stablehlo.add %x, %2 : tensor<128xf32>
    %4 = stablehlo.select %is_inner, %3, %x : tensor<128xf32>

A scatter and what it adds were a kernel each, and each wrote to memory. A slice that lies where it
goes to is the tensor that it is a slice of.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shlo_tools import dtypes, ir, mlir
from shlo_tools.codegen.stages.tiny.picking import LARGEST
from shlo_tools.dtypes import ELEMENT_TYPES, TensorType
from shlo_tools.ir import Build, Rewrite
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops import Trait, has_trait
from shlo_tools.ops.gather_scatter import SCATTER_DIMENSION_NUMBERS
from shlo_tools.passes.legalize_to_linalg.elementwise import SCALARS
from shlo_tools.passes.simplify.values import compared, constant, held_integers, source, splat

_MOST = 2  # a part of at least one in so many elements is not worth a stage of its own
_OPS = 64  # ops in front of an update that are computed for the whole tensor


@dataclass(frozen=True)
class _Update:
    """An update of part of a tensor.

    Attributes:
        operand: what is updated.
        update: what is written or combined, in the shape of the window.
        window: sizes of the part, in the operand's dimensions.
        starts: where it begins.
        combination: the op that makes an element of the old one and the update's; '' for the
            latter alone.
    """

    operand: Value
    update: Value
    window: tuple[int, ...]
    starts: tuple[int, ...]
    combination: str

    @property
    def type(self) -> TensorType:
        return dtypes.tensor_type(self.operand.type)


# --- which updates --------------------------------------------------------------------------------
def of_scatter(op: Operation, build: Build) -> list[Value] | None:
    """A scatter of one window at a known place, by elementwise ops."""
    values = (*op.operands, *op.results)
    if len(values) != 4 or not all(map(_is_static, values)):
        return None
    operand, indices, update = op.operands
    combination = _combination(op)
    if combination is None or not _is_most(operand, update) or operand.type != op.results[0].type:
        return None
    numbers = SCATTER_DIMENSION_NUMBERS.decode(op.attributes["scatter_dimension_numbers"])
    mapped = numbers.get("scatter_dims_to_operand_dims", ())
    places = _numbers(indices)
    if places is None or len(places) != len(mapped) or numbers.get("input_batching_dims"):
        return None
    shape = dtypes.tensor_type(operand.type).static_shape
    sizes = dtypes.tensor_type(update.type).static_shape
    inserted = numbers.get("inserted_window_dims", ())
    windows = iter([sizes[d] for d in numbers.get("update_window_dims", ())])
    window = tuple(1 if d in inserted else next(windows) for d in range(len(shape)))
    placed = dict(zip(mapped, places, strict=True))
    starts = tuple(placed.get(d, 0) for d in range(len(shape)))
    rows = zip(starts, window, shape, strict=True)
    if not all(0 <= start <= size - part for start, part, size in rows):
        return None  # what is not inside is left out
    if sizes != window:
        type = dtypes.tensor_type(update.type).with_shape(window)
        update = build.value("stablehlo.reshape", (update,), type.mlir())
    return [_written(_Update(operand, update, window, starts, combination), op.block, build)]


def of_dynamic_update_slice(op: Operation, build: Build) -> list[Value] | None:
    """An update at a known place, by elementwise ops."""
    operand, update, *indices = op.operands
    if not all(map(_is_static, op.operands)) or not _is_most(operand, update):
        return None
    places = [_numbers(index) for index in indices]
    shape = dtypes.tensor_type(operand.type).static_shape
    window = dtypes.tensor_type(update.type).static_shape
    starts = []
    for place, part, size in zip(places, window, shape, strict=True):
        if place is None:
            return None
        starts.append(min(max(place[0], 0), size - part))
    return [_written(_Update(operand, update, window, tuple(starts), ""), op.block, build)]


def _is_static(value: Value) -> bool:
    """Whether a value is a tensor of known sizes and plain numbers."""
    return mlir.is_static_tensor(value.type)


def _is_most(operand: Value, update: Value) -> bool:
    """Whether an update is as large as most of its operand, and that is large enough."""
    whole, part = (dtypes.tensor_type(value.type) for value in (operand, update))
    is_alike = whole.element_type == part.element_type
    return is_alike and LARGEST < whole.size <= part.size * _MOST


def _combination(op: Operation) -> str | None:
    """What a scatter makes of an element and its update; None where that is no single op."""
    block = op.regions[0].blocks[0]
    end = ir.terminator(block)
    old, new = block.arguments
    if end.operands[0] == new:
        return ""
    *ops, _ = block.operations
    if len(ops) != 1 or ir.captured(op):
        return None
    inner = mlir.inner_operation(ops[0])
    is_known = inner.name in SCALARS and list(inner.operands) == [old, new]
    return inner.name if is_known and not len(inner.attributes) else None


def _numbers(value: Value) -> list[int] | None:
    """The numbers of a tensor of integers, where constants are all that it is made of."""
    op = mlir.defining_op(value)
    if op is None:
        return None
    if op.name in ("stablehlo.reshape", "stablehlo.convert"):
        return _numbers(op.operands[0])
    if op.name == "stablehlo.concatenate":
        parts = [_numbers(operand) for operand in op.operands]
        known = [part for part in parts if part is not None]
        return [n for part in known for n in part] if len(known) == len(parts) else None
    one = splat(value)
    if one is not None:
        return [int(one)] * dtypes.tensor_type(value.type).size
    return held_integers(value)


# --- what they become -----------------------------------------------------------------------------
def _written(update: _Update, block: mlir.Block, build: Build) -> Value:
    """The operand with its part updated."""
    value = _Whole(update, block, build).value
    if update.combination:
        value = build.value(update.combination, (update.operand, value), update.operand.type)
    inside = _inside(update, build)
    if inside is None:
        return value
    operands = (inside, value, update.operand)
    return build.value("stablehlo.select", operands, update.operand.type)


class _Whole:
    """What is written, for all elements of the operand; those outside of the part may be any.

    Attributes:
        value: it.
    """

    def __init__(self, update: _Update, block: mlir.Block, build: Build) -> None:
        self._update, self._build = update, build
        self._values: dict[Value, Value] = {}
        for op in _only_for(update.update, update.window, block):
            self._values[op.results[0]] = self._computed(op)
        self.value = self._of(update.update)

    def _computed(self, op: Operation) -> Value:
        """An elementwise op for the whole tensor."""
        operands = [v if _is_number(v) else self._of(v) for v in op.operands]
        attributes = dict(op.attributes.items())
        return self._build.value(op.name, operands, self._type(op.results[0]).mlir(), attributes)

    def _of(self, value: Value) -> Value:
        if value not in self._values:
            self._values[value] = self._spread(value) or self._sliced(value) or self._padded(value)
        return self._values[value]

    def _type(self, value: Value) -> TensorType:
        return dtypes.tensor_type(value.type).with_shape(self._update.type.static_shape)

    def _spread(self, value: Value) -> Value | None:
        """One number everywhere."""
        one, type = splat(value), self._type(value)
        if one is not None:
            return constant(self._build, type.mlir(), np.broadcast_to(one, type.static_shape))
        op = source(value, "broadcast_in_dim")
        if op is None or not _is_number(op.operands[0]):
            return None
        attributes = dict(op.attributes.items())
        return self._build.value(op.name, op.operands, type.mlir(), attributes)

    def _sliced(self, value: Value) -> Value | None:
        """What a value is a slice of, where it lies there as in the whole tensor."""
        op = source(value, "slice")
        if op is None or op.operands[0].type != self._type(value).mlir():
            return None
        is_there = tuple(ir.integers_of(op, "start_indices")) == self._update.starts
        return op.operands[0] if is_there and set(ir.integers_of(op, "strides")) <= {1} else None

    def _padded(self, value: Value) -> Value:
        type, update = self._type(value), self._update
        if type.static_shape == update.window:
            return value
        scalar = type.with_shape(())
        zero = constant(self._build, scalar.mlir(), np.zeros((), type.element_type.dtype))
        rows = zip(type.static_shape, update.window, update.starts, strict=True)
        high = [size - part - start for size, part, start in rows]
        padding = {
            "edge_padding_low": mlir.i64_array_attr(update.starts),
            "edge_padding_high": mlir.i64_array_attr(high),
            "interior_padding": mlir.i64_array_attr([0] * type.rank),
        }
        return self._build.value("stablehlo.pad", (value, zero), type.mlir(), padding)


def _is_number(value: Value) -> bool:
    return _is_static(value) and not dtypes.tensor_type(value.type).shape


def _only_for(update: Value, window: tuple[int, ...], block: mlir.Block) -> list[Operation]:
    """Elementwise ops of the window's shape that only an update rests on, in order."""
    inside: dict[Operation, None] = {}
    stack = [update]
    users = 1  # of the update: what writes it
    while stack and len(inside) < _OPS:
        value = stack.pop()
        op = mlir.defining_op(value)
        if op is None or op in inside or op.block != block or not _is_elementwise(op, window):
            continue
        if sum(mlir.inner_operation(use.owner) not in inside for use in value.uses) > users:
            continue  # reached again from the last of its users
        inside[op], users = None, 0
        stack += op.operands
    return list(reversed(inside))


def _is_elementwise(op: Operation, window: tuple[int, ...]) -> bool:
    is_known = op.name in SCALARS and has_trait(op, Trait.ELEMENTWISE) and len(op.results) == 1
    return is_known and all(
        _is_static(value) and dtypes.tensor_type(value.type).static_shape in (window, ())
        for value in (*op.operands, *op.results)
    )


def _inside(update: _Update, build: Build) -> Value | None:
    """Which elements are inside of the part; None if all are."""
    shape = update.type.static_shape
    numbers = TensorType(shape, ELEMENT_TYPES["i32"]).mlir()
    conditions: list[Value] = []
    for d, (size, part, start) in enumerate(zip(shape, update.window, update.starts, strict=True)):
        dimension = {"iota_dimension": mlir.i64_attr(d)}
        for bound, direction in ((start, "GE"), (start + part, "LT")):
            if bound not in (0, size):
                place = build.value("stablehlo.iota", (), numbers, dimension)
                limit = constant(build, numbers, np.broadcast_to(np.int32(bound), shape))
                conditions.append(compared(build, direction, place, limit))
    inside: Value | None = None
    for condition in conditions:
        if inside is not None:
            condition = build.value("stablehlo.and", (inside, condition), condition.type)
        inside = condition
    return inside


UPDATES: dict[str, Rewrite] = {
    "stablehlo.dynamic_update_slice": of_dynamic_update_slice,
    "stablehlo.scatter": of_scatter,
}
