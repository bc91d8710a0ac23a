"""Stages become kernels in the llvm dialect, and jobs that run them.

Before:
    func.func private @stage.0(%x: tensor<8x16xf32>) -> tensor<8x16xf32>
        attributes {shlo.stage = "map"} { ... }
After:
    func.func private @stage.0(%x: tensor<8x16xf32>) -> tensor<8x16xf32>
        attributes {shlo.jobs = "{...}", shlo.stage = "map"} { ... }
    module @kernels.0 attributes {shlo.kernels = ["stage.0"]} {
      llvm.func internal @stage.0(%context: !llvm.ptr, %chunk: i64, %scratch: !llvm.ptr) { ... }
      llvm.func @addresses(%table: !llvm.ptr) { ... }
    }

A stage that kernels cannot compute keeps its ops alone, and says why in ``shlo.plain``. Kernels are
spread over several modules, for which machine code is made side by side.

With ``shared`` kernels are named by what they do, each is written once, and those are left out for
which there is machine code in this process.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.codegen import jobs, shared_kernels, target
from shlo_tools.codegen.function import Function, address_table, module_text
from shlo_tools.codegen.lowered import ADDRESSES, JOBS, KERNELS, PLAIN, STAGE
from shlo_tools.codegen.stages import lowering
from shlo_tools.codegen.stages.nodes import UnsupportedStage
from shlo_tools.mlir import Operation
from shlo_tools.passes.stages.read import read
from shlo_tools.pipeline.registry import Pass

_MODULES = 2
_SMALL = 4  # kernels that one module serves as well


@dataclass(frozen=True)
class LowerStages(Pass):
    """Write kernels for the stages of a module."""

    name = "shlo-lower-stages"

    shared: bool = False

    def run(self, op: Operation) -> None:
        kernels: dict[str, Function] = {}
        for func in ir.functions(op):
            if STAGE in func.attributes and JOBS not in func.attributes:
                kernels |= {kernel.name: kernel for kernel in _lower(func, self.shared)}
        for number, part in enumerate(_parts([*kernels.values()])):
            _add_module(op, f"kernels.{number}", part)


def _lower(func: Operation, shared: bool) -> list[Function]:
    """The kernels of a stage; what it runs is noted on its function."""
    try:
        if ir.text_of(func, STAGE) == "op":
            raise UnsupportedStage(_last_op(func))
        code = lowering.lower(read(func), target.host())
    except UnsupportedStage as reason:
        func.attributes[PLAIN] = mlir.string_attr(str(reason))
        return []
    if shared:
        features = target.host().features
        code.functions, code.jobs = shared_kernels.share(code.functions, code.jobs, features)
    func.attributes[JOBS] = mlir.string_attr(jobs.to_json(code))
    return code.functions


def _last_op(func: Operation) -> str:
    return ir.children(func)[-2].name


def _parts(kernels: list[Function]) -> list[list[Function]]:
    """Kernels in parts of about the same length."""
    if len(kernels) <= _SMALL:
        return [kernels] if kernels else []
    parts: list[list[Function]] = [[] for _ in range(_MODULES)]
    lengths = [0] * _MODULES
    for kernel in sorted(kernels, key=lambda kernel: -len(kernel.lines)):
        shortest = lengths.index(min(lengths))
        parts[shortest].append(kernel)
        lengths[shortest] += len(kernel.lines)
    return parts


def _add_module(op: Operation, name: str, kernels: Sequence[Function]) -> None:
    """A module of kernels, and a function that writes their addresses into a table."""
    table = address_table(ADDRESSES, kernels)
    text = module_text([*kernels, table], target.host().features)
    parsed = mlir.parse_module(text)
    block = op.regions[0].blocks[0]
    names = mlir.array_attr([mlir.string_attr(kernel.name) for kernel in kernels])
    attributes = {"sym_name": mlir.string_attr(name), KERNELS: names}
    build = ir.Build(mlir.at_end(block), op.location)
    nested = build.op("builtin.module", (), (), attributes, regions=1)
    inner, _ = build.block(nested.regions[0], ())
    mlir.move_ops(parsed.body, inner)
