"""The functions of processes that do not communicate, as functions that can simply be called."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from functools import partial

from shlo_tools import ir, mlir
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.ops import Trait, has_trait
from shlo_tools.reference.self_checking import module_of, read_programs

_IDS = ("stablehlo.replica_id", "stablehlo.partition_id")


def functions(op: Operation) -> list[Operation]:
    """The functions to call for an ``interpreter.run_parallel``, in order.

    Those that ask which process they are in get a copy for each process.

    Raises:
        UnsupportedError: there are several processes, and they communicate.
    """
    programs = read_programs(op)
    module = module_of(op)
    named = ir.functions_by_name(module)
    replicas, partitions = range(len(programs.programs)), range(len(programs.programs[0]))
    called = []
    for process, name in zip(itertools.product(replicas, partitions), programs.names, strict=True):
        needed = _needed(named, name)
        inner = [each for func in needed.values() for each in mlir.walk(func)]
        if len(programs.names) > 1:
            communicating = [each for each in inner if has_trait(each, Trait.COMMUNICATES)]
            reason = "in interpreter.run_parallel, the reference runs processes that communicate"
            ir.raise_unsupported(communicating[:1], reason)
        asking = any(each.name in _IDS for each in inner)
        called.append(_copied(module, needed, name, process) if asking else named[name])
    return called


def _needed(named: Mapping[str, Operation], root: str) -> dict[str, Operation]:
    """A function and those that it calls, however indirectly."""
    needed: dict[str, Operation] = {}
    waiting = [root]
    while waiting:
        name = waiting.pop()
        if name in needed or name not in named:
            continue
        needed[name] = named[name]
        calls = [op for op in mlir.walk(named[name]) if op.name == "func.call"]
        waiting += [ir.callee_of(call) for call in calls]
    return needed


def _copied(
    module: Operation, needed: Mapping[str, Operation], root: str, process: tuple[int, int]
) -> Operation:
    """Copies of functions for one process, whose ids are constants there."""
    symbols = {ir.symbol_name(child) for child in ir.children(module)}
    names = {name: _unused(f"{name}.{process[0]}.{process[1]}", symbols) for name in needed}
    for name, func in needed.items():
        copy = mlir.inner_operation(func.clone(ip=mlir.after(func)))
        copy.attributes["sym_name"] = mlir.string_attr(names[name])
        copy.attributes["sym_visibility"] = mlir.string_attr("private")
        for op in mlir.walk(copy):
            if op.name == "func.call":
                op.attributes["callee"] = mlir.symbol_attr(names[ir.callee_of(op)])
        replica, partition = process
        ir.rewrite(
            copy,
            {
                "stablehlo.replica_id": partial(_id, replica),
                "stablehlo.partition_id": partial(_id, partition),
            },
        )
        if name == root:
            copies = copy
    return copies


def _unused(name: str, symbols: set[str]) -> str:
    while name in symbols:
        name += "_"
    return name


def _id(value: int, op: Operation, build: Build) -> list[Value]:
    type = op.results[0].type
    attribute = mlir.parse_attribute(f"dense<{value}> : {type}")
    return [build.value("stablehlo.constant", (), type, {"value": attribute})]
