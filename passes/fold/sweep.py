"""Folds everything that constants determine, in one walk.

What is known on the way stays outside the IR: attributes live as long as their context, and only
results that something else uses become constants.
"""

from __future__ import annotations

from shlo_tools import mlir
from shlo_tools.dtypes import Array
from shlo_tools.ir import Build
from shlo_tools.mlir import Operation, Value
from shlo_tools.passes.fold.evaluation import FOLDED, SPREADING, Limits, evaluated
from shlo_tools.passes.simplify.driver import Replacement, Rewriter, Rules
from shlo_tools.passes.simplify.regions import body
from shlo_tools.passes.simplify.values import constant, held, is_splat

SMALL = 64  # elements: up to here a constant is simpler than what spreads it


class Constants:
    """The values that are known to be constant, and which."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.arrays: dict[Value, Array | None] = {}

    def of(self, value: Value) -> Array | None:
        """The elements of a value; None where they are not known."""
        if value not in self.arrays:
            self.arrays[value] = held(value, self.limits.operand_elements)
        return self.arrays[value]

    def evaluate(self, op: Operation) -> bool:
        """Make the result of an op known, if it can be."""
        if op.name not in FOLDED:
            return False
        operands: list[Array] = []
        for value in op.operands:
            array = self.of(value)
            if array is None:
                return False
            operands.append(array)
        elements = evaluated(op, operands, self.limits)
        if elements is not None:
            self.arrays[op.results[0]] = elements
        return elements is not None


def fold(root: Operation, limits: Limits) -> int:
    """Replace by constants the ops below ``root`` that have nothing but constants to work on.

    Returns:
        how many ops were replaced.
    """
    constants = Constants(limits)
    folded = [
        op for op in mlir.walk(root) if constants.evaluate(op) and _is_worth_it(op, constants)
    ]
    gone = {op.results[0] for op in folded}
    for op in folded:
        value = op.results[0]
        array = constants.of(value)
        users = [mlir.inner_operation(use.owner).results for use in value.uses]
        stays = any(not len(results) or results[0] not in gone for results in users)
        if stays and array is not None:
            folded_value = constant(_build(op), value.type, array)
            value.replace_all_uses_with(folded_value)
    for op in reversed(folded):
        op.erase()
    return len(folded)


def _is_worth_it(op: Operation, constants: Constants) -> bool:
    """Whether a constant is better than an op that repeats elements or counts."""
    array = constants.of(op.results[0])
    if op.name not in SPREADING or array is None:
        return True
    return array.size <= SMALL or is_splat(array)


def _build(op: Operation) -> Build:
    return Build(mlir.before(op), op.location)


# --- loops ----------------------------------------------------------------------------------------
def decided(limits: Limits) -> Rules:
    """Rules for what is decided once constants are folded."""

    def never_starts(op: Operation, build: Rewriter) -> Replacement | None:
        """while(c, f, g) -> c, where f(c) is false"""
        cond = body(op.regions[0])
        constants = Constants(limits)
        for argument, operand in zip(cond.arguments, op.operands, strict=True):
            constants.arrays[argument] = held(operand, limits.operand_elements)
        operations = [mlir.inner_operation(inner) for inner in cond.operations]
        for inner in operations[:-1]:
            constants.evaluate(inner)
        holds = constants.of(operations[-1].operands[0])
        return list(op.operands) if holds is not None and not holds.any() else None

    return {"stablehlo.while": (never_starts,)}
