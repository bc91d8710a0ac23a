"""What small integer tensors hold, element by element: the arithmetic of shapes.

Sizes are followed as integers without bounds: a program whose shape arithmetic overflows its type
asks for shapes that no memory holds. Numbers wrap around as their type has it.
"""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools import dims, dtypes, ir, mlir
from shlo_tools.dims import UNKNOWN, Dim, Size
from shlo_tools.dtypes import ElementType, Kind, TensorType
from shlo_tools.mlir import Block, Operation, Value
from shlo_tools.shapes import sources
from shlo_tools.shapes.arithmetic import MAY_WRAP, ON_INTEGERS, RULES, is_boolean
from shlo_tools.shapes.evaluation import evaluated
from shlo_tools.shapes.state import State
from shlo_tools.shapes.types import LIMIT, NO_SIZES
from shlo_tools.shapes.values import Contents


def of_value(value: Value, state: State) -> Contents | None:
    """The elements of a value; symbols where nothing tells them."""
    count = _count(value, state)
    if count is None:
        return None
    op = mlir.defining_op(value)
    elements: Sequence[Dim] | None = None
    if op is None:
        elements = _carried(value, state)
    elif op.name in _PASSED:
        elements = state.contents(op.operands[list(op.results).index(value)])
    elif op.name == "stablehlo.while":
        elements = _carried(op.regions[1].blocks[0].arguments[list(op.results).index(value)], state)
    elif len(op.results) == 1:
        elements = _computed(op, state)
    if elements is not None and UNKNOWN not in elements:
        return tuple(elements)
    if elements is None and count > _NAMED:
        return None
    rows = enumerate([UNKNOWN] * count if elements is None else elements)
    return tuple(sources.element(value, i) if d is UNKNOWN else d for i, d in rows)


_PASSED = ("stablehlo.optimization_barrier",)
_NAMED = 16  # elements of a tensor of which nothing is known: more are no shape


def _computed(op: Operation, state: State) -> Sequence[Dim] | None:
    """By the op's rule; by the reference where that takes numbers and the rule knows less."""
    value = op.results[0]
    rule = RULES.get(op.name)
    if rule is None or (op.name in ON_INTEGERS and is_boolean(value)):
        return evaluated(op, state)
    elements = rule(op, state)
    if elements is None or UNKNOWN in elements:
        numbers = evaluated(op, state)
        return elements if numbers is None else numbers
    return _wrapped(value, elements) if op.name in MAY_WRAP else elements


def _wrapped(value: Value, elements: Sequence[Dim]) -> list[Dim]:
    """Results of arithmetic as their type holds them.

    Expressions of sizes are taken to fit: what overflows is no size of anything. What is computed
    from other elements may wrap around, so that nothing is said of it.
    """
    if mlir.is_index(value.type):
        return list(elements)
    element = dtypes.tensor_type(value.type).element_type
    return [_fitting(dim, element) for dim in elements]


def _fitting(dim: Dim, element: ElementType) -> Dim:
    if isinstance(dim, int):
        return element.wrapped(dim)
    low, high = dims.bounds(dim)
    is_signed = element.kind is Kind.SIGNED
    half, count = 1 << (element.bits - 1), 1 << element.bits
    least, most = (-half, half - 1) if is_signed else (0, count - 1)
    if low is not None and high is not None and low >= least and high <= most:
        return dim
    if not _is_of_sizes(dim):
        is_between = low is not None and low >= least and _is_below_sizes(dim)
        return dim if is_between else UNKNOWN
    return dim if is_signed or dims.at_most(0, dim) else UNKNOWN


def _is_of_sizes(dim: Dim) -> bool:
    return all(sources.is_size(symbol) for symbol in dims.symbols(dim))


def _is_below_sizes(dim: Dim) -> bool:
    """Whether no term exceeds an expression of sizes, as what is clamped to a tensor does not."""
    for monomial, coefficient in dim.terms if isinstance(dim, Size) else ():
        others = [atom for atom in monomial if not _is_of_sizes(dims.of_symbol(atom))]
        if not others:
            continue
        (atom, *more) = monomial
        if more or coefficient < 0 or not isinstance(atom, dims.Operation):
            return False
        if atom.kind != "min" or not any(map(_is_of_sizes, atom.operands)):
            return False
    return True


def _count(value: Value, state: State) -> int | None:
    """How many elements a value has; None if they are not followed."""
    if mlir.is_index(value.type):
        return 1
    type = state.type(value)
    if not isinstance(type, TensorType) or type.element_type.kind in NO_SIZES:
        return None
    return type.size if type.is_static and type.size <= LIMIT else None


def _carried(argument: Value, state: State) -> Contents | None:
    """A loop's argument that the body returns as it is holds what the loop started with."""
    block: Block = argument.owner
    loop = mlir.inner_operation(block.owner)
    if loop.name != "stablehlo.while":
        return None
    index = list(block.arguments).index(argument)
    body = loop.regions[1].blocks[0]
    if ir.terminator(body).operands[index] != body.arguments[index]:
        return None
    return state.contents(loop.operands[index])
