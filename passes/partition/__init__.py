"""A program becomes a list of stages: what is computed together, each distinct one once.

Before:
    func.func public @main(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
      %0 = stablehlo.exponential %x
      %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1]
      %2 = stablehlo.broadcast_in_dim %1, dims = [0]
      %3 = stablehlo.divide %0, %2
      return %3
    }
After:
    func.func public @main(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
      %0 = call @stage.0(%x)
      return %0
    }
    func.func private @stage.0(...) attributes {shlo.rows = array<i64: 8, 16>, shlo.stage = "row"}

A stage's kind says how a kernel walks it: ``map``, ``row`` (reduces trailing dimensions and may go
on with its rows), ``reduction`` (reduces any dimensions and goes on with the sums), ``column``
(reduces dimensions in front of the last ones and goes on with all that it reduced), ``contraction``
(a product and what is made of its rows), ``tiny`` (whatever is made of tensors of some dozen
elements, with loops and branches), ``batched`` (whatever is made of many small tensors side by
side, each alike), that of an op alone, ``op`` (one that no kernel computes).
Other control flow stays, and its regions become calls, too. So do slices that are runs of memory:
where they begin is no part of a stage.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from shlo_tools import dtypes, ir, mlir
from shlo_tools.codegen.lowered import ROUNDS, SHAPES
from shlo_tools.ir import Rewrite
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.legalize_to_linalg.random import note_places
from shlo_tools.passes.partition.batched import join_batched
from shlo_tools.passes.partition.choosing import choose
from shlo_tools.passes.partition.graph import NEEDLESS, WEIGHTS, read
from shlo_tools.passes.partition.invariants import hoist
from shlo_tools.passes.partition.kinds import Kinds
from shlo_tools.passes.partition.loops.blocks import LOOP, split_loops
from shlo_tools.passes.partition.loops.rounds import forget_count
from shlo_tools.passes.partition.outlining import Names, Outlining
from shlo_tools.passes.partition.pointwise_products import pointwise
from shlo_tools.passes.partition.powers import power
from shlo_tools.passes.partition.repeated_batches import as_rows
from shlo_tools.passes.partition.scans.blocks import by_blocks
from shlo_tools.passes.partition.short_folds import of_few
from shlo_tools.passes.partition.splitting import split
from shlo_tools.passes.partition.static_updates import UPDATES
from shlo_tools.passes.partition.tiny import join_tiny
from shlo_tools.passes.simplify import driver
from shlo_tools.passes.simplify.choices import no_choice
from shlo_tools.passes.simplify.control_flow import carried_for_nothing, invariant, never
from shlo_tools.passes.simplify.data_movement import broadcast_to_itself, transpose_twice
from shlo_tools.passes.simplify.slicing import of_nothing, pad_nothing, whole
from shlo_tools.passes.simplify.values import filled
from shlo_tools.passes.stages.constants import sink_constants
from shlo_tools.passes.stages.lower_stages import lower_shared
from shlo_tools.pipeline.registry import Pass

_JOINED = "stablehlo.concatenate"


@dataclass(frozen=True)
class Partition(Pass):
    """Cut the public functions of a module into stages.

    Attributes:
        lower: whether ``shlo-lower-stages{shared}`` is done with each stage as soon as it is cut,
            so that the compiler works meanwhile.
    """

    name = "shlo-partition"

    lower: bool = False

    def run(self, op: Operation) -> None:
        functions = [(func, _simplified(func)) for func in ir.functions(op)]
        note_places(inner for _, ops in functions for inner in ops)
        others = {ir.symbol_name(func) for func, _ in functions}
        kinds, names = Kinds(), Names(others, lower_shared if self.lower else None)
        for func, ops in functions:
            is_public = ir.text_of(func, "sym_visibility") != "private"
            if is_public and not ir.is_declaration(func) and len(func.regions[0].blocks) == 1:
                with_regions = [inner for inner in ops if inner.regions]
                weights = [inner for inner in ops if inner.name in WEIGHTS]
                _rewrite(ops, _RULES)
                _lift_weights(func, weights)
                has_loops = any(inner.name == LOOP for inner in with_regions)
                if has_loops:
                    hoist(with_regions)
                sink_constants(with_regions)
                blocks_of_rows = split_loops(op, func, others) if has_loops else []
                for whole in (func, *blocks_of_rows):
                    _cut(op, whole.regions[0].blocks[0], kinds, names)


def _cut(module: Operation, block: mlir.Block, kinds: Kinds, names: Names) -> None:
    """Cut a block, and then the regions of its control flow."""
    by_blocks(module, block, names)
    _rewrite(split(block), _OF_BLOCKS | UPDATES | {"stablehlo.dot_general": pointwise()})
    graph = read(block, kinds)
    for op in Outlining(module, graph, names).run(join_tiny(join_batched(choose(graph)))):
        regions = list(op.regions)
        if ROUNDS in op.attributes:
            forget_count(op)
            del regions[0]
        for region in regions:
            _cut(module, region.blocks[0], kinds, names)


def _simplified(func: Operation) -> list[Operation]:
    """The ops of a function, where nothing is joined to what has no elements.

    Loops carry only what changes and is needed: exporters hand all that a loop reads to it.
    """
    ops = _without_copies(mlir.walk(func)[1:])
    rules: dict[str, Sequence[driver.Rule]] = {}
    if any(map(_has_empty_part, [op for op in ops if op.name == _JOINED])):
        rules |= {_JOINED: [of_nothing]}
    if any(op.name == LOOP for op in ops):
        rules |= {LOOP: (never, invariant, _needed)}
    first = [op for op in ops if op.name in rules]
    changes = driver.apply(func, rules, NEEDLESS, ops=first) if rules else 0
    return mlir.walk(func)[1:] if changes else ops


def _needed(op: Operation, build: driver.Rewriter) -> driver.Replacement | None:
    """A loop without what it carries for nothing, where sizes are numbers: others have a list."""
    return None if SHAPES in op.attributes else carried_for_nothing(op, build)


def _has_empty_part(op: Operation) -> bool:
    is_static = mlir.is_static_tensor(op.results[0].type)
    return is_static and any(0 in dtypes.tensor_type(v.type).shape for v in op.operands)


def _without_copies(ops: Iterable[Operation]) -> list[Operation]:
    """Other ops than those that leave operands as they are, which would be stages and copies.

    JAX makes a choice between a value and itself for each operand of a branch that it vectorizes.
    What is in front of a barrier may be computed behind it.
    """
    others = []
    for op in ops:
        rule = _COPIES.get(op.name)
        values = None if rule is None else rule(op, ir.Build(mlir.before(op), op.location))
        if values is None or [v.type for v in values] != [result.type for result in op.results]:
            others.append(op)
        else:
            ir.replace(op, values)
    return others


_COPIES: dict[str, Rewrite] = {
    "stablehlo.broadcast_in_dim": broadcast_to_itself,
    "stablehlo.optimization_barrier": lambda op, build: list(op.operands),
    "stablehlo.pad": pad_nothing,
    "stablehlo.select": no_choice,
    "stablehlo.slice": whole,
}


def _known_size(op: Operation, build: ir.Build) -> list[Value] | None:
    """A known size becomes a constant: who asks for it reads nothing."""
    size = dtypes.tensor_type(op.operands[0].type).shape[ir.integer_of(op, "dimension")]
    constant = filled(build, op.results[0], size) if isinstance(size, int) else None
    return None if constant is None else [constant]


_RULES = {
    "stablehlo.dot_general": as_rows,
    "stablehlo.get_dimension_size": _known_size,
    "stablehlo.power": power,
}

_OF_BLOCKS: dict[str, Rewrite] = {
    "stablehlo.reduce": of_few,
    "stablehlo.transpose": transpose_twice,  # the first one may be of a product
}


def _rewrite(ops: Iterable[Operation], rules: Mapping[str, Rewrite]) -> None:
    """Have rules replace ops, as ``ir.rewrite`` does."""
    for op in ops:
        rule = rules.get(op.name)
        if rule is not None:
            values = rule(op, ir.Build(mlir.before(op), op.location))
            if values is not None:
                ir.replace(op, values)


def _lift_weights(func: Operation, weights: Iterable[Operation]) -> None:
    """Large constants are read in front: regions of tiny tensors use them as values from around."""
    block = func.regions[0].blocks[0]
    for op in reversed([op for op in weights if op.parent != func]):
        op.move_before(block.operations[0])
