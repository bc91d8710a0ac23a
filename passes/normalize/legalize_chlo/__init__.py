"""CHLO to StableHLO.

Before:
    %0 = chlo.atan %x : tensor<4xf32> -> tensor<4xf32>
After:
    %one = stablehlo.constant dense<1.0> : tensor<4xf32>
    %0 = stablehlo.atan2 %x, %one : tensor<4xf32>

Each family file holds one function per op: mathematics as a formula (``formula.Term``), other
rewrites on tensors. ``codegen/library/maths/tables.py`` holds the coefficients. What has no rule is
refused with its name, types and location.

With ``library`` the functions stay that kernels call (``codegen.library.maths``): of tensors of
known sizes, of floats of 16 bits and more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shlo_tools import ir, mlir
from shlo_tools.codegen.library import maths
from shlo_tools.mlir import Operation, Value
from shlo_tools.pipeline.contents import Contents
from shlo_tools.pipeline.registry import Pass


@dataclass(frozen=True)
class LegalizeChlo(Pass):
    """Rewrite CHLO in StableHLO.

    Args:
        library: leave the functions that kernels call.
    """

    name = "shlo-legalize-chlo"
    library: bool = False

    def concerns(self, contents: Contents) -> bool:
        return contents.has_dialect("chlo")

    def run(self, op: Operation) -> None:
        formulas = [inner for inner in mlir.walk(op) if inner.name.startswith("chlo.")]
        if self.library:
            formulas = [inner for inner in formulas if not _is_called(inner)]
        if not formulas:
            return
        from shlo_tools.passes.normalize.legalize_chlo.families import rules  # only if needed

        known = rules({inner.name for inner in formulas})
        if self.library:
            known = {name: _unless_called(rule) for name, rule in known.items()}
        ir.rewrite(op, known)


_FLOATS = ("f16", "bf16", "f32", "f64")


def _is_called(op: Operation) -> bool:
    """Whether an op is one that kernels call."""
    type = op.results[0].type
    if op.name.removeprefix("chlo.") not in maths.CHLO or not mlir.is_static_tensor(type):
        return False
    return mlir.spelling(type.element_type) in _FLOATS


def _unless_called(rule: ir.Rewrite) -> ir.Rewrite:
    """A rule for the ops that kernels do not call."""

    def rewritten(op: Operation, build: ir.Build) -> Sequence[Value] | None:
        return None if _is_called(op) else rule(op, build)

    return rewritten
