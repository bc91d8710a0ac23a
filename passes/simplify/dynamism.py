"""Ops whose sizes or positions are operands, where those are constants.

A constant that contradicts the types is left to fail at run time. ``?`` in a result stays as it
is: refining shapes is another pass.
"""

from __future__ import annotations

from shlo_tools import ir
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.simplify.driver import Replacement, Rewriter, Rules
from shlo_tools.passes.simplify.values import (
    filled,
    held_integers,
    source,
    static,
    typed,
)
from shlo_tools.passes.sizes import static_forms
from shlo_tools.shapes.types import LIMIT


def static_form(op: Operation, build: Rewriter) -> Replacement | None:
    """dynamic_pad(x, y, c, d, e) -> pad(x, y) with c, d, e as attributes; and others of the kind"""
    form = static_forms.form_of(op, [_sizes(value) for value in op.operands])
    if form is None:
        return None
    operands = [op.operands[position] for position in form.kept]
    types = [result.type for result in op.results]
    return list(build.op(form.name, operands, types, form.attributes).results)


def broadcast_to_own_shape(op: Operation, build: Rewriter) -> Replacement | None:
    """dynamic_broadcast_in_dim(x, s) -> x, where no dimension is said to expand"""
    dims = ir.integers_of(op, "broadcast_dimensions")
    kept = ir.integers_of(op, "known_nonexpanding_dimensions", ())
    every = list(range(len(dims)))
    type = typed(op.results[0])
    if type is None or dims != every or sorted(kept) != every or type.rank != len(dims):
        return None
    return [op.operands[0]]


def reshape_twice(op: Operation, build: Rewriter) -> Replacement | None:
    """dynamic_reshape(reshape(x), s) -> dynamic_reshape(x, s); the same of a dynamic one"""
    inner = source(op.operands[0], "reshape", "dynamic_reshape")
    if inner is None:
        return None
    operands = [inner.operands[0], op.operands[1]]
    return [build.value(op.name, operands, op.results[0].type)]


def size(op: Operation, build: Rewriter) -> Replacement | None:
    """get_dimension_size(x) -> c"""
    type = typed(op.operands[0])
    dim = type.shape[ir.integer_of(op, "dimension")] if type is not None else None
    if not isinstance(dim, int):
        return None
    replacement = filled(build, op.results[0], dim)
    return None if replacement is None else [replacement]


def same_size(op: Operation, build: Rewriter) -> Replacement | None:
    """set_dimension_size(x, the size of x) -> x"""
    type, sizes = typed(op.operands[0]), held_integers(op.operands[1])
    if type is None or sizes is None or sizes[0] != type.shape[ir.integer_of(op, "dimension")]:
        return None
    return [op.operands[0]]


def _sizes(value: Value) -> list[int] | None:
    """The elements of a constant that may be sizes: not the data that an op works on."""
    type = static(value)
    return held_integers(value) if type is not None and type.size <= LIMIT else None


RULES: Rules = {
    **dict.fromkeys(static_forms.DYNAMIC, (static_form,)),
    "stablehlo.dynamic_broadcast_in_dim": (static_form, broadcast_to_own_shape),
    "stablehlo.dynamic_reshape": (static_form, reshape_twice),
    "stablehlo.get_dimension_size": (size,),
    "stablehlo.set_dimension_size": (same_size,),
}
