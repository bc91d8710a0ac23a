"""Associative scans by blocks of eight elements: three levels of their tree at once.

Before, of 2**20 numbers, what ``trees`` finds: two passes over memory for each of 20 levels.
After, with levels below that go on in the same way:
    %sums = call @stage.0(%x) : (tensor<1048576xf32>) -> tensor<131072xf32>
    %scan:2 = ...                    of the sums, and what lies in front of each
    %all = call @stage.1(%x, %scan#0, %scan#1) : (...) -> tensor<1048576xf32>

Each element is what it was before, from the same ops in the same order (``stages``). The last
levels, of few elements, are one stage.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from shlo_tools import mlir
from shlo_tools.codegen.stages.tiny.picking import LARGEST
from shlo_tools.dtypes import tensor_type
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.effects import Effects
from shlo_tools.passes.partition.batched import is_held
from shlo_tools.passes.partition.outlining import Names
from shlo_tools.passes.partition.scans.stages import Block, BlockStage, Role
from shlo_tools.passes.partition.scans.trees import Level, find, shape_of
from shlo_tools.passes.simplify.slicing import sliced

_DEPTH = 3  # levels of a block
_WHOLE = 16  # elements of a scan that one stage does whole
_LANES = 16  # blocks beside each other, at least
_LEAST = 4  # blocks of a scan
_OPS = 24  # of a combination: a block has a dozen of them
_EFFECTS = Effects()


def by_blocks(module: Operation, block: mlir.Block, names: Names) -> None:
    """Have calls of stages do the scans of a block."""
    ops = [mlir.inner_operation(view) for view in block.operations]
    trees = find(ops)
    for levels in trees:
        _Scan(levels, ops).run(module, names)
    for op in reversed(ops if trees else ()):
        if _EFFECTS.is_dead(op):
            op.erase()


class _Scan:
    """One tree.

    Attributes:
        outer, inner, dimension: of what is scanned, see ``Block``.
        values: what stands for values of the program now.
    """

    def __init__(self, levels: list[Level], ops: Sequence[Operation]) -> None:
        (item, *_) = levels[0].results.values()
        self.levels, self.dimension, shape = levels, item.dimension, shape_of(item.result)
        self.outer = math.prod(shape[: self.dimension])
        self.inner = math.prod(shape[self.dimension + 1 :])
        self.places = {op: place for place, op in enumerate(ops)}
        self.values: dict[tuple[Value, Role], Value] = {}

    def run(self, module: Operation, names: Names) -> None:
        """Replace as many levels as there are blocks of."""
        blocks = self._blocks()
        for block in blocks.values():
            if not block.is_whole:
                sums = block.levels[-1].sums
                stage = self._stage(module, block, sums)
                self._call(stage, stage.sums(), names, [(v, Role.ITSELF) for v in sums], sums)
        for number, block in reversed(blocks.items()):
            results = _used(block.levels[0].results)
            above = next((b for k, b in blocks.items() if k + len(b.levels) == number), None)
            before = above.levels[-1].below if above else []
            stage = self._stage(module, block, results)
            keys = [*((v, Role.ITSELF) for v in results), *((v, Role.BEFORE) for v in before)]
            self._call(stage, stage.scans(results, before), names, keys, results)

    # --- which levels -----------------------------------------------------------------------------
    def _blocks(self) -> dict[int, Block]:
        """Blocks by the number of their first level."""
        blocks: dict[int, Block] = {}
        known = [level.up is not None and self._fits(level) for level in self.levels]
        number = 0
        while number < len(self.levels):
            block = self._block(number, known)
            if block is not None and self._is_in_order(block):
                blocks[number] = block
                number += len(block.levels)
            else:
                number += 1
        return blocks

    def _block(self, number: int, known: Sequence[bool]) -> Block | None:
        """The block that a level begins; None where it stays as it is."""
        levels, size = self.levels[number:], self.levels[number].size
        few = self.inner == 1 and self.outer * size <= LARGEST
        if few or 1 < self.inner < _LANES:
            return None
        ends = all(known[number:]) and levels[-1].size <= 3
        if size <= _WHOLE and ends and max(self.outer, self.inner) >= _LANES:
            return Block(levels, self.outer, self.inner, is_whole=True)
        for depth in range(_DEPTH, 0, -1):
            blocks = size >> depth
            is_known = len(levels) > depth and all(known[number : number + depth])
            if is_known and size % (1 << depth) == 0 and blocks >= _LEAST:
                if self.inner > 1 or self.outer * blocks >= _LANES:
                    return Block(levels[:depth], self.outer, self.inner, is_whole=False)
        return None

    def _fits(self, level: Level) -> bool:
        """Whether vectors hold all that a level computes as it is."""
        combinations = [c for c in (level.down, level.up) if c is not None]
        values = [
            v for c in combinations for v in (*c.parts, *(r for op in c.ops for r in op.results))
        ]
        elements = [tensor_type(value.type).element_type for value in (*level.results, *values)]
        return all(len(c.ops) <= _OPS for c in combinations) and all(map(is_held, elements))

    def _is_in_order(self, block: Block) -> bool:
        """Whether all that its stages read stands in front of all that they replace."""
        first, last = block.levels[0], block.levels[-1]
        combinations = [
            c for level in block.levels for c in (level.up, level.down) if c is not None
        ]
        inputs = [*first.elements, *(v for c in combinations for v in c.scalars)]
        stages = [(_used(first.results), [*inputs, *(() if block.is_whole else last.below)])]
        if not block.is_whole:
            stages.append((last.sums, inputs))
        return all(
            values
            and all(mlir.defining_op(v) in self.places for v in values)
            and max(map(self._place, operands)) < min(map(self._place, values))
            for values, operands in stages
        )

    def _place(self, value: Value) -> int:
        """Where a value is made; -1 outside of the block."""
        op = mlir.defining_op(value)
        return -1 if op is None else self.places.get(op, -1)

    # --- calls ------------------------------------------------------------------------------------
    def _stage(self, module: Operation, block: Block, replaced: Sequence[Value]) -> BlockStage:
        return BlockStage(module, block, self._first(replaced).location)

    def _first(self, values: Iterable[Value]) -> Operation:
        """The first of the ops that make values."""
        ops = [mlir.defining_op(value) for value in values]
        return min((op for op in ops if op is not None), key=self.places.__getitem__)

    def _call(
        self,
        stage: BlockStage,
        results: Sequence[Value],
        names: Names,
        keys: Sequence[tuple[Value, Role]],
        replaced: Sequence[Value],
    ) -> None:
        """Call a stage where the first of the values stands that it replaces."""
        at = self._first(replaced)
        build = Build(mlir.before(at), at.location)
        operands = [self._now(key, build) for key in stage.arguments]
        types = [result.type for result in results]
        values = build.call(stage.finish(results, names), operands, types)
        for key, value in zip(keys, values, strict=True):
            self.values[key] = value
        for old, new in zip(replaced, values, strict=False):
            old.replace_all_uses_with(new)

    def _now(self, key: tuple[Value, Role], build: Build) -> Value:
        """What an argument of a stage is."""
        value, role = key
        if key in self.values:
            return self.values[key]
        if role is Role.ITSELF:
            return value
        value = self._now((value, Role.ITSELF), build)
        shape, starts = shape_of(value), [0] * len(shape_of(value))
        parts = []
        for size in (1, shape[self.dimension] - 1):
            sizes = [size if d == self.dimension else n for d, n in enumerate(shape)]
            parts.append(sliced(build, value, (starts, sizes, [1] * len(shape))))
        dimension = {"dimension": mlir.i64_attr(self.dimension)}
        return build.value("stablehlo.concatenate", parts, value.type, dimension)


def _used(values: Iterable[Value]) -> list[Value]:
    """Those that something uses."""
    return [value for value in values if next(value.uses, None) is not None]
