"""Products that are no matrix products are made of elementwise ops, which join their neighbours.

Before, 1280 dot products of three numbers:
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2]
        : (tensor<128x10x3xf32>, tensor<128x10x3xf32>) -> tensor<128x10xf32>
After:
    %1 = stablehlo.multiply %a, %b : tensor<128x10x3xf32>
    %0 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [2]

So are outer products, where nothing is summed, and products of matrices and vectors whose sums are
short, or whose numbers are complex or narrow: a product of matrices would read those by their parts
or widened, which are written first. Of two matrices, short sums are added up one by one, so that
elements beside each other stay so. Sums are kept in the types that those of ``dot_general`` are
kept in. Products of a few numbers stay: ``tiny`` stages write them line by line.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from shlo_tools import dtypes, ir, mlir
from shlo_tools.codegen.stages.tiny.picking import LARGEST
from shlo_tools.dtypes import ElementType, TensorType
from shlo_tools.ir import Build, Rewrite
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops.contraction import DOT_DIMENSION_NUMBERS
from shlo_tools.passes.legalize_to_linalg.emit.accumulation import accumulation_type
from shlo_tools.passes.partition.batched import are_lanes
from shlo_tools.passes.simplify.slicing import at_places
from shlo_tools.passes.simplify.values import constant, source

_SHORT = 4  # products that a sum is made of, at most, where a side has dimensions of its own
_LANES = 16  # neighbours of a side of such a product, at least, where both have dimensions

Labels = tuple[str, ...]  # of a tensor's dimensions: equal ones are those of the same loop


@dataclass(frozen=True)
class _Side:
    """An operand and what its dimensions are to the product; whether it is a transposition."""

    value: Value
    type: TensorType
    labels: Labels
    is_turned: bool = False

    @property
    def sizes(self) -> dict[str, int]:
        return dict(zip(self.labels, self.type.static_shape, strict=True))


def pointwise() -> Rewrite:
    """A rule that makes products by elementwise ops, and asks once for those that are alike."""
    left: set[Hashable] = set()

    def rule(op: Operation, build: Build) -> list[Value] | None:
        types = [value.type for value in (*op.operands, *op.results)]
        turned = [source(value, "transpose") is not None for value in op.operands]
        kind = (*types, *op.attributes.items(), *turned, _permutation_of_reader(op))
        if kind in left:
            return None
        values = _pointwise(op, build)
        if values is None:
            left.add(kind)
        return values

    return rule


def _pointwise(op: Operation, build: Build) -> list[Value] | None:
    """A product by elementwise ops; None for one that is left."""
    if "algorithm" in op.attributes or not _is_plain(op):
        return None
    sides = _sides(op)
    sizes = sides[0].sizes | sides[1].sizes
    result = dtypes.tensor_type(op.results[0].type)
    if not result.size or not all(side.type.size for side in sides):
        return None
    is_read_by_parts = result.element_type.is_complex or _is_narrow(sides)
    free = [_is_free(side, least=2 if is_read_by_parts else 0) for side in sides]
    summed = math.prod(size for label, size in sizes.items() if label[0] == "k")
    counts = (sides[0].type.size, sides[1].type.size, result.size)
    if max(counts) <= LARGEST and summed > 1:
        return None
    if summed > 1 and all(free):
        total = _added_up(op, sides, result, build) if summed <= _SHORT else None
        return None if total is None else [total]
    if summed > _SHORT and any(free) and not is_read_by_parts:
        order = sorted(sizes, key=lambda label: label[0] != "b")
        if not are_lanes([sizes[label] for label in order], result.element_type):
            return None
    return [_expanded(sides, result, build)]


def _is_free(side: _Side, least: int) -> bool:
    """Whether a side has a dimension of its own, of so many elements at least."""
    return any(label[0] in "lr" and size >= least for label, size in side.sizes.items())


def _is_narrow(sides: Sequence[_Side]) -> bool:
    """Whether a product of matrices would read numbers that it has to widen."""
    return any(side.type.element_type.bits < 32 for side in sides)


def _is_plain(op: Operation) -> bool:
    """Whether sizes are known, and elements are those that elementwise ops compute with."""
    values = (*op.operands, *op.results)
    if not all(mlir.is_static_tensor(value.type) for value in values):
        return False
    elements = [dtypes.tensor_type(value.type).element_type for value in values]
    if any(element.is_boolean for element in elements):
        return all(element.is_boolean for element in elements)
    return all(element.bits >= 16 or element.is_integer for element in elements)


def _sides(op: Operation) -> tuple[_Side, _Side]:
    numbers = DOT_DIMENSION_NUMBERS.decode(op.attributes["dot_dimension_numbers"])
    lhs, rhs = (
        _side(value, name, numbers) for value, name in zip(op.operands, ("lhs", "rhs"), strict=True)
    )
    return lhs, rhs


def _side(value: Value, name: str, numbers: dict[str, Sequence[int]]) -> _Side:
    type = dtypes.tensor_type(value.type)
    labels = [f"{name[0]}{d}" for d in range(type.rank)]
    for kind, letter in (("batching", "b"), ("contracting", "k")):
        for number, d in enumerate(numbers.get(f"{name}_{kind}_dimensions", ())):
            labels[d] = f"{letter}{number}"
    is_turned = source(value, "transpose") is not None
    return _Side(value, type, tuple(labels), is_turned)


def _expanded(sides: Sequence[_Side], result: TensorType, build: Build) -> Value:
    """The product of both sides in all loops, and sums over those that are none of the result."""
    lhs, rhs = (_without_ones(side, build) for side in sides)
    sizes = lhs.sizes | rhs.sizes
    order = _result_labels(lhs, rhs)
    loops = _loops(lhs, rhs, order)
    sums = accumulation_type(result.element_type)
    shape = TensorType(tuple(sizes[label] for label in loops), sums)
    value = _product((lhs, rhs), loops, shape, build)
    labels = loops
    if len(loops) > len(order):
        labels = tuple(label for label in loops if label in order)
        kept = TensorType(tuple(sizes[label] for label in labels), sums)
        value = _summed(value, [d for d, x in enumerate(loops) if x not in order], kept, build)
    elif sums.is_float or sums.is_complex:  # sums start from zero: there is no -0.0
        value = build.value("stablehlo.add", (value, _zeros(shape, build)), value.type)
    return _ordered(
        _Side(value, shape.with_shape(sizes[x] for x in labels), labels), order, result, build
    )


def _added_up(
    op: Operation, sides: Sequence[_Side], result: TensorType, build: Build
) -> Value | None:
    """Products of a short sum one by one; None where ``_loops_of_lanes`` says so.

    A product of matrices would be bound by what it writes, too, and bring its operands in order
    before.
    """
    reader = _order_of_reader(op, _result_labels(*sides))
    lhs, rhs = (_without_ones(side, build) for side in sides)
    each, whole = _result_labels(lhs, rhs), lhs.sizes | rhs.sizes
    reader = tuple(label for label in reader if label in each)
    runs = [[label] for label in each]
    if not _lanes(lhs, rhs):
        runs = _runs(each, (*lhs.labels, "", *rhs.labels), reader)
        lhs, rhs = (_merged(side, runs, build) for side in (lhs, rhs))
    sizes, order = lhs.sizes | rhs.sizes, _result_labels(lhs, rhs)
    loops = _loops_of_lanes(lhs, rhs, tuple(label for label in reader if label in order))
    if loops is None:
        return None
    element = accumulation_type(result.element_type)
    shape = TensorType(tuple(sizes[label] for label in loops), element)
    summed = [label for label in lhs.labels if label not in order]
    value = _zeros(shape, build)
    for places in np.ndindex(*(sizes[label] for label in summed)):
        at = dict(zip(summed, places, strict=True))
        product = _product([_part(side, at, build) for side in (lhs, rhs)], loops, shape, build)
        value = build.value("stablehlo.add", (value, product), value.type)
    members = {run[0]: run for run in runs}
    apart = {label: whole[label] for first in loops for label in members[first]}
    return _ordered(_reshaped(_Side(value, shape, loops), apart, build), each, result, build)


def _lanes(lhs: _Side, rhs: _Side) -> list[str]:
    """Dimensions that are last in memory, of elements enough."""
    sizes, order = lhs.sizes | rhs.sizes, _result_labels(lhs, rhs)
    lasts = [side.labels[-1] for side in (rhs, lhs) if not side.is_turned]
    return [label for label in lasts if label in order and sizes[label] >= _LANES]


def _loops_of_lanes(lhs: _Side, rhs: _Side, reader: Labels) -> Labels | None:
    """The order in which a short sum is passed: one side's last elements are lanes, if many.

    Else lanes go as they are read, over several dimensions; those of a batch do not, nor do complex
    numbers of plain matrices.
    """
    order, lanes = _result_labels(lhs, rhs), _lanes(lhs, rhs)
    is_plain = len(order) == 2 and lhs.type.element_type.is_complex
    if (lanes or order)[0][0] == "b" or (is_plain and not lanes):
        return None
    if not lanes or reader[-1] in lanes:
        return reader
    own = [label for label in order if label[0] == lanes[0][0]]
    return (*(label for label in order if label not in own), *own)


def _order_of_reader(op: Operation, order: Labels) -> Labels:
    """The order in which a product's only reader has its dimensions."""
    permutation = _permutation_of_reader(op)
    return order if permutation is None else tuple(order[d] for d in permutation)


def _permutation_of_reader(op: Operation) -> tuple[int, ...] | None:
    (result,) = op.results
    readers = [mlir.inner_operation(use.owner) for use in result.uses]
    if len(readers) != 1 or readers[0].name != "stablehlo.transpose":
        return None
    return tuple(ir.integers_of(readers[0], "permutation"))


def _product(sides: Sequence[_Side], loops: Labels, shape: TensorType, build: Build) -> Value:
    """The product of both sides in loops."""
    factors = [
        _spread(_converted(side, shape.element_type, build), loops, shape, build) for side in sides
    ]
    return build.value("stablehlo.multiply", factors, shape.mlir())


def _zeros(shape: TensorType, build: Build) -> Value:
    zeros = np.zeros((), shape.element_type.dtype)
    return constant(build, shape.mlir(), np.broadcast_to(zeros, shape.static_shape))


def _ordered(sums: _Side, order: Labels, result: TensorType, build: Build) -> Value:
    """Sums as a product has them."""
    value, element = sums.value, result.element_type
    if sums.type.element_type != element:
        value = build.value("stablehlo.convert", (value,), sums.type.with_element(element).mlir())
    if sums.labels != order:
        permutation = [sums.labels.index(label) for label in order]
        type = sums.type.with_element(element).with_shape(sums.sizes[label] for label in order)
        turned = {"permutation": mlir.i64_array_attr(permutation)}
        value = build.value("stablehlo.transpose", (value,), type.mlir(), turned)
    if dtypes.tensor_type(value.type).shape != result.shape:
        value = build.value("stablehlo.reshape", (value,), result.mlir())
    return value


def _part(side: _Side, at: dict[str, int], build: Build) -> _Side:
    """What a side has at given places of some of its dimensions, without these."""
    places = {d: at[label] for d, label in enumerate(side.labels) if label in at}
    value = at_places(build, side.value, places)
    labels = tuple(label for label in side.labels if label not in at)
    return _Side(value, dtypes.tensor_type(value.type), labels)


def _runs(*orders: Labels) -> list[list[str]]:
    """Labels of the first order, those together that follow each other in all orders."""
    following = [dict(itertools.pairwise(order)) for order in orders]
    runs: list[list[str]] = []
    for label in orders[0]:
        last = runs[-1][-1] if runs else "b"
        if last[0] != "b" and all(after.get(last) == label for after in following):
            runs[-1].append(label)
        else:
            runs.append([label])
    return runs


def _merged(side: _Side, runs: Sequence[Sequence[str]], build: Build) -> _Side:
    """A side with one dimension for each run of its own, which the first label stands for."""
    sizes = side.sizes
    for first, *others in runs:
        if first in sizes and others:
            sizes[first] *= math.prod(sizes.pop(label) for label in others)
    return _reshaped(side, sizes, build)


def _without_ones(side: _Side, build: Build) -> _Side:
    """A side without dimensions of one element, but for batches."""
    kept = {label: size for label, size in side.sizes.items() if label[0] == "b" or size != 1}
    return _reshaped(side, kept, build)


def _reshaped(side: _Side, sizes: dict[str, int], build: Build) -> _Side:
    """A side with other dimensions, if they are more or fewer."""
    if len(sizes) == side.type.rank:
        return side
    type = side.type.with_shape(sizes.values())
    value = build.value("stablehlo.reshape", (side.value,), type.mlir())
    return replace(side, value=value, type=type, labels=tuple(sizes))


def _result_labels(lhs: _Side, rhs: _Side) -> Labels:
    """Batches in the order of their numbers, then what only one side has."""
    batches = sorted((x for x in lhs.labels if x[0] == "b"), key=lambda x: int(x[1:]))
    own = [x for side in (lhs, rhs) for x in side.labels if x[0] in "lr"]
    return (*batches, *own)


def _loops(lhs: _Side, rhs: _Side, order: Labels) -> Labels:
    """All loops in the order in which one side has them, if it has all; sums are inside else."""
    whole = [side.labels for side in (lhs, rhs) if set(side.labels) >= {*lhs.labels, *rhs.labels}]
    inside = [labels for labels in whole if labels[-1:] and labels[-1][0] == "k"]
    if whole:
        return (inside or whole)[0]
    return (*order, *(x for x in lhs.labels if x[0] == "k"))


def _converted(side: _Side, element: ElementType, build: Build) -> _Side:
    if side.type.element_type == element:
        return side
    type = side.type.with_element(element)
    return _Side(build.value("stablehlo.convert", (side.value,), type.mlir()), type, side.labels)


def _spread(side: _Side, loops: Labels, shape: TensorType, build: Build) -> Value:
    """A side in all loops."""
    if side.labels == loops:
        return side.value
    dimensions = [loops.index(label) for label in side.labels]
    attributes = {"broadcast_dimensions": mlir.i64_array_attr(dimensions)}
    return build.value("stablehlo.broadcast_in_dim", (side.value,), shape.mlir(), attributes)


def _summed(value: Value, dimensions: Sequence[int], type: TensorType, build: Build) -> Value:
    """Sums over dimensions, in the element type that there is."""
    scalar = TensorType((), type.element_type)
    zero = _zeros(scalar, build)
    attributes = {"dimensions": mlir.i64_array_attr(dimensions)}
    reduce = build.op("stablehlo.reduce", (value, zero), (type.mlir(),), attributes, regions=1)
    block, inner = build.block(reduce.regions[0], [scalar.mlir()] * 2)
    total = inner.value("stablehlo.add", list(block.arguments), scalar.mlir())
    inner.op("stablehlo.return", (total,))
    return reduce.results[0]
