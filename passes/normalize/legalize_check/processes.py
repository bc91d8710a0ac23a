"""What ``interpreter.run_parallel`` runs: functions to call, or a program for a grid of its own."""

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


def communicate(op: Operation) -> bool:
    """Whether the processes of an ``interpreter.run_parallel`` do anything together."""
    return any(
        has_trait(inner, Trait.COMMUNICATES)
        for func in _program(op).values()
        for inner in mlir.walk(func)
    )


def program_text(op: Operation) -> str:
    """A module of the functions that the processes run, and that feed them."""
    module = mlir.empty_module(op.location)
    for func in _program(op).values():
        func.clone(ip=mlir.at_end(module.body))
    return ir.printed(module.operation)


def _program(op: Operation) -> dict[str, Operation]:
    programs = read_programs(op)
    named = ir.functions_by_name(module_of(op))
    needed: dict[str, Operation] = {}
    for name in (*programs.names, *programs.infeed):
        needed |= _needed(named, name)
    return needed


def functions(op: Operation) -> list[Operation]:
    """The functions to call where processes do not communicate, in order.

    Those that ask which process they are in get a copy for each process.
    """
    programs = read_programs(op)
    module = module_of(op)
    named = ir.functions_by_name(module)
    replicas, partitions = range(len(programs.programs)), range(len(programs.programs[0]))
    called = []
    for process, name in zip(itertools.product(replicas, partitions), programs.names, strict=True):
        needed = _needed(named, name)
        inner = [each for func in needed.values() for each in mlir.walk(func)]
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
