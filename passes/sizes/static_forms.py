"""Dynamic ops whose sizes are numbers, as the static ops of the same meaning.

    %shape = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
    %0 = stablehlo.dynamic_broadcast_in_dim %x, %shape, dims = [1] : (...) -> tensor<2x4xf32>

is ``broadcast_in_dim %x, dims = [1]``. Numbers that contradict the types have no form: such an op
is left to fail when it runs. ``shlo-simplify`` and ``shlo-canonicalize-dynamism`` both go by this
table and differ in which numbers they know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shlo_tools import dtypes, ir, mlir
from shlo_tools.dtypes import TensorType
from shlo_tools.extend import description
from shlo_tools.mlir import Attribute, Operation
from shlo_tools.ops.gather_scatter import GATHER_DIMENSION_NUMBERS
from shlo_tools.types import value_type


@dataclass(frozen=True)
class Form:
    """A static op that stands for a dynamic one.

    Attributes:
        kept: positions of the operands that it takes.
    """

    name: str
    kept: Sequence[int]
    attributes: Mapping[str, Attribute]


Numbers = Sequence[int] | None  # the elements of an operand, where all are known
_Rule = Callable[[Operation, Sequence[Numbers]], Form | None]


def form_of(op: Operation, numbers: Sequence[Numbers]) -> Form | None:
    """The static form of an op, which its types, its attributes and these numbers tell.

    Args:
        numbers: elements of each operand.
    """
    rule = _RULES.get(op.name)
    if rule is None or any(_static(result.type) is None for result in op.results):
        return None
    return rule(op, numbers)


def _static(type: mlir.Type) -> TensorType | None:
    """A tensor type of known sizes."""
    tensor = value_type(type)
    return tensor if isinstance(tensor, TensorType) and tensor.is_static else None


def _shapes(op: Operation, *positions: int) -> list[Sequence[int]] | None:
    """The shapes of operands and, last, of the result, where all are known."""
    values = [*(op.operands[position] for position in positions), op.results[0]]
    types = [_static(value.type) for value in values]
    return [type.static_shape for type in types if type] if None not in types else None


def _attributes(op: Operation, *dropped: str, **changed: Attribute) -> dict[str, Attribute]:
    attributes = {
        name: attributes for name, attributes in op.attributes.items() if name not in dropped
    }
    return {**attributes, **changed}


# --- rules ----------------------------------------------------------------------------------------
def _broadcast(op: Operation, numbers: Sequence[Numbers]) -> Form | None:
    """dynamic_broadcast_in_dim(x, c) -> broadcast_in_dim(x)"""
    shapes, axes = _shapes(op, 0), ir.integers_of(op, "broadcast_dimensions")
    if shapes is None or numbers[1] is None or [*numbers[1]] != [*shapes[1]]:
        return None
    small, wide = shapes
    if any(size not in (1, wide[axis]) for size, axis in zip(small, axes, strict=True)):
        return None
    known = ("known_expanding_dimensions", "known_nonexpanding_dimensions")
    return Form("stablehlo.broadcast_in_dim", [0], _attributes(op, *known))


def _convolution(op: Operation, numbers: Sequence[Numbers]) -> Form | None:
    """dynamic_conv(x, y, c) -> convolution(x, y)"""
    if _shapes(op, 0, 1) is None or numbers[2] is None:
        return None
    pairs = np.array(numbers[2], np.int64).reshape(-1, 2)
    attributes = _attributes(op, padding=dtypes.to_attribute(pairs))
    return Form("stablehlo.convolution", [0, 1], attributes)


def _gather(op: Operation, numbers: Sequence[Numbers]) -> Form | None:
    """dynamic_gather(x, i, c) -> gather(x, i)"""
    shapes, sizes = _shapes(op, 0, 1), numbers[2]
    if shapes is None or sizes is None:
        return None
    operand, _, result = shapes
    if any(not 0 <= n <= size for n, size in zip(sizes, operand, strict=True)):
        return None
    fields = GATHER_DIMENSION_NUMBERS.decode(op.attributes["dimension_numbers"])
    names = ("collapsed_slice_dims", "operand_batching_dims")
    dropped = [d for name in names for d in fields.get(name, ())]
    kept = [n for d, n in enumerate(sizes) if d not in dropped]
    if any(sizes[d] > 1 for d in dropped):
        return None
    if kept != [result[d] for d in fields.get("offset_dims", ())]:
        return None
    attributes = _attributes(op, slice_sizes=mlir.i64_array_attr(sizes))
    return Form("stablehlo.gather", [0, 1], attributes)


def _iota(op: Operation, numbers: Sequence[Numbers]) -> Form | None:
    """dynamic_iota(c) -> iota"""
    shapes = _shapes(op)
    if shapes is None or numbers[0] is None or [*numbers[0]] != [*shapes[0]]:
        return None
    return Form("stablehlo.iota", [], _attributes(op))


def _pad(op: Operation, numbers: Sequence[Numbers]) -> Form | None:
    """dynamic_pad(x, y, c, d, e) -> pad(x, y)"""
    shapes, (low, high, interior) = _shapes(op, 0), numbers[2:]
    if shapes is None or low is None or high is None or interior is None:
        return None
    if any(count < 0 for count in interior):
        return None
    columns = zip(shapes[0], low, high, interior, strict=True)
    if [*shapes[1]] != [n + max(n - 1, 0) * i + a + b for n, a, b, i in columns]:
        return None
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    rows = dict(zip(names, map(mlir.i64_array_attr, (low, high, interior)), strict=True))
    return Form("stablehlo.pad", [0, 1], _attributes(op, **rows))


def _reshape(op: Operation, numbers: Sequence[Numbers]) -> Form | None:
    """dynamic_reshape(x, c) -> reshape(x)"""
    shapes = _shapes(op, 0)
    if shapes is None or numbers[1] is None or [*numbers[1]] != [*shapes[1]]:
        return None
    if np.prod(shapes[0], dtype=object) != np.prod(shapes[1], dtype=object):
        return None
    return Form("stablehlo.reshape", [0], _attributes(op))


def _slice(op: Operation, numbers: Sequence[Numbers]) -> Form | None:
    """real_dynamic_slice(x, c, d, e) -> x[c:d:e]"""
    shapes, (starts, limits, strides) = _shapes(op, 0), numbers[1:]
    if shapes is None or starts is None or limits is None or strides is None:
        return None
    rows = list(zip(starts, limits, strides, shapes[0], strict=True))
    if any(not 0 <= start <= limit <= n or step <= 0 for start, limit, step, n in rows):
        return None
    if [*shapes[1]] != [len(range(*row[:3])) for row in rows]:
        return None
    names = ("start_indices", "limit_indices", "strides")
    attributes = dict(zip(names, map(mlir.i64_array_attr, (starts, limits, strides)), strict=True))
    return Form("stablehlo.slice", [0], _attributes(op, **attributes))


def _custom_call(op: Operation, numbers: Sequence[Numbers]) -> Form | None:
    """Operands that hold the shapes of results say nothing once those are static."""
    name = "indices_of_shape_operands"
    if name not in op.attributes:
        return None
    listed = np.atleast_1d(description.python_value(op.attributes[name]))
    indices = [int(index) for index in listed.tolist()]
    inside = all(0 <= index < len(numbers) for index in indices)
    if not inside or len(indices) != len(op.results):
        return None
    for index, result in zip(indices, op.results, strict=True):
        type, sizes = _static(result.type), numbers[index]
        if type is None or sizes is None or [*sizes] != [*type.static_shape]:
            return None
    kept = [position for position in range(len(numbers)) if position not in indices]
    attributes = _attributes(op, name)
    if "operand_layouts" in attributes:
        layouts = ir.items_of(op, "operand_layouts")
        attributes["operand_layouts"] = mlir.array_attr(layouts[position] for position in kept)
    return Form(op.name, kept, attributes)


_RULES: Mapping[str, _Rule] = {
    "stablehlo.custom_call": _custom_call,
    "stablehlo.dynamic_broadcast_in_dim": _broadcast,
    "stablehlo.dynamic_conv": _convolution,
    "stablehlo.dynamic_gather": _gather,
    "stablehlo.dynamic_iota": _iota,
    "stablehlo.dynamic_pad": _pad,
    "stablehlo.dynamic_reshape": _reshape,
    "stablehlo.real_dynamic_slice": _slice,
}

# The ops of StableHLO that only differ from static ones in that their sizes are operands.
DYNAMIC = frozenset(name for name in _RULES if name != "stablehlo.custom_call")
NAMES = frozenset(_RULES)
