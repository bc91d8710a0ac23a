"""What is known of values' types, written into the program."""

from __future__ import annotations

from dataclasses import replace

from shlo_tools import ir, mlir
from shlo_tools.dims import UNKNOWN
from shlo_tools.dtypes import TensorType
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.ops import DESCRIPTIONS
from shlo_tools.ops._value import TupleType, ValueType
from shlo_tools.passes import size_constants
from shlo_tools.shapes import Shapes

# Besides the ops whose types are refined, ops that take operands of any type.
_TAKING_ANY = ("func.call", "func.return", "shape.shape_of", "stablehlo.return", "tensor.dim")


def without_symbols(type: ValueType) -> ValueType:
    """A type with the sizes that are numbers."""
    if isinstance(type, TupleType):
        return TupleType(tuple(without_symbols(member) for member in type.members))
    if not isinstance(type, TensorType):
        return type
    sizes = tuple(dim if isinstance(dim, int) else UNKNOWN for dim in type.shape)
    if not any(bound is not None for bound in type.bounds):
        return type if sizes == type.shape else TensorType(sizes, type.element_type)
    bounds = tuple(
        None if isinstance(dim, int) else bound
        for dim, bound in zip(sizes, type.bounds, strict=True)
    )
    return replace(type, shape=sizes, bounds=bounds)


def write(shapes: Shapes) -> None:
    """Write what is known of all visited values into their types."""
    spelled: dict[int, Type] = {}  # by identity: Shapes keeps one object for equal types
    changed: list[tuple[Value, Type]] = []
    for value, type in shapes.refined().items():
        refined = spelled.get(id(type))
        if refined is None:
            refined = spelled[id(type)] = without_symbols(type).mlir()
        declared = value.type
        if refined != declared:
            changed.append((value, declared))
            value.set_type(refined)
    _keep_for_others(changed)


def _keep_for_others(changed: list[tuple[Value, Type]]) -> None:
    """Ops whose types are not refined are given what they were given before."""
    for value, declared in changed:
        others = [use for use in value.uses if not _takes_any(mlir.inner_operation(use.owner))]
        if not others:
            continue
        op = mlir.defining_op(value)
        at = mlir.at_start(value.owner) if op is None else mlir.after(op)
        location = mlir.unknown_location() if op is None else op.location
        cast = Build(at, location).value("tensor.cast", (value,), declared)
        for use in others:
            use.owner.operands[use.operand_number] = cast


def _takes_any(op: Operation) -> bool:
    return op.name in DESCRIPTIONS or op.name in _TAKING_ANY


def write_signature(func: Operation) -> None:
    """Have a function's type say what its arguments are and what it returns."""
    block = func.regions[0].blocks[0]
    inputs = [argument.type for argument in block.arguments]
    results = [value.type for value in ir.terminator(block).operands]
    func.attributes["function_type"] = mlir.type_attr(mlir.function_type(inputs, results))


def unwrap(shapes: Shapes) -> None:
    """Replace what ``refine-arguments`` wrapped an argument in, once both have one type."""
    for op in shapes.wrappers:
        if op.results[0].type == op.operands[0].type:
            owners = [mlir.defining_op(operand) for operand in list(op.operands)[1:]]
            op.results[0].replace_all_uses_with(op.operands[0])
            op.erase()
            size_constants.erase_unused(owner for owner in owners if owner is not None)
