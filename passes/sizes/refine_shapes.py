"""Types become as exact as the program tells: shapes of results, loops, calls and functions.

Before:
    func.func @main(%x: tensor<4x2xf32>) -> tensor<?x?xf32> {
      %shape = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
      %0 = stablehlo.dynamic_reshape %x, %shape : (...) -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
After:
    func.func @main(%x: tensor<4x2xf32>) -> tensor<2x4xf32> {
      ...
      %0 = stablehlo.dynamic_reshape %x, %shape : (...) -> tensor<2x4xf32>
      return %0 : tensor<2x4xf32>

A private function called with several types becomes several functions; what it is called with and
is known becomes constants in it. Integers of shape arithmetic that are known become constants. No
type is ever widened; sizes that contradict each other are an error that names the op and both
types, and the module stays as it was.
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import mlir
from shlo_tools.errors import UnsupportedError
from shlo_tools.garbage import uncollected
from shlo_tools.mlir import Operation
from shlo_tools.passes.sizes import refined_types, size_constants
from shlo_tools.passes.sizes.refined_calls import RefinedCalls
from shlo_tools.pipeline.contents import Contents
from shlo_tools.pipeline.registry import Pass
from shlo_tools.shapes import Shapes

_STATIC = {"stablehlo.dynamic_slice", "stablehlo.dynamic_update_slice"}


@dataclass(frozen=True)
class RefineShapes(Pass):
    """Make types as exact as the program tells."""

    name = "shlo-refine-shapes"

    def concerns(self, contents: Contents) -> bool:
        if contents.has_type("?", "#") or contents.has_dialect("shape", "tensor"):
            return True
        return any("dynamic" in name or "dimension_size" in name for name in contents.ops - _STATIC)

    def run(self, op: Operation) -> None:
        calls = RefinedCalls(op)
        if calls.entries:
            with uncollected():
                _refine(op, calls)


def _refine(module: Operation, calls: RefinedCalls) -> None:
    shapes = Shapes(call=calls.visit)
    try:
        returned = [shapes.function(func) for func in calls.entries]
    except RecursionError as error:
        calls.discard()
        place = mlir.place_of(module.location)
        raise UnsupportedError("calls or regions are nested too deep", place=place) from error
    except BaseException:
        calls.discard()
        raise
    refined_types.write(shapes, calls.calls)
    calls.settle(shapes)
    rows = [*zip(calls.entries, returned, strict=True), *((func, []) for func in calls.instances)]
    for func, types in rows:
        refined_types.write_signature(func, shapes.ends.get(mlir.address_of(func)), types)
    size_constants.fold(shapes, calls.constants)
    refined_types.unwrap(shapes)
    calls.erase_unused()
