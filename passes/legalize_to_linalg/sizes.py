"""Sizes that a program computes: read from its operands, combined, and checked.

A size is a Python number where it is known now, else an index. What is known is folded, so that
constant operands leave no code behind. A check that fails at run time leaves the function with a
``ShapeMismatchError`` that names op, place and the values:

    scf.if %wrong { func.call @shlo.host.0(%output_shape) }
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence

from shlo_tools import mlir
from shlo_tools.dtypes import ElementType, Kind, from_attribute, tensor_type
from shlo_tools.ir import Lowering
from shlo_tools.mlir import Attribute, Operation, Value
from shlo_tools.passes.legalize_to_linalg import kernels, structured
from shlo_tools.passes.legalize_to_linalg.gather_scatter import as_index

Size = int | Value
Condition = bool | Value

MISMATCH = "shlo.shape_mismatch"


def result_sizes(op: Operation, number: int = 0) -> tuple[int, ...]:
    """The sizes of a result. All rules ask here; they are those of its type, which is static."""
    return tensor_type(op.results[number].type).static_shape


# --- reading --------------------------------------------------------------------------------------
def sizes_of(op: Operation, number: int, operands: Sequence[Value], build: Lowering) -> list[Size]:
    """The elements of an integer operand of any rank, in row-major order."""
    old, value = op.operands[number], operands[number]
    if mlir.is_result_of(old, ("stablehlo.constant",)):
        held = from_attribute(mlir.inner_operation(old.owner).attributes["value"])
        return [int(size) for size in held.reshape(-1)]
    type = tensor_type(old.type)
    found: list[Size] = []
    for place in _places(type.static_shape):
        where = [structured.index(build, at) for at in place]
        found.append(_as_index(build, kernels.load(build, value, where), type.element_type))
    return found


FAR = 1 << 62  # larger than any size


def _as_index(build: Lowering, element: Value, type: ElementType) -> Value:
    """An integer as an index; an unsigned one that is too large for it stays large."""
    if type.kind is Kind.INDEX:
        return element
    index = as_index(build, element, type)
    if type.kind is Kind.SIGNED or type.bits < 64:
        return index
    return kernels.arithmetic(build, "minui", index, structured.index(build, FAR))


def _places(shape: Sequence[int]) -> list[tuple[int, ...]]:
    places: list[tuple[int, ...]] = [()]
    for size in shape:
        places = [(*place, at) for place in places for at in range(size)]
    return places


def value(build: Lowering, size: Size) -> Value:
    """A size as an index."""
    return structured.index(build, size) if isinstance(size, int) else size


# --- arithmetic -----------------------------------------------------------------------------------
_FOLDED: dict[str, Callable[[int, int], int]] = {
    "addi": operator.add,
    "ceildivsi": lambda a, b: -(-a // b),
    "divsi": operator.floordiv,  # of numbers that are not negative
    "maxsi": max,
    "muli": operator.mul,
    "subi": operator.sub,
}


def arithmetic(build: Lowering, name: str, a: Size, b: Size) -> Size:
    """``arith.<name>`` on sizes."""
    if isinstance(a, int) and isinstance(b, int):
        return _FOLDED[name](a, b)
    return kernels.arithmetic(build, name, value(build, a), value(build, b))


_COMPARED: dict[int, Callable[[int, int], bool]] = {
    kernels.EQ: operator.eq,
    kernels.SLE: operator.le,
    kernels.SLT: operator.lt,
}


def compare(build: Lowering, predicate: int, a: Size, b: Size) -> Condition:
    if isinstance(a, int) and isinstance(b, int):
        return _COMPARED[predicate](a, b)
    return kernels.compare(build, predicate, value(build, a), value(build, b))


def moderate(build: Lowering, size: Size, count: int = 1) -> Condition:
    """Whether ``count`` times a number can be summed with a few others without wrapping around."""
    limit = (FAR >> 2) // max(1, count)
    if isinstance(size, int):
        return -limit <= size <= limit
    moved = kernels.arithmetic(build, "addi", size, structured.index(build, limit))
    return kernels.compare(build, kernels.ULT, moved, structured.index(build, 2 * limit + 1))


# --- checks ---------------------------------------------------------------------------------------
def require(
    op: Operation,
    build: Lowering,
    conditions: Iterable[Condition],
    message: str,
    shown: Sequence[int],
    operands: Sequence[Value],
) -> None:
    """Leave the function at run time unless all conditions hold.

    Args:
        message: ``{0}``, ``{1}``, ... stand for the operands whose numbers are in ``shown``.
    """
    if (wrong := _some_fail(build, list(conditions))) is None:
        return
    described = {
        "target": mlir.string_attr(MISMATCH),
        "inputs": mlir.array_attr(mlir.type_attr(op.operands[n].type) for n in shown),
        "results": mlir.array_attr([]),
        "config": _config(op, message),
    }
    made = build.op("scf.if", [wrong], (), regions=2)
    _, inner = build.block(made.regions[0], [])
    kernels.kernel_call(op, inner, "host", [], [operands[n] for n in shown], None, described)
    inner.op("scf.yield")


def _config(op: Operation, message: str) -> Attribute:
    """The place makes kernels of equal checks differ: each reports its own."""
    words = {"op": op.name, "message": message}
    if (place := mlir.place_of(op.location)) is not None:
        words["place"] = str(place)
    return mlir.dict_attr({name: mlir.string_attr(text) for name, text in words.items()})


def _some_fail(build: Lowering, conditions: Sequence[Condition]) -> Value | None:
    """Whether one of the conditions does not hold; None where all hold whatever comes."""
    open = [condition for condition in conditions if not isinstance(condition, bool)]
    type = mlir.integer_type(1)
    true = {"value": mlir.bool_attr(True)}
    if False in conditions:
        return build.value("arith.constant", (), type, true)
    if not open:
        return None
    together = open[0]
    for condition in open[1:]:
        together = kernels.arithmetic(build, "andi", together, condition)
    always = build.value("arith.constant", (), type, true)
    return kernels.arithmetic(build, "xori", together, always)
