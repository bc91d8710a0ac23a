"""Folding: what constants determine is computed now.

Before:
    %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %1 = stablehlo.add %0, %0 : tensor<2xi32>
    return %1 : tensor<2xi32>
After:
    %0 = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
    return %0 : tensor<2xi32>

The reference computes (``evaluation``); ``sweep`` walks through a program. Folded are ops whose
results are exact or correctly rounded, so that no result changes.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from shlo_tools.errors import PipelineError
from shlo_tools.mlir import Operation
from shlo_tools.passes.effects import Effects
from shlo_tools.passes.fold.evaluation import Limits
from shlo_tools.passes.simplify.driver import Rules
from shlo_tools.passes.simplify.values import LIMIT
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class Fold(Pass):
    """Compute what constants determine, branches and loops that they decide included.

    Attributes:
        max_elements: the largest result that is folded. Results whose elements are all the same
            are folded at any size.
        max_operand_elements: the largest operand that is read, in the same way.
        fold_inexact: fold functions that are not correctly rounded (``exponential``, ``sine``,
            products of complex numbers, sums of floats in reductions) as well; results may
            change in the last place.
    """

    name = "shlo-fold"
    anchor = "any"

    max_elements: int = LIMIT
    max_operand_elements: int = LIMIT
    fold_inexact: bool = False

    def __post_init__(self) -> None:
        _check_limits(self)

    def run(self, op: Operation) -> None:
        limits = Limits(self.max_elements, self.max_operand_elements, self.fold_inexact)
        _to_fixpoint(op, limits, {}, Effects())


@dataclass(frozen=True)
class FoldAndSimplify(Fold):
    """``shlo-fold`` and ``shlo-simplify`` in turns, until neither changes anything.

    Attributes:
        pure_calls: erase calls of functions whose results are not used: functions only compute.
    """

    name = "shlo-fold-and-simplify"

    pure_calls: bool = False

    def run(self, op: Operation) -> None:
        from shlo_tools.passes.simplify import families  # only if needed

        limits = Limits(self.max_elements, self.max_operand_elements, self.fold_inexact)
        _to_fixpoint(op, limits, families.RULES, Effects(self.pure_calls))


def _check_limits(instance: Pass) -> None:
    for field in fields(instance):
        limit = getattr(instance, field.name)
        if limit < 0:
            option = field.name.replace("_", "-")
            raise PipelineError(f"option {option!r} of pass {instance.name!r}: {limit} is below 0")


def _to_fixpoint(op: Operation, limits: Limits, rules: Rules, effects: Effects) -> None:
    from shlo_tools.passes.fold import sweep  # only if needed
    from shlo_tools.passes.simplify import control_flow, driver, dynamism

    sizes = {"stablehlo.get_dimension_size": (dynamism.size,)}
    every = driver.merged(rules, control_flow.DECIDED, sweep.decided(limits), sizes)
    changed = True
    while changed:
        folded = sweep.fold(op, limits)
        changed = bool(driver.apply(op, every, effects) or folded)
