"""What an edit is: places in a program, each of which can be made simpler by itself.

Places are listed in program order and edited in the opposite order, so that what an edit erases
is never met again: definitions come before uses, and ops before what is in them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.mlir import Operation, Value

Apply = Callable[[], None]


@dataclass(frozen=True)
class Edit:
    """One way to make programs simpler.

    Attributes:
        name: completes the sentence "reducing: ...".
        places: lists what can be edited in a module; an item edits one place.
    """

    name: str
    places: Callable[[Operation], Sequence[Apply]]


def uses(value: Value) -> int:
    return len(list(value.uses))


def is_unused(op: Operation) -> bool:
    return not any(uses(result) for result in op.results)


def is_end(op: Operation) -> bool:
    """Whether an op ends its block."""
    return op == ir.terminator(op.block)


def inner_ops(func: Operation) -> list[Operation]:
    """All ops in a function but those that end blocks."""
    return [op for op in mlir.walk(func)[1:] if not is_end(op)]


def defined(module: Operation) -> list[Operation]:
    """The functions that have a body."""
    return [func for func in ir.functions(module) if not ir.is_declaration(func)]


def called(module: Operation) -> set[str]:
    """Names of functions that some op refers to, in whatever attribute."""
    names = {ir.symbol_name(func) for func in ir.functions(module)}
    callees: set[str] = set()
    for op in mlir.walk(module):
        for key in op.attributes:
            if key != "sym_name":
                text = str(op.attributes[key])
                callees |= {name for name in names if f"@{name}" in text} if "@" in text else set()
    return callees


def set_signature(func: Operation) -> None:
    """Have a function's type say what its block takes and returns."""
    block = func.regions[0].blocks[0]
    inputs = [argument.type for argument in block.arguments]
    results = [value.type for value in ir.terminator(block).operands]
    func.attributes["function_type"] = mlir.type_attr(mlir.function_type(inputs, results))


def keep_attributes(func: Operation, name: str, kept: Sequence[int]) -> None:
    """Leave in ``arg_attrs`` or ``res_attrs`` the entries at some positions."""
    if name in func.attributes:
        entries = ir.items_of(func, name)
        func.attributes[name] = mlir.array_attr([entries[i] for i in kept if i < len(entries)])


def substitute(op: Operation, values: Sequence[Value]) -> None:
    """Use other values instead of an op's results, and erase it."""
    for result, value in zip(op.results, values, strict=True):
        result.replace_all_uses_with(value)
    op.erase()
