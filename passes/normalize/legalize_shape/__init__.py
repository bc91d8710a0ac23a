"""The shape dialect, and computations on sizes beside it, to StableHLO.

Before:
    %0 = shape.shape_of %x : tensor<?x4xf32> -> tensor<2xindex>
    %w = shape.cstr_require %ok, "must be even"
    %1 = shape.assuming %w -> (tensor<?x4xf32>) {
      %2 = stablehlo.dynamic_broadcast_in_dim %y, %0, dims = [1] : (...) -> tensor<?x4xf32>
      shape.assuming_yield %2 : tensor<?x4xf32>
    }
After:
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
    ...
    %0 = stablehlo.concatenate %n1, %c4, dim = 0 : (...) -> tensor<2xi64>
    stablehlo.custom_call @shape_assertion(%ok) {error_message = "must be even", ...} : ...
    %1 = stablehlo.dynamic_broadcast_in_dim %y, %0, dims = [1] : (...) -> tensor<?x4xf32>

Indices and sizes become ``tensor<i64>``, shapes and extent tensors vectors of i64. Where a
``!shape.shape`` or a ``!shape.size`` is invalid it stays so through all that is computed from it;
what leaves for an index, an extent tensor or a caller is asserted to be valid. What is known to
fail is an error of this pass. Functions that take or return shapes are inlined where they are
called. Programs without the dialect whose sizes are computed by tensor and arith ops are rewritten,
too, where all that they hold has a rule here.
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.dialects import shape_names
from shlo_tools.errors import UnsupportedError
from shlo_tools.mlir import Operation
from shlo_tools.pipeline.contents import Contents
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class LegalizeShape(Pass):
    """Rewrite the shape dialect in StableHLO."""

    name = "shlo-legalize-shape"

    def concerns(self, contents: Contents) -> bool:
        has_sizes = contents.has_op(*shape_names.SIZE_OPS)
        return has_sizes or contents.has_dialect("shape") or contents.has_type("!shape.")

    def run(self, op: Operation) -> None:
        ops = mlir.walk(op)
        if any(shape_names.concerns(inner) for inner in ops):
            _convert(op)
        elif shape_names.sizes_beside(ops):
            try:
                _convert(op)
            except UnsupportedError:  # linalg, for instance: what is there runs as it is
                return


def _convert(module: Operation) -> None:
    # Few programs need it: what it takes is not loaded for the others.
    from shlo_tools.passes.normalize.legalize_shape import families
    from shlo_tools.passes.normalize.legalize_shape.conversion import ShapeConversion

    families.check(module)
    ir.call_order(module)  # refuses recursion
    try:
        ShapeConversion(module).module(module)
    except RecursionError as error:
        place = mlir.place_of(module.location)
        raise UnsupportedError("calls or regions are nested too deep", place=place) from error
