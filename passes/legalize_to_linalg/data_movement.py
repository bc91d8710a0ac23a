"""Ops that place elements: as indexing maps of a ``linalg.generic`` wherever one can say it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shlo_tools import mlir
from shlo_tools.dtypes import (
    Array,
    ElementType,
    TensorType,
    from_attribute,
    tensor_type,
    to_attribute,
)
from shlo_tools.dtypes import element_type as element_type_of
from shlo_tools.ir import Lowering, raise_unsupported
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.legalize_to_linalg import structured
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar
from shlo_tools.passes.legalize_to_linalg.elementwise import Emit, scalar_only
from shlo_tools.passes.legalize_to_linalg.kernels import load
from shlo_tools.passes.legalize_to_linalg.rules import lowered_tensor, lowers


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
    axes = list(op.attributes["broadcast_dimensions"])
    operand, result = tensor_type(op.operands[0].type), tensor_type(op.results[0].type)
    stretched = [
        "0" if size == 1 and result.shape[axis] != 1 else axis
        for axis, size in zip(axes, operand.shape, strict=True)
    ]
    return _mapped(build, operands[0], structured.affine_map(result.rank, stretched), result)


@lowers
def constant(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    type = tensor_type(op.results[0].type)
    held = op.attributes["value"]
    if getattr(held, "is_splat", False) and type.size > 1:
        one = _constant_scalar(Emit(op, build))
        return [structured.filled(build, one, type)]
    if type.element_type.signless != type.element_type.name or type.element_type.is_complex:
        held = _signless(held, type)
    return [build.value("arith.constant", (), lowered_tensor(type), {"value": held})]


def _signless(attribute: mlir.Attribute, type: TensorType) -> mlir.Attribute:
    """The same bits under the lowered element type."""
    array = from_attribute(attribute)
    if type.element_type.is_complex:
        return to_attribute(array)
    lowered = element_type_of(type.element_type.signless)
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
    result = tensor_type(op.results[0].type)
    axis = op.attributes["iota_dimension"].value

    def body(inner: Lowering, _: list[Value]) -> Sequence[Value]:
        position = structured.position(inner, axis)
        return [_number(op, inner, position, result.element_type)]

    outputs = [structured.empty(build, result)]
    return structured.generic(build, [], [], outputs, [result], body)


def _i64(value: int) -> mlir.Attribute:
    return mlir.integer_attr(value, mlir.integer_type(64))


def _number(op: Operation, build: Lowering, index: Value, target: ElementType) -> Value:
    """An index as an element of type ``target``, rounded once."""
    wide = element_type_of("i64")
    value = build.value("arith.index_cast", (index,), structured.element(wide))
    return cast_scalar(Emit(op, build), value, wide, target)


@lowers
def reshape(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    operand, result = tensor_type(op.operands[0].type), tensor_type(op.results[0].type)
    return [reshaped(build, operands[0], operand, result)]


def reshaped(build: Lowering, value: Value, operand: TensorType, result: TensorType) -> Value:
    """Row-major reinterpretation: a collapse or an expansion, or one after the other."""
    if operand.shape == result.shape:
        return value
    if operand.size == 0:  # sizes do not tell which dimensions belong together
        return structured.empty(build, result)
    groups = _reassociation(operand.static_shape, result.static_shape)
    if groups is None:
        flat = result.with_shape([operand.size])
        return reshaped(build, reshaped(build, value, operand, flat), flat, result)
    attributes = {"reassociation": _groups_attr(groups)}
    if operand.rank > result.rank:
        return build.value("tensor.collapse_shape", (value,), lowered_tensor(result), attributes)
    attributes["static_output_shape"] = mlir.i64_array_attr(result.static_shape)
    return build.value("tensor.expand_shape", (value,), lowered_tensor(result), attributes)


def _groups_attr(groups: list[list[int]]) -> mlir.Attribute:
    return mlir.array_attr(mlir.array_attr(_i64(d) for d in group) for group in groups)


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
def bitcast_convert(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    source, result = tensor_type(op.operands[0].type), tensor_type(op.results[0].type)
    have, want = source.element_type, result.element_type
    if have.is_complex or want.is_complex or min(have.bits, want.bits) < 8:
        if have != want:
            raise_unsupported([op])

    def same(inner: Lowering, scalars: list[Value]) -> Sequence[Value]:
        return [_bits_as(inner, scalars[0], want)]

    if have.bits == want.bits:
        maps, outputs = [structured.identity(result.rank)], [structured.empty(build, result)]
        return structured.generic(build, operands, maps, outputs, [result], same)

    def narrowed(inner: Lowering, _: list[Value]) -> Sequence[Value]:
        *where, part = [structured.position(inner, d) for d in range(result.rank)]
        bits = _as_bits(inner, load(inner, operands[0], where), have)
        shifted = _shifted(inner, bits, part, want.bits, "shrui")
        narrow = inner.value("arith.trunci", (shifted,), mlir.integer_type(want.bits))
        return [_bits_as(inner, narrow, want)]

    def widened(inner: Lowering, _: list[Value]) -> Sequence[Value]:
        where = [structured.position(inner, d) for d in range(result.rank)]
        wide = mlir.integer_type(want.bits)
        total = None
        for number in range(want.bits // have.bits):
            part = structured.index(inner, number)
            bits = _as_bits(inner, load(inner, operands[0], [*where, part]), have)
            extended = inner.value("arith.extui", (bits,), wide)
            shifted = _shifted(inner, extended, part, have.bits, "shli")
            total = shifted if total is None else inner.value("arith.ori", (total, shifted), wide)
        return [_bits_as(inner, total, want)] if total is not None else []

    body = narrowed if have.bits > want.bits else widened
    return structured.generic(build, [], [], [structured.empty(build, result)], [result], body)


def _as_bits(build: Lowering, value: Value, type: ElementType) -> Value:
    return _bits_as(build, value, element_type_of(f"i{type.bits}"))


def _bits_as(build: Lowering, value: Value, type: ElementType) -> Value:
    """The same bits as another element type of the same width."""
    lowered = structured.element(type)
    return value if value.type == lowered else build.value("arith.bitcast", (value,), lowered)


def _shifted(build: Lowering, bits: Value, part: Value, width: int, name: str) -> Value:
    """``bits`` shifted by ``part * width``; the first part is the low one."""
    number = build.value("arith.index_cast", (part,), bits.type)
    step = build.value(
        "arith.constant", (), bits.type, {"value": mlir.integer_attr(width, bits.type)}
    )
    distance = build.value("arith.muli", (number, step), bits.type)
    return build.value(f"arith.{name}", (bits, distance), bits.type)


@lowers
def concatenate(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    result = tensor_type(op.results[0].type)
    axis = op.attributes["dimension"].value
    made, at = structured.empty(build, result), 0
    for value, old in zip(operands, op.operands, strict=True):
        shape = tensor_type(old.type).static_shape
        offsets = [at if d == axis else 0 for d in range(result.rank)]
        made = inserted(build, value, made, offsets, shape, [1] * result.rank)
        at += shape[axis]
    return [made]


def inserted(
    build: Lowering,
    value: Value,
    into: Value,
    offsets: Sequence[int],
    sizes: Sequence[int],
    strides: Sequence[int],
) -> Value:
    """``tensor.insert_slice`` at static positions."""
    if 0 in sizes:  # MLIR refuses offsets at the end of a dimension, even for no elements
        return into
    attributes = _static_slice(offsets, sizes, strides)
    attributes["operandSegmentSizes"] = mlir.i32_array_attr([1, 1, 0, 0, 0])
    return build.value("tensor.insert_slice", (value, into), into.type, attributes)


def extracted(
    build: Lowering,
    value: Value,
    result: TensorType,
    offsets: Sequence[int],
    strides: Sequence[int],
) -> Value:
    """``tensor.extract_slice`` at static positions."""
    if 0 in result.shape:
        return structured.empty(build, result)
    attributes = _static_slice(offsets, result.static_shape, strides)
    attributes["operandSegmentSizes"] = mlir.i32_array_attr([1, 0, 0, 0])
    return build.value("tensor.extract_slice", (value,), lowered_tensor(result), attributes)


def _static_slice(
    offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int]
) -> dict[str, mlir.Attribute]:
    return {
        "static_offsets": mlir.i64_array_attr(offsets),
        "static_sizes": mlir.i64_array_attr(sizes),
        "static_strides": mlir.i64_array_attr(strides),
    }


@lowers
def pad(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    operand, result = tensor_type(op.operands[0].type), tensor_type(op.results[0].type)
    low, interior = (list(op.attributes[n]) for n in ("edge_padding_low", "interior_padding"))
    value = structured.extract(build, operands[1], result.element_type)
    return [padded(build, operands[0], operand, value, result, low, interior)]


def padded(
    build: Lowering,
    operand: Value,
    type: TensorType,
    value: Value,
    result: TensorType,
    low: Sequence[int],
    interior: Sequence[int],
) -> Value:
    """``operand`` with its elements ``interior + 1`` apart from position ``low`` on.

    Elements that negative padding puts outside the result are cut off first.
    """
    first, count, offsets = [], [], []
    for size, total, start, gap in zip(
        type.static_shape, result.static_shape, low, interior, strict=True
    ):
        step = gap + 1
        begin = max(0, -(start // step))  # the first element at a position of 0 or more
        end = min(size, max(0, -((start - total) // step)))  # the first one past the result
        first.append(begin)
        count.append(max(0, end - begin))
        offsets.append(start + begin * step)
    target = structured.filled(build, value, result)
    if 0 in count:
        return target
    kept = type.with_shape(count)
    if kept.shape != type.shape:
        operand = extracted(build, operand, kept, first, [1] * type.rank)
    return inserted(build, operand, target, offsets, count, [gap + 1 for gap in interior])


@lowers
def reverse(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    result = tensor_type(op.results[0].type)
    return [reversed_along(build, operands[0], result, list(op.attributes["dimensions"]))]


def reversed_along(
    build: Lowering, value: Value, type: TensorType, dimensions: Sequence[int]
) -> Value:
    """A tensor in opposite order along ``dimensions``."""

    def body(inner: Lowering, _: list[Value]) -> Sequence[Value]:
        where = [structured.position(inner, d) for d in range(type.rank)]
        for d in dimensions:
            last = structured.index(inner, type.static_shape[d] - 1)
            where[d] = inner.value("arith.subi", (last, where[d]), mlir.index_type())
        return [load(inner, value, where)]

    return structured.generic(build, [], [], [structured.empty(build, type)], [type], body)[0]


@lowers
def slice(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    result = tensor_type(op.results[0].type)
    starts, strides = list(op.attributes["start_indices"]), list(op.attributes["strides"])
    return [extracted(build, operands[0], result, starts, strides)]


@lowers
def transpose(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    permutation = list(op.attributes["permutation"])
    return [transposed(build, operands[0], permutation, tensor_type(op.results[0].type))]


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
