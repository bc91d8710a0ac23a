"""What is known of values' types, written into the program."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Any

from shlo_tools import ir, mlir
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Type, Value
from shlo_tools.ops import DESCRIPTIONS
from shlo_tools.passes.sizes import size_constants
from shlo_tools.shapes import Shapes, blocks, types
from shlo_tools.shapes.calls import NAMES
from shlo_tools.types import ValueType

# Besides the ops whose types are refined, ops that take operands of any type.
_TAKING_ANY = (
    *blocks.BRANCHES,
    "func.func",
    "func.return",
    "shape.shape_of",
    "stablehlo.return",
    "tensor.dim",
)
# Ops whose results have, in MLIR's eyes, exactly the types of their operands.
_ALIKE = ("stablehlo.optimization_barrier",)


def write(shapes: Shapes, refined_calls: Container[int]) -> None:
    """Write what is known of all visited values into their types.

    Args:
        refined_calls: addresses of calls of functions that are refined for what they are given.
    """
    rows = list(_spelled(shapes))
    looks = any(name in NAMES or not _is_refined(name) for name in shapes.not_plain)
    if looks or shapes.failing:
        _write_among_others(shapes, rows, refined_calls)
    else:
        for value, refined in rows:
            value.set_type(refined)
    _bring_together(shapes)
    for op in {value.owner for value, _ in rows if mlir.is_result_of(value, _ALIKE)}:
        for position, result in enumerate(op.results):
            _cast(mlir.inner_operation(op), position, result.type)


def _spelled(shapes: Shapes) -> Iterator[tuple[Value, Type]]:
    spelled: dict[int, Type] = {}  # by identity: Shapes keeps one object for equal types
    casts = "tensor.cast" in shapes.not_plain
    for value, type in shapes.refined():
        refined = spelled.get(id(type))
        if refined is None:
            refined = spelled[id(type)] = types.spelled(types.without_symbols(type))
        if not (casts and mlir.is_result_of(value, ("tensor.cast",))):
            yield value, refined


def _write_among_others(
    shapes: Shapes, rows: Sequence[tuple[Value, Type]], refined_calls: Container[int]
) -> None:
    """Write types of values that ops may use whose types are not refined."""
    changes = [(v, v.type, refined) for v, refined in rows if v.type != refined]
    others = [(c, _others(c[0], refined_calls, shapes.failing)) for c in changes]
    for value, _, refined in changes:
        value.set_type(refined)
    for change, uses in others:
        if uses:
            _keep_for(change, uses)


_Change = tuple[Value, Type, Type]  # a value, its type as it was, its type as it is to be


def _others(value: Value, refined_calls: Container[int], failing: Container[int]) -> list[Any]:
    """Uses by ops whose types are not refined, or that MLIR would refuse then."""
    return [
        use
        for use in value.uses
        if not _takes_any(use.owner, refined_calls) or mlir.address_of(use.owner) in failing
    ]


def _keep_for(change: _Change, uses: list[Any]) -> None:
    """Ops whose types are not refined are given what they were given before."""
    value, declared, _ = change
    op = mlir.defining_op(value)
    at = mlir.at_start(value.owner) if op is None else mlir.after(op)
    location = mlir.unknown_location() if op is None else op.location
    cast = Build(at, location).value("tensor.cast", (value,), declared)
    for use in uses:
        use.owner.operands[use.operand_number] = cast


def _bring_together(shapes: Shapes) -> None:
    """Branches yield what they agree on, and loops start with what they carry.

    MLIR takes no branches of other types, and prints one type for what a loop starts with and what
    it carries.
    """
    for edge in (edge for branch in shapes.branches for edge in blocks.edges(branch)):
        for position, argument in zip(edge.positions, edge.target.arguments, strict=True):
            _cast(edge.branch, position, argument.type)
    for op, positions in shapes.mismatches.values():
        ends = [ir.terminator(region.blocks[0]) for region in op.regions]
        is_loop = op.name == "stablehlo.while"
        for user in [op] if is_loop else ends:
            for position in positions:
                _cast(user, position, op.results[position].type)
        if is_loop:
            _carry_on(ends[1])


def _carry_on(end: Operation) -> None:
    """What an iteration hands on has the sizes that the next one starts with: a cast checks it."""
    arguments = end.block.arguments
    for position, (value, argument) in enumerate(zip(end.operands, arguments, strict=True)):
        if value.type != argument.type and not _holds(argument.type, value.type):
            _cast(end, position, argument.type)


def _holds(wide: Any, narrow: Any) -> bool:
    """Whether a type says nothing of a size that another does not say, too."""
    if not (mlir.is_tensor(wide) and mlir.is_tensor(narrow)):
        return True
    rows = zip(wide.shape, narrow.shape, strict=True)
    return all(a in (mlir.DYNAMIC, b) for a, b in rows)


def _cast(user: Operation, position: int, type: Any) -> None:
    """Have an op use a value as one of another type."""
    value = user.operands[position]
    if value.type == type:
        return
    build = Build(mlir.before(user), user.location)
    if mlir.is_tensor(type) and not (_holds(type, value.type) or _holds(value.type, type)):
        open_type = mlir.tensor_type([mlir.DYNAMIC] * len(type.shape), type.element_type)
        value = build.value("tensor.cast", (value,), open_type)  # else MLIR knows that it fails
    user.operands[position] = build.value("tensor.cast", (value,), type)


def _takes_any(owner: Operation, refined_calls: Container[int]) -> bool:
    op = mlir.inner_operation(owner)
    if op.name in NAMES:
        return mlir.address_of(op) in refined_calls
    return _is_refined(op.name)


def _is_refined(name: str) -> bool:
    return name in DESCRIPTIONS or name in _TAKING_ANY


def write_signature(func: Operation, end: Operation | None, returned: Sequence[ValueType]) -> None:
    """Have a function's type say what its arguments are and what it returns.

    Args:
        end: its last op; None where several blocks may return.
        returned: the types of what it returns.
    """
    inputs = [argument.type for argument in func.regions[0].blocks[0].arguments]
    if end is not None:
        results = [value.type for value in end.operands]
    else:
        results = [types.spelled(types.without_symbols(type)) for type in returned]
        for last in map(ir.terminator, func.regions[0].blocks):
            for position, type in enumerate(results if last.name == "func.return" else ()):
                _cast(last, position, type)
    func.attributes["function_type"] = mlir.type_attr(mlir.function_type(inputs, results))


def unwrap(shapes: Shapes) -> None:
    """Replace what ``refine-arguments`` wrapped an argument in, once both have one type."""
    for op in shapes.wrappers.values():
        if op.results[0].type == op.operands[0].type:
            owners = [mlir.defining_op(operand) for operand in list(op.operands)[1:]]
            op.results[0].replace_all_uses_with(op.operands[0])
            op.erase()
            size_constants.erase_unused(owner for owner in owners if owner is not None)
