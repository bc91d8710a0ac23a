"""What stages of a program compute, and where that stands in its source.

The program is cut into stages again, as it was for its executable: these keep none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shlo_tools import ir, mlir, program
from shlo_tools.calling.profile import ProfiledOp
from shlo_tools.codegen.lowered import NUMBERS, STAGE, calls_stages
from shlo_tools.cpu import native
from shlo_tools.cpu.profiling.rows import Origins, Stage
from shlo_tools.cpu.stages import building
from shlo_tools.cpu.stages.program import stage_calls
from shlo_tools.errors import PassError, ShloError
from shlo_tools.mlir import Operation
from shlo_tools.program import costs

# What says nothing of a stage's work.
_SILENT = ("func.return", "stablehlo.constant", "tensor.empty")

Source = Callable[[], mlir.Module]


def read(source: Source, function: str, sizes: Sequence[int] = ()) -> Origins:
    """Cut a program into stages again.

    Args:
        source: gives the program as it was read, without its large constants.
        sizes: what has names in it, in order.
    """
    with mlir.library_context():
        module = program.clone(source())
        building.cut(module, function)
        calls = [
            (ir.callee_of(op), mlir.place_of(op.location)) for op in stage_calls(module, function)
        ]
        return Origins(calls, _stages(module, sizes))


def _stages(module: mlir.Module, sizes: Sequence[int]) -> dict[str, Stage]:
    for func in ir.functions(module.operation):
        if STAGE in func.attributes:
            func.attributes["sym_visibility"] = mlir.string_attr("public")
        elif not ir.is_declaration(func) and calls_stages(func):
            func.erase()
    if sizes:
        module.operation.attributes[NUMBERS] = mlir.i64_array_attr(sizes)
        try:
            native.run_passes(f"shlo-bind-sizes,{building.TO_STATIC}", module, None)
        except PassError:  # a stage that is not run with these sizes says what no program may
            return {}
    counter = costs.Counter(ir.functions_by_name(module.operation))
    return {
        ir.symbol_name(func): _stage(module, func, counter)
        for func in ir.functions(module.operation)
        if STAGE in func.attributes
    }


def _stage(module: mlir.Module, func: Operation, counter: costs.Counter) -> Stage:
    ops = [mlir.inner_operation(op) for op in func.regions[0].blocks[0].operations]
    named = [op for op in ops if op.name not in _SILENT] or ops[:-1]
    try:
        whole = costs.function_costs(module.operation, ir.symbol_name(func), counter)
    except ShloError:  # a size that counts is unknown
        return Stage(tuple(_op(op, 0) for op in named), None)
    return Stage(tuple(_op(op, counter.op(op).total) for op in named), whole)


def _op(op: Operation, flops: int) -> ProfiledOp:
    name = op.name.removeprefix("stablehlo.")
    if name == "custom_call":
        name += " @" + ir.text_of(op, "call_target_name")
    return ProfiledOp(name, mlir.place_of(op.location), flops)
