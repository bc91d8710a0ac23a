"""Broadcasting forms of quantized tensors: integers are stretched, then the plain op applies."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from shlo_tools import ir, mlir
from shlo_tools.dims import Dim
from shlo_tools.dtypes import tensor_type
from shlo_tools.errors import ConstraintError
from shlo_tools.ir import Build
from shlo_tools.mlir import Attribute, Operation, Type, Value
from shlo_tools.ops import Tensor, elementwise
from shlo_tools.ops._attributes import codec
from shlo_tools.ops.chlo.broadcasting import ComparisonDirection, ComparisonType, aligned
from shlo_tools.passes.normalize.legalize_chlo.rules import QUANTIZED, attribute
from shlo_tools.passes.normalize.shape_operands import common_shape, ssa
from shlo_tools.quantized_types import quantized_element, stored_type


def _together(
    op: Operation, operands: Sequence[Tensor], axes: Sequence[Sequence[int]], build: Build
) -> list[Value]:
    """The operands, stretched to the shape of the result."""
    result = tensor_type(stored_type(op.results[0].type))
    values = [ssa(operand) for operand in operands]
    result_types = [
        _stretched(value.type, result.shape, at) for value, at in zip(values, axes, strict=True)
    ]
    if result.is_static and [value.type for value in values] == result_types:
        return values
    dims = [{"broadcast_dimensions": mlir.i64_array_attr(at)} for at in axes]
    rows = list(zip(values, result_types, dims, strict=True))
    if result.is_static:
        return [
            value
            if value.type == type
            else build.value("stablehlo.broadcast_in_dim", (value,), type, quantization)
            for value, type, quantization in rows
        ]
    sizes = ssa(common_shape(operands, axes, result.rank))
    return [
        build.value("stablehlo.dynamic_broadcast_in_dim", (value, sizes), type, quantization)
        for value, type, quantization in rows
    ]


def _stretched(type: Type, shape: Sequence[Dim], axes: Sequence[int]) -> Type:
    """An operand's type in another shape; the dimension along which scales differ moves along.

    One scale along a dimension of size 1 becomes as many as there are elements.
    """
    source = tensor_type(type)
    stretched = source.with_shape(shape)
    element = quantized_element(source)
    if element is not None and element.axis is not None:
        axis = axes[element.axis]
        size = shape[axis]
        times = size if isinstance(size, int) and len(element.scales) == 1 else 1
        moved = element.along(axis, element.scales * times, element.zero_points * times)
        stretched = stretched.with_element(moved)
    return stretched.mlir()


def _operands(op: Operation) -> list[Tensor]:
    """The operands with the shapes that they have; elements are those of their storage."""
    return [Tensor(tensor_type(stored_type(value.type)), value) for value in op.operands]


def _both(op: Operation, build: Build) -> list[Value]:
    lhs, rhs = _operands(op)
    dimensions = attribute(op, "broadcast_dimensions")
    try:
        axes = aligned(lhs, rhs, None if dimensions is None else list(dimensions))
    except ConstraintError as error:
        message = f"{op.name}: {error.diagnostics[0].message}"
        raise ConstraintError(message, place=mlir.place_of(op.location)) from error
    return _together(op, (lhs, rhs), axes, build)


def _form(name: str, op: Operation, build: Build) -> Sequence[Value]:
    if name != "add" and any(_is_per_axis(value.type) for value in (*op.operands, *op.results)):
        ir.raise_unsupported([op], f"{name} takes tensors quantized as a whole only")
    attributes = _comparison(op) if name == "compare" else {}
    return [build.value(f"stablehlo.{name}", _both(op, build), op.results[0].type, attributes)]


def _is_per_axis(type: Type) -> bool:
    element = quantized_element(type)
    return element is not None and element.is_per_axis


def _comparison(op: Operation) -> dict[str, Attribute]:
    """CHLO has attributes of its own that say the same."""
    rows = (
        ("comparison_direction", ComparisonDirection, elementwise.ComparisonDirection),
        ("compare_type", ComparisonType, elementwise.ComparisonType),
    )
    return {
        name: codec(plain).encode(codec(form).decode(op.attributes[name]))
        for name, form, plain in rows
        if name in op.attributes
    }


def _select(op: Operation, build: Build) -> Sequence[Value]:
    operands = _operands(op)
    if any(_is_per_axis(operand.type) for operand in op.operands):
        ir.raise_unsupported([op], "select takes tensors quantized as a whole only")
    rank = max(operand.rank for operand in operands)
    axes = [range(rank - operand.rank, rank) for operand in operands]
    stretched = _together(op, operands, axes, build)
    return [build.value("stablehlo.select", stretched, op.results[0].type)]


# The others have no plain form on quantized tensors.
_FORMS = "add atan2 compare divide maximum minimum multiply power remainder subtract"
QUANTIZED.update((f"chlo.broadcast_{name}", partial(_form, name)) for name in _FORMS.split())
QUANTIZED["chlo.broadcast_select"] = _select
