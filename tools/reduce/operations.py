"""Edits of ops: zeros, an operand or an argument instead; branches taken, loops unrolled."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from shlo_tools import dtypes, ir, mlir
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.tools.reduce.edits import (
    Apply,
    Edit,
    called,
    defined,
    inner_ops,
    is_unused,
    keep_attributes,
    set_signature,
    substitute,
)

_CONSTANT = "stablehlo.constant"


def _unused(module: Operation) -> Sequence[Apply]:
    return [_if_unused(op) for func in defined(module) for op in inner_ops(func)]


def _if_unused(op: Operation) -> Apply:
    """Looked at when its turn comes: what used it may be gone by then."""

    def apply() -> None:
        if is_unused(op):
            op.erase()

    return apply


# --- replaced -------------------------------------------------------------------------------------
def _zeros(module: Operation) -> Sequence[Apply]:
    return [
        lambda op=op: substitute(op, [_zero(op, r.type) for r in op.results])  # type: ignore[misc]
        for func in defined(module)
        for op in inner_ops(func)
        if op.name != _CONSTANT and len(op.results) and all(_has_zero(r.type) for r in op.results)
    ]


def _has_zero(type: Type) -> bool:
    return mlir.is_static_tensor(type) and "#" not in str(type)


def _zero(op: Operation, type: Type) -> Value:
    tensor = dtypes.tensor_type(type)
    value = dtypes.to_attribute(np.zeros(tensor.static_shape, tensor.element_type.dtype))
    if str(getattr(value, "type", type)) != str(type):
        value = dtypes.to_attribute(
            np.zeros(tensor.static_shape, tensor.element_type.dtype), tensor.element_type
        )
    build = ir.Build(mlir.before(op), op.location)
    return build.value(_CONSTANT, (), type, {"value": value})


def _operands(order: int) -> Callable[[Operation], Sequence[Apply]]:
    """An op, by the first or last operands of the types of its results."""

    def places(module: Operation) -> Sequence[Apply]:
        edits: list[Apply] = []
        for func in defined(module):
            for op in inner_ops(func):
                alike = [_alike(op, result.type, order) for result in op.results]
                values = [value for value in alike if value is not None]
                if values and len(values) == len(alike):
                    edits.append(lambda op=op, v=values: substitute(op, v))  # type: ignore[misc]
        return edits

    return places


def _alike(op: Operation, type: Type, order: int) -> Value | None:
    return next((v for v in list(op.operands)[::order] if v.type == type), None)


def _to_arguments(module: Operation) -> Sequence[Apply]:
    """An op, by new arguments of its function, if that is not called."""
    names = called(module)
    return [
        lambda op=op, func=func: _argument(op, func)  # type: ignore[misc]
        for func in defined(module)
        if ir.symbol_name(func) not in names
        for op in inner_ops(func)
        if op.name != _CONSTANT
        and len(op.results)
        and all(mlir.is_tensor(r.type) for r in op.results)
        and all(len(list(region.blocks)) for region in op.regions)
    ]


def _argument(op: Operation, func: Operation) -> None:
    block = func.regions[0].blocks[0]
    values = [block.add_argument(result.type, op.location) for result in op.results]
    keep_attributes(func, "arg_attrs", [])
    if "arg_attrs" in func.attributes:
        del func.attributes["arg_attrs"]
    substitute(op, values)
    set_signature(func)


# --- regions --------------------------------------------------------------------------------------
def _branches(which: int) -> Callable[[Operation], Sequence[Apply]]:
    """An op whose regions have no arguments, by one of them; a loop, by one iteration."""

    def places(module: Operation) -> Sequence[Apply]:
        edits: list[Apply] = []
        for func in defined(module):
            for op in inner_ops(func):
                if op.name in ("stablehlo.if", "stablehlo.case"):
                    region = op.regions[min(which, len(op.regions) - 1)]
                    edits.append(lambda op=op, r=region: _inline(op, r, []))  # type: ignore[misc]
                elif op.name == "stablehlo.while" and which == 1:
                    region = op.regions[1]
                    edits.append(lambda op=op, r=region: _inline(op, r, list(op.operands)))  # type: ignore[misc]
        return edits

    return places


def _inline(op: Operation, region: mlir.Region, operands: Sequence[Value]) -> None:
    block: mlir.Block = region.blocks[0]
    for argument, operand in zip(block.arguments, operands, strict=True):
        argument.replace_all_uses_with(operand)
    yielded = list(ir.terminator(block).operands)
    for inner in [mlir.inner_operation(o) for o in block.operations][:-1]:
        inner.move_before(op)
    substitute(op, yielded)


EDITS = (
    Edit("ops, by zeros", _zeros),
    Edit("unused ops", _unused),
    Edit("ops, by operands", _operands(1)),
    Edit("ops, by their last operands", _operands(-1)),
    Edit("branches, by the first", _branches(0)),
    Edit("branches and loops, by the second region", _branches(1)),
    Edit("ops, by arguments", _to_arguments),
    Edit("unused ops", _unused),
)
