"""Stages become kernels in the llvm dialect, and jobs that run them.

Before:
    func.func private @stage.0(%x: tensor<8x16xf32>) -> tensor<8x16xf32>
        attributes {shlo.stage = "map"} { ... }
After:
    func.func private @stage.0(%x: tensor<8x16xf32>) -> tensor<8x16xf32>
        attributes {shlo.jobs = "{...}", shlo.stage = "map"} { ... }
    module @kernels {
      llvm.func internal @stage.0(%context: !llvm.ptr, %chunk: i64, %scratch: !llvm.ptr) { ... }
    }

A stage that kernels cannot compute keeps its ops alone, and says why in ``shlo.plain``. With
``shared`` kernels are named by what they do and are not part of the module: those that this process
has no machine code of are noted for the compiler (``codegen.shared_kernels``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.codegen import jobs, shared_kernels, target
from shlo_tools.codegen.function import Function, module_text
from shlo_tools.codegen.lowered import HOST_CALLS, JOBS, PLAIN, STAGE
from shlo_tools.codegen.stages import lowering
from shlo_tools.codegen.stages.nodes import UnsupportedStage
from shlo_tools.mlir import Attribute, Operation
from shlo_tools.passes.stages import host_calls
from shlo_tools.passes.stages.read import read
from shlo_tools.pipeline.registry import Pass

_KERNELS = "kernels"


@dataclass(frozen=True)
class LowerStages(Pass):
    """Write kernels for the stages of a module."""

    name = "shlo-lower-stages"

    shared: bool = False

    def run(self, op: Operation) -> None:
        kernels: list[Function] = []
        calls = ir.items_of(op, HOST_CALLS)
        for func in ir.functions(op):
            if STAGE in func.attributes and JOBS not in func.attributes:
                kernels += _lower(func, calls, self.shared)
        if calls:
            op.attributes[HOST_CALLS] = mlir.array_attr(calls)
        if kernels:
            _add_module(op, kernels)


def _lower(func: Operation, calls: list[Attribute], shared: bool) -> list[Function]:
    """The kernels of a stage that the module shows; what it runs is noted on its function."""
    kind = ir.text_of(func, STAGE)
    try:
        if kind == "op":
            raise UnsupportedStage(_last_op(func))
        if kind == "host":
            code = host_calls.lower(func, calls)
        else:
            code = lowering.lower(read(func), target.host())
    except UnsupportedStage as reason:
        func.attributes[PLAIN] = mlir.string_attr(str(reason))
        return []
    if shared:
        code.jobs = shared_kernels.note(code.functions, code.jobs, target.host().features)
    func.attributes[JOBS] = mlir.string_attr(jobs.to_json(code))
    return [] if shared else code.functions


def _last_op(func: Operation) -> str:
    op = ir.children(func)[-2]
    return f"{op.name} {ir.text_of(op, 'call_target_name')}".rstrip()


def _add_module(op: Operation, kernels: Sequence[Function]) -> None:
    """Put a module of kernels behind all else."""
    for kernel in kernels:
        kernel.exported = False
    parsed = mlir.parse_module(module_text(kernels, target.host().features))
    build = ir.Build(mlir.at_end(op.regions[0].blocks[0]), op.location)
    attributes = {"sym_name": mlir.string_attr(_KERNELS)}
    nested = build.op("builtin.module", (), (), attributes, regions=1)
    inner, _ = build.block(nested.regions[0], ())
    mlir.move_ops(parsed.body, inner)
