"""A program for the sizes of some arguments."""

from __future__ import annotations

from collections.abc import Sequence

from shlo_tools import dtypes, ir, mlir, program
from shlo_tools.dtypes import Array
from shlo_tools.pipeline import runner

_ASSERTIONS = "shlo-check-shape-assertions{keep-unknown=true}"
_PASSES = f"shlo-refine-shapes,{_ASSERTIONS},shlo-canonicalize-dynamism"


def with_sizes_of(module: mlir.Module, arguments: Sequence[Array]) -> mlir.Module:
    """The program, where all sizes of ``@main``'s arguments are known; else another one of such.

    Raises:
        ShloError: the arguments do not fit.
    """
    with mlir.library_context():
        main = ir.functions_by_name(module.operation).get("main")
        inputs = ir.signature(main)[0] if main is not None else []
        if not any(map(mlir.is_dynamic, inputs)):
            return module
        types = [
            str(dtypes.tensor_type(type).with_shape(array.shape))
            for type, array in zip(inputs, arguments, strict=True)
        ]
        static = program.clone(module)
        refinement = f"shlo-refine-arguments{{types={','.join(types)}}}"
        runner.run(f"builtin.module({refinement},{_PASSES})", static)
        return static
