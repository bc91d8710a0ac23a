"""Ops that place elements: as indexing maps of a ``linalg.generic`` wherever one can say it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shlo_tools import mlir
from shlo_tools.dtypes import ElementType, TensorType, from_attribute, tensor_type, to_attribute
from shlo_tools.dtypes import element_type as element_type_of
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.legalize_to_linalg import structured
from shlo_tools.passes.legalize_to_linalg.conversion import cast_scalar
from shlo_tools.passes.legalize_to_linalg.elementwise import Emit, scalar_only
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
    first = from_attribute(e.op.attributes["value"]).reshape(-1)[0].item()
    if not e.result.is_complex:
        return e.constant(first, e.result)
    part = element_type_of("f32" if e.result.bits == 64 else "f64")
    parts = (e.constant(first.real, part), e.constant(first.imag, part))
    return e("complex.create", *parts, type=structured.element(e.result))


@scalar_only("stablehlo.reshape", "stablehlo.broadcast_in_dim")
def _same_scalar(e: Emit, operand: Value) -> Value:
    return operand


@lowers
def iota(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    result = tensor_type(op.results[0].type)
    axis = op.attributes["iota_dimension"].value

    def body(inner: Lowering, _: list[Value]) -> Sequence[Value]:
        position = inner.value("linalg.index", (), mlir.index_type(), {"dim": _i64(axis)})
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
def transpose(op: Operation, operands: list[Value], build: Lowering) -> Sequence[Value]:
    permutation = list(op.attributes["permutation"])
    result = tensor_type(op.results[0].type)
    placed: list[Any] = [0] * len(permutation)
    for dimension, source in enumerate(permutation):
        placed[source] = dimension
    return _mapped(build, operands[0], structured.affine_map(result.rank, placed), result)
