"""Dynamic ops whose sizes are constants become the static ops of the same meaning.

Before:
    %shape = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
    %0 = stablehlo.dynamic_broadcast_in_dim %x, %shape, dims = [1] : (...) -> tensor<2x4xf32>
After:
    %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>

Sizes are constants where arithmetic on constants makes them, too; what only computed them goes.
An op whose result has an unknown size stays: refine shapes first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shlo_tools import dtypes, mlir
from shlo_tools.errors import ConstraintError
from shlo_tools.extend import description
from shlo_tools.ir import Build
from shlo_tools.mlir import Attribute, Operation, Value
from shlo_tools.passes import size_constants
from shlo_tools.pipeline.registry import Pass
from shlo_tools.shapes import Shapes


@dataclass(frozen=True)
class CanonicalizeDynamism(Pass):
    """Replace dynamic ops of constant sizes by static ones."""

    name = "shlo-canonicalize-dynamism"
    anchor = "any"

    def run(self, op: Operation) -> None:
        shapes = Shapes()
        replaced: list[Operation] = []
        dropped: dict[Value, None] = {}
        for inner in mlir.walk(op):
            rule = RULES.get(inner.name)
            if rule is None or not all(shapes.is_static(result) for result in inner.results):
                continue
            form = rule(inner, shapes)
            if form is not None:
                _replace(inner, form)
                replaced.append(inner)
                kept = set(form.operands)
                dropped.update((v, None) for v in inner.operands if v not in kept)
        owners = [mlir.defining_op(value) for value in dropped]
        for inner in reversed(replaced):
            inner.erase()
        size_constants.erase_unused(owner for owner in owners if owner is not None)


@dataclass(frozen=True)
class _Form:
    """The static op that stands for a dynamic one."""

    name: str
    operands: Sequence[Value]
    attributes: dict[str, Attribute]


_Rule = Callable[[Operation, Shapes], _Form | None]


def _replace(op: Operation, form: _Form) -> None:
    build = Build(mlir.before(op), op.location)
    types = [result.type for result in op.results]
    made = build.op(form.name, form.operands, types, form.attributes)
    for old, new in zip(op.results, made.results, strict=True):
        old.replace_all_uses_with(new)


def _numbers(value: Value, shapes: Shapes) -> list[int] | None:
    """The elements of an operand, where all are known."""
    elements = shapes.contents(value)
    numbers = [element for element in elements or () if isinstance(element, int)]
    return numbers if elements is not None and len(numbers) == len(elements) else None


def _all_numbers(values: Sequence[Value], shapes: Shapes) -> list[list[int]] | None:
    rows = [_numbers(value, shapes) for value in values]
    known = [row for row in rows if row is not None]
    return known if len(known) == len(rows) else None


def _tells_shape(op: Operation, operand: int, result: int, shapes: Shapes) -> bool:
    """Whether an operand holds the sizes of a result as numbers.

    Raises:
        ConstraintError: they are others than the result's type has.
    """
    sizes = _numbers(op.operands[operand], shapes)
    declared: Any = op.results[result].type
    if sizes is not None and sizes != list(declared.shape):
        message = f"{op.name}: the result is {declared}, operand {operand} says {sizes}"
        raise ConstraintError(message, place=mlir.place_of(op.location))
    return sizes is not None


def _attributes(op: Operation, *dropped: str) -> dict[str, Attribute]:
    return {name: held for name, held in op.attributes.items() if name not in dropped}


# --- rules ----------------------------------------------------------------------------------------
def _dynamic_broadcast_in_dim(op: Operation, shapes: Shapes) -> _Form | None:
    if not _tells_shape(op, 1, 0, shapes):
        return None
    known = ("known_expanding_dimensions", "known_nonexpanding_dimensions")
    return _Form("stablehlo.broadcast_in_dim", [op.operands[0]], _attributes(op, *known))


def _dynamic_conv(op: Operation, shapes: Shapes) -> _Form | None:
    padding = _numbers(op.operands[2], shapes)
    if padding is None:
        return None
    pairs = np.array(padding, np.int64).reshape(-1, 2)
    held = _attributes(op) | {"padding": dtypes.to_attribute(pairs)}
    return _Form("stablehlo.convolution", list(op.operands)[:2], held)


def _dynamic_gather(op: Operation, shapes: Shapes) -> _Form | None:
    sizes = _numbers(op.operands[2], shapes)
    if sizes is None:
        return None
    held = _attributes(op) | {"slice_sizes": mlir.i64_array_attr(sizes)}
    return _Form("stablehlo.gather", list(op.operands)[:2], held)


def _dynamic_iota(op: Operation, shapes: Shapes) -> _Form | None:
    if not _tells_shape(op, 0, 0, shapes):
        return None
    return _Form("stablehlo.iota", [], _attributes(op))


def _dynamic_pad(op: Operation, shapes: Shapes) -> _Form | None:
    amounts = _all_numbers(list(op.operands)[2:], shapes)
    if amounts is None:
        return None
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    held = {n: mlir.i64_array_attr(row) for n, row in zip(names, amounts, strict=True)}
    return _Form("stablehlo.pad", list(op.operands)[:2], _attributes(op) | held)


def _dynamic_reshape(op: Operation, shapes: Shapes) -> _Form | None:
    if not _tells_shape(op, 1, 0, shapes):
        return None
    return _Form("stablehlo.reshape", [op.operands[0]], _attributes(op))


def _real_dynamic_slice(op: Operation, shapes: Shapes) -> _Form | None:
    starts, limits, strides = (_numbers(operand, shapes) for operand in list(op.operands)[1:])
    if strides is None:
        return None
    if starts is None or limits is None:
        return _window(op, strides, shapes)
    rows = {"start_indices": starts, "limit_indices": limits, "strides": strides}
    held = {name: mlir.i64_array_attr(row) for name, row in rows.items()}
    return _Form("stablehlo.slice", [op.operands[0]], _attributes(op) | held)


def _window(op: Operation, strides: list[int], shapes: Shapes) -> _Form | None:
    """A slice from ``start`` to ``start + sizes`` is a ``dynamic_slice``, if within the operand."""
    sizes = _distance(op.operands[1], op.operands[2], shapes)
    if (
        sizes is None
        or any(stride != 1 for stride in strides)
        or not shapes.is_static(op.operands[0])
    ):
        return None
    build = Build(mlir.before(op), op.location)
    positions = [_element(build, op.operands[1], d) for d in range(len(sizes))]
    held = _attributes(op) | {"slice_sizes": mlir.i64_array_attr(sizes)}
    return _Form("stablehlo.dynamic_slice", [op.operands[0], *positions], held)


def _distance(start: Value, limit: Value, shapes: Shapes) -> list[int] | None:
    """The numbers that are added to one tensor to get another."""
    add = mlir.defining_op(limit)
    if add is None or add.name != "stablehlo.add" or start not in list(add.operands):
        return None
    return _numbers(add.operands[1 if add.operands[0] == start else 0], shapes)


def _element(build: Build, vector: Value, position: int) -> Value:
    """One element of a vector as a scalar."""
    element = dtypes.tensor_type(vector.type).element_type
    bounds = {"start_indices": [position], "limit_indices": [position + 1], "strides": [1]}
    held = {name: mlir.i64_array_attr(row) for name, row in bounds.items()}
    one = build.value("stablehlo.slice", (vector,), dtypes.TensorType((1,), element).mlir(), held)
    return build.value("stablehlo.reshape", (one,), dtypes.TensorType((), element).mlir())


def _custom_call(op: Operation, shapes: Shapes) -> _Form | None:
    """Operands that hold the shapes of results say nothing once those are static."""
    name = "indices_of_shape_operands"
    if name not in op.attributes:
        return None
    given = np.atleast_1d(description.python_value(op.attributes[name]))
    indices = [int(index) for index in given.tolist()]
    inside = all(0 <= index < len(op.operands) for index in indices)
    if not inside or len(indices) != len(op.results):
        return None
    if not all(_tells_shape(op, index, n, shapes) for n, index in enumerate(indices)):
        return None
    kept = [operand for i, operand in enumerate(op.operands) if i not in indices]
    attributes = _attributes(op, name)
    if "operand_layouts" in attributes:
        held: Any = attributes["operand_layouts"]
        layouts = [layout for i, layout in enumerate(held) if i not in indices]
        attributes["operand_layouts"] = mlir.array_attr(layouts)
    return _Form(op.name, kept, attributes)


RULES: dict[str, _Rule] = {
    "stablehlo.custom_call": _custom_call,
    "stablehlo.dynamic_broadcast_in_dim": _dynamic_broadcast_in_dim,
    "stablehlo.dynamic_conv": _dynamic_conv,
    "stablehlo.dynamic_gather": _dynamic_gather,
    "stablehlo.dynamic_iota": _dynamic_iota,
    "stablehlo.dynamic_pad": _dynamic_pad,
    "stablehlo.dynamic_reshape": _dynamic_reshape,
    "stablehlo.real_dynamic_slice": _real_dynamic_slice,
}
