"""StableHLO's two optimizing passes that the wheel lacks: the folder, and all of it together.

Before:
    %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %1 = stablehlo.add %0, %0 : tensor<2xi32>
    %2 = stablehlo.add %x, %1 : tensor<2xi32>
After:
    %c = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
    %0 = stablehlo.add %x, %c : tensor<2xi32>

They fold what upstream's fold, and leave what those leave: results are the same text.
``shlo-fold`` and ``shlo-simplify`` fold more, and change no result.
"""

from __future__ import annotations

from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.errors import PassError, PipelineError
from shlo_tools.mlir import Operation
from shlo_tools.passes.effects import Effects
from shlo_tools.passes.simplify import driver
from shlo_tools.passes.simplify.driver import Rules
from shlo_tools.passes.simplify.values import LIMIT
from shlo_tools.passes.upstream import decided, folding
from shlo_tools.passes.upstream.folding import Gate
from shlo_tools.passes.upstream.greedily import clean_up
from shlo_tools.pipeline.registry import Pass

_ROUNDS = 100  # far more than programs need


@dataclass(frozen=True)
class AggressiveFolder(Pass):
    """Fold what constants determine, exactly as StableHLO's pass of this name does.

    Attributes:
        assume_no_undeclared_side_effects: erase loops that never start although they call
            functions, if nobody uses their results.
        fold_op_element_limit: the largest result that is folded, of ops whose results may be much
            larger than what they are computed from.
        optimize_float: fold what gives floats.
    """

    name = "stablehlo-aggressive-folder"
    anchor = "any"

    assume_no_undeclared_side_effects: bool = False
    fold_op_element_limit: int = LIMIT
    optimize_float: bool = True

    def __post_init__(self) -> None:
        if self.fold_op_element_limit < 0:
            raise PipelineError(
                f"option 'fold-op-element-limit' of pass {self.name!r}: "
                f"{self.fold_op_element_limit} is below 0"
            )

    def run(self, op: Operation) -> None:
        self._fold(op)

    def _fold(self, op: Operation) -> bool:
        """Fold until nothing is left to fold; whether there was anything."""
        rules, folded = self._rules(), False
        for _ in range(_ROUNDS):
            clean_up(op)
            if not driver.apply(op, rules, keep_attributes=False):
                return folded
            folded = True
        raise PassError(f"pass {self.name!r} comes to no end: {_ROUNDS} rounds were not enough")

    def _rules(self) -> Rules:
        gate = Gate(self.fold_op_element_limit, self.optimize_float)
        effects = Effects(pure_calls=True) if self.assume_no_undeclared_side_effects else None
        loops = decided.loop_that_never_starts(effects)
        return driver.merged(folding.rules(gate), decided.RULES, loops)


@dataclass(frozen=True)
class TargetIndependentOptimization(AggressiveFolder):
    """The folder and ``stablehlo-aggressive-simplification`` in turns, until neither has work.

    Options are the folder's.
    """

    name = "stablehlo-target-independent-optimization"

    def run(self, op: Operation) -> None:
        self._fold(op)
        for _ in range(_ROUNDS):
            self._simplify(op)
            if not self._fold(op):
                return
        raise PassError(f"pass {self.name!r} comes to no end: {_ROUNDS} rounds were not enough")

    def _simplify(self, op: Operation) -> None:
        options = f"fold-op-element-limit={self.fold_op_element_limit}"
        manager = mlir.parse_pipeline(
            f"func.func(stablehlo-aggressive-simplification{{{options}}})"
        )
        for func in [op] if op.name == "func.func" else ir.functions(op):
            try:
                mlir.run_passes(manager, func)
            except mlir.MLIRError as error:
                raise PassError(mlir.diagnostics_of(error)) from error
