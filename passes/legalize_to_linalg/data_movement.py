"""Ops that place elements: as indexing maps of a ``linalg.generic`` wherever one can say it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shlo_tools import ir, mlir
from shlo_tools.dims import Dim, ceiling_divided, equal, maximum, minimum
from shlo_tools.dtypes import (
    Array,
    ElementType,
    TensorType,
    from_attribute,
    tensor_type,
    to_attribute,
)
from shlo_tools.dtypes import element_type as element_type_of
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.narrow_floats import STORAGE, is_narrow
from shlo_tools.ops.data_movement import padded_size
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar
from shlo_tools.passes.legalize_to_linalg.elementwise import Emit, scalar_only
from shlo_tools.passes.legalize_to_linalg.emit import structured
from shlo_tools.passes.legalize_to_linalg.emit.kernels import EQ, compare, index_of, load
from shlo_tools.passes.legalize_to_linalg.rules import lowered_element, lowered_tensor, lowers
from shlo_tools.program.external_constants import NAME, is_external


def _mapped(
    build: Lowering, operand: Value, operand_map: str, result: TensorType
) -> Sequence[Value]:
    """Every result element is the operand element that the map names."""
    outputs = [structured.empty(build, result)]
    return structured.generic(
        build, [operand], [operand_map], outputs, [result], lambda b, v: [v[0]]
    )


@lowers
def broadcast_in_dim(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    axes = ir.integers_of(op, "broadcast_dimensions")
    operand, result = build.type(op.operands[0]), build.type(op.results[0])
    pairs = [(size, result.shape[axis]) for axis, size in zip(axes, operand.shape, strict=True)]
    if any(size != 1 and equal(size, total) is None for size, total in pairs):
        return _stretched(build, operands[0], operand, result, axes)
    stretched = [
        "0" if size == 1 and total != 1 else axis
        for axis, (size, total) in zip(axes, pairs, strict=True)
    ]
    return _mapped(build, operands[0], structured.affine_map(result.rank, stretched), result)


def _stretched(
    build: Lowering, value: Value, operand: TensorType, result: TensorType, axes: Sequence[int]
) -> Sequence[Value]:
    """Only run time tells which dimensions have size 1 and stretch."""
    zero, one = structured.index(build, 0), structured.index(build, 1)
    single = [compare(build, EQ, structured.index(build, d), one) for d in operand.shape]

    def body(inner: Lowering, _: list[Value]) -> Sequence[Value]:
        places = [structured.position(inner, axis) for axis in axes]
        where = [
            inner.value("arith.select", (is_one, zero, place), mlir.index_type())
            for is_one, place in zip(single, places, strict=True)
        ]
        return [load(inner, value, where)]

    return structured.generic(build, [], [], [structured.empty(build, result)], [result], body)


@lowers
def constant(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    type = tensor_type(op.results[0].type)
    attribute = op.attributes["value"]
    if mlir.is_splat(attribute) and type.size > 1:
        one = _constant_scalar(Emit(op, build))
        return [structured.filled(build, one, type)]
    if lowered_element(type.element_type) != type.element_type.name or type.element_type.is_complex:
        attribute = _signless(attribute, type)
    attributes = {"value": attribute}
    if is_external(op):
        attributes[NAME] = op.attributes[NAME]
    return [build.value("arith.constant", (), lowered_tensor(type), attributes)]


def _signless(attribute: mlir.Attribute, type: TensorType) -> mlir.Attribute:
    """The same bits under the lowered element type."""
    array = from_attribute(attribute)
    if type.element_type.is_complex:
        return to_attribute(array)
    lowered = element_type_of(lowered_element(type.element_type))
    return to_attribute(array.view(lowered.dtype), lowered)


@scalar_only("stablehlo.constant")
def _constant_scalar(e: Emit) -> Value:
    first = _first(e.op.attributes["value"], e.result)
    if not e.result.is_complex:
        return _bits(e, first, e.result)
    part = element_type_of("f32" if e.result.bits == 64 else "f64")
    parts = (_bits(e, first.real, part), _bits(e, first.imag, part))
    return e("complex.create", *parts, type=structured.element(e.result))


def _first(attribute: mlir.Attribute, element: ElementType) -> Array:
    """The first element; a splat holds no other, however large its type is."""
    if mlir.is_dense_resource(attribute):
        return from_attribute(attribute).reshape(-1)[:1]
    return np.frombuffer(mlir.dense_bytes(attribute, element.dtype.itemsize), element.dtype)


def _bits(e: Emit, one: Array, type: ElementType) -> Value:
    """A constant by its bits: a Python number would lose the payload of a NaN."""
    if is_narrow(type):
        storage = element_type_of(STORAGE)
        return e.constant(one.view(storage.dtype).item(), storage)
    if not type.is_float:
        return e.constant(one.item(), type)
    bits = int.from_bytes(one.tobytes(), "little")
    literal = mlir.parse_attribute(f"0x{bits:0{-(-type.bits // 4)}X} : {type}")
    return e.build.value("arith.constant", (), structured.element(type), {"value": literal})


@scalar_only("stablehlo.reshape", "stablehlo.broadcast_in_dim")
def _same_scalar(e: Emit, operand: Value) -> Value:
    return operand


@lowers
def iota(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    result = build.type(op.results[0])
    axis = ir.integer_of(op, "iota_dimension")

    def body(inner: Lowering, _: list[Value]) -> Sequence[Value]:
        position = structured.position(inner, axis)
        return [_number(op, inner, position, result.element_type)]

    outputs = [structured.empty(build, result)]
    return structured.generic(build, [], [], outputs, [result], body)


def _number(op: Operation, build: Lowering, index: Value, target: ElementType) -> Value:
    """An index as an element of type ``target``, rounded once."""
    wide = element_type_of("i64")
    value = build.value("arith.index_cast", (index,), structured.element(wide))
    return cast_scalar(Emit(op, build), value, wide, target)


@lowers
def reshape(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    operand, result = build.type(op.operands[0]), build.type(op.results[0])
    return [reshaped(build, operands[0], operand, result)]


def reshaped(build: Lowering, value: Value, operand: TensorType, result: TensorType) -> Value:
    """Row-major reinterpretation: a collapse or an expansion, or one after the other."""
    if operand.shape == result.shape:
        return value
    if not (operand.is_static and result.is_static):
        return _reshaped_at_run_time(build, value, result)
    if operand.size == 0:  # sizes do not tell which dimensions belong together
        return structured.empty(build, result)
    groups = _reassociation(operand.static_shape, result.static_shape)
    if groups is None:
        flat = result.with_shape([operand.size])
        return reshaped(build, reshaped(build, value, operand, flat), flat, result)
    (value,) = structured.as_declared(build, [value], [lowered_tensor(operand)])
    attributes = {"reassociation": _groups_attr(groups)}
    if operand.rank > result.rank:
        return build.value("tensor.collapse_shape", (value,), lowered_tensor(result), attributes)
    attributes["static_output_shape"] = mlir.i64_array_attr(result.static_shape)
    return build.value("tensor.expand_shape", (value,), lowered_tensor(result), attributes)


def _reshaped_at_run_time(build: Lowering, value: Value, result: TensorType) -> Value:
    sizes = [structured.index(build, dim) for dim in result.shape]
    type = mlir.tensor_type([result.rank], mlir.index_type())
    shape = build.value("tensor.from_elements", sizes, type)
    return build.value("tensor.reshape", (value, shape), lowered_tensor(result))


def _groups_attr(groups: list[list[int]]) -> mlir.Attribute:
    return mlir.array_attr(mlir.array_attr(mlir.i64_attr(d) for d in group) for group in groups)


def _reassociation(a: Sequence[int], b: Sequence[int]) -> list[list[int]] | None:
    """Groups of the longer shape's dimensions that make the shorter one's; None if none do."""
    longer, shorter = (a, b) if len(a) > len(b) else (b, a)
    if len(longer) == len(shorter):
        return None
    groups: list[list[int]] = []
    at = 0
    for size in shorter:
        group: list[int] = []
        product = 1
        while at < len(longer) and (not group or product < size):
            product *= longer[at]
            group.append(at)
            at += 1
        if product != size or not group:
            return None
        groups.append(group)
    rest = list(range(at, len(longer)))
    if any(longer[d] != 1 for d in rest) or (rest and not groups and shorter):
        return None
    if groups:
        groups[-1].extend(rest)
    return groups


@lowers
def concatenate(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    result = build.type(op.results[0])
    axis = ir.integer_of(op, "dimension")
    types = [build.type(old) for old in op.operands]
    joined = structured.destination(build, result, types)
    at: Dim = 0
    for value, type in zip(operands, types, strict=True):
        offsets = [at if d == axis else 0 for d in range(result.rank)]
        joined = inserted(build, value, joined, offsets, type.shape, [1] * result.rank)
        at = at + type.shape[axis]
    return [joined]


def inserted(
    build: Lowering,
    value: Value,
    into: Value,
    offsets: Sequence[Dim | Value],
    sizes: Sequence[Dim],
    strides: Sequence[Dim],
) -> Value:
    """``tensor.insert_slice``; offsets may be indices that the program computes."""
    if 0 in sizes:  # MLIR refuses offsets at the end of a dimension, even for no elements
        return into
    attributes, computed = _positions(build, [1, 1], offsets, sizes, strides)
    return build.value("tensor.insert_slice", (value, into, *computed), into.type, attributes)


def extracted(
    build: Lowering,
    value: Value,
    result: TensorType,
    offsets: Sequence[Dim | Value],
    strides: Sequence[Dim],
) -> Value:
    """``tensor.extract_slice``; offsets may be indices that the program computes."""
    if 0 in result.shape:
        return structured.empty(build, result)
    attributes, computed = _positions(build, [1], offsets, result.shape, strides)
    operands = (value, *computed)
    return build.value("tensor.extract_slice", operands, lowered_tensor(result), attributes)


def _positions(
    build: Lowering, tensors: list[int], *lists: Sequence[Dim | Value]
) -> tuple[dict[str, mlir.Attribute], list[Value]]:
    """Attributes of a slice from its offsets, sizes and strides, and those that are computed."""
    attributes, computed, segments = {}, [], list(tensors)
    for name, dims in zip(("offsets", "sizes", "strides"), lists, strict=True):
        numbers = [dim if isinstance(dim, int) else mlir.DYNAMIC for dim in dims]
        attributes[f"static_{name}"] = mlir.i64_array_attr(numbers)
        values = [index_of(build, dim) for dim in dims if not isinstance(dim, int)]
        segments.append(len(values))
        computed += values
    attributes["operandSegmentSizes"] = mlir.i32_array_attr(segments)
    return attributes, computed


@lowers
def pad(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    operand, result = build.type(op.operands[0]), build.type(op.results[0])
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    low, high, interior = (ir.integers_of(op, name) for name in names)
    value = structured.extract(build, operands[1], result.element_type)
    return [padded(build, operands[0], operand, value, result, low, interior, high)]


def padded(
    build: Lowering,
    operand: Value,
    type: TensorType,
    value: Value,
    result: TensorType,
    low: Sequence[Dim],
    interior: Sequence[Dim],
    high: Sequence[int] | None = None,
) -> Value:
    """``operand`` with its elements ``interior + 1`` apart from position ``low`` on.

    Elements that negative padding puts outside the result are cut off first. So are those that are
    outside because sizes do not fit: nothing is written there though a later check may say so.
    """
    first: list[Dim] = []
    count: list[Dim] = []
    offsets: list[Dim] = []
    rows = zip(type.shape, result.shape, low, interior, strict=True)
    for d, (size, total, start, gap) in enumerate(rows):
        step = gap + 1
        begin = maximum(0, ceiling_divided(-start, step))  # the first one at 0 or more
        end = minimum(size, maximum(0, ceiling_divided(total - start, step)))  # past the result
        first.append(begin)
        fits = high is not None and _fits(size, total, start, high[d], gap)
        count.append(size if fits else maximum(0, end - begin))
        offsets.append(start + begin * step)
    target = structured.destination(build, result, [type])
    target = structured.filled_into(build, value, target, result)
    if 0 in count:
        return target
    kept = type.with_shape(count)
    if kept.shape != type.shape:
        operand = extracted(build, operand, kept, first, [1] * type.rank)
    return inserted(build, operand, target, offsets, count, [gap + 1 for gap in interior])


def _fits(size: Dim, total: Dim, low: Dim, high: int, gap: Dim) -> bool:
    """Whether padding that takes nothing away makes the result's size."""
    if not isinstance(low, int) or min(low, high) < 0:
        return False
    return total == padded_size(size, low, high, gap)


@lowers
def reverse(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    result = build.type(op.results[0])
    return [reversed_along(build, operands[0], result, ir.integers_of(op, "dimensions"))]


def reversed_along(
    build: Lowering, value: Value, type: TensorType, dimensions: Sequence[int]
) -> Value:
    """A tensor in opposite order along ``dimensions``."""
    last = {d: structured.index(build, type.shape[d] - 1) for d in dimensions}

    def body(inner: Lowering, _: list[Value]) -> Sequence[Value]:
        where = [structured.position(inner, d) for d in range(type.rank)]
        for d in dimensions:
            where[d] = inner.value("arith.subi", (last[d], where[d]), mlir.index_type())
        return [load(inner, value, where)]

    return structured.generic(build, [], [], [structured.empty(build, type)], [type], body)[0]


@lowers
def slice(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    result = build.type(op.results[0])
    starts, strides = (ir.integers_of(op, name) for name in ("start_indices", "strides"))
    return [extracted(build, operands[0], result, starts, strides)]


@lowers
def transpose(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    permutation = ir.integers_of(op, "permutation")
    return [transposed(build, operands[0], permutation, build.type(op.results[0]))]


def transposed(
    build: Lowering, value: Value, permutation: Sequence[int], result: TensorType
) -> Value:
    """Result dimension d is operand dimension permutation[d]."""
    if list(permutation) == sorted(permutation):
        return value
    placed: list[Any] = [0] * len(permutation)
    for dimension, source in enumerate(permutation):
        placed[source] = dimension
    return _mapped(build, value, structured.affine_map(result.rank, placed), result)[0]
