"""Loops whose text says how often they run compare nothing, and count where somebody asks for it.

Before:
    %0:2 = stablehlo.while(%i = %zero, %h = %x) : tensor<i32>, tensor<16x128xf32>
     cond {
      %1 = stablehlo.compare LT, %i, %c256
      stablehlo.return %1
    } do {
      %1 = call @stage.0(%h, %w)
      %2 = stablehlo.add %i, %c1
      stablehlo.return %2, %1
    }
After:
    %0:2 = stablehlo.while(%i = %zero, %h = %x) ... attributes {shlo.rounds = 256 : i64}
     cond {
      %1 = stablehlo.constant dense<true>
      stablehlo.return %1
    } do {
      %1 = call @stage.0(%h, %w)
      stablehlo.return %i, %1
    }

Whoever runs the loop counts its rounds: that takes nothing, where a comparison and an addition of
two numbers take as long as two other stages.
"""

from __future__ import annotations

import numpy as np

from shlo_tools import ir, mlir
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.partition.loops.blocks import LOOP
from shlo_tools.passes.simplify.values import constant
from shlo_tools.program.loop_counts import iterations

_COUNTING = ("stablehlo.add", "stablehlo.subtract")
_COMPARING = ("stablehlo.compare", "stablehlo.constant", "stablehlo.return")


def rounds_of(loop: Operation) -> int | None:
    """How often a loop runs whose condition does nothing but say so; None for others."""
    is_plain = loop.name == LOOP and all(
        op.name in _COMPARING for op in loop.regions[0].blocks[0].operations
    )
    return iterations(loop) if is_plain else None


def forget_count(loop: Operation) -> None:
    """Erase what says how often a loop runs whose attribute says it."""
    condition, body = (region.blocks[0] for region in loop.regions)
    end = ir.terminator(condition)
    build = Build(mlir.before(end), loop.location)
    end.operands[0] = constant(build, end.operands[0].type, np.asarray(True))
    for view in reversed(list(condition.operations)[:-2]):
        view.erase()
    end = ir.terminator(body)
    for place, result in enumerate(loop.results):
        counter, following = body.arguments[place], end.operands[place]
        if _has_uses(result, 0) and _has_uses(counter, 1) and _has_uses(following, 1):
            op = mlir.defining_op(following)
            if op is not None and op.name in _COUNTING and counter in op.operands:
                end.operands[place] = counter
                op.erase()


def _has_uses(value: Value, count: int) -> bool:
    return len(list(value.uses)) == count
