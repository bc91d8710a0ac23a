"""Edits of functions: calls inlined, functions, results and arguments that go."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools import ir, mlir
from shlo_tools.errors import UnsupportedError
from shlo_tools.mlir import Operation
from shlo_tools.tools.reduce.edits import (
    Apply,
    Edit,
    called,
    defined,
    inner_ops,
    keep_attributes,
    set_signature,
    substitute,
    uses,
)


def _uncalled(module: Operation) -> Sequence[Apply]:
    names = called(module)
    every = ir.functions(module)
    if len(every) < 2:
        return []
    return [func.erase for func in every if ir.symbol_name(func) not in names]


def _calls(module: Operation) -> Sequence[Apply]:
    """Calls of functions with bodies; none where some function calls itself."""
    try:
        ir.call_order(module)
    except UnsupportedError:
        return []
    named = ir.functions_by_name(module)
    edits: list[Apply] = []
    for func in defined(module):
        for op in inner_ops(func):
            callee = named.get(ir.callee_of(op)) if op.name == "func.call" else None
            if callee is not None and not ir.is_declaration(callee):
                edits.append(lambda op=op, callee=callee: _inline(op, callee))  # type: ignore[misc]
    return edits


def _inline(call: Operation, callee: Operation) -> None:
    block = callee.regions[0].blocks[0]
    old = list(block.arguments)
    new = list(call.operands)
    for inner in ir.children(callee):
        operands = list(inner.operands)
        if inner == ir.terminator(block):
            results = [new[old.index(v)] if v in old else v for v in operands]
            substitute(call, results)
            return
        copy = mlir.inner_operation(inner.clone(mlir.before(call)))
        for one in mlir.walk(copy):
            for before, after in zip(old, new, strict=True):
                one.replace_uses_of_with(before, after)
        old += list(inner.results)
        new += list(copy.results)


def _results(module: Operation) -> Sequence[Apply]:
    """Results of functions that are not called, but for the last of each."""
    names = called(module)
    edits: list[Apply] = []
    for func in defined(module):
        if ir.symbol_name(func) not in names:
            count = len(ir.signature(func)[1])
            edits += [lambda f=func, i=i: _drop_result(f, i) for i in range(count)]  # type: ignore[misc]
    return edits


def _drop_result(func: Operation, index: int) -> None:
    end = ir.terminator(func.regions[0].blocks[0])
    kept = [i for i in range(len(end.operands)) if i != index]
    if kept:
        values = [end.operands[i] for i in kept]
        build = ir.Build(mlir.before(end), end.location)
        end_name = end.name
        build.op(end_name, values)
        end.erase()
        keep_attributes(func, "res_attrs", kept)
        set_signature(func)


def _arguments(module: Operation) -> Sequence[Apply]:
    """Arguments that nothing uses, of functions that are not called."""
    names = called(module)
    edits: list[Apply] = []
    for func in defined(module):
        if ir.symbol_name(func) not in names:
            arguments = func.regions[0].blocks[0].arguments
            unused = [i for i, argument in enumerate(arguments) if not uses(argument)]
            edits += [lambda f=func, i=i: _drop_argument(f, i) for i in unused]  # type: ignore[misc]
    return edits


def _drop_argument(func: Operation, index: int) -> None:
    block: mlir.Block = func.regions[0].blocks[0]
    kept = [i for i in range(len(block.arguments)) if i != index]
    block.erase_argument(index)
    keep_attributes(func, "arg_attrs", kept)
    set_signature(func)


EDITS = (
    Edit("functions that nothing calls", _uncalled),
    Edit("results", _results),
    Edit("calls", _calls),
    Edit("unused arguments", _arguments),
)
