"""Arithmetic that stands beside shapes: the arith and index dialects on scalars and tensors.

A scalar is a tensor without dimensions. Integers of MLIR have no sign: where an op reads them as
unsigned, they are converted before it and back behind it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from shlo_tools import dtypes, ir
from shlo_tools.dtypes import Kind, TensorType
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.normalize.legalize_shape import integers, shapes, unranked
from shlo_tools.passes.normalize.legalize_shape.integers import (
    binary,
    compare,
    constant,
    converted,
    type_of,
)
from shlo_tools.passes.normalize.legalize_shape.rules import RULES, Rule, converted_type, lowers
from shlo_tools.passes.normalize.legalize_shape.values import Shape, Size, ValueShape, merged

_Binary = Callable[[Lowering, Value, Value], Value]


def _stablehlo(name: str) -> _Binary:
    return lambda build, a, b: binary(build, name, a, b)


def _unsigned(function: _Binary) -> _Binary:
    """Of integers read as unsigned; known ones that are not negative are the same."""

    def compute(build: Lowering, a: Value, b: Value) -> Value:
        element = type_of(a).element_type
        known = [integers.number(value) for value in (a, b)]
        if element.name == "i1" or all(n is not None and n >= 0 for n in known):
            return function(build, a, b)
        result = function(build, *(converted(build, value, f"u{element.name}") for value in (a, b)))
        return converted(build, result, element.name)

    return compute


def _ceiling_of_unsigned(build: Lowering, a: Value, b: Value) -> Value:
    quotient, rest = binary(build, "divide", a, b), binary(build, "remainder", a, b)
    zero, one = (constant(build, n, type_of(a)) for n in (0, 1))
    exact = compare(build, "EQ", rest, zero, kind="UNSIGNED")
    return integers.select(build, exact, quotient, binary(build, "add", quotient, one))


_BINARY: dict[str, _Binary] = {
    "add": _stablehlo("add"),
    "and": _stablehlo("and"),
    "ceildivs": integers.ceiling_divided,
    "ceildivu": _unsigned(_ceiling_of_unsigned),
    "divs": _stablehlo("divide"),
    "divu": _unsigned(_stablehlo("divide")),
    "floordivs": integers.floor_divided,
    "maxs": _stablehlo("maximum"),
    "maxu": _unsigned(_stablehlo("maximum")),
    "mins": _stablehlo("minimum"),
    "minu": _unsigned(_stablehlo("minimum")),
    "mul": _stablehlo("multiply"),
    "or": _stablehlo("or"),
    "rems": _stablehlo("remainder"),
    "remu": _unsigned(_stablehlo("remainder")),
    "shl": _stablehlo("shift_left"),
    "shrs": _stablehlo("shift_right_arithmetic"),
    "shru": _stablehlo("shift_right_logical"),
    "sub": _stablehlo("subtract"),
    "xor": _stablehlo("xor"),
}
# arith's names of the same ops
_ARITH_ENDS = {"s": "si", "u": "ui"}
_FLOAT = {
    "addf": "add",
    "divf": "divide",
    "maximumf": "maximum",
    "minimumf": "minimum",
    "mulf": "multiply",
    "subf": "subtract",
}


def _rule(function: _Binary) -> Rule:
    def rule(op: Operation, operands: list[Any], build: Lowering) -> Any:
        a, b = operands
        booleans = type_of(a).element_type.name == "i1"
        if booleans and op.name.rpartition(".")[2] not in ("andi", "ori", "xori"):
            ir.raise_unsupported([op], "arithmetic on i1")
        return [function(build, a, b)]

    return rule


def _register() -> None:
    for name, function in _BINARY.items():
        RULES[f"index.{name}"] = _rule(function)
        end = _ARITH_ENDS.get(name[-1])
        RULES[f"arith.{name[:-1]}{end}" if end else f"arith.{name}i"] = _rule(function)
    for name, predicate in _FLOAT.items():
        RULES[f"arith.{name}"] = _rule(_stablehlo(predicate))


_register()


# --- constants ------------------------------------------------------------------------------------
@lowers("arith.constant", "index.constant", "index.bool.constant")
def constant_(op: Operation, operands: list[Any], build: Lowering) -> Any:
    type = dtypes.tensor_type(converted_type(op.results[0].type))
    array = dtypes.from_attribute(op.attributes["value"])
    attribute = dtypes.to_attribute(array.astype(type.element_type.dtype), type.element_type)
    return [integers.emit(build, "stablehlo.constant", (), type, {"value": attribute})]


@lowers("index.sizeof")
def sizeof(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """An index has 64 bits."""
    return [constant(build, 64)]


# --- comparisons ----------------------------------------------------------------------------------
# In the order of the dialects' enumerations.
_ARITH_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_FLOAT_DIRECTIONS = {1: "EQ", 2: "GT", 3: "GE", 4: "LT", 5: "LE", 13: "NE"}  # oeq ... ole, une


@lowers("arith.cmpi")
def cmpi(op: Operation, operands: list[Any], build: Lowering) -> Any:
    predicate = _ARITH_PREDICATES[ir.integer_of(op, "predicate")]
    return [_compared(op, build, predicate, operands)]


@lowers("index.cmp")
def cmp(op: Operation, operands: list[Any], build: Lowering) -> Any:
    return [_compared(op, build, ir.enum_of(op, "pred"), operands)]


def _compared(op: Operation, build: Lowering, predicate: str, operands: list[Value]) -> Value:
    a, b = operands
    of_order = predicate not in ("eq", "ne")
    element = type_of(a).element_type
    if element.name == "i1":
        if of_order and predicate[0] == "s":
            ir.raise_unsupported([op], "the order of signed i1")
        return compare(build, predicate[-2:].upper(), a, b, kind="UNSIGNED")
    if of_order and predicate[0] == "u":
        a, b = (converted(build, value, f"u{element.name}") for value in (a, b))
        return compare(build, predicate[1:].upper(), a, b, kind="UNSIGNED")
    return compare(build, predicate[-2:].upper(), a, b)


@lowers("arith.cmpf")
def cmpf(op: Operation, operands: list[Any], build: Lowering) -> Any:
    direction = _FLOAT_DIRECTIONS.get(ir.integer_of(op, "predicate"))
    if direction is None:
        ir.raise_unsupported([op], "this predicate")
    a, b = operands
    return [compare(build, str(direction), a, b, kind="FLOAT")]


@lowers("arith.select")
def select(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """Also of shapes and sizes: the one that is not taken may be invalid."""
    condition, a, b = operands
    known = integers.number(condition)
    if known is not None:
        return [a if known else b]
    if isinstance(a, Size):
        value = integers.select(build, condition, a.value, b.value)
        return [Size(value, _selected_guards(build, condition, a, b))]
    if isinstance(a, Shape):
        extents = _selected_extents(build, condition, a, b)
        return [Shape(extents, _selected_guards(build, condition, a, b))]
    if isinstance(a, ValueShape) or not hasattr(a, "type"):
        ir.raise_unsupported([op])
    if str(op.results[0].type) == "tensor<?xindex>" and not type_of(condition).rank:
        rows = [shapes.open_shape(build, value) for value in (a, b)]  # may differ in length
        return [shapes.vector(build, Shape(_selected_extents(build, condition, *rows)))]
    return [integers.select(build, condition, a, b)]


def _selected_guards(build: Lowering, condition: Value, a: Any, b: Any) -> Any:
    """Conditions of the value that is taken."""
    other = integers.negated(build, condition)
    rows = []
    for value, unless in ((a, other), (b, condition)):
        guards = [(g, binary(build, "or", unless, g.holds)) for g in value.guards]
        rows.append(tuple(replace(g, holds=holds) for g, holds in guards))
    return merged(*rows)


def _selected_extents(build: Lowering, condition: Value, a: Shape, b: Shape) -> Any:
    if not (a.has_rank and b.has_rank and len(a.known) == len(b.known)):
        vectors = shapes.vector(build, a), shapes.vector(build, b)
        return unranked.chosen(build, condition, *vectors)
    pairs = zip(a.known, b.known, strict=True)
    return tuple(integers.select(build, condition, x, y) for x, y in pairs)


# --- conversions ----------------------------------------------------------------------------------
def _target(op: Operation) -> TensorType:
    return dtypes.tensor_type(converted_type(op.results[0].type))


@lowers("arith.index_cast", "index.casts", "arith.extsi", "arith.sitofp", "arith.fptosi")
@lowers("arith.extf", "arith.truncf")
def convert(op: Operation, operands: list[Any], build: Lowering) -> Any:
    """Integers keep their sign: true is -1."""
    value, element = operands[0], _target(op).element_type
    if type_of(value).element_type.name == "i1":
        result = converted(build, value, element.name)
        return [integers.emit(build, "stablehlo.negate", (result,), result.type)]
    return [_narrowed(build, value, element.name)]


@lowers("arith.index_castui", "index.castu", "arith.extui", "arith.uitofp")
def convert_unsigned(op: Operation, operands: list[Any], build: Lowering) -> Any:
    value, element = operands[0], _target(op).element_type
    own = type_of(value).element_type
    known = integers.number(value)
    if own.name == "i1" or (known is not None and known >= 0):
        return [converted(build, value, element.name)]
    if own.bits >= element.bits and element.kind is not Kind.FLOAT:
        return [_narrowed(build, value, element.name)]
    return [converted(build, converted(build, value, f"u{own.name}"), element.name)]


@lowers("arith.trunci")
def trunci(op: Operation, operands: list[Any], build: Lowering) -> Any:
    return [_narrowed(build, operands[0], _target(op).element_type.name)]


def _narrowed(build: Lowering, value: Value, element: str) -> Value:
    """Converted; of an integer that becomes an i1 the lowest bit is left."""
    if element == "i1" and type_of(value).element_type.is_integer:
        one = constant(build, 1, type_of(value))
        value = binary(build, "and", value, one)
    return converted(build, value, element)


@lowers("arith.negf")
def negf(op: Operation, operands: list[Any], build: Lowering) -> Any:
    return [integers.emit(build, "stablehlo.negate", operands, operands[0].type)]
