"""``--verify-roundtrip``: printing and reading a program back gives the same program."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from shlo_tools import ir, mlir, program
from shlo_tools.errors import ShloError


def check(root: mlir.Module, name: str, new_context: Callable[[], mlir.Context]) -> None:
    """Write a program as text and as bytecode, and read both.

    Each is read in another context: in that of the program, resources would get other names.
    Locations are compared in bytecode only, since some short forms of ops leave them out, such as
    that of a reduction.

    Args:
        name: what the program is called.
        new_context: makes a context with the dialects that the program needs.

    Raises:
        ShloError: what was written cannot be read, or is another program; with the first line of
            the generic form that differs.
    """
    op = root.operation
    text = ir.printed(op, enable_debug_info=True)
    for form, written in (("text", text), ("bytecode", program.to_bytecode(root))):
        before = _generic(op, locations=form == "bytecode")
        with mlir.at(new_context()):
            again = _read(written, op.name, f"{name}: the {form}")
            after = _generic(again, locations=form == "bytecode")
        difference = _difference(before, after)
        if difference:
            raise ShloError(f"{name}: the {form} of the program reads as another one\n{difference}")


def _read(written: str | bytes, op_name: str, what: str) -> mlir.Operation:
    """A program; of one that is no module, the op that is put into a module on the way."""
    try:
        module = mlir.parse_module(written).operation
    except mlir.MLIRError as error:
        reason = mlir.diagnostics_of(error)[0].message
        raise ShloError(f"{what} of the program cannot be read: {reason}") from error
    return module if module.name == op_name else ir.children(module)[0]


def _generic(op: Any, *, locations: bool) -> str:
    text: str = op.get_asm(print_generic_op_form=True, enable_debug_info=locations)
    return text


def _difference(before: str, after: str) -> str:
    """The first line that differs, as a diff shows it; '' where none does."""
    lines = itertools.zip_longest(before.split("\n"), after.split("\n"), fillvalue="")
    return next((f"- {old}\n+ {new}" for old, new in lines if old != new), "")
