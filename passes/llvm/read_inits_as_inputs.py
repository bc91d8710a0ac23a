"""Parallel loops read what they add to as an input.

Before:
    %1 = linalg.generic {iterator_types = ["parallel"], ...}
           ins(%a : tensor<4xf32>) outs(%init : tensor<4xf32>) {
      ^bb0(%x: f32, %out: f32): %s = arith.addf %out, %x ... }
After:
    %e = tensor.empty() : tensor<4xf32>
    %1 = linalg.generic {iterator_types = ["parallel"], ...}
           ins(%a, %init : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
      ^bb0(%x: f32, %in: f32, %out: f32): %s = arith.addf %in, %x ... }

A reduction of no dimension, or a product without a contracted one, has only parallel loops and
yet reads its output. ``linalg-fuse-elementwise-ops`` moves such a body into the loops of its
consumer as it stands: where these have more iterations, each adds to the output once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.memory.buffers import unknown_sizes
from shlo_tools.pipeline.registry import Pass

_PARALLEL = "#linalg.iterator_type<parallel>"


@dataclass(frozen=True)
class ReadInitsAsInputs(Pass):
    """Keep fusion from repeating what parallel loops add to their outputs."""

    name = "shlo-read-inits-as-inputs"
    anchor = "any"

    def run(self, op: Operation) -> None:
        ir.rewrite(op, {"linalg.generic": _read_as_inputs})


def _read_as_inputs(nest: Operation, build: Build) -> Sequence[Value] | None:
    kinds = list(nest.attributes["iterator_types"])
    if not list(nest.results) or any(str(kind) != _PARALLEL for kind in kinds):
        return None
    operands, arguments = list(nest.operands), list(nest.regions[0].blocks[0].arguments)
    inputs = len(operands) - len(nest.results)
    maps = list(nest.attributes["indexing_maps"])
    written = [n for n in range(inputs, len(operands)) if maps[n].value.is_permutation]
    sources = [n for n in written if next(iter(arguments[n].uses), None)]
    if not sources:
        return None
    # The new order of operands, by their old numbers: inits that are read stand in it twice.
    order = [*range(inputs), *sources, *range(inputs, len(operands))]
    attributes = {name: nest.attributes[name] for name in nest.attributes}
    attributes["indexing_maps"] = mlir.array_attr(maps[n] for n in order)
    segments = [inputs + len(sources), len(nest.results)]
    attributes["operandSegmentSizes"] = mlir.i32_array_attr(segments)
    outputs = [_fresh(build, v) if n in sources else v for n, v in enumerate(operands)][inputs:]
    values = [*(operands[n] for n in order[: segments[0]]), *outputs]
    types = [result.type for result in nest.results]
    generic = build.op("linalg.generic", values, types, attributes, regions=1)
    block, _ = build.block(generic.regions[0], [arguments[n].type for n in order])
    for number, argument in enumerate(arguments):
        argument.replace_all_uses_with(block.arguments[order.index(number)])
    for op in list(nest.regions[0].blocks[0].operations):
        block.append(op)
    return list(generic.results)


def _fresh(build: Build, init: Value) -> Value:
    """A tensor without values, of an init's sizes."""
    return build.value("tensor.empty", unknown_sizes(build, init), init.type)
