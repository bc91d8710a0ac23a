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
has no machine code of are noted for the compiler (``codegen.shared_kernels``). What equals a stage
of an earlier program is not lowered again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.codegen import jobs, named_sizes, shared_kernels, target
from shlo_tools.codegen.function import Function, module_text
from shlo_tools.codegen.lowered import HOST_CALLS, JOBS, PLAIN, STAGE
from shlo_tools.codegen.stages import lowering
from shlo_tools.codegen.stages.nodes import UnsupportedStage
from shlo_tools.dims import UndecidedError
from shlo_tools.mlir import Attribute, Operation
from shlo_tools.passes.stages import host_calls
from shlo_tools.passes.stages.constants import sink_constants
from shlo_tools.passes.stages.read import read
from shlo_tools.pipeline import progress
from shlo_tools.pipeline.registry import Pass
from shlo_tools.structural_key import regions_key

_KERNELS = "kernels"
_MOST = 2048  # stages that are known at a time
_RANDOM = {"stablehlo.rng", "stablehlo.rng_bit_generator"}


@dataclass(frozen=True)
class LowerStages(Pass):
    """Write kernels for the stages of a module."""

    name = "shlo-lower-stages"

    shared: bool = False

    def run(self, op: Operation) -> None:
        kernels: list[Function] = []
        calls = ir.items_of(op, HOST_CALLS)
        stages = [
            func
            for func in ir.functions(op)
            if STAGE in func.attributes and not any(n in func.attributes for n in (JOBS, PLAIN))
        ]
        for func in progress.counted(stages, "stages"):
            # Passes that fold what sizes are known of put constants in front of all regions.
            sink_constants(inner for inner in mlir.walk(func)[1:] if inner.regions)
            self._lowered(func, kernels, calls).note(func)
        if calls:
            op.attributes[HOST_CALLS] = mlir.array_attr(calls)
        if kernels:
            _add_module(op, kernels)

    def _lowered(
        self, func: Operation, kernels: list[Function], calls: list[Attribute]
    ) -> _Lowered:
        if ir.text_of(func, STAGE) == "host":  # which call of the module's it is, says the list
            if named_sizes.has_unknown_sizes(func):
                return _Lowered(PLAIN, f"{_last_op(func)} of sizes that run time tells")
            return _Lowered(JOBS, jobs.to_json(host_calls.lower(func, calls)))
        return _lowered_once(func) if self.shared else _lowered(func, kernels)


@dataclass(frozen=True)
class _Lowered:
    """What a stage runs.

    Attributes:
        attribute, text: what its function says of that.
        kernels: the names of those that it needs beside the process library's.
    """

    attribute: str
    text: str
    kernels: tuple[str, ...] = ()

    def note(self, func: Operation) -> None:
        func.attributes[self.attribute] = mlir.string_attr(self.text)


def lower_shared(func: Operation) -> None:
    """Lower a stage to shared kernels, but for calls of the host, which the module numbers."""
    if ir.text_of(func, STAGE) != "host":
        _lowered_once(func).note(func)


# By structure, the last asked for at the end.
_known: OrderedDict[Hashable, _Lowered] = OrderedDict()


def _lowered(func: Operation, kernels: list[Function] | None = None) -> _Lowered:
    """What a stage runs; new kernels go to a list, or are shared."""
    try:
        if ir.text_of(func, STAGE) == "op":
            raise UnsupportedStage(_last_op(func))
        code = lowering.lower(read(func), target.host())
        code.is_pure = not any(op.name in _RANDOM for op in mlir.walk(func))
    except (UnsupportedStage, UndecidedError) as reason:
        return _Lowered(PLAIN, str(reason))
    if kernels is None:
        code.jobs = shared_kernels.note(code.functions, code.jobs, target.host().features)
    else:
        kernels += code.functions
    return _Lowered(JOBS, jobs.to_json(code), tuple(kernel.name for kernel in code.functions))


def _lowered_once(func: Operation) -> _Lowered:
    """What a stage runs by shared kernels; equal stages are lowered once in a process."""
    attributes = dict(func.attributes.items())
    del attributes["sym_name"]
    key = target.host(), tuple(attributes.items()), regions_key(func.regions)
    lowered = _known.get(key)
    if lowered is None or not all(map(shared_kernels.is_compiled, lowered.kernels)):
        lowered = _known[key] = _lowered(func)
    _known.move_to_end(key)
    if len(_known) > _MOST:
        _known.popitem(last=False)
    return lowered


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
