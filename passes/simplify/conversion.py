"""Conversions between element types."""

from __future__ import annotations

import functools

import numpy as np

from shlo_tools.dtypes import Array, ElementType
from shlo_tools.mlir import Operation
from shlo_tools.passes.simplify.driver import Replacement, Rewriter, Rules
from shlo_tools.passes.simplify.values import source, typed
from shlo_tools.reference.bits import from_unsigned
from shlo_tools.reference.conversion import converted


def to_itself(op: Operation, build: Rewriter) -> Replacement | None:
    """convert(x) -> x, to the type that x has"""
    return [op.operands[0]]


def exact_first(op: Operation, build: Rewriter) -> Replacement | None:
    """convert(convert(x)) -> convert(x), where the inner one changes no number"""
    inner = source(op.operands[0], "convert")
    if inner is None:
        return None
    first, middle, last = (typed(v) for v in (inner.operands[0], op.operands[0], op.results[0]))
    if first is None or middle is None or last is None:
        return None
    if not _may_leave_out(first.element_type, middle.element_type, last.element_type):
        return None
    if inner.operands[0].type == op.results[0].type:
        return [inner.operands[0]]
    return [build.value("stablehlo.convert", [inner.operands[0]], op.results[0].type)]


def _may_leave_out(first: ElementType, middle: ElementType, last: ElementType) -> bool:
    """Whether given -> middle -> last is given -> last."""
    if any(element.is_complex for element in (first, middle, last)):
        return False
    if middle.is_float and last.is_integer and not first.is_float:
        # Integers wrap around on the short way, on the long one floats stop at the limits.
        return keeps_numbers(first, middle) and keeps_numbers(first, last)
    return keeps_numbers(first, middle)


_WIDER = {
    "i32": ("i64", "f64"),
    "ui32": ("i64", "ui64", "f64"),
    "f32": ("f64",),
}


@functools.cache
def keeps_numbers(source: ElementType, other: ElementType) -> bool:
    """Whether every number of one element type is one of another, signs of zeros included."""
    if source == other:
        return True
    if source.bits > 16:
        return other.name in _WIDER.get(source.name, ())
    every = _every_number(source)
    with np.errstate(invalid="ignore"):
        there = converted(every, other)
        one, two, back = (x.astype(np.float64) for x in (every, there, converted(there, source)))
    nan = np.isnan(one)
    same = (one == two) & (one == back) & (np.signbit(one) == np.signbit(two))
    return bool(np.all(same | (nan & np.isnan(two) & np.isnan(back))))


def _every_number(element: ElementType) -> Array:
    if element.is_boolean:
        return np.array([False, True])
    width = element.dtype.itemsize
    codes = np.arange(1 << element.bits, dtype=f"u{width}")
    if element.is_float:
        return from_unsigned(codes, element.dtype)
    return converted(codes, element)


def same_bits(op: Operation, build: Rewriter) -> Replacement | None:
    """bitcast_convert(bitcast_convert(x)) -> bitcast_convert(x), between types of one width"""
    inner = source(op.operands[0], "bitcast_convert")
    types = [typed(inner.operands[0]), typed(op.operands[0]), typed(op.results[0])] if inner else []
    if inner is None or len({type and type.element_type.bits for type in types}) != 1:
        return None
    if types[0] is None:
        return None
    if inner.operands[0].type == op.results[0].type:
        return [inner.operands[0]]
    return [build.value("stablehlo.bitcast_convert", [inner.operands[0]], op.results[0].type)]


RULES: Rules = {
    "stablehlo.bitcast_convert": (to_itself, same_bits),
    "stablehlo.convert": (to_itself, exact_first),
}
